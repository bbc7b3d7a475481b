"""What an engine must do: one table of rules, and the functions that judge the lines of an engine by it.

``latrones-uci check``, the match runner and ``Engine`` judge by these functions; a test compares ``RULES`` with
protocol.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from latrones_uci.client.output import is_protocol_line, option_fields, parse_error_line, parse_ranked_line
from latrones_uci.game import Game, LatronesError, MalformedMoveError, Move, Position
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import BestMove, Dialect, Score


class InMatch(Enum):
    """What the match runner does when an engine breaks a rule; the value is the text in the table of protocol.md."""

    LOSS = "loses the game"
    FAULT = "is reported as a fault"
    VIOLATION = "is reported"
    STRICT = "is tolerated; reported if `strict=on`"
    UNJUDGED = "is not judged"


class Rule(NamedTuple):
    """A rule for engines."""

    id: str
    """Stable name of the rule; a violation of it begins with this name."""
    duty: str
    """What an engine does, as the end of a sentence that begins with "An engine"."""
    checks: tuple[str, ...]
    """The checks of ``latrones-uci check`` that fail if it does not."""
    in_match: InMatch
    """What a match does if it does not."""


_SEARCHES = ("new-game", "go-depth", "go-nodes", "go-movetime", "go-clock", "legal-moves")
_EXTRAS = ("errors", "query", "d", "perft", "eval", "help", "bench", "debug")
_ENDS = ("quit", "quit-in-search", "end-of-input", "end-in-search")
RULES: tuple[Rule, ...] = (
    Rule("no-answer", "answers every `go` with a `bestmove`, within its time and soon after `stop`",
         (*_SEARCHES, "stop-latency", "quick-commands", "bad-go", "long-game"), InMatch.LOSS),
    Rule("crash", "runs until `quit`, the end of its input, or a closed output",
         ("nonsense", "long-line", "bad-option", "busy"), InMatch.LOSS),
    Rule("no-move", "names a move while the game is in progress, not `0000`", ("legal-moves", "board-option"),
         InMatch.LOSS),
    Rule("not-a-move", "writes a move after `bestmove`", ("legal-moves", "bestmove-form"), InMatch.LOSS),
    Rule("illegal-move", "plays legal moves only, and only those of `searchmoves`", ("legal-moves", "searchmoves"),
         InMatch.LOSS),
    Rule("early-bestmove", "holds `bestmove` back in an infinite search until `stop`, and while pondering until"
         " `ponderhit` or `stop`", ("infinite", "ponder"), InMatch.LOSS),
    Rule("search-error", "searches without an `info string error` between `go` and `bestmove`", _SEARCHES,
         InMatch.FAULT),
    Rule("unexpected-bestmove", "prints one `bestmove` for each `go`, and none without a `go`",
         ("one-bestmove", "one-stop", "idle-stop", "quick-commands", "busy"), InMatch.VIOLATION),
    Rule("unexpected-info", "prints no line of a search after its `bestmove`", ("one-bestmove",), InMatch.VIOLATION),
    Rule("wrong-claim", "answers `query` by the rules of the game", ("query",), InMatch.VIOLATION),
    Rule("no-response", "answers each `query` with one `response`", ("query",), InMatch.VIOLATION),
    Rule("foreign-line", "prints lines of the protocol only, and nothing before the first command",
         ("silent-start", "protocol-lines"), InMatch.STRICT),
    Rule("carriage-return", "ends its lines with a line feed alone", ("protocol-lines",), InMatch.STRICT),
    Rule("blanks", "prints no white space before or after a line", ("protocol-lines",), InMatch.STRICT),
    Rule("bestmove-form", "prints `bestmove MOVE`, in UCI also `bestmove MOVE ponder MOVE`", ("bestmove-form",),
         InMatch.STRICT),
    Rule("move-form", "writes the move in its [standard form](#move-text): not `E2F2` or `e2-f2`", ("legal-moves",),
         InMatch.STRICT),
    Rule("ponder-move", "names a legal reply after `ponder`", ("bestmove-form",), InMatch.STRICT),
    Rule("info-form", "gives an integer after each word for a number, and a score as `cp N` or `mate N`",
         ("info-lines", "multipv"), InMatch.STRICT),
    Rule("info-range", "keeps the [ranges](#info-lines) of these numbers", ("info-lines", "multipv"), InMatch.STRICT),
    Rule("pv-illegal", "gives a `pv` of legal moves from the position of the search", ("info-lines", "multipv"),
         InMatch.STRICT),
    Rule("pv-past-end", "ends the `pv` where the game ends, also by repetition or the no-capture limit",
         ("info-lines", "multipv"), InMatch.STRICT),
    Rule("pv-bestmove", "plays the first move of the last `pv` of rank 1 that is not an `upperbound`",
         ("info-lines", "multipv"), InMatch.STRICT),
    Rule("pv-mate", "gives a `mate` that fits its `pv`, and is true where one ply shows it",
         ("info-lines", "multipv"), InMatch.STRICT),
    Rule("handshake", "completes the handshake, with options that it declares completely and accepts",
         ("handshake", "isready", "options", "game-option", "board-option", "settable"), InMatch.UNJUDGED),
    Rule("white-space", "ignores carriage returns, extra white space and blank lines", ("line-ends",),
         InMatch.UNJUDGED),
    Rule("game-over", "answers `bestmove 0000` if the game is over", ("finished-game",), InMatch.UNJUDGED),
    Rule("old-position", "answers `bestmove 0000` if the last position was rejected", ("bad-position",),
         InMatch.UNJUDGED),
    Rule("busy-ready", "answers `isready` during a search", ("ready-in-search",), InMatch.UNJUDGED),
    Rule("optional", "does right what it need not do at all", _EXTRAS, InMatch.UNJUDGED),
    Rule("resources", "leaves the processor alone while idle, and does not grow", ("idle", "memory"),
         InMatch.UNJUDGED),
    Rule("end", "exits at `quit` and at the end of its input", _ENDS, InMatch.UNJUDGED),
)
NO_FAULT = "not the engine's fault"
"""The beginning of the kind of a violation that no engine is to blame for."""
HELD_UP = f"{NO_FAULT}: the controller was held up"
"""The only such kind; versions up to 0.3.0 wrote ``the match runner`` for ``the controller``."""
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_MAX_KINDS = 50
_TIMES = re.compile(r" \(([0-9]{1,9}) times\)$")
_FAULTS = frozenset(rule.id for rule in RULES if rule.in_match is InMatch.FAULT)


def is_fault(rule: str) -> bool:
    """Return whether breaking a rule counts as a fault of the engine, although the game continues."""
    return rule in _FAULTS


def split_violation(text: str) -> tuple[str, str, int]:
    """Return the rule, the first example, and the number of violations of a line of ``Violations.take``."""
    rule = ": ".join(text.split(": ")[: 2 if text.startswith(NO_FAULT) else 1])
    repeated = _TIMES.search(text)
    example = text[len(rule) + 2 : repeated.start() if repeated else None]
    return rule, example, int(repeated[1]) if repeated else 1


@dataclass(frozen=True)
class Offence:
    """A broken rule."""

    rule: str
    """Id of the rule."""
    line: str
    """The line of the engine."""
    problem: str = ""
    """What is wrong with it, empty if the rule says it."""

    def __str__(self) -> str:
        """Return one line, such as ``pv-illegal: move 'a1a1' is not legal: 'info depth 1 ...'``."""
        return f"{self.rule}: {self.problem}{': ' if self.problem else ''}{quoted(self.line)}"


class Violations:
    """Counts violations by kind, and keeps the first example of each. The memory used is bounded."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, int]] = {}

    def add(self, kind: str, example: str, problem: str = "") -> None:
        """Count a violation; ``example`` is the engine's text, and ``problem`` what is wrong with it."""
        if kind in self._found:
            first, count = self._found[kind]
            self._found[kind] = first, count + 1
        elif len(self._found) < _MAX_KINDS:
            self._found[kind] = f"{problem}{': ' if problem else ''}{quoted(example)}", 1

    def add_all(self, offences: Iterable[Offence]) -> None:
        for offence in offences:
            self.add(offence.rule, offence.line, offence.problem)

    def take(self) -> tuple[str, ...]:
        """Return one line for each kind, ``KIND: [PROBLEM: ]'EXAMPLE'[ (N times)]``, and reset."""
        found, self._found = self._found, {}
        return tuple(f"{kind}: {first}" + f" ({count} times)" * (count > 1) for kind, (first, count) in found.items())


# ---------------------------------------------------------------- lines and moves


def judge_line(text: str, dialect: Dialect) -> Iterator[Offence]:
    """Yield what is wrong with the form of a line, without its line feed."""
    if text.endswith("\r"):
        yield Offence("carriage-return", text)
    if text.removesuffix("\r") != text.strip():
        yield Offence("blanks", text)
    if not is_protocol_line(text):
        yield Offence("foreign-line", text)
    elif text.lstrip().startswith("bestmove"):
        words = text.split()
        names_reply = dialect is Dialect.UCI and len(words) == 4 and words[2] == "ponder"
        if len(words) != 2 and not names_reply:
            expected = "'bestmove MOVE'" if dialect is Dialect.UGI else "'bestmove MOVE [ponder MOVE]'"
            yield Offence("bestmove-form", text, f"not {expected}")


_OPTION_VALUES = {"check": {"default"}, "spin": {"default", "min", "max"}, "combo": {"default"},
                  "button": set[str](), "string": {"default"}}


def option_problem(text: str) -> str:
    """Return what is wrong with an ``option`` line, to end a sentence that begins with it; empty if it is correct."""
    if text.split()[:2] != ["option", "name"]:
        return "does not start with 'option name'"
    name, fields = option_fields(text)
    if not fields or fields[0][0] != "type":
        return "has no type"
    kind, *unexpected = fields[0][1].split() or [""]
    if not name:
        return "has no name"
    if kind not in _OPTION_VALUES:
        return f"has the type {kind!r}; expected one of {', '.join(_OPTION_VALUES)}"
    if unexpected:
        return f"has an unexpected {unexpected[0]!r} after its type"
    choices = [value for key, value in fields if key == "var"]
    values = {key: value for key, value in fields[1:] if key != "var"}
    if 1 + len(values) + len(choices) != len(fields):
        return "has a duplicate field"
    if excess := values.keys() - _OPTION_VALUES[kind]:
        return f"is a {kind} with {', '.join(sorted(excess))}"
    if missing := _OPTION_VALUES[kind] - values.keys():
        return f"is a {kind} without {', '.join(sorted(missing))}"
    default = values.get("default", "")
    if kind == "check" and default not in ("true", "false"):
        return f"is a check with the default {default!r}"
    if kind == "combo" and default not in choices:
        return f"is a combo whose default {default!r} is not one of its vars"
    if kind == "spin":
        for key, value in values.items():
            if not _INTEGER.fullmatch(value):
                return f"has {key} {value!r}; expected an integer"
        if not int(values["min"]) <= int(default) <= int(values["max"]):
            return f"has the default {default}, which is not between min and max"
    return ""


def read_move(position: Position, text: str) -> Move:
    """Read the move of an engine as a legal move in its standard form; a wrong case and hyphens are tolerated.

    Raises:
        MalformedMoveError: the text does not have the form of a move.
        IllegalMoveError: the move is not legal.
    """
    try:
        return position.parse_move(text)
    except MalformedMoveError:
        usual = text.replace("-", "")
        usual = usual[:1].upper() + usual[1:].lower() if usual[1:2] == "@" else usual.lower()
        if usual == text:
            raise
        try:
            return position.parse_move(usual)
        except MalformedMoveError:
            pass
        raise


# ---------------------------------------------------------------- the lines of a search

_RANGES: dict[str, tuple[int, int | None]] = {
    "depth": (0, None), "seldepth": (0, None), "multipv": (1, None), "nodes": (0, None), "nps": (0, None),
    "hashfull": (0, 1000), "time": (0, None), "tbhits": (0, None), "cpuload": (0, 1000), "currmovenumber": (1, None),
}
_SCORES = ("cp", "mate")
_PER_MILLE = 1000
MAX_INFO = 4096
"""The number of characters after which the lines of a search are cut before they are judged."""


def search_errors(lines: Sequence[str]) -> Iterator[Offence]:
    """Yield the errors that an engine reported in a search, whose lines these are."""
    for text in lines:
        if "error" in text and parse_error_line(text) is not None:
            yield Offence("search-error", text)


def judge_search(game: Game, lines: Sequence[str], best: BestMove, most_lines: int | None = None) -> Iterator[Offence]:
    """Yield what is wrong with a search other than an infinite one: with its info lines, and with its answer.

    Args:
        game: the game in whose position the engine searched.
        lines: the lines before ``bestmove``.
        best: the answer; it is not compared with the lines if it is not a legal move.
        most_lines: value of the option ``MultiPV``, None if it is not known.
    """
    first = ""
    judged: dict[str, Offence | None] = {}
    for text in lines:
        words = _info_words(text)
        if not words:
            continue
        yield from _judge_numbers(text, words, most_lines)
        info = parse_ranked_line(text)
        if info is None:
            continue
        variation = f"{info.score} {info.score.bound} {' '.join(info.pv)}"
        if variation not in judged:  # deeper iterations often repeat it
            judged[variation] = _judge_variation(game, text, info.pv, info.score)
        if (offence := judged[variation]) is not None:
            yield offence
        if info.multipv == 1 and (not info.score.bound or info.score.bound == "lower"):
            first = text
    yield from _judge_answer(game, first, best)


def _info_words(text: str) -> list[str]:
    """Return the words of an info line with fields, without its last word if the line was cut."""
    words = text.split() if "info" in text else []
    if words[:1] != ["info"] or "string" in words[1:2]:
        return []
    return words[1:-1] if len(text) >= MAX_INFO else words[1:]


def _judge_numbers(text: str, words: list[str], most_lines: int | None) -> Iterator[Offence]:
    for index, word in enumerate(words):
        following = words[index + 1 : index + 4]
        if word in ("pv", "string"):
            break
        if word in _RANGES:
            if not following or not _INTEGER.fullmatch(following[0]):
                yield Offence("info-form", text, f"no integer after {word}")
                continue
            least, most = _RANGES[word]
            most = most_lines if word == "multipv" else most
            if int(following[0]) < least or most is not None and int(following[0]) > most:
                expected = f"at least {least}" if most is None else f"{least} to {most}"
                yield Offence("info-range", text, f"{word} {following[0]}, expected {expected}")
        elif word == "score":
            if len(following) < 2 or following[0] not in _SCORES or not _INTEGER.fullmatch(following[1]):
                score = quoted(" ".join(following[:2]))
                yield Offence("info-form", text, f"score {score}, expected 'cp N' or 'mate N'")
        elif word == "wdl":
            chances = [int(each) for each in following if _INTEGER.fullmatch(each)]
            if len(chances) != 3:
                yield Offence("info-form", text, "no three integers after wdl")
            elif min(chances) < 0 or sum(chances) != _PER_MILLE:
                yield Offence("info-range", text, f"wdl {' '.join(following)}, expected a sum of {_PER_MILLE}")


def _judge_variation(game: Game, text: str, variation: Sequence[str], score: Score) -> Offence | None:
    """Return what is wrong with a variation and its mate score."""
    ahead = game.copy()
    for number, move_text in enumerate(variation, start=1):
        if (outcome := ahead.outcome()) is not None:
            problem = f"move {number}, {quoted(move_text)}, follows the end of the game ({outcome.reason})"
            return Offence("pv-past-end", text, problem)
        try:
            ahead.push(ahead.position.parse_move(move_text))
        except LatronesError:
            if number == len(variation) and len(text) >= MAX_INFO:
                return None  # the line was cut inside of this move
            return Offence("pv-illegal", text, f"move {number}, {quoted(move_text)}, is not legal")
    problem = "" if score.mate is None or score.bound else _mate_problem(game, ahead, score.mate, len(variation))
    return Offence("pv-mate", text, problem) if problem else None


def _mate_problem(game: Game, ahead: Game, mate: int, plies: int) -> str:
    """Return what contradicts an exact mate score; ``ahead`` is the game with the variation of so many plies."""
    side = game.position.side
    winner = side if mate > 0 else 1 - side
    most = 2 * mate if mate > 0 else 1 - 2 * mate
    outcome = ahead.outcome()
    if outcome is not None and outcome.winner != winner:
        return f"mate {mate}, but the pv ends otherwise ({outcome.reason})"
    if plies > most:
        return f"mate {mate}, but the pv has {counted(plies, 'ply', 'plies')}"
    if mate == 1 and plies:
        after = game.copy()
        after.push(ahead.moves[len(game.moves)])
        if after.outcome() is None and not _all_moves_end(after, winner):
            return "mate 1, but the first move of the pv does not win"
    if mate == 0 and not _all_moves_end(game, winner):
        return "mate 0, but a legal move does not lose"
    return ""


def _all_moves_end(game: Game, winner: int) -> bool:
    for move in game.legal_moves():
        after = game.copy()
        after.push(move)
        outcome = after.outcome()
        if outcome is None or outcome.winner != winner:
            return False
    return True


def _judge_answer(game: Game, line: str, best: BestMove) -> Iterator[Offence]:
    """Compare an answer with the last line of rank 1, and look at the reply that it names."""
    try:
        move = read_move(game.position, best.move)
        info = parse_ranked_line(line)
        if info is not None and move != info.pv[0]:
            yield Offence("pv-bestmove", line, f"bestmove {quoted(best.move)} is not the first move of the last pv")
    except LatronesError:
        return  # the game is lost by this move
    if move != best.move:
        yield Offence("move-form", best.move)
    if best.ponder is not None:
        after = game.copy()
        after.push(move)
        try:
            after.push(best.ponder)
        except LatronesError:
            yield Offence("ponder-move", f"bestmove {best.move} ponder {best.ponder}", "the reply is not legal")
