"""Errors of engines and settings. Every message is one line."""

from collections.abc import Sequence


class OperationError(RuntimeError):
    """Base of failures that do not come from the command line: of an engine, a database or a build."""

    exit_status = 1
    """The exit status of a command that plays a match."""


class EngineError(OperationError):
    """Base of all failures of an engine. Its process has ended, unless a subclass says otherwise."""

    last_lines: tuple[str, ...] = ()
    """The last lines that the engine printed on standard output and standard error; empty if unknown."""

    def quote(self, lines: Sequence[str]) -> None:
        """Add the engine's last lines; a traceback shows them below the message."""
        self.last_lines = tuple(lines)
        if lines:
            self.add_note("\n".join(["The engine's last lines:", *(f"  {line}" for line in lines)]))


class EngineStartError(EngineError):
    """The engine could not be started, or the handshake failed."""


class EngineOptionError(EngineStartError):
    """The engine lacks an option or rejects a value. If it was running before, it still runs."""


class EngineVariantError(EngineOptionError):
    """The engine does not play the variant."""

    offered: tuple[str, ...] = ()
    """The variants that it plays, by its own names."""


class EngineCrashError(EngineError):
    """The process ended or closed a pipe unexpectedly."""


class EngineStallError(EngineError):
    """The engine did not answer in time, even after ``stop`` and a grace period."""

    def __init__(self, message: str, elapsed_ns: int) -> None:
        """Store the message and the time waited."""
        super().__init__(message)
        self.elapsed_ns = elapsed_ns
        """The total time waited."""

    def __reduce__(self) -> tuple[object, ...]:
        """Return what a pickle needs."""
        return type(self), (str(self), self.elapsed_ns), self.__dict__


class WaitInterruptedError(Exception):
    """The wait for an engine was interrupted because the match stops."""


class EngineProtocolError(EngineError):
    """The engine's answer is malformed or not legal; the message quotes it. The engine still runs."""


class EngineBusyError(EngineError):
    """The engine is in use: by another thread, or by the search whose callback makes the call. It still runs."""


class SettingsError(ValueError):
    """A setting is invalid; the message quotes it."""
