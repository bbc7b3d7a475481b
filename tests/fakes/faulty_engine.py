"""A good engine but for its faults: ``faulty_engine.py FAULT[,FAULT...]``.

It keeps to the protocol, extras included, and finds any legal move at once. Each fault is asked for by its name where
the good engine would do something else; ``none`` is no fault. ``bare`` leaves out all that an engine need not have.
"""

import os
import sys
import threading
import time

from latrones_uci.game import Game, LatronesError, Position, find_variant

FAULTS = frozenset(sys.argv[1].split(","))
GREETINGS = {"uci": "uciok", "ugi": "ugiok"}
NEW_GAMES = ("ucinewgame", "uginewgame", "newgame")
LIMITS = {"depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "p1time", "p2time", "p1inc", "p2inc"}
LATE_S = 0.7


def say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def refuse(code: str, line: str) -> None:
    if "bare" not in FAULTS:
        say(f"info string error {code + ':' if 'uncoded-errors' not in FAULTS else 'that was wrong'} {line[:80]!r}")


class Engine:
    def __init__(self) -> None:
        self.ruleset, self.size, self.multipv = find_variant("latrones"), "auto", 1
        self.game: Game | None = Game(Position.start(self.ruleset))
        self.held_back = ""  # the bestmove line of a search that waits to be stopped
        self.pondering = self.debugging = self.dropping = False
        self.stops = self.readies = self.benches = 0
        self.hoard: list[bytes] = []

    def read(self, line: str) -> None:
        if "dies-on-long-lines" in FAULTS and len(line) > 100_000:
            os._exit(4)
        words = line.rstrip("\n").split(" ") if "picky" in FAULTS and "\r" in line else line.split()
        self.readies = self.readies + 1 if words == ["isready"] else 0
        if words == ["isready"]:
            self.ready()
        elif words and (words == ["stop"] or not self.dropping):
            self.obey(words, line)

    def ready(self) -> None:
        self.dropping = False
        if "deaf-in-search" not in FAULTS or not self.held_back:
            say("readyok", *["readyok"] * ("double-readyok" in FAULTS and self.readies == 4))

    def obey(self, words: list[str], line: str) -> None:
        match words:
            case [greeting] if greeting in GREETINGS:
                self.greet(GREETINGS[greeting] if "no-uciok" not in FAULTS else "welcome")
            case [new_game] if new_game in NEW_GAMES:
                self.new_game()
            case ["setoption", "name", *rest]:
                self.set_option(rest, line)
            case ["position", *rest]:
                self.set_position(rest, line)
            case ["go", *rest]:
                self.go(rest, line)
            case ["stop"]:
                self.stop()
            case ["ponderhit"]:
                self.end_search()
            case ["quit"]:
                if "ignores-quit" not in FAULTS and not ("quits-late" in FAULTS and self.held_back):
                    sys.exit(0)
            case _ if "bare" in FAULTS or not self.extra(words):
                if "dies-on-nonsense" in FAULTS and words == ["0000"]:
                    os._exit(5)
                refuse("unknown-command", line)
                if "answers-nonsense" in FAULTS and words == ["0000"]:
                    say("bestmove a1a2")

    def greet(self, end: str) -> None:
        say(*["id name Faulty"] * ("nameless" not in FAULTS))
        if "no-variant" not in FAULTS:
            say("option name UCI_Variant type combo default latrones var latrones var rota")
        if "no-board" not in FAULTS:
            say("option name BoardSize type string default auto")
        say("option name Clear Cache type button", "option name Note type string default")
        say("option name Skill type spin default 5 min 1 max 9")
        if "half-an-option" in FAULTS:
            say("option name Strength type spin default 5 min 1")
        if "bare" not in FAULTS:
            say("option name Ponder type check default false", "option name MultiPV type spin default 1 min 1 max 9")
        say(end)

    def new_game(self) -> None:
        say(*["  ", "  "] * ("blank-lines" in FAULTS))
        if "leaks" in FAULTS:
            self.hoard.append(b"x" * (8 << 20))
        if "dies-at-a-new-game" in FAULTS and self.game and self.game.moves:
            os._exit(6)
        self.game = Game(self.start())

    def start(self) -> Position:
        size = None if self.size == "auto" else tuple(map(int, self.size.split("x")))
        return Position.start(self.ruleset, size)  # type: ignore[arg-type]

    def set_option(self, words: list[str], line: str) -> None:
        at = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[:at]).lower(), " ".join(words[at + 1:])
        try:
            if name == "uci_variant":
                if "dies-on-options" in FAULTS and value == "no-such-game":
                    os._exit(7)
                self.ruleset = find_variant(value)
            elif name == "boardsize":
                before, self.size = self.size, value
                try:
                    self.game = Game(self.start())
                except ValueError:
                    self.size = before
                    raise
            elif name in ("skill", "multipv"):
                if "refuses-the-least" in FAULTS and name == "skill" and value == "1":
                    raise ValueError("1")
                self.multipv = int(value) if name == "multipv" else self.multipv
            elif name == "ponder" and value not in ("true", "false") or name not in ("ponder", "note", "clear cache"):
                raise ValueError(value)
        except ValueError:
            refuse("option", line)

    def set_position(self, words: list[str], line: str) -> None:
        old, self.game = self.game, None
        if self.held_back:
            refuse("busy", line)
            return
        at = words.index("moves") if "moves" in words else len(words)
        if "dies-on-long-games" in FAULTS and len(words) - at > 80:
            os._exit(8)
        try:
            if words[:1] not in (["startpos"], ["fen"]):
                raise LatronesError(line)
            game = Game(self.start() if words[0] == "startpos"
                        else Position.from_fen(self.ruleset, " ".join(words[1:at])))  # fmt: skip
            for text in words[at + 1:]:
                game.play(game.position.parse_move(text))
            self.game = game
        except LatronesError:
            refuse("fen", line)
            self.game = old if "keeps-the-old-position" in FAULTS else None

    def go(self, words: list[str], line: str) -> None:
        if words[:1] == ["perft"]:
            self.perft(words[1:])
        elif self.held_back:
            if "dies-when-busy" in FAULTS:
                os._exit(9)
            refuse("busy", line)
            if "answers-when-busy" in FAULTS:
                say("bestmove 0000")
        elif not self.understands(words):
            refuse("limits", line)
            if "silent-on-bad-go" not in FAULTS:
                say("bestmove 0000")
        elif self.game is None:
            refuse("no-position", line)
            say("bestmove 0000")
        else:
            self.search(self.game, words)

    def understands(self, words: list[str]) -> bool:
        if "searchmoves" in words:
            if "no-searchmoves" in FAULTS:
                return False
            words = words[: words.index("searchmoves")]
        words = [word for word in words if word not in ("infinite", "ponder")]
        return all(word in LIMITS for word in words[::2]) and len(words) % 2 == 0 and all(map(str.isdigit, words[1::2]))

    def search(self, game: Game, words: list[str]) -> None:
        if self.debugging and "dies-in-debug" in FAULTS:
            os._exit(10)
        endless = {("depth", "2"): "ignores-depth", ("nodes", "200"): "ignores-nodes"}
        if endless.get(tuple(words)) in FAULTS:
            self.held_back = "bestmove a1a1"
            return
        if words == ["movetime", "100"] and "late" in FAULTS or words[:2] == ["wtime", "1"] and "flags" in FAULTS:
            time.sleep(LATE_S)
        best = self.best_move(game, words)
        if best != "bestmove 0000":
            self.tell(game, best.split()[1])
        if words and words[0] in ("infinite", "ponder") and best != "bestmove 0000":
            self.held_back, self.pondering = best, words[0] == "ponder"
            early = "early-bestmove" in FAULTS and not self.pondering or "early-ponder" in FAULTS and self.pondering
            if early:
                self.end_search()
        else:
            say(best)
            if "two-bestmoves" in FAULTS and words == ["depth", "3"]:
                say(best)

    def moves_of(self, game: Game) -> list[str]:
        return [game.position.move_text(move) for move in game.legal_moves()]

    def best_move(self, game: Game, words: list[str]) -> str:
        moves = self.moves_of(game)
        if not moves:
            return "bestmove a1a2" if "plays-on" in FAULTS else "bestmove 0000"
        if "searchmoves" in words and "ignores-searchmoves" not in FAULTS:
            moves = words[words.index("searchmoves") + 1:]
        if "illegal" in FAULTS and len(game.moves) == 5:
            return "bestmove a1a1"
        return f"bestmove {moves[0]}{' ponder' if 'odd-bestmove' in FAULTS else ''}"

    def tell(self, game: Game, move: str) -> None:
        if "bare" in FAULTS:
            return
        for rank, text in enumerate([move, *(text for text in self.moves_of(game) if text != move)][: self.multipv], 1):
            if rank == 1 or "one-line" not in FAULTS:
                score = "cp 5" if "odd-info" not in FAULTS else "cp +0.05"
                say(f"info depth 1 multipv {rank} score {score} nodes 9 time 0 pv {text}")
        if "debris" in FAULTS:
            say("thinking...")

    def stop(self) -> None:
        if not self.held_back:
            say(*["bestmove 0000"] * ("stops-what-is-not" in FAULTS))
        elif "never-stops" not in FAULTS:
            self.stops += not self.pondering
            if "slow-stop" in FAULTS and self.stops == 5:
                time.sleep(LATE_S)
            say(*[self.held_back] * ("double-stop" in FAULTS))
            self.dropping = "loses-commands" in FAULTS
            self.end_search()

    def end_search(self) -> None:
        if self.held_back:
            say(self.held_back)
        self.held_back = ""

    # ------------------------------------------------------------ what an engine need not have

    def extra(self, words: list[str]) -> bool:
        """Whether the words are a command beyond those that every engine has; obeys it."""
        match words:
            case ["query", "p1turn" | "gameover" | "result" as question]:
                self.query(question)
            case ["d"] if self.game:
                say(f"Fen: {self.game.start.fen() if 'odd-d' in FAULTS else self.game.position.fen()}")
                say(f"Moves: {' '.join(sorted(self.moves_of(self.game)))}")
            case ["eval"]:
                say("Evaluation: " + ("good" if "odd-eval" in FAULTS else "7 (of something)"))
            case ["help"]:
                say("no help" if "odd-help" in FAULTS else "uci, position, go, quit")
            case ["bench", "1"]:
                self.benches += "odd-bench" in FAULTS
                say(f"Nodes searched: {1000 + self.benches}")
            case ["debug", "on" | "off" as state]:
                self.debugging = state == "on"
            case _:
                return False
        return True

    def query(self, question: str) -> None:
        result = self.game.outcome() if self.game else None
        answers = {
            "p1turn": str(self.game is None or self.game.position.side == 0).lower(),
            "gameover": str(result is not None and "odd-query" not in FAULTS).lower(),
            "result": result.name if result else "none",
        }
        say(f"response {answers[question]}")

    def perft(self, words: list[str]) -> None:
        if "bare" in FAULTS or self.game is None:
            say("bestmove 0000")
        else:
            say(f"Nodes searched: {self.game.position.perft(int(words[0])) + ('odd-perft' in FAULTS)}")


def main() -> None:
    if "dead" in FAULTS:
        sys.exit("the fake does not even start")
    if "talks-first" in FAULTS:
        say("info string welcome")
    if "busy-when-idle" in FAULTS:
        threading.Thread(target=spin, daemon=True).start()
    sys.stdin.reconfigure(newline="\n")  # type: ignore[union-attr]
    engine = Engine()
    for line in sys.stdin:
        engine.read(line)
    while "ignores-the-end" in FAULTS or "ends-late" in FAULTS and engine.held_back:
        time.sleep(1)


def spin() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
