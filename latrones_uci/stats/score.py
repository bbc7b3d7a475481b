"""The score of a match and how sure it is: a trinomial of wins, draws and losses.

A score is a fraction of the points, 0 to 1: a win counts 1, a draw a half.
"""

from math import sqrt

from latrones_uci.stats.interval import score_interval_under


def game_count(wins: int, draws: int, losses: int) -> int:
    """The number of games played.

    Raises:
        ValueError: a negative count, or no games.
    """
    if min(wins, draws, losses) < 0:
        raise ValueError(f"negative count in {wins} wins, {draws} draws, {losses} losses")
    if wins + draws + losses == 0:
        raise ValueError("no games: the score is not defined")
    return wins + draws + losses


def mean_score(wins: int, draws: int, losses: int) -> float:
    """The points won per game.

    Raises:
        ValueError: a negative count, or no games.
    """
    return (wins + draws / 2) / game_count(wins, draws, losses)


def score_standard_error(wins: int, draws: int, losses: int) -> float:
    """The standard error of ``mean_score``: root of the trinomial's sample variance over the games.

    With ``s`` the mean score and ``w, d, l`` the observed shares, the variance of one game is
    ``w (1 - s)^2 + d (1/2 - s)^2 + l s^2`` (Chess Programming Wiki, "Match Statistics"; the same
    as in cutechess, ``projects/lib/src/elo.cpp``). It is 0 when all games ended alike.

    Raises:
        ValueError: a negative count, or no games.
    """
    games = game_count(wins, draws, losses)
    score = mean_score(wins, draws, losses)
    variance = (wins * (1 - score) ** 2 + draws * (0.5 - score) ** 2 + losses * score**2) / games
    return sqrt(variance / games)


def score_interval(wins: int, draws: int, losses: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided confidence interval of the score, both ends within 0..1.

    The interval holds every score ``m`` that a test does not reject: ``|s - m| <= z * sigma(m) / sqrt(n)``,
    where ``sigma(m)`` is not the observed spread but the one expected if ``m`` were true, the share of draws
    being the most likely one under ``m``. This is the score interval for a trinomial of T. Tango, "Equivalence
    test and confidence interval for the difference in proportions for the paired-sample design", Statistics in
    Medicine 17 (1998), 891-908 (there for wins minus losses, which is twice the score, less one). Without draws
    it is E. B. Wilson's interval for a proportion (JASA 22, 1927). It is preferred to ``s +- z * error`` because
    it stays sound where that collapses to a point: when all games were won, lost or drawn, and in short matches.

    Args:
        wins: games won.
        draws: games drawn.
        losses: games lost.
        confidence: between 0 and 1, both exclusive.

    Raises:
        ValueError: a negative count, no games, or a confidence out of range.
    """

    def variance_under(mean: float) -> float:
        return _constrained_variance(wins, draws, losses, mean)

    score = mean_score(wins, draws, losses)
    return score_interval_under(score, game_count(wins, draws, losses), variance_under, confidence)


def _constrained_variance(wins: int, draws: int, losses: int, mean: float) -> float:
    """The variance of one game under the most likely trinomial whose mean score is ``mean``.

    With shares ``mean - h``, ``2 h`` and ``1 - mean - h`` of wins, draws and losses, the likelihood is greatest
    where ``n h^2 - (draws + wins (1 - mean) + losses mean) h + draws mean (1 - mean) = 0`` (the smaller root),
    and the variance of the score is ``mean (1 - mean) - h / 2``.
    """
    games = wins + draws + losses
    spread = mean * (1 - mean)
    linear = draws + wins * (1 - mean) + losses * mean
    root = sqrt(max(linear**2 - 4 * games * draws * spread, 0.0))
    half_draw_share = 2 * draws * spread / (linear + root) if linear + root > 0 else 0.0
    return max(spread - half_draw_share / 2, 0.0)
