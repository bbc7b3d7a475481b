"""An engine in memory whose strength depends on its option ``Aim``: ``tuned_engine.py [BEST [FAULT [VALUE]]]``.

It resigns at its first move with a chance of one per cent for each point by which ``Aim`` misses BEST (default 70), as
decided by the position, the side and ``Aim``; otherwise it makes a move that is legal in the start position on 6x6.
``Idle`` has no effect. With the FAULT ``reject`` it rejects VALUE for ``Aim``, with ``crash`` it ends when it gets it.
"""

from fakes.fake_engine import Console, FakeEngine

MOVES = {"w": "a1a2", "b": "a6a5"}


def chance(text: str) -> float:
    """A number from 0 to 1 that looks random."""
    number = 5381
    for letter in text:
        number = (number * 33 ^ ord(letter)) * 2654435761 % 2**32
    return (number >> 8) % 1000 / 1000


class TunedEngine(FakeEngine):
    def __init__(self, console: Console, best: str = "70", fault: str = "", value: str = "") -> None:
        super().__init__("good", console=console)
        self.best, self.fault, self.value = int(best), fault, value
        self.aim = 20

    def read(self, line: str) -> None:
        match line.split():
            case ["uci"]:
                self.say("id name Tuned", "option name Aim type spin default 20 min 0 max 100",
                         "option name Idle type spin default 500 min -1000 max 1000",
                         "option name Style type combo default calm var calm var wild",
                         "option name Wide type spin default 5", "uciok")
            case ["setoption", "name", "Aim", "value", text]:
                if text == self.value and self.fault == "crash":
                    self.console.error("the fake does not like this value")
                    self.console.exit(1)
                if text == self.value and self.fault == "reject":
                    self.say("info string error option: not this value")
                self.aim = int(text)
            case ["go", *_]:
                side = "wb"[self.game.position.side]
                resigns = chance(f"{self.game.start.fen()} {side} {self.aim}") < abs(self.aim - self.best) / 100
                self.say(f"bestmove {'resign' if resigns else MOVES[side]}")
            case _:
                super().read(line)
