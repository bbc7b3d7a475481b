"""The running games of a match, from its runner to the process of its page, as events on a pipe.

The events are those of ``--json-moves``, of which the page needs the beginning of a game and its moves, and
``turn_started`` with the clocks. A runner writes what has changed since it wrote last, so a slow page needs no queue.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

from latrones_uci.client.time_control import NS_PER_MS, TimeControl
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import LatronesError, Move, Position
from latrones_uci.game.position import algebraic_text
from latrones_uci.match.events import LiveGames, MovePlayed
from latrones_uci.match.game import Turn
from latrones_uci.match.progress import render_event
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import PLY_COLUMNS, PlyRecord, ply_from_row
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.text.clock import now_ns
from latrones_uci.web.lib.notation import Json, pieces_of
from latrones_uci.web.lib.replay import ground_data, replay_data

_WRITE_S = 0.1
_MALFORMED = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)


# ---------------------------------------------------------------- the runner's side


def write_running_games(live: LiveGames, out: IO[str], ended: threading.Event, interval_s: float = _WRITE_S) -> None:
    """Write the changes of the running games until ``ended`` is set, then the last ones, and close ``out``.

    A pipe that is full blocks only this thread; one that nobody reads any more ends it.
    """
    written: dict[int, Turn | None] = {}
    with suppress(OSError), out:
        is_last = False
        while not is_last:
            is_last = ended.wait(interval_s)
            out.writelines(f"{event}\n" for event in _changes(live, written))
            out.flush()


def _changes(live: LiveGames, written: dict[int, Turn | None]) -> Iterator[str]:
    """Yield the events since the states that have been written, which are updated."""
    games = live.games()
    for number in written.keys() - {started.fixture.number for started, _ in games}:
        del written[number]
        yield json.dumps({"event": "game_finished", "game": number})
    for started, turn in games:
        number = started.fixture.number
        if number not in written:
            written[number] = None
            yield render_event(started)
        before = written[number]
        if turn is None or turn is before:
            continue
        written[number] = turn
        known = 0 if before is None else before.played
        if before is None or before.plies[:known] != turn.plies[:known]:
            known = 0  # its worker was lost, and the game is played again
        for ply in range(known, turn.played):
            yield render_event(MovePlayed(started.fixture, ply + 1, turn.plies[ply]))
        yield json.dumps({"event": "turn_started", "game": number, "plies": turn.played, "clocks_ns": turn.clocks_ns,
                          "age_ns": now_ns() - turn.since_ns})


# ---------------------------------------------------------------- the side of the page


class RunningGames:
    """The running games as their runner reports them."""

    def __init__(self, settings: TournamentSettings) -> None:
        self._settings = settings
        self._games: dict[int, _Board] = {}

    def take(self, line: str | bytes) -> None:
        """Take an event; nothing changes with other events and malformed lines."""
        with suppress(*_MALFORMED):
            data = json.loads(line)
            match data["event"]:
                case "game_started":
                    self._games[data["game"]] = self._board(data)
                case "move_played":
                    self._games[data["game"]].play(data["ply"], ply_from_row([data[name] for name in PLY_COLUMNS]))
                case "turn_started":
                    white, black = data["clocks_ns"]
                    self._games[data["game"]].begin_turn(data["plies"], (white, black), data["age_ns"])
                case "game_finished":
                    del self._games[data["game"]]

    def _board(self, data: Json) -> "_Board":
        fixture = Fixture(data["game"], *(data[key] for key in ("pair", "round", "variant", "opening", "white",
                                                                "black")))
        settings = self._settings
        ruleset = start_position(settings.variants[fixture.variant], settings.variant_file).ruleset
        controls = (settings.engines[fixture.white].control, settings.engines[fixture.black].control)
        return _Board(fixture, Position.from_fen(ruleset, data["fen"]), controls)

    def render(self) -> list[Json]:
        """Return the games in the order in which they started."""
        return [board.render() for board in self._games.values()]

    def start(self, number: int) -> Position | None:
        """Return the position before the first move of a game, None if it does not run."""
        return self._games[number].start if number in self._games else None

    def replay(self, number: int) -> Json | None:
        """Return a game with all its moves so far, None if it does not run."""
        return self._games[number].replay() if number in self._games else None


class _Board:
    """A running game. Its referee knows that it is not over, so only the legality of its moves is checked here."""

    def __init__(self, fixture: Fixture, start: Position, controls: tuple[TimeControl, TimeControl]) -> None:
        self.start = start
        self._fixture, self._controls = fixture, controls
        self._plies: list[PlyRecord] = []
        self._begun = False
        self._clocks_ns = [None if control.start_ms is None else control.start_ms * NS_PER_MS for control in controls]
        self._since_ns = now_ns()
        self._rewind()

    def _rewind(self) -> None:
        self._shown = 0
        self._before, self._after = self.start, self.start
        self._move: Move | None = None

    def play(self, number: int, ply: PlyRecord) -> None:
        """Play ply ``number``, from 1; it replaces the plies from there on."""
        self._truncate(number - 1)
        self._plies.append(ply)
        self._clocks_ns[ply.side] = ply.clock_left_ns
        self._begun, self._since_ns = True, now_ns()

    def begin_turn(self, plies: int, clocks_ns: tuple[int | None, int | None], age_ns: int) -> None:
        """Set the number of plies, and the clocks when the turn began, ``age_ns`` ago."""
        self._truncate(plies)
        self._begun, self._clocks_ns, self._since_ns = True, list(clocks_ns), now_ns() - age_ns

    def _truncate(self, plies: int) -> None:
        del self._plies[plies:]
        if plies < self._shown:
            self._rewind()

    def _follow(self) -> None:
        """Play the moves that are new, up to the first that is not legal."""
        with suppress(LatronesError):
            for ply in self._plies[self._shown :]:
                move = self._after.parse_move(ply.text)
                self._before, self._after, self._move = self._after, self._after.play(move), move
                self._shown += 1

    @property
    def _players(self) -> Json:
        fixture = self._fixture
        return {"game": fixture.number, "round": fixture.round + 1, "white": fixture.white, "black": fixture.black}

    def render(self) -> Json:
        """Return the current position with the last move, and the clocks."""
        self._follow()
        before, after, move, last = self._before, self._after, self._move, self._plies[-1] if self._plies else None
        return {
            **self._players,
            "men": pieces_of(after), "hand": after.hand, "side": after.side, "plies": self._shown,
            "path": list(move.squares) if move else None, "captures": before.lifted(after) if move else [],
            "note": algebraic_text(before, after, move) if move else "", "number": before.movenumber,
            **ground_data(after), "score": last and last.info.score.for_white(last.side),
            "depth": last and last.info.depth, "elapsed": last and last.elapsed_ns // NS_PER_MS,
            "clocks": [None if left_ns is None else max(left_ns, 0) // NS_PER_MS for left_ns in self._clocks_ns],
            "ticks": [control.base_ms is not None for control in self._controls],
            "age": (now_ns() - self._since_ns) // NS_PER_MS, "begun": self._begun,
        }

    def replay(self) -> Json:
        return replay_data(self.start, self._plies) | self._players | {"finished": False}
