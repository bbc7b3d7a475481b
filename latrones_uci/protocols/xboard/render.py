"""Render lines for XBoard."""

import re
from collections.abc import Iterable, Mapping, Sequence

from latrones_uci.engine.options import Option
from latrones_uci.engine.types import CurrentMove
from latrones_uci.game import Geometry, Move, Outcome
from latrones_uci.protocols.common import ENGINE_NAME
from latrones_uci.text.messages import printable
from latrones_uci.text.protocol import Score, SearchInfo

MAX_ECHO = 200
MATE = 100_000
"""Score of a win in N turns, minus N."""
OWN_COMMANDS = ("UCI_Variant", "BoardSize", "Hash", "Threads", "Ponder")
"""Options that are not listed, because ``variant``, ``memory``, ``cores`` and ``hard`` set them."""
NOT_SHOWN = ("UCI_ShowWDL",)
"""Options that have no effect in this dialect."""
QUIET, CAPTURE, LEG, TARGET, VICTIM = "Y", "R", "C", "Y", "m"
"""Colours of squares. A piece may go to upper-case colours; on red, XBoard asks for more, cyan marks a leg."""

_ENDS = re.compile("([a-p][0-9]+)([a-p][0-9]+)", re.ASCII)
_FEATURES = (
    "usermove=1 setboard=1 playother=1 ping=1 colors=0 sigint=0 sigterm=0 san=0 highlight=1 debug=1 reuse=1 time=1"
    " analyze=1 memory={memory:d} smp={threads:d} draw=0 nps=0"
)


def render_features(options: Iterable[Option], variants: Iterable[str], name: str = ENGINE_NAME) -> list[str]:
    """Return the answer to ``protover 2``."""
    listed = {option.name: option for option in options}
    hidden = (*OWN_COMMANDS, *NOT_SHOWN)
    features = _FEATURES.format(memory="Hash" in listed, threads="Threads" in listed)
    name = name.replace('"', "'")
    return [
        "feature done=0",
        f'feature {features} myname="{name}"',
        render_variants(variants),
        *(f'feature option="{_option(option)}"' for key, option in listed.items() if key not in hidden),
        "feature done=1",
    ]


def render_variants(variants: Iterable[str]) -> str:
    return f'feature variants="{",".join(variants)}"'


def _option(option: Option) -> str:
    match option.kind:
        case "check":
            return f"{option.name} -check {int(bool(option.default))}"
        case "spin":
            return f"{option.name} -spin {option.default} {option.minimum} {option.maximum}"
        case "combo":
            choices = (f"*{choice}" if choice == option.default else choice for choice in option.choices)
            return f"{option.name} -combo {' /// '.join(choices)}"
        case "string":
            return f"{option.name} -string {option.default}"
        case "button":
            return f"{option.name} -button"


def option_value(option: Option, text: str | None) -> str | None:
    """Return the value as the option expects it: XBoard sends 1 and 0 for a check box."""
    if option.kind == "check" and text in ("0", "1"):
        return "true" if text == "1" else "false"
    return text


def render_error(code: str, line: str) -> str:
    return f"Error ({code}): {_echo(line.split())}"


def render_illegal_move(line: str) -> str:
    """Return the answer to a rejected ``usermove``; XBoard takes the move back."""
    return f"Illegal move: {_echo(line.split()[1:])}"


def _echo(words: Sequence[str]) -> str:
    """Return received words on one line, shortened, and without control characters."""
    return printable(" ".join(words)[:MAX_ECHO])


def render_comment(text: str) -> str:
    """Return a comment, which XBoard only writes to its log."""
    return f"# {' '.join(text.split())}"


def render_thinking(info: SearchInfo, *expected: str) -> str:
    """Return ply, score, centiseconds, nodes and line; a bound ends with ``!`` (at least) or ``?`` (at most).

    ``expected`` is the move pondered on, which begins the line.
    """
    bound = {"": "", "lower": " !", "upper": " ?"}[info.score.bound]
    line = " ".join((*expected, *info.pv))
    return f"{info.depth} {_score(info.score)} {(info.time_ms or 0) // 10} {info.nodes} {line}{bound}"


def _score(score: Score) -> int:
    if score.mate is None:
        return score.cp or 0
    return MATE + score.mate if score.mate > 0 else -MATE + score.mate


def render_status(info: SearchInfo | None, now: CurrentMove | None, choices: int) -> str:
    """Return the answer to ``.``: centiseconds, nodes, ply, moves left, all moves, the current move."""
    if info is None:
        return f"stat01: 0 0 0 {choices} {choices}"
    if now is None:
        return f"stat01: {(info.time_ms or 0) // 10} {info.nodes} {info.depth} 0 {choices}"
    left = max(0, choices - now.number)
    return f"stat01: {(info.time_ms or 0) // 10} {info.nodes} {now.depth} {left} {choices} {now.move}"


def render_result(result: Outcome, nocapture_limit: int) -> str:
    """Return a result such as ``1-0 {reason}``."""
    score = "1/2-1/2" if result.winner is None else ("1-0", "0-1")[result.winner]
    who = "Draw" if result.winner is None else f"{('White', 'Black')[result.winner]} wins"
    why = {"decided": "", "repetition": ": third occurrence of the position", "nomove": ": no legal move",
           "nocapture": f": {nocapture_limit} turns without a capture"}[result.termination.value]
    return f"{score} {{{who}{why}}}"


def render_highlight(geometry: Geometry, colours: Mapping[int, str]) -> str:
    rows = []
    for rank in reversed(range(geometry.ranks)):
        row, plain = "", 0
        for square in range(rank * geometry.files, (rank + 1) * geometry.files):
            if colour := colours.get(square):
                row, plain = row + (str(plain) if plain else "") + colour, 0
            else:
                plain += 1
        rows.append(row + (str(plain) if plain else ""))
    return f"highlight {'/'.join(rows)}"


def render_xboard_move(text: str, kills: Sequence[str]) -> str:
    """Return a move as XBoard reads it: ``e5e4``, ``e5xf4-e4``, ``e5xf4xd4-e4``, ``S@e4``."""
    if not kills:
        return text
    ends = _ENDS.fullmatch(text)
    assert ends  # a placement removes nothing
    return "x".join([ends[1], *kills]) + f"-{ends[2]}"


def render_clicks(geometry: Geometry, received: str, move: Move, kills: Sequence[int]) -> list[str]:
    """Take a person's move back and enter it again by clicks, with the pieces to remove on the way."""
    name = geometry.square_name
    origin, target = move.squares
    lines = [render_illegal_move(f"usermove {received}"), f"click {name(origin)}"]
    for square, colour in [*((square, LEG) for square in kills), (target, TARGET)]:
        lines += [render_highlight(geometry, {square: colour}), f"click {name(square)}"]
    return lines
