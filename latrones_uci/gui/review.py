"""The review of a game: search every position and mark bad moves, as ``latrones-uci analyse`` does."""

import threading
from collections.abc import Callable, Mapping, Sequence

from latrones_uci.analysis.annotation import (
    MOST_CENTI,
    AnalysedMove,
    accuracy,
    analyse_game,
    loss_of,
    render_judgement,
    value_of,
)
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, LatronesError, Outcome
from latrones_uci.gui.config import GuiConfig
from latrones_uci.gui.variations import Note
from latrones_uci.records.pgn_read import parse_search
from latrones_uci.web.notation import Json, render_whole_move, squares_of

_MOVE_S = 0.15


class Review:
    """Reviews a game in a separate thread with a separate engine.

    Attributes:
        data: the progress, and finally the review, as JSON data.
    """

    def __init__(
        self, config: GuiConfig, game: Game, outcome: Outcome | None, show: Callable[[Json], None],
        finished: Callable[["Review", list[tuple[str, str]]], None],
    ) -> None:
        """Start the review with the first engine.

        Args:
            config: the configuration with the engine.
            game: the game; it must not change.
            outcome: its outcome.
            show: called in the thread of the review whenever ``data`` has changed.
            finished: called in the same thread at the end, with the review and a sign and a judgement for each move.
        """
        self._config, self._game, self._outcome = config, game, outcome
        self._show, self._finished = show, finished
        self._cancelled = False
        self.data: Json = {"plies": len(game.moves), "done": 0}
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
            moves = analyse_game(self._game, engine, Limit(time=_MOVE_S), self._progress)
            self._tell(review_data(self._game, moves, self._outcome))
            self._finished(self, [(move.mark, render_judgement(move)) for move in moves])
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


def annotated_review(game: Game, notes: Mapping[int, Note], outcome: Outcome | None) -> Json | None:
    """Return the review contained in the notes on a game, None if a move has no judgement.

    Args:
        game: the game.
        notes: the notes on the moves, by ply.
        outcome: the outcome of the game.
    """
    bests = [notes[ply].best if ply in notes else "" for ply in range(len(game.moves))]
    if not bests or not all(bests):
        return None
    infos = [parse_search(notes[ply].judgement)[0] for ply in range(len(bests))]
    moves, values = [], [value_of(info) for info in infos]
    ended = game.outcome()
    values.append(None if ended is None else 0 if ended.winner is None
                  else MOST_CENTI if ended.winner == game.position.side else -MOST_CENTI)  # fmt: skip
    try:
        for ply, best in enumerate(bests):
            position = game.positions[ply]
            loss = loss_of(game, ply, position.parse_move(best), values[ply], values[ply + 1])
            moves.append(AnalysedMove(position.side, position.movenumber, position.move_text(game.moves[ply]), best,
                                      infos[ply], 0, loss))
    except LatronesError:
        return None
    return review_data(game, moves, outcome, [notes[ply].sign for ply in range(len(moves))])


def review_data(
    game: Game, moves: Sequence[AnalysedMove], outcome: Outcome | None, signs: Sequence[str] | None = None
) -> Json:
    """Return a review as JSON data; ``signs`` are the marks from a file, None to mark moves by their loss.

    ``scores`` has White's score before each ply and after the last ply, ``moves`` the mark and the best move of each
    ply, and ``accuracy`` a percentage for White and for Black, None for a side without moves.
    """
    last = 0 if outcome is None or outcome.winner is None else MOST_CENTI * (1 - 2 * outcome.winner)
    scores = [_centi(move.info.score.for_white(move.side)) for move in moves]
    return {
        "plies": len(game.moves), "done": len(game.moves),
        "scores": [*scores, last if outcome is not None or not scores else scores[-1]],
        "moves": [_move_data(game, ply, move, move.mark if signs is None else signs[ply])
                  for ply, move in enumerate(moves)],
        "accuracy": [accuracy([move for move in moves if move.side == side]) for side in (0, 1)],
    }


def _centi(score: int | str | None) -> int | None:
    if isinstance(score, str):
        return -MOST_CENTI if "-" in score else MOST_CENTI
    return None if score is None else max(-MOST_CENTI, min(score, MOST_CENTI))


def _move_data(game: Game, ply: int, move: AnalysedMove, mark: str) -> Json:
    position = game.positions[ply]
    best = position.parse_move(move.best)
    return {"mark": mark, "loss": move.loss_centi, "best": render_whole_move(position, position.after(best), best),
            "path": squares_of(best), "fen": position.fen()}
