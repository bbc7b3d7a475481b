"""What can go wrong with an engine or a match. Every message is one line."""


class EngineError(RuntimeError):
    """Base of all faults of an engine; the engine is not fit for another command."""


class EngineStartError(EngineError):
    """The engine could not be started, or failed its handshake."""


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


class RevisionError(RuntimeError):
    """A version of this project that cannot be found, built or run; the message quotes its name."""


class MatchInterruptedError(Exception):
    """The match was told to stop while an engine was being waited for."""


class SettingsError(ValueError):
    """A setting of a match that cannot be; the message quotes it."""


class StoreError(RuntimeError):
    """A database of a tournament that cannot be used; the message quotes its path."""


class ScreenError(EngineError):
    """The engine that screens openings failed; the message names it."""
