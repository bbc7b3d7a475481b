"""A ruleset as data: one field per rule, checked when it is made."""

import dataclasses
from dataclasses import dataclass
from typing import Literal, get_args, get_origin, get_type_hints

from latrones_uci.game.errors import BoardSizeError, VariantError, quoted
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """Everything that tells one game of the family from another.

    Attributes:
        name: what ``UCI_Variant`` calls the game.
        title: one line for people.
        source: who described these rules, and where.
        default_size: files and ranks of the usual board.
        min_size: least number of files and ranks.
        max_size: greatest number of files and ranks.
        setup: where the men stand at first. ``array``: soldiers fill the first rank of each side,
            the dux stands in front of them on the right-hand middle file as its owner sees it.
        soldier_move: how a soldier moves. ``slide``: any number of empty squares along a line.
        dux_move: how a dux moves, likewise.
        dux_jump: ``none``; or ``line``: over the unbroken run of men next to it, of either colour,
            onto the first empty square behind, and only if that captures.
        custodian: what is caught between the man that moved and another of its side. ``one``: a
            single enemy soldier; ``line``: all soldiers of an unbroken run of enemies (a dux in it
            neither breaks it nor is taken).
        corner: a soldier in a corner is captured when both its neighbours are enemies, one of them
            the man that just moved.
        enclosure: a connected group of enemies, duces included, that touches the man that moved is
            captured when none of it has an empty neighbour.
        flanked_mover: ``free``; or ``void_axis``: custodian captures along an axis are void when
            the man that moved has an enemy on both sides along it.
        dux_fate: how a dux is lost. ``captured``: it is lifted, and the game lost, when each of its
            neighbours is occupied on the landing board; ``immobilised``: the game is lost when it
            has no empty neighbour after lifting.
        blocking_own_dux: ``illegal``: no move may leave the mover's own dux without an empty
            neighbour after lifting, even one that would win.
        fewest_soldiers: a side with fewer soldiers has lost.
        no_move: ``loss`` for a side to move that cannot.
        repetition: what the third occurrence of a position is. ``draw``; or ``loss`` of the player
            whose move made it.
        nocapture_limit: plies without a capture at which the game ends.
        nocapture_result: how it ends then: ``draw``.
    """

    name: str
    title: str
    source: str
    default_size: tuple[int, int]
    min_size: tuple[int, int] = (4, 4)
    max_size: tuple[int, int] = (MAX_SIDE, MAX_SIDE)
    setup: Literal["array"]
    soldier_move: Literal["slide"]
    dux_move: Literal["slide"]
    dux_jump: Literal["none", "line"] = "none"
    custodian: Literal["one", "line"]
    corner: bool = False
    enclosure: bool = False
    flanked_mover: Literal["free", "void_axis"] = "free"
    dux_fate: Literal["captured", "immobilised"]
    blocking_own_dux: Literal["illegal"]
    fewest_soldiers: int
    no_move: Literal["loss"]
    repetition: Literal["draw", "loss"]
    nocapture_limit: int
    nocapture_result: Literal["draw"]

    def __post_init__(self) -> None:
        """Checks every value.

        Raises:
            VariantError: a value of a wrong type or outside its choices; names game and key.
        """
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            if not _fits(getattr(self, field.name), hints[field.name]):
                raise VariantError(
                    f"variant {quoted(self.name)}: {field.name} = {quoted(str(getattr(self, field.name)))}"
                    f" is not {_described(hints[field.name])}"
                )
        if self.nocapture_limit < 1 or self.fewest_soldiers < 0:
            raise VariantError(f"variant {quoted(self.name)}: nocapture_limit and fewest_soldiers must be positive")
        for low, size, high in zip(self.min_size, self.default_size, self.max_size, strict=True):
            if not MIN_SIDE <= low <= size <= high <= MAX_SIDE:
                raise VariantError(
                    f"variant {quoted(self.name)}: min_size <= default_size <= max_size does not hold"
                    f" within {MIN_SIDE}..{MAX_SIDE}"
                )

    def check_size(self, files: int, ranks: int) -> None:
        """Raises BoardSizeError unless the game may be played on a board of that size."""
        sides = ((files, self.min_size[0], self.max_size[0]), (ranks, self.min_size[1], self.max_size[1]))
        if not all(low <= side <= high for side, low, high in sides):
            raise BoardSizeError(
                f"{self.name} is not played on a board of '{files}x{ranks}' but of"
                f" {self.min_size[0]}x{self.min_size[1]} to {self.max_size[0]}x{self.max_size[1]}"
            )


def _fits(value: object, hint: object) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and len(value) == 2 and all(type(side) is int for side in value)
    return type(value) is hint


def _described(hint: object) -> str:
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(get_args(hint))
    return "two numbers (files, ranks)" if get_origin(hint) is tuple else getattr(hint, "__name__", str(hint))
