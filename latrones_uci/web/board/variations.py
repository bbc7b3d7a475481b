"""The variations of a game: lines that differ from the played moves."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, TypeVar

from latrones_uci.game import Game, Geometry, LatronesError, Move, Position
from latrones_uci.game.algebraic import render_algebraic
from latrones_uci.game.history import push_parsed
from latrones_uci.records.annotation import parse_judgement
from latrones_uci.records.pgn_read import (
    DEEPEST_VARIATION,
    GLYPHS,
    Mark,
    PgnGame,
    PgnMove,
    parse_mark,
    parse_marks,
    parse_search,
)
from latrones_uci.records.pgn_write import WrittenMove, render_marks
from latrones_uci.text.messages import printable, quoted
from latrones_uci.web.lib.notation import Json, ply_data
from latrones_uci.web.lib.page_server import RefusedError

MAX_MOVES = 1000
_MAX_COMMENT, _MAX_MARKS = 2000, 64
_NUMBER_OF_SIGN = {sign: glyph for glyph, sign in GLYPHS.items()}
_Item = TypeVar("_Item")


@dataclass
class Note:
    """The annotation of a move."""

    sign: str = ""
    """A sign such as ``?``."""
    comment: str = ""
    """The comment from a PGN text."""
    marks: tuple[Mark, ...] = ()
    """Arrows and marked squares."""
    judgement: str = ""
    """A comment in the format of ``latrones-uci analyse``, from a review or a PGN text."""
    lead: str = ""
    """The comment before the move, if it is the first of a variation."""
    others: tuple[str, ...] = ()
    """Further glyphs of a PGN text, which the page does not show."""

    @classmethod
    def of_text(cls, comment: str) -> "Note":
        """Return the note for a comment from a PGN text."""
        marks, comment = parse_marks(comment)
        judgement, rest = parse_judgement(comment)
        if judgement is None:
            return cls("", visible_comment(parse_search(comment)[2]), marks)
        judged = comment.removesuffix(rest)
        return cls("", visible_comment(rest), marks, visible_comment(judged).removesuffix(";"))

    @classmethod
    def of_move(cls, move: PgnMove, is_played: bool) -> "Note":
        """Return the note on a move of a PGN text; if it ``is_played`` in the game, its search is kept elsewhere."""
        note, others = cls.of_text(move.comment), list(move.glyphs)
        if not is_played and not note.judgement:
            marks, said = parse_marks(move.comment)
            note = cls("", visible_comment(said), marks)
        if move.sign:
            others.remove(_NUMBER_OF_SIGN[move.sign])
        return replace(note, sign=move.sign, lead=visible_comment(move.starting_comment), others=tuple(others))

    def joined(self, other: "Note") -> "Note":
        """Return what both notes say of one move; where only one can be kept, what this one says.

        The comment before ``other``'s move becomes a part of the comment.
        """
        comments = dict.fromkeys((self.comment, other.lead, other.comment))
        return Note(self.sign or other.sign, " ".join(filter(None, comments)), _both(self.marks, other.marks),
                    self.judgement or other.judgement, self.lead, _both(self.others, other.others))

    def after(self, search: str) -> str:
        """Return the whole comment on a move of a game; the player's ``search`` takes the place of a judgement."""
        said = " ".join(filter(None, (render_marks(self.marks), self.comment)))
        return "; ".join(filter(None, (self.judgement or search, said)))

    def data(self) -> Json:
        """Return what the page shows of the note as JSON data."""
        marks = {"marks": list(map(str, self.marks))} if self.marks else {}
        return {"sign": self.sign, "comment": self.comment, **({"lead": self.lead} if self.lead else {}), **marks}

    @property
    def glyph(self) -> str:
        """The sign and further ones as PGN glyphs, empty for none."""
        return " ".join(filter(None, (_NUMBER_OF_SIGN.get(self.sign, ""), *self.others)))


def _both(first: tuple[_Item, ...], second: tuple[_Item, ...]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys((*first, *second)))


@dataclass(eq=False)
class Node:
    """A move of a variation."""

    number: int
    """Its key."""
    at: int
    """Number of plies of the game before the variation leaves it."""
    parent: "Node | None"
    """The previous move of the variation, None for its first move."""
    before: Position
    move: Move
    after: Position
    """The move, and the positions before and after it."""
    over: bool
    """Whether the game is over after it."""
    note: Note = field(default_factory=Note)
    """Its annotation."""
    score: int | str | None = None
    """White's score after it, where a search has found one."""
    children: list["Node"] = field(default_factory=list)
    """The next moves; the first of them continues the variation."""

    def line(self) -> list["Node"]:
        """Return the moves of the variation up to this one."""
        found = [self]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return found[::-1]

    def family(self) -> Iterator["Node"]:
        """Yield the move and all moves after it; a move comes after its parent."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def data(self) -> Json:
        """Return the move as JSON data."""
        return {**ply_data(self.before, self.after, self.move), "id": self.number, "at": self.at,
                "parent": None if self.parent is None else self.parent.number, "mover": self.before.side,
                "number": self.before.movenumber, "note": render_algebraic(self.before, self.after, self.move),
                "over": self.over, "score": self.score, **self.note.data()}


class Spot(NamedTuple):
    """A place in a game and its variations: after ``ply`` plies of the game, or after a move of a variation."""

    ply: int
    node: Node | None = None


class Variations:
    """The variations of one game, without the game's own moves. Call ``follow`` when these change.

    A move that is not there, or cannot be added, raises ``RefusedError``.
    """

    def __init__(self) -> None:
        """Create an empty set of variations."""
        self.notes: dict[int, Note] = {}
        """The notes on the moves of the game, by ply from 0; that on the start position is at -1."""
        self._first: dict[int, list[Node]] = {}  # first moves of variations by the ply where they leave the game
        self._nodes: dict[int, Node] = {}
        self._given = 0  # the number of the last node

    def __bool__(self) -> bool:
        """Return whether there is a variation or a note."""
        return bool(self._nodes or self.notes)

    def find(self, number: int) -> Node:
        """Return a move by its number."""
        if number not in self._nodes:
            raise RefusedError("this variation is no longer there")
        return self._nodes[number]

    def has(self, node: Node) -> bool:
        """Return whether a move still exists."""
        return self._nodes.get(node.number) is node

    @staticmethod
    def game_at(game: Game, spot: Spot) -> Game:
        """Return the game up to a spot."""
        if spot.node is None:
            return game.up_to(spot.ply)
        part = game.up_to(spot.node.at)
        for node in spot.node.line():
            push_parsed(part, node.move)
        return part

    def add(self, game: Game, part: Game, spot: Spot, move: Move) -> Spot:
        """Play a legal move on ``part``, the game up to ``spot``, and return where it leads.

        If the game or a variation continues with this move, the result is there; otherwise, the move starts a new
        variation.
        """
        if part.outcome() is not None:
            raise RefusedError("the game is over here")
        push_parsed(part, move)
        if spot.node is None and spot.ply < len(game.moves) and game.moves[spot.ply] == move:
            return Spot(spot.ply + 1)
        beside = self._beside(spot)
        known = next((node for node in beside if node.move == move), None)
        if known is None:
            if len(self._nodes) >= MAX_MOVES:
                raise RefusedError(f"the variations of a game can have {MAX_MOVES} moves; delete some")
            if _depth(spot.node) >= DEEPEST_VARIATION - 2:
                raise RefusedError("variations are nested too deeply here")
            self._given += 1
            at = spot.ply if spot.node is None else spot.node.at
            over = part.outcome() is not None
            known = Node(self._given, at, spot.node, part.positions[-2], move, part.position, over)
            self._nodes[known.number] = known
            beside.append(known)
        return Spot(known.at, known)

    def _beside(self, spot: Spot) -> list[Node]:
        return self._first.setdefault(spot.ply, []) if spot.node is None else spot.node.children

    def siblings(self, node: Node) -> list[Node]:
        """Return the variation moves in the same position, the main one first."""
        return self._beside(Spot(node.at, node.parent))

    def promote(self, node: Node) -> Node | None:
        """Move a variation ahead of the line that it leaves; return the move that moved up, None if none did.

        A variation that leaves the game moves up one place among the variations there. If it is already the first of
        them, nothing moves.
        """
        for one in reversed(node.line()):
            beside = self.siblings(one)
            if (place := beside.index(one)) > 0:
                beside[place - 1], beside[place] = beside[place], beside[place - 1]
                return one
        return None

    def exchange(self, game: Game, first: Node) -> list[Move]:
        """Make a variation part of the game, and the moves that it replaces a variation.

        Args:
            game: the game so far.
            first: the first move of the variation.

        Returns:
            The moves of the variation, which the game must now have after ``first.at`` plies.
        """
        beside = self._first[first.at]
        place, beside_later = beside.index(first), {ply: self._first.pop(ply) for ply in list(self._first)
                                                    if ply > first.at}
        notes = {ply: self.notes.pop(ply) for ply in list(self.notes) if ply >= first.at}
        beside.pop(place)
        self._replaced(game, first.at, beside, place, beside_later, notes)
        moves, node, ply = list[Move](), first, first.at
        while True:
            del self._nodes[node.number]
            moves.append(node.move)
            self._note_game(ply, node.note)
            ply += 1
            for child in node.children[1:]:
                self._move_root(child, None, ply)
            self._first[ply] = node.children[1:]
            if not node.children:
                return moves
            node = node.children[0]

    def _replaced(
        self, game: Game, at: int, beside: list[Node], place: int, beside_later: dict[int, list[Node]],
        notes: dict[int, Note],
    ) -> None:
        """Make the moves of the game after ``at`` plies a variation that includes the variations leaving them."""
        parent: Node | None = None
        for ply in range(at, len(game.moves)):
            self._given += 1
            node = Node(self._given, at, parent, game.positions[ply], game.moves[ply], game.positions[ply + 1],
                        game.up_to(ply + 1).outcome() is not None, notes.get(ply, Note()))
            self._nodes[node.number] = node
            beside.insert(place, node)
            for other in beside_later.pop(ply + 1, []):
                self._move_root(other, node, at)
                node.children.append(other)
            beside, place, parent = node.children, 0, node

    @staticmethod
    def _move_root(root: Node, parent: Node | None, at: int) -> None:
        root.parent = parent
        for node in root.family():
            node.at = at

    def delete(self, node: Node) -> None:
        """Delete a move and all moves after it."""
        self.siblings(node).remove(node)
        for one in node.family():
            del self._nodes[one.number]

    def follow(self, game: Game) -> None:
        """Update the variations after a move or an undo in the game.

        Variations after undone moves are dropped. If a variation begins with the move just played, its note becomes
        that on the move, and the rest of it becomes variations after that move.
        """
        plies = len(game.moves)
        for ply in [ply for ply in self._first if ply > plies]:
            for node in list(self._first[ply]):
                self.delete(node)
        self.notes = {ply: note for ply, note in self.notes.items() if ply < plies}
        played = next((node for node in self._first.get(plies - 1, []) if node.move == game.moves[-1]), None)
        if played is not None:
            self._first[plies - 1].remove(played)
            del self._nodes[played.number]
            self._note_game(plies - 1, played.note)
            for child in played.children:
                self._move_root(child, None, plies)
                self._beside(Spot(plies)).append(child)

    def _note_game(self, ply: int, note: Note) -> None:
        """Add a note to that on a move of the game, by ply from 0."""
        if (whole := self.notes.get(ply, Note()).joined(note)) != Note():
            self.notes[ply] = whole

    def data(self) -> Json:
        """Return variations and notes as JSON data; each move comes after its parent."""
        return {"given": self._given, "nodes": [node.data() for ply in sorted(self._first) for first in self._first[ply]
                          for node in first.family()],
                "notes": {str(ply): note.data() for ply, note in self.notes.items()}}

    def judge(self, judgements: Sequence[tuple[str, str]]) -> None:
        """Add the signs and judgements of a review to the notes on the game, replacing those of an earlier review."""
        for ply, (sign, judgement) in enumerate(judgements):
            old = self.notes.get(ply, Note())
            self.notes[ply] = replace(old, sign=sign or ("" if old.judgement else old.sign), judgement=judgement)

    def note_at(self, spot: Spot) -> Note:
        """Return the note on the position at a spot, an empty one if there is none."""
        return self.notes.get(spot.ply - 1, Note()) if spot.node is None else spot.node.note

    def annotate(self, spot: Spot, note: Note) -> None:
        """Set the note on the position at a spot, which is that on the move that leads there."""
        if spot.node is not None:
            spot.node.note = note
        elif note == Note():
            self.notes.pop(spot.ply - 1, None)
        else:
            self.notes[spot.ply - 1] = note

    # ---------------------------------------------------------------- PGN

    def graft(self, game: Game, recorded: PgnGame) -> None:
        """Add the variations, glyphs, comments and marks of a game of a PGN text whose moves are those of the game.

        Raises:
            LatronesError: a move is not legal.
            RefusedError: there are too many moves.
        """
        self.annotate(Spot(0), Note.of_text(recorded.comment))
        for ply, move in enumerate(recorded.moves):
            self._note_game(ply, Note.of_move(move, is_played=True))
            for variation in move.variations:
                self._graft_line(game, game.up_to(ply), Spot(ply), variation)

    def _graft_line(self, game: Game, part: Game, spot: Spot, moves: Sequence[PgnMove]) -> None:
        for recorded in moves:
            here, before = spot, part.copy() if recorded.variations else part
            spot = self.add(game, part, here, recorded.move_in(part.position))
            note = Note.of_move(recorded, is_played=False)
            if spot.node is None:
                self._note_game(spot.ply - 1, note)
            else:
                spot.node.note = note if spot.node.note == Note() else spot.node.note.joined(note)
            for variation in recorded.variations:
                self._graft_line(game, before.copy(), here, variation)

    def written(self, main: Sequence[WrittenMove]) -> list[WrittenMove]:
        """Return the moves of the game with their glyphs and variations, ready to be written.

        A variation after the last move is written as a variation that repeats that move.
        """
        moves = []
        for ply, move in enumerate(main):
            lines = _written_lines(self._first.get(ply, []))
            if ply == len(main) - 1 and (after := self._first.get(ply + 1, [])):
                again = WrittenMove(move.side, move.movenumber, move.text, "")
                lines += ((again, *_written_line(after[0], after[1:], begins=False)),)
            glyph = self.notes[ply].glyph if ply in self.notes else move.glyph
            moves.append(WrittenMove(move.side, move.movenumber, move.text, move.comment, glyph, lines))
        return moves


def _depth(node: Node | None) -> int:
    """Return the nesting depth of the variation of a move."""
    if node is None:
        return 0
    line = node.line()
    return sum(bool(before.children) and before.children[0] is not after
               for before, after in pairwise(line)) + 1


def _written_lines(firsts: Sequence[Node]) -> tuple[tuple[WrittenMove, ...], ...]:
    return tuple(_written_line(first, ()) for first in firsts)


def _written_line(first: Node, others: Sequence[Node], begins: bool = True) -> tuple[WrittenMove, ...]:
    """Return a variation, or unless it ``begins`` there the rest of one; ``others`` are alternatives to ``first``."""
    found, node, beside = list[WrittenMove](), first, list(others)
    while True:
        note = node.note if begins else Note().joined(node.note)
        found.append(WrittenMove(
            node.before.side, node.before.movenumber, node.move, note.after(""),
            note.glyph, _written_lines(beside), note.lead))
        begins = False
        if not node.children:
            return tuple(found)
        node, *beside = node.children


def read_note(sign: str, comment: str, marks: str, geometry: Geometry) -> Note:
    """Return the note that a user has written.

    Raises:
        RefusedError: the sign is unknown, the comment is too long or cannot be written as PGN, or a mark is not on the
            board.
    """
    if sign and sign not in _NUMBER_OF_SIGN:
        raise RefusedError(f"sign {quoted(sign)}: expected one of {', '.join(_NUMBER_OF_SIGN)}, or none")
    if len(comment) > _MAX_COMMENT:
        raise RefusedError(f"comment of {len(comment)} characters: expected at most {_MAX_COMMENT}")
    if "}" in comment:
        raise RefusedError("comment with '}': it would end there in PGN; expected another sign, such as ')'")
    texts = marks.replace(",", " ").split()
    if len(texts) > _MAX_MARKS:
        raise RefusedError(f"{len(texts)} marks: expected at most {_MAX_MARKS}")
    inside, said = parse_marks(" ".join(comment.split()))
    return Note(sign, visible_comment(said), tuple(dict.fromkeys(
        (*(_read_mark(text, geometry) for text in (*texts, *map(str, inside))),))))


def _read_mark(text: str, geometry: Geometry) -> Mark:
    mark = parse_mark(text)
    try:
        for name in re.findall("[a-z][0-9]+", "" if mark is None else mark.squares):
            geometry.parse_square(name)
    except LatronesError as error:
        raise RefusedError(f"mark {quoted(text)}: {error}") from error
    if mark is None:
        raise RefusedError(f"mark {quoted(text)}: expected a square such as b3, or the two of an arrow such as a1a2,"
                           " after G, R, Y, B or nothing")
    return mark


def visible_comment(text: str) -> str:
    """Return a comment for display: without control characters."""
    return printable(text, " ").strip()
