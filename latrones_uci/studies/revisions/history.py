"""The strength of an engine over its history: which versions play, and their joint ratings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from latrones_uci.stats import Pentanomial
from latrones_uci.stats.bradley_terry import Encounter, rate
from latrones_uci.stats.results import reversed_pairs
from latrones_uci.studies.revisions.source import Commit


def chosen_commits(commits: Sequence[Commit], every: int) -> list[Commit]:
    """Return the commits of a history whose versions play.

    They are the first one, each ``every``-th after it that changes the version, and the last that does. With 0 for
    ``every``, only the first and the last.
    """
    changed = [after for before, after in pairwise(commits) if after.contents not in ("", before.contents)]
    chosen = changed[every - 1 :: every] if every else []
    return [*commits[:1], *chosen, *(commit for commit in changed[-1:] if commit not in chosen)]


@dataclass(frozen=True)
class Strength:
    """The strength of a version."""

    elo: float
    """Its joint rating; that of the base is 0."""
    margin: float
    """Half the width of its 95% interval, 0 for the base, infinite if there are too few games."""
    games: int
    """The number of its games, as many as its opponents'."""
    over_previous: float | None
    """The likelihood, 0 to 1, that it is stronger than the version before it; None for the first."""


def strengths(keys: Sequence[str], base: str, results: Mapping[tuple[str, str], Pentanomial]) -> dict[str, Strength]:
    """Return the strength of each version with games, rated together.

    Args:
        keys: the versions, oldest first.
        base: the version whose rating is 0.
        results: pairs of games with 0 to 2 points for the first of two versions.
    """
    places = {key: place for place, key in enumerate(keys)}
    encounters = {}
    for (one, other), pairs in results.items():
        if any(pairs):
            turned = places[one] > places[other]
            ends = (places[other], places[one]) if turned else (places[one], places[other])
            encounters[ends] = Encounter(reversed_pairs(pairs) if turned else pairs)
    # If all play the base alone, their ratings do not depend on each other, and a matrix of all of them is not needed.
    whole = None
    if not all(places[base] in ends for ends in encounters):
        whole = rate(keys, encounters, anchors={base: 0.0})
    games = Counter[str]()
    for ends, encounter in encounters.items():
        games.update({keys[end]: encounter.count for end in ends})
    found: dict[str, Strength] = {}
    previous: str | None = None
    for key in filter(games.__contains__, keys):
        if key == base and previous is None:
            found[key] = Strength(0.0, 0.0, games[key], None)
        else:
            shown = {places[each] for each in (base, key, previous or key)}
            own = {ends: encounter for ends, encounter in encounters.items() if shown.issuperset(ends)}
            rated = whole or rate(keys, own, anchors={base: 0.0})
            rating = next(rating for rating in rated.ratings if rating.name == key)
            over = None if previous is None else rated.superiority[key, previous]
            found[key] = Strength(rating.elo, rating.margin, games[key], over)
        previous = key
    return found
