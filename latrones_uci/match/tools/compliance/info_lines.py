"""The ``info`` lines of a search, read strictly."""

import re

from latrones_uci.game import Game, LatronesError, quoted

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBERS = frozenset({
    "depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "tbhits", "cpuload", "currmovenumber",
})  # fmt: skip


def find_problem(text: str, game: Game) -> str | None:
    """What is wrong with an ``info`` line about the position of a game, None if nothing is.

    Words that the protocol does not know are passed over.
    """
    words = text.split()
    for index, word in enumerate(words):
        following = words[index + 1:index + 3]
        if word in ("string", "pv"):
            return _pv_problem(words[index + 1:], game) if word == "pv" else None
        if word in _NUMBERS and not (following and _INTEGER.fullmatch(following[0])):
            return f"no number behind {word}"
        if word == "score" and not (
            len(following) == 2 and following[0] in ("cp", "mate") and _INTEGER.fullmatch(following[1])
        ):
            return f"the score {quoted(' '.join(following))} is neither 'cp N' nor 'mate N'"
    return None


def _pv_problem(moves: list[str], game: Game) -> str | None:
    if not moves:
        return "an empty line of play"
    position = game.position
    for move in moves:
        try:
            position = position.play(position.parse_move(move))
        except LatronesError as error:
            return str(error)
    return None
