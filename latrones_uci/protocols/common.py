"""What the dialects share: the engine's name, and the errors of command lines."""

from latrones_uci.game import LatronesError
from latrones_uci.version import __version__

ENGINE_NAME = f"latrones-uci {__version__}"
AUTHOR = "the latrones-uci authors"


class UnknownCommandError(LatronesError):
    """The first word is not a command."""

    code = "unknown-command"


class CommandError(LatronesError):
    """The arguments of a command are wrong."""

    code = "syntax"


def first_word(line: str) -> str:
    """Return the first word of a line, "" if it is blank: the command that a rejected line was meant to be."""
    return line.split(maxsplit=1)[0] if line.strip() else ""
