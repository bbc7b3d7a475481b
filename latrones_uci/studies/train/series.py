"""Trainings of several games, one after the other in a common time, and the table of their nets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from latrones_uci.client.errors import OperationError
from latrones_uci.game import LatronesError
from latrones_uci.match.summary import render_elo
from latrones_uci.studies.train.recipe import FITTED, PLANNED, PLAYED, TrainingSettings, elo_of
from latrones_uci.studies.train.trainer import InterruptedTrainingError, Trainer

_HEADINGS = ("game", "board", "generation", "positions", "loss", "against", "W-D-L", "Elo (95%)", "net")
_REASONS = {
    (True, "H1"): "kept: passed its test",
    (True, ""): "kept: stronger when its match ended",
    (False, "H0"): "not kept: failed its test",
    (False, ""): "not kept: not stronger when its match ended",
}
"""By whether the net was accepted, and the verdict of the sequential test."""


@dataclass(frozen=True)
class Result:
    """What became of the training of a game."""

    training: Trainer
    error: str = ""
    """The error that ended it, empty for none."""

    @property
    def is_kept(self) -> bool:
        """Whether a net won its match."""
        return self.training.last_winner() > 0

    def row(self) -> tuple[str, ...]:
        """Return the cells of the table, about the net that is kept, or else about the last one."""
        journal, start = self.training.journal, self.training.settings.start
        game = (start.ruleset.name, start.geometry.name)
        last = max((entry["generation"] for entry in journal.of_kind(PLAYED)), default=0)
        generation = self.training.last_winner() or last
        planned, fitted, played = (journal.find(kind, generation) for kind in (PLANNED, FITTED, PLAYED))
        if planned is None or fitted is None or played is None:
            return (*game, *[""] * 6, f"not kept: {self.error or 'the time was over'}")
        why = _REASONS[played["accepted"], played["verdict"]]
        return (
            *game, f"{generation} of {last}", f"{fitted['positions']:,}", f"{fitted['held_out_losses'][-1]:.5f}",
            planned["by"] or "hand-written", "-".join(map(str, played["counts"])), render_elo(elo_of(played)),
            f"{why}; then {self.error}" if self.error else why,
        )


def train_in_turn(
    games: Sequence[TrainingSettings], hours: float, begin: Callable[[TrainingSettings], Trainer],
    train: Callable[[Trainer], None],
) -> Iterator[Result]:
    """Train games, each in an equal share of the time that those before it have left, and yield their results.

    A game whose training is finished is not trained again; one whose training fails does not stop the others. A share
    depends only on the journals of the games before, so that it is the same when the trainings are resumed.

    Args:
        games: the trainings; their time is ignored.
        hours: the time for all of them.
        begin: opens a training.
        train: runs it.

    Raises:
        InterruptedTrainingError: a training was interrupted.
        SettingsError: a training was started with other settings, or another one is running in its folder.
        OSError: a folder cannot be written.
    """
    left = 3600 * hours
    for number, settings in enumerate(games):
        share, error = left / (len(games) - number), ""
        training = begin(replace(settings, hours=share / 3600))
        if share > 0:
            try:
                train(training)
            except InterruptedTrainingError:
                raise
            except (OperationError, LatronesError) as problem:
                error = str(problem)
        left -= training.journal.seconds
        yield Result(training, error)


def render_table(results: Sequence[Result]) -> str:
    """Return the results as a table in Markdown."""
    rows = [_HEADINGS, *(result.row() for result in results)]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)][:-1]
    lines = [
        " | ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in (cells[0], ["-" * width for width in widths] + ["---"], *cells[1:])
    ]
    return "".join(f"| {line} |\n" for line in lines)
