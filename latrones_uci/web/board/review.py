"""The review of a game: search every position and mark bad moves, as ``latrones-uci analyse`` does."""

import threading
from collections.abc import Callable, Mapping, Sequence

from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, LatronesError
from latrones_uci.match.annotation import (
    AnalysedMove,
    Evaluation,
    Judgement,
    accuracy,
    analyse_game,
    evaluations,
    judged_moves,
    parse_judgement,
    render_judgement,
)
from latrones_uci.web.board.config import GuiConfig
from latrones_uci.web.board.variations import Note
from latrones_uci.web.notation import Json, render_whole_move, squares_of

REVIEW_LIMIT = Limit(time=0.15)
"""The limit of the search of each position."""


class Review:
    """Reviews a game in a separate thread with a separate engine."""

    def __init__(
        self, config: GuiConfig, game: Game, show: Callable[[Json], None],
        finished: Callable[["Review", list[tuple[str, str]]], None],
    ) -> None:
        """Start the review with the first engine.

        Args:
            config: the configuration with the engine.
            game: the game; it must not change.
            show: called in the thread of the review whenever ``data`` has changed.
            finished: called in the same thread at the end, with the review and a sign and a judgement for each move.
        """
        self._config, self._game = config, game
        self._show, self._finished = show, finished
        self._cancelled = False
        self.data: Json = {"plies": len(game.moves), "done": 0}
        """The progress, and finally the review, as JSON data."""
        self._thread = threading.Thread(target=self._run, name="review", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the review is running."""
        return self._thread.is_alive() and not self._cancelled

    def cancel(self, wait: bool = False) -> None:
        """Stop the review; with ``wait``, wait for its engine to end."""
        self._cancelled = True
        if wait:
            self._thread.join()

    def _run(self) -> None:
        engine = self._config.engine(0, lambda: self._cancelled)
        try:
            moves = analyse_game(self._game, engine, REVIEW_LIMIT, self._progress)
            self._tell(review_data(self._game, moves))
            self._finished(self, [(move.mark, render_judgement(move.judgement)) for move in moves])
        except EngineError as error:
            self._tell({"plies": len(self._game.moves), "problem": f"The review has failed: {error}"})
        except WaitInterruptedError:
            pass
        finally:
            engine.close()

    def _progress(self, done: int) -> None:
        self._tell({"plies": len(self._game.moves), "done": done})

    def _tell(self, data: Json) -> None:
        if not self._cancelled:
            self.data = data
            self._show(data)


def annotated_review(game: Game, notes: Mapping[int, Note]) -> Json | None:
    """Return the review contained in the notes on a game by ply, None if a move has no judgement."""
    judgements: list[Judgement] = []
    for ply, position in enumerate(game.positions[:-1]):
        judgement = parse_judgement(notes[ply].judgement)[0] if ply in notes else None
        if judgement is None:
            return None
        try:
            position.parse_move(judgement.best)
        except LatronesError:
            return None
        if judgements and not judgements[-1].after.known:  # a file from before version 0.3
            after = Evaluation(judgement.info.score, position.side)
            judgements[-1] = judgements[-1]._replace(after=after, after_depth=judgement.info.depth)
        judgements.append(judgement)
    if not judgements:
        return None
    return review_data(game, judged_moves(game, judgements), [notes[ply].sign for ply in range(len(judgements))])


def review_data(game: Game, moves: Sequence[AnalysedMove], signs: Sequence[str] | None = None) -> Json:
    """Return a review as JSON data; ``signs`` are the marks from a file, None to mark moves by their loss.

    ``scores`` has White's score at the start and after each ply, ``moves`` the mark, the loss and the best move of each
    ply, and ``accuracy`` a percentage for White and for Black, None for a side without moves.
    """
    return {
        "plies": len(game.moves), "done": len(game.moves),
        "scores": [score.for_white(side) for score, side in evaluations(moves)],
        "moves": [_move_data(game, ply, move, move.mark if signs is None else signs[ply])
                  for ply, move in enumerate(moves)],
        "accuracy": [accuracy([move for move in moves if move.side == side]) for side in (0, 1)],
    }


def _move_data(game: Game, ply: int, move: AnalysedMove, mark: str) -> Json:
    position = game.positions[ply]
    best = position.parse_move(move.judgement.best)
    return {"mark": mark, "lost": move.lost, "best": render_whole_move(position, position.after(best), best),
            "path": squares_of(best), "fen": position.fen()}
