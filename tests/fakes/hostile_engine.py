"""An engine in memory whose every word is meant to do harm where it is shown: ``hostile_engine.py END``.

It plays the first legal move for three moves; then it crashes, or says what END tells.
"""

from fakes.fake_engine import Console, FakeEngine

HOSTILE = (
    "</script></style><img src=x onerror=alert(1)>\"'&amp;\x1b[2J\x1b]0;owned\x07\u202e\u2028../../x\\\"]}{"
    "$(touch x)`touch x`"
)
ENDS = {"move": f"bestmove {HOSTILE.replace(' ', '')}", "illegal": "bestmove a1a1", "resign": "bestmove resign"}


class HostileEngine(FakeEngine):
    def __init__(self, console: Console, end: str) -> None:
        super().__init__("good", console=console)
        self.end = end

    def read(self, line: str) -> None:
        match line.split():
            case ["uci"]:
                self.say(f"id name {HOSTILE}", f"id author {HOSTILE}")
                self.say(f"option name {HOSTILE} type string default {HOSTILE}", HOSTILE, "uciok")
            case ["go", *_]:
                self.say(f"info string {HOSTILE}", f"info depth 1 score cp {HOSTILE} nodes {'9' * 5000} pv {HOSTILE}")
                self.say(f"info depth 9 score cp 3 pv {HOSTILE}", f"response {HOSTILE}", HOSTILE)
                self.console.error(HOSTILE)
                if len(self.game.moves) < 6:
                    self.say(f"bestmove {self.game.legal_moves()[0]} ponder {HOSTILE}")
                elif self.end in ENDS:
                    self.say(ENDS[self.end])
                else:
                    self.console.error(HOSTILE)
                    self.console.exit(1)
            case _:
                super().read(line)
