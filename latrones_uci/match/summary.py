"""Render results as text: a line for each game, the summary of a tournament, and rating lists."""

import textwrap
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import isinf

from latrones_uci.client.time_control import NS_PER_MS
from latrones_uci.match.rounds import render_rounds, shortened
from latrones_uci.match.standings import EngineTally, Meeting, Standings
from latrones_uci.match.tuner import engine_of_tuning, render_result
from latrones_uci.records.plan import pairings
from latrones_uci.records.record import GameRecord, termination_text
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import (
    Estimate,
    Interval,
    Pentanomial,
    Sprt,
    estimate_from_games,
    estimate_from_pairs,
    game_draw_ratio,
    is_below_h0,
    log_likelihood_ratio,
    pair_draw_ratio,
    pair_ratio,
    pentanomial_of,
)
from latrones_uci.stats.bradley_terry import Encounter, Rating, RatingList, RatingsError, rate
from latrones_uci.stats.sprt_forecast import forecast_rest
from latrones_uci.stats.spsa import Spsa
from latrones_uci.text.messages import counted

_PAIR_POINTS = ("0", "½", "1", "1½", "2")


def render_game_line(record: GameRecord, standings: Standings, games: int, sprt: Sprt | None) -> str:
    """Render one line with a finished game and the standing of its two engines."""
    game = record.game
    white, black = record.names
    termination, details = termination_text(game.outcome)
    plies = counted(len(game.plies), "ply", "plies")
    plan = standings.schedule.plan if standings.schedule is not None else None
    place = f"{record.fixture.number}/{games}"
    if plan is not None and plan.games % 2 and plan.engines > 2:
        # Each pairing lacks the last game of a pair, so that the numbers go beyond the number of games.
        place = f"{record.fixture.number} ({standings.games} of {games})"
    elif sprt is not None:
        place = str(record.fixture.number)  # how many there will be, the test decides
    return (
        f"game {place}: {white} - {black} {game.outcome.result} in {plies}, "
        f"{termination} ({details}) | {_render_standing(record, standings, sprt)}"
    )


def _render_standing(record: GameRecord, standings: Standings, sprt: Sprt | None) -> str:
    """Render the score of the two engines of a game, and the state of the sequential test."""
    first, second = sorted((record.fixture.white, record.fixture.black))
    meeting = standings.meeting(first, second)
    text = f"{standings.names[first]} {meeting.record}"
    if len(standings.names) > 2:
        text += f" against {standings.names[second]}"
    if sprt is None:
        return text
    return f"{text}, LLR {log_likelihood_ratio(sprt, meeting.pairs):.2f}"


def render_summary(
    standings: Standings, settings: TournamentSettings, verdict: str, parameters: Mapping[str, float] | None = None
) -> str:
    """Render the summary; ``parameters`` are the last values of a tuning."""
    if settings.tuning is not None and parameters:
        lines = _tuning_lines(standings, settings, settings.tuning, parameters)
    elif len(settings.engines) == 2 and not settings.format.in_rounds:
        lines = _match_lines(standings, settings)
    else:
        lines = _tournament_lines(standings, settings)
    return "\n".join([*lines, *_common_lines(standings, settings, verdict)])


def more_games(settings: TournamentSettings, pairs: Pentanomial) -> int | None:
    """Return how many more games a sequential test will probably take if the difference is the measured one.

    None without a test, after its end, and as long as the difference has no bounds.
    """
    if settings.sprt is None:
        return None
    rest = forecast_rest(settings.sprt, pairs, settings.games // 2)
    return None if rest is None else round(2 * rest.mean_pairs)


def rounded(number: int) -> str:
    """Render an estimated number with two significant digits, such as ``4,200``."""
    return f"{float(f'{number:.2g}'):,.0f}"


def render_elo(elo: Interval, digits: int = 1) -> str:
    """Render a difference with its 95% interval, such as ``+23.2 (-18.9 to +69.8)``, with so many decimal places."""
    if isinf(elo.low) and isinf(elo.high):
        bounds = "no bounds yet"
    elif isinf(elo.high):
        bounds = f"{elo.low:+.{digits}f} or more"
    elif isinf(elo.low):
        bounds = f"{elo.high:+.{digits}f} or less"
    else:
        bounds = f"{elo.low:+.{digits}f} to {elo.high:+.{digits}f}"
    return f"{elo.value:+.{digits}f} ({bounds})"


def render_verdict(verdict: str) -> str:
    """Render the verdict of a sequential test: ``H0``, ``H1``, or empty."""
    return f"{verdict} accepted" if verdict else "no verdict yet"


def estimate_meeting(meeting: Meeting) -> Estimate:
    """Estimate the difference of two engines from their pairs, or from their games if no pair is complete."""
    return estimate_from_pairs(meeting.pairs) if sum(meeting.pairs) else estimate_from_games(*meeting.counts)


def games_left_out(meeting: Meeting) -> int:
    """Return the number of games that are not in the estimate, because the other one of their pair is missing."""
    return len(meeting.half_pairs) if sum(meeting.pairs) else 0


def _tuning_lines(
    standings: Standings, settings: TournamentSettings, tuning: Spsa, parameters: Mapping[str, float]
) -> Iterator[str]:
    meeting = standings.meeting(0, 1)
    played = f"{standings.games} of {settings.games} games"
    yield f"Tuning of {engine_of_tuning(settings)}: {settings.variants_text}, {played}"
    yield f"W-D-L:          {meeting.record} (plus against minus)"
    yield from render_result(tuning, parameters)


def _match_lines(standings: Standings, settings: TournamentSettings) -> Iterator[str]:
    first, second = standings.names
    yield f"{first} against {second}: {settings.variants_text}, {counted(standings.games, 'game')}"
    meeting = standings.meeting(0, 1)
    if not meeting.games:
        return
    yield from render_meeting(meeting, "from games; no pair is complete")


def render_meeting(meeting: Meeting, without_pairs: str) -> Iterator[str]:
    """Yield the estimates of two engines, from wins, draws and losses, from pairs, or from both.

    ``without_pairs`` says what the estimate is from if there are no pairs.
    """
    found = estimate_meeting(meeting)
    score = found.score
    basis = f"from {counted(found.trials, 'pair')}" if found.paired else without_pairs
    if meeting.games:
        yield f"W-D-L:          {meeting.record}"
    yield f"Score:          {score.value:.2%} ({score.low:.2%} to {score.high:.2%}; 95%, {basis})"
    yield f"Elo difference: {render_elo(found.elo)}"
    yield f"Normalised Elo: {render_elo(found.normalized_elo)}"
    yield f"LOS:            {found.los:.2%}"
    ratios = [f"{game_draw_ratio(*meeting.counts):.2%} of games"] if meeting.games else []
    if found.paired:
        yield f"Pairs:          {_render_pairs(meeting.pairs)}"
        ratios.append(f"{pair_draw_ratio(meeting.pairs):.2%} of pairs ended 1-1")
    yield f"Draw ratio:     {'; '.join(ratios)}"
    if left_out := games_left_out(meeting):
        yield f"Not paired yet: {counted(left_out, 'game')}, in W-D-L and draw ratio only"


def render_sprt(
    sprt: Sprt, ratio: float, verdict: str, more: int | None = None, *, below_h0: bool
) -> Iterator[str]:
    """Yield the lines of a sequential test.

    ``more`` is the number of games that it will probably still take, None if unknown; ``below_h0`` says whether the 95%
    interval is below ``elo0``.
    """
    yield (
        f"SPRT:           {render_verdict(verdict)}: LLR {ratio:.3f} ({sprt.lower:.2f} to {sprt.upper:.2f}),"
        f" {render_bounds(sprt)}"
    )
    if more is not None:
        yield f"                about {rounded(more)} more games, if the difference is as measured"
    if not verdict and below_h0:
        yield f"                without a verdict this counts as H0, as the 95% interval is below {sprt.elo0:g}"


def render_bounds(sprt: Sprt) -> str:
    """Render the hypotheses of a test, such as ``normalised Elo 0 to 5``."""
    return f"{'normalised Elo' if sprt.model == 'normalized' else 'Elo'} {sprt.elo0:g} to {sprt.elo1:g}"


def _render_pairs(pairs: Pentanomial) -> str:
    counts = ", ".join(f"{points}: {count}" for points, count in zip(_PAIR_POINTS, pairs, strict=True))
    ratio = pair_ratio(pairs)
    balance = "all even" if ratio is None else "none lost" if isinf(ratio) else f"pair ratio {ratio:.2f}"
    return f"{counts} (by points, of {sum(pairs)}; {balance})"


def _tournament_lines(standings: Standings, settings: TournamentSettings) -> Iterator[str]:
    games = counted(standings.games, "game")
    yield f"{settings.format.value} of {len(settings.engines)}: {settings.variants_text}, {games}"
    yield from render_rounds(standings.schedule, standings.names)
    found = rate_standings(standings)
    if found is not None:
        yield "Ratings:        joint maximum likelihood; 95% intervals from pairs"
        yield from render_ratings(found)
    elif standings.games:
        yield "Ratings:        none yet: the games do not connect all engines that have played"
    if settings.format.in_rounds:
        return
    yield "Pairings:       W-D-L, Elo difference of the first engine with its 95% interval"
    for first, second in pairings(settings.format, len(settings.engines)):
        meeting = standings.meeting(first, second)
        if meeting.games:
            names = f"{standings.names[first]} - {standings.names[second]}"
            left_out = games_left_out(meeting)
            note = f"; {counted(left_out, 'game')} not paired" if left_out else ""
            yield f"  {names}: {meeting.record}, {render_elo(estimate_meeting(meeting).elo)}{note}"


def _common_lines(standings: Standings, settings: TournamentSettings, verdict: str) -> Iterator[str]:
    if settings.sprt is not None:
        pairs = standings.meeting(0, 1).pairs
        ratio = log_likelihood_ratio(settings.sprt, pairs)
        more = None if verdict else more_games(settings, pairs)
        yield from render_sprt(settings.sprt, ratio, verdict, more, below_h0=is_below_h0(settings.sprt, pairs))
    if standings.interrupted:
        yield f"Interrupted:    {standings.interrupted} (not counted)"
    if standings.lost_workers:
        yield f"Lost workers:   {standings.lost_workers} (their games were played again)"
    if standings.terminations:
        yield "Terminations:"
        for name, count in standings.terminations.most_common():
            yield f"  {count:5} {name}"
    if standings.violations:
        yield "Protocol violations:"
        for line, count in standings.violations.most_common(20):
            example = standings.examples[line]
            yield f"  {count:5} {line}{', such as ' if example else ''}{example}"
    yield "Engines:"
    for name, engine, engine_settings in zip(standings.names, standings.engines, settings.engines, strict=True):
        margin_ms = settings.limits.margin_ms if engine_settings.margin_ms is None else engine_settings.margin_ms
        limits = engine_settings.control.to_text() + (" ponder=on" if engine_settings.ponder else "")
        yield f"  {name} ({limits}): {_render_engine(engine, margin_ms)}"


def _render_engine(engine: EngineTally, margin_ms: int) -> str:
    parts = [counted(engine.plies, "move")]
    if engine.depth_plies:
        parts.append(f"depth {engine.depth_sum / engine.depth_plies:.2f}")
    if engine.node_plies:
        parts.append(f"{engine.node_sum / engine.node_plies:.0f} nodes")
    if engine.plies:
        parts.append(f"{engine.elapsed_ns / engine.plies / NS_PER_MS:.1f} ms per move")
    if (overshoot := engine.largest_overshoot_ns) is not None:
        parts.append(_render_overshoot(overshoot, engine.smallest_clock_left_ns, margin_ms))
    return ", ".join(parts)


def _render_overshoot(overshoot_ns: int, clock_left_ns: int | None, margin_ms: int) -> str:
    if overshoot_ns > 0:
        return f"largest overshoot {overshoot_ns / NS_PER_MS:.1f} ms (margin {margin_ms} ms)"
    if clock_left_ns is not None:
        return f"never over time (minimum clock {clock_left_ns / NS_PER_MS:.1f} ms)"
    return f"never over time (closest: {-overshoot_ns / NS_PER_MS:.1f} ms left)"


# ---------------------------------------------------------------- rating lists

_MAX_IN_MATRIX = 12  # wider matrices do not fit a terminal; CSV, JSON and HTML have them
_MAX_NAME = 26
_INDENT = " " * 5


class RatedGames:
    """The games of any number of players, from one or several matches."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """The players, in the order of their first games."""
        self.duplicates = 0
        """The number of games that were left out because they occurred before."""
        self._pairs: dict[tuple[int, int], Counter[float]] = {}
        self._single: dict[tuple[int, int], Counter[float]] = {}
        self._waiting: dict[tuple[tuple[int, int], Hashable], list[float]] = {}
        self._draws: Counter[int] = Counter()

    @property
    def games(self) -> int:
        return sum(encounter.count for encounter in self.encounters().values())

    def add(self, white: str, black: str, winner: int | None, pair: Hashable) -> None:
        """Add a game.

        Args:
            white: the name of the player of White.
            black: that of Black.
            winner: 0 for White, 1 for Black, None for a draw.
            pair: identifies the pair to which the game belongs; the other game of the pair has the same value. More
                than two games with one value make several pairs.
        """
        own, other = self._index(white), self._index(black)
        points = 0.5 if winner is None else float(winner == 0)
        key = (min(own, other), max(own, other))
        self._add(key, points if own == key[0] else 1 - points, (pair, own) if pair is not None else None, own, other)

    def _add(
        self, key: tuple[int, int], points: float, pair: tuple[Hashable, int] | None, white: int, black: int
    ) -> None:
        if points == 0.5:
            self._draws.update((white, black))
        if pair is None:
            self._single.setdefault(key, Counter())[points] += 1
            return
        partner = self._waiting.get((key, (pair[0], black)))  # the game with swapped colours
        if partner:
            earlier = partner.pop()
            self._single[key][earlier] -= 1
            self._pairs.setdefault(key, Counter())[earlier + points] += 1
        else:
            self._waiting.setdefault((key, (pair[0], white)), []).append(points)
            self._single.setdefault(key, Counter())[points] += 1

    def _index(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def encounters(self) -> dict[tuple[int, int], Encounter]:
        """Return the games of every two players that met, by their indices, the smaller one first."""
        found = {}
        for key in self._single.keys() | self._pairs.keys():
            single = self._single.get(key, Counter())
            found[key] = Encounter(
                pentanomial_of(self._pairs.get(key, Counter()).elements()), (single[0.0], single[0.5], single[1.0])
            )
        return found

    def rate(self, anchors: Mapping[str, float] | None = None) -> RatingList:
        """Return the ratings, or raise the errors of ``stats.bradley_terry.rate``."""
        return rate(self.names, self.encounters(), self._draws, anchors)


def rate_standings(standings: Standings) -> RatingList | None:
    """Return the ratings of a tournament, or None while its games do not connect all engines that have played."""
    encounters, draws = {}, Counter[int]()
    for one in range(len(standings.names)):
        for other in range(one + 1, len(standings.names)):
            meeting = standings.meeting(one, other)
            half = Counter(meeting.half_pairs.values())
            encounters[one, other] = Encounter(meeting.pairs, (half[0.0], half[0.5], half[1.0]))
            draws.update({one: meeting.draws, other: meeting.draws})
    try:
        return rate(standings.names, encounters, draws)
    except RatingsError:
        return None


def render_ratings(found: RatingList) -> Iterator[str]:
    """Yield the lines of a rating list with its matrix of superiority."""
    width = max(len("engine"), *(min(len(rating.name), _MAX_NAME) for rating in found.ratings))
    columns = f"{'Elo':>8} {'+/-':>6} {'games':>6} {'score':>7} {'opponents':>10} {'draws':>6}"
    yield f"{'':>4} {'engine':<{width}} {columns}"
    for rank, rating in enumerate(found.ratings, start=1):
        yield f"{rank:>4} {shortened(rating.name, _MAX_NAME):<{width}} {_figures(rating)}"
    if note := no_bounds_note(found):
        yield from textwrap.wrap(f"{note}.", initial_indent=_INDENT, subsequent_indent=_INDENT)
    if found.regularised:
        yield f"{_INDENT}Some engines won or lost all their games. So that ratings exist, a fifth"
        yield f"{_INDENT}of a pair won and a fifth lost were added to the encounters concerned."
    if 2 <= len(found.ratings) <= _MAX_IN_MATRIX:
        yield ""
        yield from render_superiority(found)


def _figures(rating: Rating) -> str:
    return (
        f"{rating.elo:>+z8.1f} {render_margin(rating.margin):>6} {rating.games:>6} {rating.points / rating.games:>7.1%}"
        f" {rating.opponents:>+z10.1f} {rating.draws / rating.games:>6.1%}"
    )


def render_margin(margin: float) -> str:
    """Return half the width of an interval, ``none`` if there are no bounds yet."""
    return "none" if isinf(margin) else f"{margin:.1f}"


def no_bounds_note(found: RatingList) -> str:
    """Return what ``none`` means if it occurs in a list, else an empty string."""
    unbounded = any(isinf(rating.margin) for rating in found.ratings)
    return "none: no bounds yet, with fewer than five pairs or without both points and losses" if unbounded else ""


def render_superiority(found: RatingList) -> Iterator[str]:
    """Yield the likelihoods, in percent, that the engine of a line is stronger than that of a column."""
    names = [rating.name for rating in found.ratings]
    shown = [shortened(name, _MAX_NAME) for name in names]
    width = max(map(len, shown))
    yield f"{'LOS in %':<{width + 5}}" + "".join(f"{number:>5}" for number in range(1, len(names) + 1))
    for number, name in enumerate(names, start=1):
        cells = [f"{100 * found.superiority[name, other]:>5.0f}" if name != other else f"{'-':>5}" for other in names]
        yield f"{number:>4} {shown[number - 1]:<{width}}{''.join(cells)}"


def table_rows(found: RatingList) -> tuple[Sequence[str], list[list[object]]]:
    """Return the headings and the rows of a rating list, for CSV and JSON: plain numbers, shares from 0 to 1.

    The error is None if there are no bounds yet.
    """
    headings = ("rank", "engine", "elo", "error", "games", "points", "score", "average_opponent", "draws", "draw_rate")
    rows: list[list[object]] = [
        [rank, rating.name, round(rating.elo, 2), None if isinf(rating.margin) else round(rating.margin, 2),
         rating.games, rating.points,
         round(rating.points / rating.games, 4), round(rating.opponents, 2), rating.draws,
         round(rating.draws / rating.games, 4)]
        for rank, rating in enumerate(found.ratings, start=1)
    ]
    return headings, rows
