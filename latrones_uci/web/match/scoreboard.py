"""The finished games of a match as JSON data for its page, while its database grows."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.match.rounds import current_round, rounds_table
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import more_games, rate_standings, render_bounds, render_verdict, rounded
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.record import GameRecord
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoreError
from latrones_uci.stats import Sprt, log_likelihood_ratio
from latrones_uci.text.clock import now_s
from latrones_uci.text.messages import counted
from latrones_uci.web.lib.charts import elo_reach, llr_chart
from latrones_uci.web.lib.markup import visible
from latrones_uci.web.lib.notation import Json
from latrones_uci.web.match.figures import (
    StandingRow,
    date_text,
    elo_text,
    ending_text,
    match_title,
    standing_rows,
    unpaired_note,
)

_FIRST_RATIOS = 100
_SPEED_S = 600.0


@dataclass(frozen=True)
class FinishedGame:
    """A finished game in the list of games."""

    number: int
    round: int
    """Its number in the match, and that of its round, from 1."""
    variant: int
    white: int
    black: int
    """Indices in the settings."""
    winner: int | None
    """0 White, 1 Black, None for a draw."""
    plies: int
    termination: str
    """How it ended, by the rules or otherwise, in a word or two."""
    details: str
    """One line on that, empty if it ended by the rules."""

    @property
    def result(self) -> str:
        return "½-½" if self.winner is None else ("1-0", "0-1")[self.winner]


class Scoreboard:
    """The settings, standings and finished games of a database that a runner may be writing to.

    Not thread-safe, but several threads may take turns. A database that is replaced by another one, and settings that
    are changed, are noticed. ``games`` are the finished games by number, the latest last.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = now_s, max_ratios: int = 400) -> None:
        """Read a database; the chart of a sequential test has at most ``max_ratios`` points.

        Raises:
            StoreError: it cannot be read, or contains no match.
            SettingsError: its settings are damaged.
        """
        self.path, self._clock, self._max_ratios = path, clock, max_ratios
        self._open()

    def _open(self) -> None:
        store = Store(self.path, writing=False, shared=True)
        try:
            self._load(store)
        except BaseException:
            store.close()
            raise

    def _load(self, store: Store) -> None:
        file = _file_of(self.path)
        self._store, self._change_count = store, store.change_count()
        self._stored = store.settings()
        self.settings: TournamentSettings = stored_settings(store)
        self.created = store.created()
        self.standings = Standings(tuple(engine.name or "" for engine in self.settings.engines), self.settings.plan)
        self.games: dict[int, FinishedGame] = {}
        self.verdict = ""
        self._ratios: list[tuple[int, float]] = []
        self._seen: list[tuple[float, int]] = []  # when how many games had been seen, for the speed
        self._read_games()
        self._file = file

    def close(self) -> None:
        self._store.close()

    def refresh(self) -> bool:
        """Read what has been written since the last call; return whether anything has changed.

        Raises:
            StoreError: the database cannot be read.
            SettingsError: its settings are damaged.
        """
        if _file_of(self.path) != self._file:
            self._store.close()
            self._open()
            return True
        if (count := self._store.change_count()) == self._change_count:
            return False
        self._change_count = count
        if self._store.settings() != self._stored:
            self._store.close()
            self._open()
        else:
            self._read_games()
        return True

    def _read_games(self) -> None:
        new = [number for number in self._store.game_numbers() if number not in self.games]
        records = stored_games(self._store, self.settings, with_plies=False, numbers=new)
        step = max(1, len(new) // _FIRST_RATIOS)
        for place, record in enumerate(records):
            self._add(record)
            if place % step == 0:
                self._add_ratio()
        self._add_ratio()
        self.verdict = self._store.verdict()
        self._more_games = None if self.verdict else more_games(self.settings, self.standings.meeting(0, 1).pairs)
        now = self._clock()
        self._seen.append((now, len(self.games)))
        while len(self._seen) > 2 and (now - self._seen[1][0] > _SPEED_S or len(self._seen) > 1000):
            del self._seen[0]

    def _add(self, record: GameRecord) -> None:
        fixture, outcome = record.fixture, record.game.outcome
        plies = self._store.ply_count(fixture.number)
        termination, details = ending_text(outcome)
        self.standings.add(record)
        self.games[fixture.number] = FinishedGame(
            fixture.number, fixture.round + 1, fixture.variant, fixture.white, fixture.black, outcome.winner, plies,
            visible(termination), visible(details))

    def _add_ratio(self) -> None:
        """Note the likelihood ratio after a complete pair; if there are many, every second one is dropped."""
        sprt = self.settings.sprt
        if sprt is None:
            return
        pairs = self.standings.meeting(0, 1).pairs
        games = 2 * sum(pairs)
        if games and (not self._ratios or self._ratios[-1][0] != games):
            self._ratios.append((games, log_likelihood_ratio(sprt, pairs)))
            if len(self._ratios) > self._max_ratios:
                self._ratios = [*self._ratios[:-1:2], self._ratios[-1]]

    # ---------------------------------------------------------------- for the page

    @property
    def total(self) -> int:
        """The number of games of the whole tournament; a sequential test may end it earlier."""
        assert self.standings.schedule is not None
        return self.standings.schedule.total

    @property
    def complete(self) -> bool:
        return len(self.games) >= self.total or bool(self.verdict)

    def summary(self) -> Json:
        settings, standings = self.settings, self.standings
        rows = standing_rows(standings, rate_standings(standings))
        reach = elo_reach([row.elo for row in rows if row.elo is not None])
        return {
            "title": visible(match_title(standings.names)),
            "settings": visible(f"{settings.variants_text}; {settings.format.value}; "
                                f"{counted(settings.concurrency, 'game')} at a time; openings {settings.openings}"),
            "created": date_text(self.created),
            "engines": [visible(name) for name in standings.names],
            "controls": [visible(engine.control.to_text()) for engine in settings.engines],
            "played": len(self.games), "total": self.total, "complete": self.complete, **self._speed(),
            "standings": [_standing_data(row, reach) for row in rows], "reach": round(reach),
            "note": unpaired_note(rows), "cross": self._cross_table([row.engine for row in rows]),
            "sprt": None if settings.sprt is None else self._sprt_data(settings.sprt),
            "round": "" if self.complete else current_round(standings.schedule), "rounds": self._rounds_table(),
            "troubles": ", ".join(standings.troubles),
            "terminations": [[visible(name), count] for name, count in standings.terminations.most_common()],
        }

    def _speed(self) -> Json:
        (first_s, first), (last_s, last) = self._seen[0], self._seen[-1]
        played, elapsed_s = last - first, max(last_s, self._clock()) - first_s
        if played < 1 or elapsed_s < 1:
            return {"per_minute": None, "left_s": None}
        left = max(self.total - len(self.games), 0) if self.settings.sprt is None else self._more_games
        left_s = None if left is None else round(left * elapsed_s / played)
        return {"per_minute": 60 * played / elapsed_s, "left_s": left_s}

    def _cross_table(self, order: Sequence[int]) -> list[list[str | None]]:
        """Return the points of each engine against each other one; empty for two engines."""
        if len(order) < 3:
            return []
        meetings = [[self.standings.meeting(own, other) for other in order] for own in order]
        return [[f"{meeting.points:g} of {meeting.games}" if meeting.games else None for meeting in row]
                for row in meetings]

    def _rounds_table(self) -> Json | None:
        """Return the table of a Swiss tournament or the pairings of a knockout, None for other formats."""
        found = rounds_table(self.standings.schedule, self.standings.names)
        if found is None:
            return None
        return {"title": found.title, "headings": [heading.capitalize() for heading in found.headings],
                "rows": [[visible(cell) for cell in row] for row in found.rows], "numbers": found.numbers,
                "note": found.note}

    def _sprt_data(self, sprt: Sprt) -> Json:
        ratio = self._ratios[-1][1] if self._ratios else 0.0
        more = self._more_games
        return {
            "verdict": render_verdict(self.verdict), "llr": f"{ratio:+.2f}".replace("-", "\u2212"),
            "bounds": f"{sprt.lower:.2f} to {sprt.upper:.2f}".replace("-", "\u2212"),
            "hypotheses": render_bounds(sprt).replace("-", "\u2212"),
            "share": min(max((ratio - sprt.lower) / (sprt.upper - sprt.lower), 0.0), 1.0),
            "rest": "" if more is None else f"about {rounded(more)} more games, if the difference is as measured",
            "games": self._ratios[-1][0] if self._ratios else 0,
        }

    def llr_drawing(self) -> str:
        """Return the chart of the sequential test as an SVG document; empty if there is no test."""
        sprt = self.settings.sprt
        if sprt is None:
            return ""
        return llr_chart(sprt, self._ratios).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)

    def board_name(self, variant: int) -> str:
        variants = self.settings.variants
        return visible(variants[variant].to_text()) if variant < len(variants) else ""

    def find(self, number: int) -> GameRecord | None:
        """Return a finished game with its plies; None if there is none of this number."""
        return next(stored_games(self._store, self.settings, numbers=[number]), None)

    def list_games(
        self, skip: int, most: int, chosen: Callable[[FinishedGame], bool]
    ) -> tuple[int, list[FinishedGame]]:
        """Return the number of games that are chosen, and some of them, the latest first."""
        found = [game for game in reversed(self.games.values()) if chosen(game)]
        return len(found), found[skip : skip + most]


def _standing_data(row: StandingRow, reach: float) -> Json:
    """Return a row as JSON data; its ``bar`` is on a scale from -100 to 100."""
    return {
        "engine": row.engine, "games": row.results.games, "points": row.results.points,
        "score": None if row.share is None else f"{row.share:.1%}",
        "counts": "-".join(map(str, row.results.counts)),
        "elo": None if row.elo is None else elo_text(row.elo),
        "bar": None if row.elo is None else [
            round(100 * min(max(end / reach, -1.0), 1.0), 2) for end in (row.elo.low, row.elo.value, row.elo.high)],
        "remarks": [[visible(label), visible(value)] for label, value in row.remarks],
    }


def _file_of(path: Path) -> tuple[int, int]:
    """Return what identifies a file, even if another one takes its name."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise StoreError(f"database '{path}': no longer there") from error
    return found.st_dev, found.st_ino


def row_data(game: FinishedGame, board: str) -> Json:
    return {
        "game": game.number, "round": game.round, "white": game.white, "black": game.black, "result": game.result,
        "plies": game.plies, "ending": ": ".join(filter(None, (game.termination, game.details))), "board": board,
    }
