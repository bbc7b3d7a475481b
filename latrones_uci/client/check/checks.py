"""All checks: run them, and render the results as a table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from latrones_uci.client.check import handshake, inputs, resources, searches
from latrones_uci.client.check.engine import (
    Check,
    EngineUnderTest,
    FaultError,
    NoHandshakeError,
    NotOfferedError,
    Workbench,
)
from latrones_uci.client.errors import EngineCrashError, EngineStallError
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.text.messages import counted

CHECKS: tuple[Check, ...] = (*handshake.CHECKS, *searches.CHECKS, *inputs.CHECKS, *resources.CHECKS)


class CheckVerdict(Enum):
    """The verdict of a check; the value is the text in the table."""

    PASSED = "ok"
    FAILED = "FAILED"
    NOT_OFFERED = "not offered"
    """The engine lacks an optional feature."""
    NOT_RUN = "not run"
    """The engine does not start or does not complete the handshake."""


@dataclass(frozen=True)
class CheckResult:
    check: Check
    """The check."""
    verdict: CheckVerdict
    """Its verdict."""
    detail: str
    """What was observed, one line."""
    transcript: tuple[str, ...] = ()
    """The last lines of the traffic, if the check failed."""


def run_checks(
    target: EngineUnderTest, checks: Sequence[Check], log: TrafficLog | None = None
) -> Iterator[CheckResult]:
    """Run checks one after the other, and yield a result for each, even if the engine crashes or hangs.

    ``log`` gets the whole traffic.

    Raises:
        EngineStartError: the program cannot be started.
        SettingsError: the engine does not declare an option of ``target``, or rejects its value.
    """
    bench = Workbench(target, log)
    bench.check_options()
    try:
        for check in checks:
            result = _run(bench, check)
            if result.verdict in (CheckVerdict.FAILED, CheckVerdict.NOT_RUN):
                bench.discard()
            yield result
    finally:
        bench.discard()


def _run(bench: Workbench, check: Check) -> CheckResult:
    try:
        return CheckResult(check, CheckVerdict.PASSED, check.run(bench))
    except NotOfferedError as missing:
        return CheckResult(check, CheckVerdict.NOT_OFFERED, str(missing))
    except NoHandshakeError as fault:
        return CheckResult(check, CheckVerdict.NOT_RUN, str(fault))
    except EngineCrashError as crash:
        return CheckResult(check, CheckVerdict.FAILED, f"the engine {crash}", bench.transcript())
    except (FaultError, EngineStallError) as fault:
        return CheckResult(check, CheckVerdict.FAILED, str(fault), bench.transcript())


# ---------------------------------------------------------------- table


def render_row(result: CheckResult, checks: Sequence[Check]) -> str:
    """Return a table row: check, verdict, detail; for a failed check also what was expected, and the last traffic."""
    width = max(len(check.name) for check in checks)
    row = f"{result.check.name:<{width}}  {result.verdict.value:<11}  {result.detail}"
    if result.verdict is not CheckVerdict.FAILED:
        return row
    return "\n".join([f"{row} (expected: {result.check.expected})", *result.transcript])


def render_total(results: Iterable[CheckResult]) -> str:
    counts = Counter(result.verdict for result in results)
    words = {CheckVerdict.PASSED: "passed", CheckVerdict.FAILED: "failed", CheckVerdict.NOT_OFFERED: "not offered",
             CheckVerdict.NOT_RUN: "not run"}
    numbers = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict])
    return f"{counted(counts.total(), 'check')}: {numbers}"


def render_list(checks: Sequence[Check]) -> str:
    width = max(len(check.name) for check in checks)
    return "\n".join(f"{check.name:<{width}}  {check.expected}" for check in checks)
