"""Parse the output of engines: search information, options, best moves.

Parsing never raises an error: engines under test print arbitrary text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from latrones_uci.text.messages import printable
from latrones_uci.text.protocol import BestMove, Bound, Score, SearchInfo, with_checked

_is_number = re.compile(r"-?[0-9]{1,18}", re.ASCII).fullmatch
_RATINGS = re.compile(r"response ([0-9]{1,5})-([0-9]{1,5})", re.ASCII)
_PER_MILLE = 1000
_MAX_NAME = 100
_MAX_KERNEL = 200
_MAX_MOVE = 1000
_MAX_PV = 100
_NUMBER_FIELDS = {
    "depth": "depth", "seldepth": "seldepth", "nodes": "nodes", "hashfull": "hashfull", "tbhits": "tbhits",
    "time": "time_ms", "nps": "reported_nps",
}
_FIELDS = _NUMBER_FIELDS | {"score": "score", "wdl": "wdl", "pv": "pv"}
"""The fields of ``SearchInfo`` by the words that set them."""
_INFO_WORDS = frozenset({*_NUMBER_FIELDS, "score", "wdl", "pv", "string", "currmove", "multipv"})
_BOUNDS: dict[str, Bound] = {"lowerbound": "lower", "upperbound": "upper"}
_KNOWN_WORDS = frozenset(
    {"bestmove", "copyprotection", "id", "info", "option", "readyok", "registration", "response", "uciok", "ugiok"}
)
_OPTION_FIELDS = frozenset({"type", "default", "min", "max", "var"})
_EMPTY = ("<empty>", '""')
_INFO_STRING_ERROR = ("info", "string", "error")


@dataclass(frozen=True)
class Claims:
    """The engine's answers to ``query gameover`` and ``query result``; empty where it did not answer."""

    game_over: str
    result: str


@dataclass(frozen=True)
class OptionDeclaration:
    """An option as the engine declares it in the handshake."""

    name: str
    """As the engine writes it."""
    kind: str
    """``check``, ``spin``, ``combo``, ``button`` or ``string``."""
    choices: tuple[str, ...] = ()
    """The values of a combo."""
    default: str | int | bool | None = None
    """The value at the start: an integer of a spin, a bool of a check, else a string; None if the line has none."""
    minimum: int | None = None
    """The least value of a spin, None where the line has no integer."""
    maximum: int | None = None
    """The greatest value of a spin, likewise."""

    def expected(self, value: str) -> str:
        """Return what is expected instead of a value, such as ``an integer from 1 to 64``; empty if it is possible."""
        if self.kind == "check" and value not in ("true", "false"):
            return "true or false"
        if self.kind == "combo" and value.lower() not in map(str.lower, self.choices):
            return f"one of {', '.join(self.choices)}"
        if self.kind == "button" and value:
            return "no value, because it is a button"
        if self.kind == "spin":
            number, low, high = _integer([value], 0), self.minimum, self.maximum
            if number is None or low is not None and number < low or high is not None and number > high:
                bounds = (f" from {low}" if low is not None else "") + (f" to {high}" if high is not None else "")
                return f"an integer{bounds}"
        return ""


def parse_best_move(text: str) -> BestMove | None:
    """Parse a ``bestmove`` line; return None for any other line."""
    if "bestmove" not in text:
        return None
    words = text.split()
    if not words or words[0] != "bestmove":
        return None
    move = words[1][:_MAX_MOVE] if len(words) > 1 else ""
    return BestMove(move, words[3] if len(words) > 3 and words[2] == "ponder" else None)


def parse_id_name(text: str) -> str | None:
    """Parse ``id name ...`` into a printable name of limited length; return None for any other line."""
    return _parse_text(("id", "name"), text, _MAX_NAME)


def parse_id_author(text: str) -> str | None:
    """Parse ``id author ...`` likewise."""
    return _parse_text(("id", "author"), text, _MAX_NAME)


def parse_kernel(text: str) -> str | None:
    """Parse ``info string kernel ...``, which says what searches and why, likewise."""
    return _parse_text(("info", "string", "kernel"), text, _MAX_KERNEL)


def _parse_text(begin: tuple[str, ...], text: str, longest: int) -> str | None:
    words = text.split(maxsplit=len(begin))
    if len(words) <= len(begin) or tuple(words[:-1]) != begin:
        return None
    return printable(words[-1].rstrip()[:longest], "?")


def parse_response(text: str) -> str | None:
    """Parse ``response WORD``, the answer to a ``query``; return None for any other line."""
    words = text.split()
    return " ".join(words[1:])[:_MAX_NAME] if words[:1] == ["response"] else None


def parse_ratings(text: str) -> tuple[int, int] | None:
    """Return the range in the answer to ``query ratings``, None for any other line."""
    found = _RATINGS.fullmatch(text.strip())
    return None if found is None else (int(found[1]), int(found[2]))


def is_protocol_line(text: str) -> bool:
    """Return whether a line begins with a word of the protocol, or is blank."""
    words = text.split(maxsplit=1)
    return not words or words[0] in _KNOWN_WORDS


def parse_error_line(text: str) -> str | None:
    """Return the message of an ``info string error ...`` line, None for any other line."""
    words = text.split(maxsplit=3)
    return " ".join(words[3:]) if tuple(words[:3]) == _INFO_STRING_ERROR else None


def parse_option(text: str) -> OptionDeclaration | None:
    """Parse an ``option name ... type ...`` line; names and values may have spaces. Return None for any other line."""
    if text.split()[:2] != ["option", "name"]:
        return None
    name, fields = option_fields(text)
    values = dict(fields)
    kind = values.get("type", "string")
    choices = tuple(value for key, value in fields if key == "var")
    least, most = (_integer([values.get(key, "")], 0) if kind == "spin" else None for key in ("min", "max"))
    return OptionDeclaration(name, kind, choices, _default(kind, values.get("default")), least, most)


def option_fields(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Split an ``option name`` line into the name and the fields with their values, the type first."""
    words = text.split()[2:]
    begins = [index for index, word in enumerate(words) if word in _OPTION_FIELDS]
    begin = words.index("type") if "type" in words else next(iter(begins), len(words))
    fields: list[tuple[str, list[str]]] = []
    for word in words[begin:]:  # 'default default': a word after a field without a value is its value
        if word in _OPTION_FIELDS and (not fields or fields[-1][1] or word == "var"):
            fields.append((word, []))
        else:
            fields[-1][1].append(word)
    return " ".join(words[:begin]), [(key, " ".join(value)) for key, value in fields]


def _default(kind: str, text: str | None) -> str | int | bool | None:
    """Return the default of an option; the protocol writes an empty string as ``<empty>``."""
    if text is None or kind == "button":
        return None
    if kind == "spin":
        return _integer([text], 0)
    if kind == "check":
        return text == "true"
    return "" if text in _EMPTY else text


def option_text(value: str | int | bool) -> str:
    """Return the value of an option as the protocol writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def update_info(info: SearchInfo, text: str) -> SearchInfo:
    """Return the search information updated from an ``info`` line.

    Other lines, the lines of a MultiPV search after the first, and ``currmove`` lines, whose depth has no score yet,
    change nothing.
    """
    changes = _info_changes(text)
    return replace(info, **changes) if changes else info


def final_info(lines: Sequence[str]) -> SearchInfo:
    """Return the search information after all lines of a search: ``update_info`` for each of them, but faster.

    The last line usually says nearly all; of those before it, only lines with a word for something else are parsed.
    """
    changes: dict[str, Any] = {}
    missing = list(_FIELDS)
    for line in reversed(lines):
        for word in missing:
            if word in line:
                changes = _info_changes(line) | changes
                missing = [word for word in missing if _FIELDS[word] not in changes]
                break
        if not missing:
            break
    return with_checked(SearchInfo, changes)


def _info_changes(text: str) -> dict[str, Any]:
    """Return the fields of ``SearchInfo`` that a line sets."""
    words = text.split()
    changes: dict[str, Any] = {}
    if not words or words[0] != "info":
        return changes
    for index, word in enumerate(words, start=1):
        if word not in _INFO_WORDS:
            continue
        if field := _NUMBER_FIELDS.get(word):
            if (value := _integer(words, index)) is not None and value >= 0:
                changes[field] = value
                if word == "nodes" and "reported_nps" not in changes:
                    changes["reported_nps"] = None  # that of an earlier line belongs to its nodes
        elif word == "score":
            if (score := _score(words, index)) is not None:
                changes["score"] = score
                if "wdl" not in changes:
                    changes["wdl"] = None  # that of an earlier line belongs to its score
        elif word == "wdl":
            if (chances := _chances(words[index : index + 3])) is not None:
                changes["wdl"] = chances
        elif word == "pv":
            changes["pv"] = tuple(words[index : index + _MAX_PV])
            break
        elif word == "string":
            break
        elif word == "currmove" or words[index : index + 1] != ["1"]:  # multipv
            return {}
    return changes


def parse_ranked_line(text: str) -> SearchInfo | None:
    """Parse an ``info`` line with a variation, of any rank in a MultiPV search.

    Returns:
        The search information, its ``multipv`` the rank from 1; None for any other line.
    """
    head, _, variation = text.partition(" pv ")
    words = head.split()
    if words[:1] != ["info"] or not variation.strip() or "string" in words or "currmove" in words:
        return None
    at = words.index("multipv") if "multipv" in words else len(words)
    rank = _integer(words, at + 1) or 1
    return update_info(SearchInfo(multipv=rank), " ".join([*words[:at], *words[at + 2 :], "pv", variation]))


def _score(words: list[str], index: int) -> Score | None:
    value = _integer(words, index + 1)
    if value is None or words[index] not in ("cp", "mate"):
        return None
    bound = _BOUNDS.get(words[index + 2], "") if len(words) > index + 2 else ""
    return with_checked(Score, {words[index]: value, "bound": bound})


def _chances(words: list[str]) -> tuple[int, int, int] | None:
    numbers = tuple(_integer(words, index) for index in range(3))
    win, draw, loss = numbers
    if win is None or draw is None or loss is None or min(win, draw, loss) < 0 or win + draw + loss != _PER_MILLE:
        return None
    return win, draw, loss


def _integer(words: list[str], index: int) -> int | None:
    return int(words[index]) if index < len(words) and _is_number(words[index]) else None
