"""Statistics of matches: pure functions over counts. Imports nothing else of the package."""

from latrones_uci.stats.elo import EloEstimate, elo_estimate, elo_from_score, score_from_elo
from latrones_uci.stats.score import mean_score, score_interval, score_standard_error

__all__ = [
    "EloEstimate",
    "elo_estimate",
    "elo_from_score",
    "mean_score",
    "score_from_elo",
    "score_interval",
    "score_standard_error",
]
