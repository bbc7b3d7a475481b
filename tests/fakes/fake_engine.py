"""An engine that plays legal moves, until it is told to misbehave: ``fake_engine.py BEHAVIOUR [AFTER]``.

From its own move number AFTER (default 0: the first) on, in each game, it shows the behaviour: it prints what
``ANSWERS`` says, or does what ``BEHAVIOURS`` or ``PROCESS_BEHAVIOURS`` says. The same engine runs in memory (see
``memory_engine``), but for the behaviours that need a process, such as those that write to a pipe.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import NoReturn

from latrones_uci.game import Game, LatronesError, Move, Position, Ruleset, find_variant

OWN_NAMES = {"own-names": ("ludus",), "own-file": ("chess",)}
OPTIONS = {"own-file": ["VariantPath type string default"],
           "many-options": [f"O{number} type button" for number in range(2000)]}


class Console:
    """Where the engine prints, waits and ends: as a process."""

    def say(self, *lines: str) -> None:
        sys.stdout.write("".join(line + "\n" for line in lines))
        sys.stdout.flush()

    def error(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def exit(self, status: int) -> NoReturn:
        os._exit(status)


class FakeEngine:
    def __init__(self, behaviour: str, after: int = 0, console: Console | None = None) -> None:
        self.behaviour, self.console = behaviour, console or Console()
        self.say = self.console.say
        self.deaf_until = ""  # the only line that it still obeys
        self.pondering = self.names_replies = False
        self.variant_file = ""  # its name contains the name of the variant in it
        self.after = after
        self.ruleset: Ruleset = find_variant("latrones")
        self.game = Game(Position.start(self.ruleset))
        self.moves_made = self.games = 0

    def begin(self) -> None:
        """Fail before the first line, if it is to fail there."""
        if self.behaviour == "half-dead":
            self.say("id name Half", "option name Hash type spin")
        if self.behaviour in ("dead", "half-dead"):
            what = "does not even start" if self.behaviour == "dead" else "dies while it introduces itself"
            self.console.error(f"the fake {what}")
            self.console.exit(1)

    def read(self, line: str) -> None:
        if self.behaviour in ("silent", "deaf"):
            return
        if self.deaf_until:
            if line.strip() == self.deaf_until:
                self.deaf_until = ""
                self.play_well()
            return
        words = line.split()
        match words:
            case ["uci"] if self.behaviour != "ugi":
                self.names_replies = self.behaviour in PONDERING
                names = OWN_NAMES.get(self.behaviour, ("latrones", "latrunculi-classical", "rota"))
                variants = " ".join(f"var {name}" for name in names)
                options = [f"UCI_Variant type combo default {names[0]} {variants}",
                           "BoardSize type string default auto", "Clear Hash type button",
                           "Skill type spin default 1 min 1 max 9", *OPTIONS.get(self.behaviour, ())]
                if self.behaviour in PONDERING:
                    options.append("Ponder type check default false")
                self.say("id" if self.behaviour == "wrong-id" else f"id name Fake {self.behaviour}")
                self.say(*(f"option name {option}" for option in options), "uciok")
            case ["isready"]:
                self.say("readyok")
            case ["setoption", *_] if self.behaviour == "set-once" and self.games:
                self.say("info string error option: only before the first game")
            case ["setoption", "name", "VariantPath", "value", path] if self.behaviour == "own-file":
                self.variant_file = path
            case ["setoption", "name", "UCI_Variant", "value", name] if (
                self.behaviour == "own-file" and name not in self.variant_file
            ):
                self.say(f"unknown variant {name}")
                self.behaviour = "no-move"
            case ["setoption", "name", "UCI_Variant", "value", name]:
                self.ruleset = find_variant("latrones" if name in ("ludus", "my-latrones") else name)
            case ["setoption", "name", "Skill", "value", "9"]:
                self.say("info string error option: value '9' of Skill is not free")
            case ["ugi"] if self.behaviour == "ugi" or self.behaviour in PONDERING:
                self.say(f"id name Fake {self.behaviour}", "ugiok")
            case ["ucinewgame"] | ["uginewgame"]:
                self.moves_made = 0
                self.games += 1
            case ["query", question] if self.behaviour in ("ugi", "wrong-claims"):
                self.say(f"response {self.claim(question)}")
            case ["position", "fen", *rest]:
                self.set_position(rest)
            case ["go", "ponder", *_]:
                self.pondering = True
                PONDERING[self.behaviour](self)
            case ["go", *limits]:
                self.go(limits)
            case ["ponderhit" | "stop" as command] if self.pondering:
                self.pondering = False
                if not (self.behaviour == "ponder-deaf" and command == "stop"):
                    self.play_with_reply()
            case ["quit"] if self.behaviour != "ignore-quit":
                self.console.exit(0)

    def claim(self, question: str) -> str:
        result = self.game.outcome()
        if self.behaviour == "wrong-claims":
            return "true" if question == "gameover" else "draw"
        return str(result is not None).lower() if question == "gameover" else result.name if result else "none"

    def set_position(self, words: list[str]) -> None:
        fen, moves = words[:4], words[5:]
        self.game = Game(Position.from_fen(self.ruleset, " ".join(fen)))
        for text in moves:
            self.game.push(self.game.position.parse_move(text))

    def go(self, limits: list[str]) -> None:
        misbehaves = self.moves_made >= self.after
        assert self.behaviour != "ugi" or not {"wtime", "btime", "winc", "binc"} & set(limits)
        self.moves_made += 1
        if not misbehaves:
            self.play_well()
        elif self.behaviour in ANSWERS:
            self.answer(ANSWERS[self.behaviour])
        else:
            (BEHAVIOURS | PROCESS_BEHAVIOURS)[self.behaviour](self)

    def answer(self, lines: Sequence[str]) -> None:
        """Print lines, in which words in braces stand for moves."""
        best = self.legal_text()
        moves = {"{best}": best, "{BEST}": best.upper(), "{be-st}": f"{best[:2]}-{best[2:]}"}
        for line in lines:
            for word, move in moves.items():
                line = line.replace(word, move)
            self.say(line)

    def play_well(self) -> None:
        self.answer(GOOD)

    def play_with_reply(self) -> None:
        """Play well, and name the reply of a good fake, or another one; in UGI it is only in the line."""
        best, after = self.legal_text(), self.game.copy()
        after.push(after.position.parse_move(best))
        reply = legal_text(after) if after.outcome() is None else ""
        if reply and self.behaviour in ("ponder-miss", "ponder-deaf"):
            reply = next((text for text in after.legal_moves() if text != reply), reply)
        if self.behaviour == "ponder-illegal":
            reply = best
        self.say(f"info depth 1 score cp 5 nodes 7 time 0 pv {best} {reply}")
        self.say(f"bestmove {best}" + (f" ponder {reply or '(none)'}" if self.names_replies else ""))

    def legal_text(self) -> str:
        return legal_text(self.game)

    def turned(self) -> Position:
        """The position with the other side to move."""
        board, side, *counters = self.game.position.fen().split()
        return Position.from_fen(self.ruleset, " ".join([board, "b" if side == "w" else "w", *counters]))


def legal_text(game: Game) -> str:
    """A legal move, one that captures if there is any, so that games end."""
    moves = game.legal_moves()
    captures = [move for move in moves if game.position.captures(move)]
    return (captures or moves)[len(game.moves) % len(captures or moves)]


def wait_for_ever() -> None:
    while sys.stdin.readline():
        pass
    time.sleep(60)


def count_men(engine: FakeEngine) -> None:
    """Its score is how many more men the mover has."""
    board, side, *_ = engine.game.position.fen().split()
    lead = sum(map(str.isupper, board)) - sum(map(str.islower, board))
    engine.say(f"info depth 1 score cp {100 * (lead if side == 'w' else -lead)}", f"bestmove {engine.legal_text()}")


def crash(engine: FakeEngine) -> None:
    engine.console.error("the fake falls over")
    engine.console.exit(3)


def stall(engine: FakeEngine) -> None:
    engine.deaf_until = "the end"


def slow(engine: FakeEngine) -> None:
    engine.console.wait(0.4)
    engine.play_well()


def late(engine: FakeEngine) -> None:
    """Ignores its time, but answers ``stop``."""
    engine.deaf_until = "stop"


def late_with_errors(engine: FakeEngine) -> None:
    engine.console.error("x" * 3_000_000)
    late(engine)


def illegal(engine: FakeEngine) -> None:
    geometry = engine.game.position.geometry
    for origin, target in permutations(range(geometry.squares), 2):
        text = geometry.square_name(origin) + geometry.square_name(target)
        if not is_legal(engine.game.position, text) and not is_legal(engine.turned(), text):
            engine.say(f"bestmove {text}")
            return


def wrong_side(engine: FakeEngine) -> None:
    turned = engine.turned()
    engine.say(f"bestmove {next(text for text in turned.legal_moves() if not is_legal(engine.game.position, text))}")


def print_for_ever(descriptor: int, block: bytes) -> Callable[[FakeEngine], None]:
    """Return a behaviour that prints without end, whatever the engine is told, and never a ``bestmove``."""

    def flood(engine: FakeEngine) -> None:
        try:
            while True:
                os.write(descriptor, block)
        except BrokenPipeError:
            os._exit(0)

    return flood


def half_line(engine: FakeEngine) -> None:
    print(f"bestmove {engine.legal_text()}", end="", flush=True)
    wait_for_ever()


def close_stdout(engine: FakeEngine) -> None:
    os.close(1)
    wait_for_ever()


def answer_and_exit(engine: FakeEngine) -> None:
    engine.play_well()
    engine.console.exit(0)


def stop_reading(engine: FakeEngine) -> None:
    """Neither reads nor answers; ``SIGTERM`` does not impress it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)


def leave_children(engine: FakeEngine) -> None:
    """Starts children that keep its pipes open, then falls silent."""
    import subprocess  # here, since only this one needs it, and it takes its time

    for _ in range(3):
        subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
    wait_for_ever()


def is_legal(position: Position, text: str) -> bool:
    try:
        move: Move = position.parse_move(text)
    except LatronesError:
        return False
    return move in position.legal_moves()


def print_while_pondering(engine: FakeEngine) -> None:
    """Prints more than a pipe takes, then makes a file."""
    engine.say(*[f"info string {'x' * 90}"] * 2000)
    Path("printed").touch()


def await_file(engine: FakeEngine) -> None:
    """Answers when there is the file that ``print_while_pondering`` makes."""
    deadline = time.monotonic() + 20
    while engine.game.moves and not Path("printed").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    engine.play_well()


GOOD = ("info string searching", "info depth 1 score cp 5 nodes 7 time 0 pv {best}", "bestmove {best}")
INTERNAL = "info string error internal: division by zero"
# What a search prints.
ANSWERS: dict[str, Sequence[str]] = {
    **dict.fromkeys(("ugi", "good", "own-names", "own-file", "set-once", "ignore-quit", "wrong-id", "wrong-claims",
                     "many-options"), GOOD),
    "malformed": ["bestmove Hello"],
    "empty": ["bestmove"],
    "no-move": ["bestmove 0000"],
    "resign": ["bestmove resign"],
    "upper-case": ["  bestmove {BEST}"],
    "hyphens": ["bestmove {be-st}"],
    "stale-answer": [*GOOD, "bestmove 0000"],  # the second must not be taken for that of the next search
    "carriage-returns": ["info depth 2 score mate -3 nodes 11 pv a1a2\r", "bestmove {best} ponder a1a2 \t \r"],
    "report-errors": [INTERNAL, *GOOD],
    "no-move-with-error": [INTERNAL, "bestmove 0000"],
    "long-line": ["info string " + "x" * 2_000_000, *GOOD],
    "junk": ["\0\ufffd\ufffd garbage", "", "   ", "Traceback (most recent call last):", "\x1b[31mbest move?",
             "info depth x score cp", "info", "option", "id", "option name", "bestmovement", "response true", *GOOD],
}

# What else a search does.
BEHAVIOURS: dict[str, Callable[[FakeEngine], None]] = {
    "count-men": count_men,
    "crash": crash,
    "stall": stall,
    "slow": slow,
    "late": late,
    "late-with-errors": late_with_errors,
    "illegal": illegal,
    "wrong-side": wrong_side,
    "answer-and-exit": answer_and_exit,
}

# What only a process can do.
PROCESS_BEHAVIOURS: dict[str, Callable[[FakeEngine], None]] = {
    "await-file": await_file,
    "flood": print_for_ever(1, b"info depth 3 score cp 1 nodes 1 pv a1a2\n" * 1600),
    "flood-one-line": print_for_ever(1, b"x" * 65536),
    "flood-errors": print_for_ever(2, b"error " * 10000 + b"\n"),
    "stop-reading": stop_reading,
    "stop-itself": lambda engine: os.kill(os.getpid(), signal.SIGSTOP),
    "children": leave_children,
    "half-line": half_line,
    "close-stdout": close_stdout,
    "deaf": FakeEngine.play_well,
    "ponder-print": FakeEngine.play_with_reply,
}

# What engines that ponder do at "go ponder".
PONDERING: dict[str, Callable[[FakeEngine], None]] = {
    "ponder": lambda engine: None,
    "ponder-miss": lambda engine: None,
    "ponder-illegal": lambda engine: None,
    "ponder-deaf": lambda engine: None,
    "ponder-early": FakeEngine.play_well,
    "ponder-crash": crash,
    "ponder-print": print_while_pondering,
}
BEHAVIOURS.update(dict.fromkeys(PONDERING, FakeEngine.play_with_reply))


def main() -> None:
    behaviour = sys.argv[1]
    if behaviour == "deaf":
        time.sleep(60)
    engine = FakeEngine(behaviour, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    engine.begin()
    for line in sys.stdin:
        engine.read(line)
    if engine.deaf_until or behaviour in ("ignore-quit", "silent"):
        time.sleep(60)


if __name__ == "__main__":
    main()
