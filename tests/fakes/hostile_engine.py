"""An engine whose every word is meant to do harm where it is shown: ``hostile_engine.py END``.

It plays the first legal move for three moves; then it crashes, or says what END tells.
"""

import os
import sys

from latrones_uci.game import Game, Position, find_variant

HOSTILE = (
    "</script></style><img src=x onerror=alert(1)>\"'&amp;\x1b[2J\x1b]0;owned\x07\u202e\u2028../../x\\\"]}{"
    "$(touch x)`touch x`"
)
ENDS = {"move": f"bestmove {HOSTILE.replace(' ', '')}", "illegal": "bestmove a1a1", "resign": "bestmove resign"}


def say(*lines: str) -> None:
    os.write(1, "".join(f"{line}\n" for line in lines).encode())


def main() -> None:
    game = Game(Position.start(find_variant("latrones"), (6, 6)))
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                say(f"id name {HOSTILE}", f"id author {HOSTILE}")
                say(f"option name {HOSTILE} type string default {HOSTILE}", HOSTILE, "uciok")
            case ["isready"]:
                say("readyok")
            case ["position", "fen", *words]:
                game = Game(Position.from_fen(find_variant("latrones"), " ".join(words[:4])))
                for text in words[5:]:
                    game.play(game.position.parse_move(text))
            case ["go", *_]:
                say(f"info string {HOSTILE}", f"info depth 1 score cp {HOSTILE} nodes {'9' * 5000} pv {HOSTILE}")
                say(f"info depth 9 score cp 3 pv {HOSTILE}", f"response {HOSTILE}", HOSTILE)
                os.write(2, f"{HOSTILE}\n".encode())
                if len(game.moves) < 6:
                    say(f"bestmove {game.position.move_text(game.legal_moves()[0])} ponder {HOSTILE}")
                elif sys.argv[1] in ENDS:
                    say(ENDS[sys.argv[1]])
                else:
                    sys.exit(HOSTILE)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
