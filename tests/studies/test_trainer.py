"""The loop of a training: what is kept, what is resumed, and what is decided."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import latrones_uci
from html_page import Page
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import OperationError, SettingsError, WaitInterruptedError
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands.main import main
from latrones_uci.engine.nets.card import Source, read_card
from latrones_uci.engine.nets.file import read_net
from latrones_uci.game import Position
from latrones_uci.match.events import TournamentFinished
from latrones_uci.match.standings import Meeting, Standings
from latrones_uci.stats import elo_from_score
from latrones_uci.studies.train.positions import PositionsError
from latrones_uci.studies.train.recipe import FITTED, MADE, PLANNED, PLAYED, FitSettings, Journal, TrainingSettings
from latrones_uci.studies.train.self_play import SelfPlaySettings
from latrones_uci.text.files import exclusive_lock
from net_help import random_net

pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")

from latrones_uci.commands.training_page import training_page
from latrones_uci.studies.train import trainer

pytestmark = pytest.mark.usefixtures("native_core")


def shrink_tasks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(trainer, "GAMES_OF_TASK", 2)
    patch.setattr(trainer, "MIN_TASKS", 2)
    # The processes of self-play import the package from this path, on which scripts that other tests import put the
    # checkout; the package under test may be installed elsewhere.
    patch.syspath_prepend(Path(latrones_uci.__file__).parent.parent)


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink_tasks(monkeypatch)


class Run:
    """A training with its output; matches are decided without being played."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, wins: bool = True, stop_at: str = "",
                 **changes: Any) -> None:
        settings = TrainingSettings(
            Position.start("latrones", "5x5"), VariantSettings("latrones", "5x5"), None, folder, generations=2,
            positions=60, games=2, self_play=SelfPlaySettings(nodes=30, most_plies=30),
            fit=FitSettings(hidden=32, buckets=2, passes=2),
        )
        self.told: list[str] = []
        self.stop_at, self.interrupt = stop_at, threading.Event()
        self.trainer = trainer.Trainer(replace(settings, **changes), self.told.append, self.show, self.interrupt)
        self.journal = self.trainer.journal
        won, lost = Meeting(60, 20, 20, pairs=(0, 0, 20, 0, 30)), Meeting(20, 20, 60, pairs=(30, 0, 20, 0, 0))

        def decide(generation: int) -> None:
            standings = Standings(("new", "before"))
            monkeypatch.setattr(Standings, "meeting", lambda self, first, second: won if wins else lost)
            self.trainer._decide(generation, TournamentFinished(standings, False, "", 0.0), 1.0)

        monkeypatch.setattr(self.trainer, "_play", decide)

    def show(self, text: str) -> None:
        if self.stop_at and self.stop_at in text:
            self.interrupt.set()

    def entry(self, kind: str, generation: int) -> dict[str, Any]:
        found = self.journal.find(kind, generation)
        assert found is not None
        return found


@pytest.fixture
def training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Return what makes a training in a folder, which runs unless ``run`` is False."""

    def training(folder: str = "a", *, run: bool = True, **words: Any) -> Run:
        made = Run(monkeypatch, tmp_path / folder, **words)
        if run:
            made.trainer.run()
        return made

    return training


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.suffix in (".net", ".positions")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of two generations without an interruption."""
    with pytest.MonkeyPatch.context() as patch:
        shrink_tasks(patch)
        run = Run(patch, tmp_path_factory.mktemp("whole"))
        run.trainer.run()
    return files_of(run.trainer.settings.folder)


@pytest.mark.parametrize(("wanted", "files"), [(1, 1), (10, 1), (11, 2), (25, 3), (30, 3), (35, 4), (60, 6)])
def test_as_many_files_as_have_the_positions(training: Callable[..., Run], wanted: int, files: int) -> None:
    needed = training(run=False, positions=wanted).trainer._needed
    assert needed(3, {0: 10, 1: 10, 2: 10}) == range(files), "more than planned, by the mean of those that there are"
    assert needed(3, {2: 10}) == range(3)
    assert needed(3, dict.fromkeys(range(100), 0)) == range(max(2, wanted)), "no game has any"


@pytest.mark.long
def test_two_generations(training: Callable[..., Run]) -> None:
    run = training()
    start, best = run.trainer.settings.start, run.trainer.best
    # Data are made in several runs if the first estimate was too low.
    kinds = [kind for kind, _ in groupby(entry["kind"] for entry in run.journal.entries)]
    assert kinds == ["started", *[PLANNED, MADE, FITTED, PLAYED] * 2]
    assert [run.entry(PLANNED, each)["by"] for each in (1, 2)] == ["", "001.net"], "the winner plays the next games"
    assert [run.entry(FITTED, each)["positions"] for each in (1, 2)] == [60, 120], "all data so far"
    assert [line for line in run.told if "positions" in line] == [f"generation {each}: 60 positions" for each in (1, 2)]
    assert best == run.trainer.settings.folder / "nets" / "002.net"
    net = read_net(best, start.ruleset, 5, 5)
    assert net.title == "latrones 5x5, generation 2"
    card, played = read_card(best, net), run.entry(PLAYED, 2)
    assert card is not None
    assert card.match is not None
    assert card.data == (Source(120, (30,), 0),), "all data so far"
    assert list(card.match.counts) == played["counts"]
    assert card.match.limit == f"{run.trainer.settings.movetime_ms} ms per move"
    first = read_net(run.trainer.net_path(1), start.ruleset, 5, 5)
    assert card.match.opponent == f"latrones 5x5, generation 1 ({first.digest[:8]})"
    engines = run.trainer.match_settings(2).engines
    assert [Path(dict(engine.options)["EvalFile"]).name for engine in engines] == ["002.net", "001.net"]
    assert run.trainer.match_settings(1).engines[1].options == (("EvalFile", "none"),)
    assert training().journal.entries == run.journal.entries, "nothing is left to do"
    assert training(run=False, generations=1).trainer.best == best, "fewer generations are no reason to forget one"
    page = Page(training_page(run.journal, start, net, [("Seed", "0")]))
    assert sum(tag == "polyline" for tag, _ in page.elements) == 4
    shares = [text for tag, text in page.elements if tag == "text" and text.get("class") == "share"]
    assert len(shares) == 10, "a share for each soldier"


@pytest.mark.long
def test_a_new_net_does_not_continue_an_old_match(training: Callable[..., Run]) -> None:
    """The journal was removed, but not the games."""
    run = training(run=False, generations=1)
    run.trainer.match_path(1).write_bytes(b"games of the net before")
    run.trainer.run()
    assert list(run.trainer.match_path(1).parent.iterdir()) == []


@pytest.mark.long
def test_the_page_of_a_game_with_placement_shows_mean_values(tmp_path: Path) -> None:
    start = Position.start("schaedler")
    text = training_page(Journal(tmp_path / "journal"), start, random_net(start.ruleset), [])
    shares = [each for tag, each in Page(text).elements if tag == "text" and each.get("class") == "share"]
    assert len(shares) == start.geometry.squares
    assert "400 positions after random placements" in text


@pytest.mark.long
def test_a_loser_is_rejected(training: Callable[..., Run]) -> None:
    run = training(generations=1, wins=False)
    assert run.trainer.best is None
    entry = run.entry(PLAYED, 1)
    assert not entry["accepted"]
    assert entry["elo"][1] == pytest.approx(elo_from_score(0.2), abs=30)
    assert "rejected" in run.told[-1]
    assert "No net won its match" in training_page(run.journal, run.trainer.settings.start, None, [])


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["generation 1: measuring", "1 of", "pass 1", "generation 2: measuring", "pass 2"])
def test_an_interrupted_training_is_resumed(
    training: Callable[..., Run], whole: dict[str, bytes], moment: str
) -> None:
    with pytest.raises(trainer.InterruptedTrainingError, match="rerun the command to resume"):
        training(stop_at=moment)
    assert files_of(training().trainer.settings.folder) == whole


def test_an_interruption_while_the_engines_of_the_match_start(
    training: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = training(run=False)

    def play(*arguments: object) -> None:
        raise WaitInterruptedError

    monkeypatch.setattr(trainer, "play", play)
    with pytest.raises(trainer.InterruptedTrainingError):
        trainer.Trainer._play(run.trainer, 1)
    assert run.journal.find(PLAYED, 1) is None


@pytest.mark.long
def test_games_still_played_at_the_end_of_the_time_are_dropped(
    training: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = training(run=False, generations=1, games=None, movetime_ms=60_000, hours=1e-6)
    monkeypatch.setattr(trainer, "MIN_MATCH_S", 0.5)
    monkeypatch.setattr(run.trainer, "_play", partial(trainer.Trainer._play, run.trainer))
    run.trainer.run()
    entry = run.entry(PLAYED, 1)
    assert (entry["counts"], entry["accepted"]) == ([0, 0, 0], False)
    assert "match 0-0-0: rejected" in run.told[-1]


@pytest.mark.slow
def test_games_without_positions_are_one_error(training: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "play_in_process", _no_position)
    with pytest.raises(OperationError, match="latrones: no game of self-play has a quiet position"):
        training(positions=3)


def _no_position(task: object) -> bytes:
    return b""


def damage(folder: Path, *numbers: int) -> None:
    for number in numbers:
        path = folder / "data" / f"001-{number:05d}.positions"
        path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.long
def test_a_journal_that_was_cut_off_and_damaged_data(training: Callable[..., Run], tmp_path: Path) -> None:
    training(generations=1)
    folder, before = tmp_path / "a", files_of(tmp_path)
    journal = folder / trainer.JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    damage(folder, 1)
    (folder / "nets" / "001.net").unlink()
    run = training(generations=1)
    assert files_of(tmp_path) == before
    assert any("checksum does not match" in text and "making it again" in text for text in run.told)
    assert [json.loads(line)["kind"] for line in journal.read_bytes().splitlines()] == [
        "started", PLANNED, MADE, MADE, FITTED, PLAYED]


@pytest.mark.long
def test_damaged_data_of_an_earlier_generation_is_made_again(
    training: Callable[..., Run], whole: dict[str, bytes]
) -> None:
    """By the player of that generation, not by the best one now."""
    folder = training(generations=1).trainer.settings.folder
    damage(folder, 0, 1)
    training()
    assert files_of(folder) == whole


@pytest.mark.long
def test_a_file_that_cannot_be_read_is_not_deleted(training: Callable[..., Run]) -> None:
    folder = training(generations=1).trainer.settings.folder
    journal, path = folder / trainer.JOURNAL, folder / "data" / "001-00001.positions"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    path.unlink()
    path.mkdir()
    with pytest.raises(PositionsError, match=r"001-00001.positions'?: Is a directory"):
        training(generations=1)
    assert path.exists()


def test_other_settings_need_another_folder(training: Callable[..., Run], tmp_path: Path) -> None:
    training(run=False)
    training(run=False, hours=9, generations=7, threads=3)
    for change, name in (
        ({"seed": 1}, "seed 0, not 1"), ({"positions": 61}, "positions 60, not 61"),
        ({"fit": FitSettings(hidden=64)}, "fit"),
        ({"start": Position.start("latrones", "6x6")}, "board '5x5', not '6x6'"),
    ):
        with pytest.raises(SettingsError, match=name):
            training(run=False, **change)
    for nonsense in ("[1]\n", "[" * 200_000 + "\n"):
        (tmp_path / "a" / trainer.JOURNAL).write_text(nonsense, encoding="utf-8")
        with pytest.raises(SettingsError, match="not a journal of a training"):
            training(run=False)


@pytest.mark.slow
def test_positions_of_another_training(training: Callable[..., Run], tmp_path: Path) -> None:
    first = training("first", generations=1, seed=1).entry(FITTED, 1)["positions"]
    alone = training("second", generations=1).entry(FITTED, 1)["positions"]
    data = (tmp_path / "first",)
    assert training("third", generations=1, data=data).entry(FITTED, 1)["positions"] == alone + first
    with pytest.raises(SettingsError, match="data"):
        training("third", generations=1)
    with pytest.raises(PositionsError, match="5x5 board; expected 6x6"):
        training("third", generations=1, data=data, start=Position.start("latrones", "6x6"))


@pytest.mark.long
def test_a_training_begins_with_a_net(training: Callable[..., Run], tmp_path: Path) -> None:
    training("first", generations=1)
    net = tmp_path / "first" / "nets" / "001.net"
    run = training("second", generations=1, net=net, wins=False)
    assert run.entry(PLANNED, 1)["by"] == "001.net"
    data = "data/001-00000.positions"
    assert files_of(tmp_path / "first")[data] != files_of(tmp_path / "second")[data], "its games"
    before = dict(run.trainer.match_settings(1).engines[1].options)["EvalFile"]
    assert Path(before) == net.resolve(), "its opponent"
    assert run.trainer.best == net, "the new net lost"
    training("second", generations=1, net=net)
    with pytest.raises(SettingsError, match="net"):
        training("second", generations=1)


def test_time_is_divided(training: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a number of positions, the data takes its share of the time of a generation."""
    run = training(run=False, positions=None, hours=1.0)
    monkeypatch.setattr(run.trainer, "_played", lambda generation, numbers: iter([(0, 100)]))
    monkeypatch.setattr(trainer, "now_s", iter([0.0, 36.0]).__next__)
    planned = run.trainer._plan(1)
    assert planned["budget"] == 1800
    assert planned["tasks"] == int(0.6 * 1800 / 36)
    run.journal.add(PLAYED, generation=1, seconds=4000.0, accepted=False)
    assert run.trainer.seconds_left < 0


@pytest.mark.long
def test_all_time_counts(training: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring, self-play, also when it is interrupted, fitting and the match."""
    now = [0.0]
    monkeypatch.setattr(trainer, "now_s", lambda: now[0])
    write = trainer.write_positions

    def write_slowly(*arguments: Any) -> None:
        now[0] += 10
        write(*arguments)

    monkeypatch.setattr(trainer, "write_positions", write_slowly)
    with pytest.raises(trainer.InterruptedTrainingError):
        training(generations=1, positions=None, hours=0.03, stop_at="2 of")
    run = training(generations=1, positions=None, hours=0.03)
    files = len(list((run.trainer.settings.folder / "data").iterdir()))
    assert files > 2
    assert run.journal.seconds == 10 * files + 1, "each file once, and the match"
    first, second = (entry["seconds"] for entry in run.journal.of_kind(MADE))
    assert 10 <= first <= 20, "two processes may finish at the same time"
    assert first + second == 10 * (files - 1)


@pytest.mark.long
@pytest.mark.parametrize(("stop_at", "message"), [
    ("", "a process of self-play was killed"), ("generation 1: measuring", "interrupted"),
])
def test_a_killed_process_is_one_error(
    training: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, stop_at: str, message: str
) -> None:
    monkeypatch.setattr(trainer, "play_in_process", _exit)
    with pytest.raises(OperationError, match=message):
        training(stop_at=stop_at)


def _exit(task: object) -> None:
    os._exit(1)


ARGUMENTS = ("train", "latrones", "--board", "5x5", "--positions", "5000", "--games", "2", "--movetime", "10",
             "--nodes", "40", "--hidden", "32", "--passes", "2", "--threads", "2", "--generations", "1",
             "--out")


@pytest.mark.process
@pytest.mark.slow
def test_a_killed_training_is_resumed(tmp_path: Path) -> None:
    """By signal 9, again and again; the nets are those of an uninterrupted training."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    done = subprocess.run([*OWN_ENGINE, *ARGUMENTS, str(whole)], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == f"page: {whole / 'training.html'}"
    for kill in range(30):
        with subprocess.Popen([*OWN_ENGINE, *ARGUMENTS, str(killed)], stdout=subprocess.PIPE, cwd=tmp_path) as process:
            try:
                process.wait(1.0 + 0.7 * kill)
            except subprocess.TimeoutExpired:
                process.kill()
            else:
                assert process.returncode == 0
                break
            time.sleep(0.1)
    assert kill
    assert files_of(killed) == files_of(whole)


def test_one_training_at_a_time_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with exclusive_lock(tmp_path / "lock", lambda: None):
        assert main([*ARGUMENTS, str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == f"training latrones 5x5 in '{tmp_path}'\n"
    assert printed.err == f"latrones-uci train: '{tmp_path}': another training is running in this folder\n"
