"""The Java sources for Ludii: compiled and driven with stand-ins for Ludii's classes, and played in Ludii itself.

``stubs/`` has what the sources call of Ludii's classes, written for these tests; sources that call more need more.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import ludii
from latrones_uci.game import Position, ludii_variants
from latrones_uci.ludii import __file__ as package

JAVA = Path(ludii.__file__).parent / "ludii"
SOURCES = sorted(Path(package).parent.glob("*.java"))
DRIVEN = [path for path in SOURCES if path.stem in {"Translation", "LatronesAI", "EngineProcess"}]
"""The sources that do not need Ludii itself: its window, its search, or the loader of its games."""
ENGINE = [sys.executable, "-P", "-m", "latrones_uci"]

pytestmark = [pytest.mark.process, pytest.mark.long]


def compiled(folder: Path, *sources: Path, libraries: Sequence[Path] = ()) -> Path:
    """Compile the sources of the package, and others, into a folder: all with Ludii's JAR among the libraries."""
    if not (javac := shutil.which("javac")):
        pytest.skip("no JDK: javac")
    path = ["-cp", os.pathsep.join(map(str, libraries))] if libraries else []
    # Newer compilers warn that version 8 is old, which is the reason to compile for it.
    options = ["-encoding", "UTF-8", "--release", "8", "-Xlint:all,-options", "-Werror", "-d"]
    subprocess.run([javac, *options, folder, *path, *(SOURCES if libraries else DRIVEN), *sources], check=True)
    return folder


class Driver:
    """Runs ``Driver.java``."""

    def __init__(self, classes: Path) -> None:
        self.classes = classes

    def command(self, engine: Sequence[str]) -> list[str]:
        """Let the agent find a command for the engine; return the command of the driver."""
        (self.classes.parent / "latrones-command.txt").write_text("\n".join(engine) + "\n", encoding="utf-8")
        return ["java", "-Dfile.encoding=UTF-8", "-cp", str(self.classes), "latrones.Driver"]

    def __call__(self, *lines: str, engine: Sequence[str] = ENGINE) -> list[str]:
        """Return the answers to some lines."""
        done = subprocess.run(self.command(engine), input="".join(f"{line}\n" for line in lines), capture_output=True,
                              encoding="utf-8", check=True, timeout=120)
        assert done.stderr == ""
        answers = done.stdout.splitlines()
        assert len(answers) == len(lines)
        return answers


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("java") / "classes"
    return compiled(folder, JAVA / "Driver.java", *(JAVA / "stubs").rglob("*.java"))


@pytest.fixture
def driver(classes: Path, tmp_path: Path) -> Driver:
    """A driver with a folder of its own, where the agent looks for the command of the engine."""
    shutil.copytree(classes, tmp_path / "classes")
    return Driver(tmp_path / "classes")


def game_line(name: str, *options: str, game: str = "Ludus Latrunculorum", swap: str = "false") -> str:
    """Return the line that sets up a game by our name of its ruleset."""
    item = next(item for item, ours in ludii.NAMES.items() if ours == name)
    ruleset = ludii_variants()[name]
    start = Position.start(ruleset)
    slots = 2 if "bell" in name else 1 if "[" in start.fen() else 0
    files, ranks = start.geometry.name.split("x")
    return "|".join(["game", game, swap, files, ranks, str(slots), f"Suggested Variants/{item}", *options])


def pieces_line(fen: str) -> str:
    """Return the line that sets up the pieces and hands of a position."""
    board, _, hand = fen.split()[0].partition("[")
    words = [f"hand={count}{piece}" for count, piece in re.findall(r"(\d+)(\w)", hand)]
    ranks = board.split("/")
    for rank, text in zip(range(len(ranks), 0, -1), ranks, strict=True):
        file = 0
        for empty, piece in re.findall(r"(\d+)|(\D)", text):
            if piece:
                words.append(f"{'abcdefghijklmnop'[file]}{rank}={piece}")
            file += int(empty or 1)
    return "pieces|" + " ".join(words)


def records() -> Iterator[tuple[str, str]]:
    """Yield recorded games, and ways to positions, with our names of the rulesets; also up to a leg of a chain."""
    for name, entry in ludii.entries().items():
        for given in [*entry["games"], *entry["positions"]]:
            actions = given["moves"]
            yield name, actions
            if leg := re.search(r"\b[a-p]\d+[a-p]\d+>", actions):
                yield name, actions[: leg.end()]


def plies_of(name: str, actions: str) -> tuple[list[str], bool]:
    """Return the plies, and whether the last one may go on."""
    agreed = ludii.agreed(name, actions)
    steps = list(ludii.steps(agreed.actions))
    return [*actions.split()[: agreed.skipped], *(step.text for step in steps)], bool(steps) and not steps[-1].complete


# ---------------------------------------------------------------- notation


def test_rulesets(driver: Driver) -> None:
    others = [*ludii.NOT_PLAYED, "8x8", "Kowalski 8x8 (Seega Rules)", "Kowalski"]
    names = ludii.NAMES | dict.fromkeys(others, "null")
    assert driver(*(f"ruleset|{item}" for item in names)) == list(names.values())


def test_games_that_are_not_ours(driver: Driver) -> None:
    name = "ludii-bell-7x8"
    assert driver(
        game_line(name), game_line(name, "Repetition of states/No"), game_line(name, "Repetition of states/Yes"),
        game_line(name, swap="true"), game_line(name, game="Latrones"), game_line(name).rpartition("|")[0],
    ) == [name, name, "null", "null", "null", "null"]


def test_actions_of_plies(driver: Driver) -> None:
    cases = {"c3e3e1": ["c3e3", "e3e1", "pass"], "a10a11": ["a10a11", "pass"], "S@d4": ["S@d4"] * 2,
             "xd5": ["xd5"] * 2, "pass": ["pass"] * 2}
    lines = [f"action|{ply}|{made}" for ply, actions in cases.items() for made in range(len(actions))]
    assert driver(*lines) == list(itertools.chain.from_iterable(cases.values()))
    assert driver("squares|c3e3e1", "squares|a10a11", "squares|S@d4", "squares|xd5", "squares|pass") == [
        "c3 e3 e1", "a10 a11", "d4", "d5", ""]


def test_exchanged_colours(driver: Driver) -> None:
    pairs = {"8/3sB3/8[-]": "8/3Sb3/8[-]", "8/8[16S15s]": "8/8[15S16s]", "8/8[3S1D2s1d]": "8/8[2S1D3s1d]",
             "8/8[1d]": "8/8[1D]", "8/D7": "8/d7"}
    assert driver(*(f"exchanged|{board}" for board in pairs)) == list(pairs.values())
    assert driver(*(f"exchanged|{board}" for board in pairs.values())) == list(pairs)


def test_plies_of_recorded_games(driver: Driver) -> None:
    """Hundreds of Ludii's games: chains and the passes that end them, pairs of placements, kills, and the agreement."""
    lines, expected = [], []
    for name, actions in records():
        plies, mid_turn = plies_of(name, actions)
        lines += [game_line(name), f"actions|{actions}"]
        before = plies[:-1] if mid_turn else plies
        expected += [name, f"{' '.join(plies)}|{str(mid_turn).lower()}|{' '.join(before)}"]
    assert sum("|true|" in answer for answer in expected) >= 20
    assert driver(*lines) == expected


def test_boards(driver: Driver) -> None:
    positions = [(name, given["fen"]) for name, entry in ludii.entries().items() for given in entry["positions"]]
    lines = [line for name, fen in positions for line in (game_line(name), pieces_line(fen))]
    assert driver(*lines)[1::2] == [fen.split()[0] for _, fen in positions]
