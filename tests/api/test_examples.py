"""The programs of docs/examples run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from folders import EXAMPLES
from latrones_uci import Game, builtin_variants, read_pgn
from latrones_uci.client.engine_spec import OWN_ENGINE

pytestmark = pytest.mark.process

ENGINES = ("random_mover", "greedy_mover")
PATIENCE_S = 300
SCRIPTS = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])


def run(folder: Path, *command: str) -> str:
    """Run a program in a folder, with the engine on the PATH, and return what it prints."""
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=PATIENCE_S, cwd=folder,
        env={**os.environ, "PATH": SCRIPTS},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def example(name: str) -> str:
    return str(EXAMPLES / f"{name}.py")


def test_every_example_says_how_to_run_it() -> None:
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert re.match(r'""".*?\bUsage: .*?' + path.name, text, re.DOTALL), path.name
        assert len(text.splitlines()) < 150, path.name


COROUTINES = """
from latrones_uci import AsyncEngine, Game, Limit, PlayResult, SearchInfo

async def use() -> None:
    async with await AsyncEngine.popen(board="6x6") as engine:
        result: PlayResult = await engine.play(Game("latrones"), Limit(depth=1), root_moves=["a1a2"])
        one: SearchInfo = await engine.analyse(Game(), Limit(depth=1), multipv=None)
        two: list[SearchInfo] = await engine.analyse(Game(), Limit(depth=1), multipv=2)
        async for info in await engine.analysis(Game()):
            one = info
        await engine.play(Game(), Limit(depth=1), ponder="x")  # type: ignore[arg-type]
        await AsyncEngine.popen(bord="6x6")  # type: ignore[call-arg]
"""


@pytest.mark.slow
def test_examples_are_typed(tmp_path: Path) -> None:
    """Strictly, also that of the README, and coroutines as the methods that they call."""
    readme = (EXAMPLES.parent.parent / "README.md").read_text(encoding="utf-8")
    (tmp_path / "readme.py").write_text(readme.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    (tmp_path / "coroutines.py").write_text(COROUTINES, encoding="utf-8")
    typed = [example(name) for name in ("analyse_a_pgn", "draw_a_position", "list_legal_moves", "play_a_game")]
    run(tmp_path, "-m", "mypy", "--strict", "readme.py", "coroutines.py", *typed)


def test_list_legal_moves(tmp_path: Path) -> None:
    lines = run(tmp_path, example("list_legal_moves")).splitlines()
    assert len(lines) == len(builtin_variants())
    for name, line in zip(builtin_variants(), lines, strict=True):
        moves = Game(name).legal_moves()
        assert line == f"{name}, {len(moves)} moves: {' '.join(map(str, moves))}"


def test_draw_a_position(tmp_path: Path) -> None:
    shown = run(tmp_path, example("draw_a_position"), "board.svg", "d1d5", "e8e4")
    assert shown.splitlines()[-1] == "ssss1sss/3d4/8/3S4/4s3/8/4D3/SSS1SSSS w 2 2"
    drawn = (tmp_path / "board.svg").read_text(encoding="utf-8")
    assert "FEN ssss1sss/3d4/8/3S4/4s3/8/4D3/SSS1SSSS w 2 2" in drawn


@pytest.mark.parametrize("variant", ["latrones", "bell"])
def test_play_a_game(tmp_path: Path, variant: str) -> None:
    lines = run(tmp_path, example("play_a_game"), variant).splitlines()
    game = Game(variant)
    for line in lines:
        if words := re.fullmatch(r"([0-9]+) (\S+) [+-](M?)[0-9.]+", line):
            game.push(words[2])
            assert int(words[1]) == len(game.moves)
    assert lines[-1] == str(game.outcome()) != "None"


def test_match_between_functions(tmp_path: Path) -> None:
    *games, winner, loser = run(tmp_path, example("match_between_functions"), "4").splitlines()
    assert len(games) == 4
    points = [float(re.fullmatch(r"(?:capture_most|play_randomly): ([0-9.]+) points", line)[1])  # type: ignore[index]
              for line in (winner, loser)]
    assert sum(points) == 4
    assert winner.startswith("capture_most")


def test_tournament_and_analysis_of_its_games(tmp_path: Path) -> None:
    """A round robin of the two engines and our own, whose games are then analysed."""
    own = list(OWN_ENGINE)
    commands = [[sys.executable, example(name)] for name in ENGINES] + [own]
    engines = [word for command in commands for word in ("--engine", "cmd=" + " ".join(command), "depth=2")]
    run(tmp_path, *own[1:], "match", "--format", "round-robin", "--games", "2", *engines, "--variant", "latrones:6x6",
        "--openings", "random:2", "--seed", "1", "--pgn", "games.pgn", "--database", "games.db", "--quiet",
        "--max-plies", "200")
    read = list(read_pgn(tmp_path / "games.pgn"))
    assert len(read) == 6
    assert {each.tags["White"].split()[0] for each in read} == {"Random", "Greedy", "latrones-uci"}
    assert {each.tags["Termination"] for each in read} <= {"normal", "adjudication"}
    shown = run(tmp_path, example("analyse_a_pgn"), "games.pgn").splitlines()
    assert len(shown) == sum(1 + len(each.moves) for each in read)
    assert shown[0] == f"{read[0].tags['White']} - {read[0].tags['Black']} {read[0].game.result()}"
    assert all(re.fullmatch(r"  \S+  score \S+, best \S+|.* - .* \S+", line) for line in shown)


SLOW = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize(("name", "words"), [
    ("random_mover", ()),
    ("greedy_mover", ("--ugi", "--variant", "bell", "--games", "5")),
    pytest.param("random_mover", ("--ugi", "--variant", "rota"), marks=SLOW),
    pytest.param("random_mover", ("--board", "12x8"), marks=SLOW),
    pytest.param("greedy_mover", (), marks=SLOW),
    pytest.param("greedy_mover", ("--variant", "rota"), marks=SLOW),
    pytest.param("greedy_mover", ("--ugi", "--board", "12x8"), marks=SLOW),
])
def test_check_passes(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    """With patience, as the tests of a busy machine need it."""
    shown = run(tmp_path, *OWN_ENGINE[1:], "check", "--latency", "5000", "--timeout", "60", *words, sys.executable,
                example(name))
    assert "FAILED" not in shown
    missing = {line.split()[0] for line in shown.splitlines() if " not offered " in line}
    assert missing == {"info-lines", "multipv", "ponder", "eval", "bench"}
