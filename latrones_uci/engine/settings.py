"""The values of the options, and the games known."""

from collections.abc import Mapping

from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.options import DEFAULT_SIZE, Option, Value, declared, parse_size_option
from latrones_uci.game import (
    BoardSizeError,
    Position,
    Ruleset,
    VariantError,
    builtin_variants,
    load_variants,
    quoted,
)


class Settings:
    """What the options are set to. A method that raises has changed nothing."""

    def __init__(self) -> None:
        """Every option at its default."""
        self._variants: Mapping[str, Ruleset] = builtin_variants()
        self._table = declared(self._variants)
        self._values: dict[str, Value] = {
            option.name: option.default for option in self._table.values() if option.default is not None
        }

    @property
    def options(self) -> list[Option]:
        """The options, as now declared."""
        return list(self._table.values())

    def find(self, name: str) -> Option:
        """The option of that name, in any case.

        Raises:
            OptionError: there is none.
        """
        option = self._table.get(name.lower())
        if option is None:
            raise OptionError(f"there is no option {quoted(name)}")
        return option

    def number(self, name: str) -> int:
        """The value of a spin."""
        return int(self._values[name])

    def put(self, option: Option, value: Value) -> None:
        """Keeps a value that needs no more than its own check."""
        self._values[option.name] = value

    # ---------------------------------------------------------------- the game

    @property
    def rulesets(self) -> Mapping[str, Ruleset]:
        """The games known, by name."""
        return self._variants

    @property
    def ruleset(self) -> Ruleset:
        """The game of ``UCI_Variant``."""
        return self._variants[str(self._values["UCI_Variant"])]

    def start(self) -> Position:
        """The start of the game, on the board of ``BoardSize``."""
        return Position.start(self.ruleset, parse_size_option(str(self._values["BoardSize"])))

    def choose_variant(self, name: str) -> str | None:
        """Changes the game; says so when its board size had to become the default one."""
        size = parse_size_option(str(self._values["BoardSize"]))
        remark = None
        try:
            if size is not None:
                self._variants[name].check_size(*size)
        except BoardSizeError as error:
            self._values["BoardSize"] = DEFAULT_SIZE
            remark = f"BoardSize set to {DEFAULT_SIZE}: {error}"
        self._values["UCI_Variant"] = name
        return remark

    def choose_board_size(self, text: str) -> None:
        """Changes the board of the start position.

        Raises:
            OptionError: not a size, or not one that the game allows.
        """
        size = parse_size_option(text)
        if size is None:
            self._values["BoardSize"] = DEFAULT_SIZE
            return
        try:
            self.ruleset.check_size(*size)
        except BoardSizeError as error:
            raise OptionError(f"option BoardSize: {error}") from None
        self._values["BoardSize"] = f"{size[0]}x{size[1]}"

    def load_variants(self, path: str) -> None:
        """Adds the games of a file to the built-in ones, in place of those of a file before; "" adds none.

        Raises:
            OptionError: the file cannot be read, has an error, or lacks the game now played.
        """
        try:
            variants = load_variants(path) if path else builtin_variants()
        except VariantError as error:
            raise OptionError(f"option VariantPath: {error}") from None
        if self.ruleset.name not in variants:
            raise OptionError(f"option VariantPath: {quoted(path)} lacks the game now played, {self.ruleset.name}")
        self._variants, self._table = variants, declared(variants)
        self._values["VariantPath"] = path
