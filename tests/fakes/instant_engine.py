"""An engine that answers at once, for measuring the runner: ``python -I -S instant_engine.py [--think-ms=N] MOVE...``.

It knows no game: it plays the given moves by the number of plies in the ``position`` line, each after so many ms.
"""

import os
import sys
import time

GREETINGS = {b"uci": b"id name Instant\nuciok\n", b"ugi": b"id name Instant\nugiok\n", b"isready": b"readyok\n"}


def main() -> None:
    words = sys.argv[1:]
    think_s = int(words.pop(0).removeprefix("--think-ms=")) / 1000 if words[0].startswith("--") else 0
    moves = [word.encode() for word in words]
    plies, rest = 0, b""
    while data := os.read(0, 65536):
        *lines, rest = (rest + data).split(b"\n")
        answer = b""
        for line in lines:
            if line.startswith(b"position"):
                before = line.find(b" moves ")
                plies = 0 if before < 0 else line.count(b" ", before + len(b" moves"))
            elif line.startswith(b"go"):
                if think_s:
                    time.sleep(think_s)
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
