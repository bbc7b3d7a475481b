"""What Ctrl+C does before and after the work of a program, such as during its imports: it ends in silence.

Nothing is imported that Python has not imported itself, so that there is no time before.
"""

# `_signal` is built in. `signal` would import other modules, and Ctrl+C during that would print a traceback.
import _signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

INTERRUPTED = 130
"""The exit status after SIGINT (Ctrl+C) or SIGTERM."""


def end_at_interrupts() -> None:
    """End the process at SIGINT, without output and with status 130; unless SIGINT is handled or ignored already."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _end)


def raising_interrupts(work: "Callable[[], None]") -> None:
    """Call a function during which SIGINT raises ``KeyboardInterrupt`` instead of ending the process."""
    if _signal.getsignal(_signal.SIGINT) is not _end:
        work()
        return
    try:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        work()
    finally:
        _signal.signal(_signal.SIGINT, _end)


def _end(number: int, frame: "FrameType | None") -> None:
    os._exit(INTERRUPTED)
