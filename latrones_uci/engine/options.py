"""The options of the engine, declared once in a table, and their current values."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from latrones_uci.engine import native
from latrones_uci.engine.backend import BACKENDS
from latrones_uci.engine.calibration import LEVELS, levels_of
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.events import EngineEvent, Note
from latrones_uci.engine.kernels import WEIGHT_PREFIX, flat_weights
from latrones_uci.engine.nets.find import AUTO
from latrones_uci.engine.python.evaluation import weights_of
from latrones_uci.engine.searcher import HASH_MEGABYTES, Searcher
from latrones_uci.game import (
    VARIANT_SETS,
    BoardSizeError,
    LatronesError,
    Position,
    Ruleset,
    VariantError,
    builtin_variants,
    load_variants,
    parse_board_size,
)
from latrones_uci.text.messages import quoted

Value = bool | int | str
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
DEFAULT_SIZE = "auto"
_DEFAULT_SIZES = (DEFAULT_SIZE, "default", "")
"""All values that mean the default size. ``default`` cannot be declared: clients split option lines at that word."""
FUNCTION_OPTIONS = ("UCI_Variant", "BoardSize", "VariantSet", "VariantPath", "Move Overhead")
"""The options of an engine that gets its moves from a function; all other options concern this project's search."""
_MAX_WEIGHT = 1000
_RATING_OPTIONS = frozenset({"UCI_LimitStrength", "UCI_Elo", "UCI_Variant", "VariantPath"})
MAX_RATING = 4000
"""Largest value of ``UCI_Elo``, above the highest level of every game."""


@dataclass(frozen=True)
class Option:
    """An option of the engine."""

    name: str
    """The name as listed; case does not matter when it is set."""
    kind: Literal["check", "spin", "combo", "string", "button"]
    """The type in the protocol."""
    default: Value | None
    """Initial value; None for a button."""
    help: str
    """What the option does, in one or two sentences."""
    minimum: int = 0
    maximum: int = 0
    """Range of a spin."""
    choices: tuple[str, ...] = ()
    """Values of a combo."""
    on_change: "OnChange | None" = field(default=None, compare=False, repr=False)
    """Applies a valid value and returns it as it is kept, None for no difference; or raises and changes nothing."""

    def parse(self, text: str | None) -> Value:
        """Parse a value; ``text`` is None for a button. Raises OptionError: invalid value."""
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


OnChange = Callable[["Settings", Any], Value | None]


def declared(variants: Iterable[str]) -> dict[str, Option]:
    """Return the table of options by name in lower case; ``variants`` are the known games."""
    games = tuple(variants)
    first = "latrones" if "latrones" in games or not games else games[0]
    options = (
        Option("UCI_Variant", "combo", first,
               "The game. A change sets the position to the start of the game.", choices=games,
               on_change=Settings.choose_variant),
        Option("BoardSize", "string", DEFAULT_SIZE,
               "Files x ranks of `startpos`, such as `12x8`; `auto` (or nothing, or `default`) for the game's usual"
               " board. A change sets the position to the start.", on_change=Settings.choose_board_size),
        Option("VariantSet", "combo", "core",
               "The built-in games of `UCI_Variant`: the `core` set, `ludii` for Ludii's rulesets, or `all`.",
               choices=tuple(VARIANT_SETS), on_change=Settings.choose_set),
        Option("VariantPath", "string", "",
               "A TOML file with more games, added to `UCI_Variant`; a file with an error changes nothing.",
               on_change=Settings.load_variants),
        Option("Hash", "spin", HASH_MEGABYTES,
               "Size of the transposition table, in megabytes of 2^20 bytes; allocated at once.",
               minimum=1, maximum=65536,
               on_change=lambda settings, value: settings.searcher.resize_hash(value)),
        Option("Clear Hash", "button", None, "Empties the transposition table.",
               on_change=lambda settings, value: settings.searcher.clear_hash()),
        Option("Threads", "spin", 1,
               "Number of search threads of the native kernel; the Python kernel always uses one.",
               minimum=1, maximum=256,
               on_change=lambda settings, value: settings.searcher.use_threads(value)),
        Option("TablePath", "string", "",
               "The tables of small endings: empty for those that come with the package; a folder made by `latrones-uci"
               " tables` instead of them; `off` for none.",
               on_change=lambda settings, value: settings.searcher.use_tables(value, settings.start())),
        Option("EvalFile", "string", AUTO,
               "The net that corrects the evaluation: a file made by `latrones-uci train`; `auto` for the net that"
               " comes with the package for this game and board, if there is one; `none` for the hand-written"
               " evaluation alone.",
               on_change=lambda settings, value: settings.searcher.use_net_file(value, settings.start())),
        Option("MultiPV", "spin", 1, "Number of best lines to search and report.", minimum=1, maximum=256),
        Option("Skill Level", "spin", LEVELS,
               f"Strength for play against people, from 0 (beginner) to {LEVELS} (full strength).",
               minimum=0, maximum=LEVELS),
        Option("UCI_LimitStrength", "check", False, "Play at the rating of `UCI_Elo` instead of `Skill Level`."),
        Option("UCI_Elo", "spin", 1000,
               "Rating to play at with `UCI_LimitStrength`, on a scale of each game on which random moves have 0.",
               minimum=0, maximum=MAX_RATING),
        Option("Skill Seed", "spin", 0,
               "Random seed of the errors below full strength, so that games can be repeated; 0 for another one each"
               " game.", minimum=0, maximum=999_999_999),
        Option("UCI_ShowWDL", "check", False,
               "Adds the chances of a win, a draw and a loss, per mille, to the info lines."),
        Option("Ponder", "check", False,
               "Announces that `go ponder` may be used; does not change how the engine plays."),
        Option("Move Overhead", "spin", 20,
               "Time lost between engine and clock per move, in milliseconds; eight times as much is kept in reserve.",
               minimum=0, maximum=5000),
        Option("UCI_AnalyseMode", "check", False,
               "Analysis and play use the same search; in analysis, the engine makes endgame tables in idle time."),
        Option("Backend", "combo", "auto",
               "The kernel: `python`, `native` (if compiled), or `auto` for the fastest available.",
               choices=BACKENDS, on_change=lambda settings, value: settings.searcher.use_backend(value)),
    )
    return {option.name.lower(): option for option in options}


def tunable_options() -> tuple[Option, ...]:
    """Return a spin for each tunable constant of the native search, and for each weight of the evaluation.

    A default is the value in the default game; until it is set, other games keep their own value.
    """
    def tune(name: str) -> OnChange:
        return lambda settings, value: settings.searcher.tune(name, value)

    constants = (
        Option(name, "spin", value, f"Search: {what}.", least, greatest, on_change=tune(name))
        for name, (value, _, least, greatest, what) in native.core().TUNING.items()
    )
    default_game = next(iter(builtin_variants().values()))
    weights = (
        Option(WEIGHT_PREFIX + name, "spin", value, "Evaluation: see `Weights` in `engine/python/evaluation.py`.",
               -_MAX_WEIGHT, _MAX_WEIGHT, on_change=tune(WEIGHT_PREFIX + name))
        for name, value in flat_weights(weights_of(default_game)).items()
    )
    return (*constants, *weights)


def parse_size_option(text: str) -> tuple[int, int] | None:
    """Parse a value of ``BoardSize``; return None for the default size of the game.

    Raises:
        OptionError: the text is not a size.
    """
    if text.lower() in _DEFAULT_SIZES:
        return None
    try:
        return parse_board_size(text)
    except LatronesError as error:
        raise OptionError(f"option BoardSize: {error}") from None


class Settings:
    """The current values of the options, and the known games. A method that raises changes nothing."""

    def __init__(
        self, searcher: Searcher | None = None, offered: Collection[str] | None = None, further: Sequence[Option] = (),
        emit: Callable[[EngineEvent], None] = lambda event: None,
    ) -> None:
        """Set every option to its default; without a ``searcher``, the options of the search cannot be set.

        ``offered`` are the names of the options to list and accept, None for all; ``further`` are those of
        ``tunable_options``; ``emit`` receives notes.
        """
        self._searcher, self._emit = searcher, emit
        self._offered, self._further = offered, {option.name.lower(): option for option in further}
        self._variants: Mapping[str, Ruleset] = builtin_variants()
        self._table = self._declared()
        self._values: dict[str, Value] = {
            option.name: option.default
            for option in (*declared(()).values(), *further) if option.default is not None
        }

    def _declared(self) -> dict[str, Option]:
        table = declared(self._variants)
        table = {key: option for key, option in table.items() if self._offered is None or option.name in self._offered}
        return table | self._further

    @property
    def options(self) -> list[Option]:
        return list(self._table.values())

    def find(self, name: str) -> Option:
        """Return an option by its name, ignoring case. Raises OptionError: unknown option."""
        option = self._table.get(name.lower())
        if option is None:
            raise OptionError(f"unknown option {quoted(name)}")
        return option

    @property
    def searcher(self) -> Searcher:
        assert self._searcher is not None
        return self._searcher

    def set(self, name: str, text: str | None) -> None:
        """Set an option by its name, ignoring case; ``text`` is None if no value was given.

        Raises:
            OptionError: unknown option, or invalid value.
        """
        option = self.find(name)
        value = option.parse(text)
        kept = option.on_change(self, value) if option.on_change else None
        if option.kind != "button":
            self._values[option.name] = value if kept is None else kept
        if option.name in _RATING_OPTIONS and (remark := self._rating_remark()):
            self._emit(Note(remark))

    def number(self, name: str) -> int:
        return int(self._values[name])

    def text(self, name: str) -> str:
        """Return the value of a string; empty if the option is not offered."""
        return str(self._values.get(name, ""))

    def shown(self, name: str) -> str:
        """Return the value of an option as ``setoption`` takes it; empty if it is a button or not offered."""
        value = self._values.get(name, "")
        return str(value).lower() if isinstance(value, bool) else str(value)

    def on(self, name: str) -> bool:
        return bool(self._values[name])

    def strength_in(self, ruleset: Ruleset) -> float | None:
        """Return the strength of the level to play a game at (see ``levels``), None for full strength."""
        if self.on("UCI_LimitStrength"):
            return levels_of(ruleset).strength_of_rating(self.number("UCI_Elo"))
        level = self.number("Skill Level")
        return None if level >= LEVELS else levels_of(ruleset).strengths[level]

    @property
    def ratings(self) -> tuple[int, int] | None:
        """The lowest and highest rating of the levels, None unless they were measured for this game on this board."""
        ladder, geometry = levels_of(self.ruleset), self.start().geometry
        if ladder.game != self.ruleset.name or (geometry.files, geometry.ranks) != self.ruleset.default_size:
            return None
        return round(ladder.ratings[0]), round(ladder.ratings[-1])

    def _rating_remark(self) -> str | None:
        """Return a remark if the game has no level at the rating in ``UCI_Elo``, or no ratings of its own."""
        if not self.on("UCI_LimitStrength"):
            return None
        ladder, rating, game = levels_of(self.ruleset), self.number("UCI_Elo"), self.ruleset.name
        low, high = round(ladder.ratings[0]), round(ladder.ratings[-1])
        borrowed = ladder.game != game
        own = f", with the levels of {ladder.game}" if borrowed else ""
        if low <= rating <= high and not borrowed:
            return None
        using = "" if low <= rating <= high else f"; using {min(max(rating, low), high)}"
        return f"UCI_Elo: {game} is played at {low} to {high}{own}{using}"

    # ---------------------------------------------------------------- the game

    @property
    def rulesets(self) -> Mapping[str, Ruleset]:
        return self._variants

    @property
    def ruleset(self) -> Ruleset:
        return self._variants[str(self._values["UCI_Variant"])]

    def start(self) -> Position:
        """Return the start position of the game on the board selected by ``BoardSize``."""
        return Position.start(self.ruleset, parse_size_option(str(self._values["BoardSize"])))

    def choose_variant(self, name: str) -> None:
        """Reset the board size to the default, with a note, if the new game does not allow it."""
        size = parse_size_option(str(self._values["BoardSize"]))
        try:
            if size is not None:
                self._variants[name].check_size(*size)
        except BoardSizeError as error:
            self._values["BoardSize"] = DEFAULT_SIZE
            self._emit(Note(f"BoardSize set to {DEFAULT_SIZE}: {error}"))

    def choose_board_size(self, text: str) -> str:
        """Return a size that the game allows, or ``DEFAULT_SIZE``."""
        size = parse_size_option(text)
        if size is None:
            return DEFAULT_SIZE
        try:
            self.ruleset.check_size(*size)
        except BoardSizeError as error:
            raise OptionError(f"option BoardSize: {error}") from None
        return f"{size[0]}x{size[1]}"

    def load_variants(self, path: str) -> None:
        """Replace the games of an earlier file, if any, with the games of this file; "" leaves only the built-in games.

        The file must define the current game.
        """
        try:
            variants = self._known(str(self._values["VariantSet"]), path)
        except VariantError as error:
            raise OptionError(f"option VariantPath: {error}") from None
        if self.ruleset.name not in variants:
            other = next(iter(variants))
            raise OptionError(f"option VariantPath: {quoted(path)} does not define the current game,"
                              f" {self.ruleset.name}; set UCI_Variant to another game first, such as {other}")
        self._offer(variants)

    def choose_set(self, name: str) -> None:
        """Offer another set of built-in games; change the game, with a note, if the set does not have it."""
        try:
            variants = self._known(name, str(self._values["VariantPath"]))
        except VariantError as error:
            raise OptionError(f"option VariantSet: {error}") from None
        self._offer(variants)
        game, first = str(self._values["UCI_Variant"]), next(iter(variants))
        if game not in variants:
            self._values |= {"BoardSize": DEFAULT_SIZE, "UCI_Variant": first}
            self._emit(Note(f"UCI_Variant set to {first}: the set {name} has no {game}"))

    def _offer(self, variants: Mapping[str, Ruleset]) -> None:
        self._variants = variants
        self._table = self._declared()

    @staticmethod
    def _known(variant_set: str, path: str) -> Mapping[str, Ruleset]:
        """Return the games of a set, plus the games of a file if ``path`` is not empty."""
        offered = VARIANT_SETS[variant_set]()
        return load_variants(path, offered) if path else offered
