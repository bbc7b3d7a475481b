"""A model of XBoard 4.9.1's board with legality tests off; independent of the code of the engine.

It does not know the games: a piece goes from one square to another and removes what stood there, and the pieces on the
one or two squares that an ``x`` names on the way.
"""

from __future__ import annotations

import re
from itertools import pairwise

SQUARE = r"[a-p]\d+"


class XBoard:
    def __init__(self, setup: str) -> None:
        match = re.fullmatch(r"setup \(\S+\) (\d+)x(\d+)\+\d_\w+ (\S+) ([wb]) - - \d+ \d+", setup)
        assert match, setup
        self.files, self.ranks = int(match[1]), int(match[2])
        self.white_moves = match[4] == "w"
        self.men: dict[str, str] = {}
        rows = match[3].split("/")
        assert len(rows) == self.ranks
        for rank, row in zip(range(self.ranks, 0, -1), rows, strict=True):
            file = 0
            for token in re.findall(r"\d+|[A-Za-z]", row):
                if token.isdigit():
                    file += int(token)
                else:
                    self.men[f"{chr(ord('a') + file)}{rank}"] = token
                    file += 1
            assert file == self.files

    def engine_moves(self, text: str) -> str:
        """Make the move after the word ``move``; return the ``usermove`` that the other engine gets."""
        match = re.fullmatch(rf"({SQUARE})((?:x{SQUARE})*)-?({SQUARE})", text)
        assert match, text
        origin, kills, target = match[1], re.findall(SQUARE, match[2]), match[3]
        assert len(kills) <= 2
        assert bool(kills) == ("-" in text)
        assert all(kill in self.men for kill in kills), f"{text}: nothing to kill"
        own = self.men[origin].isupper()
        assert own == self.white_moves
        relayed = self._relayed(origin, kills, target, bool(kills) and self.men[kills[-1]].isupper() == own)
        for kill in kills:
            del self.men[kill]
        self.men[target] = self.men.pop(origin)
        self.white_moves = not self.white_moves
        return relayed

    @staticmethod
    def _relayed(origin: str, kills: list[str], target: str, last_is_own: bool) -> str:
        if last_is_own:  # reported as castling, with only the last of two kills
            beside = ord(target[0]) + (1 if origin[0] > kills[-1][0] else -1)
            return f"{origin}{target},{kills[-1]}{chr(beside)}{target[1:]}"
        path = [origin, *kills, target]
        return ",".join(one + other for one, other in pairwise(path))

    def board(self) -> list[str]:
        """Return the pieces by rank from the first, "" for none."""
        return [self.men.get(f"{chr(ord('a') + file)}{rank}", "")
                for rank in range(1, self.ranks + 1) for file in range(self.files)]
