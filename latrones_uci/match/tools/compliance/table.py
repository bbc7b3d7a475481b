"""The outcomes of checks as a table."""

from collections import Counter
from collections.abc import Iterable, Sequence

from latrones_uci.match.tools.compliance.verdicts import Check, Outcome, Verdict


def render_row(outcome: Outcome, checks: Sequence[Check]) -> str:
    """A row: check, verdict, detail, and for a check that failed what was expected."""
    width = max(len(check.name) for check in checks)
    row = f"{outcome.check.name:<{width}}  {outcome.verdict.value:<11}  {outcome.detail}"
    return f"{row} (expected: {outcome.check.expected})" if outcome.verdict is Verdict.FAILED else row


def render_total(outcomes: Iterable[Outcome]) -> str:
    """How many checks came to which verdict."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    words = {Verdict.PASSED: "passed", Verdict.FAILED: "failed", Verdict.NOT_OFFERED: "not offered",
             Verdict.NOT_RUN: "not run"}  # fmt: skip
    told = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict])
    return f"{counts.total()} checks: {told}"


def render_list(checks: Sequence[Check]) -> str:
    """All checks with what they expect."""
    width = max(len(check.name) for check in checks)
    return "\n".join(f"{check.name:<{width}}  {check.expected}" for check in checks)
