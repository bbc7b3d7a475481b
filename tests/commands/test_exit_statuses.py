"""The exit status of a match that was played to its end; docs/match.md has the table."""

import dataclasses

import pytest

from latrones_uci.client.engine_rules import RUNNER_HELD_UP
from latrones_uci.commands.match import _status
from latrones_uci.commands.match_arguments import DEFAULT_FAIL_ON, FAIL_ON
from latrones_uci.game import Termination
from latrones_uci.match.events import TournamentFinished
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import render_summary
from latrones_uci.stats import Sprt
from match_records import NAMES, SETTINGS, record

TESTED = dataclasses.replace(SETTINGS, sprt=Sprt(0, 5))


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
]  # fmt: skip


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
    settings = dataclasses.replace(SETTINGS, sprt=Sprt(-5, 0))
    played = TournamentFinished(standings, False, "", None)
    assert _status(played, settings, DEFAULT_FAIL_ON) == status
    assert _status(played, settings, frozenset({"h0", "fault"})) == (3 if status == 3 else 0)
    assert _status(played, settings, frozenset({"no-verdict"})) == 4
    assert ("counts as H0" in render_summary(standings, settings, "")) is (status == 3)


@pytest.mark.parametrize(
    ("violation", "fault", "any_violation"),
    [("search-error: 'info string error'", 1, 1), ("blanks: ' x'", 0, 1), (f"{RUNNER_HELD_UP}: '0.6 s'", 0, 0)],
)
def test_violations_count_if_they_are_asked_for(violation: str, fault: int, any_violation: int) -> None:
    standings = Standings(NAMES)
    standings.add(record(1, 0, violations=(f"White: {violation}",)))
    played = TournamentFinished(standings, False, "H1", None)
    assert _status(played, TESTED, DEFAULT_FAIL_ON) == 0
    assert _status(played, TESTED, frozenset({"fault"})) == fault
    assert _status(played, TESTED, frozenset({"violation"})) == any_violation
