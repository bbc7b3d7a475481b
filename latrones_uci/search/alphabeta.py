"""Iterative deepening negamax alpha-beta over ``game.rules``.

The contract of every search function here: given a window (alpha, beta) it returns a value v of
the position, from the player to move, that is a lower bound of the true value where v >= beta, an
upper bound where v <= alpha, and the value itself in between (fail-soft). "True" is the minimax
value at that depth with quiescence at the leaves; the ``selective`` techniques depart from it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from latrones_uci.game import Game, Move
from latrones_uci.game.encoding import Board
from latrones_uci.game.history import REPETITION_COUNT
from latrones_uci.search.evaluation import evaluator
from latrones_uci.search.ordering import MoveOrder, order_captures
from latrones_uci.search.report import MAX_PLY, CurrentMove, Info, Outcome, Progress, Report, Task
from latrones_uci.search.scores import INFINITE, PROVEN, WIN, to_score
from latrones_uci.search.table import EXACT, LOWER, UPPER, TranspositionTable

POLL_NODES = 256
ASPIRATION_DEPTH, ASPIRATION = 3, 40
LONGEST_EXTENSION = 2
"""Moves that leave the enemy dux a single open side are searched a ply deeper, to this multiple of the depth."""
LEAST_PLIES_TO_REPEAT = 4
NEVER = 1 << 30
LONGEST_TABLE_MOVE = 1 << 63


class _StoppedError(Exception):
    """Unwinds a search whose time or nodes have run out."""


@dataclass
class _Line:
    """A root move with what the search last made of it."""

    move: Move
    score: int = -INFINITE
    pv: tuple[Move, ...] = ()


class Search:
    """One search from one position.

    Attributes:
        nodes: positions entered by making a move, so far.
    """

    def __init__(
        self,
        game: Game,
        table: TranspositionTable,
        task: Task,
        report: Report,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[Progress], bool],
        *,
        selective: bool = True,
    ) -> None:
        """Prepares a search.

        Args:
            game: the game so far; it must not be over.
            table: the transposition table, kept between the searches of a game.
            task: what bounds the search, time apart.
            report: called with progress.
            should_stop: asked about every ``POLL_NODES`` nodes.
            wants_depth: asked before each iteration after the first whether to begin it.
            selective: with extensions, and with results of the table from deeper searches; without them the
                score is the plain minimax value.
        """
        self.rules, self.root = game.position.rules, game.position.board
        self.table, self.task, self.report = table, task, report
        self.should_stop, self.wants_depth, self.selective = should_stop, wants_depth, selective
        self.evaluate = evaluator(self.rules)
        self.order = MoveOrder(self.rules)
        self.nocapture_limit = self.rules.ruleset.nocapture_limit or NEVER
        self.repeater_loses = self.rules.ruleset.repetition == "loss"
        self.extends = selective and self.rules.ruleset.dux_fate in ("captured", "immobilised")
        self.counted_from = min(LEAST_PLIES_TO_REPEAT, self.nocapture_limit)
        # How often each position occurred in the game (the root included), and on the path below the root.
        self.game_keys: dict[int, int] = {}
        for past in game.positions:
            self.game_keys[past.key] = self.game_keys.get(past.key, 0) + 1
        self.path_keys: dict[int, int] = {}
        self.pv: list[tuple[Move, ...]] = [()] * (MAX_PLY + 2)
        self.nodes = self.depth = self.seldepth = 0
        # The first look comes late enough for a first iteration, however little time there is.
        self.poll_at = POLL_NODES if task.nodes is None else min(POLL_NODES, task.nodes)

    # ---------------------------------------------------------------- root

    def run(self) -> Outcome:
        """Deepens until a bound is met. There is always a move, be it the first of the task's."""
        lines = [_Line(move) for move in self.task.root_moves]
        self.table.new_search()
        steady = 0
        settled = False
        try:
            for depth in range(1, self.task.depth + 1):
                if depth > 1 and not self.wants_depth(Progress(steady, settled)):
                    break
                before = lines[0].move
                self._iterate(lines, depth)
                steady = steady + 1 if lines[0].move == before else 0
                settled = WIN - abs(lines[0].score) <= depth
                if self.task.mate is not None and lines[0].score >= WIN - 2 * self.task.mate:
                    break
        except _StoppedError:
            pass
        best = lines[0]
        return Outcome(best.move, best.pv[1] if len(best.pv) > 1 else None, self.nodes)

    def _iterate(self, lines: list[_Line], depth: int) -> None:
        """Searches to ``depth``; leaves the best ``multipv`` lines in front, best first."""
        self.depth = self.seldepth = depth
        wanted = min(self.task.multipv, len(lines))
        for rank in range(wanted):
            self._search_line(lines, rank, depth)
        lines[:wanted] = sorted(lines[:wanted], key=lambda line: -line.score)
        for rank in range(wanted):
            self._report(lines[rank], depth, rank, lines[rank].score, "")

    def _search_line(self, lines: list[_Line], rank: int, depth: int) -> None:
        """Finds the best line from ``rank`` on, in a window about what it was worth before."""
        guess, window = lines[rank].score, ASPIRATION
        alpha, beta = -INFINITE, INFINITE
        if depth >= ASPIRATION_DEPTH and abs(guess) < PROVEN:
            alpha, beta = guess - window, guess + window
        while True:
            score = self._search_root(lines, rank, alpha, beta, depth)
            if alpha < score < beta:
                return
            self._report(lines[rank], depth, rank, score, "upper" if score <= alpha else "lower")
            window *= 4
            if score <= alpha:
                alpha = score - window if score > -PROVEN else -INFINITE
            else:
                beta = score + window if score < PROVEN else INFINITE

    def _report(self, line: _Line, depth: int, rank: int, score: int, bound: Literal["", "lower", "upper"]) -> None:
        value = replace(to_score(score), bound=bound)
        pv = line.pv or (line.move,)
        self.report(Info(depth, self.seldepth, rank + 1, value, self.nodes, self.table.hashfull(), pv))

    def _search_root(self, lines: list[_Line], rank: int, alpha: int, beta: int, depth: int) -> int:
        """Searches the lines from ``rank`` on; a new best one moves to ``rank`` as soon as it is known."""
        best = -INFINITE
        self.path_keys.clear()
        for index in range(rank, len(lines)):
            line = lines[index]
            self.report(CurrentMove(depth, line.move, index + 1))
            child = self.rules.play(self.root, line.move)
            self.nodes += 1
            if index == rank:
                score = self._value(self.root, child, True, alpha, beta, depth - 1, 1)
            else:
                score = self._value(self.root, child, True, alpha, alpha + 1, depth - 1, 1)
                if alpha < score < beta:
                    score = self._value(self.root, child, True, alpha, beta, depth - 1, 1)
            if score > alpha or index == rank:
                line.score, line.pv = score, (line.move, *self.pv[1])
                lines.insert(rank, lines.pop(index))
            best = max(best, score)
            alpha = max(alpha, score)
            if alpha >= beta:
                break
        return best

    # ---------------------------------------------------------------- inner nodes

    def _value(self, board: Board, child: Board, tactical: bool, alpha: int, beta: int, depth: int, ply: int) -> int:
        """What ``board`` is worth by the move to ``child`` (at ``ply``), which is searched to ``depth``."""
        if tactical and (outcome := self.rules.decided(child)):
            value = outcome * (WIN - ply)
            self.pv[ply] = ()
            return value if child[4] == board[4] else -value
        if child[4] == board[4]:
            return self._search(child, alpha, beta, depth, ply)
        return -self._search(child, -beta, -alpha, depth, ply)

    def _search(self, board: Board, alpha: int, beta: int, depth: int, ply: int) -> int:
        """The value of an undecided board entered by a move; see the contract above."""
        if depth <= 0 or ply > MAX_PLY - 1:
            return self._quiesce(board, alpha, beta, ply)
        own, opp, _, opp_dux, side, key, nocapture, _, hand = board
        if self.nodes >= self.poll_at:
            self._poll()
        in_pv = beta - alpha > 1
        self.pv[ply] = ()
        if nocapture >= self.counted_from and (ending := self._ending(board, ply)) is not None:
            return ending

        table_move = 0
        if (entry := self.table.probe(key)) is not None:
            table_move, value, table_depth, bound = entry
            if not in_pv and (table_depth >= depth if self.selective else table_depth == depth):
                if value >= PROVEN:
                    value -= ply
                elif value <= -PROVEN:
                    value += ply
                if (bound != UPPER if value >= beta else bound != LOWER) and nocapture + depth < self.nocapture_limit:
                    return value

        liberties = self.rules.near[opp_dux] & ~(own | opp)
        may_extend = self.extends and ply < LONGEST_EXTENSION * self.depth and liberties & (liberties - 1) > 0

        self.path_keys[key] = self.path_keys.get(key, 0) + 1
        best, best_move, bound = -INFINITE, 0, UPPER
        for index, (move, child, tactical) in enumerate(self.order.staged(board, table_move, ply)):
            self.nodes += 1
            left = depth if may_extend and self._nearly_immobilised(child) else depth - 1
            if index == 0:
                value = self._value(board, child, tactical, alpha, beta, left, ply + 1)
            else:
                value = self._value(board, child, tactical, alpha, alpha + 1, left, ply + 1)
                if alpha < value < beta:
                    value = self._value(board, child, tactical, alpha, beta, left, ply + 1)
            if value > best:
                best = value
                if value > alpha:
                    alpha, best_move, bound = value, move, EXACT
                    if in_pv:
                        self.pv[ply] = (move, *self.pv[ply + 1])
                    if value >= beta:
                        bound = LOWER
                        if child[6] or hand:
                            self.order.reward(side, move, depth, ply)
                        break
        if self.path_keys[key] == 1:
            del self.path_keys[key]
        else:
            self.path_keys[key] -= 1
        if best == -INFINITE:
            return self.rules.ending(self.rules.ruleset.no_move, board) * (WIN - ply)
        if best_move >= LONGEST_TABLE_MOVE:
            best_move = 0  # a chain of more squares than a slot of the table holds
        stored = best + ply if best >= PROVEN else best - ply if best <= -PROVEN else best
        self.table.store(key, best_move, stored, depth, bound)
        return best

    def _nearly_immobilised(self, board: Board) -> bool:
        """Whether the dux of the player to move has a single open side left."""
        liberties = self.rules.near[board[2]] & ~(board[0] | board[1])
        return not liberties & (liberties - 1)

    def _quiesce(self, board: Board, alpha: int, beta: int, ply: int) -> int:
        """The value of a board when only captures, or standing pat, are considered."""
        if self.nodes >= self.poll_at:
            self._poll()
        if ply > self.seldepth:
            self.seldepth = ply
        self.pv[ply] = ()
        if board[6] >= self.counted_from and (ending := self._ending(board, ply)) is not None:
            return ending
        best = self.evaluate(board)
        if best >= beta or ply >= MAX_PLY:
            return best
        tactical = self.rules.tactical_moves(board)
        if not tactical:
            return best
        in_pv = beta - alpha > 1
        alpha = max(alpha, best)
        for _, move, child in order_captures(self.rules, board, tactical):
            self.nodes += 1
            if outcome := self.rules.decided(child):
                value = outcome * (WIN - ply - 1)
                self.pv[ply + 1] = ()
                self.seldepth = max(self.seldepth, ply + 1)
            else:
                value = self._quiesce(child, -beta, -alpha, ply + 1)
            value = -value
            if value > best:
                best = value
                if value > alpha:
                    alpha = value
                    if in_pv:
                        self.pv[ply] = (move, *self.pv[ply + 1])
                    if value >= beta:
                        break
        return best

    def _ending(self, board: Board, ply: int) -> int | None:
        """The value of a board that ends the game by repetition or by the no-capture limit.

        A second occurrence below the root is taken for the draw that it can be made into. Where the
        repeater loses only the third itself ends the game.
        """
        key = board[5]
        on_path = self.path_keys.get(key, 0)
        if on_path + self.game_keys.get(key, 0) >= REPETITION_COUNT - 1:
            # Whoever moved here repeated: the other side of the player to move.
            return WIN - ply if self.repeater_loses else 0
        if on_path and not self.repeater_loses:
            return 0
        if board[6] >= self.nocapture_limit:
            return self.rules.ending(self.rules.ruleset.nocapture_result, board) * (WIN - ply)
        return None

    def _poll(self) -> None:
        limit = self.task.nodes
        if limit is not None and self.nodes >= limit or self.should_stop():
            raise _StoppedError
        self.poll_at = self.nodes + POLL_NODES if limit is None else min(self.nodes + POLL_NODES, limit)
