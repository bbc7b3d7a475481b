"""The processors that this process may use, which of them share a core, and pinning to them."""

import os
import re
import sys
from collections.abc import Iterable

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Information(ctypes.Structure):
        _fields_ = (
            ("ProcessorMask", ctypes.c_size_t), ("Relationship", ctypes.c_int), ("Reserved", ctypes.c_uint64 * 2),
        )

    _SAME_CORE = 0
    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _this_process = _kernel32.GetCurrentProcess
    _this_process.restype, _this_process.argtypes = wintypes.HANDLE, ()
    _get_mask = _kernel32.GetProcessAffinityMask
    _get_mask.restype, _get_mask.argtypes = wintypes.BOOL, (wintypes.HANDLE, *[ctypes.POINTER(ctypes.c_size_t)] * 2)
    _set_mask = _kernel32.SetProcessAffinityMask
    _set_mask.restype, _set_mask.argtypes = wintypes.BOOL, (wintypes.HANDLE, ctypes.c_size_t)
    _get_information = _kernel32.GetLogicalProcessorInformation
    _get_information.restype, _get_information.argtypes = wintypes.BOOL, (wintypes.LPVOID, wintypes.LPDWORD)

    def _in_mask(mask: int) -> frozenset[int]:
        return frozenset(number for number in range(mask.bit_length()) if mask >> number & 1)

    def usable_processors() -> frozenset[int]:
        mask, system = ctypes.c_size_t(), ctypes.c_size_t()
        known = _get_mask(_this_process(), mask, system) and mask.value  # 0: on more than 64 processors
        return _in_mask(mask.value) if known else frozenset(range(os.cpu_count() or 1))

    def core_of(processor: int) -> frozenset[int]:
        length = wintypes.DWORD()
        _get_information(None, length)
        cores = (_Information * (length.value // ctypes.sizeof(_Information)))()
        if _get_information(cores, length):
            for each in cores:
                if each.Relationship == _SAME_CORE and each.ProcessorMask >> processor & 1:
                    return _in_mask(each.ProcessorMask)
        return frozenset([processor])

    def can_pin() -> bool:
        return True

    def pin_to(processors: Iterable[int]) -> None:
        if not _set_mask(_this_process(), sum(1 << number for number in processors)):
            raise ctypes.WinError(ctypes.get_last_error())

else:

    def usable_processors() -> frozenset[int]:
        """Return the processors that this process may use."""
        return frozenset(os.sched_getaffinity(0) if can_pin() else range(os.cpu_count() or 1))

    def core_of(processor: int) -> frozenset[int]:
        """Return the processors of the core of one; that alone if the system does not say."""
        found, topology = {processor}, f"/sys/devices/system/cpu/cpu{processor}/topology"
        try:
            with open(f"{topology}/thread_siblings_list", encoding="ascii") as file:
                siblings = file.readline()  # such as 0,4 or 0-1
        except OSError:
            return frozenset(found)
        for first, last in re.findall(r"([0-9]+)(?:-([0-9]+))?", siblings):
            found.update(range(int(first), int(last or first) + 1))
        return frozenset(found)

    def can_pin() -> bool:
        """Return whether this system can pin programs to processors."""
        return hasattr(os, "sched_getaffinity")

    def pin_to(processors: Iterable[int]) -> None:
        """Use only these processors from now on, in all threads that are started and all programs.

        Raises:
            OSError: there is none of them.
        """
        os.sched_setaffinity(0, processors)


def processors() -> int:
    return len(usable_processors())
