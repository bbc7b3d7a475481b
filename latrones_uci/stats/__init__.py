"""Statistics of matches: pure functions over counts. Imports no other room of the package."""

from latrones_uci.stats.elo import EloEstimate, elo_estimate, elo_from_score, score_from_elo
from latrones_uci.stats.normalized_elo import game_normalized_elo_estimate, normalized_elo_estimate
from latrones_uci.stats.pentanomial import (
    Pentanomial,
    pair_count,
    pair_elo_estimate,
    pair_mean_score,
    pair_score_interval,
    pair_score_standard_error,
    pair_score_variance,
    pentanomial_of,
)
from latrones_uci.stats.ratios import game_draw_ratio, pair_draw_ratio, pair_ratio
from latrones_uci.stats.score import mean_score, score_interval, score_standard_error
from latrones_uci.stats.sprt import (
    EloModel,
    Sprt,
    SprtOutlook,
    Verdict,
    game_log_likelihood_ratio,
    log_likelihood_ratio,
    sprt_outlook,
    sprt_verdict,
)
from latrones_uci.stats.superiority import game_likelihood_of_superiority, likelihood_of_superiority

__all__ = [
    "EloEstimate",
    "EloModel",
    "Pentanomial",
    "Sprt",
    "SprtOutlook",
    "Verdict",
    "elo_estimate",
    "elo_from_score",
    "game_draw_ratio",
    "game_likelihood_of_superiority",
    "game_log_likelihood_ratio",
    "game_normalized_elo_estimate",
    "likelihood_of_superiority",
    "log_likelihood_ratio",
    "mean_score",
    "normalized_elo_estimate",
    "pair_count",
    "pair_draw_ratio",
    "pair_elo_estimate",
    "pair_mean_score",
    "pair_ratio",
    "pair_score_interval",
    "pair_score_standard_error",
    "pair_score_variance",
    "pentanomial_of",
    "score_from_elo",
    "score_interval",
    "score_standard_error",
    "sprt_outlook",
    "sprt_verdict",
]
