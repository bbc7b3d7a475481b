"""Levels for people: a search that sees little, and a choice among its lines that errs more the worse the player is.

A level is a *strength* from 0 (moves at random) to 100, with fractions. The strength decides how far the level looks
and how well it tells good moves from bad ones (``Sight``). Both are independent of the machine: a search at a level
has its own small table, is limited by depth or nodes, and at most cut short by the clock. ``calibration`` has the
strength of each level of each game.

The choice is a softmax over the scores of the lines: a move whose score is lower by the temperature is chosen e times
less often. So a level makes small errors often and large ones rarely, and overlooks what its search does not reach.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import log

from latrones_uci.engine.calibration import MOST_STRENGTH
from latrones_uci.engine.kernels import Kernel
from latrones_uci.game import Game, PackedMove, Position
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.search.types import MAX_PLY, CurrentMove, Progress, Report, SearchResult, Task

TABLE_MEGABYTES = 1
"""Size of the transposition table of a level, whatever ``Hash`` is."""
ONE_PLY_STRENGTH = 50.0
"""Up to this strength, a level looks one ply ahead, and at the captures that follow; above it, it searches nodes."""
HIGHEST_TEMPERATURE, MIDDLE_TEMPERATURE, LOWEST_TEMPERATURE = 3000.0, 20.0, 4.0
"""Temperatures in centi-soldiers at strength 0, ``ONE_PLY_STRENGTH`` and 100; between them, geometric interpolation."""
FEWEST_NODES, MOST_NODES = 50.0, 100_000.0
"""Nodes just above ``ONE_PLY_STRENGTH``, in addition to those of the first iteration, and at 100; likewise."""
LINES = 6
"""Lines that a level above ``ONE_PLY_STRENGTH`` chooses from; others choose from all moves."""
ALL_LINES = 256
WIN_VALUE, LEAST_WIN_VALUE = 3000.0, 2000.0
"""Values of a win in one turn, and of the most distant win, for the choice; a turn costs ``TURN_VALUE``."""
TURN_VALUE = 50.0


@dataclass(frozen=True)
class Sight:
    """How far a level looks, and how well it chooses.

    Attributes:
        depth: maximum depth in plies.
        nodes: nodes after the first iteration, None for no limit.
        lines: number of lines to choose from.
        temperature: the difference of two scores, in centi-soldiers, at which the better move is chosen e times as
            often as the other one.
    """

    depth: int
    nodes: int | None
    lines: int
    temperature: float

    @classmethod
    def of_strength(cls, strength: float) -> "Sight":
        """Return the sight of a strength from 0 to ``MOST_STRENGTH``."""
        share = strength / ONE_PLY_STRENGTH
        if share <= 1:
            return cls(1, None, ALL_LINES, _between(HIGHEST_TEMPERATURE, MIDDLE_TEMPERATURE, share))
        share = (strength - ONE_PLY_STRENGTH) / (MOST_STRENGTH - ONE_PLY_STRENGTH)
        nodes = round(_between(FEWEST_NODES, MOST_NODES, share))
        return cls(MAX_PLY, nodes, LINES, _between(MIDDLE_TEMPERATURE, LOWEST_TEMPERATURE, share))

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
    """Searches at a level. It has a kernel for itself, so that no level profits from other searches, or disturbs them.

    The moves depend only on the game so far, the strength and the seed, unless time runs out.
    """

    def __init__(self, kernel: Kernel, strength: float, seed: int) -> None:
        """Search with a kernel of one thread and ``TABLE_MEGABYTES``."""
        self._kernel, self._seed = kernel, seed
        self.sight = Sight.of_strength(strength)

    def search(
        self,
        game: Game,
        task: Task,
        report: Report,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[Progress], bool],
    ) -> SearchResult:
        """See ``Kernel``. The lines are those that the level has seen; the chosen one is reported last, as the first.

        Only as many lines are reported as the task has.
        """
        self._kernel.clear_hash()
        own = self.sight.task(task)
        one_by_one = own.nodes is None and own.depth == 1 and self._kernel.name == "python"
        look = self._survey if one_by_one else self._search
        lines, result = look(game, own, task.multipv, report, should_stop, wants_depth)
        if not lines:
            return result
        chosen = max(lines, key=self._merit(game))
        if chosen is not lines[0]:
            others = [line for line in lines if line is not chosen]
            for rank, line in enumerate([chosen, *others][:task.multipv], start=1):
                report(replace(line, multipv=rank, nodes=result.nodes))
        return _result(game.position, task.root_moves, chosen, result.nodes)

    def _search(
        self, game: Game, own: Task, shown: int, report: Report, should_stop: Callable[[], bool],
        wants_depth: Callable[[Progress], bool],
    ) -> tuple[list[SearchInfo], SearchResult]:
        """Return the last lines of one search, best first, and its result; report as many as are to be shown."""
        seen: dict[int, SearchInfo] = {}

        def hear(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo):
                seen[item.multipv] = item
                if item.multipv > shown:
                    return
            report(item)

        result = self._kernel.search(game, own, hear, should_stop, wants_depth)
        lines: dict[str, SearchInfo] = {}
        for _, line in sorted(seen.items()):
            lines.setdefault(line.pv[0], line)  # a line of an earlier iteration may begin with the same move
        return list(lines.values()), result

    def _survey(
        self, game: Game, own: Task, shown: int, report: Report, should_stop: Callable[[], bool],
        wants_depth: Callable[[Progress], bool],
    ) -> tuple[list[SearchInfo], SearchResult]:
        """Do the same by a search for each move: the Python kernel takes a tenth of the time to rank all of them so."""
        lines: list[SearchInfo] = []
        nodes = 0

        def hear(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo):
                lines.append(item)

        for move in own.root_moves:
            if lines and should_stop():
                break
            task = replace(own, root_moves=(move,), multipv=1)
            nodes += self._kernel.search(game, task, hear, should_stop, wants_depth).nodes
        lines.sort(key=lambda line: -value_of(line.score))
        for rank, line in enumerate(lines[:shown], start=1):
            report(replace(line, multipv=rank, nodes=nodes))
        return lines, SearchResult(own.root_moves[0], None, nodes)

    def _merit(self, game: Game) -> Callable[[SearchInfo], float]:
        """Return the value of a line for the choice: the score with the error of this player at this move.

        The greatest of values with errors from a Gumbel distribution is that which a softmax would choose (E. J.
        Gumbel, "Statistical Theory of Extreme Values", 1954). The error belongs to the move in this position, so that
        a move that is taken back is chosen again; at each repetition of the position it is another one.
        """
        place = f"{self._seed} {game.position.key} {game.count(game.position)}"

        def merit(line: SearchInfo) -> float:
            return value_of(line.score) + self.sight.temperature * _gumbel(f"{place} {line.pv[0]}")

        return merit


def value_of(score: Score) -> float:
    """Return a score in centi-soldiers, for the choice; a proven win counts more than any other score."""
    if score.mate is None:
        return max(-LEAST_WIN_VALUE, min(LEAST_WIN_VALUE, float(score.cp or 0)))
    value = max(LEAST_WIN_VALUE, WIN_VALUE - TURN_VALUE * (abs(score.mate) - 1))
    return value if score.mate > 0 else -value


def _gumbel(text: str) -> float:
    """Return a number from the standard Gumbel distribution that is determined by a text."""
    number = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    return -log(-log(((number >> 12) + 0.5) / 2.0**52))


def _result(position: Position, moves: tuple[PackedMove, ...], line: SearchInfo, nodes: int) -> SearchResult:
    move = next(move for move in moves if position.move_text(move) == line.pv[0])
    reply = position.play(move).parse_move(line.pv[1]) if len(line.pv) > 1 else None
    return SearchResult(move, reply, nodes)
