"""The ``option`` lines of a handshake, read strictly."""

import re
from dataclasses import dataclass

from latrones_uci.game import Game, LatronesError, quoted

_KINDS = ("check", "spin", "combo", "button", "string")
_FIELDS = ("type", "default", "min", "max", "var")
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class StrictOption:
    """An option as it is declared.

    Attributes:
        name: its name.
        kind: ``check``, ``spin``, ``combo``, ``button`` or ``string``.
        values: each of ``default``, ``min``, ``max`` that is declared, as text.
        choices: the values of a combo.
    """

    name: str
    kind: str
    values: dict[str, str]
    choices: tuple[str, ...]


class OptionLineError(ValueError):
    """An option line that is malformed or contradicts itself; the message says how."""


def parse_strict_option(line: str) -> StrictOption:
    """Reads an ``option`` line.

    Raises:
        OptionLineError: it is not as the protocol wants it.
    """
    words = line.split()
    if words[:2] != ["option", "name"]:
        raise OptionLineError("does not begin with 'option name'")
    if "type" not in words:
        raise OptionLineError("has no type")
    at = words.index("type")
    name, kind = " ".join(words[2:at]), " ".join(words[at + 1:at + 2])
    if not name:
        raise OptionLineError("has no name")
    if kind not in _KINDS:
        raise OptionLineError(f"is of type {kind!r}, not one of {', '.join(_KINDS)}")
    fields: list[tuple[str, list[str]]] = []
    for word in words[at + 2:]:  # 'default default': a word behind a field without a value is its value
        if word in _FIELDS and (not fields or fields[-1][1] or word == "var"):
            fields.append((word, []))
        elif not fields:
            raise OptionLineError(f"has {word!r} behind its type")
        else:
            fields[-1][1].append(word)
    choices = tuple(" ".join(value) for key, value in fields if key == "var")
    values = {key: " ".join(value) for key, value in fields if key != "var"}
    if len(values) + len(choices) != len(fields):
        raise OptionLineError("says something twice")
    option = StrictOption(name, kind, values, choices)
    _judge(option)
    return option


def _judge(option: StrictOption) -> None:
    values = option.values
    allowed = {"spin": {"default", "min", "max"}, "button": set()}.get(option.kind, {"default"})
    if excess := set(values) - allowed:
        raise OptionLineError(f"is a {option.kind} with {', '.join(sorted(excess))}")
    if missing := allowed - set(values):
        raise OptionLineError(f"is a {option.kind} without {', '.join(sorted(missing))}")
    default = values.get("default", "")
    if option.kind == "check" and default not in ("true", "false"):
        raise OptionLineError(f"is a check with the default {default!r}")
    if option.kind == "combo" and default not in option.choices:
        raise OptionLineError(f"is a combo whose default {default!r} is no var of it")
    if option.kind == "spin":
        for key, value in values.items():
            if not _INTEGER.fullmatch(value):
                raise OptionLineError(f"has {key} {value!r}, which is no whole number")
        if not int(values["min"]) <= int(default) <= int(values["max"]):
            raise OptionLineError(f"has a default {default} that is not between min and max")


# ---------------------------------------------------------------- info lines
# The ``info`` lines of a search, read strictly.
_NUMBERS = frozenset({
    "depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "tbhits", "cpuload", "currmovenumber",
})  # fmt: skip


def find_problem(text: str, game: Game) -> str | None:
    """What is wrong with an ``info`` line about the position of a game, None if nothing is.

    Words that the protocol does not know are passed over.
    """
    words = text.split()
    for index, word in enumerate(words):
        following = words[index + 1:index + 3]
        if word in ("string", "pv"):
            return _pv_problem(words[index + 1:], game) if word == "pv" else None
        if word in _NUMBERS and not (following and _INTEGER.fullmatch(following[0])):
            return f"no number behind {word}"
        if word == "score" and not (
            len(following) == 2 and following[0] in ("cp", "mate") and _INTEGER.fullmatch(following[1])
        ):
            return f"the score {quoted(' '.join(following))} is neither 'cp N' nor 'mate N'"
    return None


def _pv_problem(moves: list[str], game: Game) -> str | None:
    if not moves:
        return "an empty line of play"
    position = game.position
    for move in moves:
        try:
            position = position.play(position.parse_move(move))
        except LatronesError as error:
            return str(error)
    return None
