"""The settings of a tournament, presets of its sequential test, and their TOML file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TIME_CONTROL_KEYS
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file
from latrones_uci.records.plan import Format, Plan
from latrones_uci.records.serialize import deserialize, parse_words, serialize
from latrones_uci.stats import Sprt
from latrones_uci.stats.spsa import Spsa
from latrones_uci.text.files import read_text_file, write_whole
from latrones_uci.text.messages import printable, quoted, reason
from latrones_uci.text.option import option, options_of
from latrones_uci.text.toml import parse_toml, render_toml


@dataclass(frozen=True)
class ScreenSettings:
    """The settings of the opening screen.

    Raises:
        SettingsError: ``least_centi`` is larger than ``most_centi``.
    """

    engine: EngineSettings
    """The engine and its search limits. With only a depth or node limit, the result is reproducible."""
    most_centi: int = 150
    """The largest accepted score of either side, in centi-soldiers."""
    least_centi: int = 0
    """The smallest accepted advantage of either side, in centi-soldiers."""

    def __post_init__(self) -> None:
        """Validate the range."""
        if self.least_centi > self.most_centi:
            raise SettingsError(f"{quoted(self.score_word)}: expected the smaller score first")

    @property
    def score_word(self) -> str:
        """The range as a key: ``score=150``, or ``score=200..300``."""
        return f"score={self.least_centi}..{self.most_centi}" if self.least_centi else f"score={self.most_centi}"


_DEFAULT_LIMIT = "nodes=20000"
OWN_SCREEN = ScreenSettings(parse_engine([], [_DEFAULT_LIMIT], OWN_ENGINE))
"""The screen by this project's engine."""

_SCORE = "score="
_RANGE = re.compile(r"(?:([0-9]{1,9})\.\.)?([0-9]{1,9})", re.ASCII)


def parse_screen(words: Sequence[str], most_centi: int = ScreenSettings.most_centi) -> ScreenSettings:
    """Parse ``COMMAND [st=...] [depth=...] [nodes=...] [score=[CENTI..]CENTI] [option.X=...]``.

    The first word is the command, also as ``cmd=COMMAND``. The others are keys of an engine, and ``score``, the largest
    accepted score or the range of accepted scores, of either side (default: ``most_centi``). The default search limit
    is 20000 nodes.

    Raises:
        SettingsError: see ``parse_engine``; or there is a time control with a clock, or a malformed score.
    """
    command = f"cmd={words[0].removeprefix('cmd=')}"
    scores = [word for word in words[1:] if word.startswith(_SCORE)]
    others = [word for word in words[1:] if word not in scores]
    limited = any(word.partition("=")[0] in TIME_CONTROL_KEYS for word in others)
    engine = parse_engine([command, *others], [] if limited else [_DEFAULT_LIMIT], more_keys=("score",))
    if engine.control.base_ms is not None or engine.control.unlimited:
        control = quoted(engine.control.to_text())
        raise SettingsError(f"{control}: expected st=, depth= or nodes= for the opening screen")
    if len(scores) > 1:
        raise SettingsError(f"{quoted(scores[1])}: duplicate key 'score'")
    least, most = _score_range(scores[0]) if scores else (0, most_centi)
    return ScreenSettings(engine, most, least)


def _score_range(word: str) -> tuple[int, int]:
    found = _RANGE.fullmatch(word.removeprefix(_SCORE))
    if found is None:
        raise SettingsError(f"{quoted(word)}: expected a score in centi-soldiers, an integer from 0, or a range such as"
                            " 200..300")
    return int(found[1] or 0), int(found[2])


Order = Literal["sequential", "random"]


@dataclass(frozen=True)
class BookSettings:
    """How the openings of a file are used.

    Raises:
        SettingsError: a number is too small.
    """

    plies: int | None = None
    """The number of plies after which the moves of each line or game are cut, None to play all of them."""
    order: Order = "sequential"
    """``sequential``, in the order of the file, or ``random``, shuffled by the seed of the match."""
    start: int = 1
    """The first opening to use, from 1, in that order; those before it come last."""

    def __post_init__(self) -> None:
        if self.plies is not None and self.plies < 0:
            raise SettingsError(f"plies={self.plies}: expected an integer from 0")
        if self.start < 1:
            raise SettingsError(f"start={self.start}: expected an integer from 1")


AUTO = "auto"
"""The name of the openings that tell engines apart in the fewest games."""


def check_least(rule: object, **least: int | None) -> None:
    """Raise SettingsError if an integer is less than its minimum: that of an option, or a given one, None for none."""
    minima = {name: each.least for name, each in options_of(rule).items()} | least
    for name, minimum in minima.items():
        value = getattr(rule, name)
        if minimum is not None and value is not None and value < minimum:
            raise SettingsError(f"{name}: {value} is not an integer from {minimum}")


@dataclass(frozen=True)
class DrawRule:
    """Adjudicate a draw when the scores of both players stay near zero."""

    movenumber: int
    """The first move number at which the rule applies."""
    moves: int
    """The number of latest plies of each player that must agree."""
    score_centi: int
    """The largest absolute score, in centi-soldiers."""

    def __post_init__(self) -> None:
        check_least(self, movenumber=0, moves=1, score_centi=0)


@dataclass(frozen=True)
class ResignRule:
    """Adjudicate a resignation when a player's scores stay low."""

    moves: int
    """The number of the player's latest plies that must agree."""
    score_centi: int
    """Each score is at most minus this, in centi-soldiers."""
    two_sided: bool = True
    """Whether the opponent's latest scores must be at least plus this."""

    def __post_init__(self) -> None:
        check_least(self, moves=1, score_centi=0)


ENDLESS_PLIES = 2500
"""The plies of a game whose rules need not end it, unless a limit is set: Ludii's 1,250 turns of each player."""


@dataclass(frozen=True)
class GameLimits:
    """What the referee applies in addition to the rules."""

    margin_ms: int = field(default=0, metadata=option(
        "--time-margin", "time margin before a loss on time", least=0, metavar="MS"))
    """Time margin in milliseconds before a loss on time."""
    max_plies: int | None = field(default=None, metadata=option(
        "--max-plies", "adjudicate a draw after N plies", least=1,
        shown=f"never; {ENDLESS_PLIES} if the rules set no limit to plies without a capture"))
    """Ply limit after which an unfinished game is adjudicated as a draw; None for none, except where the rules set no
    limit to plies without a capture (``ENDLESS_PLIES``)."""
    draw: DrawRule | None = field(default=None, metadata=option(
        "--draw", "adjudicate draws by score: movenumber= moves= score_centi=", nargs="+"))
    """Rule for draws by score, None for none."""
    resign: ResignRule | None = field(default=None, metadata=option(
        "--resign", "adjudicate resignations by score: moves= score_centi= [two_sided=off]", nargs="+"))
    """Rule for resignations by score, None for none."""
    tables: str | None = field(default=None, metadata=option(
        "--tables", "adjudicate by the endgame tables in a folder, see 'latrones-uci tables'",
        convert=lambda folder: folder and str(Path(folder).resolve()), metavar="DIR"))
    """Folder of endgame tables whose values end games, None for none."""
    check_claims: bool = field(default=False, metadata=option(
        "--check-claims", "ask the engines after each ply if the game is over, and report wrong answers"))
    """Whether to ask both engines after each ply if the game is over and who won, and to record each contradiction to
    the referee as a violation. A UCI engine that does not answer ``query`` is not asked again."""

    def __post_init__(self) -> None:
        check_least(self)


EloModel = Literal["normalized", "logistic"]


@dataclass(frozen=True)
class SprtPreset:
    """A sequential probability ratio test of a new version against the previous one.

    Bounds are in normalised Elo (Van den Bergh, "Normalized Elo for chess", 2020): the length of a test then depends on
    its bounds and not on the draw rate, so that one preset suits variants as different as latrones and rota.

    By Wald's approximation (Sequential Tests of Statistical Hypotheses, 1945), a test with error probabilities of 5%
    takes about 5.3 (347 / (elo1 - elo0))^2 games on average if the true difference is one of its bounds, and
    8.7 (347 / (elo1 - elo0))^2 in the worst case, if it is in the middle: about 26,000 and 42,000 games for a width of
    5, and a ninth of that for a width of 15.
    """

    name: str
    """Its name on the command line."""
    elo0: float
    """The gain under the null hypothesis H0."""
    elo1: float
    """The gain under the alternative hypothesis H1; the test passes if H1 is accepted."""
    alpha: float
    """The probability of accepting H1 if H0 is true."""
    beta: float
    """The probability of accepting H0 if H1 is true."""
    model: EloModel
    """The Elo model of the two gains."""
    against_itself: bool
    """Whether both sides are the same version."""
    purpose: str
    """When to use the preset, for help texts."""


# Most changes gain a few Elo. A narrower test would detect smaller gains, at a cost that grows with the square.
GAINER = SprtPreset("gainer", 0, 5, 0.05, 0.05, "normalized", False, "a change that should gain strength")

# For changes of tens of Elo: it takes a ninth of the games, but fails small gains.
LARGE_GAINER = SprtPreset(
    "large-gainer", 0, 15, 0.05, 0.05, "normalized", False, "a change that should gain much strength"
)

# The mirror image of the gainer: a simplification passes unless it loses as much as a gainer has to win.
NON_REGRESSION = SprtPreset(
    "non-regression", -5, 0, 0.05, 0.05, "normalized", False, "a simplification or fix that must not lose strength"
)

# The gainer test with a known answer. It is as wide as the one for large gains, because what it detects (a favoured
# side, an overloaded machine) has a large effect, and because a check must be cheap.
CONTROL = SprtPreset(
    "control", 0, 15, 0.05, 0.05, "normalized", True,
    "a check of the setup, not a time control: a version against itself; about 19 of 20 such tests fail unless the"
    " setup favours a side",
)

PRESETS = {preset.name: preset for preset in (GAINER, LARGE_GAINER, NON_REGRESSION, CONTROL)}


def find_preset(name: str) -> SprtPreset:
    """Return the preset of a name.

    Raises:
        SettingsError: there is no such preset.
    """
    try:
        return PRESETS[name]
    except KeyError:
        raise SettingsError(f"unknown preset {quoted(name)}; expected {', '.join(PRESETS)}") from None


def parse_sprt(words: Sequence[str]) -> Sprt:
    """Parse the bounds of a test, or the name of a preset and changes to it, such as ``gainer elo1=10``.

    Raises:
        SettingsError: the preset is unknown, or the bounds are malformed.
    """
    names = [word for word in words if "=" not in word]
    if not names:
        return parse_words(Sprt, words, "--sprt")
    preset = find_preset(names[0])
    if len(names) > 1:
        raise SettingsError(f"--sprt: {quoted(names[1])}: duplicate preset; expected KEY=VALUE after {names[0]!r}")
    changes = [word for word in words if "=" in word]
    changed = {word.partition("=")[0] for word in changes}
    kept = [f"{field.name}={getattr(preset, field.name)}" for field in fields(Sprt) if field.name not in changed]
    return parse_words(Sprt, [*kept, *changes], "--sprt")


# ---------------------------------------------------------------- settings

MAX_TEST_GAMES = 200_000
"""The games of a sequential test if their number is not given: it ends by itself, and far earlier."""


@dataclass(frozen=True)
class TournamentSettings:
    """The settings of a tournament; a match has two engines."""

    engines: tuple[EngineSettings, ...]
    """At least two; in a match or gauntlet the first is the engine under test."""
    variants: tuple[VariantSettings, ...] = (VariantSettings("latrones"),)
    """The variants, played in turn."""
    variant_file: VariantFile | None = None
    format: Format = field(default=Format.MATCH, metadata=option("--format", "tournament format"))
    """The tournament format."""
    games: int = field(default=2, metadata=option(
        "--games", "number of games of each pairing", shown=f"2; with --sprt {MAX_TEST_GAMES}", least=1))
    """Games per pairing; colours are swapped after each game, the opening changes after each pair."""
    openings: str = field(default="random:4", metadata=option(
        "--openings",
        "random plies, those that tell engines apart in the fewest games (auto), the book of the package, or a file:"
        " PGN, or a FEN or moves on each line; for a book or file also plies=N order=random|sequential start=K",
        nargs="+", metavar=("random:PLIES|auto|book|FILE", "KEY=VALUE")))
    """``random:PLIES``, ``auto``, ``book`` or ``file:PATH``."""
    screen: ScreenSettings | None = field(default=None, metadata=option(
        "--screen-engine",
        "engine that rejects unbalanced random openings, with keys such as nodes=20000 score=150: search limit and"
        " largest accepted score, or a range such as score=200..300",
        shown="none", convert=parse_screen, nargs="+", metavar=("COMMAND", "KEY=VALUE")))
    """The opening screen for random openings, None for none."""
    seed: int = field(default=0, metadata=option("--seed", "random seed for openings and game order"))
    """Random seed for openings and game order."""
    concurrency: int = field(default=1, metadata=option(
        "--concurrency", "concurrent games", shown="half of the processors", least=1))
    """Number of games played at the same time."""
    limits: GameLimits = field(default_factory=GameLimits)
    """What the referee applies in addition to the rules."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    """Engine timeouts."""
    sprt: Sprt | None = field(default=None, metadata=option(
        "--sprt",
        "sequential test that ends the match: elo0= elo1= [alpha= beta= model=logistic|normalized], or a preset and"
        f" changes to it: {', '.join(PRESETS)}",
        shown="none", convert=parse_sprt, nargs="+", metavar="KEY=VALUE|PRESET"))
    """The sequential test that ends a match, None to play all games."""
    book: BookSettings = field(default_factory=BookSettings)
    """How the openings of a list are used."""
    rounds: int | None = field(default=None, metadata=option(
        "--rounds", "rounds of --format swiss",
        shown="log2 of the number of engines, rounded up", least=1))
    """Number of rounds of a Swiss tournament, None for the default: so many that one engine can win all of its games,
    and no two can."""
    tuning: Spsa | None = None
    """The options of an engine to tune, None for none. The two engines of the match are then one engine but for their
    names; the first has the values ``plus`` of each pair of games, the second ``minus``."""

    @property
    def variants_text(self) -> str:
        """The variants, separated by commas."""
        return ", ".join(variant.to_text() for variant in self.variants)

    @property
    def plan(self) -> Plan:
        """What determines the games, apart from their results."""
        return Plan(self.format, len(self.engines), len(self.variants), self.games, self.seed, self.rounds)

    def __post_init__(self) -> None:
        """Validate the settings.

        Raises:
            SettingsError: there are too few or too many engines, a number below 1, a duplicate name or variant,
                or a setting that the format does not have.
        """
        if self.format is Format.MATCH and len(self.engines) != 2:
            raise SettingsError(
                f"engines: {len(self.engines)} given; expected two, each as '--engine cmd=...'"
                " (for more engines use --format round-robin, gauntlet, swiss or knockout)"
            )
        if len(self.engines) < 2:
            raise SettingsError(f"engines: {len(self.engines)} given; expected at least two")
        if self.sprt is not None and len(self.engines) != 2:
            raise SettingsError(f"sequential test: {len(self.engines)} engines given; expected two")
        check_least(self, rounds=None)  # which has a maximum as well
        names = [engine.name for engine in self.engines if engine.name is not None]
        for what, values in (("engine name", names), ("variant", [variant.to_text() for variant in self.variants])):
            for value in values:
                if values.count(value) > 1:
                    raise SettingsError(f"duplicate {what} {quoted(value)}")
        by_tag: dict[str, str] = {}
        for name in names:
            if (other := by_tag.setdefault(printable(name, " "), name)) != name:
                raise SettingsError(f"engine names {quoted(other)} and {quoted(name)}: the same name in PGN; expected"
                                    " different printable characters")
        if self.limits.check_claims and any(engine.ponder for engine in self.engines):
            raise SettingsError("'ponder=on' cannot be combined with '--check-claims': a pondering engine is busy")
        if self.openings == AUTO and self.screen is not None:
            raise SettingsError(f"'--screen-engine' cannot be combined with '--openings {AUTO}', which has its own")
        if not self.variants:
            raise SettingsError("variants: none given; expected at least one")
        self._check_rounds()
        if self.tuning is not None:
            self._check_tuning(self.tuning)

    def _check_rounds(self) -> None:
        """Validate the settings of a Swiss tournament or a knockout."""
        form = self.format.value
        if self.rounds is not None and self.format is not Format.SWISS:
            raise SettingsError(f"rounds: {self.rounds} given for a {form}; expected --format swiss, or --games N for"
                                " the number of games per pairing (two for each opening)")
        if not self.format.in_rounds:
            return
        if self.sprt is not None:
            raise SettingsError(f"sequential test: the format is {form}; expected a match of two engines")
        if self.games % 2:
            raise SettingsError(f"games: {self.games} is odd; expected an even number for a {form}, in which each"
                                " pairing plays pairs of games with swapped colours")
        if self.format is Format.SWISS and len(self.engines) > MAX_SWISS_ENGINES:
            raise SettingsError(f"engines: {len(self.engines)} given; expected at most {MAX_SWISS_ENGINES} in a swiss")
        if self.rounds is not None and not 1 <= self.rounds <= self.plan.most_rounds:
            raise SettingsError(
                f"rounds: {self.rounds} given; expected 1 to {self.plan.most_rounds} for {len(self.engines)} engines,"
                " so that no two of them need to meet twice"
            )

    def _check_tuning(self, tuning: Spsa) -> None:
        if self.format is not Format.MATCH or self.sprt is not None:
            what = "a sequential test" if self.sprt is not None else f"the format {self.format.value}"
            raise SettingsError(f"tuning: cannot be combined with {what}; expected a plain match")
        if replace(self.engines[0], name=None) != replace(self.engines[1], name=None):
            raise SettingsError("tuning: the two engines differ; expected the same engine twice, with two names")
        if self.games % 2:
            raise SettingsError(f"games: {self.games} is odd; expected an even number, as a tuning compares pairs")
        for parameter in tuning.parameters:
            if self.engines[0].has_option(parameter.name):
                raise SettingsError(f"option {quoted(parameter.name)}: both set and tuned; expected one of them")


_VARIANT_PATH, _OUTPUTS = "variant_path", "outputs"
MAX_SETTINGS_BYTES = 4 * 2**20
MAX_SWISS_ENGINES = 500
"""The time to pair a round grows with the square of the number of engines."""


def read_configuration(path: Path) -> tuple[TournamentSettings, Any]:
    """Read a settings file in TOML.

    Returns:
        The settings, and the table ``outputs`` of the file, which is empty if it has none.

    Raises:
        SettingsError: the file cannot be read, is not TOML, or has an invalid setting; the message names the place.
    """
    try:
        data = parse_toml(read_text_file(path, MAX_SETTINGS_BYTES))
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read the settings {quoted(str(path))}: {reason(error)}") from error
    if "sprt" in data:
        data = {"games": MAX_TEST_GAMES} | data
    outputs = data.pop(_OUTPUTS, {})
    try:
        return settings_from_data(data), outputs
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error


def write_configuration(settings: TournamentSettings, path: Path, outputs: Mapping[str, Any] = {}) -> None:
    """Write a settings file for ``read_configuration``.

    ``outputs`` is plain data for its table of this name.

    Raises:
        SettingsError: the file cannot be written.
    """
    data = {"games": settings.games} | serialize(settings)
    if settings.variant_file is not None:
        del data["variant_file"]
        data = {_VARIANT_PATH: settings.variant_file.path} | data
    if outputs:
        data[_OUTPUTS] = outputs
    try:
        write_whole(path, render_toml(data))
    except OSError as error:
        raise SettingsError(f"cannot write the settings {quoted(str(path))}: {reason(error)}") from error


def settings_from_data(data: dict[str, Any]) -> TournamentSettings:
    """Return the settings of plain data; ``variant_path`` may name a variant file.

    Raises:
        SettingsError: a setting is invalid.
    """
    data = dict(data)
    if _VARIANT_PATH in data:
        data["variant_file"] = serialize(read_variant_file(str(data.pop(_VARIANT_PATH))))
    return deserialize(TournamentSettings, data)
