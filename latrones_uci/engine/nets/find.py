"""The choice of the net: the option ``EvalFile`` and the nets in the package."""

from pathlib import Path
from typing import NamedTuple

from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.nets.card import read_card
from latrones_uci.engine.nets.file import SUFFIX, Net, NetError, evaluation_digest, net_bytes, parse_header, parse_net
from latrones_uci.game import Position, Ruleset
from latrones_uci.text.messages import quoted

AUTO, NONE = "auto", "none"
_FOLDER = Path(__file__).parent
MAX_KEPT = 32
"""Number of games and boards whose net is kept."""


class Found(NamedTuple):
    """The net for a game on a board."""

    net: Net | None
    """The net, None for the hand-written evaluation alone."""
    problem: str = ""
    """Why the file named in the option cannot be used; empty if there is no problem."""
    path: Path | None = None
    """The file of the net."""

    @property
    def card(self) -> str:
        """What the card beside the net tells, or why it cannot be used; empty without one.

        It is read each time: no search needs it.
        """
        if self.net is None or self.path is None:
            return ""
        try:
            card = read_card(self.path, self.net)
        except NetError as error:
            return f"not used: {error}"
        return "" if card is None else str(card)


class Nets:
    """The nets selected by a value of ``EvalFile``."""

    def __init__(self, setting: str = NONE) -> None:
        """Read the file if the setting is a path; ``find`` checks whether it fits a game.

        Raises:
            OptionError: the file cannot be read, or is damaged.
        """
        lowered = setting.lower() or NONE
        self.setting = lowered if lowered in (AUTO, NONE) else setting
        """``auto``, ``none`` or a path."""
        self._data = b""
        self._found: dict[tuple[Ruleset, int, int], Found] = {}
        if self.named:
            try:
                self._data = net_bytes(Path(setting))
            except NetError as error:
                raise OptionError(f"option EvalFile: {error}; expected a file made by 'latrones-uci train', '{AUTO}' or"
                                  f" '{NONE}'") from None
            try:
                parse_header(self._data)
            except NetError as error:
                raise OptionError(f"option EvalFile: {quoted(setting)}: {error}") from None

    @property
    def named(self) -> bool:
        return self.setting not in (AUTO, NONE)

    def find(self, position: Position) -> Found:
        geometry = position.geometry
        name = (position.ruleset, geometry.files, geometry.ranks)
        if name not in self._found:
            if len(self._found) >= MAX_KEPT:
                self._found.clear()
            self._found[name] = self._look_up(*name)
        return self._found[name]

    def _look_up(self, ruleset: Ruleset, files: int, ranks: int) -> Found:
        data, path = self._data, Path(self.setting) if self.named else None
        try:
            if self.setting == AUTO and (path := shipped_net(ruleset, files, ranks)) is not None:
                data = net_bytes(path)
            return Found(parse_net(data, ruleset, files, ranks), path=path) if data else Found(None)
        except NetError as error:
            return Found(None, str(error))


def shipped_net(ruleset: Ruleset, files: int, ranks: int) -> Path | None:
    """Return the file of the net of the package for a game on a board, None if there is none."""
    rules = evaluation_digest(ruleset)
    paths = _FOLDER.glob(f"*-{files}x{ranks}{SUFFIX}")  # the name has the board: few files are read
    return next((path for path in sorted(paths) if parse_header(net_bytes(path)).rules == rules), None)
