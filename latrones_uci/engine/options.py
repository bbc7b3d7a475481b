"""The engine's options, declared once: listed, checked and applied from the table here."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from latrones_uci.engine.backend import BACKENDS
from latrones_uci.engine.errors import OptionError
from latrones_uci.game import LatronesError, parse_board_size, quoted

Value = bool | int | str
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
DEFAULT_SIZE = "default"


@dataclass(frozen=True)
class Option:
    """An option of the engine.

    Attributes:
        name: as listed; found in any case.
        kind: the type word of the protocol.
        default: value at the start; None for a button.
        help: what it does, one sentence or two.
        minimum, maximum: of a spin.
        choices: of a combo.
    """

    name: str
    kind: Literal["check", "spin", "combo", "string", "button"]
    default: Value | None
    help: str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()

    def parse(self, text: str | None) -> Value:
        """Reads a value; a button takes none.

        Raises:
            OptionError: not a value of this option.
        """
        if self.kind == "button":
            if text is not None:
                raise OptionError(f"option {self.name} is a button and takes no value, not {quoted(text)}")
            return True
        if text is None:
            raise OptionError(f"option {self.name} needs a value")
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise OptionError(f"option {self.name} takes true or false, not {quoted(text)}")
            return text.lower() == "true"
        if self.kind == "spin":
            if not _NUMBER.fullmatch(text) or not self.minimum <= int(text) <= self.maximum:
                raise OptionError(f"option {self.name} takes {self.minimum}..{self.maximum}, not {quoted(text)}")
            return int(text)
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            raise OptionError(f"option {self.name} takes one of {', '.join(self.choices)}, not {quoted(text)}")
        return "" if text == "<empty>" else text


def declared(variants: Iterable[str]) -> dict[str, Option]:
    """The table: every option by its name in lower case; ``variants`` are the games known."""
    options = (
        Option("UCI_Variant", "combo", "latrones",
               "The game. A change sets the position to the start of the game.", choices=tuple(variants)),
        Option("BoardSize", "string", DEFAULT_SIZE,
               "Files x ranks of `startpos`, such as `12x8`, or `default` for the game's usual board."
               " A change sets the position to the start."),
        Option("VariantPath", "string", "",
               "A TOML file with more games, added to `UCI_Variant`; a file with an error changes nothing."),
        Option("Hash", "spin", 16,
               "Size of the transposition table, in megabytes of 2^20 bytes; all of it is taken at once.",
               minimum=1, maximum=65536),
        Option("Clear Hash", "button", None, "Empties the transposition table."),
        Option("Threads", "spin", 1, "Search threads of the native kernel; the Python kernel has one.",
               minimum=1, maximum=256),
        Option("MultiPV", "spin", 1, "Number of best lines to search and report.", minimum=1, maximum=256),
        Option("Ponder", "check", False,
               "Tells the engine that `go ponder` may be used; it changes nothing in how it plays."),
        Option("Move Overhead", "spin", 20,
               "Milliseconds lost between engine and clock, per move; eight times as much is kept in reserve.",
               minimum=0, maximum=5000),
        Option("UCI_AnalyseMode", "check", False, "Accepted; analysis and play are searched alike."),
        Option("Backend", "combo", "auto",
               "The kernel: `python`, `native` where it is compiled, `auto` the faster of those there are.",
               choices=BACKENDS),
    )
    return {option.name.lower(): option for option in options}


def parse_size_option(text: str) -> tuple[int, int] | None:
    """Reads a value of ``BoardSize``; None for the game's default.

    Raises:
        OptionError: neither ``default`` nor a size.
    """
    if text.lower() == DEFAULT_SIZE:
        return None
    try:
        return parse_board_size(text)
    except LatronesError as error:
        raise OptionError(f"option BoardSize: {error}") from None
