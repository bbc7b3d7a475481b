"""An engine that was written for other runners: ``strict_engine.py uci|ugi VARIANT [BOARD]``.

It knows the commands that cutegames (``ugi``), or cutechess and fastchess (``uci``) send, each in its place, and ends
with a complaint at any other. It has one thread, so it reads nothing while it searches; it plays one game, without an
option to choose it. In UCI its lines end with a carriage return, and ``bestmove`` has four words.
"""

import os
import sys

from latrones_uci.game import Game, Position, find_variant

DIALECT, VARIANT = sys.argv[1:3]
RULESET = find_variant(VARIANT)
SIZE = (int(sys.argv[3].split("x")[0]), int(sys.argv[3].split("x")[1])) if len(sys.argv) > 3 else None
CLOCKS = {"ugi": ["p1time", "p2time", "p1inc", "p2inc"], "uci": ["wtime", "btime", "winc", "binc"]}[DIALECT]
GO_FORMS = (CLOCKS, ["movetime"], ["depth"], ["nodes"])


def say(line: str) -> None:
    os.write(1, (line + ("\r\n" if DIALECT == "uci" else "\n")).encode())


def main() -> None:
    state, game, name = "new", None, ""
    for line in sys.stdin:
        match line.removesuffix("\n").split(" "):
            case [word] if word == DIALECT and state == "new":
                say("id name Strict")
                say("option name Style type spin default 1 min 1 max 3")
                say(f"{DIALECT}ok")
                state = "greeted"
            case ["setoption", "name", "Style", "value", _] if state == "greeted":
                pass
            case ["isready"] if state != "new":
                say("readyok")
            case [word] if word == f"{DIALECT}newgame" and state != "new":
                state, game = "game", None
            case ["position", *words] if state == "game":
                game = game_of(words)
            case ["query", question] if game is not None and DIALECT == "ugi":
                result = game.outcome()
                name = result.name if result else "none"
                over, white_moves = str(result is not None).lower(), str(game.position.side == 0).lower()
                say("response " + {"gameover": over, "result": name, "p1turn": white_moves}[question])
            case ["go", *limits] if game is not None and limits[::2] in GO_FORMS:
                assert all(limit.isdecimal() and int(limit) >= 0 for limit in limits[1::2])
                text = game.position.move_text(game.legal_moves()[0])
                say("info depth 1 score cp 0 pv " + text)
                say(f"bestmove {text}" + (f" ponder {text}" if DIALECT == "uci" else ""))
            case ["quit"]:
                return
            case _:
                sys.exit(f"the strict engine does not expect {line!r} when it is {state}")


def game_of(words: list[str]) -> Game:
    """Exactly four words of a FEN, and no word ``moves`` without a move."""
    assert words[0] in ("startpos", "fen")
    head = words[:1] if words[0] == "startpos" else words[:5]
    rest = words[len(head):]
    assert not rest or rest[0] == "moves" and len(rest) > 1, words
    start = Position.start(RULESET, SIZE) if len(head) == 1 else Position.from_fen(RULESET, " ".join(head[1:]))
    game = Game(start)
    for text in rest[1:]:
        game.play(game.position.parse_move(text))
    return game


if __name__ == "__main__":
    main()
