"""The engine of this project, with faults: ``faulty_engine.py FAULT[,FAULT...]``.

What stands between the engine and its controller changes the lines on their way. Each fault is asked for by its name;
``none`` is no fault. ``bare`` leaves out all that an engine need not have.
"""

import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable

from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line
from latrones_uci.protocols.serve import Loop
from latrones_uci.text.clock import now_ns

FAULTS = frozenset(sys.argv[1].split(","))
LATE_S = 0.7


class Faulty(Channel):
    def __init__(self) -> None:
        super().__init__(0, 1)
        self.line = self.go = ""  # the last line, and the last search
        self.position = self.new_position = ""  # the last that the engine understood, and what it has not read yet
        self.rejected = False  # whether it has not understood that
        self.searching = self.stopped = self.debugging = self.dropping = self.over = self.muted = False
        self.readies = self.stops = self.benches = 0
        self.ended = threading.Event()  # whether a search that was stopped has ended
        self.ended.set()
        self.hoard: list[bytes] = []

    # ---------------------------------------------------------------- from the controller

    def receive(self) -> Line:
        while True:
            if "keeps-the-old-position" in FAULTS and self.rejected:
                self.new_position, self.rejected = "", False
                return Line(self.position, now_ns())
            self.position, self.new_position = self.new_position or self.position, ""
            try:
                line = super().receive()
            except ChannelClosedError:
                while "ignores-the-end" in FAULTS or "ends-late" in FAULTS and self.searching:
                    time.sleep(1)
                raise
            self.line = " ".join(line.text.split())
            text = self.replaced(self.line) if self.line else ""
            if text:
                return Line(text, line.read_ns, line.cut_bytes)

    def replaced(self, line: str) -> str:
        """Return the line for the engine; empty to keep it from the engine."""
        for fault, (status, is_deadly) in DEATHS.items():
            if fault in FAULTS and is_deadly(self, line):
                os._exit(status)
        ignored = any(fault in FAULTS and is_ignored(self, line) for fault, is_ignored in IGNORED.items())
        for fault, (pattern, answers) in ANSWERS.items():
            if fault in FAULTS and re.fullmatch(pattern, line):
                super().send(answers)
        self.notice(line)
        if ignored or line == "bench 1":
            return ""
        for fault, (pattern, replacement) in REPLACED.items():
            if fault in FAULTS:
                line = re.sub(pattern, replacement, line)
        if line.startswith(("go infinite", "go ponder")):
            self.searching = True
        return line

    def notice(self, line: str) -> None:
        """Keep what later faults depend on, and lose time or memory."""
        self.readies = self.readies + 1 if line == "isready" else 0
        stopped, self.stopped = self.stopped, line == "stop" and (self.stopped or self.searching)
        if line == "isready":
            self.dropping = False
            self.ended.wait(5)
            if stopped and "double-stop" in FAULTS:
                super().send(["bestmove a1a2"])
            if "double-readyok" in FAULTS and self.readies == 4:
                super().send(["readyok"])
        elif line == "stop":
            if not self.searching and "stops-what-is-not" in FAULTS:
                super().send(["bestmove 0000"])
            self.stops += self.searching
            if "slow-stop" in FAULTS and self.stops == 5 and self.searching:
                time.sleep(LATE_S)
            self.dropping = "loses-commands" in FAULTS and self.searching
            if self.searching and "never-stops" not in FAULTS:
                self.searching = False
                self.ended.clear()
        elif line.startswith("position"):
            self.new_position = line
        elif line.startswith("go"):
            self.go = line
            if self.searching and "answers-when-busy" in FAULTS:
                super().send(["bestmove 0000"])
            if line == "go movetime 100" and "late" in FAULTS or re.match("go wtime 1 ", line) and "flags" in FAULTS:
                time.sleep(LATE_S)
        elif line.startswith("debug"):
            self.debugging = line == "debug on"
        elif line.endswith("newgame") and "leaks" in FAULTS:
            self.hoard.append(b"x" * (8 << 20))
        elif line == "bench 1" and "bare" not in FAULTS:  # that of the engine takes too long
            self.benches += "odd-bench" in FAULTS
            super().send([f"Nodes searched: {1000 + self.benches}"])

    def _put(self, data: bytearray, now: int, dropped: int) -> None:
        super()._put(bytearray(b"what?") if b"\r" in data and "picky" in FAULTS else data, now, dropped)

    # ---------------------------------------------------------------- to the controller

    def send(self, lines: Iterable[str]) -> None:
        lines = list(lines)
        super().send([text for line in lines for text in self.sent(line)])
        if any(line.startswith("bestmove") for line in lines):
            self.ended.set()

    def sent(self, line: str) -> list[str]:
        """Return what the controller gets instead of a line."""
        self.rejected = self.rejected or bool(self.new_position) and line.startswith("info string error")
        self.over = self.over or line.startswith("info string the game is over")
        self.muted = self.muted or line.startswith("info string error limits") and "silent-on-bad-go" in FAULTS
        for fault, (during, pattern, replacement) in SENT.items():
            if fault in FAULTS and self.line.startswith(during) and re.search(pattern, line):
                if replacement is None:
                    return []
                line = re.sub(pattern, replacement, line)
        if line in ("uciok", "ugiok") and "half-an-option" in FAULTS:
            return ["option name Strength type spin default 5 min 1", line]
        return self.best(line) if line.startswith("bestmove") else [line]

    def best(self, line: str) -> list[str]:
        twice = "two-bestmoves" in FAULTS and self.go == "go depth 3"
        over, muted = self.over, self.muted
        self.searching = self.over = self.muted = False
        position = self.new_position or self.position
        if "illegal" in FAULTS and len(position.partition(" moves ")[2].split()) == 5:
            line = "bestmove a1a1"
        if "plays-on" in FAULTS and over:
            line = "bestmove a1a2"
        return [] if muted else [*["thinking..."] * ("debris" in FAULTS), *[line] * (2 if twice else 1)]


Condition = Callable[[Faulty, str], bool]
# The status with which the engine ends at a line.
DEATHS: dict[str, tuple[int, Condition]] = {
    "dies-on-long-lines": (4, lambda self, line: len(line) > 100_000),
    "dies-on-nonsense": (5, lambda self, line: line == "0000"),
    "dies-at-a-new-game": (6, lambda self, line: line.endswith("newgame") and " moves " in self.position),
    "dies-on-options": (7, lambda self, line: line == "setoption name UCI_Variant value no-such-game"),
    "dies-on-long-games": (8, lambda self, line: line.startswith("position") and len(line.split()) > 86),
    "dies-when-busy": (9, lambda self, line: line.startswith("go") and self.searching),
    "dies-in-debug": (10, lambda self, line: line.startswith("go") and self.debugging),
}
IGNORED: dict[str, Condition] = {
    "ignores-depth": lambda self, line: line == "go depth 2",
    "ignores-nodes": lambda self, line: line == "go nodes 200",
    "ignores-quit": lambda self, line: line == "quit",
    "quits-late": lambda self, line: line == "quit" and self.searching,
    "never-stops": lambda self, line: line == "stop" and self.searching,
    "deaf-in-search": lambda self, line: line == "isready" and self.searching,
    "loses-commands": lambda self, line: self.dropping and line not in ("isready", "stop"),
    "refuses-the-least": lambda self, line: line == "setoption name Hash value 1",
    "no-searchmoves": lambda self, line: "searchmoves" in line,
    "bare": lambda self, line: line.split()[0] in ("d", "eval", "help", "bench", "query") or line[:8] == "go perft",
}
# What the controller gets at a line, before anything else.
ANSWERS: dict[str, tuple[str, list[str]]] = {
    "answers-nonsense": ("0000", ["bestmove a1a2"]),
    "refuses-the-least": ("setoption name Hash value 1", ["info string error option: 1"]),
    "no-searchmoves": ("go .*searchmoves.*", ["info string error limits: searchmoves", "bestmove 0000"]),
    "bare": ("go perft.*", ["bestmove 0000"]),
    "blank-lines": ("u[cg]inewgame", ["  ", "  "]),
}
# What the engine gets instead.
REPLACED = {
    "early-bestmove": ("^go infinite", "go depth 1"),
    "early-ponder": ("^go ponder.*", "go depth 1"),
    "ignores-searchmoves": (" searchmoves .*", ""),
}
# What the controller gets instead of a line of the engine, after a line that begins so; None: nothing.
SENT: dict[str, tuple[str, str, str | None]] = {
    "nameless": ("", "^id name", None),
    "no-uciok": ("", "^u.iok$", "welcome"),
    "no-variant": ("", "^option name UCI_Variant", None),
    "no-board": ("", "^option name BoardSize", None),
    "bare": ("", "^info|^option name (Ponder|MultiPV) ", None),
    "uncoded-errors": ("", "^info string error [a-z-]+:", "info string error that was wrong"),
    "odd-info": ("", r"score cp \S+", "score cp +0.05"),
    "one-line": ("", "^info .*multipv [2-9]", None),
    "odd-bestmove": ("", "^(bestmove [a-zA-Z]\\S+).*", r"\1 ponder"),
    "odd-perft": ("go perft", "Nodes searched: ", "Nodes searched: 1"),
    "odd-query": ("query gameover", "true", "false"),
    "odd-d": ("d", "^Fen: .*", "Fen: none"),
    "odd-eval": ("eval", "^Evaluation: .*", "Evaluation: good"),
    "odd-help": ("help", "position", "setup"),
}


def spin() -> None:
    while True:
        hashlib.sha256(bytes(1 << 20))  # lets the other threads run


if __name__ == "__main__":
    if "dead" in FAULTS:
        sys.exit("the fake does not even start")
    if "talks-first" in FAULTS:
        print("info string welcome", flush=True)
    if "busy-when-idle" in FAULTS:
        threading.Thread(target=spin, daemon=True).start()
    Loop(Faulty()).run()
