"""How much a run tries at random, by its hypothesis profile.

Numbers in the tests are those of the default run; ``scripts/test.py --quick`` takes a fifth of them, ``--all`` five
times as many.
"""

from __future__ import annotations

from hypothesis import settings

SHARES = {"quick": 0.2, "default": 1.0, "full": 5.0, "explore": 20.0}


def amount(count: int) -> int:
    """Return how many cases to try instead of ``count``."""
    return max(1, round(count * SHARES[settings.get_current_profile_name()]))


def examples(count: int) -> settings:
    """Return the decorator that makes a property test try that many examples."""
    return settings(max_examples=amount(count))
