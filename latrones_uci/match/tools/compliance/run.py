"""All checks, and how they are run."""

from collections.abc import Iterator, Sequence

from latrones_uci.match.errors import EngineCrashError, EngineStallError
from latrones_uci.match.tools.compliance import (
    bad_input_checks,
    ending_checks,
    endurance_checks,
    extra_checks,
    handshake_checks,
    option_checks,
    search_checks,
    stop_checks,
)
from latrones_uci.match.tools.compliance.faults import FaultError, NoHandshakeError, NotOfferedError
from latrones_uci.match.tools.compliance.subject import Subject
from latrones_uci.match.tools.compliance.verdicts import Check, Outcome, Verdict
from latrones_uci.match.tools.compliance.workbench import Workbench

CHECKS: tuple[Check, ...] = (
    *handshake_checks.CHECKS,
    *option_checks.CHECKS,
    *search_checks.CHECKS,
    *stop_checks.CHECKS,
    *bad_input_checks.CHECKS,
    *extra_checks.CHECKS,
    *endurance_checks.CHECKS,
    *ending_checks.CHECKS,
)


def run_checks(subject: Subject, checks: Sequence[Check]) -> Iterator[Outcome]:
    """Runs checks one after the other; whatever the engine does, each comes to an end, and to an outcome.

    Raises:
        EngineStartError: the program cannot be started at all.
    """
    bench = Workbench(subject)
    try:
        for check in checks:
            outcome = _run(bench, check)
            if outcome.verdict in (Verdict.FAILED, Verdict.NOT_RUN):
                bench.discard()
            yield outcome
    finally:
        bench.discard()


def _run(bench: Workbench, check: Check) -> Outcome:
    try:
        return Outcome(check, Verdict.PASSED, check.run(bench))
    except NotOfferedError as lack:
        return Outcome(check, Verdict.NOT_OFFERED, str(lack))
    except NoHandshakeError as fault:
        return Outcome(check, Verdict.NOT_RUN, str(fault))
    except EngineCrashError as crash:
        return Outcome(check, Verdict.FAILED, f"the engine {crash}")
    except (FaultError, EngineStallError) as fault:
        return Outcome(check, Verdict.FAILED, str(fault))
