"""Any variant on a grid, built from a plain dict of ruleset values.

The keys are those of a ruleset, explained in docs/variants.md. The effects of a landing, in order: find all captures
on the landing board, and remove them at once; test whether the player's own dux is blocked; bind soldiers; test the
endings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from naive import captures, movement
from naive.board import (
    AXES,
    DIAGONAL_AXES,
    DIRECTIONS,
    WHITE,
    Board,
    Square,
    in_hand,
    other,
    owner,
    parse,
    square_name,
    squares_in,
    step,
)
from naive.fields import DEFAULTS
from naive.game import Game

Path = list[Square]
ROUNDS = 4


class Described(Game):
    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        self.name = name
        self.fields = dict(DEFAULTS) | dict(fields)
        self.rules = SimpleNamespace(**self.fields)
        self.nocapture_limit = self.rules.nocapture_limit
        self.repetition = self.rules.repetition
        self.passes = self.rules.no_move == "pass"
        self.counter_after_capture = int(self.rules.capture_chain == "forced")
        self.equal_men = self.rules.equal_men
        axes = AXES + (DIAGONAL_AXES if self.rules.directions == "all" else ())
        self.directions = [direction for axis in axes for direction in axis]

    # ---------------------------------------------------------------- start and placement

    def allows(self, files: int, ranks: int) -> bool:
        rules = self.rules
        if rules.setup == "start" and (files, ranks) != rules.default_size:
            return False
        barred = rules.barred != "none"
        rows = rules.soldier_ranks + (rules.dux == "front")
        return (
            rules.min_size[0] <= files <= rules.max_size[0]
            and rules.min_size[1] <= ranks <= rules.max_size[1]
            and files * ranks >= rules.min_squares
            and ranks >= 2 * rows
            and files * ranks - barred >= 2 * (rules.hand + (rules.dux == "hand"))
            and (files % 2 == ranks % 2 == 1 or (rules.barred != "centre" and rules.safe_square == "none"))
        )

    def start(self, files: int, ranks: int) -> Board:
        rules = self.rules
        if rules.setup == "start":
            return parse(f"{rules.start} w 0 1")
        if rules.setup == "placement":
            hand = {"S": rules.hand, "s": rules.hand}
            if rules.dux == "hand":
                hand |= {"D": 1, "d": 1}
            return Board(files, ranks, {}, hand=hand)
        pieces = {}
        for rank in range(rules.soldier_ranks):
            for file in range(files):
                for place, letter in (((file, rank), "S"), ((file, ranks - 1 - rank), "s")):
                    if rules.array == "full" or sum(place) % 2 == 0:
                        pieces[place] = letter
        if rules.dux != "none":
            rank = {"front": rules.soldier_ranks, "first_rank": 0}[rules.dux]
            pieces[files // 2, rank] = "D"
            pieces[files - 1 - files // 2, ranks - 1 - rank] = "d"
        return Board(files, ranks, pieces)

    def may_be_placed_on(self, board: Board) -> list[Square]:
        barred = board.middle() if self.rules.barred != "none" else None
        return [square for square in super().may_be_placed_on(board) if square != barred]

    def places_again(self, left: int) -> bool:
        return left > 0 and (self.rules.hand - left) % self.rules.placement_turn != 0

    # ---------------------------------------------------------------- moves

    def pseudo_legal_moves(self, board: Board) -> list[str]:
        moves = []
        for square in board.squares_of(board.side, "SD"):
            moves += ["".join(map(square_name, path)) for path in self.paths(board, square)]
        if self.rules.capture_effect == "bind":
            moves += ["x" + square_name(bound) for bound in board.squares_of(other(board.side), "B")]
        return moves

    def paths(self, board: Board, square: Square) -> list[Path]:
        """Return the path of each move of a piece, its own square first."""
        if board.at(square).upper() == "S" and self.rules.soldier_jump == "chain":
            walks = movement.walks(board, square, self.rules.soldier_move)
            chains = movement.hop_chains(board, [square], self.rules.jump_over, self.hopped)
            return [[square, target] for target in walks if self.may_enter(board, square, target)] + chains
        paths = [
            [square, target] for target in self.leg_targets(board, square) if self.is_unlocked(board, square, target)
        ]
        if self.rules.capture_chain != "none":
            for path in list(paths):
                paths += self.extended_paths(board, path)
        if self.rules.capture_chain == "forced":
            return [path for path in paths if not self.can_go_on(board, path)]
        return paths

    def hopped(self, board: Board, origin: Square, target: Square) -> Board | None:
        """Return the board after a hop of a chain, with the marks that it changes; None if it is not legal."""
        return self.leg(board, origin, target)[0] if self.may_enter(board, origin, target) else None

    def may_enter(self, board: Board, origin: Square, target: Square) -> bool:
        """Return whether a landing is not between two enemies, or captures or binds, if that is the rule."""
        mover = owner(board.at(origin))
        if self.rules.enter_between == "allowed" or not board.lies_between(target, other(mover)):
            return True
        if self.rules.capture_effect == "remove":
            return bool(self.leg(board, origin, target)[1])
        free = ("SD", "sd") if mover == WHITE else ("sd", "SD")
        return any(
            board.at(near) and board.at(near) in free[1][0] and board.at(behind) and board.at(behind) in free[0]
            for near, behind in beside(target)
        )

    def can_go_on(self, board: Board, path: Path) -> bool:
        """Return whether the last leg of a path captures, and the piece has another leg after it."""
        captured: set[Square] = set()
        for origin, target in pairwise(path):
            board, captured = self.leg(board, origin, target)
        return bool(captured) and bool(self.leg_targets(board, path[-1]))

    def extended_paths(self, board: Board, path: Path) -> list[Path]:
        """Return the paths that continue `path` after its last leg; `board` is the one before that leg."""
        after, captured = self.leg(board, path[-2], path[-1])
        if not captured:
            return []
        found = []
        for target in self.leg_targets(after, path[-1]):
            if self.rules.capture_chain != "capturing" or self.leg(after, path[-1], target)[1]:
                longer = [*path, target]
                found.append(longer)
                found += self.extended_paths(after, longer)
        return found

    def leg_targets(self, board: Board, square: Square) -> list[Square]:
        """Return the destinations of a piece with one leg."""
        rules = self.rules
        if board.at(square).upper() == "S":
            how, jump = rules.soldier_move, rules.soldier_jump
        else:
            how, jump = rules.dux_move, rules.dux_jump
        jumps: Path = []
        if jump == "single":
            jumps = movement.hops(board, square, rules.jump_over, self.directions)
        elif jump == "line":
            jumps = movement.leaps(board, square)
        if rules.jump_must_capture:
            jumps = [target for target in jumps if self.leg(board, square, target)[1]]
        targets = movement.walks(board, square, how, self.directions) + jumps
        return [target for target in targets if self.may_enter(board, square, target)]

    def leg(self, board: Board, origin: Square, target: Square) -> tuple[Board, set[Square]]:
        """Return the board after one leg, and the squares of the captured pieces."""
        landing = board.moved(origin, target)
        if self.rules.marks == "kept":
            return with_kept_marks(landing, origin, target), set()
        captured = self.captured(landing, origin, target)
        return landing.without(captured) if captured else landing, captured

    def carry_out(self, board: Board, move: str) -> tuple[Board, set[Square]]:
        squares = squares_in(move)
        if move.startswith("x"):
            return board.without(squares), set(squares)
        lifted: set[Square] = set()
        for origin, target in pairwise(squares):
            board, captured = self.leg(board, origin, target)
            lifted |= captured
        return board, lifted

    # ---------------------------------------------------------------- captures

    def captured(self, landing: Board, origin: Square, target: Square) -> set[Square]:
        """Return the squares of all pieces that a landing captures."""
        rules, enemy = self.rules, other(owner(landing.at(target)))
        if rules.capture_effect == "bind":
            return set()
        prey = "SD" if rules.dux_fate == "ordinary" else "S"
        direction = (sign(target[0] - origin[0]), sign(target[1] - origin[1]))
        found: set[Square] = set()
        if rules.custodian != "none":
            hostile = landing.corners() if rules.hostile_corners else []
            void = rules.flanked_mover == "void_axis"
            found |= captures.custodian(landing, target, enemy, prey, rules.custodian, void, rules.directions, hostile)
        if rules.intervention:
            found |= captures.intervention(landing, target, enemy, prey)
        if rules.jump_captures:
            found |= captures.jumped(landing, origin, target, enemy, prey)
        if rules.corner:
            found |= captures.corner(landing, target, enemy, prey)
        if rules.enclosure:
            group = captures.enclosure(landing, target, enemy)
            stays = rules.dux_fate in ("immobilised", "safe")
            found |= {square for square in group if not stays or landing.at(square).upper() != "D"}
        if rules.push_and_crush:
            found |= captures.push_and_crush(landing, target, direction, enemy, prey)
        if rules.flank_attack:
            found |= captures.flank_attack(landing, target, direction, enemy, prey)
        if rules.phalanx:
            found |= captures.phalanx(landing, target, direction, enemy, prey)
        if rules.dux_fate == "captured":
            found |= captures.duces_without_liberty(landing, enemy)
        if rules.safe_square == "centre":
            found -= {landing.centre()}
        return found

    # ---------------------------------------------------------------- locks

    def is_unlocked(self, board: Board, square: Square, target: Square) -> bool:
        """Return whether no lock forbids this move."""
        near = [enemy for enemy in board.neighbours(square) if board.is_of(enemy, other(board.side))]
        is_soldier = board.at(square).upper() == "S"
        if not near or (self.rules.soldier_locks if is_soldier else self.rules.dux_locks) == "none":
            return True
        if is_soldier:
            return self.is_in_melee(board, square, near) or self.is_offensive(board, square, target)
        covered = self.covered_sides(board, square)
        if covered == 1 and target in board.neighbours(square):
            return True
        return covered <= 2 and self.is_offensive(board, square, target)

    def is_offensive(self, board: Board, square: Square, target: Square) -> bool:
        """Return whether a move captures, or lands next to the enemy dux."""
        enemy_dux = "d" if board.side == WHITE else "D"
        hits = any(board.at(near) == enemy_dux for near in board.neighbours(target))
        return hits or bool(self.leg(board, square, target)[1])

    def is_in_melee(self, board: Board, square: Square, near: list[Square]) -> bool:
        """Return whether every enemy next to the soldier also has another piece of the soldier's side next to it."""
        return self.rules.soldier_locks == "melee" and all(
            any(board.is_of(friend, board.side) and friend != square for friend in board.neighbours(enemy))
            for enemy in near
        )

    def covered_sides(self, board: Board, square: Square) -> int:
        return 4 - sum(board.is_empty(near) for near in board.neighbours(square))

    # ---------------------------------------------------------------- marks

    def after_action(self, board: Board, mover: str) -> Board:
        if self.rules.capture_effect != "bind" or self.rules.marks == "kept":
            return board
        for _ in range(ROUNDS):
            before = board
            for side in (other(mover), mover):
                board = with_marks(board, side)
            if board.pieces == before.pieces:
                break
        return board

    # ---------------------------------------------------------------- legality and endings

    def is_forbidden(self, board: Board, move: str, after: Board) -> bool:
        return self.rules.blocking_own_dux == "illegal" and any(
            after.has_no_liberty(dux) for dux in after.squares_of(board.side, "D")
        )

    def has_won(self, board: Board, side: str) -> bool:
        rules, enemy = self.rules, other(side)
        if rules.dux_fate in ("captured", "immobilised"):
            duces = board.squares_of(enemy, "D")
            if not duces or any(board.has_no_liberty(dux) for dux in duces):
                return True
        if rules.fewest_judged == "placed" and board.hand:
            return False
        pieces = self.count(board, enemy) + in_hand(board, enemy, "SD" if rules.men_counted == "all" else "S")
        return pieces < rules.fewest_men

    def count(self, board: Board, side: str) -> int:
        return len(board.squares_of(side, "SBD" if self.rules.men_counted == "all" else "SB"))

    def most_pieces_win(self, reason: str) -> bool:
        return {"nocapture": self.rules.nocapture_result, "nomove": self.rules.no_move}[reason] == "most_men"


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def with_marks(board: Board, side: str) -> Board:
    """Return the board with the soldiers of one side marked as bound or free, given the marks of the other side."""
    free_enemies = ("s", "d") if side == WHITE else ("S", "D")
    pieces = dict(board.pieces)
    for square in board.squares_of(side, "SB"):
        bound = any(all(board.at(step(square, direction)) in free_enemies for direction in axis) for axis in AXES)
        letter = "B" if bound else "S"
        pieces[square] = letter if side == WHITE else letter.lower()
    return Board(board.files, board.ranks, pieces, board.side, board.nocapture, board.movenumber, board.hand)


def with_kept_marks(landing: Board, origin: Square, target: Square) -> Board:
    """Return the board after a landing, with the marks that it changes; all are judged with the marks before it."""
    mover = owner(landing.at(target))
    mine, theirs = ("SBD", "sbd") if mover == WHITE else ("sbd", "SBD")
    my_free, their_free = (mine[0], mine[2]), (theirs[0], theirs[2])
    released = {q for q, behind in beside(origin) if landing.at(q) == theirs[1] and landing.at(behind) in my_free}
    caught = {q for q, behind in beside(target) if landing.at(q) == theirs[0] and landing.at(behind) in my_free}
    freed = {
        w for q in caught for w, behind in beside(q) if landing.at(w) == mine[1] and landing.at(behind) in their_free
    }
    changed = dict.fromkeys(released, theirs[0]) | dict.fromkeys(caught, theirs[1]) | dict.fromkeys(freed, mine[0])
    return replace(landing, pieces=landing.pieces | changed)


def beside(square: Square) -> list[tuple[Square, Square]]:
    """Return the square next to a square, and the one behind it, in each direction."""
    return [(step(square, direction), step(step(square, direction), direction)) for direction in DIRECTIONS]
