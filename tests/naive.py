"""A slow, obviously right board, for the tests to compare the program with.

Written from the text of the rules alone: a dictionary of squares and plain loops. It shares
nothing with the package that it checks, and is meant to be read beside the rules, not to be fast.

A game is a class: the functions on `Game` are what all games have in common, each game fills in how its
pieces go, what they capture and when it is decided. `GAMES` lists them by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

Square = tuple[int, int]  # file and rank, from 0

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
AXES = (((1, 0), (-1, 0)), ((0, 1), (0, -1)))
WHITE, BLACK = "w", "b"


@dataclass(frozen=True)
class Board:
    """A position: its size, the occupied squares with their letters, whose turn, and the counters."""

    files: int
    ranks: int
    pieces: dict[Square, str]
    side: str = WHITE
    nocapture: int = 0
    movenumber: int = 1

    def has(self, square: Square) -> bool:
        return 0 <= square[0] < self.files and 0 <= square[1] < self.ranks

    def at(self, square: Square) -> str:
        """The letter on a square; empty text for an empty square and for one off the board."""
        return self.pieces.get(square, "")

    def is_empty(self, square: Square) -> bool:
        return self.has(square) and square not in self.pieces

    def neighbours(self, square: Square) -> list[Square]:
        return [step(square, d) for d in DIRECTIONS if self.has(step(square, d))]

    def squares_of(self, side: str, letter: str = "SD") -> list[Square]:
        return [square for square, piece in self.pieces.items() if owner(piece) == side and piece.upper() in letter]

    def group(self, square: Square) -> set[Square]:
        """The pieces of one colour connected with the one on `square`, that one included."""
        side, group, waiting = owner(self.at(square)), {square}, [square]
        while waiting:
            for near in self.neighbours(waiting.pop()):
                if near not in group and owner(self.at(near)) == side:
                    group.add(near)
                    waiting.append(near)
        return group

    def is_shut_in(self, square: Square) -> bool:
        """No neighbour of the square is an empty square of the board."""
        return not any(self.is_empty(near) for near in self.neighbours(square))


def step(square: Square, direction: Square) -> Square:
    return square[0] + direction[0], square[1] + direction[1]


def owner(piece: str) -> str:
    """`w` or `b` for a letter, empty text for no piece."""
    if not piece:
        return ""
    return WHITE if piece.isupper() else BLACK


def other(side: str) -> str:
    return BLACK if side == WHITE else WHITE


# ---------------------------------------------------------------- text


def square_name(square: Square) -> str:
    return "abcdefghijklmnop"[square[0]] + str(square[1] + 1)


def squares_in(text: str) -> list[Square]:
    return [("abcdefghijklmnop".index(name[0]), int(name[1:]) - 1) for name in re.findall("[a-p][0-9]+", text)]


def parse(fen: str) -> Board:
    """Reads a FEN that is known to be good."""
    rows, side, nocapture, movenumber = fen.split()
    pieces: dict[Square, str] = {}
    file = rank = 0
    for rank, row in enumerate(reversed(rows.split("/"))):
        file = 0
        for token in re.findall("[0-9]+|[A-Za-z]", row):
            if token.isdigit():
                file += int(token)
            else:
                pieces[file, rank] = token
                file += 1
    return Board(file, rank + 1, pieces, side, int(nocapture), int(movenumber))


def render(board: Board) -> str:
    rows = []
    for rank in reversed(range(board.ranks)):
        row = "".join(board.at((file, rank)) or "." for file in range(board.files))
        rows.append(re.sub(r"\.+", lambda dots: str(len(dots[0])), row))
    return f"{'/'.join(rows)} {board.side} {board.nocapture} {board.movenumber}"


# ---------------------------------------------------------------- games


class Game:
    """What the games have in common. A move is its text."""

    name: str
    nocapture_limit = 100
    repetition = "draw"  # or "loss", of the player whose move repeats

    def start(self, files: int, ranks: int) -> Board:
        """The array start."""
        pieces = {(file, 0): "S" for file in range(files)} | {(file, ranks - 1): "s" for file in range(files)}
        pieces[files // 2, 1] = "D"
        pieces[files - 1 - files // 2, ranks - 2] = "d"
        return Board(files, ranks, pieces)

    # To be filled in by each game.

    def ways(self, board: Board) -> list[str]:
        """The moves as the pieces go, whether or not something else forbids them."""
        raise NotImplementedError

    def lifted(self, board: Board, move: str) -> set[Square]:
        """The squares that a move captures."""
        raise NotImplementedError

    def is_forbidden(self, board: Board, move: str, after: Board) -> bool:
        """Whether a way for a piece to go is no legal move, `after` being the position that it makes."""
        raise NotImplementedError

    def beats(self, board: Board, side: str) -> bool:
        """Whether `side` has won on the board as it stands."""
        raise NotImplementedError

    # The same for all.

    def landed(self, board: Board, move: str) -> Board:
        """The board after the piece has gone its way, nothing lifted yet, no turn passed."""
        squares = squares_in(move)
        pieces = dict(board.pieces)
        pieces[squares[-1]] = pieces.pop(squares[0])
        return replace(board, pieces=pieces)

    def after(self, board: Board, move: str) -> Board:
        """The position after a move that need not be legal."""
        captured = self.lifted(board, move)
        landing = self.landed(board, move)
        return replace(
            board,
            pieces={square: piece for square, piece in landing.pieces.items() if square not in captured},
            side=other(board.side),
            nocapture=0 if captured else board.nocapture + 1,
            movenumber=board.movenumber + (board.side == BLACK),
        )

    def unfinished_moves(self, board: Board) -> dict[str, Board]:
        """The moves with the positions that they make, by text; the no-capture limit is not looked at."""
        if self.decided(board):
            return {}
        moves = {}
        for move in self.ways(board):
            after = self.after(board, move)
            if not self.is_forbidden(board, move, after):
                moves[move] = after
        return dict(sorted(moves.items()))

    def moves(self, board: Board) -> dict[str, Board]:
        """The legal moves with the positions that they make, by text."""
        return {} if board.nocapture >= self.nocapture_limit else self.unfinished_moves(board)

    def decided(self, board: Board) -> str:
        """`w` or `b` who has won, empty text for nobody. The player not to move is asked first."""
        for side in (other(board.side), board.side):
            if self.beats(board, side):
                return side
        return ""

    def result(self, board: Board) -> tuple[str, str] | None:
        """Name and reason of the result, from the position alone."""
        if winner := self.decided(board):
            return win(winner), "decided"
        if board.nocapture >= self.nocapture_limit:
            return "draw", "nocapture"
        if not self.moves(board):
            return win(other(board.side)), "nomove"
        return None

    def game_result(self, boards: list[Board]) -> tuple[str, str] | None:
        """Name and reason of the result of a game by all its positions, the start included."""
        board = boards[-1]
        if not self.decided(board):
            seen = sum(past.side == board.side and past.pieces == board.pieces for past in boards)
            if seen >= 3:
                repeater = boards[-2].side
                return ("draw" if self.repetition == "draw" else win(other(repeater))), "repetition"
        return self.result(board)

    def perft(self, board: Board, depth: int) -> int:
        if depth == 0:
            return 1
        moves = self.unfinished_moves(board)
        return len(moves) if depth == 1 else sum(self.perft(after, depth - 1) for after in moves.values())


def win(side: str) -> str:
    return "p1win" if side == WHITE else "p2win"


def slides(board: Board, square: Square) -> list[Square]:
    """The empty squares that a piece can slide to."""
    found = []
    for direction in DIRECTIONS:
        target = step(square, direction)
        while board.is_empty(target):
            found.append(target)
            target = step(target, direction)
    return found


class DuxGame(Game):
    """The games of the array start, in which the dux decides."""

    def ways(self, board: Board) -> list[str]:
        return [
            square_name(square) + square_name(target)
            for square in board.squares_of(board.side)
            for target in slides(board, square)
        ]

    def is_forbidden(self, board: Board, move: str, after: Board) -> bool:
        return any(after.is_shut_in(dux) for dux in after.squares_of(board.side, "D"))

    def beats(self, board: Board, side: str) -> bool:
        enemy = other(side)
        duces = board.squares_of(enemy, "D")
        return not duces or not board.squares_of(enemy, "S") or any(board.is_shut_in(dux) for dux in duces)


class Latrones(DuxGame):
    name = "latrones"

    def ways(self, board: Board) -> list[str]:
        return super().ways(board) + [
            square_name(dux) + square_name(target)
            for dux in board.squares_of(board.side, "D")
            for target in self.jumps(board, dux)
        ]

    def jumps(self, board: Board, dux: Square) -> list[Square]:
        found = []
        for direction in DIRECTIONS:
            target = step(dux, direction)
            if not board.at(target):
                continue
            while board.at(target):
                target = step(target, direction)
            if board.has(target) and self.lifted(board, square_name(dux) + square_name(target)):
                found.append(target)
        return found

    def lifted(self, board: Board, move: str) -> set[Square]:
        landing, target, enemy = self.landed(board, move), squares_in(move)[-1], other(board.side)
        return (
            self.custodian(landing, target, enemy)
            | self.enclosure(landing, target, enemy)
            | {dux for dux in landing.squares_of(enemy, "D") if landing.is_shut_in(dux)}
        )

    def custodian(self, landing: Board, target: Square, enemy: str) -> set[Square]:
        captured: set[Square] = set()
        for axis in AXES:
            if all(owner(landing.at(step(target, direction))) == enemy for direction in axis):
                continue  # flanked
            for direction in axis:
                run, square = [], step(target, direction)
                while owner(landing.at(square)) == enemy:
                    run.append(square)
                    square = step(square, direction)
                if run and owner(landing.at(square)) == other(enemy):
                    captured.update(soldier for soldier in run if landing.at(soldier).upper() == "S")
        return captured

    def enclosure(self, landing: Board, target: Square, enemy: str) -> set[Square]:
        captured: set[Square] = set()
        for near in landing.neighbours(target):
            if owner(landing.at(near)) == enemy:
                group = landing.group(near)
                if all(landing.is_shut_in(square) for square in group):
                    captured |= group
        return captured


class LatrunculiClassical(DuxGame):
    name = "latrunculi-classical"
    repetition = "loss"

    def lifted(self, board: Board, move: str) -> set[Square]:
        landing, target, enemy = self.landed(board, move), squares_in(move)[-1], other(board.side)
        return self.custodian(landing, target, enemy) | self.corner(landing, target, enemy)

    def custodian(self, landing: Board, target: Square, enemy: str) -> set[Square]:
        captured = set()
        for direction in DIRECTIONS:
            near = step(target, direction)
            if is_soldier(landing, near, enemy) and owner(landing.at(step(near, direction))) == other(enemy):
                captured.add(near)
        return captured

    def corner(self, landing: Board, target: Square, enemy: str) -> set[Square]:
        captured = set()
        for file in (0, landing.files - 1):
            for rank in (0, landing.ranks - 1):
                sides = landing.neighbours((file, rank))
                if (
                    is_soldier(landing, (file, rank), enemy)
                    and target in sides
                    and all(owner(landing.at(side)) == other(enemy) for side in sides)
                ):
                    captured.add((file, rank))
        return captured


def is_soldier(board: Board, square: Square, side: str) -> bool:
    piece = board.at(square)
    return owner(piece) == side and piece.upper() == "S"


GAMES: dict[str, Game] = {game.name: game for game in (Latrones(), LatrunculiClassical())}
