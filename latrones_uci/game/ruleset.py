"""A ruleset as data: one field per rule."""

import dataclasses
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
    """A field of a ruleset with its documentation; without a default the key must be given."""
    return field(default=default, metadata={"help": " ".join(text.split())})


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """Everything that tells one game of the family from another.

    Each field carries its documentation (``documentation``), from which the table in docs/variants.md
    is made. What combines with what is told by ``combinations``.
    """

    name: str
    title: str = rule("One line for people.")
    source: str = rule("Who described these rules, and where; what was chosen where the source is silent.")
    board: Literal["grid", "wheel"] = rule(
        "The squares and their neighbours: `grid`, or the `wheel` of rota, whose other mechanics are fixed.", "grid")
    default_size: Size = rule("Files x ranks of the usual board, such as `8x8`.")
    min_size: Size = rule("Least files x ranks.", (4, 4))
    max_size: Size = rule("Most files x ranks.", (MAX_SIDE, MAX_SIDE))

    min_squares: int = rule("Least number of squares.", 0)

    setup: Literal["ranks", "placement"] = rule("The men stand in `ranks` at first, or are placed by the players.")
    soldier_ranks: int = rule("`setup` ranks: how many ranks of soldiers each side has, 1 or 2.", 0)
    dux: Literal["none", "front", "first_rank", "hand"] = rule(
        """Where the dux is at first: `front`, in front of the soldiers on the right-hand middle file as its owner sees
        it; `first_rank`, on that file of the first rank in place of a soldier; `hand`, placed after the soldiers.""",
        "none")
    hand: int = rule("`setup` placement: how many soldiers each side places, 1 to 99.", 0)
    placement_turn: int = rule(
        """Soldiers placed in a turn, 1 or 2: with 2, who has placed one goes on while it has an odd number left. When
        all soldiers are placed White places its dux, then Black.""", 1)
    barred: Literal["none", "centre"] = rule("The square on which nothing may be placed.", "none")

    soldier_move: Literal["slide", "step"] = rule(
        "`slide`: any number of empty squares along a rank or file; `step`: to an empty neighbour.")
    dux_move: Literal["none", "slide", "step"] = rule("The same for the dux; `none` without a dux.", "none")
    soldier_jump: Literal["none", "single", "chain"] = rule(
        """`single`: over one enemy next to it, in a straight line, to the empty square right behind; `chain`: one or
        more such hops, landing on no square twice nor on the first one; of more than 10,000 chains, those with the
        fewest hops. What is jumped over is not captured.""",
        "none")
    dux_jump: Literal["none", "single", "line"] = rule(
        """`single` as for soldiers; `line`: over the unbroken run of men next to it, of either side, to the first empty
        square behind.""", "none")
    jump_must_capture: bool = rule("A jump is legal only if its landing captures.", False)

    custodian: Literal["none", "one", "line"] = rule(
        """What is caught between the man that moved and another of its side, duces included: `one` enemy, or each
        soldier of an unbroken `line` of enemies (a dux in it neither breaks it nor, unless it is an ordinary man, is
        taken).""", "none")
    flanked_mover: Literal["free", "void_axis"] = rule(
        "`void_axis`: custodian captures along an axis are void when the mover has an enemy on both sides along it.",
        "free")
    corner: bool = rule(
        """An enemy in a corner is captured when both its neighbours are men of the mover, one of them the one that has
        just moved.""", False)
    enclosure: bool = rule(
        """A connected group of enemies, duces included, that touches the man that moved is captured when none of it has
        an empty neighbour.""", False)
    push_and_crush: bool = rule(
        """In the direction of travel: a friend next to where the man lands, then an enemy, then the edge or a friend:
        that enemy is captured.""", False)
    flank_attack: bool = rule(
        """In the direction of travel: a run of two or more enemies next to where the man lands, the first of them one
        that can be captured, and a friend behind the run: the first is captured.""", False)
    phalanx: bool = rule(
        """In the direction of travel: one or more friends, then an enemy; and on at least one side the squares beside
        the man that moved and those friends all hold friends: that enemy is captured.""", False)
    capture_effect: Literal["remove", "bind"] = rule(
        """`remove`: what is captured is lifted; `bind`: it is marked as bound while it stands between two free enemies,
        judged anew after each action, and may be killed in place of a move.""", "remove")
    capture_chain: Literal["none", "free", "capturing"] = rule(
        """After a leg that captured the same man may make another. `free`: a leg that does not capture ends the turn;
        `capturing`: each further leg must capture. Of more than 10,000 chains, those with the fewest legs.""", "none")
    safe_square: Literal["none", "centre"] = rule("The square on which a man is never captured.", "none")

    soldier_locks: Literal["none", "plain", "melee"] = rule(
        """A soldier next to an enemy has only offensive moves: those that capture or land next to the enemy dux.
        `melee`: it is free if every enemy next to it also has another of its side next to it.""", "none")
    dux_locks: Literal["none", "sides"] = rule(
        """`sides`: a dux next to an enemy with one side covered (by a man or the edge) moves one square, or
        offensively; with two, only offensively; with three, not at all.""", "none")

    dux_fate: Literal["none", "captured", "immobilised", "ordinary", "safe"] = rule(
        """How a dux is lost. `captured`: lifted when each of its neighbours is occupied or off the board on landing;
        `immobilised`: the game is lost when it has no empty neighbour after lifting; `ordinary`: captured like a
        soldier, and nothing more; `safe`: never.""", "none")
    blocking_own_dux: Literal["allowed", "illegal"] = rule(
        "Whether a move may leave the mover's own dux without an empty neighbour after lifting.", "allowed")

    goal: Literal["none", "line"] = rule("`line`: three in a line through the centre of the wheel wins.", "none")
    fewest_men: int = rule("A side with fewer men than this has lost; 0: never.", 0)
    men_counted: Literal["soldiers", "all"] = rule(
        "What counts as men in the endings: `all` counts the dux.", "soldiers")
    fewest_judged: Literal["always", "placed"] = rule(
        "`always`: men in hand count too; `placed`: judged once both hands are empty.", "always")
    no_move: Literal["loss", "most_men"] = rule(
        "A side to move that cannot: a `loss`, or the side with `most_men` on the board wins and equal is a draw.")
    repetition: Literal["draw", "loss"] = rule(
        "The third occurrence of a position: a `draw`, or a `loss` of the player whose move made it.")
    nocapture_limit: int = rule("Plies without a capture (or placement, or kill) at which the game ends; 0: never.")
    nocapture_result: Literal["draw", "most_men"] = rule("How it ends then.", "draw")

    def __post_init__(self) -> None:
        """Checks the type and range of every value; what combines is for ``combinations.problems``.

        Raises:
            VariantError: names game, key and value.
        """
        for each in dataclasses.fields(self):
            if (problem := self.value_problem(each.name, getattr(self, each.name))) is not None:
                raise VariantError(f"variant {quoted(self.name)}: {each.name}: {problem}")
        for low, size, high in zip(self.min_size, self.default_size, self.max_size, strict=True):
            if not MIN_SIDE <= low <= size <= high <= MAX_SIDE:
                raise VariantError(
                    f"variant {quoted(self.name)}: min_size <= default_size <= max_size does not hold"
                    f" within {MIN_SIDE}..{MAX_SIDE}"
                )

    @classmethod
    def value_problem(cls, key: str, value: object) -> str | None:
        """What is wrong with a value for a key, by itself; None if nothing is."""
        hint = get_type_hints(cls)[key]
        if not _fits(value, hint):
            return f"{quoted(str(value))} is not {described(hint)}"
        if key in _RANGES and isinstance(value, int):
            least, most = _RANGES[key]
            if not least <= value <= most:
                return f"'{value}' is not within {least}..{most}"
        return None

    def check_size(self, files: int, ranks: int) -> None:
        """Raises BoardSizeError unless the game may be played on a board of that size."""
        sides = ((files, self.min_size[0], self.max_size[0]), (ranks, self.min_size[1], self.max_size[1]))
        if not all(low <= side <= high for side, low, high in sides):
            raise BoardSizeError(
                f"{self.name} is not played on a board of '{files}x{ranks}' but of"
                f" {self.min_size[0]}x{self.min_size[1]} to {self.max_size[0]}x{self.max_size[1]}"
            )
        if files * ranks < self.min_squares:
            raise BoardSizeError(f"{self.name} needs {self.min_squares} squares; '{files}x{ranks}' is too small")
        if self.has_centre and not (files % 2 and ranks % 2):
            raise BoardSizeError(f"{self.name} needs a centre square, which a board of '{files}x{ranks}' lacks")
        rows = self.soldier_ranks + (self.dux == "front")
        if ranks < 2 * rows or files * ranks - (self.barred == "centre") < 2 * (self.hand + (self.dux == "hand")):
            raise BoardSizeError(f"{self.name}: its men do not fit on a board of '{files}x{ranks}'")

    @property
    def has_centre(self) -> bool:
        """Whether a rule speaks of the centre square, which only boards with odd sides have."""
        return "centre" in (self.barred, self.safe_square)


def documentation() -> list[tuple[str, str, str, str]]:
    """For each key of a ruleset but its name: key, values, default (``required`` if there is none), meaning."""
    hints = get_type_hints(Ruleset)
    rows = []
    for each in dataclasses.fields(Ruleset):
        if each.name != "name":
            default = "required" if each.default is dataclasses.MISSING else toml_value(each.default)
            rows.append((each.name, described(hints[each.name]), default, each.metadata["help"]))
    return rows


def toml_value(value: object) -> str:
    """A value as it stands in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f'"{value[0]}x{value[1]}"'
    if isinstance(value, int):
        return str(value)
    # A text of JSON is one of TOML, but for the one control character that JSON lets stand.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _fits(value: object, hint: object) -> bool:
    if get_origin(hint) is Literal:
        return type(value) is str and value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and len(value) == 2 and all(type(side) is int for side in value)
    return type(value) is hint


def described(hint: object) -> str:
    """What a type allows, in words."""
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(get_args(hint))
    names = {bool: "true or false", int: "a whole number", str: "a text"}
    return "a size such as 8x8" if get_origin(hint) is tuple else names[hint]  # type: ignore[index]
