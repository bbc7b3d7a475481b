"""Games written as PGN."""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from latrones_uci.match.records.record import GameRecord, PlyRecord
from latrones_uci.match.records.search_info import SearchInfo

_LINE_WIDTH = 79  # the standard's export format: fewer than 80 characters
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class WrittenMove:
    """A move as it is written.

    Attributes:
        side: who moves, 0 White, 1 Black.
        movenumber: of the position before the move.
        text: the move.
        comment: without braces.
        glyph: a mark such as ``$4``, empty for none.
    """

    side: int
    movenumber: int
    text: str
    comment: str
    glyph: str = ""


def render_game(record: GameRecord, match_id: str = "") -> str:
    """A game with its tags, and a comment ``{score/depth time n=nodes}`` on each move.

    ``FEN`` is the position after the opening, so the first move is the first that an engine made.
    """
    moves = (WrittenMove(ply.side, ply.movenumber, ply.text, render_comment(ply)) for ply in record.game.plies)
    return render_pgn(_tags(record, match_id), moves, record.game.result)


def render_pgn(tags: Mapping[str, str], moves: Iterable[WrittenMove], result: str) -> str:
    """Tags and moves, a blank line after each of the two.

    A ply is numbered unless it is Black's and directly follows White's of the same number: a side may move twice in a
    row.
    """
    lines = "".join(f"[{name} {_quote(value)}]\n" for name, value in tags.items())
    return f"{lines}\n{_render_movetext(moves, result)}\n\n"


def render_comment(ply: PlyRecord) -> str:
    """The comment of a move without braces, as ``render_search`` has it, the time by the runner's clock."""
    return render_search(ply.info, ply.elapsed_ns)


def render_search(info: SearchInfo, elapsed_ns: int) -> str:
    """What a search told: ``+0.35/6 0.101s n=12345``; mates ``+M3/9``, in turns of the winner.

    The score is in soldiers from the mover's point of view, the time in seconds. Parts not told are left out.
    """
    words = [_render_score(info), f"{elapsed_ns / _NS_PER_S:.3f}s"]
    if info.nodes is not None:
        words.append(f"n={info.nodes}")
    return " ".join(word for word in words if word)


def _tags(record: GameRecord, match_id: str) -> dict[str, str]:
    game, (white, black) = record.game, record.controls
    same_control = white == black
    tags = {
        "Event": "latrones-match",
        "Site": "?",
        "Date": record.started[:10].replace("-", "."),
        "Round": str(record.fixture.number),
        "White": record.names[0],
        "Black": record.names[1],
        "Result": game.result,
        "Variant": game.start.ruleset.name,
        "SetUp": "1",
        "FEN": game.start.fen(),
        "PlyCount": str(len(game.plies)),
        "TimeControl": white.pgn_tag() if white.pgn_tag() == black.pgn_tag() else "?",
        "Termination": game.termination.value,
        "TerminationDetails": game.details,
    }
    if not same_control or white.depth is not None or white.nodes is not None:
        tags |= {"WhiteTimeControl": white.to_text(), "BlackTimeControl": black.to_text()}
    if match_id:
        tags["MatchId"] = match_id
    return tags


def _render_movetext(moves: Iterable[WrittenMove], result: str) -> str:
    words: list[str] = []
    previous: WrittenMove | None = None
    for move in moves:
        if move.side == 0:
            words.append(f"{move.movenumber}.")
        elif previous is None or previous.side != 0 or previous.movenumber != move.movenumber:
            words.append(f"{move.movenumber}...")
        words += [move.text, *([move.glyph] if move.glyph else [])]
        words.append(f"{{{_comment_safe(move.comment)}}}")
        previous = move
    words.append(result)
    return textwrap.fill(" ".join(words), _LINE_WIDTH, break_long_words=False, break_on_hyphens=False)


def _render_score(info: SearchInfo) -> str:
    if info.mate is not None:
        score = f"{'-' if info.mate < 0 else '+'}M{abs(info.mate)}"
    elif info.score_centi is not None:
        score = f"{info.score_centi / 100:+.2f}"
    else:
        return ""
    return score if info.depth is None else f"{score}/{info.depth}"


def _quote(value: str) -> str:
    """A tag value: quoted, on one line, with backslash and quote escaped."""
    line = "".join(character if character.isprintable() else " " for character in value)
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _comment_safe(comment: str) -> str:
    """A comment cannot hold its own closing brace."""
    return comment.replace("}", "")
