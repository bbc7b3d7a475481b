"""A ruleset as data: one field per rule, and the conditions on how their values combine."""

import dataclasses
import functools
import re
from collections.abc import Callable, Collection, Iterator
from copy import copy
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Literal, get_args, get_origin, get_type_hints

from latrones_uci.game.errors import BoardSizeError, FenError, VariantError
from latrones_uci.game.fen import parse_board
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE
from latrones_uci.game.origins import parse_origins
from latrones_uci.text.messages import quoted
from latrones_uci.text.toml import shown_toml, toml_value

Size = tuple[int, int]

SIZE_KEYS = ("default_size", "min_size", "max_size")
RuleKind = Literal["words", "size", "start", "placement", "wheel", "play"]
"""What a field is about: words on the game that are none of its rules; the boards allowed; the pieces at the start; the
placement of pieces in hand; what only the wheel has; or anything else, the course of the game on every board."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
"""The form of the name of a variant."""
NAME_FORM = "at most 64 letters, digits, '-', '_' and '.'"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_RANGES = {
    "min_squares": (0, 256), "soldier_ranks": (0, 8), "hand": (0, 99), "placement_turn": (1, 2), "fewest_men": (0, 99),
    "nocapture_limit": (0, 9999),
}


def rule(text: str, default: Any = dataclasses.MISSING, kind: RuleKind = "play") -> Any:
    """Return a field with its documentation and its kind; without a default the key is required."""
    return field(default=default, metadata={"help": " ".join(text.split()), "kind": kind})


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """The rules of one game.

    Each field has its documentation (see ``documentation``), from which the table in docs/variants.md
    is generated. ``CONDITIONS`` below defines which values can be combined.
    """

    name: str = rule("", kind="words")
    title: str = rule("Title, one line.", kind="words")
    source: str = rule("Source of the rules, and the choices made where the source is silent.", kind="words")
    origins: str = rule(
        """Where each rule comes from, for `variants explain`: names of rules after the marks `source`, `program` and
        `ours`, such as `"source: custodian, corner; ours: no_move"` (see [Marks of rules](#marks-of-rules)). Not
        inherited from the `parent`.""", "", kind="words")
    board: Literal["grid", "wheel"] = rule(
        "The squares and their neighbours: `grid`, or the `wheel` of rota, whose other mechanics are fixed.", "grid",
        kind="wheel")
    default_size: Size = rule("Default board, files x ranks, such as `8x8`.", kind="size")
    min_size: Size = rule("Smallest board, files x ranks.", (4, 4), kind="size")
    max_size: Size = rule("Largest board, files x ranks.", (MAX_SIDE, MAX_SIDE), kind="size")

    min_squares: int = rule("Minimum number of squares.", 0, kind="size")

    setup: Literal["ranks", "placement", "start"] = rule(
        """`ranks`: the pieces start on the first ranks of each side; `placement`: the players place them; `start`: they
        start as in the key `start`.""", kind="start")
    start: str = rule(
        """With `setup = "start"`: the start position, as the board of a FEN with soldiers and duces, such as
        `"s3d/5/5/D3S"`. The sides may differ. Such a game has one board size, and at most one dux a side.""", "",
        kind="start")
    soldier_ranks: int = rule("With `setup = \"ranks\"`: ranks of soldiers for each side, 1 to 8.", 0, kind="start")
    array: Literal["full", "chequered"] = rule(
        """With `setup = "ranks"`: the soldiers fill their ranks (`full`), or stand only on the squares of the colour of
        a1 (`chequered`).""", "full", kind="start")
    dux: Literal["none", "front", "first_rank", "hand", "start"] = rule(
        """Where the dux starts. `front`: in front of the soldiers, on the middle file (of two, the right-hand one as
        seen by its owner); `first_rank`: on that file of the first rank, in place of a soldier; `hand`: placed after
        the soldiers; `start`: as in the key `start`, on both sides or on one.""",
        "none", kind="start")
    hand: int = rule("With `setup = \"placement\"`: soldiers that each side places, 1 to 99.", 0, kind="placement")
    placement_turn: int = rule(
        """Soldiers placed per turn, 1 or 2. With 2 and an odd number of soldiers, the last turn of each player places a
        single one. When all soldiers are placed, White places its dux, then Black.""", 1, kind="placement")
    barred: Literal["none", "centre", "middle"] = rule(
        """The square on which nothing may be placed: the `centre` of a board with odd sides, or the `middle` of any
        board, which is the lower and left one of two or four middle squares.""", "none", kind="placement")

    directions: Literal["orthogonal", "all"] = rule(
        """The directions of steps, `single` jumps and custodian captures: along ranks and files, or `all` eight.""",
        "orthogonal")
    soldier_move: Literal["slide", "step"] = rule(
        "`slide`: any number of empty squares along a rank or file; `step`: to an empty neighbour.")
    dux_move: Literal["none", "slide", "step"] = rule("The same for the dux; `none` if there is no dux.", "none")
    soldier_jump: Literal["none", "single", "chain"] = rule(
        """`single`: over one adjacent enemy, in a straight line, to the empty square right behind it; `chain`: one or
        more such hops, landing on no square twice and not on the first one (if there are more than 10,000 chains, only
        those with the fewest hops). A jump does not capture what it jumps over, except with
        `jump_captures`.""",
        "none")
    jump_over: Literal["enemies", "all"] = rule(
        "What `single` jumps and the hops of a `chain` go over: one enemy, or one piece of either side.", "enemies")
    dux_jump: Literal["none", "single", "line"] = rule(
        """`single`: as for soldiers; `line`: over the unbroken run of pieces next to it, of either side, to the first
        empty square behind them.""", "none")
    jump_must_capture: bool = rule("A jump is legal only if it captures.", False)
    jump_captures: bool = rule(
        "A `single` jump captures the enemy that it goes over. A dux is captured only if its `dux_fate` is `ordinary`.",
        False)
    enter_between: Literal["allowed", "illegal"] = rule(
        """Whether a piece may land between two enemies that are next to it on both sides along a rank or file.
        `illegal`: only if the landing captures or binds (see [Between two enemies](#between-two-enemies)).""",
        "allowed")

    custodian: Literal["none", "one", "line"] = rule(
        """What is captured between the piece that moved and another piece of its side, duces included: `one` enemy, or
        each soldier of an unbroken `line` of enemies. A dux in the line does not break it, and is captured only if its
        `dux_fate` is `ordinary`.""", "none")
    hostile_corners: bool = rule(
        """In custodian captures a corner square counts as a piece of the mover, whether it is empty or occupied.""",
        False)
    flanked_mover: Literal["free", "void_axis"] = rule(
        "`void_axis`: no custodian capture along an axis on which the piece that moved has an enemy on both sides.",
        "free")
    intervention: bool = rule(
        """Two enemies next to the piece that moved, on both sides of it along a rank or file, are captured. A dux
        counts as such an enemy, but is captured only if its `dux_fate` is `ordinary`.""", False)
    corner: bool = rule(
        """An enemy in a corner is captured if both its neighbours are pieces of the mover, one of them the piece that
        just moved.""", False)
    enclosure: bool = rule(
        """A connected group of enemies, duces included, that touches the piece that moved is captured if no piece of it
        has an empty neighbour. A dux that is `immobilised` or `safe` stays where it is.""", False)
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
        two free enemies. The marks are updated after each action; capturing a bound enemy is a turn.""", "remove")
    marks: Literal["judged", "kept"] = rule(
        """How bound pieces are marked with `capture_effect = "bind"`. `judged`: all marks are judged anew after each
        action; `kept`: a mark stays until a landing changes it (see [Kept marks](#kept-marks)).""", "judged")
    capture_chain: Literal["none", "free", "capturing", "forced"] = rule(
        """After a leg that captured, the same piece may make another. `free`: a leg that does not capture ends the
        turn; `capturing`: each further leg must capture; `forced`: like `free`, but the piece must go on if it can, and
        the end of such a turn counts as a ply without capture. If there are more than 10,000 chains, only those with
        the fewest legs are legal.""", "none")
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

    goal: Literal["none", "line"] = rule(
        "`line`: three in a line through the centre of the wheel win.", "none", kind="wheel")
    fewest_men: int = rule("A side with fewer pieces than this has lost; 0: never.", 0)
    men_counted: Literal["soldiers", "all"] = rule(
        "The pieces that count in the endings: `soldiers` only, or `all`, the dux included.", "soldiers")
    fewest_judged: Literal["always", "placed"] = rule(
        "When `fewest_men` is tested. `always`: pieces in hand count too; `placed`: only when both hands are empty.",
        "always", kind="placement")
    no_move: Literal["loss", "most_men", "pass"] = rule(
        """What happens when the side to move has no legal move. `loss`: it loses; `most_men`: the side with more pieces
        on the board wins; `pass`: it passes, and if both sides pass in turn, the game is drawn.""")
    repetition: Literal["draw", "loss", "illegal"] = rule(
        """The third occurrence of a position is a `draw`, or a `loss` for the player whose move made it; or a move is
        `illegal` if it makes a position again (see [Illegal repetition](#illegal-repetition)).""")
    nocapture_limit: int = rule("Turns of both players without a capture or placement that end the game; 0: never.")
    nocapture_result: Literal["draw", "most_men"] = rule(
        "Result at that limit: a `draw`, or `most_men` as for `no_move`.", "draw")
    equal_men: Literal["draw", "black"] = rule(
        "Result of `most_men` with equal numbers: a `draw`, or a win of `black`.", "draw")

    def __post_init__(self) -> None:
        """Check the type and range of every value. ``problems`` checks how they combine.

        Raises:
            VariantError: a value is wrong; the message names game, key and value.
        """
        for each in dataclasses.fields(self):
            if (problem := self.value_problem(each.name, getattr(self, each.name))) is not None:
                raise VariantError(f"variant {quoted(self.name)}: {each.name}: {problem}")
        if (disorder := size_disorder(self.min_size, self.default_size, self.max_size)) is not None:
            raise VariantError(f"variant {quoted(self.name)}: {': '.join(disorder)}")

    @classmethod
    def value_problem(cls, key: str, value: object) -> str | None:
        """Return what is wrong with the value of one key, or None."""
        kind, allowed = _checks()[key]
        right_type = type(value) is kind and (kind is not tuple or _is_size(value))
        if right_type and (allowed is None or value in allowed):
            expected = _further_condition(key, value)
            return f"expected {expected}, not {shown_toml(value)}" if expected else None
        if right_type and isinstance(allowed, range):
            return f"expected {allowed[0]}..{allowed[-1]}, not {shown_toml(value)}"
        string = "the string " * (isinstance(value, str) and kind in (bool, int))
        return f"expected {expected_value(key)}, not {string}{shown_toml(value)}"

    def check_name(self) -> None:
        """Check that the name is one of a variant.

        Raises:
            VariantError: it is not.
        """
        if not NAME.fullmatch(self.name):
            raise VariantError(f"variant {quoted(self.name)}: invalid name; expected {NAME_FORM}")

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
        if self.setup == "start" and (files, ranks) != self.default_size:
            raise BoardSizeError(f"{board} is not allowed in {self.name}; expected"
                                 f" {self.default_size[0]}x{self.default_size[1]}, the size of its start")
        if files * ranks < self.min_squares:
            raise BoardSizeError(f"{board} is too small for {self.name}; expected at least {self.min_squares} squares")
        if self.has_centre and not (files % 2 and ranks % 2):
            raise BoardSizeError(f"{board} has no centre square, which {self.name} needs; expected odd sides")
        rows = self.soldier_ranks + (self.dux == "front")
        if ranks < 2 * rows or files * ranks - (self.barred != "none") < 2 * (self.hand + (self.dux == "hand")):
            raise BoardSizeError(f"{board} is too small for the pieces of {self.name}")

    def to_toml(self) -> str:
        """Return the ruleset as an entry of a variant file, with every key."""
        self.check_name()
        plain = _BARE_KEY.fullmatch(self.name)
        lines = [f"[{self.name}]" if plain else f"[{toml_value(self.name)}]"]
        lines += [f"{each.name} = {toml_value(getattr(self, each.name))}" for each in dataclasses.fields(self)
                  if each.name not in ("name", "origins") or each.name == "origins" and self.origins]
        return "\n".join(lines) + "\n"

    @property
    def has_centre(self) -> bool:
        """Whether a rule refers to the centre square, which only boards with odd sides have."""
        return "centre" in (self.barred, self.safe_square)

    @property
    def dux_needs_open_side(self) -> bool:
        """Whether a dux is lost when it has no empty neighbour."""
        return self.dux_fate in ("captured", "immobilised")


@functools.cache
def keys_of(*kinds: RuleKind) -> frozenset[str]:
    """Return the keys of some kinds."""
    return frozenset(each.name for each in dataclasses.fields(Ruleset) if each.metadata["kind"] in kinds)


def documentation() -> list[tuple[str, str, str, str]]:
    """Return key, values, default (``required`` if there is none) and meaning of each key except the name."""
    hints = _hints()
    rows = []
    for each in dataclasses.fields(Ruleset):
        if each.name != "name":
            default = "required" if each.default is dataclasses.MISSING else toml_value(each.default)
            rows.append((each.name, described(hints[each.name]), default, each.metadata["help"]))
    return rows


def _further_condition(key: str, value: Any) -> str:
    """Return what is expected of a value of the right type that is still wrong; empty if it is right."""
    if key in SIZE_KEYS and not all(MIN_SIDE <= side <= MAX_SIDE for side in value):
        return f"{MIN_SIDE}x{MIN_SIDE} to {MAX_SIDE}x{MAX_SIDE}"
    if key == "start" and value:
        return _start_problem(value)
    if key in ("title", "source") and not value.strip():
        return "a string that is not empty"
    if key == "title" and len(value.splitlines()) > 1:
        return "one line"
    if key == "origins":
        try:
            parse_origins(value)
        except ValueError as error:
            return f'marks of rules such as "source: custodian, corner; ours: no_move" ({error})'
    return ""


START_LETTERS = "SsDd"


@functools.lru_cache(maxsize=256)
def start_pieces(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the pieces of a start position by rank and file, ``""`` for an empty square; no ranks for no start.

    Raises:
        FenError: the text is not the board of a FEN.
    """
    return parse_board(text, START_LETTERS) if text else ()


def _start_problem(text: str) -> str:
    """Return what is expected of a start position that is wrong; empty if it is right."""
    try:
        rows = start_pieces(text)
    except FenError as error:
        return f"the board of a FEN ({error})"
    if not (MIN_SIDE <= len(rows) <= MAX_SIDE and len(rows[0]) >= MIN_SIDE):
        return f"a board of {MIN_SIDE}x{MIN_SIDE} to {MAX_SIDE}x{MAX_SIDE}"
    if max(text.count("D"), text.count("d")) > 1:
        return "at most one D and one d, because a side has at most one dux"
    return "" if {*"Ss"} <= {*text.replace("D", "S").replace("d", "s")} else "pieces of both sides"


def expected_value(key: str) -> str:
    """Return the values that a key can have, in words."""
    return described(_hints()[key])


def any_value(key: str) -> Any:
    """Return a value of the right type, to stand for one that is missing or wrong; sizes allow every board."""
    kind, allowed = _checks()[key]
    if kind is tuple:
        return (MAX_SIDE, MAX_SIDE) if key == "max_size" else (MIN_SIDE, MIN_SIDE)
    if allowed is not None:
        return min(allowed)
    return "unknown" if kind is str and key not in ("start", "origins") else kind()


def size_disorder(least: Size, default: Size, largest: Size) -> tuple[str, str] | None:
    """Return a key and what is wrong if three board sizes are out of order, else None."""
    low, high = shown_toml(least), shown_toml(largest)
    if not _within(least, largest):
        return "min_size", f"{low} does not fit into max_size {high}; expected at most {high}"
    if not (_within(least, default) and _within(default, largest)):
        return "default_size", (f"{shown_toml(default)} is not between min_size and max_size;"
                                f" expected {low} to {high}")
    return None


def _within(size: Size, other: Size) -> bool:
    return size[0] <= other[0] and size[1] <= other[1]


@functools.cache
def _hints() -> dict[str, Any]:
    """Return the types of the keys; resolving them takes longer than all the checks."""
    return get_type_hints(Ruleset)


@functools.cache
def _checks() -> dict[str, tuple[type, frozenset[str] | range | None]]:
    """Return the type of each key, and the values that it allows; None for all."""
    return {key: (str, frozenset(get_args(hint))) if get_origin(hint) is Literal
            else (tuple, None) if get_origin(hint) is tuple
            else (hint, range(_RANGES[key][0], _RANGES[key][1] + 1) if key in _RANGES else None)
            for key, hint in _hints().items()}


def _is_size(value: Any) -> bool:
    return len(value) == 2 and all(type(side) is int for side in value)


def described(hint: object) -> str:
    """Return the values that a type allows, in words."""
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(get_args(hint))
    names = {bool: "true or false", int: "an integer", str: "a string"}
    return "a size such as 8x8" if get_origin(hint) is tuple else names[hint]  # type: ignore[index]


# ---------------------------------------------------------------- combinations
# A combination that violates none of these conditions is allowed; docs/variants.md repeats the table.

_CAPTURES = ("intervention", "corner", "enclosure", "push_and_crush", "flank_attack", "phalanx")
_TRAVEL = ("push_and_crush", "flank_attack", "phalanx")

# The rules of rota are fixed: on the wheel, these keys must have these values, and all others their defaults.
_WHEEL_KEYS: dict[str, object] = {
    "default_size": (3, 3), "min_size": (3, 3), "max_size": (3, 3), "setup": "placement", "hand": 3,
    "soldier_move": "step", "goal": "line", "no_move": "loss", "repetition": "draw", "nocapture_limit": 0,
}
_FREE_KEYS = {*keys_of("words"), "board", "min_squares"}
WHEEL = _WHEEL_KEYS | {each.name: each.default for each in dataclasses.fields(Ruleset)
                       if each.name not in {*_WHEEL_KEYS, *_FREE_KEYS}}


def _captures_by_place(r: Ruleset) -> bool:
    return r.custodian != "none" or r.corner or r.enclosure or r.intervention or r.jump_captures


def _travels(r: Ruleset) -> bool:
    return any(getattr(r, key) for key in _TRAVEL)


def _jumps(r: Ruleset) -> bool:
    return r.soldier_jump != "none" or r.dux_jump != "none"


def _hops(r: Ruleset) -> bool:
    return r.soldier_jump != "none" or r.dux_jump == "single"


def _start_size(r: Ruleset) -> Size:
    rows = start_pieces(r.start)
    return len(rows[0]), len(rows)


# (keys, condition in words, test of the condition)
Condition = tuple[str, str, Callable[[Ruleset], bool]]
CONDITIONS: tuple[Condition, ...] = (
    ("goal, board", "goal 'line' needs board 'wheel'", lambda r: r.goal == "none" or r.board == "wheel"),
    ("setup, soldier_ranks", "setup 'ranks' needs 1 to 8 soldier_ranks, others need 0",
     lambda r: (r.soldier_ranks > 0) == (r.setup == "ranks")),
    ("setup, start", "setup 'start' needs a start position, others need none",
     lambda r: (r.start != "") == (r.setup == "start")),
    ("start, default_size", "default_size must be the size of the start position",
     lambda r: not r.start or _start_size(r) == r.default_size),
    ("start, dux", "without a dux, start has no D and d; with one, it has a D, a d, or both",
     lambda r: not r.start or ("d" in r.start.lower()) == (r.dux != "none")),
    ("start, dux_fate", "a dux that is lost when 'captured' or 'immobilised' needs a D and a d in start",
     lambda r: not r.start or not r.dux_needs_open_side or {*"Dd"} <= {*r.start}),
    ("setup, array", "array 'chequered' needs setup 'ranks'",
     lambda r: r.array == "full" or r.setup == "ranks"),
    ("setup, hand", "setup 'placement' needs soldiers in hand, others need 0",
     lambda r: (r.hand > 0) == (r.setup == "placement")),
    ("setup, placement_turn, barred", "placement_turn and barred need setup 'placement'",
     lambda r: r.setup == "placement" or (r.placement_turn == 1 and r.barred == "none")),
    ("setup, dux", "a dux in 'hand' needs setup 'placement', one in 'start' needs 'start', any other one needs 'ranks'",
     lambda r: r.dux == "none" or {"hand": "placement", "start": "start"}.get(r.dux, "ranks") == r.setup),
    ("dux, dux_move, dux_fate", "dux_move and dux_fate are 'none' if and only if dux is 'none'",
     lambda r: (r.dux == "none") == (r.dux_move == "none") == (r.dux_fate == "none")),
    ("dux, dux_jump, dux_locks, blocking_own_dux, men_counted", "without a dux, the rules for it have their defaults",
     lambda r: r.dux != "none" or (r.dux_jump == "none" and r.dux_locks == "none"
                                   and r.blocking_own_dux == "allowed" and r.men_counted == "soldiers")),
    ("dux, dux_fate", "a dux in 'hand' must be 'ordinary' or 'safe'",
     lambda r: r.dux != "hand" or r.dux_fate in ("ordinary", "safe")),
    ("dux, blocking_own_dux", "blocking_own_dux 'illegal' needs a dux that starts on the board",
     lambda r: r.blocking_own_dux == "allowed" or r.dux != "hand"),
    ("soldier_jump, capture_effect", "soldier_jump 'chain' needs capture_effect 'bind'",
     lambda r: r.soldier_jump != "chain" or r.capture_effect == "bind"),
    ("soldier_jump, soldier_move", "soldiers that jump must 'step'",
     lambda r: r.soldier_jump == "none" or r.soldier_move == "step"),
    ("dux_jump, dux_move", "a dux with 'single' jumps must 'step'",
     lambda r: r.dux_jump != "single" or r.dux_move == "step"),
    ("jump_over, soldier_jump, dux_jump", "jump_over 'all' needs jumps of the kind 'single' or 'chain'",
     lambda r: r.jump_over == "enemies" or _hops(r)),
    ("directions, soldier_move, dux_move, custodian",
     "directions 'all' needs pieces that step, and custodian 'one' or none",
     lambda r: r.directions == "orthogonal" or (
         r.soldier_move == "step" and r.dux_move in ("none", "step") and r.custodian in ("none", "one"))),
    ("directions, flanked_mover, " + ", ".join(_CAPTURES), "directions 'all' excludes void axis and all other captures",
     lambda r: r.directions == "orthogonal" or (
         r.flanked_mover == "free" and not any(getattr(r, key) for key in _CAPTURES))),
    ("directions, capture_effect, dux_jump, soldier_locks, dux_fate, blocking_own_dux",
     "directions 'all' needs captures that 'remove', and excludes 'line' jumps, locks, and duces that need an empty"
     " neighbour",
     lambda r: r.directions == "orthogonal" or (
         r.capture_effect == "remove" and r.dux_jump != "line"
         and r.soldier_locks == "none" and r.dux_fate in ("none", "ordinary", "safe")
         and r.blocking_own_dux == "allowed")),
    ("jump_must_capture, capture_effect", "jump_must_capture needs a jump, and captures that 'remove'",
     lambda r: not r.jump_must_capture or (_jumps(r) and r.capture_effect == "remove")),
    ("jump_captures, soldier_jump, dux_jump", "jump_captures needs 'single' jumps, and excludes 'line' jumps",
     lambda r: not r.jump_captures or ("single" in (r.soldier_jump, r.dux_jump) and r.dux_jump != "line")),
    ("capture_effect, custodian", "'bind' needs custodian 'one'",
     lambda r: r.capture_effect == "remove" or r.custodian == "one"),
    ("capture_effect, jump_captures, " + ", ".join(_CAPTURES), "'bind' excludes all other captures",
     lambda r: r.capture_effect == "remove" or not any(getattr(r, key) for key in ("jump_captures", *_CAPTURES))),
    ("capture_effect, dux_fate", "'bind' needs a dux that is 'immobilised' or 'safe', or no dux",
     lambda r: r.capture_effect == "remove" or r.dux_fate in ("none", "immobilised", "safe")),
    ("capture_effect, flanked_mover, capture_chain, safe_square, soldier_locks",
     "'bind' excludes void axis, capture chains, safe square and locks",
     lambda r: r.capture_effect == "remove" or (
         r.flanked_mover == "free" and r.capture_chain == "none" and r.safe_square == "none"
         and r.soldier_locks == "none")),
    ("marks, capture_effect", "marks 'kept' needs captures that 'bind'",
     lambda r: r.marks == "judged" or r.capture_effect == "bind"),
    ("hostile_corners, custodian, capture_effect", "hostile_corners needs custodian captures that 'remove'",
     lambda r: not r.hostile_corners or (r.custodian != "none" and r.capture_effect == "remove")),
    ("flanked_mover, custodian", "'void_axis' needs custodian captures",
     lambda r: r.flanked_mover == "free" or r.custodian != "none"),
    ("soldier_locks, dux_locks, capture_effect, capture_chain, soldier_jump, dux_jump",
     "locks need captures that 'remove', and exclude chains and jumps",
     lambda r: (r.soldier_locks == "none" and r.dux_locks == "none") or (
         r.capture_effect == "remove" and r.capture_chain == "none" and not _jumps(r))),
    ("dux_locks, dux_fate, dux_move", "dux_locks 'sides' needs a dux that slides and is lost when 'immobilised'",
     lambda r: r.dux_locks == "none" or (r.dux_fate == "immobilised" and r.dux_move == "slide")),
    ("capture_chain, soldier_move, dux_move", "capture chains need pieces that step",
     lambda r: r.capture_chain == "none" or (r.soldier_move == "step" and r.dux_move in ("none", "step"))),
    ("capture_chain, custodian, intervention, jump_captures, corner, enclosure",
     "capture chains need custodian, intervention, jump_captures, corner or enclosure",
     lambda r: r.capture_chain == "none" or _captures_by_place(r)),
    ("capture_chain, " + ", ".join(_TRAVEL), "capture chains exclude captures by direction of travel",
     lambda r: r.capture_chain == "none" or not _travels(r)),
    ("capture_chain, dux_jump, blocking_own_dux, dux_fate, jump_must_capture",
     "capture chains exclude 'line' jumps, jump_must_capture, blocking_own_dux 'illegal', and a dux that is"
     " 'captured' or 'immobilised'",
     lambda r: r.capture_chain == "none" or (
         r.dux_jump != "line" and r.blocking_own_dux == "allowed" and r.dux_fate in ("none", "ordinary", "safe")
         and not r.jump_must_capture)),
    (", ".join(_TRAVEL) + ", soldier_jump, dux_jump", "captures by direction of travel exclude jumps",
     lambda r: not (_travels(r) and _jumps(r))),
    ("barred, safe_square, default_size", "'centre' needs a default_size with odd sides",
     lambda r: not r.has_centre or all(side % 2 for side in r.default_size)),
    ("safe_square, dux_fate, enclosure", "a safe square excludes enclosure, and a dux that is 'captured'",
     lambda r: r.safe_square == "none" or (r.dux_fate != "captured" and not r.enclosure)),
    ("equal_men, no_move, nocapture_result", "equal_men 'black' needs an ending by 'most_men'",
     lambda r: r.equal_men == "draw" or "most_men" in (r.no_move, r.nocapture_result)),
)


def problems(ruleset: Ruleset) -> list[str]:
    """Return why a ruleset cannot be played, one line each, with the keys; empty if it can."""
    return [f"{keys}: {words}" for keys, words in clashes(ruleset)]


def clashes(ruleset: Ruleset, unknown: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return the conditions that a ruleset violates, each with its keys; then why its game is over before it begins.

    Args:
        ruleset: the ruleset.
        unknown: keys whose values do not count; conditions on them are not judged.
    """
    if "board" in unknown:  # every condition depends on it
        return []
    if ruleset.board == "wheel":
        return [(key, f"board 'wheel' needs {key} = {toml_value(value)}")
                for key, value in WHEEL.items() if key not in unknown and getattr(ruleset, key) != value]
    found = [(keys, words) for keys, words, holds in CONDITIONS
             if not holds(ruleset) and not any(key in unknown for key in keys.split(", "))]
    wrong = {*unknown, *(key for keys, _ in found for key in keys.split(", "))}
    return found + [(key, words) for key, needed, words in _ends_at_once(ruleset) if wrong.isdisjoint(needed)]


def keys_at_fault(ruleset: Ruleset, keys: str, words: str) -> tuple[str, ...]:
    """Return the keys of a violated condition whose values conflict, whatever the values of its other keys.

    Args:
        ruleset: the ruleset, which violates the condition.
        keys: those of the condition, as in ``clashes``.
        words: the condition in words, likewise.

    Returns:
        Those that conflict alone, else those of all pairs that do, else all keys of the condition.
    """
    names = keys.split(", ")
    holds = next((test for each, text, test in CONDITIONS if (each, text) == (keys, words)), None)
    if holds is None:
        return tuple(names)
    tried = copy(ruleset)

    def conflict(kept: tuple[str, ...]) -> bool:
        free = [name for name in names if name not in kept]
        for values in product(*(_some_values(ruleset, name) for name in free)):
            vars(tried).update(vars(ruleset), **dict(zip(free, values, strict=True)))
            if holds(tried):
                return False
        return True

    for size in (1, 2):
        if found := {name for kept in combinations(names, size) if conflict(kept) for name in kept}:
            return tuple(name for name in names if name in found)
    return tuple(names)


def _some_values(r: Ruleset, key: str) -> Collection[Any]:
    """Return values of a key among which every condition that can hold does hold."""
    kind, allowed = _checks()[key]
    if kind is tuple:
        return (8, 8), (7, 7), *([_start_size(r)] if r.start else [])
    if key == "start":
        files, ranks = r.default_size
        return "", *("/".join([row, *[str(files)] * (ranks - 1)]) for row in (f"Ss{files - 2 or ''}", f"Dd{files - 2}"))
    return allowed[:2] if isinstance(allowed, range) else allowed or (False, True)


# ---------------------------------------------------------------- games that are over before the first move

_START_KEYS = ("default_size", "setup", "start", "soldier_ranks", "array", "dux")


def _ends_at_once(r: Ruleset) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield each reason why the start position on the default board ends the game: key, keys that it depends on, words.

    With ``fewest_judged = "placed"``, a game with too few pieces ends after the last placement instead.
    """
    fewest, counted = _fewest_at_start(r), "soldiers" if r.men_counted == "soldiers" and r.dux != "none" else "pieces"
    if r.fewest_men > fewest:
        yield ("fewest_men", ("fewest_men", "men_counted", "hand", *_START_KEYS),
               f"{r.fewest_men}: a side starts with {fewest} {counted}, and would lose at once;"
               f" expected at most {fewest}")
    if r.setup == "ranks" and r.array == "full" and 2 * r.soldier_ranks == r.default_size[1]:
        yield ("soldier_ranks", _START_KEYS,
               f"{r.soldier_ranks}: the soldiers fill the board of {r.default_size[1]} ranks, and nobody could move;"
               f" expected at most {r.soldier_ranks - 1}")
    if r.setup == "start":
        yield from _stuck_at_start(r)
    elif r.dux_needs_open_side and _dux_is_shut_in(r):
        yield ("dux", ("dux_fate", *_START_KEYS),
               f"{r.dux}: with {r.soldier_ranks} soldier_ranks the dux starts without an empty neighbour, and would be"
               f" {r.dux_fate} at once; expected front, or a dux_fate ordinary or safe")
    elif _no_move_frees_the_dux(r):
        yield ("dux", ("blocking_own_dux", "dux_jump", "soldier_jump", "jump_over", "jump_must_capture", *_START_KEYS),
               f"{r.dux}: with {r.soldier_ranks} soldier_ranks no move leaves the dux an empty neighbour, and nobody"
               " could move; expected front, or blocking_own_dux allowed")


def _stuck_at_start(r: Ruleset) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield the same for pieces of a key ``start`` that have no empty neighbour."""
    rows = start_pieces(r.start)
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]

    def is_free(file: int, rank: int, more: Collection[tuple[int, int]] = ()) -> bool:
        near = [(file + across, rank + up) for across, up in (*steps, *more)]
        return any(0 <= y < len(rows) and 0 <= x < len(rows[0]) and not rows[y][x] for x, y in near)

    squares = [(file, rank) for rank, row in enumerate(rows) for file, piece in enumerate(row) if piece]
    diagonals = [(x, y) for x in (-1, 1) for y in (-1, 1)] if r.directions == "all" else []
    if not any(rows[y][x].isupper() and is_free(x, y, diagonals) for x, y in squares):
        yield ("start", ("directions", *_START_KEYS), f"{r.start}: no piece of White is next to an empty square")
    if (r.dux_needs_open_side or r.blocking_own_dux == "illegal") and not all(
            is_free(x, y) for x, y in squares if rows[y][x] in "Dd"):
        yield ("start", ("dux_fate", "blocking_own_dux", *_START_KEYS),
               f"{r.start}: a dux starts without an empty neighbour; expected one, as dux_fate is {r.dux_fate} and"
               f" blocking_own_dux is {r.blocking_own_dux}")


def _no_move_frees_the_dux(r: Ruleset) -> bool:
    """Return whether every first move is illegal because of ``blocking_own_dux``.

    A soldier in front of the dux can only move out of the second rank if there is no third one, or if it jumps.
    """
    jumps = r.dux_jump == "line" or (r.soldier_jump == "single" and r.jump_over == "all")
    shut_in = r.dux == "first_rank" and r.array == "full" and 2 < r.soldier_ranks < r.default_size[1] / 2
    return r.blocking_own_dux == "illegal" and shut_in and (r.jump_must_capture or not jumps)


def _fewest_at_start(r: Ruleset) -> int:
    """Return the number of pieces, as ``men_counted`` counts them, of the side that starts with fewer."""
    duces = int(r.dux != "none" and r.men_counted == "all")
    if r.setup == "placement":
        return r.hand + duces
    if r.setup == "start":
        return min(sum(map(r.start.count, side if duces else side[0])) for side in ("SD", "sd"))
    files, ranks = r.default_size
    first, last = range(r.soldier_ranks), range(ranks - r.soldier_ranks, ranks)
    return duces + min(
        sum(_starts_with_soldier(r, file, rank) for rank in side for file in range(files) if (file, rank) != dux)
        for side, dux in zip((first, last), _first_rank_duces(r), strict=True))


def _starts_with_soldier(r: Ruleset, file: int, rank: int) -> bool:
    """Return whether a square of the soldiers' ranks has a soldier, if no dux takes its place."""
    return r.array == "full" or (file + rank) % 2 == 0


def _first_rank_duces(r: Ruleset) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Return file and rank of White's and Black's dux if they start on the first rank."""
    if r.dux != "first_rank":
        return None, None
    files, ranks = r.default_size
    return (files // 2, 0), (files - 1 - files // 2, ranks - 1)


def _dux_is_shut_in(r: Ruleset) -> bool:
    """Return whether a dux starts on the first rank with soldiers on both sides and in front."""
    if r.soldier_ranks < 2:
        return False
    return any(dux is not None and _starts_with_soldier(r, dux[0] + 1, dux[1]) for dux in _first_rank_duces(r))
