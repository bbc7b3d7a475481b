"""An engine in memory whose every word is meant to do harm where it is shown: ``hostile_engine.py END``.

It plays the first legal move for three moves; then it crashes, or says what END tells.
"""

from fakes.fake_engine import Console
from latrones_uci.game import Game, Position, find_variant

HOSTILE = (
    "</script></style><img src=x onerror=alert(1)>\"'&amp;\x1b[2J\x1b]0;owned\x07\u202e\u2028../../x\\\"]}{"
    "$(touch x)`touch x`"
)
ENDS = {"move": f"bestmove {HOSTILE.replace(' ', '')}", "illegal": "bestmove a1a1", "resign": "bestmove resign"}


class HostileEngine:
    def __init__(self, console: Console, end: str) -> None:
        self.console, self.end, self.say = console, end, console.say
        self.game = Game(Position.start(find_variant("latrones"), (6, 6)))

    def begin(self) -> None:
        pass

    def read(self, line: str) -> None:
        match line.split():
            case ["uci"]:
                self.say(f"id name {HOSTILE}", f"id author {HOSTILE}")
                self.say(f"option name {HOSTILE} type string default {HOSTILE}", HOSTILE, "uciok")
            case ["isready"]:
                self.say("readyok")
            case ["position", "fen", *words]:
                self.game = Game(Position.from_fen(find_variant("latrones"), " ".join(words[:4])))
                for text in words[5:]:
                    self.game.push(self.game.position.parse_move(text))
            case ["go", *_]:
                self.say(f"info string {HOSTILE}", f"info depth 1 score cp {HOSTILE} nodes {'9' * 5000} pv {HOSTILE}")
                self.say(f"info depth 9 score cp 3 pv {HOSTILE}", f"response {HOSTILE}", HOSTILE)
                self.console.error(HOSTILE)
                if len(self.game.moves) < 6:
                    self.say(f"bestmove {self.game.position.move_text(self.game.legal_moves()[0])} ponder {HOSTILE}")
                elif self.end in ENDS:
                    self.say(ENDS[self.end])
                else:
                    self.console.error(HOSTILE)
                    self.console.exit(1)
            case ["quit"]:
                self.console.exit(0)
