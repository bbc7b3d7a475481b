"""The command ``latrones-uci sprt``: judge counted games, and say how many games a sequential test takes."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil, isfinite
from typing import Any

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import Parser, parse_natural, parse_positive
from latrones_uci.commands.match_arguments import add_options
from latrones_uci.match.progress import estimate_to_data
from latrones_uci.match.standings import Meeting
from latrones_uci.match.summary import estimate_meeting, render_bounds, render_meeting, render_sprt
from latrones_uci.records.settings import MAX_TEST_GAMES, TournamentSettings, parse_sprt
from latrones_uci.stats import Sprt, Verdict, estimated_below_h0, game_log_likelihood_ratio, log_likelihood_ratio
from latrones_uci.stats.multinomial import shares_of, variance_of
from latrones_uci.stats.sprt import MAX_HYPOTHESIS_ELO
from latrones_uci.stats.sprt_forecast import (
    USUAL_DRAW_RATIO,
    USUAL_PAIRS,
    SprtForecast,
    forecast_rest,
    forecast_sprt,
    independent_pairs,
)
from latrones_uci.text.messages import quoted

_DESCRIPTION = """\
Print Elo, normalised Elo and LOS of counted games with 95% intervals, and the LLR of a sequential test (SPRT), as the
summary of a match does. With --sprt, also print how such a test ends, and in how many games, at several true
differences: the pass probability and the expected duration.

How much pairs vary is taken from the counts; those of --wdl are taken as pairs of independent games. Without counts,
65% of the games are drawn. See docs/statistics.md.
"""
_EPILOG = """\
examples:
  latrones-uci sprt --pairs 5 40 120 50 8 --sprt gainer
  latrones-uci sprt --sprt elo0=-20 elo1=0 --games 4000 --true -30 -20 -10 0
"""
_SHOWN = 0.0005  # the least share that does not round to 0.0%


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    either = parser.add_mutually_exclusive_group().add_argument
    either("--wdl", nargs=3, type=_parse_count, metavar=("W", "D", "L"), help="numbers of wins, draws and losses, in"
           " this order; cutechess, fastchess and OpenBench print losses before draws")
    either("--pairs", nargs=5, type=_parse_count, metavar=("P0", "P1", "P2", "P3", "P4"), help="numbers of pairs with"
           " 0, ½, 1, 1½ and 2 points: 'Ptnml(0-2)' of fastchess and fishtest, 'Penta' of OpenBench")
    add_options(parser, TournamentSettings, ["sprt"])
    add = parser.add_argument
    add("--true", nargs="+", type=_parse_elo, metavar="ELO", help="true differences, in the Elo of the test (default:"
        " seven, from below elo0 to above elo1)")
    add("--games", type=parse_positive, metavar="N", help="number of games after which the test ends without a verdict"
        f" (default: {MAX_TEST_GAMES})")
    add("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace, program: str) -> int:
    meeting = _read_counts(options)
    sprt = None if options.sprt is None else parse_sprt(options.sprt)
    if sprt is None and meeting is None:
        raise SettingsError("counts and test: none given; expected --wdl W D L, --pairs with five numbers, or --sprt")
    if sprt is None and (options.true or options.games):
        raise SettingsError(f"{'--true' if options.true else '--games'}: given without a test; expected --sprt")
    games = options.games or MAX_TEST_GAMES
    if games < 2:
        raise SettingsError(f"--games {games}: less than a pair; expected 2 or more")
    test = None if sprt is None else _Test(sprt, meeting, games, *_shares(meeting))
    if options.json:
        print(json.dumps(_data(meeting, test, options.true), indent=2))
    else:
        print("\n".join(_lines(meeting, test, options.true)))
    return 0


def _parse_count(text: str) -> int:
    """Parse a count, also as in a list that other programs print: ``[5, 40, 120, 50, 8]``."""
    return parse_natural(text.strip("[],"))


def _parse_elo(text: str) -> float:
    try:
        elo = float(text)
    except ValueError:
        elo = float("inf")
    if not (isfinite(elo) and abs(elo) <= MAX_HYPOTHESIS_ELO):
        most = f"{MAX_HYPOTHESIS_ELO:g}"
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a difference from -{most} to {most}")
    return elo


def _read_counts(options: argparse.Namespace) -> Meeting | None:
    """Return the counts as the games of two engines, those of ``--pairs`` without wins, draws and losses."""
    given = options.pairs or options.wdl
    if given is None:
        return None
    if not any(given):
        name, what = ("--pairs", "pairs") if options.pairs else ("--wdl", "games")
        raise SettingsError(f"{name} {' '.join(map(str, given))}: no {what}; expected at least one")
    return Meeting(pairs=tuple(given)) if options.pairs else Meeting(*given)


# ---------------------------------------------------------------- the forecast


@dataclass(frozen=True)
class _Test:
    """A sequential test, which has begun if there are counts."""

    sprt: Sprt
    meeting: Meeting | None
    """The counts, None for none."""
    games: int
    """The number of games after which it ends without a verdict."""
    shares: Sequence[float]
    """The shares of pairs by points."""
    source: str
    """Where these come from."""

    @cached_property
    def ratio(self) -> float:
        if self.meeting is None:
            return 0.0
        if any(self.meeting.pairs):
            return log_likelihood_ratio(self.sprt, self.meeting.pairs)
        return game_log_likelihood_ratio(self.sprt, *self.meeting.counts)

    @property
    def verdict(self) -> str:
        """``H0``, ``H1`` or empty."""
        verdict = self.sprt.verdict(self.ratio)
        return "" if verdict is Verdict.CONTINUE else verdict.value

    @property
    def played(self) -> int:
        """The number of games played if the test goes on, else 0: the forecast is then that of another test."""
        if self.meeting is None or self.verdict:
            return 0
        played = 2 * sum(self.meeting.pairs) or self.meeting.games
        return played if played + 2 <= self.games else 0

    def forecast(self, elo: float) -> SprtForecast:
        """Return how the rest of the test ends, or all of another one, if the true difference is ``elo``."""
        played = self.played // 2
        ratio = self.ratio if played else 0.0
        return forecast_sprt(self.sprt, elo, self.shares, self.games // 2 - played, ratio, played)

    def forecasts(self, differences: Sequence[float] | None) -> dict[float, SprtForecast]:
        if differences is None:
            half = (self.sprt.elo1 - self.sprt.elo0) / 2
            around = [self.sprt.elo0 + half * step for step in range(-2, 5)]
            differences = [elo for elo in around if abs(elo) <= MAX_HYPOTHESIS_ELO]
        return {elo: self.forecast(elo) for elo in differences}

    @property
    def more_games(self) -> int | None:
        """The number of games to come if the difference is the measured one; None as in ``forecast_rest``."""
        if self.meeting is None:
            return None
        rest = forecast_rest(self.sprt, self.meeting.pairs, self.games // 2)
        return None if rest is None else round(2 * rest.mean_pairs)


def _shares(meeting: Meeting | None) -> tuple[Sequence[float], str]:
    """Return the shares of pairs by points, and where they come from."""
    if meeting is not None and any(meeting.pairs):
        shares, source = shares_of(meeting.pairs), "pairs as counted"
    elif meeting is not None:
        shares, source = independent_pairs(*meeting.counts), f"{meeting.draws / meeting.games:.1%} of games drawn"
    if meeting is None or variance_of(shares) == 0:  # all alike, which does not say how much others vary
        return USUAL_PAIRS, f"{USUAL_DRAW_RATIO:.0%} of games drawn"
    return shares, source


def _lines(meeting: Meeting | None, test: _Test | None, differences: Sequence[float] | None) -> Iterator[str]:
    if meeting is not None:
        yield from render_meeting(meeting, "from games")
    if test is None:
        return
    sprt, played, forecasts = test.sprt, test.played, test.forecasts(differences)
    if meeting is not None:
        below = estimated_below_h0(sprt, estimate_meeting(meeting))
        yield from render_sprt(sprt, test.ratio, test.verdict, test.more_games, below_h0=below)
        yield ""
    what = f"the rest of this test, at most {test.games - played:,} more games" if played else (
        f"{render_bounds(sprt)}, at most {test.games:,} games")
    yield f"Forecast:       {what}; {test.source}"
    yield f"  true Elo      H0      H1  no verdict  {'more' if played else 'mean'} games  95% within"
    for elo, found in forecasts.items():
        yield (
            f"{elo:>10g} {found.accept_h0 + found.below_h0:>7.1%} {found.accept_h1:>7.1%} {found.no_verdict:>11.1%}"
            f" {2 * found.mean_pairs:>11,.0f} {2 * ceil(found.long_pairs):>11,}"
        )
    if any(found.below_h0 >= _SHOWN for found in forecasts.values()):
        yield f"H0 includes tests without a verdict whose 95% interval is below {sprt.elo0:g}, as in a match."


def _data(meeting: Meeting | None, test: _Test | None, differences: Sequence[float] | None) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if meeting is not None:
        if any(meeting.pairs):
            data["pairs"] = meeting.pairs
        else:
            data |= {"wins": meeting.wins, "draws": meeting.draws, "losses": meeting.losses}
        data |= estimate_to_data(estimate_meeting(meeting))
    if test is None:
        return data
    data["sprt"] = asdict(test.sprt) | {"lower": test.sprt.lower, "upper": test.sprt.upper}
    if meeting is not None:
        data |= {"llr": test.ratio, "verdict": test.verdict or None, "more_games": test.more_games}
    data |= {"games": test.games, "games_before_forecast": test.played}
    data["forecast"] = [
        {"elo": elo, "accept_h0": round(found.accept_h0, 6), "accept_h1": round(found.accept_h1, 6),
         "below_h0": round(found.below_h0, 6), "no_verdict": round(found.no_verdict, 6),
         "mean_games": round(2 * found.mean_pairs, 1), "games_95": 2 * ceil(found.long_pairs)}
        for elo, found in test.forecasts(differences).items()
    ]
    return data
