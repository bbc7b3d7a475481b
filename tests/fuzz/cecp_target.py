"""The protocol loop as XBoard meets it: after each line what ``protocol.md`` promises is checked, by the rules alone.

Lines are served as they are, but for moves, of which a text knows none that are legal: ``usermove *7`` makes the eighth
legal move, ``usermove ~7`` the same told with what it removes, and ``usermove =`` the reply that the engine expects.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from itertools import pairwise

from fuzz.loop_target import MAX_ANSWER, MAX_LINES, Script, expect, install, with_each_kernel
from latrones_uci.game import Game, Position
from latrones_uci.protocols.channel import Line
from latrones_uci.protocols.serve import Loop
from latrones_uci.protocols.xboard.arguments import parse_xboard_move
from latrones_uci.protocols.xboard.game import fen_of_xboard, find_offered, plan_removal
from latrones_uci.protocols.xboard.session import COMMANDS, CecpSession, Purpose

__all__ = ["install", "run", "run_lines"]
CHOSEN = re.compile(r"usermove ([*~])([0-9]{1,3})")
KILLS = re.compile(r"x[a-p][0-9]+")
LAST_LINES = ("force", "ping 77777")


class WatchedLoop(Loop):
    """A loop whose session can be looked at."""

    @property
    def session(self) -> CecpSession:
        assert isinstance(self._session, CecpSession)
        return self._session


class Opponent(Script):
    """A channel that follows the game.

    An engine that is to move, or to give a hint, has done so before the next line is read; whether that line is served
    before the move is heard depends on its length.
    """

    loop: WatchedLoop

    def __init__(self, lines: list[str]) -> None:
        super().__init__([*lines, *LAST_LINES])
        self._pings: list[str] = []
        self.game: Game
        self._start: Position

    def receive(self) -> Line:
        self._check_answer()
        text = next(self._lines, None)
        if text is None:
            expect(not self._pings, "were not answered", self._pings)
        elif self.executed:  # after the first line there is a session
            self._hear(wait=True, all_of_it=len(text) % 2 == 0)
            text = self._chosen(text)
        return self._next(text)

    def send(self, lines: Iterable[str]) -> None:
        expect(threading.get_ident() == self._thread, "is said in another thread", lines)
        self._said += lines

    # ---------------------------------------------------------------- what is said

    def _hear(self, wait: bool, all_of_it: bool) -> None:
        """Lets the session hear of its searches, and checks what it then says."""
        if wait and self.loop.session._purpose in (Purpose.PLAY, Purpose.HINT):
            self.loop._engine.wait()
        while all_of_it and not self._posted.empty():
            self._posted.get()()
        self._check_lines(self._take())

    def _check_answer(self) -> None:
        """What was said to the line just served, and what the line has done to the game."""
        line, said = self._line, self._take()
        if line is None:
            self._start = self.loop._engine.game.start
            self.game = Game(self._start)
            return
        words = line.split()
        refusals = [text for text in said if text.startswith(("Error (", "Illegal move: "))]
        expect(len(refusals) <= 1, "is refused more than once", (line, said))
        if words and words[0] not in COMMANDS:
            expect(len(refusals) == 1, "is no command, and is not refused", (line, said))
            expect(refusals[0].startswith("Error (unknown-command): "), "is refused wrongly", (line, said))
        if not refusals and words:
            self._follow(words)
        self._check_lines(said)

    def _check_lines(self, said: list[str]) -> None:
        for text in said:
            expect(text.isprintable() and len(text) < MAX_ANSWER or text.startswith("feature "), "is said", text)
            expect("internal" not in text.split(":")[0], "is a fault", text)
            word, _, rest = text.partition(" ")
            if word == "move":
                self.game.push(self.game.position.parse_move(KILLS.sub("", rest).replace("-", "")))
            elif word == "pong":
                expect(self._pings[:1] == [rest], "is not the next pong", (text, self._pings))
                del self._pings[0]
            elif word in ("1-0", "0-1", "1/2-1/2"):
                result = self.game.outcome()
                expect(result is not None and word == {None: "1/2-1/2", 0: "1-0", 1: "0-1"}[result.winner], "is said",
                       (text, result))
        record = self.loop.session._record
        expect(record.position == self.game.position, "is the game of the engine", record.position.fen())
        leftovers = [leftover.square for leftover in record.leftovers]
        expect(len(set(leftovers)) == len(leftovers), "are leftovers", leftovers)
        expect(not any(record.position.piece_at(square) for square in leftovers), "stand where men do", leftovers)

    def _follow(self, words: list[str]) -> None:
        """Does what a line that was not refused says to the game."""
        match words[0]:
            case "new":
                self.game = Game(self._start)
            case "variant":
                self._start = Position.start(*find_offered(self.loop._engine.rulesets, words[1]))
                self.game = Game(self._start)
            case "setboard":
                self.game = Game(Position.from_fen(self._start.ruleset, fen_of_xboard(" ".join(words[1:]))))
            case "undo" | "remove":
                self.game = self.game.up_to(len(self.game.moves) - (1 if words[0] == "undo" else 2))
            case "usermove":
                self.game.push(self.game.position.parse_move(parse_xboard_move(words[1]).text))
            case "ping":
                self._pings.append(words[1])

    # ---------------------------------------------------------------- what is asked

    def _chosen(self, text: str) -> str:
        """The line with a move that it stands for."""
        session, position = self.loop.session, self.game.position
        if text == "usermove =" and (reply := session._expected_reply()):
            return f"usermove {reply}"
        match, moves = CHOSEN.fullmatch(text), self.game.legal_moves()
        if not match or not moves:
            return text
        move = moves[int(match[2]) % len(moves)]
        kills = plan_removal(position, move, session._record.leftovers).kills if match[1] == "~" else ()
        squares = re.findall(r"[a-p][0-9]+", move)
        path = [squares[0], *map(position.geometry.square_name, kills), squares[-1]]
        return f"usermove {','.join(one + other for one, other in pairwise(path)) if kills else move}"


def run_lines(text: str, kernel: str) -> int:
    """Serves lines with a kernel; returns how many.

    Raises:
        AssertionError: something is not as promised.
    """
    opponent = Opponent(text.split("\n")[:MAX_LINES])
    opponent.loop = WatchedLoop(opponent, kernel, xboard=True)  # type: ignore[arg-type]
    opponent.loop.run()
    return opponent.executed


def run(data: bytes) -> int:
    """The same lines with each kernel."""
    return with_each_kernel(run_lines, data.decode("utf-8", "backslashreplace"))
