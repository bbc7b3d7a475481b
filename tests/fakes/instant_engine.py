"""An engine that answers at once, for measuring the runner: ``python -I -S instant_engine.py MOVE...``.

It knows no game: it plays the given moves by the number of plies in the ``position fen`` line.
"""

import os
import sys

_PLAIN_POSITION_BLANKS = len(b"position fen board side nocapture movenumber moves".split()) - 1
GREETINGS = {b"uci": b"id name Instant\nuciok\n", b"ugi": b"id name Instant\nugiok\n", b"isready": b"readyok\n"}


def main() -> None:
    moves = [move.encode() for move in sys.argv[1:]]
    plies, rest = 0, b""
    while data := os.read(0, 65536):
        *lines, rest = (rest + data).split(b"\n")
        answer = b""
        for line in lines:
            if line.startswith(b"position"):
                plies = max(line.count(b" ") - _PLAIN_POSITION_BLANKS, 0)
            elif line.startswith(b"go"):
                move = moves[plies]
                answer += b"info depth 1 score cp 0 nodes 1 time 0 pv " + move + b"\nbestmove " + move + b"\n"
            elif line == b"quit":
                return
            else:
                answer += GREETINGS.get(line, b"")
        if answer:
            os.write(1, answer)


if __name__ == "__main__":
    main()
