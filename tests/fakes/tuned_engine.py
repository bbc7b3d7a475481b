"""An engine in memory whose strength depends on its option ``Aim``: ``tuned_engine.py [BEST [FAULT [VALUE]]]``.

It resigns at its first move with a chance of one per cent for each point by which ``Aim`` misses BEST (default 70), as
decided by the position, the side and ``Aim``; otherwise it makes a move that is legal in the start position on 6x6.
``Idle`` has no effect. With the FAULT ``reject`` it rejects VALUE for ``Aim``, with ``crash`` it ends when it gets it.
"""

from fakes.fake_engine import Console

MOVES = {"w": "a1a2", "b": "a6a5"}


def chance(text: str) -> float:
    """A number from 0 to 1 that looks random."""
    number = 5381
    for letter in text:
        number = (number * 33 ^ ord(letter)) * 2654435761 % 2**32
    return (number >> 8) % 1000 / 1000


class TunedEngine:
    def __init__(self, console: Console, best: str = "70", fault: str = "", value: str = "") -> None:
        self.console, self.best, self.fault, self.value = console, int(best), fault, value
        self.aim = 20
        self.fen: list[str] = []

    def begin(self) -> None:
        pass

    def read(self, line: str) -> None:
        say = self.console.say
        match line.split():
            case ["uci"]:
                say("id name Tuned", "option name Aim type spin default 20 min 0 max 100",
                    "option name Idle type spin default 500 min -1000 max 1000",
                    "option name Style type combo default calm var calm var wild",
                    "option name Wide type spin default 5", "uciok")  # fmt: skip
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "Aim", "value", text]:
                if text == self.value and self.fault == "crash":
                    self.console.error("the fake does not like this value")
                    self.console.exit(1)
                if text == self.value and self.fault == "reject":
                    say("info string error option: not this value")
                self.aim = int(text)
            case ["position", "fen", *words]:
                self.fen = words
            case ["go", *_]:
                fen = self.fen
                side = "wb"[(fen[1] == "b") ^ (len(fen) - 5) % 2] if len(fen) > 4 else fen[1]
                resigns = chance(f"{' '.join(fen[:4])} {side} {self.aim}") < abs(self.aim - self.best) / 100
                say(f"bestmove {'resign' if resigns else MOVES[side]}")
            case ["quit"]:
                self.console.exit(0)
