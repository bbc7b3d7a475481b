"""Render what GTP and GoGui read: boards of characters, graphics, and the lines of a search."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from latrones_uci.engine.options import Option
from latrones_uci.game import BLACK, SIDE_NAMES, WHITE, Geometry, Outcome, Position
from latrones_uci.game.outcome import ending_name
from latrones_uci.protocols.gtp.game import LETTERS, Point, PointGame, move_points, point_name, points_of
from latrones_uci.text.messages import counted
from latrones_uci.text.protocol import Score, SearchInfo

OUTSIDE_COLOUR = "#6e5a3c"
LAST_MOVE_COLOUR = "#c8d8a0"
_GOOD, _BAD = (96, 176, 96), (216, 96, 80)
"""Colours of the best and the worst move on a map of values."""
_COLOURS = "WB"
NOTHING = '""'
"""A point without a text or colour on a board of them."""


def render_response(number: str, text: str, failed: bool = False) -> list[str]:
    """Return the lines of a response; ``number`` is the id of the command, or empty."""
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    return [f"{'?' if failed else '='}{number} {lines[0]}".rstrip(), *lines[1:], ""]


def render_game_id(name: str) -> str:
    """Return the name of a game as GoGui wants it: one capital, then lower case."""
    return "".join(letter for letter in name if letter.isalpha()).capitalize()


def param_name(option: Option) -> str:
    return option.name.replace(" ", "_")


def render_param(option: Option, value: str) -> str:
    """Return a line of a ``param`` command of GoGui."""
    match option.kind:
        case "check":
            return f"[bool] {param_name(option)} {int(value == 'true')}"
        case "combo":
            return f"[list/{'/'.join(option.choices)}] {param_name(option)} {value}"
    return f"[string] {param_name(option)} {value}"


def value_of_param(option: Option, text: str) -> str:
    """Return the value of an option from the form of ``render_param``."""
    return {"0": "false", "1": "true"}.get(text, text) if option.kind == "check" else text


def shown_size(geometry: Geometry) -> int:
    """Return the size of the square board on which GoGui shows a board: 1.6 fails on boards of unequal sides."""
    return max(geometry.files, geometry.ranks)


def render_grid(geometry: Geometry, of_square: Callable[[int], str], outside: str = NOTHING) -> str:
    """Return a text for every point of the square board, the top row first; ``outside`` for those beside the board."""
    size = shown_size(geometry)
    return "\n".join(
        " ".join(of_square(rank * geometry.files + file) if file < geometry.files and rank < geometry.ranks else outside
                 for file in range(size))
        for rank in reversed(range(size))
    )


def render_rules_board(position: Position) -> str:
    """Return the answer to ``gogui-rules_board``: ``X`` Black, ``O`` White, ``.`` empty, ``?`` no square."""
    return render_grid(position.geometry, lambda square: _stone(position.piece_at(square)), "?")


def _stone(piece: str) -> str:
    return "." if not piece else "O" if piece.isupper() else "X"


def render_gfx(game: PointGame) -> str:
    """Return the answer to ``gogui-rules_board_gfx``: what the stones do not show, and a line for the status bar."""
    position, geometry = game.position, game.position.geometry
    squares = range(geometry.squares)
    lines = []
    if outside := _outside(geometry):
        lines.append(f"COLOR {OUTSIDE_COLOUR} {outside}")
    if game.game.moves:
        lines.append(f"COLOR {LAST_MOVE_COLOUR} {_names(geometry, points_of(game.game.moves[-1]))}")
    duces = [square for square in squares if position.piece_at(square) in ("D", "d")]
    lines += [f"LABEL {point_name(geometry, square)} D" for square in duces]
    bound = [square for square in squares if position.piece_at(square) in ("B", "b")]
    lines += [f"MARK {_names(geometry, bound)}"] if bound else []
    if game.chosen:
        lines.append(f"SQUARE {_names(geometry, game.chosen)}")
        lines.append(f"CIRCLE {_names(geometry, [point for point in game.legal_points() if point is not None])}")
    return "\n".join([*(line for line in lines if not line.endswith(" ")), f"TEXT {render_status(game)}"])


def _outside(geometry: Geometry) -> str:
    """Return the points of the square board that are beside the board."""
    size = shown_size(geometry)
    return " ".join(f"{LETTERS[file]}{rank + 1}" for rank in range(size) for file in range(size)
                    if file >= geometry.files or rank >= geometry.ranks)


def _names(geometry: Geometry, points: Iterable[Point]) -> str:
    return " ".join(point_name(geometry, point) for point in points if point is not None)


def with_points(geometry: Geometry, text: str) -> str:
    """Return a text with the names of its squares as points."""
    names = {geometry.square_name(square): point_name(geometry, square) for square in range(geometry.squares)}
    return re.sub(r"\b[a-p][0-9]{1,2}\b", lambda match: names.get(match[0], match[0]), text)


def render_status(game: PointGame) -> str:
    """Return one line on the game: whose turn it is and what is in hand, or the result."""
    position = game.position
    if (outcome := game.game.outcome()) is not None:
        return render_outcome(outcome, position)
    legal = game.legal_points()
    parts = [f"{position.ruleset.title}: {SIDE_NAMES[position.side]} {'must pass' if legal == [None] else 'to move'}"]
    if game.chosen:
        can_stop = ", pass to stop here" if None in legal else ""
        parts = [f"{SIDE_NAMES[position.side]}: {move_points(position.geometry, game.chosen)}-?{can_stop}"]
    for side, letters in ((WHITE, "SD"), (BLACK, "sd")):
        hand = [counted(position.hand[letter], name)
                for letter, name in zip(letters, ("soldier", "dux"), strict=True) if letter in position.hand]
        parts += [f"{SIDE_NAMES[side]} in hand: {', '.join(hand)}"] if hand else []
    return "; ".join(parts)


def render_outcome(outcome: Outcome, position: Position) -> str:
    """Return the result of a game in words, such as ``White wins: dux captured``."""
    who = "Draw" if outcome.winner is None else f"{SIDE_NAMES[outcome.winner]} wins"
    return f"{who}: {ending_name(outcome, position.ruleset)}"


def render_score(outcome: Outcome) -> str:
    """Return the answer to ``final_score``: ``W+1``, ``B+1``, or ``0`` for a draw."""
    return "0" if outcome.winner is None else f"{_COLOURS[outcome.winner]}+1"


# ---------------------------------------------------------------- what a search found


def render_verdict(position: Position, info: SearchInfo) -> str:
    """Return the score of a search for people, with the chances if there are any."""
    chances = ""
    if info.wdl is not None:
        chances = " win {:.0f}%, draw {:.0f}%, loss {:.0f}%,".format(*(each / 10 for each in info.wdl))
    return f"{SIDE_NAMES[position.side]} {info.score},{chances} depth {info.depth}, {info.nodes} nodes"


def render_lines(position: Position, lines: Mapping[int, SearchInfo]) -> str:
    """Return graphics of the best lines: numbered stones of the best one, labels of the others, and all as text."""
    geometry = position.geometry
    result: list[str] = []
    for number, info in sorted(lines.items()):
        moves = list(_moves(position, info.pv))
        if not result:
            stones = (f"{_COLOURS[side].lower()} {point_name(geometry, points[-1])}" for side, points in moves)
            result.append(f"VAR {' '.join(stones)}")
        _, first = moves[0]
        if len(first) > 1:
            result.append(f"SQUARE {point_name(geometry, first[0])}")
        line = " ".join(move_points(geometry, points) for _, points in moves)
        result.append(f"TEXT {number}. {info.score}  {line}")
    return "\n".join(result)


def _moves(position: Position, texts: Sequence[str]) -> Iterator[tuple[int, tuple[Point, ...]]]:
    for text in texts:
        move = position.parse_move(text)
        yield position.side, points_of(move)
        position = position.play(move)


def render_values(game: PointGame, lines: Iterable[SearchInfo]) -> str:
    """Return a map of colours: how good the best move of each piece is, or the best to each destination.

    Green is as good as the best move, red two soldiers worse or more.
    """
    place = len(game.chosen)
    by_text: dict[str, tuple[Point, ...]] = {move: points for points, move in game.sequences().items()}
    values: dict[int, float] = {}
    for info in lines:
        points = by_text.get(info.pv[0], ())
        point = points[place] if len(points) > place else None
        if point is not None:
            values[point] = max(_centi(info.score), values.get(point, -1e9))
    best = max(values.values(), default=0)
    colours = {point: _shade(best - value) for point, value in values.items()}
    return render_grid(game.position.geometry, lambda square: colours.get(square, NOTHING))


def _centi(score: Score) -> float:
    if score.mate is not None:
        return 10_000 - score.mate if score.mate > 0 else -10_000 - score.mate
    return score.cp or 0


def _shade(loss_centi: float) -> str:
    share = min(1.0, loss_centi / 200)
    return "#" + "".join(f"{round(good + share * (bad - good)):02x}" for good, bad in zip(_GOOD, _BAD, strict=True))


def render_threats(position: Position) -> str:
    """Return the points of the pieces that either side could capture if it were to move."""
    threatened: set[int] = set()
    for one in (position, position.passed()):
        if one is not None:
            threatened.update(*(one.captures(move) for move in one.legal_moves()))
    return _names(position.geometry, sorted(threatened))


def render_shares(geometry: Geometry, shares: Iterable[tuple[int, str, int | None]]) -> str:
    """Return a board of what each piece is worth in soldiers, from ``NetEvaluation.shares``."""
    worth = {square: f"{share / 100:+.1f}" for square, _, share in shares if share is not None}
    return render_grid(geometry, lambda square: worth.get(square, NOTHING))
