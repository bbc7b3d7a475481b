"""A tournament on the screen while it goes on: a line that is written over, or plain lines where there is no screen."""

import shutil
import time
from typing import TextIO

from latrones_uci.match.display.summary import meeting_elo, render_elo_briefly, render_game_line, render_summary
from latrones_uci.match.tournament.events import (
    Event,
    GameFinished,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.tournament.settings import TournamentSettings
from latrones_uci.match.tournament.standings import Standings
from latrones_uci.stats import log_likelihood_ratio

_BAR_CELLS = 20
_CLEAR_LINE = "\r\x1b[K"


class Progress:
    """Writes lines for people; an observer of a tournament (see ``events.Observer``)."""

    def __init__(self, out: TextIO, *, live: bool, quiet: bool) -> None:
        """Begins with nothing to tell.

        Args:
            out: where to.
            live: whether ``out`` is a screen on which a line can be written over.
            quiet: whether only the summary is written.
        """
        self._out, self._live, self._quiet = out, live and not quiet, quiet
        self._settings: TournamentSettings | None = None
        self._games = 0
        self._played_before = 0
        self._begun_at = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Tells of an event."""
        match event:
            case TournamentStarted(settings, games, standings):
                self._settings, self._games, self._played_before = settings, games, standings.games
                self._begun_at = time.monotonic()
                if standings.games and not self._quiet:
                    self._line(f"resumed: {standings.games} of {games} games were played before")
                self._show_bar(standings)
            case GameFinished(record, standings, _):
                assert self._settings is not None
                if not self._quiet and not self._live:
                    self._line(render_game_line(record, standings, self._games, self._settings.sprt))
                self._show_bar(standings)
            case Warned(text):
                self._line(f"warning: {text}")
            case TournamentFinished(standings, _, verdict, _):
                assert self._settings is not None
                self._line(("" if self._quiet else "\n") + render_summary(standings, self._settings, verdict))

    def _line(self, text: str) -> None:
        self._out.write(f"{_CLEAR_LINE if self._live else ''}{text}\n")
        self._out.flush()

    def _show_bar(self, standings: Standings) -> None:
        if self._live and self._settings is not None:
            elapsed_s = time.monotonic() - self._begun_at
            bar = render_bar(standings, self._settings, self._games, standings.games - self._played_before, elapsed_s)
            # A line that wraps could not be written over.
            self._out.write(_CLEAR_LINE + bar[: shutil.get_terminal_size().columns - 1])
            self._out.flush()


def render_bar(
    standings: Standings, settings: TournamentSettings, games: int, games_now: int, elapsed_s: float
) -> str:
    """The line that is written over: progress, score, Elo, likelihood ratio, speed, time left.

    Args:
        standings: the games so far.
        settings: the tournament.
        games: of the whole tournament.
        games_now: those played in this run, by which the speed is told.
        elapsed_s: seconds that this run took so far.
    """
    filled = _BAR_CELLS * standings.games // max(games, 1)
    parts = [f"[{'#' * filled}{'.' * (_BAR_CELLS - filled)}] {standings.games}/{games}"]
    total = standings.total(0)
    if total.games:
        parts.append(f"{standings.names[0]} {total.wins}-{total.draws}-{total.losses} {total.points / total.games:.1%}")
        parts.append(f"Elo {render_elo_briefly(meeting_elo(total))}")
    if (sprt := settings.sprt) is not None:
        ratio = log_likelihood_ratio(sprt, standings.meeting(0, 1).pairs)
        parts.append(f"LLR {ratio:+.2f} [{sprt.lower:.2f}, {sprt.upper:.2f}]")
    if games_now and elapsed_s > 0:
        parts.append(f"{60 * games_now / elapsed_s:.1f} games/min")
        parts.append(f"{_render_duration((games - standings.games) * elapsed_s / games_now)} left")
    return "  ".join(parts)


def _render_duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
