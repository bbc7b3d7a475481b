"""The score of a match and its confidence interval, from a trinomial distribution of wins, draws and losses.

A score is a share of the points, 0 to 1: a win is 1, a draw 1/2.
"""

from math import sqrt

from latrones_uci.stats.interval import score_interval_under


def game_count(wins: int, draws: int, losses: int) -> int:
    """Return the number of games.

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    if min(wins, draws, losses) < 0:
        raise ValueError(f"{wins} wins, {draws} draws, {losses} losses: negative count")
    if wins + draws + losses == 0:
        raise ValueError("no games: the score is undefined")
    return wins + draws + losses


def mean_score(wins: int, draws: int, losses: int) -> float:
    """Return the points per game.

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    return (wins + draws / 2) / game_count(wins, draws, losses)


def score_standard_error(wins: int, draws: int, losses: int) -> float:
    """Return the standard error of ``mean_score``: the root of the trinomial's sample variance over the games.

    With ``s`` the mean score and ``w, d, l`` the observed shares, the variance of one game is
    ``w (1 - s)^2 + d (1/2 - s)^2 + l s^2`` (Chess Programming Wiki, "Match Statistics"; cutechess,
    ``projects/lib/src/elo.cpp``). It is 0 if all games had the same result.

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    games = game_count(wins, draws, losses)
    score = mean_score(wins, draws, losses)
    variance = (wins * (1 - score) ** 2 + draws * (0.5 - score) ** 2 + losses * score**2) / games
    return sqrt(variance / games)


def score_interval(wins: int, draws: int, losses: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided confidence interval of the score, within 0..1.

    The interval contains every score ``m`` that a test does not reject: ``|s - m| <= z * sigma(m) / sqrt(n)``. Here
    ``sigma(m)`` is not the observed standard deviation but the one expected if ``m`` is the true score, with the most
    likely share of draws under ``m``. This is the score interval for a trinomial of T. Tango, "Equivalence test and
    confidence interval for the difference in proportions for the paired-sample design", Statistics in Medicine 17
    (1998), 891-908 (there for wins minus losses, which is twice the score minus one). Without draws it is E. B.
    Wilson's interval for a proportion (JASA 22, 1927). Unlike ``s +- z * error`` it remains valid in short matches and
    if all games had the same result, where the other interval has no width.

    Args:
        wins: games won.
        draws: games drawn.
        losses: games lost.
        confidence: between 0 and 1, exclusive.

    Raises:
        ValueError: a count is negative, there are no games, or the confidence is out of range.
    """

    def variance_under(mean: float) -> float:
        return _constrained_variance(wins, draws, losses, mean)

    score = mean_score(wins, draws, losses)
    return score_interval_under(score, game_count(wins, draws, losses), variance_under, confidence)


def _constrained_variance(wins: int, draws: int, losses: int, mean: float) -> float:
    """Return the variance of one game under the most likely trinomial with mean score ``mean``.

    With shares ``mean - h``, ``2 h`` and ``1 - mean - h`` of wins, draws and losses, the likelihood has its maximum at
    the smaller root of ``n h^2 - (draws + wins (1 - mean) + losses mean) h + draws mean (1 - mean) = 0``, and the
    variance of the score is ``mean (1 - mean) - h / 2``.
    """
    games = wins + draws + losses
    spread = mean * (1 - mean)
    linear = draws + wins * (1 - mean) + losses * mean
    root = sqrt(max(linear**2 - 4 * games * draws * spread, 0.0))
    half_draw_share = 2 * draws * spread / (linear + root) if linear + root > 0 else 0.0
    return max(spread - half_draw_share / 2, 0.0)
