"""Games written as PGN."""

import textwrap

from latrones_uci.match.engine_output import SearchInfo
from latrones_uci.match.record import GameRecord, PlyRecord

_LINE_WIDTH = 79  # the standard's export format: fewer than 80 characters
_NS_PER_S = 1_000_000_000


def render_game(record: GameRecord, match_id: str = "") -> str:
    """A game with its tags, a blank line after tags and moves each.

    ``FEN`` is the position after the opening, so the first move is the first that an engine made. Each move has a
    comment ``{score/depth time n=nodes}``, parts that the engine did not tell left out. A ply is numbered unless it
    is Black's and directly follows White's of the same number: a side may move twice in a row.
    """
    tags = "".join(f"[{name} {_quote(value)}]\n" for name, value in _tags(record, match_id).items())
    return f"{tags}\n{_render_movetext(record)}\n\n"


def render_comment(ply: PlyRecord) -> str:
    """The comment of a move without braces: ``+0.35/6 0.101s n=12345``; mates ``+M3/9``, in turns of the winner.

    The score is in soldiers from the mover's point of view, the time in seconds by the runner's clock.
    """
    words = [_render_score(ply.info), f"{ply.elapsed_ns / _NS_PER_S:.3f}s"]
    if ply.info.nodes is not None:
        words.append(f"n={ply.info.nodes}")
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


def _render_movetext(record: GameRecord) -> str:
    words: list[str] = []
    previous: PlyRecord | None = None
    for ply in record.game.plies:
        if ply.side == 0:
            words.append(f"{ply.movenumber}.")
        elif previous is None or previous.side != 0 or previous.movenumber != ply.movenumber:
            words.append(f"{ply.movenumber}...")
        words.append(ply.text)
        words.append(f"{{{_comment_safe(render_comment(ply))}}}")
        previous = ply
    words.append(record.game.result)
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
