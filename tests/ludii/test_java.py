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
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import ludii
import processes
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import Game, Position, ludii_variants
from latrones_uci.ludii import __file__ as package

JAVA = Path(ludii.__file__).parent / "ludii"
SOURCES = sorted(Path(package).parent.glob("*.java"))

pytestmark = [pytest.mark.process, pytest.mark.long]


def compiled(folder: Path, *sources: Path, libraries: Sequence[Path] = ()) -> Path:
    """Compile sources into a folder."""
    if not (javac := shutil.which("javac")):
        pytest.skip("no JDK: javac")
    path = ["-cp", os.pathsep.join(map(str, libraries))] if libraries else []
    # Newer compilers warn that version 8 is old, which is the reason to compile for it.
    options = ["-encoding", "UTF-8", "--release", "8", "-Xlint:all,-options", "-Werror", "-d"]
    subprocess.run([javac, *options, folder, *path, *sources], check=True)
    return folder


class Driver:
    """Runs ``Driver.java``."""

    def __init__(self, classes: Path) -> None:
        self.classes = classes

    def command(self, engine: Sequence[str]) -> list[str]:
        """Let the agent find a command for the engine; return the command of the driver."""
        (self.classes.parent / "latrones-command.txt").write_text("\n".join(engine) + "\n", encoding="utf-8")
        return ["java", "-Dfile.encoding=UTF-8", "-cp", str(self.classes), "latrones.Driver"]

    def __call__(self, *lines: str, engine: Sequence[str] = OWN_ENGINE) -> list[str]:
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
    return compiled(folder, *SOURCES, JAVA / "Driver.java", *(JAVA / "stubs").rglob("*.java"))


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


# ---------------------------------------------------------------- the agent

REPORT = re.compile(r"latrones-uci: depth \d+, ([+-]\d+\.\d\d soldiers|(win|loss) in \d+), (\S+)( \S+)*, \d+\.\d s")
KOWALSKI = "ludii-kowalski-12x8"
START = [game_line(KOWALSKI), pieces_line(Position.start(ludii_variants()[KOWALSKI]).fen()), "legal|a1a2 b1b3 e1e4"]


class Answer(NamedTuple):
    """What the agent answers to ``select``."""

    action: str
    report: str
    value: float
    arrows: list[tuple[str, float, float]]

    @classmethod
    def read(cls, line: str) -> Answer:
        action, report, value, arrows = line.split("|")
        words = iter(arrows.split())
        return cls(action, report, float(value), [(move, float(next(words)), float(next(words))) for move in words])


def position_after(name: str, actions: str) -> tuple[list[str], list[str]]:
    """Return the lines that set up the position after some actions, and its legal actions."""
    agreed = ludii.agreed(name, actions)
    game, path = Game(Position.start(agreed.ruleset)), ""
    for step in ludii.steps(agreed.actions):
        if step.complete:
            game.push(step.text)
        else:
            path = step.text
    fen = game.position.fen()
    legal = ludii.actions_of(ludii.texts(game.legal_moves()), path)
    return [game_line(name), f"actions|{actions}", pieces_line(fen.swapcase() if agreed.swapped else fen),
            f"legal|{' '.join(legal)}"], legal


def test_moves_in_recorded_games(driver: Driver) -> None:
    """One agent for all of them, as where the player loads another game; in the last ones, it is within a turn."""
    positions = []
    for name, entry in ludii.entries().items():
        if not re.search("seega|kharebga", name) or name.endswith("6x6"):
            for given in entry["games"]:
                actions = given["moves"].split()
                positions.append(position_after(name, " ".join(actions[: len(actions) * 3 // 5])))
    for name, actions in records():
        if plies_of(name, actions)[1]:
            positions.append(position_after(name, actions))
    lines = list(itertools.chain.from_iterable([*setup, "select|0.02"] for setup, _ in positions))
    for answer, (setup, legal) in zip(driver(*lines)[4::5], positions, strict=True):
        chosen = Answer.read(answer)
        assert chosen.action in legal, (answer, setup)
        assert chosen.report == "null" or REPORT.fullmatch(chosen.report), (answer, setup)


def test_report_value_and_arrows(driver: Driver) -> None:
    *_, answer, by_depth = driver(*START, "select|0.3", "select|-1|0|3")
    chosen = Answer.read(answer)
    found = REPORT.fullmatch(chosen.report)
    assert found
    assert [found[3], *(1 / rank for rank in (1, 2, 3))] == pytest.approx(
        [chosen.action, *(strength for _, strength, _ in chosen.arrows)])
    assert chosen.arrows[0][0] == chosen.action
    assert {move for move, _, _ in chosen.arrows} == {"a1a2", "b1b3", "e1e4"}
    assert chosen.value == pytest.approx(chosen.arrows[0][2])
    assert "depth 3," in Answer.read(by_depth).report


def test_report_of_a_win_and_of_an_edited_board(driver: Driver) -> None:
    """The position is not that of the history: the pieces were set by hand."""
    setup = [game_line("ludii-museum-quintana"), pieces_line("8/8/8/8/8/8/2S5/Ss6"), "legal|a1a2 c2b2 c2c1"]
    chosen = Answer.read(driver(*setup, "select|0.5")[-1])
    assert re.fullmatch(r"latrones-uci: depth \d+, win in 1, c2c1, \d\.\d s \(position sent as FEN\)", chosen.report)
    assert chosen.value == 1


def test_levels(driver: Driver) -> None:
    *_, name, answer, full, _, wrong = driver(*START, "agent|8", "select|0.05", "agent|20", "agent|21", "select|60")
    assert name == "latrones-uci 8"
    assert Answer.read(answer).report.startswith("latrones-uci 8: depth ")
    assert full == "latrones-uci"
    assert Answer.read(wrong).report == (
        "latrones-uci played a random move: the engine reports option Skill Level takes 0..20, not '21'")


def test_one_legal_move_and_the_agreement_need_no_engine(driver: Driver) -> None:
    forced = driver(game_line(KOWALSKI), "legal|a1a2", "select|60", engine=["no-such-engine"])[-1]
    assert Answer.read(forced) == ("a1a2", "null", 0, [])
    agreed = driver(game_line("ludii-schadler-2001"), "legal|+ pass", "select|60", engine=["no-such-engine"])[-1]
    assert Answer.read(agreed) == ("pass", "null", 0, [])


def test_engine_that_is_not_found(driver: Driver) -> None:
    *_, started, answer, name = driver(*START, "init", "select|60", "close", engine=["no-such-engine", "--log"])
    file = driver.classes.parent / "latrones-command.txt"
    assert started.startswith("latrones-uci (not found: no-such-engine --log)|true|latrones-uci: Cannot run program ")
    assert name == "latrones-uci (not found: no-such-engine --log)"
    chosen = Answer.read(answer)
    assert chosen.action in ("a1a2", "b1b3", "e1e4")
    assert chosen.report.startswith('latrones-uci played a random move: Cannot run program "no-such-engine"')
    assert chosen.report.endswith(f"install latrones-uci, or write the words of its command, each on a line, to {file}")


# Fakes, which answer the questions about the position as the engine does.
FAKE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "d":
        print("Fen: {fen}", "Moves: {moves}", sep="\\n", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        {go}
"""


@pytest.mark.parametrize(("moves", "go", "reason"), [
    ("a1a2 b1b3", "sys.exit('out of order')", "has ended, after 'out of order'"),
    ("a1a2 b1b3", "print('info string error internal: 0', 'bestmove a1a2', sep='\\n', flush=True)",
     "the engine reports internal: 0"),
    ("a1a2 b1b3", "print('bestmove 0000', flush=True)", "'0000' is not legal in Ludii"),
    ("h1h8", "pass", "no legal move in common with Ludii in 'ssssssssssss/5d6/12/12/12/12/6D5/SSSSSSSSSSSS w '"),
])
def test_engine_that_fails_in_a_search(driver: Driver, moves: str, go: str, reason: str) -> None:
    fen = Position.start(ludii_variants()[KOWALSKI]).fen()
    fake = FAKE.format(fen=fen, moves=moves, go=go)
    *_, answer, again = driver(*START, "select|60", "select|60", engine=[sys.executable, "-c", one_line(fake)])
    for line in (answer, again):
        report = Answer.read(line).report
        assert report.startswith("latrones-uci played a random move: ")
        assert report.endswith(reason)


def test_engine_that_cannot_run(driver: Driver) -> None:
    """What it says is in the report, although it ends before it is asked."""
    engine = [sys.executable, "-P", "-m", "no_such_module"]
    *_, answer = driver(*START, "init", "select|60", engine=engine)
    report = Answer.read(answer).report
    assert report.startswith(f"latrones-uci played a random move: '{' '.join(engine)}' has ended, after '")
    assert report.endswith("No module named no_such_module'")


def one_line(program: str) -> str:
    """Return a program as one word of the file with the command."""
    return f"exec({program!r})"


def test_interrupt(driver: Driver) -> None:
    start = time.monotonic()
    *_, answer, after = driver(*START, "interrupt", "select|60", "select|0.05")
    assert time.monotonic() - start < 30
    assert REPORT.fullmatch(Answer.read(answer).report)
    assert REPORT.fullmatch(Answer.read(after).report)


def test_engine_that_is_not_used_ends(driver: Driver) -> None:
    assert driver("idle|300|3000", "idle|60000|1000") == ["false", "true"]


# An engine that says who it is, so that a test can look whether it runs.
NAMED = """
import os, runpy, sys
with open(sys.argv.pop(1), "a") as file:
    file.write(f"{os.getpid()}\\n")
runpy.run_module("latrones_uci", run_name="__main__")
"""


@pytest.mark.parametrize("end", ["input", "kill", "close"])
def test_no_engine_is_left(driver: Driver, tmp_path: Path, end: str) -> None:
    """Neither by an agent that Ludii forgets, nor by the end of Java in a search."""
    started = tmp_path / "started"
    engine = [sys.executable, "-P", "-c", one_line(NAMED), str(started)]
    last = {"input": "", "kill": "select|600\n", "close": "close\n"}[end]
    with subprocess.Popen(driver.command(engine), stdin=subprocess.PIPE, encoding="utf-8") as java:
        assert java.stdin
        java.stdin.write("\n".join([*START, "init", last]))
        java.stdin.flush()
        while not (started.exists() and started.read_text().endswith("\n")):
            time.sleep(0.05)
        if end == "kill":
            time.sleep(1)
            java.kill()
        elif end == "close":
            processes.await_end(int(started.read_text()))
    processes.await_end(int(started.read_text()))


# ---------------------------------------------------------------- in Ludii


@pytest.fixture
def ludii_jar() -> Path:
    """Ludii's JAR, which the environment names."""
    if not (name := os.environ.get("LUDII_JAR")):
        pytest.skip("no Ludii: the environment variable LUDII_JAR is not set")
    return Path(name)


@pytest.mark.slow
def test_whole_games_in_ludii(ludii_jar: Path, tmp_path: Path) -> None:
    """All rulesets, both colours, against random moves; Ludii loads the agent from a JAR, as its player does."""
    classes = compiled(tmp_path / "classes", *SOURCES, libraries=[ludii_jar])
    sweep = compiled(tmp_path / "sweep", JAVA / "Sweep.java", libraries=[ludii_jar])
    with zipfile.ZipFile(tmp_path / "agent.jar", "w") as jar:
        for path in classes.rglob("*.class"):
            jar.write(path, path.relative_to(classes).as_posix())
    (tmp_path / "latrones-command.txt").write_text("\n".join(OWN_ENGINE), encoding="utf-8")
    shutil.rmtree(classes)  # so that Ludii has them from the JAR alone
    path = os.pathsep.join(map(str, [ludii_jar, sweep]))
    command = ["java", "-cp", path, "Sweep", tmp_path / "agent.jar", "0.02", "700"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, timeout=500)
    print(done.stdout)
    games = re.findall(r"Ruleset/(.+) \(\w+\), P([12]): (not supported|0 failures)(, winner P\2)?", done.stdout)
    assert len(games) == len(done.stdout.splitlines()), "a failure"
    assert {name for name, _, found, _ in games if found != "not supported"} == {*ludii.NAMES, "Historical Information"}
    assert sum(1 for *_, won in games if won) >= 55


def recorded_lines() -> tuple[list[str], list[str]]:
    """Return lines that play recorded games, from the start and from their middle, with the answers of an engine."""
    lines, expected = list[str](), list[str]()
    for name, entry in ludii.entries().items():
        if "schadler" in name:
            continue
        lines.append(f"setoption name UCI_Variant value {name}")
        for recorded in entry["games"]:
            game = Game(name)
            plies = [step.text for step in ludii.steps(recorded["moves"].split()) if step.complete]
            for number, ply in enumerate(plies):
                if number in (0, 3, len(plies) // 4, len(plies) // 2, len(plies) - 2):
                    lines.append(f"position fen {game.position.fen()} moves {' '.join(plies[number:])}")
                game.push(ply)
            outcome = game.outcome()
            winner = None if outcome is None else outcome.winner
            result = "none" if outcome is None else "draw" if winner is None else f"p{winner + 1}win"
            for position in ([], [f"position startpos moves {' '.join(plies)}"]):
                lines += [*position, "query gameover", "query result"]
                expected += [f"response {str(outcome is not None).lower()}", f"response {result}"]
    return lines, expected


@pytest.mark.slow
def test_recorded_games_by_an_agent_of_ludii(ludii_jar: Path, tmp_path: Path) -> None:
    """Whole games, and positions in the middle of them by FEN: with hands, in a placement, before a chain."""
    classes = compiled(tmp_path / "classes", *SOURCES, libraries=[ludii_jar])
    command = ["java", "-cp", os.pathsep.join(map(str, [ludii_jar, classes])), "latrones.LudiiUgi", "Random"]
    lines, expected = recorded_lines()
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, encoding="utf-8", check=True)
    assert len(expected) > 100
    assert done.stdout.splitlines() == expected


@pytest.mark.slow
def test_agents_of_ludii_follow_the_protocol(ludii_jar: Path, tmp_path: Path) -> None:
    classes = compiled(tmp_path / "classes", *SOURCES, libraries=[ludii_jar])
    command = ["java", "-cp", os.pathsep.join(map(str, [ludii_jar, classes])), "latrones.LudiiUgi", "Alpha-Beta"]
    names = ("handshake", "options", "legal-moves", "finished-game", "infinite", "stop-latency", "busy", "bad-position",
             "errors", "query", "quit-in-search", "end-in-search")
    checks = [*OWN_ENGINE, "check", "--ugi", "--variant", "ludii-museum-quintana", "--timeout", "60", "--latency",
              "5000", *(word for name in names for word in ("--only", name)), *command]
    done = subprocess.run(checks, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout
    assert re.findall(r"^(\S+) +ok ", done.stdout, re.MULTILINE) == [*names]
