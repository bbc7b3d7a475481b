"""Programs in job objects of Windows: they end with this process, however it ends, and with all that they started."""

import ctypes
import subprocess
from collections.abc import Sequence
from ctypes import wintypes
from typing import Any

_BASIC_PROCESS_ID_LIST, _EXTENDED_LIMITS = 3, 9
_KILL_ON_JOB_CLOSE = 0x2000
_CREATE_SUSPENDED = 0x4
_QUERY_INFORMATION = 0x400
_SIGKILL = 9
_KILLED = 0x10000 + _SIGKILL
"""The exit status of what this program kills: no program uses it, as ``exit`` of C and POSIX takes less."""
_PROCESSES = 1000
_FILETIMES_PER_S = 10_000_000


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64), ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", wintypes.DWORD), ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t), ("ActiveProcessLimit", wintypes.DWORD),
        ("Affinity", ctypes.c_size_t), ("PriorityClass", wintypes.DWORD), ("SchedulingClass", wintypes.DWORD),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits), ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t), ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t), ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class _ProcessIds(ctypes.Structure):
    _fields_ = (
        ("NumberOfAssignedProcesses", wintypes.DWORD), ("NumberOfProcessIdsInList", wintypes.DWORD),
        ("ProcessIdList", ctypes.c_size_t * _PROCESSES),
    )


class _MemoryCounters(ctypes.Structure):
    _fields_ = (
        ("cb", wintypes.DWORD), ("PageFaultCount", wintypes.DWORD), ("PeakWorkingSetSize", ctypes.c_size_t),
        ("WorkingSetSize", ctypes.c_size_t), ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
        ("QuotaPagedPoolUsage", ctypes.c_size_t), ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
        ("QuotaNonPagedPoolUsage", ctypes.c_size_t), ("PagefileUsage", ctypes.c_size_t),
        ("PeakPagefileUsage", ctypes.c_size_t),
    )


_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_ntdll = ctypes.WinDLL("ntdll")


def _function(library: ctypes.WinDLL, name: str, result: Any, *arguments: Any) -> Any:
    function = library[name]
    function.restype, function.argtypes = result, arguments
    return function


_create_job = _function(_kernel32, "CreateJobObjectW", wintypes.HANDLE, wintypes.LPVOID, wintypes.LPCWSTR)
_set_information = _function(_kernel32, "SetInformationJobObject", wintypes.BOOL,
                             wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD)
_query_information = _function(_kernel32, "QueryInformationJobObject", wintypes.BOOL,
                               wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD, wintypes.LPDWORD)
_assign = _function(_kernel32, "AssignProcessToJobObject", wintypes.BOOL, wintypes.HANDLE, wintypes.HANDLE)
_terminate = _function(_kernel32, "TerminateJobObject", wintypes.BOOL, wintypes.HANDLE, wintypes.UINT)
_open_process = _function(_kernel32, "OpenProcess", wintypes.HANDLE, wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
_close_handle = _function(_kernel32, "CloseHandle", wintypes.BOOL, wintypes.HANDLE)
_process_times = _function(_kernel32, "GetProcessTimes", wintypes.BOOL,
                           wintypes.HANDLE, *[ctypes.POINTER(ctypes.c_uint64)] * 4)
_process_memory = _function(_kernel32, "K32GetProcessMemoryInfo", wintypes.BOOL,
                            wintypes.HANDLE, ctypes.POINTER(_MemoryCounters), wintypes.DWORD)
_resume = _function(_ntdll, "NtResumeProcess", wintypes.LONG, wintypes.HANDLE)
_error_of = _function(_ntdll, "RtlNtStatusToDosError", wintypes.ULONG, wintypes.LONG)


def _check(succeeded: Any) -> Any:
    if not succeeded:
        raise ctypes.WinError(ctypes.get_last_error())
    return succeeded


class Job:
    """Processes that end when this is closed or collected, or when this process ends, however it ends."""

    def __init__(self) -> None:
        """Start without processes.

        Raises:
            OSError: the system has no job to give.
        """
        self._handle: int | None = None
        self._handle = _check(_create_job(None, None))
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        _check(_set_information(self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)))

    def __del__(self) -> None:
        self.close()

    def add(self, process: int) -> None:
        """Put a process, given by a handle, into the job, with all that it will start.

        Raises:
            OSError: it has ended, or belongs to someone else.
        """
        _check(_assign(self._handle, process))

    def close(self) -> None:
        """Kill all processes of the job."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _terminate(handle, _KILLED)
            _close_handle(handle)

    def usage(self) -> tuple[int, float] | None:
        """Return the resident bytes and processor seconds of the running processes; None if there are none."""
        ids = _ProcessIds()
        if self._handle is None or not _query_information(
            self._handle, _BASIC_PROCESS_ID_LIST, ctypes.byref(ids), ctypes.sizeof(ids), None
        ):
            return None
        found = [_usage_of(ids.ProcessIdList[number]) for number in range(ids.NumberOfProcessIdsInList)]
        used = [usage for usage in found if usage is not None]
        return (sum(resident for resident, _ in used), sum(seconds for _, seconds in used)) if used else None


def _usage_of(process_id: int) -> tuple[int, float] | None:
    handle = _open_process(_QUERY_INFORMATION, False, process_id)
    if not handle:
        return None  # it has ended in the meantime
    try:
        memory = _MemoryCounters(cb=ctypes.sizeof(_MemoryCounters))
        times = [ctypes.c_uint64() for _ in range(4)]  # of creation, of the end, in the kernel, in the program
        if not _process_memory(handle, memory, memory.cb) or not _process_times(handle, *times):
            return None
        return memory.WorkingSetSize, (times[2].value + times[3].value) / _FILETIMES_PER_S
    finally:
        _close_handle(handle)


class JobProcess(subprocess.Popen[Any]):
    """A program in a job of its own from its first instruction on.

    ``kill`` also ends all that it started, and so does the end of this process, or of this object. It has an invisible
    console of its own, which gets neither Ctrl+C nor Ctrl+Break nor the end of this program's.
    """

    def __init__(self, command: Sequence[str], *, handles: Sequence[int] = (), **options: Any) -> None:
        """Start the program.

        Args:
            command: program and arguments.
            handles: inheritable handles that it gets, besides its standard streams.
            options: see ``subprocess.Popen``.

        Raises:
            OSError, ValueError: it cannot be started.
        """
        self._job = Job()
        super().__init__(
            list(command), creationflags=_CREATE_SUSPENDED | subprocess.CREATE_NO_WINDOW,
            startupinfo=subprocess.STARTUPINFO(lpAttributeList={"handle_list": list(handles)}), **options,
        )
        handle = int(self._handle)  # type: ignore[attr-defined]
        try:
            self._job.add(handle)
            if (status := _resume(handle)) < 0:
                raise ctypes.WinError(_error_of(status))
        except BaseException:
            super().kill()
            self.wait()
            for stream in (self.stdin, self.stdout, self.stderr):
                if stream is not None:
                    stream.close()
            raise

    def kill(self) -> None:
        self._job.close()

    def usage(self) -> tuple[int, float] | None:
        """See ``Job``."""
        return self._job.usage()

    @property
    def exit_status(self) -> int | None:
        """The exit status, or minus the number of SIGKILL if this program killed it; None while it runs."""
        status = self.poll()
        return -_SIGKILL if status == _KILLED else status
