"""The files by which a changed engine is noticed: those where it runs, and those that its settings name."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.match.run import begin
from latrones_uci.match.worker import Place
from latrones_uci.records.engine_files import engine_files, first_hash
from latrones_uci.records.record import GameTask, Identity, TaskResult
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoredEngine
from match_records import SETTINGS

FOLDER, DATABASE = Path("engines"), Path("match.db")


@pytest.fixture(autouse=True)
def folder() -> None:
    FOLDER.mkdir()
    for name in ("engine", "net.bin", "script.py", "rules.toml", "traffic.log"):
        (FOLDER / name).write_text(name, encoding="utf-8")


def engine(*command: str, directory: str | None = "engines", **more: object) -> EngineSettings:
    return replace(EngineSettings(command, TimeControl(depth=1), "A", directory=directory), **more)  # type: ignore[arg-type]


ENGINES = {
    "the program in dir=": (engine("./engine"), ["program"]),
    "a path from here": (engine("engines/engine", directory=None), ["program"]),
    "a script": (engine(sys.executable, "script.py"), ["program", "file script.py"]),
    "an argument with a value": (engine(sys.executable, "--net=net.bin"), ["program", "file --net=net.bin"]),
    "a word that is a program elsewhere": (engine("./engine", "test"), ["program"]),
    "a net": (engine("./engine", options=(("EvalFile", "net.bin"), ("Hash", "16"))),
              ["program", "file of option EvalFile"]),
    "a variable": (engine("./engine", environment=(("NET", "net.bin"),)), ["program", "file of variable NET"]),
    "a variant file": (engine("./engine", variant_path="rules.toml"), ["program", "file of option VariantPath"]),
    "what the engine writes": (engine("./engine", "--log", "traffic.log", options=(("Debug Log File", "traffic.log"),)),
                               ["program"]),
    "no path at all": (engine("./engine", "a\0b", "x" * 5000, options=(("Name", "a\0b"),)), ["program"]),
}


@pytest.mark.parametrize("what", ENGINES)
def test_the_files_of_an_engine(what: str) -> None:
    settings, names = ENGINES[what]
    assert list(engine_files(settings)) == names


def test_a_program_on_the_path_of_the_engine() -> None:
    shutil.copyfile(FOLDER / "engine", FOLDER / "program.exe")  # Windows finds no others
    (FOLDER / "program.exe").chmod(0o755)
    found = engine("program.exe", directory=None, environment=(("PATH", str(FOLDER.resolve())),))
    assert engine_files(found)["program"] == engine_files(engine("./engine"))["program"]


# ---------------------------------------------------------------- resuming


def resume(settings: TournamentSettings) -> None:
    def play(task: GameTask) -> TaskResult:
        return TaskResult(tuple(Identity("A", "A 1.0", "me", files=tuple(engine_files(each).items()))
                                for each in task.engines))

    with Store(DATABASE, writing=True) as store, Place(ThreadPoolExecutor(1), play) as place:
        begin(settings, store, place)


def test_a_changed_file_is_named_and_a_new_one_is_the_work_of_the_engine() -> None:
    own = engine("./engine", options=(("EvalFile", "net.bin"), ("Cache", "cache.bin")))
    settings = replace(SETTINGS, engines=(own, replace(own, name="B")))
    resume(settings)
    (FOLDER / "cache.bin").write_text("written by the engine", encoding="utf-8")
    resume(settings)
    (FOLDER / "net.bin").write_text("trained anew", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"engine 1, .*, has changed .*its file of option EvalFile was '"):
        resume(settings)
    (FOLDER / "net.bin").unlink()
    with pytest.raises(SettingsError, match="and is now 'missing'"):
        resume(settings)


def test_a_match_of_an_earlier_version_is_compared_as_that_version_did() -> None:
    shutil.copyfile(FOLDER / "engine", "engine")
    own = engine("./engine", "test", options=(("EvalFile", "net.bin"),))
    settings = replace(SETTINGS, engines=(own, replace(own, name="B")))
    with Store(DATABASE, writing=True) as store:
        stored = [StoredEngine(name, "A 1.0", "me", own.command, first_hash(own)) for name in "AB"]
        store.begin(serialize(settings), stored, "2024-05-31T12:00:00Z", "latrones-match 0.3.0")
    resume(settings)
    Path("engine").write_text("another program", encoding="utf-8")
    with pytest.raises(SettingsError, match="its program was '.{12}' and is now '"):
        resume(settings)

