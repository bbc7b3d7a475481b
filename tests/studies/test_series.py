"""Trainings of all games: their shares of the time, what is kept and resumed, and the table."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from latrones_uci.client.errors import OperationError
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands import train
from latrones_uci.commands.main import main
from latrones_uci.engine.nets.card import read_card
from latrones_uci.engine.nets.file import read_net
from latrones_uci.engine.nets.find import shipped_net
from latrones_uci.game import Position, all_variants
from latrones_uci.match.events import TournamentFinished
from latrones_uci.match.standings import Meeting
from latrones_uci.studies.train.recipe import PLAYED, STARTED, Journal, TrainingSettings
from latrones_uci.studies.train.self_play import play_task

pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")

from latrones_uci.studies.train import trainer
from latrones_uci.studies.train.series import train_in_turn

pytestmark = pytest.mark.usefixtures("native_core")

GAMES = ("petteia-xxi-8x8", "bell-8x7", "ludii-museum-quintana-8x8")
"""The games of these tests, which are trained in this order, and their boards."""
ARGUMENTS = ("train", "--all", "--positions", "20", "--games", "2", "--nodes", "30", "--hidden", "32", "--buckets", "2",
             "--passes", "1", "--generations", "1", "--threads", "1", "--out", "out")
WON, LOST = Meeting(60, 20, 20, pairs=(0, 0, 20, 0, 30)), Meeting(20, 20, 60, pairs=(30, 0, 20, 0, 0))


class Games:
    """What happens in the trainings: matches are decided without being played, and self-play needs no processes."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.winners = {"petteia-xxi", "bell", "ludii-museum-quintana"}
        self.on_match: dict[str, Callable[[], object]] = {}
        """Called before the match of a game."""
        games = {name.rpartition("-")[0] for name in GAMES}
        patch.setattr(train, "all_variants", lambda: {name: each for name, each in all_variants().items()
                                                      if name in {*games, "rota"}})
        patch.setattr(trainer, "GAMES_OF_TASK", 2)
        patch.setattr(trainer, "MIN_TASKS", 1)

        @contextmanager
        def in_threads(training: trainer.Trainer) -> Iterator[tuple[ThreadPoolExecutor, object]]:
            with ThreadPoolExecutor(1) as executor:
                yield executor, play_task

        def play(training: trainer.Trainer, generation: int) -> None:
            name = training.settings.start.ruleset.name
            self.on_match.get(name, lambda: None)()
            if training._interrupt.is_set():
                raise trainer._interrupted()
            meeting = WON if name in self.winners else LOST
            standings = cast(Any, SimpleNamespace(meeting=lambda first, second: meeting))
            training._decide(generation, TournamentFinished(standings, False, "", 0.0), 1.0)

        patch.setattr(trainer.Trainer, "_workplace", in_threads)
        patch.setattr(trainer.Trainer, "_play", play)


@pytest.fixture
def games(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Games:
    monkeypatch.chdir(tmp_path)
    return Games(monkeypatch)


def kept() -> set[str]:
    return {path.stem for path in Path("out").glob("*.net")}


def rows() -> dict[str, list[str]]:
    """Return the cells of the table by game."""
    lines = Path("out/nets.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("|")]
    assert cells[0][0] == "game"
    assert cells[1] == ["-" * len(cell) for cell in cells[1]]
    return {cell[0]: cell[1:] for cell in cells[2:]}


def journals() -> dict[str, bytes]:
    return {name: (Path("out") / f"{name}.training" / trainer.JOURNAL).read_bytes() for name in GAMES}


@pytest.mark.long
def test_nets_that_win_their_match_are_kept(
    games: Games, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    games.winners.remove("bell")
    monkeypatch.setattr(train, "shipped_net", lambda *game: None if game[0].name == "bell" else shipped_net(*game))
    assert main(ARGUMENTS) == 0
    assert kept() == {GAMES[0], GAMES[2]}
    start = Position.start("petteia-xxi")
    net = read_net(Path("out/petteia-xxi-8x8.net"), start.ruleset, 8, 8)
    assert net.title == "petteia-xxi 8x8, generation 1"
    assert read_card(Path("out/petteia-xxi-8x8.net"), net) is not None
    table = rows()
    board, generation, positions, loss, against, score, elo, net = table["petteia-xxi"]
    assert (board, generation, positions, score, net) == (
        "8x8", "1 of 1", "20", "60-20-20", "kept: stronger when its match ended")
    assert float(loss) >= 0
    assert against == "petteia-xxi-8x8.net", "what the package has"
    assert elo.startswith("+")
    assert table["bell"][4:6] == ["hand-written", "20-20-60"]
    assert table["bell"][7] == "not kept: not stronger when its match ended"
    assert (Path("out") / "bell-8x7.training" / "training.html").exists(), "the folder of a training like any other"
    printed = capsys.readouterr()
    size = sum(path.stat().st_size for path in Path("out").glob("*.net"))
    assert f"\nNets that are kept: 2 of 3 games, {size:,} bytes.\n" in printed.out
    assert Path("out/nets.md").read_text(encoding="utf-8").partition("\n\n")[2] in printed.out
    assert printed.err == ""
    # Nothing is left to do.
    before = journals()
    assert main(ARGUMENTS) == 0
    assert journals() == before
    assert capsys.readouterr().out.startswith("\nNets that are kept: 2 of 3 games")
    assert main([*ARGUMENTS, "--seed", "1"]) == 2
    assert "petteia-xxi-8x8.training': a training with seed 0, not 1" in capsys.readouterr().err
    assert journals() == before


@pytest.mark.slow
def test_an_interrupted_run_is_resumed(games: Games, capsys: pytest.CaptureFixture[str]) -> None:
    games.on_match["bell"] = lambda: signal.raise_signal(signal.SIGINT)
    assert main(ARGUMENTS) == 130
    assert capsys.readouterr().err == "latrones-uci train: interrupted; rerun the command to resume\n"
    assert (kept(), list(rows())) == ({GAMES[0]}, ["petteia-xxi"])
    finished = (Path("out") / "petteia-xxi-8x8.training" / trainer.JOURNAL).read_bytes()
    games.on_match.clear()
    assert main(ARGUMENTS) == 0
    assert "training petteia-xxi" not in capsys.readouterr().out
    assert journals()[GAMES[0]] == finished
    assert kept() == set(GAMES)


@pytest.mark.slow
def test_a_game_that_fails_does_not_stop_the_others(games: Games, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise OperationError("bell: no | opening")

    games.on_match["bell"] = fail
    assert main(ARGUMENTS) == 0
    assert capsys.readouterr().err == "latrones-uci train: bell: no | opening\n"
    assert rows()["bell"] == ["8x7", *[""] * 6, "not kept: bell: no \\| opening"]
    assert kept() == {GAMES[0], GAMES[2]}
    games.on_match.clear()
    assert main(ARGUMENTS) == 0, "it is tried again"
    assert kept() == set(GAMES)


@pytest.mark.long
def test_nothing_could_be_trained(games: Games, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise OperationError("killed")

    games.on_match = dict.fromkeys(games.winners, fail)
    assert main(ARGUMENTS) == 1
    assert kept() == set()
    assert len(rows()) == 3
    assert capsys.readouterr().err == "latrones-uci train: killed\n" * 3


@pytest.mark.slow
def test_tables_are_used_where_there_are_some(games: Games, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "bell", "--men", "2"]) == 0
    assert main([*ARGUMENTS, "--tables", "tables"]) == 0
    started = [next(Journal(Path("out") / f"{name}.training" / trainer.JOURNAL).of_kind(STARTED)) for name in GAMES]
    assert [entry["settings"]["tables"] for entry in started] == ["", str(Path("tables").resolve()), ""]


# ---------------------------------------------------------------- time


class Clocked:
    """A training that takes a given time for each generation, and has at most two."""

    def __init__(self, settings: TrainingSettings, seconds: dict[str, list[float]]) -> None:
        self.settings, name = settings, settings.variant.name
        self.journal = Journal(settings.folder / name)
        self._seconds = seconds[name]

    is_finished = trainer.Trainer.is_finished
    seconds_left = trainer.Trainer.seconds_left
    last_winner = trainer.Trainer.last_winner

    def run(self) -> None:
        while not self.is_finished:
            generation = len(self.journal.entries) + 1
            self.journal.add(PLAYED, generation=generation, seconds=self._seconds[generation - 1], accepted=False)


@pytest.mark.parametrize(("seconds", "shares", "played"), [
    # What one leaves is divided among the others.
    ([[600, 600], [1800, 1800], [2400, 2400]], [1.0, 4 / 3, 5 / 3], [2, 2, 2]),
    # A second generation that would begin too late is left out.
    ([[3600, 1], [3000, 1000], [1, 1]], [1.0, 1.0, 3200 / 3600], [1, 2, 2]),
    # Without time, a game is not begun.
    ([[9000, 1], [2400, 1], [1, 1]], [1.0, 0.25, -600 / 3600], [1, 1, 0]),
])
def test_the_time_is_shared(tmp_path: Path, seconds: list[list[float]], shares: list[float], played: list[int]) -> None:
    names = ("latrones", "bell", "schaedler")
    settings = [TrainingSettings(Position.start(name), VariantSettings(name), None, tmp_path, generations=2)
                for name in names]
    times = dict(zip(names, seconds, strict=True))
    for hours in (3.0, 3.0):  # the second run has nothing to do
        results = list(train_in_turn(settings, hours, lambda own: cast(trainer.Trainer, Clocked(own, times)),
                                     lambda training: training.run()))
        assert [result.training.settings.hours for result in results] == pytest.approx(shares)
        assert [len(result.training.journal.entries) for result in results] == played
    reasons = [result.row()[-1] for result in results if not result.training.journal.entries]
    assert reasons == ["not kept: the time was over"] * played.count(0)
