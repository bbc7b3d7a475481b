"""The lines of a search, while they arrive and afterwards."""

from collections import deque
from collections.abc import Callable

from latrones_uci.client.engine_rules import MAX_INFO
from latrones_uci.client.output import parse_best_move, update_info
from latrones_uci.text.protocol import BestMove, SearchInfo

_LATEST_LINES = 1000
_NOTHING = SearchInfo()


class SearchLines:
    """Collects the lines of a search until ``bestmove``.

    The lines are parsed only when the search is over. Reading must keep up with an engine that prints a lot; otherwise
    an answer in time behind a thousand lines would seem late.

    Attributes:
        on_info: called with the search information each time that it changes, None for nothing.
        early: an answer that came before it was asked for, None without one.
    """

    def __init__(
        self, on_info: Callable[[SearchInfo], None] | None, on_line: Callable[[str], None] | None = None
    ) -> None:
        """Start without lines; ``on_line`` is called with each line except ``bestmove``, truncated if it is long."""
        self._lines: deque[str] = deque(maxlen=_LATEST_LINES)
        self.on_info, self._on_line = on_info, on_line
        self._reported = _NOTHING
        self.early: BestMove | None = None

    @property
    def calls_back(self) -> bool:
        """Whether reading a line may call a function of the user."""
        return self.on_info is not None or self._on_line is not None

    @property
    def lines(self) -> tuple[str, ...]:
        """The latest thousand lines before ``bestmove``, truncated if they are very long."""
        return tuple(self._lines)

    def read(self, text: str) -> BestMove | None:
        """Read a line, and return what it says if it is ``bestmove``."""
        if (best := parse_best_move(text)) is None:
            self._lines.append(text[:MAX_INFO])
            if self._on_line is not None:
                self._on_line(text[:MAX_INFO])
            if self.on_info is not None:
                self._report(text, self.on_info)
        return best

    def _report(self, text: str, on_info: Callable[[SearchInfo], None]) -> None:
        before, self._reported = self._reported, update_info(self._reported, text)
        if self._reported != before:
            on_info(self._reported)
