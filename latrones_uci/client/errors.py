"""What can go wrong with an engine or a match. Every message is one line."""

from collections.abc import Sequence


class OperationError(RuntimeError):
    """Base of what can fail although the command line is right: an engine, a database, a build."""


class EngineError(OperationError):
    """Base of all faults of an engine; the engine is not fit for another command.

    Attributes:
        last_lines: what the engine printed last, on standard output and on standard error; empty if unknown.
    """

    last_lines: tuple[str, ...] = ()

    def quote(self, lines: Sequence[str]) -> None:
        """Add the engine's last lines, which a traceback then shows below the message."""
        self.last_lines = tuple(lines)
        if lines:
            self.add_note("\n".join(["The engine's last lines:", *(f"  {line}" for line in lines)]))


class EngineStartError(EngineError):
    """The engine could not be started, or failed its handshake."""


class EngineOptionError(EngineStartError):
    """The engine lacks an option or rejects its value."""


class EngineCrashError(EngineError):
    """The process ended, or closed a pipe, while it was needed."""


class EngineStallError(EngineError):
    """No answer, not even after ``stop`` and a short grace.

    Attributes:
        elapsed_ns: how long was waited in all.
    """

    def __init__(self, message: str, elapsed_ns: int) -> None:
        """Keeps the time waited beside the message."""
        super().__init__(message)
        self.elapsed_ns = elapsed_ns


class WaitInterruptedError(Exception):
    """The match was told to stop while an engine was being waited for."""


class EngineProtocolError(EngineError):
    """The engine's answer is malformed or not legal; the message quotes it."""


class SettingsError(ValueError):
    """A setting of a match that cannot be; the message quotes it."""
