"""Nets with random weights, and a slow correction that follows docs/nets.md word by word."""

from __future__ import annotations

import random
from array import array

from latrones_uci.engine.nets.file import Layout, Net, Orientation, evaluation_digest
from latrones_uci.game import Position, Ruleset


def random_net(
    ruleset: Ruleset,
    size: tuple[int, int] | None = None,
    seed: int = 1,
    hidden: int = 32,
    limits: tuple[int, ...] = (9, 17),
    orientation: Orientation | None = None,
    least_men: int = 0,
    dux_sides: bool = True,
) -> Net:
    """Return a net of a game on its usual board, with weights that use all of the range."""
    rng = random.Random(seed)
    files, ranks = size or ruleset.default_size
    layout = Layout.of(ruleset, files, ranks, dux_sides)
    if orientation is None:
        orientation = Orientation.DUX if layout.dux_row >= 0 else Orientation.SIDE
    most = 30_000 // (layout.squares * (5 if layout.threat_row >= 0 else 1) + 8)
    buckets = len(limits) + 1
    greatest = min(2**31 // (256 * 256) // hidden, 32_000) // 2

    def numbers(count: int, bound: int) -> array[int]:
        return array("h", [rng.randint(-bound, bound) for _ in range(count)])

    return Net(
        layout, evaluation_digest(ruleset), orientation, f"random net {seed} of {ruleset.name}", hidden, 255,
        rng.randint(2**10, 2**14), limits, numbers(layout.inputs * hidden, most), numbers(hidden, most),
        numbers(2 * buckets * hidden, greatest), tuple(rng.randint(-(10**6), 10**6) for _ in range(buckets)),
        least_men,
    )


def threats(position: Position, side: int) -> list[tuple[int, int]]:
    """Return the pieces that a slide or step of a side threatens, each with the square of the landing."""
    ruleset, files, ranks = position.ruleset, position.geometry.files, position.geometry.ranks
    own, other = ("SD", "sd") if side == 0 else ("sd", "SD")
    corners = {(file, rank) for file in (0, files - 1) for rank in (0, ranks - 1)} if ruleset.hostile_corners else set()

    def at(square: tuple[int, int]) -> str:
        file, rank = square
        if not (0 <= file < files and 0 <= rank < ranks):
            return "edge"
        return position.piece_at(rank * files + file) or "empty"

    def prey(square: tuple[int, int]) -> bool:
        spared = ruleset.dux_fate != "ordinary" and ruleset.custodian == "one"
        return at(square) in other[: 1 if spared else 2] and square not in corners

    def steps(square: tuple[int, int], way: tuple[int, int]) -> bool:
        """Whether a piece of the side moves to an empty square in this direction."""
        file, rank = square
        for distance in range(1, max(files, ranks)):
            piece = at((file - distance * way[0], rank - distance * way[1]))
            if piece in own:
                gait = ruleset.soldier_move if piece in "Ss" else ruleset.dux_move
                return gait == "slide" or (gait == "step" and distance == 1)
            if piece != "empty":
                return False
        return False

    found = []
    ways = ((1, 0), (-1, 0), (0, 1), (0, -1))
    for file in range(files):
        for rank in range(ranks):
            for way in ways if at((file, rank)) == "empty" and ruleset.custodian != "none" else ():
                behind = [(file - distance * way[0], rank - distance * way[1]) for distance in range(1, 16)]
                run = next(number for number, square in enumerate(behind) if not prey(square))
                run = min(run, 1) if ruleset.custodian == "one" else run
                flanked = run and (at(behind[run]) in own or behind[run] in corners)
                if flanked and any(steps((file, rank), each) for each in ways):
                    victim, landing = (f + r * files for f, r in (behind[0], (file, rank)))
                    found.append((victim, landing))
    return found


def open_sides(position: Position, square: int) -> int:
    """Return the number of empty squares next to a square."""
    files, ranks = position.geometry.files, position.geometry.ranks
    rank, file = divmod(square, files)
    near = ((file + 1, rank), (file - 1, rank), (file, rank + 1), (file, rank - 1))
    return sum(0 <= f < files and 0 <= r < ranks and not position.piece_at(r * files + f) for f, r in near)


def slow_correction(position: Position, net: Net) -> int:
    """Return the correction, from the text of the position and the description of the inputs alone."""
    files, ranks = position.geometry.files, position.geometry.ranks
    squares, layout = files * ranks, net.layout
    mover = position.side

    def image(square: int, kind: int) -> int:
        """One of the eight symmetries: of the files, of the ranks, and of the diagonal."""
        rank, file = divmod(square, files)
        file = files - 1 - file if kind & 1 else file
        rank = ranks - 1 - rank if kind & 2 else rank
        return file * files + rank if kind & 4 else rank * files + file

    def inputs(side: int) -> set[int]:
        pieces = [(square, letter) for square in range(squares) if (letter := position.piece_at(square))]
        dux = next((square for square, letter in pieces if letter == "Dd"[side]), None)
        if net.orientation == Orientation.DUX and dux is not None:
            kinds = range(8 if files == ranks else 4)
            lowest = min(image(dux, kind) for kind in kinds)
            # The diagonal is the last resort, then the ranks, then the files.
            order = [0, 1, 2, 3, 4, 6, 5, 7]
            turn = min((kind for kind in kinds if image(dux, kind) == lowest), key=order.index)
        else:
            turn = 3 if side else 0
        found = set()
        for square, letter in pieces:
            owner = int(letter.isupper() == bool(side))
            first = {"s": 0, "d": layout.dux_row, "b": layout.bound_row}[letter.lower()]
            found.add(first + owner * squares + image(square, turn))
        for letter, count in position.hand.items():
            owner = int(letter.isupper() == bool(side))
            if letter in "Ss":
                found.add(layout.hand_row + owner * layout.hand + count - 1)
            else:
                found.add(layout.hand_dux_row + owner)
        if layout.dux_sides_row >= 0:
            for owner in (0, 1):
                for square, letter in pieces:
                    if letter == "Dd"[side ^ owner]:
                        found.add(layout.dux_sides_row + 5 * owner + open_sides(position, square))
        for owner in (0, 1):
            for victim, landing in threats(position, side ^ owner):
                ways = {1: 0, -1: 1, files: 2, -files: 3}
                direction = ways[image(landing, turn) - image(victim, turn)]
                found.add(layout.threat_row + (4 * owner + direction) * squares + image(victim, turn))
        return found

    men = sum(bool(position.piece_at(square)) for square in range(squares)) + sum(position.hand.values())
    bucket = sum(men >= limit for limit in net.limits)
    total = net.output_biases[bucket]
    for view, side in enumerate((mover, 1 - mover)):
        rows = inputs(side)
        for unit in range(net.hidden):
            value = net.biases[unit] + sum(net.weights[row * net.hidden + unit] for row in rows)
            activation = min(max(value, 0), net.clip) ** 2 // 2
            total += activation * net.outputs[(2 * bucket + view) * net.hidden + unit]
    return min(max(total * net.multiplier // 2**32, -18_999), 18_999)
