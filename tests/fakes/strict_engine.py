"""An engine in memory that was written for other runners: ``strict_engine.py uci|ugi VARIANT``.

It knows the commands that cutegames (``ugi``), or cutechess and fastchess (``uci``) send, each in its place, and ends
with a complaint at any other. It plays one game, without an option to choose it. In UCI its lines end with a carriage
return, and ``bestmove`` has four words.
"""

from fakes.fake_engine import Console
from latrones_uci.game import Game, Position, find_variant

CLOCKS = {"ugi": ["p1time", "p2time", "p1inc", "p2inc"], "uci": ["wtime", "btime", "winc", "binc"]}


class StrictEngine:
    def __init__(self, console: Console, dialect: str, variant: str) -> None:
        self.console, self.dialect, self.ruleset = console, dialect, find_variant(variant)
        self.state = "new"
        self.game: Game | None = None

    def begin(self) -> None:
        pass

    def say(self, line: str) -> None:
        self.console.say(line + "\r" * (self.dialect == "uci"))

    def read(self, line: str) -> None:
        game, dialect, state = self.game, self.dialect, self.state
        match line.split(" "):
            case [word] if word == dialect and state == "new":
                self.say("id name Strict")
                self.say("option name Style type spin default 1 min 1 max 3")
                self.say(f"{dialect}ok")
                self.state = "greeted"
            case ["setoption", "name", "Style", "value", _] if state == "greeted":
                pass
            case ["isready"] if state != "new":
                self.say("readyok")
            case [word] if word == f"{dialect}newgame" and state != "new":
                self.state, self.game = "game", None
            case ["position", *words] if state == "game":
                self.game = self.game_of(words)
            case ["query", question] if game is not None and dialect == "ugi":
                result = game.outcome()
                over, white_moves = str(result is not None).lower(), str(game.position.side == 0).lower()
                name = result.name if result else "none"
                self.say("response " + {"gameover": over, "result": name, "p1turn": white_moves}[question])
            case ["go", *limits] if game is not None and limits[::2] in (
                CLOCKS[dialect], ["movetime"], ["depth"], ["nodes"]
            ):
                assert all(limit.isdecimal() and int(limit) >= 0 for limit in limits[1::2])
                text = game.legal_moves()[0]
                self.say("info depth 1 score cp 0 pv " + text)
                self.say(f"bestmove {text}" + (f" ponder {text}" if dialect == "uci" else ""))
            case ["quit"]:
                self.console.exit(0)
            case _:
                self.console.error(f"the strict engine does not expect {line!r} when it is {state}")
                self.console.exit(1)

    def game_of(self, words: list[str]) -> Game:
        """Exactly four words of a FEN, and no word ``moves`` without a move."""
        assert words[0] in ("startpos", "fen")
        head = words[:1] if words[0] == "startpos" else words[:5]
        rest = words[len(head):]
        assert not rest or rest[0] == "moves" and len(rest) > 1, words
        game = Game(Position.start(self.ruleset) if len(head) == 1
                    else Position.from_fen(self.ruleset, " ".join(head[1:])))
        for text in rest[1:]:
            game.push(game.position.parse_move(text))
        return game
