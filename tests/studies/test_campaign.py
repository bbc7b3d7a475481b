"""Campaigns: matches of versions against one base in one folder, with engines in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineStartError, SettingsError, WaitInterruptedError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.match.events import GameFinished, MatchEvent
from latrones_uci.match.tournament import FirstMoveError
from latrones_uci.match.worker import LocalPlace, Place
from latrones_uci.records.database import stored_settings
from latrones_uci.records.record import GameTask, Identity, TaskResult
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.records.store import Store
from latrones_uci.studies.revisions.campaign import Campaign, CampaignError, VersionResult, batch_pairs
from latrones_uci.studies.revisions.source import RevisionError

FOLDER = Path("campaign")
NODES = TimeControl(nodes=1)


def engine(name: str, weakness: int = 0, **changes: object) -> EngineSettings:
    """Return a fake that resigns in this percentage of its games at its first move, or any other."""
    command = ("tuned_engine.py", str(20 + weakness))
    return EngineSettings(**({"command": command, "control": NODES, "name": name} | changes))  # type: ignore[arg-type]


BASE = engine("base")


@pytest.fixture(autouse=True)
def _openings() -> None:
    """Positions that differ in a counter only, in which the moves of the engine are legal."""
    lines = (f"ssssss/3d2/6/6/2D3/SSSSSS w 0 {number}\n" for number in range(1, 400))
    Path("book.txt").write_text("".join(lines), encoding="utf-8")


SETTINGS = TournamentSettings(
    (replace(BASE, name=None), BASE), (VariantSettings("latrones", "6x6"),), openings="file:book.txt", seed=3,
    limits=GameLimits(max_plies=2),
)
VERSIONS = {"equal": 0, "weak": 40, "weaker": 60}


def build(key: str) -> EngineSettings:
    if key not in VERSIONS:
        raise RevisionError(f"'{key}': build: exit status 1")
    return engine(key, VERSIONS[key])


@contextmanager
def campaign(
    settings: TournamentSettings = SETTINGS,
    build: Callable[[str], EngineSettings] = build,
    observe: Callable[[MatchEvent], None] = lambda event: None,
    interrupt: threading.Event | None = None,
) -> Iterator[Campaign]:
    interrupt = interrupt or threading.Event()
    with LocalPlace(settings.concurrency, interrupt.is_set) as place, Campaign(
            FOLDER, settings, build, place, interrupt, observe) as played:
        yield played


def openings(key: str) -> list[str]:
    with Store(FOLDER / f"{key}.db", writing=False) as store:
        return [opening.fen for opening in store.openings()]


def test_pairs_are_added_to_the_match_of_each_version_and_found_again() -> None:
    with campaign() as played:
        assert played.result("weak") == VersionResult()
        assert played.play("equal", 4) == VersionResult((0, 0, 4, 0, 0))
        first = played.play("weak", 20)
        assert first is not None
        again = played.play("weak", 10)
        assert again is not None
        assert (sum(first.pairs), sum(again.pairs)) == (20, 30)
        assert again.pairs[0] + again.pairs[1] > 5
    with Store(FOLDER / "weak.db", writing=False) as store:  # an ordinary match
        assert [each.name for each in stored_settings(store).engines] == ["weak", "base"]
    built: list[str] = []

    def note(key: str) -> EngineSettings:
        built.append(key)
        return build(key)

    with campaign(build=note) as resumed:
        assert (resumed.result("weak"), resumed.result("equal")) == (again, VersionResult((0, 0, 4, 0, 0)))
        assert not built
        assert sum((resumed.play("weak", 1) or VersionResult()).pairs) == 31
        assert built == ["weak"]
    assert sorted(path.name for path in FOLDER.glob("*.db")) == ["equal.db", "weak.db"]


def test_interrupted_games_are_played_later() -> None:
    interrupt = threading.Event()
    games: list[MatchEvent] = []

    def observe(event: MatchEvent) -> None:
        games.append(event)
        if sum(isinstance(each, GameFinished) for each in games) == 9:
            interrupt.set()

    with pytest.raises(WaitInterruptedError), campaign(observe=observe, interrupt=interrupt) as played:
        played.play("weak", 20)
    with campaign() as resumed:
        before = sum(resumed.result("weak").pairs)
        assert 4 <= before < 20
        assert sum((resumed.play("weak", 1) or VersionResult()).pairs) == 20  # what was begun
        interrupted = resumed.result("weak")
    FOLDER.rename("interrupted")
    with campaign() as whole:
        assert whole.play("weak", 20) == interrupted


@pytest.mark.parametrize("kind", ["file:book.txt", "random:2"])
def test_versions_play_openings_of_their_own(kind: str) -> None:
    with campaign(replace(SETTINGS, openings=kind)) as played:
        played.play("equal", 3)
        played.play("weak", 5)
    assert openings("equal") != openings("weak")[:3]


def test_a_version_that_cannot_play_is_noted_and_left_out(fake_settings: Callable[..., EngineSettings]) -> None:
    broken = {name: fake_settings(name, control=NODES, name=name) for name in ("dead", "crash")}
    with campaign(build=lambda key: broken.get(key) or build(key)) as played:
        assert [played.play(key, 4) for key in ("unbuilt", "dead", "crash")] == [None] * 3
        assert played.failures["unbuilt"] == "'unbuilt': build: exit status 1"
        assert "does not even start" in played.failures["dead"]
        assert "failed at its first move in all of its" in played.failures["crash"]
        assert played.result("crash") == VersionResult()
        assert played.engine("unbuilt") is None
        assert played.play("equal", 1) == VersionResult((0, 0, 1, 0, 0))
    with campaign(build=lambda key: broken.get(key) or build(key)) as resumed:
        assert resumed.result("crash") == VersionResult()
        assert resumed.play("crash", 4) is None


def test_a_version_that_has_played_and_no_longer_starts_ends_the_campaign() -> None:
    def play(task: GameTask) -> TaskResult:
        if task.engines[0].name == "weak":
            raise EngineStartError("no memory")
        return TaskResult((Identity("base", "base", ""),))

    with campaign() as played:
        played.play("weak", 2)
    with Place(ThreadPoolExecutor(1), play) as place, Campaign(
            FOLDER, SETTINGS, build, place, threading.Event()) as resumed:
        with pytest.raises(EngineStartError, match="no memory"):
            resumed.play("weak", 2)
        assert sum(resumed.result("weak").pairs) == 2


@pytest.mark.parametrize(("behaviour", "error"), [("dead", EngineStartError), ("crash", FirstMoveError)])
def test_a_base_that_cannot_play_ends_the_campaign(
    behaviour: str, error: type[Exception], fake_settings: Callable[..., EngineSettings]
) -> None:
    base = fake_settings(behaviour, control=NODES, name="base")
    settings = replace(SETTINGS, engines=(SETTINGS.engines[0], base))
    with campaign(settings) as played:
        with pytest.raises(error):
            played.play("equal", 4)
        assert not played.failures


def test_the_folder_of_another_campaign() -> None:
    with campaign() as played:
        played.play("weak", 2)
    renamed = replace(SETTINGS, engines=(SETTINGS.engines[0], replace(BASE, name="v1.0")))
    with campaign(renamed) as resumed:  # the commit has a tag now
        assert sum((resumed.play("weak", 1) or VersionResult()).pairs) == 3
    others = {
        "setting 'engines[1].command' was": replace(SETTINGS, engines=(SETTINGS.engines[0], engine("base", 5))),
        "setting 'seed' was": replace(SETTINGS, seed=4),
        "setting 'openings' was": replace(SETTINGS, openings="random:2"),
    }
    for text, settings in others.items():
        with pytest.raises(SettingsError) as caught, campaign(settings):
            pass
        assert str(caught.value).startswith("folder 'campaign' belongs to another campaign: ")
        assert text in str(caught.value)
        assert "\n" not in str(caught.value)


def test_one_runner_in_a_folder() -> None:
    with campaign(), pytest.raises(CampaignError, match="folder 'campaign' is in use"), campaign():
        pass
    with campaign():
        pass


def test_batches_keep_all_places_busy_and_grow() -> None:
    assert [batch_pairs(*numbers) for numbers in ((4, 0), (64, 800), (4, 3200))] == [32, 128, 100]


@pytest.mark.parametrize("key", ["", "../weak", "a/b", ".", "a b"])
def test_keys_are_names_of_files(key: str) -> None:
    with campaign() as played, pytest.raises(ValueError, match="expected letters"):
        played.play(key, 1)
