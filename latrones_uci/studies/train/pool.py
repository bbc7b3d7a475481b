"""The processes in which self-play runs: Ctrl+C does not end their start, and they end with the one that uses them."""

import os
import signal
import sys
import threading
import time
from multiprocessing.context import SpawnContext, SpawnProcess

if sys.platform == "win32":
    from latrones_uci.client.windows_job import Job

    class _Process(SpawnProcess):
        def start(self) -> None:
            super().start()
            self._job = Job()  # kept as long as this
            self._job.add(self.sentinel)

    def end_with(parent: int) -> None:
        pass  # the job does it, and Windows does not tell that a parent has ended

else:
    from multiprocessing import resource_tracker

    from latrones_uci.text.signals import signals_blocked

    _PARENT_POLL_S = 1.0

    class _Process(SpawnProcess):
        """A process that is created with SIGINT blocked, so that Ctrl+C does not end its imports with a traceback."""

        def start(self) -> None:
            resource_tracker.ensure_running()  # starting it unblocks the signal
            with signals_blocked([signal.SIGINT]):
                super().start()

    def end_with(parent: int) -> None:
        """End this process when its parent has ended."""

        def wait() -> None:
            while os.getppid() == parent:
                time.sleep(_PARENT_POLL_S)
            os._exit(1)

        threading.Thread(target=wait, daemon=True).start()


class PoolContext(SpawnContext):
    """Makes the processes of a pool; each must call ``end_with``."""

    Process = _Process
