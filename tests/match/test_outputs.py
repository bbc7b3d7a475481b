"""What a match leaves behind and prints, from the command line: events, tables, PGN, report, and going on with it."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from html_page import Page, assert_harmless
from latrones_uci.client.engine_rules import HELD_UP
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import main as latrones_main
from latrones_uci.commands.main import match_main as main
from latrones_uci.commands.match import _status
from latrones_uci.commands.match_arguments import DEFAULT_FAIL_ON, FAIL_ON
from latrones_uci.game import Termination
from latrones_uci.match.events import TournamentFinished
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import render_summary
from latrones_uci.records.pgn_read import read_file
from latrones_uci.records.store import Store
from latrones_uci.stats import Sprt
from latrones_uci.text.command import PYTHON, join_command, split_command
from latrones_uci.web.match.collect import stored_match
from latrones_uci.web.match.figures import culprit_of, fault_text
from latrones_uci.web.match.sections import llr_after_pairs
from match_play import match_words
from match_records import NAMES, SETTINGS, record

Command = Callable[..., tuple[str, ...]]
Words = Callable[..., list[str]]


@pytest.fixture
def words(fake_command: Command) -> Words:
    """A match of engines with these behaviours, A, B, and so on, on a small board."""

    def words(*behaviours: str, after: int = 0) -> list[str]:
        return [*match_words(*(fake_command(each, after) for each in behaviours)), "--database", "match.db"]

    return words


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out.splitlines()


def test_events_as_json(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    """Their keys are in tests/golden/events.txt."""
    Path("book.txt").write_text("startpos\n", encoding="utf-8")
    match = [*words("good", "illegal", after=3), "--openings", "file:book.txt", "--sprt", "elo0=0", "elo1=5", "--json"]
    assert main([*match, "--games", "4"]) == 4
    events = [json.loads(line) for line in told(capsys)]
    kinds = [event["event"] for event in events]
    assert kinds[:2] == ["warning", "tournament_started"]
    assert kinds[-1] == "tournament_finished"
    assert sorted(kinds[2:-1]) == ["game_finished"] * 4 + ["game_started"] * 4
    assert events[0]["text"] == "latrones:6x6: only 1 opening for 2 pairs; openings are repeated"
    assert (events[-1]["interrupted"], events[-1]["verdict"]) == (False, None)
    assert events[-1]["llr"] > 0
    # The same command with more games resumes the match and reports the games played before.
    assert main([*match, "--games", "6"]) == 4
    first = json.loads(told(capsys)[1])
    assert (first["games"], first["games_played"]) == (6, 4)


@pytest.mark.long
def test_a_resumed_match_and_its_pgn(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    match = [*words("good", "good")[:-2], "--pgn", "match.pgn"]
    for games, resumed in ((2, False), (2, True), (3, True)):
        assert main([*match, "--games", str(games)]) == 0
        out = "\n".join(told(capsys))
        assert ("games already played" in out) == resumed
        assert f"latrones:6x6, {games} games" in out
    (database,) = map(str, Path().glob("latrones-match-*.db"))
    assert main(["resume", database, "--games", "4", "--pgn", "match.pgn"]) == 0
    assert "resumed: 3 of 4 games already played" in told(capsys)
    assert [game.tags["Round"] for game in read_file("match.pgn")] == ["1", "2", "3", "4"]
    assert main(["pgn", database]) == 0
    assert capsys.readouterr().out == Path("match.pgn").read_text(encoding="utf-8")
    # Nothing is left to be played, and a shorter match is another one.
    assert main(["resume", database]) == 0
    assert main(["resume", database, "--games", "2"]) == 2
    assert "games: 2 is too few" in capsys.readouterr().err


def test_the_pgn_file_has_the_games_of_every_run(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    """The database is removed and the command run again, with the same settings."""
    match = [*words("good", "good"), "--games", "2", "--pgn", "match.pgn", "--quiet"]
    assert main(match) == 0
    Path("match.db").unlink()
    assert told(capsys)
    for note in (["latrones-match: 'match.pgn' has 2 games of other matches; the games of this match are appended"],
                 []):
        assert main(match) == 0
        assert capsys.readouterr().err.splitlines() == note
        games = list(read_file("match.pgn"))
        assert [game.tags["Round"] for game in games] == ["1", "2", "1", "2"]
        assert len({game.tags["MatchId"] for game in games}) == 2


def test_a_match_that_does_not_start_leaves_no_file(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    failing = [*words("good", "good"), "--engine", "cmd=false", "--format", "gauntlet", "--pgn", "match.pgn"]
    assert main(failing) == 1
    assert list(Path().iterdir()) == []
    Path("match.pgn").write_text("; mine\n", encoding="utf-8")
    assert main(failing) == 1
    assert Path("match.pgn").read_text(encoding="utf-8") == "; mine\n"
    assert "engine 'false': " in capsys.readouterr().err


def test_a_match_its_games_and_its_report(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed is in tests/commands/outputs.txt."""
    command = [*words("good", "crash", after=2), "--games", "5", "--sprt", "elo0=0", "elo1=5"]
    assert main([*command, "--pgn", "out.pgn", "--report", "report.html"]) == 4  # no verdict
    told(capsys)
    assert main(["verify", "out.pgn"]) == 0
    verified = "\n".join(told(capsys))
    assert "5 games (2 0-1, 3 1-0)" in verified
    assert "0 disagreements\nterminations: 5 crash" in verified
    with Store(Path("match.db"), writing=False) as store:
        match = stored_match(store)
    assert [match.standings.total(engine).counts for engine in (0, 1)] == [(5, 0, 0), (0, 0, 5)]
    games = [(record.fixture.white, record.game.outcome.result, culprit_of(record)) for record in match.records]
    assert games[:2] == [(0, "1-0", 1), (1, "0-1", 1)]
    assert "ended with status 3" in fault_text(match.records[0])
    assert all(ply.elapsed_ns and ply.info.score.cp == 5 for ply in match.records[0].game.plies)
    assert match.tournament is not None
    assert match.tournament.sprt is not None
    ratios = llr_after_pairs(match.tournament.sprt, match.records)
    assert [games for games, _ in ratios] == [0, 2, 4]
    assert ratios[2][1] > ratios[1][1] > 0
    text = Path("report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert_harmless(page)
    assert page.text["h1"] == ["A against B"]
    told_of = " ".join(part for parts in page.text.values() for part in parts)
    for said in ("5-0-0", "5 crash of B", "no verdict yet", "the fake falls over", "LOS", "latrones:6x6"):
        assert said in told_of, said
    assert main(["report", "match.db"]) == 0
    assert Path("match.html").read_text(encoding="utf-8") == text
    assert told(capsys) == [f"report: {Path('match.html').resolve()}"]


def test_settings_from_a_file(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    """With games of one's own, whose file is read again."""
    Path("games.toml").write_text('[mine]\nparent = "latrones"\ndefault_size = "6x6"\n', encoding="utf-8")
    given = [word for word in words("good", "good") if word not in ("--board", "6x6", "--database", "match.db")]
    assert main([*given, "--variant-path", "games.toml", "--games", "1", "--save-config", "match.toml"]) == 0
    assert told(capsys) == [f"settings: {Path('match.toml').resolve()}"]
    assert "variant_path" in Path("match.toml").read_text(encoding="utf-8")
    assert main(["--config", "match.toml", "--games", "1", "--concurrency", "1", "--database", "match.db"]) == 0
    assert "latrones:6x6" not in (out := "\n".join(told(capsys)))
    assert "W-D-L: " in out
    Path("games.toml").unlink()
    assert main(["resume", "match.db", "--games", "2", "--quiet"]) == 0  # what stood in it is in the database
    Path("games.toml").mkdir()
    assert main(["resume", "match.db", "--games", "3", "--quiet"]) == 0


@pytest.mark.long
def test_a_demo_replaces_the_one_before(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["--demo", "--quiet", "--games", "1", "--variant", "rota"]) == 0
        assert len(list(read_file("demo.pgn"))) == 1
        assert capsys.readouterr().out.splitlines()[-1].startswith(f"Next: '{PYTHON} -m latrones_uci report demo.db' ")
    assert main(["--demo", "--engine", "cmd=x"]) == 2
    assert "'--demo' cannot be combined with '--engine' or '--each'" in capsys.readouterr().err


@pytest.mark.process
def test_an_engine_that_is_gone_after_some_games(fake_command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """What was played is told, and kept."""
    source = Path(fake_command("good")[1]).read_text(encoding="utf-8")
    vanishing = source.replace("def crash(engine: FakeEngine) -> None:",
                               "def crash(engine: FakeEngine) -> None:\n    os.unlink(__file__)")
    Path("vanishing.py").write_text(vanishing, encoding="utf-8")
    command = (fake_command("good")[0], str(Path("vanishing.py").resolve()), "crash", "1")
    assert main([*match_words(command, fake_command("good")), "--database", "match.db", "--games", "4"]) == 1
    captured = capsys.readouterr()
    assert "W-D-L:          0-0-1" in captured.out
    assert captured.err.startswith("latrones-match: engine 'A': ended with status 2")


def test_screened_openings_and_engines_that_are_started_for_each_game(
    words: Words, fake_command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = ["--screen-engine", join_command(fake_command("count-men")), "nodes=1", "score=0"]
    assert main([*words("good", "good"), "--each", "restart=on", *screen, "--games", "4", "--openings", "random:6",
                 "--log", "traffic.log"]) == 0
    assert "W-D-L: " in "\n".join(told(capsys))
    with Store(Path("match.db"), writing=False) as store:
        boards = [opening.fen.split()[0] for opening in store.openings()]
    assert len(boards) == 2
    for board in boards:
        assert sum(map(str.isupper, board)) == sum(map(str.islower, board))
    greetings = Path("traffic.log").read_text(encoding="utf-8").count("]: uciok")
    assert greetings == 2 * (1 + 4)


def test_a_log_of_each_engine(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    match = [*words("good", "good", "good"), "--format", "round-robin", "--games", "2", "--concurrency", "1"]
    assert main([*match, "--log-dir", "logs/of/it", "--log", "traffic.log"]) == 0
    folder = Path("logs/of/it")
    assert sorted(path.name for path in folder.iterdir()) == ["engine-1.log", "engine-2.log", "engine-3.log"]
    lines = [line[11:] for line in Path("traffic.log").read_text(encoding="utf-8").splitlines()[1:]]
    of_each = []
    for number, name in enumerate("ABC", 1):
        own = [line[11:] for line in (folder / f"engine-{number}.log").read_text(encoding="utf-8").splitlines()[1:]]
        assert {line.split("[")[0][4:] for line in own} == {name}
        assert own == [line for line in lines if line[4:].startswith(f"{name}[")]
        of_each += own
    assert sorted(of_each) == sorted(lines)
    assert sum("go nodes" in line for line in lines) > 12
    capsys.readouterr()
    Path("file").touch()
    assert main([*match, "--log-dir", "file"]) == 1
    assert capsys.readouterr().err.startswith("latrones-match: 'file': File ")  # exists, or already exists


@pytest.mark.process
def test_a_reader_that_leaves(words: Words) -> None:
    command = [*OWN_ENGINE, "match", *words("good", "good")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        assert match.stderr is not None
        match.stdout.close()
        errors = match.stderr.read()
        assert match.wait(30) == 1
    assert "Elo difference: " in errors or "0 games" in errors
    assert "latrones-uci match: standard output is closed; to resume: latrones-uci resume match.db" in errors


# ---------------------------------------------------------------- exit status: docs/match.md has the table

TESTED = replace(SETTINGS, sprt=Sprt(0, 5))


CASES: list[tuple[str, tuple[Termination, ...], dict[str, int]]] = [
    ("H1", (Termination.CRASH,), {"h0 no-verdict": 0, "fault": 1}),
    ("H0", (Termination.CRASH,), {"h0 no-verdict": 3, "fault": 1}),
    ("", (), {"h0 no-verdict": 4, " ".join(FAIL_ON): 4, "fault": 0}),
    *[("H1", (Termination.DECIDED, termination), {"h0 no-verdict": 0, "fault": fault, "time-loss h0": time_loss})
      for termination, fault, time_loss in [
        (Termination.CRASH, 1, 0), (Termination.TIME_LOSS, 1, 1), (Termination.ILLEGAL_MOVE, 1, 0),
        (Termination.STALL, 1, 0), (Termination.PROTOCOL_ERROR, 1, 0), (Termination.RESIGNATION, 0, 0),
        (Termination.ADJUDICATION, 0, 0), (Termination.DECIDED, 0, 0), (Termination.REPETITION, 0, 0),
    ]],
]


@pytest.mark.parametrize(("verdict", "terminations", "statuses"), CASES)
def test_the_verdict_counts_and_faults_if_they_are_asked_for(
    verdict: str, terminations: tuple[Termination, ...], statuses: dict[str, int]
) -> None:
    standings = Standings(NAMES)
    for number, termination in enumerate(terminations, start=1):
        standings.add(record(number, None if termination is Termination.ADJUDICATION else 0, termination))
    played = TournamentFinished(standings, False, verdict, None)
    assert frozenset({"h0", "no-verdict"}) == DEFAULT_FAIL_ON
    for fail_on, status in statuses.items():
        assert _status(played, TESTED, frozenset(fail_on.split())) == status, fail_on
    if not terminations:
        assert _status(played, SETTINGS, frozenset(FAIL_ON)) == 0  # without a test


@pytest.mark.parametrize(("lost", "status"), [(0, 4), (1, 4), (20, 3)])
def test_a_match_that_ends_before_its_verdict_but_far_below_h0_is_rejected(lost: int, status: int) -> None:
    """Even if all of 40 games are lost, a test of -5 to 0 has no verdict."""
    standings = Standings(NAMES)
    for number in range(1, 41):
        white_wins = number % 2 == 0 if number <= 2 * lost else True  # of two players, who alternate
        standings.add(record(number, 0 if white_wins else 1, Termination.DECIDED))
    settings = replace(SETTINGS, sprt=Sprt(-5, 0))
    played = TournamentFinished(standings, False, "", None)
    assert _status(played, settings, DEFAULT_FAIL_ON) == status
    assert _status(played, settings, frozenset({"h0", "fault"})) == (3 if status == 3 else 0)
    assert _status(played, settings, frozenset({"no-verdict"})) == 4
    assert ("counts as H0" in render_summary(standings, settings, "")) is (status == 3)


@pytest.mark.parametrize(
    ("violation", "fault", "any_violation"),
    [("search-error: 'info string error'", 1, 1), ("blanks: ' x'", 0, 1), (f"{HELD_UP}: '0.6 s'", 0, 0)],
)
def test_violations_count_if_they_are_asked_for(violation: str, fault: int, any_violation: int) -> None:
    standings = Standings(NAMES)
    standings.add(record(1, 0, violations=(f"White: {violation}",)))
    played = TournamentFinished(standings, False, "H1", None)
    assert _status(played, TESTED, DEFAULT_FAIL_ON) == 0
    assert _status(played, TESTED, frozenset({"fault"})) == fault
    assert _status(played, TESTED, frozenset({"violation"})) == any_violation


@pytest.mark.slow
@pytest.mark.parametrize(("behaviour", "kind", "what"), [
    ("crash", "fault", "crash of A"), ("illegal", "fault", "illegal move of A"),
    ("late", "time-loss", "time loss of A"), ("late", "fault", "time loss of A"),
    ("report-errors", "fault", "A: search-error"),
    ("stale-answer", "violation", "A: unexpected-bestmove"),
])
def test_the_first_failure_of_a_kind_ends_the_match(
    words: Words, capsys: pytest.CaptureFixture[str], behaviour: str, kind: str, what: str
) -> None:
    command = [*words(behaviour, "good", after=3), "--games", "6", "--fail-on", kind]
    assert main(command) == 1
    captured = capsys.readouterr()
    assert f"latrones-match: --fail-on {kind}: game 1, A - B: {what} (" in captured.err
    play_on = split_command(captured.err.strip().rpartition("; to play on: ")[2])
    assert play_on == ["latrones-uci", "resume", "match.db", "--fail-on", kind, "end"]
    assert "A against B: latrones:6x6, 1 game\n" in captured.out
    # The same command has the same result, as the game is in the database.
    assert main(command) == 1
    assert "A against B: latrones:6x6, 1 game\n" in capsys.readouterr().out
    assert latrones_main(play_on[1:]) == 1
    captured = capsys.readouterr()
    assert "A against B: latrones:6x6, 6 games\n" in captured.out
    assert f"--fail-on {kind}: game 1, A - B: {what} (" in captured.err
    assert "play on" not in captured.err


def test_other_failures_do_not_end_the_match(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words("crash", "good", after=3), "--games", "4", "--fail-on", "time-loss", "violation"]) == 0
    assert "A against B: latrones:6x6, 4 games\n" in capsys.readouterr().out


def test_a_failure_is_in_the_last_event(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words("crash", "good", after=3), "--games", "4", "--fail-on", "fault", "--json"]) == 1
    ended = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (ended["event"], ended["interrupted"]) == ("tournament_finished", False)
    assert ended["failure"].startswith("fault: game 1, A - B: crash of A (White: ended with status ")
    assert (ended["standings"]["games"], ended["more_games"]) == (1, None)


def test_a_word_that_ends_nothing_is_refused(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words("good", "good"), "--fail-on", "h0", "end"]) == 2
    assert "fail_on: 'end' without an outcome that would end the match; expected" in capsys.readouterr().err
