"""The programs as people start them, on every system: whole matches, their files, and the board page."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.text.command import join_command
from match_play import match_words, texts
from page_requests import Address, Events, ask, do
from processes import await_end, children, kill
from serving import ENGINE, PEOPLE, PERSON, waited

pytestmark = [pytest.mark.process, pytest.mark.long]

Fakes = Callable[..., tuple[str, ...]]
AGAINST_ENGINE = {**PEOPLE, "players": [PERSON, ENGINE]}
OWN = ["--engine", f"cmd={join_command(OWN_ENGINE)}"]


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    command = [*OWN_ENGINE, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def run(*words: str) -> str:
    """Run the program, which must say nothing on stderr, and return what it prints."""
    done = subprocess.run([*OWN_ENGINE, *words], capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_demonstration() -> None:
    assert ", 4 games\n" in run("match", "--demo", "--variant", "rota", "--games", "4", "--quiet")
    assert len(texts(Path("demo.db"))) == 4
    assert Path("demo.pgn").read_text(encoding="utf-8").count("[Result ") == 4
    assert " 0 disagreements" in run("verify", "demo.pgn")


def test_a_match_with_clocks_by_two_processes() -> None:
    run("match", *OWN, "name=A", *OWN, "name=B", "--each", "tc=20+0.5", "--variant", "rota", "--games", "4",
        "--max-plies", "12", "--concurrency", "2", "--force", "--database", "match.db", "--quiet")
    assert len(texts(Path("match.db"))) == 4
    run("report", "match.db", "--output", "report.html")
    report = Path("report.html").read_text(encoding="utf-8")
    assert "</html>" in report
    assert "time loss" not in report.lower()


@contextmanager
def playing(fake_command: Fakes, games: int) -> Iterator[tuple[subprocess.Popen[str], dict[int, list[int]]]]:
    """Start a match by two processes; yield it after its first game, with the engines of each process."""
    words = [*match_words(*[fake_command("good")] * 2), "--games", str(games), "--concurrency", "2", "--force"]
    with started("match", *words, "--database", "match.db") as match:
        assert match.stdout is not None
        assert match.stdout.readline().startswith("game ")
        yield match, {worker: engines for worker in children(match.pid) if (engines := children(worker))}


def test_engines_end_with_a_killed_match(fake_command: Fakes) -> None:
    with playing(fake_command, 1000) as (match, workers):
        match.kill()
        for process_id in chain(workers, *workers.values()):
            await_end(process_id)
    assert len(workers) == 2


def test_a_match_goes_on_without_a_killed_process(fake_command: Fakes) -> None:
    with playing(fake_command, 16) as (match, workers):
        killed = next(iter(workers))
        kill(killed)
        printed, errors = match.communicate(timeout=120)
    assert (match.returncode, errors) == (0, "")
    assert "Lost workers:   1 (their games were played again)\n" in printed
    assert len(texts(Path("match.db"))) == 16
    for engine in workers[killed]:
        await_end(engine)


def test_the_page_and_an_engine_that_answers_a_move() -> None:
    with started("gui", "--no-browser", "--no-games", "--port", "0") as page:
        assert page.stdout is not None
        found = re.search(r"http://\S+", page.stdout.readline())
        assert found
        url = urlsplit(found[0])
        assert url.port is not None
        server = Address(url.port, url.path.strip("/"))
        table = do(server, do="create", game=AGAINST_ENGINE).json["table"]
        events = Events(server, "one", table)  # a game that no page shows falls asleep
        assert do(server, do="move", table=table, move="a1a3", ply=0).json == {}
        waited(lambda: re.search(rb"\n1\. a1-?a3 [a-f][1-6]", ask(server, "GET", f"game.pgn?table={table}").body))
        events.close()
