"""Iterative deepening negamax alpha-beta over ``game.rules``.

Every search function here has the same contract: given a window (alpha, beta), it returns a value v of the position
for the player to move. v is a lower bound of the true value if v >= beta, an upper bound if v <= alpha, and the true
value otherwise (fail-soft). The true value is the minimax value at that depth with quiescence at the leaves; the
``selective`` techniques deviate from it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

from latrones_uci.engine.python.evaluation import Evaluate, evaluator
from latrones_uci.engine.python.transposition_table import EXACT, LOWER, UPPER, TranspositionTable
from latrones_uci.engine.tables.directory import plies_to_end
from latrones_uci.engine.types import (
    INFINITE,
    MAX_PLY,
    MAX_TABLE_PLIES,
    PROVEN,
    TABLE_PROVEN,
    TABLE_WIN,
    WIN,
    CurrentMove,
    IterationProgress,
    Reporter,
    SearchResult,
    Task,
    to_score,
)
from latrones_uci.game import Game, PackedMove
from latrones_uci.game.encoding import PASS, Board
from latrones_uci.game.history import REPETITION_COUNT
from latrones_uci.game.rules import Rules
from latrones_uci.text.protocol import Bound, SearchInfo

POLL_NODES = 256
"""Number of nodes between checks of the limits."""
ASPIRATION_DEPTH = 3
"""First iteration with an aspiration window."""
ASPIRATION_WINDOW = 40
"""Half the width of the first aspiration window, in centi-soldiers."""
ASPIRATION_GROWTH = 4
"""Factor by which the window grows after each failure."""
EXTENSION_LIMIT = 2
"""Moves that leave the enemy dux one open side are extended by a ply, up to this multiple of the depth."""
QUIESCENCE_PLIES = 8
"""Maximum plies of captures in quiescence: on a full board they never end."""
QUIESCENCE_CAPTURES = 1000
"""Maximum captures that the quiescence of a leaf lists."""
FIRST_ITERATION_CAPTURES = 4000
"""Maximum captures that the quiescence of the first iteration lists for a line, so that it never takes long."""
MIN_PLIES_TO_REPEAT = 4
NO_LIMIT = 1 << 30
MAX_TABLE_MOVE = 1 << 63
"""Moves at or above this have too many squares for a table slot."""
HISTORY_LIMIT = 1 << 20
WINNING_RANK = -1000
"""Rank of a capture that wins the game."""


_Staged = Generator[tuple[PackedMove, Board, bool], None, None]
"""Moves, with the board after each and whether it may have decided the game."""


class _StoppedError(Exception):
    """Unwinds a search that has reached its time or node limit."""


class _Result(NamedTuple):
    """The reported result of a root move."""

    depth: int
    seldepth: int
    score: int
    bound: Bound
    pv: tuple[PackedMove, ...]


@dataclass
class _RootMove:
    """A root move with its latest score and line.

    ``result`` is the result of its last completed search. Unlike ``score``, it stays exact if the search stops after a
    score outside the window.
    """

    move: PackedMove
    score: int = -INFINITE
    pv: tuple[PackedMove, ...] = ()
    result: _Result | None = None

    def update(self, result: _Result) -> None:
        self.score, self.pv, last = result.score, result.pv, self.result
        if not result.bound or last is None or last.bound or last.depth < result.depth - 1:
            self.result = result


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
        report: Reporter,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
        *,
        selective: bool = True,
        evaluate: Evaluate | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            game: the game so far; it must not be over.
            table: the transposition table, kept between the searches of a game.
            task: the limits of the search, except for time.
            report: called with progress.
            should_stop: called about every ``POLL_NODES`` nodes.
            wants_depth: called before each iteration after the first; returns whether to start it.
            selective: use extensions, and table entries from deeper searches; without them the score is the plain
                minimax value.
            evaluate: the static evaluation, None for the hand-written one.
        """
        self.position, self.rules, self.root = game.position, game.position.rules, game.position.board
        self.table, self.task, self.report = table, task, report
        self.should_stop, self.wants_depth, self.selective = should_stop, wants_depth, selective
        self.evaluate = evaluate or evaluator(self.rules)
        self.order = MoveOrder(self.rules)
        self.nocapture_limit = self.rules.ruleset.nocapture_limit or NO_LIMIT
        self.repeater_loses = self.rules.ruleset.repetition == "loss"
        self.extends = selective and self.rules.ruleset.dux_needs_open_side
        self.passes, self.forbids = self.rules.passes, self.rules.forbids_repetition
        # With fewer plies since the last capture, a position cannot be a repetition, be at the no-capture limit or
        # follow two passes.
        self.first_ending = min(2 if self.passes else MIN_PLIES_TO_REPEAT, self.nocapture_limit)
        self.tables = task.tables
        # A wide set contains each piece four times.
        self.most_bits = 0 if task.tables is None else 4 * task.tables.most_men
        self.table_hits = 0
        # The number of occurrences of each position in the game, including the root, and on the path below the root.
        self.game_keys: dict[int, int] = {}
        for past in game.positions:
            self.game_keys[past.key] = self.game_keys.get(past.key, 0) + 1
        self.path_keys: dict[int, int] = {}
        # Where repetition is illegal, the keys of the arrangements of the game and the path, which must not recur.
        self.past = Counter(arrangement[0] for arrangement in self.position.past_arrangements())
        # The keys of the positions on the path by ply, starting with the position before the root.
        before = game.positions[-2].key if len(game.positions) > 1 else None
        self.trail: list[int | None] = [before, self.root[5], *[None] * (MAX_PLY + 2)]
        self.pv: list[tuple[PackedMove, ...]] = [()] * (MAX_PLY + 2)
        self.nodes = self.reported_nodes = self.depth = self.seldepth = 0
        # Captures listed in quiescence, plus one per list; their number where that of this leaf ends, and its maximum.
        self.captures = self.leaf_captures = 0
        self.captures_end = NO_LIMIT
        # The first check comes late enough to complete the first iteration even with very little time.
        self.poll_at = POLL_NODES if task.nodes is None else min(POLL_NODES, task.nodes)

    # ---------------------------------------------------------------- root

    def run(self) -> SearchResult:
        """Deepen until a limit is reached.

        The result always has a move: the first move of the task if nothing was searched.
        """
        moves = [_RootMove(move) for move in self.task.root_moves]
        self.table.new_search()
        steady = fallen = 0
        settled = False
        try:
            for depth in range(1, self.task.depth + 1):
                if depth > 1 and not self.wants_depth(IterationProgress(steady, settled, fallen)):
                    break
                previous_best, previous_score = moves[0].move, moves[0].score
                self._iterate(moves, depth)
                fallen = max(previous_score - moves[0].score, 0) if depth > 1 else 0
                steady = steady + 1 if moves[0].move == previous_best else 0
                settled = WIN - abs(moves[0].score) <= depth
                if self.task.mate is not None and moves[0].score >= WIN - 2 * self.task.mate:
                    break
        except _StoppedError:
            pass
        if self.nodes != self.reported_nodes:
            self._report_totals(moves)
        best = moves[0]
        pv = best.result.pv if best.result else ()
        return SearchResult(best.move, pv[1] if len(pv) > 1 else None, self.nodes)

    def _iterate(self, moves: list[_RootMove], depth: int) -> None:
        """Search to ``depth`` and sort the best ``multipv`` moves to the front."""
        self.depth = self.seldepth = depth
        lines = min(self.task.multipv, len(moves))
        for rank in range(lines):
            self._search_line(moves, rank, depth)
        moves[:lines] = sorted(moves[:lines], key=lambda move: -move.score)
        for rank, move in enumerate(moves[:lines]):
            self._report(rank, _Result(depth, self.seldepth, move.score, "", move.pv))

    def _search_line(self, moves: list[_RootMove], rank: int, depth: int) -> None:
        """Find the best move from ``rank`` on, in an aspiration window around its previous score."""
        previous, window = moves[rank].score, ASPIRATION_WINDOW
        alpha, beta = -INFINITE, INFINITE
        if depth >= ASPIRATION_DEPTH and abs(previous) < PROVEN:
            alpha, beta = previous - window, previous + window
        while True:
            score = self._search_root(moves, rank, alpha, beta, depth)
            if alpha < score < beta:
                return
            bound: Bound = "upper" if score <= alpha else "lower"
            self._report(rank, _Result(depth, self.seldepth, score, bound, moves[rank].pv))
            window *= ASPIRATION_GROWTH
            if score <= alpha:
                alpha = score - window if score > -PROVEN else -INFINITE
            else:
                beta = score + window if score < PROVEN else INFINITE

    def _report(self, rank: int, result: _Result) -> None:
        if rank == 0:
            self.reported_nodes = self.nodes
        pv = tuple(self.position.named_move(move) for move in result.pv)
        score = to_score(result.score, result.bound)
        seldepth = max(result.seldepth, len(pv))  # a line from the table may be longer than the iteration was deep
        self.report(SearchInfo(
            result.depth, seldepth, rank + 1, score, self.nodes, self.table.hashfull(), pv,
            tbhits=self.table_hits or None))

    def _report_totals(self, moves: list[_RootMove]) -> None:
        """Report the final lines with the totals of the whole search, after it stopped inside an iteration."""
        for rank, move in enumerate(moves[:self.task.multipv]):
            if move.result is not None:
                self._report(rank, move.result)

    def _search_root(self, moves: list[_RootMove], rank: int, alpha: int, beta: int, depth: int) -> int:
        """Search the root moves from ``rank`` on; put each new best move at ``rank`` immediately."""
        best = -INFINITE
        self.path_keys.clear()
        first_captures_end = self.captures + FIRST_ITERATION_CAPTURES
        for index in range(rank, len(moves)):
            root_move = moves[index]
            self.report(CurrentMove(depth, self.position.named_move(root_move.move), index + 1))
            child = self.rules.play(self.root, root_move.move)
            first = self.rules.arrangements(self.root, root_move.move)[0][0] if self.forbids else 0
            self.past[first] += 1
            self.nodes += 1
            self.leaf_captures = QUIESCENCE_CAPTURES
            if depth == 1:  # what is left is shared by the remaining moves
                left = max(first_captures_end - self.captures, 0)
                self.leaf_captures = min(QUIESCENCE_CAPTURES, left // (len(moves) - index))
            if index == rank:
                score = self._value(self.root, child, True, alpha, beta, depth - 1, 1)
            else:
                score = self._value(self.root, child, True, alpha, alpha + 1, depth - 1, 1)
                if alpha < score < beta:
                    score = self._value(self.root, child, True, alpha, beta, depth - 1, 1)
            self.past[first] -= 1
            if score > alpha or index == rank:
                bound: Bound = "upper" if score <= alpha else "lower" if score >= beta else ""
                root_move.update(_Result(depth, self.seldepth, score, bound, (root_move.move, *self.pv[1])))
                moves.insert(rank, moves.pop(index))
            best = max(best, score)
            alpha = max(alpha, score)
            if alpha >= beta:
                break
        return best

    # ---------------------------------------------------------------- inner nodes

    def _value(self, board: Board, child: Board, tactical: bool, alpha: int, beta: int, depth: int, ply: int) -> int:
        """Return the value of ``board`` after the move to ``child`` (at ``ply``), searched to ``depth``."""
        if tactical and (outcome := self.rules.decided(child)):
            value = outcome * (WIN - ply)
            self.pv[ply] = ()
            return value if child[4] == board[4] else -value
        if child[4] == board[4]:
            return self._search(child, alpha, beta, depth, ply)
        return -self._search(child, -beta, -alpha, depth, ply)

    def _search(self, board: Board, alpha: int, beta: int, depth: int, ply: int) -> int:
        """Return the value of an undecided board after a move; see the contract above."""
        # Step 1. Quiescence search at the leaves
        if depth <= 0 or ply > MAX_PLY - 1:
            last_ply = MAX_PLY
            if self.selective:
                last_ply = min(ply + QUIESCENCE_PLIES, MAX_PLY)
                self.captures_end = self.captures + self.leaf_captures
            return self._quiesce(board, alpha, beta, ply, last_ply)
        own, opp, _, opp_dux, side, key, nocapture, _, hand = board
        if self.nodes >= self.poll_at:
            self._poll()
        pv_node = beta - alpha > 1
        self.pv[ply] = ()
        self.trail[ply + 1] = key

        # Step 2. Repetition and the no-capture limit
        if nocapture >= self.first_ending and (ending := self._ending(board, ply)) is not None:
            return ending

        # Step 3. Endgame tables
        if self.most_bits and (own | opp).bit_count() <= self.most_bits:
            exact = self._in_tables(board, ply)
            if exact is not None:
                return exact

        # Step 4. Mate distance pruning: no line from here wins before the next ply, or loses before this one
        if self.selective:
            alpha, beta = max(alpha, ply - WIN), min(beta, WIN - ply - 1)
            if alpha >= beta:
                return alpha

        # Step 5. Transposition table lookup
        tt_move = 0
        if (tt_entry := self.table.probe(key)) is not None:
            tt_move, tt_value, tt_depth, tt_bound = tt_entry
            # Where repetition is illegal, values may depend on the path, so a plain search does not use them.
            if not pv_node and (tt_depth >= depth if self.selective else tt_depth == depth and not self.forbids):
                if tt_value >= TABLE_PROVEN:
                    tt_value -= ply
                elif tt_value <= -TABLE_PROVEN:
                    tt_value += ply
                cuts = tt_bound != UPPER if tt_value >= beta else tt_bound != LOWER
                if cuts and nocapture + depth < self.nocapture_limit:
                    return tt_value

        # Step 6. Loop over the moves
        liberties = self.rules.near[opp_dux] & ~(own | opp)
        # A move fills one open side at most. While pieces are placed, the same player may be to move again.
        may_extend = (self.extends and ply < EXTENSION_LIMIT * self.depth
                      and (liberties & (liberties - 1) > 0 if hand else liberties.bit_count() == 2))
        self.path_keys[key] = self.path_keys.get(key, 0) + 1
        best_value, best_move, bound = -INFINITE, 0, UPPER
        repeating: list[PackedMove] = []
        moves = self.order.staged(board, tt_move, ply)
        if self.forbids:
            moves = self._without_repetition(board, moves, repeating)
        for index, (move, child, tactical) in enumerate(moves):
            self.nodes += 1

            # Step 7. Extend moves that leave the enemy dux a single open side
            new_depth = depth if may_extend and self._in_danger(child) else depth - 1

            # Step 8. Principal variation search: zero window for all but the first move
            if index == 0:
                value = self._value(board, child, tactical, alpha, beta, new_depth, ply + 1)
            else:
                value = self._value(board, child, tactical, alpha, alpha + 1, new_depth, ply + 1)
                if alpha < value < beta:
                    value = self._value(board, child, tactical, alpha, beta, new_depth, ply + 1)

            # Step 9. New best move, and beta cutoff
            if value > best_value:
                best_value = value
                if value > alpha:
                    alpha, best_move, bound = value, move, EXACT
                    if pv_node:
                        self.pv[ply] = (move, *self.pv[ply + 1])
                    if value >= beta:
                        bound = LOWER
                        if child[6] or hand:
                            self.order.reward(side, move, depth, ply)
                        break
        moves.close()
        if self.path_keys[key] == 1:
            del self.path_keys[key]
        else:
            self.path_keys[key] -= 1

        # Step 10. No legal move
        if best_value == -INFINITE:
            return self.rules.ending(self.rules.ruleset.no_move, board) * (WIN - ply)
        if repeating:
            return best_value  # not stored, since the value is only valid on this path

        # Step 11. Store the result in the transposition table
        if best_move >= MAX_TABLE_MOVE:
            best_move = 0
        stored = best_value
        if best_value >= TABLE_PROVEN:
            stored += ply
        elif best_value <= -TABLE_PROVEN:
            stored -= ply
        self.table.store(key, best_move, stored, depth, bound)
        return best_value

    def _without_repetition(
        self, board: Board, staged: _Staged, repeating: list[PackedMove]
    ) -> _Staged:
        """Yield the staged moves that repeat nothing; if there are none and the game has passes, yield a pass.

        While a move is searched, the arrangement after its first leg counts as having occurred. Repeating moves are
        added to ``repeating``.
        """
        moves = 0
        for staged_move in staged:
            move = staged_move[0]
            made = [arrangement[0] for arrangement in self.rules.arrangements(board, move)]
            if move != PASS and any(self.past[key] for key in made):
                repeating.append(move)
                continue
            moves += 1
            yield from self._occurring(made[0], staged_move)
        if not moves and repeating and self.passes:
            passed = self.rules.play(board, PASS)
            yield from self._occurring(self.rules.arrangement(passed)[0], (PASS, passed, False))

    def _occurring(self, key: int, staged_move: tuple[PackedMove, Board, bool]) -> _Staged:
        self.past[key] += 1
        try:
            yield staged_move
        finally:
            self.past[key] -= 1

    def _in_danger(self, board: Board) -> bool:
        """Return whether the dux of the player to move has at most one open side."""
        liberties = self.rules.near[board[2]] & ~(board[0] | board[1])
        return not liberties & (liberties - 1)

    def _quiesce(self, board: Board, alpha: int, beta: int, ply: int, last_ply: int) -> int:
        """Return the value of a board with captures searched up to ``last_ply``, or no move at all (stand pat)."""
        if self.nodes >= self.poll_at:
            self._poll()
        if ply > self.seldepth:
            self.seldepth = ply
        self.pv[ply] = ()
        self.trail[ply + 1] = board[5]

        # Step 1. Repetition and the no-capture limit
        if board[6] >= self.first_ending and (ending := self._ending(board, ply)) is not None:
            return ending

        # Step 2. Endgame tables
        if self.most_bits and (board[0] | board[1]).bit_count() <= self.most_bits:
            exact = self._in_tables(board, ply)
            if exact is not None:
                return exact

        # Step 3. Stand pat, unless there is no legal move
        if not self.rules.can_move(board):
            return self.rules.ending(self.rules.ruleset.no_move, board) * (WIN - ply)
        best_value = self.evaluate(board)
        if best_value >= beta or ply >= last_ply or self.captures >= self.captures_end:
            return best_value

        # Step 4. Loop over the captures
        tactical = self.rules.tactical_moves(board)
        if not tactical:
            return best_value
        self.captures += 1 + len(tactical)
        pv_node = beta - alpha > 1
        alpha = max(alpha, best_value)
        for index, (_, move, child) in enumerate(order_captures(self.rules, board, tactical)):
            if index and self.captures >= self.captures_end:
                break
            self.nodes += 1
            if outcome := self.rules.decided(child):
                value = outcome * (WIN - ply - 1)
                self.pv[ply + 1] = ()
                self.seldepth = max(self.seldepth, ply + 1)
            else:
                value = self._quiesce(child, -beta, -alpha, ply + 1, last_ply)
            value = -value
            if value > best_value:
                best_value = value
                if value > alpha:
                    alpha = value
                    if pv_node:
                        self.pv[ply] = (move, *self.pv[ply + 1])
                    if value >= beta:
                        break
        return best_value

    def _in_tables(self, board: Board, ply: int) -> int | None:
        """Return the value of an undecided board in the endgame tables, None if it is in no table."""
        assert self.tables is not None
        value = self.tables.value(board)
        if value is None:
            return None
        self.table_hits += 1
        rest = plies_to_end(self.tables, self.rules, board, value)
        return value.outcome * ((TABLE_WIN if rest is None or rest > MAX_TABLE_PLIES else WIN - rest) - ply)

    def _ending(self, board: Board, ply: int) -> int | None:
        """Return the value of a board that ends the game by repetition, the no-capture limit or passes, else None.

        A second occurrence below the root counts as a draw, since it can be repeated. In games where the repeater
        loses, only the third occurrence counts.
        """
        key = board[5]
        if not self.forbids:
            on_path = self.path_keys.get(key, 0)
            if on_path + self.game_keys.get(key, 0) >= REPETITION_COUNT - 1:
                # The opponent of the player to move made the repeating move.
                return WIN - ply if self.repeater_loses else 0
            if on_path and not self.repeater_loses:
                return 0
        if board[6] >= self.nocapture_limit:
            return self.rules.ending(self.rules.ruleset.nocapture_result, board) * (WIN - ply)
        if self.passes and self.trail[ply - 1] == key:
            return 0  # only two passes lead back to a position in two plies
        return None

    def _poll(self) -> None:
        """Raise ``_StoppedError`` if a limit is reached."""
        limit = self.task.nodes
        if limit is not None and self.nodes >= limit or self.should_stop():
            raise _StoppedError
        self.poll_at = self.nodes + POLL_NODES if limit is None else min(self.nodes + POLL_NODES, limit)


# ---------------------------------------------------------------- move ordering


class MoveOrder:
    """Move ordering learned from beta cutoffs.

    The killers of a ply are the last two quiet moves that caused a cutoff there. The history of a move grows with the
    square of the depth of its cutoffs.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._killers: list[tuple[PackedMove, PackedMove]] = [(-1, -1)] * (MAX_PLY + 1)
        self._history: tuple[defaultdict[PackedMove, int], ...] = (defaultdict(int), defaultdict(int))

    def staged(self, board: Board, tt_move: PackedMove, ply: int) -> _Staged:
        """Yield each legal move, the board after it, and whether it may have decided the game.

        Moves are generated in stages, so that a cutoff saves the later stages: the table move (0: none), captures by
        the number of captured pieces, killers, and the rest by history.
        """
        rules = self._rules
        if tt_move:
            yield tt_move, rules.play(board, tt_move), True
        captured: set[PackedMove] = set()
        if tactical := rules.tactical_moves(board):
            captures = order_captures(rules, board, tactical)
            for _, move, child in captures:
                if move != tt_move:
                    yield move, child, True
            captured = {move for _, move, _ in captures}
        quiets = rules.moves(board)
        quiets.sort(key=self._history[board[4]].__getitem__, reverse=True)
        for killer in self._killers[ply]:
            if killer in quiets:
                quiets.remove(killer)
                quiets.insert(0, killer)
        play_quiet, hand = rules.play_quiet, board[8]
        for move in quiets:
            if move != tt_move and move not in captured:
                child = play_quiet(board, move)
                yield move, child, hand > 0 == child[8]

    def reward(self, side: int, move: PackedMove, depth: int, ply: int) -> None:
        """Record a quiet move that caused a cutoff."""
        killers = self._killers[ply]
        if killers[1] != move:
            self._killers[ply] = (killers[1], move)
        history = self._history[side]
        history[move] += depth * depth
        if history[move] > HISTORY_LIMIT:
            for each in history:
                history[each] >>= 1


def order_captures(rules: Rules, board: Board, tactical: list[PackedMove]) -> list[tuple[int, PackedMove, Board]]:
    """Return the moves that capture or decide, each with its rank and the board after it, lowest (best) rank first."""
    captures = []
    before = board[1].bit_count()
    for move in tactical:
        child = rules.play(board, move)
        if outcome := rules.decided(child):
            # A positive outcome means that the mover blocked its own dux.
            captures.append((WINNING_RANK if outcome < 0 else -WINNING_RANK, move, child))
        elif child[0].bit_count() < before:
            captures.append((child[0].bit_count() - before, move, child))
    captures.sort()
    return captures
