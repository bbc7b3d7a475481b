"""An engine whose strength depends on its option ``Aim``: ``python -I -S tuned_engine.py [BEST [FAULT [VALUE]]]``.

It resigns at its first move with a chance of one per cent for each point by which ``Aim`` misses BEST (default 70), as
decided by the position, the side and ``Aim``; otherwise it makes a move that is legal in the start position on 6x6.
``Idle`` has no effect. With the FAULT ``reject`` it rejects VALUE for ``Aim``, with ``crash`` it ends when it gets it.
"""

import sys

MOVES = {"w": "a1a2", "b": "a6a5"}


def chance(text: str) -> float:
    """A number from 0 to 1 that looks random, without a random module: this program has to start fast."""
    number = 5381
    for letter in text:
        number = (number * 33 ^ ord(letter)) * 2654435761 % 2**32
    return (number >> 8) % 1000 / 1000


def main() -> None:
    best = int(sys.argv[1]) if len(sys.argv) > 1 else 70
    fault, value = (sys.argv[2], sys.argv[3]) if len(sys.argv) > 3 else ("", "")
    aim, fen = 20, []
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print("id name Tuned", "option name Aim type spin default 20 min 0 max 100",
                      "option name Idle type spin default 500 min -1000 max 1000",
                      "option name Style type combo default calm var calm var wild",
                      "option name Wide type spin default 5", "uciok", sep="\n", flush=True)  # fmt: skip
            case ["isready"]:
                print("readyok", flush=True)
            case ["setoption", "name", "Aim", "value", text]:
                if text == value and fault == "crash":
                    sys.exit("the fake does not like this value")
                if text == value and fault == "reject":
                    print("info string error option: not this value", flush=True)
                aim = int(text)
            case ["position", "fen", *words]:
                fen = words
            case ["go", *_]:
                side = "wb"[(fen[1] == "b") ^ (len(fen) - 5) % 2] if len(fen) > 4 else fen[1]
                resigns = chance(f"{' '.join(fen[:4])} {side} {aim}") < abs(aim - best) / 100
                print("bestmove", "resign" if resigns else MOVES[side], flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
