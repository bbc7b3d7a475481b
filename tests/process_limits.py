"""Limits under which tests put a process, for themselves or for a child (as ``preexec_fn``); none needs privileges."""

import ctypes
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE = 1


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file grows beyond so many bytes: what a full disk does, with another number of the error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def limit_files(size: int) -> Callable[[], None]:
    """The same for a child; the signal that comes with the limit is ignored by Python."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def limit_memory(megabytes: int) -> Callable[[], None]:
    """The address space of a child."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))


def obey_permissions() -> None:
    """Takes from a child that runs as root the privilege to write where nobody may; nothing where it has none."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
