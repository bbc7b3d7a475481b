"""The one clock that measures times and limits them: monotonic, and fine enough for a move of a millisecond."""

import sys
import time

if sys.platform == "win32" and sys.version_info < (3, 13):
    # The monotonic clock has steps of 15.6 ms there.
    now_ns, now_s = time.perf_counter_ns, time.perf_counter
else:
    now_ns, now_s = time.monotonic_ns, time.monotonic

WAIT_STEP_NS = 16_000_000 if sys.platform == "win32" else 0
"""The steps in which the system ends waits: Windows only at a tick of its own clock, each 15.6 ms."""
