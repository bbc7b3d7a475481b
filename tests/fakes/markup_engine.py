"""An engine that plays legal moves of latrones, and says things that would harm a page that took them for markup."""

import sys

from latrones_uci.game import Game, Position, find_variant

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e\x1b[31m\0"


def say(text: str) -> None:
    sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.flush()


def main() -> None:
    game = Game(Position.start(find_variant("latrones")))
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                say(f"id name {MARKUP}")
                say(f"option name {MARKUP} type spin")
                say("uciok")
            case ["isready"]:
                say("readyok")
            case ["position", "fen", board, side, nocapture, number, *rest]:
                fen = f"{board} {side} {nocapture} {number}"
                game = Game(Position.from_fen(find_variant("latrones"), fen))
                for text in rest[1:]:
                    game.push(game.position.parse_move(text))
            case ["go", *limits]:
                move = game.legal_moves()[0]
                say(f"info depth 1 score cp 5 string {MARKUP} pv {MARKUP}")
                say(f"info depth {MARKUP} score cp 99999999999999999999 pv {MARKUP}")
                say("info string " + MARKUP * 20_000)
                say(f"info depth 3 multipv 1 score cp 12 nodes 5 pv {move} {MARKUP}")
                say(f"info depth 3 multipv 999 score mate 3 pv {move}")
                if "infinite" in limits:
                    while sys.stdin.readline().strip() != "stop":
                        pass
                if len(game.moves) >= 3:
                    print(MARKUP, file=sys.stderr, flush=True)
                    sys.exit(f"{MARKUP} falls")
                say(f"bestmove {move} ponder {MARKUP}")
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
