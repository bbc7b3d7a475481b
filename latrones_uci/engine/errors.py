"""Errors of the engine session, in addition to those of ``game``."""

from latrones_uci.game import LatronesError


class OptionError(LatronesError):
    """An unknown option, or an invalid value."""

    code = "option"


class BusyError(LatronesError):
    """A command that is not allowed during a search, or that needs a pondering search."""

    code = "busy"


class NoPositionError(LatronesError):
    """A command that needs a position, after a rejected one."""

    code = "no-position"


class LimitsError(LatronesError):
    """Search limits that are malformed or contradict each other."""

    code = "limits"
