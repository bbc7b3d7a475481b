"""GTP in this process: one well-formed response to each command, and a board that stays in step with the game."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz.loop_target import MAX_LINES, Script, expect, install, with_each_kernel
from latrones_uci.game import Position
from latrones_uci.protocols.channel import Line
from latrones_uci.protocols.gtp.session import GtpSession, command_of
from latrones_uci.protocols.serve import Loop

__all__ = ["install", "run", "run_lines"]


class GtpScript(Script):
    """Each line is sent when the one before is answered."""

    def send(self, lines: Iterable[str]) -> None:
        self._said += [line for text in lines for line in text.split("\n")]

    def receive(self) -> Line:
        session = self.loop._session
        if session is not None:
            assert isinstance(session, GtpSession)
            while session._search is not None or not self._posted.empty():
                self._posted.get()()
            self._check(session)
        return self._next(next(self._lines, None))

    def _check(self, session: GtpSession) -> None:
        line, said = self._line or "", self._take()
        number, words = command_of(line)
        expect(bool(said) == bool(words), "has no response, or one without a command", (line, said))
        if said:
            expect(said[0].startswith((f"={number}", f"?{number}")), "has another beginning", (line, said))
            expect(said.index("") == len(said) - 1, "does not end with its first empty line", (line, said))
            expect("internal:" not in said[0], "is an internal error", (line, said))
        game = session._game
        position = game.game.start
        for move in game.game.moves:
            position = position.play(move)
        expect(position == game.position, "is not the position after the moves", position.fen())
        expect(Position.from_fen(position.ruleset, position.fen()).board == position.board, "is not its FEN", position)
        expect(game.game.outcome() is None or not game.legal_points(), "has moves after its end", position.fen())


def run_lines(text: str, kernel: str) -> int:
    """Serves lines with a kernel; returns how many.

    Raises:
        AssertionError: something is not as promised.
    """
    script = GtpScript(text.split("\n")[:MAX_LINES])
    script.loop = Loop(script, kernel, gtp=True)  # type: ignore[arg-type]
    script.loop.run()
    return script.executed


def run(data: bytes) -> int:
    """The same lines with each kernel."""
    return with_each_kernel(run_lines, data.decode("utf-8", "backslashreplace"))
