"""Mine puzzles: positions with one clearly best line, from games, tested and rated with an engine."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from latrones_uci.client.engine import Engine
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, LatronesError, Move, Position, canonical_key
from latrones_uci.game.history import push_parsed
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED
from latrones_uci.match.openings import RandomOpenings, opening_sequence
from latrones_uci.records.suite import SuitePosition
from latrones_uci.stats.estimate import score_from_elo
from latrones_uci.text.protocol import Score, SearchInfo

_CERTAIN_CENTI = 10_000  # a proven win
_HELD_CENTI = 75  # a score below it is not an advantage, but a position that is held
_MOST_PLIES = 300  # of a game of self-play
_MOST_LINE = 13  # plies of a solution
_MOST_TURNS = 6  # of a forced win
_MOST_EXTRA = 4  # plies, since sides need not alternate
_REST_PLIES = 6  # after a puzzle, before the next one of the same game
_LEAST_CALM = 0.5  # share of the plies without a capture that must be left before the limit ends the game
_RATED_LEVELS = 8
_TRIES = 3  # of each level, with different random seeds
_OF_LEVEL = Limit(nodes=1_000_000)  # above what any level searches
_ELO_STEPS = 30
_SINGLE_SHARE = 6  # one puzzle of so many may have a solution of one move


@dataclass(frozen=True)
class MiningSettings:
    """What makes a puzzle. Scores are centi-soldiers for the player to move; a proven win is 10,000."""

    nodes: tuple[int, int, int] = (1000, 20_000, 100_000)
    """Nodes of the searches that find, test and verify a position. The last two must agree on each move."""
    margin: int = 200
    """Least difference between the best and the second-best move."""
    most_second: int = 300
    """The greatest score of the second-best move: above it, the game is won anyway."""
    least_best: int = -150
    """The least score of the best move: below it, the game is lost anyway."""
    least_moves: int = 2
    """Least number of solver's moves, except for wins in one turn."""
    random_moves: int = 25
    """Percentage of random moves in self-play."""
    opening_plies: int = 6
    """Random plies before a game of self-play."""

    def accepts(self, best: Score, second: Score) -> bool:
        """Return whether the scores of the two best moves show that only the best one is good.

        Beside a proven win, which a puzzle asks for, any other move may be good that is not one.
        """
        first, other = _centi(best), _centi(second)
        if best.mate is not None and first > 0:
            return second.mate is None or other < 0
        return first - other >= self.margin and other <= self.most_second and first >= self.least_best

    def continues(self, best: Score, second: Score) -> bool:
        return _centi(best) - _centi(second) >= self.margin // 2


def _centi(score: Score) -> int:
    if score.mate is not None:
        wins = score.won or score.mate > 0
        return _CERTAIN_CENTI - score.mate if wins else -_CERTAIN_CENTI - score.mate
    return score.cp or 0


def self_play(engine: Engine, start: Position, seed: int, settings: MiningSettings) -> Iterator[Game]:
    """Yield games of an engine against itself, from random openings and with random moves, without an end.

    Raises:
        EngineError: the engine failed.
    """
    chance = random.Random(seed)
    limit = Limit(nodes=max(1, settings.nodes[0] // 10))
    while True:
        number = chance.getrandbits(32)
        opening = next(opening_sequence(start, RandomOpenings(settings.opening_plies), number))
        game = Game(opening.position)
        engine.new_game(game)
        while game.outcome() is None and len(game.moves) < _MOST_PLIES:
            at_random = chance.randrange(100) < settings.random_moves
            move = chance.choice(game.legal_moves()) if at_random else engine.play(game, limit).move
            if move is None:
                break
            game.push(move)
        yield game


class Miner:
    """Finds puzzles in games; ``dropped`` counts why positions are not puzzles."""

    def __init__(self, engine: Engine, settings: MiningSettings) -> None:
        self._engine, self._settings = engine, settings
        self._known: set[object] = set()
        self.looked_at = 0
        """The number of positions that were searched."""
        self.dropped: Counter[str] = Counter()

    def mine(self, game: Game) -> Iterator[SuitePosition]:
        """Yield the puzzles in a game, without ratings and names.

        Raises:
            EngineError: the engine failed.
        """
        rest = 0
        for ply, position in enumerate(game.positions):
            if ply < rest or not _is_calm(position) or Game(position).outcome() is not None:
                continue
            self.looked_at += 1
            if not self._is_candidate(position):
                continue
            key = canonical_key(position)
            if key in self._known:
                self.dropped["seen before"] += 1
                continue
            self._known.add(key)
            found = self._puzzle(Position.from_fen(position.ruleset, position.fen()))
            if isinstance(found, str):
                self.dropped[found] += 1
            else:
                rest = ply + _REST_PLIES
                yield found

    def _is_candidate(self, position: Position) -> bool:
        if len(position.packed_moves) < 2:
            return False
        lines = self._lines(Game(position), 0)
        return lines is not None and self._settings.accepts(lines[0].score, lines[1].score)

    def _lines(self, game: Game, stage: int) -> list[SearchInfo] | None:
        return _two_lines(self._engine, game.position, self._settings.nodes[stage])

    def _puzzle(self, position: Position) -> SuitePosition | str:
        """Return the puzzle of a position, or why it is not one."""
        start, settings = Game(position), self._settings
        lines = self._only_move(start, settings.accepts)
        if lines is None:
            return "not unique at more nodes"
        mate = lines[0].score.mate
        game = self._solution(start, lines[0].pv[0])
        if mate is not None and mate > 0:
            if mate > _MOST_TURNS:
                return "wins in too many turns"
            won = self._to_the_end(game, mate)
            if won is None:
                return "win not shown to the end"
            game = won
        moves = [(before, move) for before, move in zip(game.positions, game.moves, strict=False)
                 if before.side == position.side]
        if len(moves) < settings.least_moves and mate != 1:
            return "too short"
        themes = _themes_of(position, mate, game, lines, settings.margin)
        if not themes:
            return "no theme"
        if mate != 1 and all(_is_greedy(before, move) for before, move in moves):
            return "only takes what hangs"
        dm = mate if mate is not None and mate > 0 else None
        if dm is None and _goes_back([move for _, move in moves]):
            return "goes to and fro"
        return SuitePosition("", start, (moves[0][1],), dm, themes, None, tuple(game.moves))

    def _only_move(self, game: Game, accepts: Callable[[Score, Score], bool]) -> list[SearchInfo] | None:
        """Return the lines of the verifying search if both searches agree on the only good move."""
        kept: list[SearchInfo] | None = None
        for stage in (1, 2):
            lines = self._lines(game, stage)
            if lines is None or not accepts(lines[0].score, lines[1].score):
                return None
            if kept is not None and kept[0].pv[0] != lines[0].pv[0]:
                return None
            kept = lines
        return kept

    def _solution(self, start: Game, first: str) -> Game:
        """Return the game with the solution: best replies, and moves of the solver while only one is good."""
        game, side = start.copy(), start.position.side
        game.push(first)
        solved = len(game.moves)
        while game.outcome() is None and len(game.moves) < _MOST_LINE:
            if game.position.side != side:
                reply = self._best(game)
                if reply is None:
                    break
                game.push(reply)
                continue
            if (lines := self._only_move(game, self._settings.continues)) is None:
                break
            game.push(lines[0].pv[0])
            solved = len(game.moves)
        return game.up_to(solved)

    def _best(self, game: Game) -> Move | None:
        limit = Limit(nodes=self._settings.nodes[2])
        return self._engine.play(Game(game.position), limit).move

    def _to_the_end(self, game: Game, turns: int) -> Game | None:
        """Return a won game played on with the best moves of both sides; None if it is not won in so many turns."""
        game, side = game.copy(), game.start.side
        while (outcome := game.outcome()) is None and len(game.moves) < 2 * turns + _MOST_EXTRA:
            if (move := self._best(game)) is None:
                return None
            game.push(move)
        won = outcome is not None and outcome.winner == side and game.positions[-2].side == side
        own = sum(position.side == side for position in game.positions[:-1])
        return game if won and own <= turns else None


def _two_lines(engine: Engine, position: Position, nodes: int) -> list[SearchInfo] | None:
    """Return the two best lines of the deepest iteration that has both, or else the last of each; None without."""
    last: dict[int, SearchInfo] = {}
    by_depth: dict[int, dict[int, SearchInfo]] = {}
    with engine.analysis(Game(position), Limit(nodes=nodes), multipv=2) as reports:
        for info in reports:
            if info.pv and not info.score.bound:
                last[info.multipv] = by_depth.setdefault(info.depth or 0, {})[info.multipv] = info
    whole = max((depth for depth, lines in by_depth.items() if lines.keys() == {1, 2}), default=None)
    found = last if whole is None else by_depth[whole]  # lines of solved games differ in depth
    return [found[1], found[2]] if found.keys() == {1, 2} else None


def verified(
    puzzle: SuitePosition, engine: Engine, nodes: int, margin: int, least_moves: int = 2
) -> SuitePosition | str:
    """Return a puzzle with the line and the themes that new searches confirm, or why it is no puzzle.

    Without a forced win, the first move is the best by ``margin``, and the line ends before the first later move of the
    solver that is not the best by half of it. With one, the first move wins in the promised number of turns, and no
    other move does.

    Args:
        puzzle: a puzzle with a line.
        engine: an engine, started, without a limit of strength.
        nodes: nodes of each search.
        margin: least difference between the first move and the next best, in centi-soldiers.
        least_moves: least number of solver's moves, except for forced wins.

    Raises:
        EngineError: the engine failed.
    """
    start, solution = puzzle.game.position, puzzle.solution()
    first: list[SearchInfo] | None = None
    confirmed = solved = 0  # plies, and moves of the solver in them
    for ply, (position, move) in enumerate(zip(solution.positions, solution.moves, strict=False)):
        if position.side != start.side:
            continue
        if not first or (puzzle.mate_turns is None and len(position.packed_moves) > 1):
            alone = Position.from_fen(position.ruleset, position.fen())
            engine.new_game(alone)
            lines = _two_lines(engine, alone, nodes)
            problem = "no second line" if lines is None else _problem(
                lines, str(move), puzzle.mate_turns, margin // 2 if first else margin)
            if problem and (puzzle.mate_turns is not None or solved < least_moves):
                return f"{move}: {problem}"
            if problem:
                break
            first = first or lines
        confirmed, solved = ply + 1, solved + 1
    assert first is not None  # the first move of a line is the solver's
    solution = solution.up_to(confirmed)
    themes = _themes_of(start, puzzle.mate_turns, solution, first, margin)
    return replace(puzzle, themes=themes, line=tuple(solution.moves)) if themes else "no theme"


def _problem(lines: Sequence[SearchInfo], move: str, turns: int | None, margin: int) -> str:
    (best, best_score), (other, other_score) = ((line.pv[0], line.score) for line in lines)
    if best != move:
        return f"{best} is better"
    if turns is None:
        gap = _centi(best_score) - _centi(other_score)
        return f"{other} is worse by {gap} only" if gap < margin else ""
    if best_score.mate != turns:
        return f"no win in {turns}, but {best_score}"
    return f"{other} wins as fast" if other_score.mate == turns else ""


def _is_calm(position: Position) -> bool:
    limit = position.ruleset.nocapture_limit
    is_placing = bool(position.hand) and position.ruleset.board != "wheel"  # there, a placement can win
    return not is_placing and (not limit or position.nocapture <= limit * _LEAST_CALM)


def _is_greedy(position: Position, move: Move) -> bool:
    counts = [len(position.lifted(position.after(other))) for other in position.packed_moves]
    taken = len(position.captures(move))
    return taken == max(counts) and counts.count(taken) == 1


def _goes_back(moves: Sequence[Move]) -> bool:
    ways = [(move.squares[0], move.squares[-1]) for move in moves if len(move.squares) > 1]
    return any((target, origin) in ways[:at] for at, (origin, target) in enumerate(ways))


def _themes_of(
    position: Position, mate: int | None, solution: Game, lines: Sequence[SearchInfo], margin: int
) -> tuple[str, ...]:
    """Return what a puzzle is about; ``lines`` are the two best at the first move, ``margin`` is the least gap there.

    Only a lost game is a loss that is averted; where the other moves cost soldiers, the position is defended.
    """
    themes = []
    if mate is not None and mate > 0:
        themes.append("win")
        if _ends_by_dux(solution):
            themes.append("shut-in")
    captures = [before.captures(move) for before, move in zip(solution.positions, solution.moves, strict=False)
                if before.side == position.side]
    if any(len(taken) > 1 for taken in captures):
        themes.append("double-capture")
    elif any(captures):
        themes.append("capture")
    best, second = (_centi(line.score) for line in lines)
    if best < _HELD_CENTI and second <= -margin:
        if lines[1].score.mate is None:
            themes.append("defend")
        else:
            themes.append("save-dux" if _loses_dux(position, lines[1]) else "escape")
    return tuple(themes)


def _ends_by_dux(game: Game) -> bool:
    outcome = game.outcome()
    return outcome is not None and outcome.details in (DUX_CAPTURED, DUX_IMMOBILISED)


def _loses_dux(position: Position, info: SearchInfo) -> bool:
    game = Game(position)
    try:
        for text in info.pv:
            game.push(text)
    except LatronesError:  # an engine's line may be wrong at its end
        return False
    return _ends_by_dux(game)


# ---------------------------------------------------------------- ratings and the choice


@dataclass(frozen=True)
class Solver:
    engine: Engine
    """The engine, started, with ``UCI_LimitStrength`` and ``UCI_Elo``."""
    ratings: tuple[int, ...]
    """The ratings that it plays at."""

    @classmethod
    def of(cls, engine: Engine, start: Position) -> "Solver | None":
        """Return the tries of a running engine; None if its levels have no measured ratings in this game."""
        engine.new_game(start)
        measured = engine.controller.ratings()
        if measured is None:
            return None
        low, high = measured
        return cls(engine, tuple(low + (high - low) * step // (_RATED_LEVELS - 1) for step in range(_RATED_LEVELS)))

    def rated(self, puzzle: SuitePosition) -> SuitePosition:
        """Return a puzzle with the rating at which a player solves it half of the time, by maximum likelihood.

        Half a puzzle is added as solved and half as missed at the middle of the scale, so that the rating is finite.
        """
        controller = self.engine.controller
        controller.set_option("UCI_LimitStrength", "true")
        solved = 0
        for rating in self.ratings:
            controller.set_option("UCI_Elo", str(rating))
            for seed in range(1, _TRIES + 1):
                controller.set_option("Skill Seed", str(seed))
                solved += self._solves(puzzle)
        controller.set_option("UCI_LimitStrength", "false")
        return replace(puzzle, rating=fitted_rating(self.ratings, _TRIES, solved))

    def _solves(self, puzzle: SuitePosition) -> bool:
        game = puzzle.game.copy()
        for move in puzzle.line:
            if game.position.side == puzzle.game.position.side:
                self.engine.new_game(Game(game.position))
                if self.engine.play(Game(game.position), _OF_LEVEL).move != move:
                    return False
            push_parsed(game, move)
        return True


def fitted_rating(ratings: Sequence[int], tries: int, solved: int) -> int:
    """Return the rating of a puzzle that players of these ratings, with as many tries each, solved so often."""
    low, high = float(ratings[0] - 400), float(ratings[-1] + 400)
    middle = (ratings[0] + ratings[-1]) / 2
    for _ in range(_ELO_STEPS):
        guess = (low + high) / 2
        expected = sum(tries * score_from_elo(rating - guess) for rating in ratings) + score_from_elo(middle - guess)
        low, high = (guess, high) if expected > solved + 0.5 else (low, guess)
    return max(ratings[0], round((low + high) / 2))


def chosen(puzzles: Sequence[SuitePosition], count: int) -> list[SuitePosition]:
    """Return ``count`` puzzles, easy ones first, spread over the ratings and over the themes; few of a single move."""
    ordered = sorted(puzzles, key=lambda puzzle: (puzzle.rating or 0, len(puzzle.line)))
    single = [puzzle for puzzle in ordered if len(puzzle.line) == 1]
    dropped = set(map(id, single[max(1, count // _SINGLE_SHARE):]))
    ordered = [puzzle for puzzle in ordered if id(puzzle) not in dropped]
    found, used = list[SuitePosition](), Counter[str]()
    count = min(count, len(ordered))
    for step in range(count):
        part = ordered[step * len(ordered) // count:(step + 1) * len(ordered) // count]
        best = min(part, key=lambda puzzle: min(used[theme] for theme in puzzle.themes))
        used.update(best.themes)
        found.append(best)
    return found


def named(puzzles: Sequence[SuitePosition]) -> list[SuitePosition]:
    return [replace(puzzle, name=f"{puzzle.game.start.ruleset.name} {puzzle.game.start.geometry.name} {number}")
            for number, puzzle in enumerate(puzzles, start=1)]
