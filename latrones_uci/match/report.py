"""A match told in lines for people."""

from collections.abc import Iterator
from math import inf, isinf

from latrones_uci.match.record import GameRecord
from latrones_uci.match.settings import MatchSettings
from latrones_uci.match.tally import EngineTally, MatchTally
from latrones_uci.stats import elo_estimate, mean_score, score_interval

_NS_PER_MS = 1_000_000


def render_progress(record: GameRecord, tally: MatchTally, games: int) -> str:
    """One line on a finished game and the match so far."""
    game = record.game
    white, black = record.names
    return (
        f"game {record.number}/{games}: {white} - {black} {game.result} in {len(game.plies)} plies, "
        f"{game.termination.value} ({game.details}) | {_render_standing(tally)}"
    )


def render_summary(tally: MatchTally, settings: MatchSettings) -> str:
    """The final table."""
    return "\n".join(_summary_lines(tally, settings))


def render_elo(wins: int, draws: int, losses: int) -> str:
    """The Elo difference with its 95% error bar and interval; an estimate without bounds is told as such."""
    estimate = elo_estimate(wins, draws, losses)
    if isinf(estimate.difference):
        if estimate.difference > 0:
            return f"+inf (all games won; 95% interval from {estimate.lower:+.1f})"
        return f"-inf (all games lost; 95% interval up to {estimate.upper:+.1f})"
    error = "unbounded" if estimate.error_bar == inf else f"{estimate.error_bar:.1f}"
    return f"{estimate.difference:+.1f} +/- {error} (95% interval {estimate.lower:+.1f} to {estimate.upper:+.1f})"


def _render_standing(tally: MatchTally) -> str:
    return f"{tally.names[0]} {tally.wins}-{tally.draws}-{tally.losses}, {tally.points:g}/{tally.games}"


def _summary_lines(tally: MatchTally, settings: MatchSettings) -> Iterator[str]:
    files, ranks = settings.size
    yield f"{tally.names[0]} against {tally.names[1]}: {settings.ruleset.name} {files}x{ranks}, {tally.games} games"
    if tally.unterminated:
        yield f"Interrupted:    {tally.unterminated} games under way do not count"
    if tally.games:
        counts = (tally.wins, tally.draws, tally.losses)
        low, high = score_interval(*counts)
        yield f"W-D-L:          {tally.wins}-{tally.draws}-{tally.losses}"
        yield f"Score:          {mean_score(*counts):.2%} (95% interval {low:.2%} to {high:.2%})"
        yield f"Elo difference: {render_elo(*counts)}"
        yield "Terminations:"
        for name, count in tally.terminations.most_common():
            yield f"  {count:5} {name}"
    yield "Engines:"
    for name, engine, engine_settings in zip(tally.names, tally.engines, settings.engines, strict=True):
        yield f"  {name} ({engine_settings.control.to_text()}): {_render_engine(engine, settings.limits.margin_ms)}"


def _render_engine(engine: EngineTally, margin_ms: int) -> str:
    parts = [f"{engine.plies} moves"]
    if engine.depth_plies:
        parts.append(f"depth {engine.depth_sum / engine.depth_plies:.2f}")
    if engine.node_plies:
        parts.append(f"{engine.node_sum / engine.node_plies:.0f} nodes")
    if engine.plies:
        parts.append(f"{engine.elapsed_ns / engine.plies / _NS_PER_MS:.1f} ms a move")
    if (overshoot := engine.largest_overshoot_ns) is not None:
        parts.append(_render_overshoot(overshoot, engine.smallest_clock_left_ns, margin_ms))
    return ", ".join(parts)


def _render_overshoot(overshoot_ns: int, clock_left_ns: int | None, margin_ms: int) -> str:
    if overshoot_ns > 0:
        return f"largest overshoot {overshoot_ns / _NS_PER_MS:.1f} ms (margin {margin_ms} ms)"
    if clock_left_ns is not None:
        return f"never over its time (smallest clock left {clock_left_ns / _NS_PER_MS:.1f} ms)"
    return f"never over its time (closest: {-overshoot_ns / _NS_PER_MS:.1f} ms early)"
