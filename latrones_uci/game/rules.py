"""The rules of one variant on one board, compiled into tables and masks: moves, play, endings.

``encoding`` describes boards and moves. A move to a square outside ``targets`` (see ``captures``) is *quiet*:
``play_quiet`` makes it without searching for captures.
"""

from functools import lru_cache
from itertools import pairwise

from latrones_uci.game.captures import Captures
from latrones_uci.game.encoding import (
    BLACK,
    BLACK_TO_MOVE,
    BOUND,
    CHAIN,
    DUX,
    KILL,
    ONE_LEG,
    PASS,
    PLACE_DUX,
    SOLDIER,
    WHITE,
    Arrangement,
    Board,
    PackedMove,
    dux_in_hand,
    hand_key,
    kind_of,
    legs_of,
    path_of,
    piece_keys,
    soldiers_in_hand,
    square_of,
)
from latrones_uci.game.geometry import Geometry, geometry_of
from latrones_uci.game.movement import Movement
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED, LINE, TOO_FEW_PIECES
from latrones_uci.game.placement import Placement
from latrones_uci.game.ruleset import Ruleset, start_pieces


class Rules:
    """The compiled rules, immutable; ``rules_of`` returns shared instances."""

    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        """Compile ``ruleset`` for a board.

        Raises:
            BoardSizeError: the variant does not allow this board size.
        """
        ruleset.check_size(geometry.files, geometry.ranks)
        self.ruleset, self.geometry = ruleset, geometry
        self.wide, self.near, self.full = geometry.wide, geometry.near, geometry.full
        self.captures = Captures(ruleset, geometry)
        self.movement = Movement(ruleset, geometry, self.captures)
        self.placement = Placement(ruleset, geometry)
        self.binds = ruleset.capture_effect == "bind"
        self.passes = ruleset.no_move == "pass"
        self.forbids_repetition = ruleset.repetition == "illegal"
        self._keeps_marks = ruleset.marks == "kept"
        self._forces_chains = ruleset.capture_chain == "forced"
        self._binding = self.movement.binding
        self._victims = self.captures.victims
        self._own_dux_guarded = ruleset.blocking_own_dux == "illegal"
        self._dux_needs_open_side = ruleset.dux_needs_open_side
        self._may_block_own_dux = self._dux_needs_open_side and not self._own_dux_guarded
        self._duces_uncounted = int(ruleset.men_counted == "soldiers")
        self._line_jumps = ruleset.dux_jump == "line"
        self._filters_moves = self.movement.locks or self.movement.guards_entry
        self._countable = (self.movement.alike and self.movement.soldiers_slide and not self._filters_moves
                           and not self.binds)
        # Whether each piece has its moves to itself, and whether any step to an empty neighbour is one of them.
        self._has_single_legs = self.movement.chain == "none" and self.movement.soldier_jump != "chain"
        self._has_free_steps = not self.movement.locks
        self.piece_keys = piece_keys(geometry.files, geometry.ranks)
        # Indexed by two-square path: the change of `own`, and for each side the change of the key for soldier and dux.
        size = (geometry.squares - 1) * 257 + 1
        self.move_bits = [0] * size
        self.soldier_keys = ([0] * size, [0] * size)
        self.dux_keys = ([0] * size, [0] * size)
        for moves in geometry.run_moves.values():
            self._add_tables(moves[-1])
        for distance in self.movement.diagonals:
            for origin in range(geometry.squares):
                step = geometry.shifted(self.wide[origin] & geometry.base, distance)
                for landing in (step, geometry.shifted(step, distance)):
                    for to in geometry.squares_of(landing):
                        self._add_tables(origin | to << 8)

    def _add_tables(self, move: PackedMove) -> None:
        origin, to = move & 255, move >> 8
        self.move_bits[move] = self.wide[origin] ^ self.wide[to]
        for side in (WHITE, BLACK):
            for kind, tables in ((SOLDIER, self.soldier_keys), (DUX, self.dux_keys)):
                keys = self.piece_keys[kind + side]
                tables[side][move] = keys[origin] ^ keys[to] ^ BLACK_TO_MOVE

    # ---------------------------------------------------------------- positions

    def start(self) -> Board:
        ruleset, files, squares = self.ruleset, self.geometry.files, self.geometry.squares
        if ruleset.setup == "start":
            pieces = [piece for row in start_pieces(ruleset.start) for piece in row]
            sides = [sum(self.wide[square] for square, piece in enumerate(pieces) if piece and piece in letters)
                     for letters in ("SD", "sd")]
            white_dux, black_dux = (pieces.index(dux) if dux in pieces else -1 for dux in "Dd")
            return self.board((sides[WHITE], sides[BLACK]), (white_dux, black_dux), WHITE, 0, 0, 0)
        soldiers = ruleset.soldier_ranks * files
        on = [ruleset.array == "full" or (square // files + square % files) % 2 == 0 for square in range(squares)]
        white = sum(self.wide[square] for square in range(soldiers) if on[square])
        black = sum(self.wide[square] for square in range(squares - soldiers, squares) if on[square])
        duces = (-1, -1)
        if ruleset.dux in ("front", "first_rank"):
            rank = ruleset.soldier_ranks if ruleset.dux == "front" else 0
            file = files // 2
            duces = (rank * files + file, squares - 1 - rank * files - file)
            white, black = white | self.wide[duces[WHITE]], black | self.wide[duces[BLACK]]
        return self.board((white, black), duces, WHITE, 0, 0, self.placement.start())

    def board(
        self, pieces: tuple[int, int], duces: tuple[int, int], side: int, nocapture: int, bound: int, hand: int
    ) -> Board:
        """Return a board with its Zobrist key; ``pieces`` (wide sets) and ``duces`` are White's first, then Black's."""
        key = hand_key(hand) ^ (BLACK_TO_MOVE if side else 0)
        for colour in (WHITE, BLACK):
            for square in self.geometry.squares_of(pieces[colour]):
                kind = DUX if square == duces[colour] else BOUND if bound & self.wide[square] else SOLDIER
                key ^= self.piece_keys[kind + colour][square]
        return (pieces[side], pieces[side ^ 1], duces[side], duces[side ^ 1], side, key, nocapture, bound, hand)

    def lifted(self, before: Board, after: Board) -> list[int]:
        return self.geometry.squares_of(before[1] & ~after[before[4] == after[4]])

    # ---------------------------------------------------------------- moves

    def targets(self, board: Board) -> int:
        """Return ``Captures.targets``, plus the squares where a player can block its own dux if that is allowed."""
        own, opp, own_dux, opp_dux, _, _, _, _, _ = board
        empty = self.full ^ (own | opp)
        targets = self.captures.targets(own, opp, opp_dux, empty)
        if not self._may_block_own_dux or own_dux < 0:
            return targets
        blocking = self.near[own_dux] & empty
        if blocking & (blocking - 1):
            blocking = 0
        if self.ruleset.dux_jump != "none":
            blocking |= self.geometry.pockets(empty)  # a slide or step of the dux leaves an empty square behind it
        return targets | self.geometry.widen(blocking)

    def moves(self, board: Board, pieces: int = -1) -> list[PackedMove]:
        """Return all legal moves; the game must not be decided. That moves may not repeat positions does not apply.

        Args:
            board: the board.
            pieces: the squares of the pieces (a wide set) whose steps, slides and jumps are wanted; others may be left
                out.
        """
        moves = self._proper_moves(board, pieces)
        return moves if moves or not self.passes or pieces != -1 else [PASS]

    def _proper_moves(self, board: Board, pieces: int) -> list[PackedMove]:
        own, opp, own_dux, _, side, _, _, bound, hand = board
        if hand:
            return self.placement.moves(own | opp, hand, side)
        moves = self.movement.moves(board, pieces)
        if bound:
            moves += [KILL | square for square in self.geometry.squares_of(opp & bound)]
        if self._own_dux_guarded and own_dux >= 0:
            liberties = self.near[own_dux] & ~(own | opp)
            if not liberties & (liberties - 1):
                return self._keeping_dux_free(board, moves, liberties)
        return moves

    def is_legal(self, board: Board, move: PackedMove) -> bool:
        """Return whether a move is in ``moves(board)``, if possible from the moves of a single piece."""
        if move >= ONE_LEG or not self._has_single_legs:
            return move in self.moves(board)
        origin = move & 255
        return origin < self.geometry.squares and move in self.moves(board, self.wide[origin])

    def can_move(self, board: Board) -> bool:
        """Return whether ``moves(board)`` has a move, if possible without generating them."""
        if self.passes:
            return True
        own, opp, own_dux, _, _, _, _, bound, hand = board
        empty = self.full ^ (own | opp)
        if not hand:
            if self._filters_moves:  # no piece is locked without an enemy next to it
                base, around = self.geometry.base, self.geometry.around
                if self.movement.guards_entry:
                    empty &= ~self.geometry.between(opp)
                free = own & ~bound & (~around(opp & base) if self.movement.locks else -1) & around(empty & base)
            else:
                free = (own & ~bound) << 1 & empty
            liberties = self.near[own_dux] & empty
            if free and (own_dux < 0 or not self._own_dux_guarded or liberties & (liberties - 1)):
                return True
        return bool(self.moves(board))

    def tactical_moves(self, board: Board) -> list[PackedMove]:
        """Return the legal moves to ``targets``, and kills: all captures, all deciding moves, and a few more."""
        own, opp, own_dux, _, _, _, _, bound, hand = board
        if hand:
            return []
        moves = [KILL | square for square in self.geometry.squares_of(opp & bound)] if bound else []
        targets = self.targets(board)
        if targets:
            moves += self.movement.tactical_moves(board, targets)
        if moves and self._own_dux_guarded and own_dux >= 0:
            liberties = self.near[own_dux] & ~(own | opp)
            if not liberties & (liberties - 1):
                return self._keeping_dux_free(board, moves, liberties)
        return moves

    def count(self, board: Board) -> int:
        """Return ``len(self.moves(board))``, if possible without generating the moves."""
        own, opp, own_dux, _, _, _, _, _, hand = board
        if hand or not self._countable:
            return len(self.moves(board))
        empty = self.full ^ (own | opp)
        if own_dux >= 0:
            liberties = self.near[own_dux] & empty
            if self._own_dux_guarded and not liberties & (liberties - 1) or (
                self._line_jumps and self.movement.line_landings(own, opp, own_dux, empty)
            ):
                return len(self.moves(board))
        return (empty & ~(empty + (own << 1 & empty))).bit_count() or int(self.passes)

    def _keeping_dux_free(self, board: Board, moves: list[PackedMove], liberties: int) -> list[PackedMove]:
        """Return the moves that leave the mover's dux with an empty neighbour; it has ``liberties`` before the move."""
        wide, kept = self.wide, []
        for move in moves:
            if move >= ONE_LEG or not liberties or wide[move >> 8] & liberties:
                after = self.play(board, move)
                if not self.near[after[3]] & ~(after[0] | after[1]):
                    continue
            kept.append(move)
        return kept

    # ---------------------------------------------------------------- playing

    def play(self, board: Board, move: PackedMove) -> Board:
        """Return the board after a move, which must be legal except that it may block the mover's own dux."""
        if move >= ONE_LEG:
            return self._play_other(board, move)
        own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand = board
        own ^= self.move_bits[move]
        origin, to = move & 255, move >> 8
        if origin == own_dux:
            own_dux = to
            key ^= self.dux_keys[side][move]
        else:
            key ^= self.soldier_keys[side][move]
        if self.binds:
            after = (opp, own, opp_dux, own_dux, side ^ 1, key, nocapture + 1, bound, hand)
            if self._keeps_marks:
                duces = self.wide[own_dux] | self.wide[opp_dux]
                return self._with_marks(after, side, self._binding.landed(own, opp, bound, duces, origin, to))
            return self._marked(after, side)
        victims = self._victims(own, opp, opp_dux, origin, to)
        if not victims:
            return (opp, own, opp_dux, own_dux, side ^ 1, key, nocapture + 1, bound, hand)
        key ^= self._captured_key(victims, side ^ 1, opp_dux)
        if self.wide[opp_dux] & victims:
            opp_dux = -1
        return (opp ^ victims, own, opp_dux, own_dux, side ^ 1, key, int(self._forces_chains), bound, hand)

    def turned(self, board: Board) -> Board:
        """Return a board with the other player to move, as after a move that changes nothing and is not counted."""
        own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand = board
        return (opp, own, opp_dux, own_dux, side ^ 1, key ^ BLACK_TO_MOVE, nocapture, bound, hand)

    def play_quiet(self, board: Board, move: PackedMove) -> Board:
        """Return the same as ``play``, but only for a legal move that does not land on one of ``targets``."""
        if move >= ONE_LEG or self.binds:
            return self.play(board, move)
        own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand = board
        if move & 255 == own_dux:
            return (opp, own ^ self.move_bits[move], opp_dux, move >> 8,
                    side ^ 1, key ^ self.dux_keys[side][move], nocapture + 1, bound, hand)
        return (opp, own ^ self.move_bits[move], opp_dux, own_dux,
                side ^ 1, key ^ self.soldier_keys[side][move], nocapture + 1, bound, hand)

    def _play_other(self, board: Board, move: PackedMove) -> Board:
        if move >= CHAIN:
            return self._play_chain(board, move)
        own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand = board
        kind, square = kind_of(move), square_of(move)
        if kind == PASS:
            return (opp, own, opp_dux, own_dux, side ^ 1, key ^ BLACK_TO_MOVE, nocapture + 1, bound, hand)
        if kind == KILL:
            killed = self.wide[square]
            key ^= self.piece_keys[BOUND + (side ^ 1)][square] ^ BLACK_TO_MOVE
            after = (opp ^ killed, own, opp_dux, own_dux, side ^ 1, key, 0, bound ^ killed, hand)
            return after if self._keeps_marks else self._marked(after, side)
        own |= self.wide[square]
        key ^= self.piece_keys[(DUX if kind == PLACE_DUX else SOLDIER) + side][square] ^ hand_key(hand)
        hand = self.placement.hand_after(hand, side, kind)
        key ^= hand_key(hand)
        if kind == PLACE_DUX:
            own_dux = square
        if not self.placement.passes(hand, side, kind):
            return (own, opp, own_dux, opp_dux, side, key, 0, bound, hand)
        after = (opp, own, opp_dux, own_dux, side ^ 1, key ^ BLACK_TO_MOVE, 0, bound, hand)
        return self._marked(after, side) if self.binds and not self._keeps_marks and not hand else after

    def _play_chain(self, board: Board, move: PackedMove) -> Board:
        """Return the board after a path of several legs: hops, or legs that all capture except perhaps the last."""
        own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand = board
        path = path_of(move)
        is_dux = path[0] == own_dux
        keys = self.piece_keys[(DUX if is_dux else SOLDIER) + side]
        key ^= keys[path[0]] ^ keys[path[-1]] ^ BLACK_TO_MOVE
        captured, marks = 0, bound
        if self._keeps_marks:
            for origin, to in pairwise(path):
                own ^= self.wide[origin] ^ self.wide[to]
                duces = self.wide[own_dux] | self.wide[opp_dux]  # only soldiers hop several times
                marks = self._binding.landed(own, opp, marks, duces, origin, to)
        elif self.binds:
            own ^= self.wide[path[0]] ^ self.wide[path[-1]]
        else:
            for origin, to in pairwise(path):
                own ^= self.wide[origin] ^ self.wide[to]
                victims = self._victims(own, opp, opp_dux, origin, to)
                captured |= victims
                opp ^= victims
                key ^= self._captured_key(victims, side ^ 1, opp_dux)
                if self.wide[opp_dux] & victims:
                    opp_dux = -1
        if is_dux:
            own_dux = path[-1]
        plies = int(self._forces_chains) if captured else nocapture + 1
        after = (opp, own, opp_dux, own_dux, side ^ 1, key, plies, bound, hand)
        if self._keeps_marks:
            return self._with_marks(after, side, marks)
        return self._marked(after, side) if self.binds else after

    def _captured_key(self, victims: int, side: int, dux: int) -> int:
        soldiers, duces, key = self.piece_keys[SOLDIER + side], self.piece_keys[DUX + side], 0
        for square in self.geometry.squares_of(victims):
            key ^= duces[square] if square == dux else soldiers[square]
        return key

    def _marked(self, board: Board, mover: int) -> Board:
        """Return the board after an action by ``mover``, with the marks of bound soldiers judged anew."""
        duces = self.wide[board[2]] | self.wide[board[3]]
        return self._with_marks(board, mover, self._binding.updated(board[1], board[0], board[7], duces))

    def _with_marks(self, board: Board, mover: int, bound: int) -> Board:
        opp, own, opp_dux, own_dux, side, key, nocapture, before, hand = board
        if bound == before:
            return board
        for pieces, colour in ((own, mover), (opp, mover ^ 1)):
            free, marked = self.piece_keys[SOLDIER + colour], self.piece_keys[BOUND + colour]
            for square in self.geometry.squares_of(pieces & (bound ^ before)):
                key ^= free[square] ^ marked[square]
        return (opp, own, opp_dux, own_dux, side, key, nocapture, bound, hand)

    # ---------------------------------------------------------------- repetition

    def arrangement(self, board: Board) -> Arrangement:
        """Return the pieces, marks and hands of a board, without the side to move, with their key."""
        own, opp, own_dux, opp_dux, side, key, _, bound, hand = board
        if side == WHITE:
            return (key, own, opp, own_dux, opp_dux, bound, hand)
        return (key ^ BLACK_TO_MOVE, opp, own, opp_dux, own_dux, bound, hand)

    def arrangements(self, board: Board, move: PackedMove) -> list[Arrangement]:
        """Return the arrangement after each leg of a move; the first one counts as having occurred in the game."""
        return [self.arrangement(self.play(board, part)) for part in legs_of(move)]

    # ---------------------------------------------------------------- endings

    def decided(self, board: Board) -> int:
        """Return -1 if the pieces on the board mean a loss for the player to move, 1 for a win, else 0."""
        own, opp, own_dux, opp_dux, side, _, _, _, hand = board
        empty = self.full ^ (own | opp)
        if self._lost(own, own_dux, empty, hand, side):
            return -1
        return 1 if self._lost(opp, opp_dux, empty, hand, side ^ 1) else 0

    def decision(self, board: Board) -> str:
        """Return what decides a game (see ``outcome.DECISIONS``); the board must be decided."""
        own, opp, own_dux, opp_dux = board[:4]
        dux = own_dux if self.decided(board) < 0 else opp_dux
        if self._dux_needs_open_side and not self.near[dux] & (self.full ^ (own | opp)):
            return DUX_CAPTURED if dux < 0 else DUX_IMMOBILISED
        return TOO_FEW_PIECES

    def _lost(self, pieces: int, dux: int, empty: int, hand: int, side: int) -> bool:
        if self._dux_needs_open_side and not self.near[dux] & empty:
            return True  # also if the dux has been captured: near[-1] is empty
        if not self.ruleset.fewest_men or hand and self.ruleset.fewest_judged == "placed":
            return False
        placed = self.count_pieces(pieces, dux)
        if not hand:
            return placed < self.ruleset.fewest_men
        to_place = soldiers_in_hand(hand, side) + (0 if self._duces_uncounted else dux_in_hand(hand, side))
        return placed + to_place < self.ruleset.fewest_men

    def count_pieces(self, pieces: int, dux: int) -> int:
        """Return the number of pieces of a side on the board, as the ruleset counts them."""
        return (pieces.bit_count() >> 2) - (self._duces_uncounted if dux >= 0 else 0)

    def ending(self, how: str, board: Board) -> int:
        """Return the result for the player to move of an ending with the rule ``how``: -1 loss, 0 draw, 1 win."""
        if how == "draw":
            return 0
        if how == "loss":
            return -1
        own, opp, own_dux, opp_dux = board[:4]
        mine, theirs = self.count_pieces(own, own_dux), self.count_pieces(opp, opp_dux)
        if mine == theirs and self.ruleset.equal_men == "black":
            return 1 if board[4] == BLACK else -1
        return (mine > theirs) - (mine < theirs)


# ---------------------------------------------------------------- the wheel of rota

RIM = ("a1", "a2", "a3", "b3", "c3", "c2", "c1", "b1")
CENTRE = "b2"


class WheelRules(Rules):
    """The rules on the wheel of nine squares, where three in a line through the centre win.

    There are no captures, so only the steps and the win differ from the rules on a grid.
    """

    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        super().__init__(ruleset, geometry)
        rim, centre = [geometry.parse_square(name) for name in RIM], geometry.parse_square(CENTRE)
        spokes = [(square, centre) for square in rim]
        pairs = [*pairwise([*rim, rim[0]]), *spokes]
        self._steps: list[list[PackedMove]] = [[] for _ in range(geometry.squares)]
        for one, other in [*pairs, *((other, one) for one, other in pairs)]:
            self._steps[one].append(one | other << 8)
            self._add_tables(one | other << 8)
        self._has_single_legs = self._has_free_steps = False
        half = len(rim) // 2
        self._lines = [self.wide[rim[i]] | self.wide[rim[i + half]] | self.wide[centre] for i in range(half)]

    def targets(self, board: Board) -> int:
        """Return all squares, because any landing can complete a line."""
        return self.full

    def moves(self, board: Board, pieces: int = -1) -> list[PackedMove]:
        own, opp, _, _, side, _, _, _, hand = board
        if hand:
            return self.placement.moves(own | opp, hand, side)
        return [move for square in self.geometry.squares_of(own) for move in self._steps[square]
                if not (own | opp) & self.wide[move >> 8]]

    def tactical_moves(self, board: Board) -> list[PackedMove]:
        return [move for move in self.moves(board) if self.decided(self.play(board, move))]

    def count(self, board: Board) -> int:
        return len(self.moves(board))

    def decided(self, board: Board) -> int:
        own, opp = board[:2]
        if any(opp & line == line for line in self._lines):
            return -1
        return 1 if any(own & line == line for line in self._lines) else 0

    def decision(self, board: Board) -> str:
        return LINE


@lru_cache(maxsize=32)
def rules_of(ruleset: Ruleset, files: int, ranks: int) -> Rules:
    """Return the compiled rules of a variant on a board; all its positions share one instance.

    Raises:
        BoardSizeError: the variant does not allow this board size.
    """
    kind = WheelRules if ruleset.board == "wheel" else Rules
    return kind(ruleset, geometry_of(files, ranks))
