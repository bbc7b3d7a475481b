"""Limits for the test process, or for a child (as ``preexec_fn``); they need no privileges."""

import ctypes
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE = 1


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Limit the size of files in bytes, which fails like a full disk except for the error number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def limit_files(size: int) -> Callable[[], None]:
    """Return a function that limits the size of files in a child; Python ignores the signal of this limit."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def limit_memory(megabytes: int) -> Callable[[], None]:
    """Return a function that limits the address space of a child."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))


def obey_permissions() -> None:
    """Remove the privilege of root to write read-only files; without that privilege, do nothing."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
