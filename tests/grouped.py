"""Run many small cases as a few tests: collecting and reporting a test costs more than most of the cases themselves."""

from __future__ import annotations

import inspect
import itertools
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

MAX_SHOWN = 20
Check = Callable[..., None]


def variant_of(*values: Any) -> str:
    """Return the variant of a case: its first value, or what that says under ``variant``."""
    return str(values[0]["variant"] if isinstance(values[0], dict) else values[0])


def grouped(names: str, cases: Iterable[Any], by: Callable[..., str] = variant_of) -> Callable[[Check], Check]:
    """Like ``pytest.mark.parametrize``, with one test per group of cases instead of one per case.

    A test runs all cases of its group and reports each one that fails, with its id and where it failed.

    Args:
        names: the parameters of the decorated function that a case gives, with commas between them.
        cases: tuples of values, or ``pytest.param(...)`` with ids and marks; cases with marks have groups of their own.
        by: returns the name of the group from the values of a case.
    """
    parameters = [name.strip() for name in names.split(",")]
    groups: dict[tuple[str, ...], list[tuple[str, tuple[Any, ...]]]] = defaultdict(list)
    marks: dict[tuple[str, ...], Sequence[Any]] = {}
    for case in cases:
        values = case.values if hasattr(case, "marks") else case if len(parameters) > 1 else (case,)
        assert len(values) == len(parameters), f"{len(values)} values for {names}"
        marked = case.marks if hasattr(case, "marks") else ()
        group = (by(*values), *(mark.name for mark in marked))
        groups[group].append((getattr(case, "id", None) or "-".join(map(short, values)), values))
        marks[group] = marked
    assert groups, "there are no cases"

    def decorate(check: Check) -> Check:
        def test(group: Sequence[tuple[str, tuple[Any, ...]]], **fixtures: Any) -> None:
            failed = []
            for name, values in group:
                try:
                    check(**dict(zip(parameters, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"{name}\n    {describe(error)}")
            if failed:
                more = [f"... and {len(failed) - MAX_SHOWN} more"] if len(failed) > MAX_SHOWN else []
                lines = [f"{len(failed)} of {len(group)} cases fail:", *failed[:MAX_SHOWN], *more]
                pytest.fail("\n".join(lines), pytrace=False)

        own = inspect.signature(check).parameters
        assert set(parameters) <= set(own), f"{check.__name__} does not take {names}"
        first = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        test.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [first, *(own[name] for name in own if name not in parameters)]
        )
        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        test.pytestmark = list(getattr(check, "pytestmark", []))  # type: ignore[attr-defined]
        params = [pytest.param(found, id="-".join(name), marks=marks[name]) for name, found in groups.items()]
        return pytest.mark.parametrize("group", params)(test)

    return decorate


def product(*columns: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return every combination of the columns' values as a case."""
    return list(itertools.product(*columns))


def short(value: Any) -> str:
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def describe(error: BaseException) -> str:
    """Return what went wrong and at which line of the tests, indented to stand below the name of a case."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent.is_relative_to(Path(__file__).parent)]
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}: " if own else ""
    kind = "" if isinstance(error, AssertionError | pytest.fail.Exception) else f"{type(error).__name__}: "
    return f"{place}{kind}{error}".replace("\n", "\n    ")
