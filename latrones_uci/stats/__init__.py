"""Statistics of matches: pure functions over counts. Start reading at ``estimate``, then ``sprt``.

Public: nothing. Never imports another room.
"""

from latrones_uci.stats.estimate import (
    Estimate,
    Interval,
    elo_from_score,
    estimate_from_games,
    estimate_from_pairs,
    score_from_elo,
)
from latrones_uci.stats.results import (
    Pentanomial,
    game_draw_ratio,
    pair_count,
    pair_draw_ratio,
    pair_ratio,
    pentanomial_of,
    reversed_pairs,
)
from latrones_uci.stats.sprt import (
    EloModel,
    Sprt,
    Verdict,
    estimated_below_h0,
    game_log_likelihood_ratio,
    is_below_h0,
    log_likelihood_ratio,
    sprt_verdict,
)

__all__ = [
    "EloModel",
    "Estimate",
    "Interval",
    "Pentanomial",
    "Sprt",
    "Verdict",
    "elo_from_score",
    "estimate_from_games",
    "estimate_from_pairs",
    "estimated_below_h0",
    "game_draw_ratio",
    "game_log_likelihood_ratio",
    "is_below_h0",
    "log_likelihood_ratio",
    "pair_count",
    "pair_draw_ratio",
    "pair_ratio",
    "pentanomial_of",
    "reversed_pairs",
    "score_from_elo",
    "sprt_verdict",
]
