"""What a check can say of an engine."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from latrones_uci.match.tools.compliance.workbench import Workbench


class Verdict(Enum):
    """The outcome of a check; the value is what the table says."""

    PASSED = "ok"
    FAILED = "FAILED"
    NOT_OFFERED = "not offered"
    """The engine lacks something that it need not have."""
    NOT_RUN = "not run"
    """The engine could not be brought so far: it does not start, or does not shake hands."""


@dataclass(frozen=True)
class Check:
    """One thing asked of an engine.

    Attributes:
        name: a word for tables and ``--only``.
        expected: what a good engine does, one line.
        run: does the check; returns what was seen. It raises ``FaultError`` when that is wrong, ``NotOfferedError``
            when the engine lacks what it need not have, and an ``EngineError`` when the engine ends or stalls.
    """

    name: str
    expected: str
    run: Callable[[Workbench], str]


@dataclass(frozen=True)
class Outcome:
    """What came of a check.

    Attributes:
        check: the check.
        verdict: its verdict.
        detail: what was seen, one line.
    """

    check: Check
    verdict: Verdict
    detail: str
