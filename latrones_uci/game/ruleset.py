"""A ruleset as data: one field per rule."""

import dataclasses
import functools
import json
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

from latrones_uci.game.errors import BoardSizeError, VariantError, quoted
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE

Size = tuple[int, int]


_RANGES = {
    "min_squares": (0, 256), "soldier_ranks": (0, 2), "hand": (0, 99), "placement_turn": (1, 2), "fewest_men": (0, 99),
    "nocapture_limit": (0, 9999),
}


def rule(text: str, default: Any = dataclasses.MISSING) -> Any:
    """Return a field with its documentation; without a default the key is required."""
    return field(default=default, metadata={"help": " ".join(text.split())})


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """The rules of one game.

    Each field has its documentation (see ``documentation``), from which the table in docs/variants.md
    is generated. ``combinations`` defines which values can be combined.
    """

    name: str
    title: str = rule("Title, one line.")
    source: str = rule("Source of the rules, and the choices made where the source is silent.")
    board: Literal["grid", "wheel"] = rule(
        "The squares and their neighbours: `grid`, or the `wheel` of rota, whose other mechanics are fixed.", "grid")
    default_size: Size = rule("Default board, files x ranks, such as `8x8`.")
    min_size: Size = rule("Smallest board, files x ranks.", (4, 4))
    max_size: Size = rule("Largest board, files x ranks.", (MAX_SIDE, MAX_SIDE))

    min_squares: int = rule("Minimum number of squares.", 0)

    setup: Literal["ranks", "placement"] = rule(
        "`ranks`: the pieces start on the first ranks of each side; `placement`: the players place them.")
    soldier_ranks: int = rule("With `setup = \"ranks\"`: ranks of soldiers for each side, 1 or 2.", 0)
    dux: Literal["none", "front", "first_rank", "hand"] = rule(
        """Where the dux starts. `front`: in front of the soldiers, on the middle file (of two, the right-hand one as
        seen by its owner); `first_rank`: on that file of the first rank, in place of a soldier; `hand`: placed after
        the soldiers.""",
        "none")
    hand: int = rule("With `setup = \"placement\"`: soldiers that each side places, 1 to 99.", 0)
    placement_turn: int = rule(
        """Soldiers placed per turn, 1 or 2. With 2, a player who has placed a soldier moves again if an odd number of
        soldiers is left in that hand. When all soldiers are placed, White places its dux, then Black.""", 1)
    barred: Literal["none", "centre"] = rule("The square on which nothing may be placed.", "none")

    soldier_move: Literal["slide", "step"] = rule(
        "`slide`: any number of empty squares along a rank or file; `step`: to an empty neighbour.")
    dux_move: Literal["none", "slide", "step"] = rule("The same for the dux; `none` if there is no dux.", "none")
    soldier_jump: Literal["none", "single", "chain"] = rule(
        """`single`: over one adjacent enemy, in a straight line, to the empty square right behind it; `chain`: one or
        more such hops, landing on no square twice and not on the first one (if there are more than 10,000 chains, only
        those with the fewest hops). A jump does not capture what it jumps over.""",
        "none")
    dux_jump: Literal["none", "single", "line"] = rule(
        """`single`: as for soldiers; `line`: over the unbroken run of pieces next to it, of either side, to the first
        empty square behind them.""", "none")
    jump_must_capture: bool = rule("A jump is legal only if its landing captures.", False)

    custodian: Literal["none", "one", "line"] = rule(
        """What is captured between the piece that moved and another piece of its side, duces included: `one` enemy, or
        each soldier of an unbroken `line` of enemies. A dux in the line does not break it, and is captured only if its
        `dux_fate` is `ordinary`.""", "none")
    flanked_mover: Literal["free", "void_axis"] = rule(
        "`void_axis`: no custodian capture along an axis on which the piece that moved has an enemy on both sides.",
        "free")
    corner: bool = rule(
        """An enemy in a corner is captured if both its neighbours are pieces of the mover, one of them the piece that
        just moved.""", False)
    enclosure: bool = rule(
        """A connected group of enemies, duces included, that touches the piece that moved is captured if no piece of it
        has an empty neighbour.""", False)
    push_and_crush: bool = rule(
        """In the direction of travel: if the landing square is followed by a friendly piece, then an enemy, then a
        friendly piece or the edge, that enemy is captured.""", False)
    flank_attack: bool = rule(
        """In the direction of travel: if the landing square is followed by a run of two or more enemies, the first of
        them one that can be captured, and then a friendly piece, the first enemy is captured.""", False)
    phalanx: bool = rule(
        """In the direction of travel: if the landing square is followed by one or more friendly pieces and then an
        enemy, and on at least one side the squares beside the piece that moved and those friendly pieces all hold
        friendly pieces, that enemy is captured.""", False)
    capture_effect: Literal["remove", "bind"] = rule(
        """`remove`: captured pieces are removed; `bind`: a captured piece is marked as bound while it stands between
        two free enemies. The marks are updated after each action; killing a bound enemy is a turn.""", "remove")
    capture_chain: Literal["none", "free", "capturing"] = rule(
        """After a leg that captured, the same piece may make another. `free`: a leg that does not capture ends the
        turn; `capturing`: each further leg must capture. If there are more than 10,000 chains, only those with the
        fewest legs are legal.""", "none")
    safe_square: Literal["none", "centre"] = rule("The square on which a piece is never captured.", "none")

    soldier_locks: Literal["none", "plain", "melee"] = rule(
        """A soldier next to an enemy may only make offensive moves: those that capture or land next to the enemy dux.
        `plain`: always; `melee`: not if every enemy next to it also has another piece of the soldier's side next to
        it.""", "none")
    dux_locks: Literal["none", "sides"] = rule(
        """`sides`: a dux next to an enemy is limited by its covered sides (by a piece or the edge). One: it moves one
        square, or offensively; two: only offensively; three: not at all.""", "none")

    dux_fate: Literal["none", "captured", "immobilised", "ordinary", "safe"] = rule(
        """How a dux is lost. `captured`: when each of its neighbours is occupied or off the board on landing;
        `immobilised`: when it has no empty neighbour after captured pieces are removed, which loses the game;
        `ordinary`: captured like a soldier, without further effect; `safe`: never.""", "none")
    blocking_own_dux: Literal["allowed", "illegal"] = rule(
        """Whether a move may leave the mover's own dux without an empty neighbour, after captured pieces are
        removed.""", "allowed")

    goal: Literal["none", "line"] = rule("`line`: three in a line through the centre of the wheel win.", "none")
    fewest_men: int = rule("A side with fewer pieces than this has lost; 0: never.", 0)
    men_counted: Literal["soldiers", "all"] = rule(
        "The pieces that count in the endings: `soldiers` only, or `all`, the dux included.", "soldiers")
    fewest_judged: Literal["always", "placed"] = rule(
        "When `fewest_men` is tested. `always`: pieces in hand count too; `placed`: only when both hands are empty.",
        "always")
    no_move: Literal["loss", "most_men"] = rule(
        """Result when the side to move has no legal move. `loss`: it loses; `most_men`: the side with more pieces on
        the board wins, equal numbers are a draw.""")
    repetition: Literal["draw", "loss"] = rule(
        "Result of the third occurrence of a position: a `draw`, or a `loss` for the player whose move made it.")
    nocapture_limit: int = rule("Plies without a capture, placement or kill after which the game ends; 0: never.")
    nocapture_result: Literal["draw", "most_men"] = rule(
        "Result at that limit: a `draw`, or `most_men` as for `no_move`.", "draw")

    def __post_init__(self) -> None:
        """Check the type and range of every value. ``combinations.problems`` checks how they combine.

        Raises:
            VariantError: a value is wrong; the message names game, key and value.
        """
        for each in dataclasses.fields(self):
            if (problem := self.value_problem(each.name, getattr(self, each.name))) is not None:
                raise VariantError(f"variant {quoted(self.name)}: {each.name}: {problem}")
        for low, size, high in zip(self.min_size, self.default_size, self.max_size, strict=True):
            if not MIN_SIDE <= low <= size <= high <= MAX_SIDE:
                raise VariantError(
                    f"variant {quoted(self.name)}: board sizes are out of order; expected"
                    f" {MIN_SIDE} <= min_size <= default_size <= max_size <= {MAX_SIDE}"
                )

    @classmethod
    def value_problem(cls, key: str, value: object) -> str | None:
        """Return what is wrong with the value of one key, or None."""
        hint = _hints()[key]
        if not _fits(value, hint):
            return f"expected {described(hint)}, not {quoted(str(value))}"
        if key in _RANGES and isinstance(value, int):
            least, most = _RANGES[key]
            if not least <= value <= most:
                return f"expected {least}..{most}, not '{value}'"
        return None

    def check_size(self, files: int, ranks: int) -> None:
        """Check that the game allows a board size.

        Raises:
            BoardSizeError: it does not; the message says why.
        """
        board = f"board size '{files}x{ranks}'"
        sides = ((files, self.min_size[0], self.max_size[0]), (ranks, self.min_size[1], self.max_size[1]))
        if not all(low <= side <= high for side, low, high in sides):
            raise BoardSizeError(
                f"{board} is not allowed in {self.name}; expected"
                f" {self.min_size[0]}x{self.min_size[1]} to {self.max_size[0]}x{self.max_size[1]}"
            )
        if files * ranks < self.min_squares:
            raise BoardSizeError(f"{board} is too small for {self.name}; expected at least {self.min_squares} squares")
        if self.has_centre and not (files % 2 and ranks % 2):
            raise BoardSizeError(f"{board} has no centre square, which {self.name} needs; expected odd sides")
        rows = self.soldier_ranks + (self.dux == "front")
        if ranks < 2 * rows or files * ranks - (self.barred == "centre") < 2 * (self.hand + (self.dux == "hand")):
            raise BoardSizeError(f"{board} is too small for the pieces of {self.name}")

    @property
    def has_centre(self) -> bool:
        """Whether a rule refers to the centre square, which only boards with odd sides have."""
        return "centre" in (self.barred, self.safe_square)


def documentation() -> list[tuple[str, str, str, str]]:
    """Return key, values, default (``required`` if there is none) and meaning of each key except the name."""
    hints = _hints()
    rows = []
    for each in dataclasses.fields(Ruleset):
        if each.name != "name":
            default = "required" if each.default is dataclasses.MISSING else toml_value(each.default)
            rows.append((each.name, described(hints[each.name]), default, each.metadata["help"]))
    return rows


def toml_value(value: object) -> str:
    """Return a value in TOML syntax."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f'"{value[0]}x{value[1]}"'
    if isinstance(value, int):
        return str(value)
    # A JSON string is a TOML string, except that JSON leaves the control character U+007F unescaped.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


@functools.cache
def _hints() -> dict[str, Any]:
    """Return the types of the keys; resolving them takes longer than all the checks."""
    return get_type_hints(Ruleset)


def _fits(value: object, hint: object) -> bool:
    if get_origin(hint) is Literal:
        return type(value) is str and value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and len(value) == 2 and all(type(side) is int for side in value)
    return type(value) is hint


def described(hint: object) -> str:
    """Return the values that a type allows, in words."""
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(get_args(hint))
    names = {bool: "true or false", int: "an integer", str: "a string"}
    return "a size such as 8x8" if get_origin(hint) is tuple else names[hint]  # type: ignore[index]
