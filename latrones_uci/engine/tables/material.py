"""The endings of a game: the splits of pieces, the rules that affect their values, and the size of a code."""

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from latrones_uci.game import LatronesError, Ruleset
from latrones_uci.game.encoding import Board
from latrones_uci.game.ruleset import keys_of

MAX_MEN = 16
"""The largest number of pieces in a table."""


class TablesError(LatronesError):
    """Tables cannot be made or used; the message names the file, the directory or the game."""


class NoTablesError(TablesError):
    """A folder has no tables for a game on a board, or the game cannot have tables."""


@dataclass(frozen=True, order=True)
class Men:
    """The pieces of one side."""

    dux: int
    soldiers: int

    @property
    def count(self) -> int:
        return self.dux + self.soldiers

    def __str__(self) -> str:
        return "D" * self.dux + "S" * self.soldiers or "0"


@dataclass(frozen=True)
class Split:
    """The pieces of the player to move and of the opponent on the board."""

    own: Men
    opp: Men

    @property
    def men(self) -> int:
        return self.own.count + self.opp.count

    @property
    def swapped(self) -> "Split":
        """The same pieces with the other player to move."""
        return Split(self.opp, self.own)

    @property
    def halves(self) -> tuple["Split", ...]:
        """The splits in a file: this split, and the swapped split if it differs."""
        return (self,) if self.own == self.opp else (self, self.swapped)

    def __str__(self) -> str:
        return f"{self.own}v{self.opp}"

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """The duces and soldiers of each side, as the compiled core reads them."""
        return (self.own.dux, self.own.soldiers, self.opp.dux, self.opp.soldiers)


def split_of(board: Board, base: int) -> Split:
    """Return the split of a board; ``base`` is the mask of the first orientation of ``game.geometry``."""
    own, opp, own_dux, opp_dux, *_ = board
    duces = (int(own_dux >= 0), int(opp_dux >= 0))
    return Split(Men(duces[0], (own & base).bit_count() - duces[0]), Men(duces[1], (opp & base).bit_count() - duces[1]))


def splits_of(ruleset: Ruleset, files: int, ranks: int, men: int) -> Iterator[Split]:
    """Yield the splits of at most ``men`` pieces that a game can reach from its start and that do not end the game.

    Of two swapped splits, only the one with the stronger first side is yielded. Captures lead only to earlier splits.

    Raises:
        TablesError: the game has no tables.
    """
    check_possible(ruleset)
    duces = {"none": (0,), "ordinary": (0, 1)}.get(ruleset.dux_fate, (1,))
    most_soldiers = ruleset.hand or ruleset.soldier_ranks * files - (ruleset.dux == "first_rank")
    if ruleset.start:
        most_soldiers = max(map(ruleset.start.count, "Ss"))
        duces = (0, 1) if ruleset.dux != "none" and not {*"Dd"} <= {*ruleset.start} else duces
    sides = [Men(dux, soldiers) for dux in duces for soldiers in range(min(men - dux, most_soldiers) + 1)]
    sides = [side for side in sides if not _has_lost(ruleset, side)]
    found = [
        Split(own, opp)
        for own in sides
        for opp in sides
        if (own.count, own) >= (opp.count, opp) and own.count and own.count + opp.count <= min(men, files * ranks)
    ]
    yield from sorted(found, key=lambda split: (split.men, split.own.count, split.own, split.opp))


_BY_HISTORY = {"repetition": "illegal", "no_move": "pass"}
_WITHOUT_TABLES = {
    **_BY_HISTORY, "marks": "kept", "capture_chain": "forced", "equal_men": "black",
}
# Keys that were added after the first files were made. Defaults are left out, so that older files stay valid.
_YOUNGER = frozenset({
    "directions", "jump_over", "hostile_corners", "marks", "equal_men", "jump_captures", "enter_between",
    "intervention",
})


def check_possible(ruleset: Ruleset) -> None:
    """Check that a game can have tables. Raises NoTablesError: it cannot."""
    if ruleset.board != "grid":
        raise NoTablesError(f"{ruleset.name}: the game is solved without tables; expected a game on a grid")
    for key, value in _WITHOUT_TABLES.items():
        if getattr(ruleset, key) == value:
            unsupported = "the table maker does not support it"
            why = "the value of a position depends on earlier moves" if key in _BY_HISTORY else unsupported
            raise NoTablesError(f"{ruleset.name}: there are no tables for games with {key} {value!r}: {why}; expected"
                                " another game")


def _has_lost(ruleset: Ruleset, side: Men) -> bool:
    """Return whether a side has lost by its number of pieces alone."""
    return side.soldiers + (side.dux if ruleset.men_counted == "all" else 0) < ruleset.fewest_men


def rules_text(ruleset: Ruleset) -> str:
    """Return the rules that affect the values of endings, as one line of JSON with sorted keys.

    Names, sources, board sizes, start positions and placement are left out: games that differ only in these share
    tables.
    """
    values = {
        field.name: getattr(ruleset, field.name)
        for field in dataclasses.fields(ruleset)
        if field.name not in keys_of("words", "size", "start", "placement")
        and not (field.name in _YOUNGER and getattr(ruleset, field.name) == field.default)
    }
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


def rules_digest(ruleset: Ruleset) -> bytes:
    """Return the SHA-256 of ``rules_text``, which identifies the rules in a file."""
    return hashlib.sha256(rules_text(ruleset).encode()).digest()


def limit_outcome(ruleset: Ruleset, split: Split) -> int:
    """Return the result of the no-capture limit for the player to move: -1 lost, 0 drawn or no limit, 1 won."""
    if not ruleset.nocapture_limit or ruleset.nocapture_result != "most_men":
        return 0
    duces = int(ruleset.men_counted == "all")
    own, opp = (side.soldiers + duces * side.dux for side in (split.own, split.opp))
    return (own > opp) - (own < opp)


def code_width(ruleset: Ruleset) -> int:
    """Return the bytes per code: 1 if the longest distance within the no-capture limit fits, else 2."""
    return 1 if ruleset.nocapture_limit > 0 and 2 * ruleset.nocapture_limit + 2 < 0xFF else 2
