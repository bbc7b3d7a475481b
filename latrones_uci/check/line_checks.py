"""A strict parser for ``option`` lines."""

import re
from dataclasses import dataclass

_KINDS = ("check", "spin", "combo", "button", "string")
_FIELDS = ("type", "default", "min", "max", "var")
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class StrictOption:
    """A declared option.

    Attributes:
        name: its name.
        kind: ``check``, ``spin``, ``combo``, ``button`` or ``string``.
        values: those of ``default``, ``min`` and ``max`` that are declared, as text.
        choices: the values of a combo.
    """

    name: str
    kind: str
    values: dict[str, str]
    choices: tuple[str, ...]


class OptionLineError(ValueError):
    """An option line that is malformed or inconsistent; the message continues a sentence that starts with the line."""


def parse_strict_option(line: str) -> StrictOption:
    """Read an ``option`` line.

    Raises:
        OptionLineError: the line does not follow the protocol.
    """
    words = line.split()
    if words[:2] != ["option", "name"]:
        raise OptionLineError("does not start with 'option name'")
    if "type" not in words:
        raise OptionLineError("has no type")
    at = words.index("type")
    name, kind = " ".join(words[2:at]), " ".join(words[at + 1:at + 2])
    if not name:
        raise OptionLineError("has no name")
    if kind not in _KINDS:
        raise OptionLineError(f"has the type {kind!r}; expected one of {', '.join(_KINDS)}")
    fields: list[tuple[str, list[str]]] = []
    for word in words[at + 2:]:  # 'default default': a word after a field without a value is its value
        if word in _FIELDS and (not fields or fields[-1][1] or word == "var"):
            fields.append((word, []))
        elif not fields:
            raise OptionLineError(f"has an unexpected {word!r} after its type")
        else:
            fields[-1][1].append(word)
    choices = tuple(" ".join(value) for key, value in fields if key == "var")
    values = {key: " ".join(value) for key, value in fields if key != "var"}
    if len(values) + len(choices) != len(fields):
        raise OptionLineError("has a duplicate field")
    option = StrictOption(name, kind, values, choices)
    _check_values(option)
    return option


def _check_values(option: StrictOption) -> None:
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
        raise OptionLineError(f"is a combo whose default {default!r} is not one of its vars")
    if option.kind == "spin":
        for key, value in values.items():
            if not _INTEGER.fullmatch(value):
                raise OptionLineError(f"has {key} {value!r}; expected an integer")
        if not int(values["min"]) <= int(default) <= int(values["max"]):
            raise OptionLineError(f"has the default {default}, which is not between min and max")
