"""What an engine refuses, apart from what ``game`` refuses."""

from latrones_uci.game import LatronesError


class OptionError(LatronesError):
    """An unknown option, or a value that it does not take."""

    code = "option"


class BusyError(LatronesError):
    """A command that must wait for the end of the search."""

    code = "busy"


class NoPositionError(LatronesError):
    """A command that needs a position after a rejected one."""

    code = "no-position"


class LimitsError(LatronesError):
    """Limits of a search that are malformed or contradict each other."""

    code = "limits"
