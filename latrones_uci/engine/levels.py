"""Playing levels for people: a limited search, and a random choice among its lines that errs more at lower levels.

A level is a *strength* from 0 (random moves) to 100, with fractions. The strength determines how deep the level
searches and how well it tells good moves from bad moves (``SearchQuality``). Both are independent of the machine: a
search at a level has its own small table and is limited by depth or nodes; only the clock can cut it short.
``calibration`` has the strength of each level of each game.

The choice is a softmax over the scores of the lines: a move whose score is lower by the temperature is chosen e times
less often. A level therefore makes small errors often and large errors rarely, and overlooks what lies beyond its
search.
"""

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from math import log
from typing import NamedTuple

from latrones_uci.engine.calibration import MAX_STRENGTH
from latrones_uci.engine.kernels import Kernel
from latrones_uci.engine.types import MAX_PLY, CurrentMove, IterationProgress, Reporter, SearchResult, Task
from latrones_uci.game import Game, PackedMove, Position
from latrones_uci.text.protocol import Score, SearchInfo

TABLE_MEGABYTES = 1
"""Size of the transposition table of a level; ``Hash`` does not change it."""
ONE_PLY_STRENGTH = 50.0
"""Up to this strength, a level searches one ply and the captures after it; above it, a number of nodes."""
DEEP_STRENGTH = 60.0
"""Between ``ONE_PLY_STRENGTH`` and this, a level searches a number of nodes in a growing share of the positions."""
MAX_TEMPERATURE, MIDDLE_TEMPERATURE, MIN_TEMPERATURE = 3000.0, 20.0, 2.0
"""Temperatures in centi-soldiers at strength 0, ``ONE_PLY_STRENGTH`` and 100, with geometric interpolation."""
MIN_NODES, MAX_NODES = 50.0, 30_000.0
"""Nodes after the first iteration, just above ``ONE_PLY_STRENGTH`` and at 100, with geometric interpolation."""
MAX_LINES, MIN_LINES = 6, 2
"""Lines to choose from, just above ``ONE_PLY_STRENGTH`` and at 100, likewise. A further line costs as many nodes."""
ALL_LINES = 256
"""Lines to choose from up to ``ONE_PLY_STRENGTH``: all moves."""
WIN_VALUE, MIN_WIN_VALUE = 3000.0, 2000.0
"""Values for the choice of a win in one turn and of the most distant win; each turn costs ``TURN_VALUE``."""
TURN_VALUE = 50.0


class SearchQuality(NamedTuple):
    """How far a level searches, and how well it chooses."""

    depth: int
    """Maximum depth in plies."""
    nodes: int | None
    """Nodes after the first iteration, None for no limit."""
    lines: int
    """Number of lines to choose from."""
    temperature: float
    """Difference of two scores, in centi-soldiers, at which the better move is chosen e times as often."""

    @classmethod
    def of_strength(cls, strength: float, chance: float = 0.0) -> "SearchQuality":
        """Return the quality of a strength from 0 to ``MAX_STRENGTH``.

        Args:
            strength: the strength.
            chance: a number from 0 to 1 that decides whether a level between ``ONE_PLY_STRENGTH`` and
                ``DEEP_STRENGTH`` searches a number of nodes; with 0, it always does.
        """
        share = strength / ONE_PLY_STRENGTH
        if share > 1 and chance > (strength - ONE_PLY_STRENGTH) / (DEEP_STRENGTH - ONE_PLY_STRENGTH):
            share = 1.0
        if share <= 1:
            return cls(1, None, ALL_LINES, _between(MAX_TEMPERATURE, MIDDLE_TEMPERATURE, share))
        share = (strength - ONE_PLY_STRENGTH) / (MAX_STRENGTH - ONE_PLY_STRENGTH)
        nodes = round(_between(MIN_NODES, MAX_NODES, share))
        lines = round(_between(MAX_LINES, MIN_LINES, share))
        return cls(MAX_PLY, nodes, lines, _between(MIDDLE_TEMPERATURE, MIN_TEMPERATURE, share))

    def task(self, task: Task) -> Task:
        """Return a task with the limits of the level in addition to its own."""
        moves = len(task.root_moves)
        lines = min(max(self.lines, task.multipv), moves)
        nodes = task.nodes
        if self.nodes is not None:
            own = self.nodes + lines * moves  # each line of the first iteration compares all moves
            nodes = own if nodes is None else min(own, nodes)
        return replace(task, depth=min(self.depth, task.depth), nodes=nodes, multipv=lines)


def _between(start: float, end: float, share: float) -> float:
    return float(start * (end / start) ** share)


class LevelKernel:
    """Searches at a level, with its own kernel, so that levels and other searches do not affect each other.

    The moves depend only on the game so far, the strength and the seed, unless time runs out.
    """

    def __init__(self, kernel: Kernel, strength: float, seed: int) -> None:
        """Search with a kernel of one thread and ``TABLE_MEGABYTES``."""
        self._kernel, self._strength, self._seed = kernel, strength, seed

    def search(
        self, game: Game, task: Task, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> SearchResult:
        """See ``Kernel``. The lines are those that the level found; the chosen line is reported last, as line 1.

        At most ``task.multipv`` lines are reported.
        """
        self._kernel.clear_hash()
        quality = SearchQuality.of_strength(self._strength, _uniform(f"{self._place(game)} sight"))
        own = quality.task(task)
        one_by_one = own.nodes is None and own.depth == 1 and self._kernel.name == "python"
        look = self._survey if one_by_one else self._search
        lines, result = look(game, own, task.multipv, report, should_stop, wants_depth)
        if not lines:
            return result
        chosen = max(lines, key=self._merit(game, quality))
        if chosen is not lines[0]:
            others = [line for line in lines if line is not chosen]
            for rank, line in enumerate([chosen, *others][:task.multipv], start=1):
                report(replace(line, multipv=rank, nodes=result.nodes))
        return _result(game.position, task.root_moves, chosen, result.nodes)

    def _search(
        self, game: Game, own: Task, shown: int, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> tuple[list[SearchInfo], SearchResult]:
        """Return the last lines of one search, best first, and its result; report the lines to be shown."""
        seen: dict[int, SearchInfo] = {}

        def keep(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo):
                seen[item.multipv] = item
                if item.multipv > shown:
                    return
            report(item)

        result = self._kernel.search(game, own, keep, should_stop, wants_depth)
        lines: dict[str, SearchInfo] = {}
        for _, line in sorted(seen.items()):
            lines.setdefault(line.pv[0], line)  # an earlier iteration may have a line with the same first move
        return list(lines.values()), result

    def _survey(
        self, game: Game, own: Task, shown: int, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> tuple[list[SearchInfo], SearchResult]:
        """Do the same with one search per move: the Python kernel ranks all moves ten times faster this way."""
        lines: list[SearchInfo] = []
        nodes = 0

        def keep(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo):
                lines.append(item)

        for move in own.root_moves:
            if lines and should_stop():
                break
            task = replace(own, root_moves=(move,), multipv=1)
            nodes += self._kernel.search(game, task, keep, should_stop, wants_depth).nodes
        lines.sort(key=lambda line: -value_of(line.score))
        for rank, line in enumerate(lines[:shown], start=1):
            report(replace(line, multipv=rank, nodes=nodes))
        return lines, SearchResult(own.root_moves[0], None, nodes)

    def _place(self, game: Game) -> str:
        """Return the text that determines the errors of this player in this position of this game."""
        return f"{self._seed} {game.position.key} {game.count(game.position)}"

    def _merit(self, game: Game, quality: SearchQuality) -> Callable[[SearchInfo], float]:
        """Return a function that values a line for the choice: its score plus this player's error for its first move.

        With errors from a Gumbel distribution, choosing the greatest value is the same as sampling from a softmax
        (E. J. Gumbel, "Statistical Theory of Extreme Values", 1954). The error depends on the move and the position, so
        that a move that was taken back is chosen again; it changes with each repetition of the position.
        """
        place = self._place(game)

        def merit(line: SearchInfo) -> float:
            return value_of(line.score) + quality.temperature * _gumbel(f"{place} {line.pv[0]}")

        return merit


def value_of(score: Score) -> float:
    """Return a score in centi-soldiers, for the choice; a proven win counts more than any other score."""
    if score.mate is None:
        return max(-MIN_WIN_VALUE, min(MIN_WIN_VALUE, float(score.cp or 0)))
    value = max(MIN_WIN_VALUE, WIN_VALUE - TURN_VALUE * (abs(score.mate) - 1))
    return value if score.mate > 0 else -value


def _uniform(text: str) -> float:
    """Return a number between 0 and 1 determined by a text."""
    number = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    return ((number >> 12) + 0.5) / 2.0**52


def _gumbel(text: str) -> float:
    return -log(-log(_uniform(text)))


def _result(position: Position, moves: tuple[PackedMove, ...], line: SearchInfo, nodes: int) -> SearchResult:
    move = next(move for move in moves if position.named_move(move) == line.pv[0])
    reply = position.after(move).parse_move(line.pv[1]).packed if len(line.pv) > 1 else None
    return SearchResult(move, reply, nodes)
