"""How much a run tries at random, by its hypothesis profile.

Numbers in the tests are those of ``scripts/test.py --all``. Its default takes two fifths of them, ``--quick`` a tenth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

SHARES = {"quick": 0.1, "default": 0.4, "full": 1.0, "explore": 20.0}


def amount(count: int) -> int:
    """Return how many cases to try instead of ``count``."""
    return max(1, round(count * SHARES[settings.get_current_profile_name()]))


def at_most(count: int) -> int:
    """Return how many of ``count`` cases to take that are not random, so that more than all cannot be had."""
    return min(count, amount(count))


def sample(cases: Sequence[T]) -> Sequence[T]:
    """Return the cases to try: all of them, or in a shorter run every second or tenth, spread over the whole."""
    return cases[:: round(len(cases) / at_most(len(cases)))] if cases else cases


def examples(count: int) -> settings:
    """Return the decorator that makes a property test try that many examples."""
    return settings(max_examples=amount(count))
