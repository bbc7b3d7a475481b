"""Declare fields of dataclasses that are options of the command line: ``commands`` makes the arguments from them."""

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, replace
from enum import Enum
from typing import Any

_KEY = "option"


@dataclass(frozen=True)
class CommandOption:
    """How a field is given on the command line. The type of the field determines how its value is read."""

    flag: str
    """The option, with its dashes."""
    help: str
    """What it does, without the default."""
    settings: Mapping[str, Any]
    """More arguments of ``argparse.ArgumentParser.add_argument``, instead of those by the type of the field."""
    default: str | None = None
    """The default for the help text, empty to leave it out; None for that of the field, if it is a number, a string or
    an enum."""
    least: int | None = None
    """The minimum of an integer, None for any integer."""
    convert: Callable[[Any], Any] | None = None
    """Makes the value from the string or strings of the option, and raises ``SettingsError`` if they are malformed;
    None to make it by the type of the field."""

    @property
    def attribute(self) -> str:
        """The name in the namespace of parsed arguments."""
        return self.flag.lstrip("-").replace("-", "_")


def option(
    flag: str, help: str, *, shown: str | None = None, least: int | None = None,
    convert: Callable[[Any], Any] | None = None, **settings: Any,
) -> Mapping[str, CommandOption]:
    """Return the metadata of a field that is an option; ``shown`` is the default for the help text."""
    return {_KEY: CommandOption(flag, help, settings, shown, least, convert)}


def options_of(kind: Any) -> dict[str, CommandOption]:
    """Return the options among the fields of a dataclass or of an instance, by the names of the fields."""
    return {each.name: _complete(each.metadata[_KEY], each) for each in fields(kind) if _KEY in each.metadata}


def _complete(declared: CommandOption, of: "Field[Any]") -> CommandOption:
    if declared.default is not None:
        return declared
    plain = of.default.value if isinstance(of.default, Enum) else of.default
    if isinstance(plain, (int, float)) and not isinstance(plain, bool):
        return replace(declared, default=f"{plain:g}")
    return replace(declared, default=plain if isinstance(plain, str) else "")
