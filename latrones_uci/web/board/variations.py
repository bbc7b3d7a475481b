"""The moves of a game and its variations in one tree, and what is said about them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, repeat
from typing import TypeVar

from latrones_uci.game import Game, Geometry, LatronesError, Move, Position
from latrones_uci.game.history import push_parsed
from latrones_uci.game.position import algebraic_text
from latrones_uci.records.annotation import parse_judgement
from latrones_uci.records.pgn_read import (
    DEEPEST_VARIATION,
    GLYPH_OF,
    GLYPHS,
    Mark,
    PgnGame,
    PgnMove,
    parse_mark,
    parse_marks,
    parse_search,
)
from latrones_uci.records.pgn_write import render_marks
from latrones_uci.text.messages import printable, quoted
from latrones_uci.web.lib.notation import Json, ply_data
from latrones_uci.web.lib.page_server import RefusedError

MAX_MOVES = 1000
_MAX_COMMENT, _MAX_MARKS = 2000, 64
_Item = TypeVar("_Item")


@dataclass
class Annotation:
    """What is said about a move, besides its search."""

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
    def of_text(cls, comment: str) -> "Annotation":
        marks, comment = parse_marks(comment)
        judgement, rest = parse_judgement(comment)
        if judgement is None:
            return cls("", visible_comment(parse_search(comment)[2]), marks)
        judged = comment.removesuffix(rest)
        return cls("", visible_comment(rest), marks, visible_comment(judged).removesuffix(";"))

    @classmethod
    def of_move(cls, move: PgnMove, is_played: bool) -> "Annotation":
        """Return the note on a move of a PGN text; if it ``is_played`` in the game, its search is kept elsewhere."""
        note, others = cls.of_text(move.comment), list(move.glyphs)
        if not is_played and not note.judgement:
            marks, said = parse_marks(move.comment)
            note = cls("", visible_comment(said), marks)
        if move.sign:
            others.remove(GLYPH_OF[move.sign])
        return replace(note, sign=move.sign, lead=visible_comment(move.starting_comment), others=tuple(others))

    def joined(self, other: "Annotation") -> "Annotation":
        """Return what both notes say of one move; where only one can be kept, what this one says.

        The comment before ``other``'s move becomes a part of the comment.
        """
        comments = dict.fromkeys((self.comment, other.lead, other.comment))
        return Annotation(self.sign or other.sign, " ".join(filter(None, comments)), _both(self.marks, other.marks),
                          self.judgement or other.judgement, self.lead, _both(self.others, other.others))

    def after(self, search: str) -> str:
        """Return the whole comment on a move of a game; the player's ``search`` takes the place of a judgement."""
        said = " ".join(filter(None, (render_marks(self.marks), self.comment)))
        return "; ".join(filter(None, (self.judgement or search, said)))

    def data(self) -> Json:
        marks = {"marks": list(map(str, self.marks))} if self.marks else {}
        return {"sign": self.sign, "comment": self.comment, **({"lead": self.lead} if self.lead else {}), **marks}

    @property
    def glyphs(self) -> list[str]:
        return [*([GLYPH_OF[self.sign]] if self.sign else ()), *self.others]


def _both(first: tuple[_Item, ...], second: tuple[_Item, ...]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys((*first, *second)))


@dataclass(eq=False, repr=False)
class GameNode:
    """A move of the game or of a variation, and the position after it; the first node is the start position."""

    position: Position
    move: Move
    """The move that leads there, empty at the start."""
    previous: "GameNode | None" = None
    """The position before the move, None at the start."""
    over: bool = False
    """Whether it ends a variation by the rules."""
    number: int = 0
    """Its key on the page; 0 for the start and the moves of the game."""
    note: Annotation = field(default_factory=Annotation)
    score: int | str | None = None
    """White's score after it, where a search has found one."""
    children: list["GameNode"] = field(default_factory=list)
    """The next moves; the first of them continues the game or the variation."""
    ply: int = field(init=False)
    """The number of moves before the position."""

    def __post_init__(self) -> None:
        self.ply = 0 if self.previous is None else self.previous.ply + 1

    @property
    def parent(self) -> "GameNode":
        """The position before the move; the start has none."""
        assert self.previous is not None
        return self.previous

    @property
    def root(self) -> "GameNode":
        """The last move of the game before it; a move of the game itself."""
        node = self
        while node.number:
            node = node.parent
        return node

    def line(self) -> list["GameNode"]:
        """Return the moves of the variation up to this one, none for a move of the game."""
        found, node = list["GameNode"](), self
        while node.number:
            found.append(node)
            node = node.parent
        return found[::-1]

    def family(self) -> Iterator["GameNode"]:
        """Yield the move and all moves after it; a move comes after its parent."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def played_on(self, game: Game) -> Game:
        part = game.up_to(self.root.ply)
        for node in self.line():
            push_parsed(part, node.move)
        return part

    def data(self, at: int) -> Json:
        """Return a move of a variation that leaves the game after ``at`` plies as JSON data."""
        before = self.parent.position
        return {**ply_data(before, self.position, self.move), "id": self.number, "at": at,
                "parent": self.parent.number or None, "mover": before.side, "number": before.movenumber,
                "note": algebraic_text(before, self.position, self.move), "over": self.over,
                "score": self.score, **self.note.data()}

    def to_pgn(self, beside: Iterable["GameNode"], search: str = "", begins: bool = False) -> PgnMove:
        """Return the move with its annotation, and with the variations that begin ``beside`` it.

        Only a move that ``begins`` a variation can have a comment before it.
        """
        note, before = self.note if begins else Annotation().joined(self.note), self.parent.position
        return PgnMove(
            str(self.move), comment=note.after(search), glyphs=note.glyphs, starting_comment=note.lead,
            side=before.side, movenumber=before.movenumber,
            variations=[_line_to_pgn(first) for first in beside])


class Variations:
    """The moves of a game, and the variations that leave it. Call ``follow`` when the game changes.

    A move that is not there, or cannot be added, raises ``RefusedError``.
    """

    def __init__(self, game: Game) -> None:
        self.played = [GameNode(game.start, Move("", 0, 0))]
        """The start position, and the position after each move of the game."""
        self._nodes: dict[int, GameNode] = {}  # the moves of the variations
        self._given = 0  # the number of the last node
        self.follow(game)

    def __bool__(self) -> bool:
        return bool(self._nodes) or any(node.note != Annotation() for node in self.played)

    @property
    def notes(self) -> dict[int, Annotation]:
        """The notes on the moves of the game, by ply from 0; that on the start position is at -1."""
        return {node.ply - 1: node.note for node in self.played if node.note != Annotation()}

    def find(self, number: int) -> GameNode:
        if number not in self._nodes:
            raise RefusedError("this variation is no longer there")
        return self._nodes[number]

    def has(self, node: GameNode) -> bool:
        return self._nodes.get(node.number) is node

    def add(self, part: Game, node: GameNode, move: Move) -> GameNode:
        """Play a legal move on ``part``, the game up to ``node``, and return where it leads.

        If the game or a variation continues with this move, that is the result; otherwise it starts a new variation.
        """
        if part.outcome() is not None:
            raise RefusedError("the game is over here")
        push_parsed(part, move)
        known = next((child for child in node.children if child.move == move), None)
        if known is None:
            if len(self._nodes) >= MAX_MOVES:
                raise RefusedError(f"the variations of a game can have {MAX_MOVES} moves; delete some")
            if _depth(node) >= DEEPEST_VARIATION - 2:
                raise RefusedError("variations are nested too deeply here")
            known = GameNode(part.position, move, node, part.outcome() is not None)
            self._register(known)
            node.children.append(known)
        return known

    def _register(self, node: GameNode) -> None:
        self._given += 1
        node.number = self._given
        self._nodes[node.number] = node

    def promote(self, node: GameNode) -> bool:
        """Move a variation ahead of the line that it leaves, and return whether one moved up.

        A variation that leaves the game moves up one place among the variations there. If it is already the first of
        them, nothing moves.
        """
        for one in reversed(node.line()):
            beside = one.parent.children
            place = beside.index(one)
            if place > (beside[0].number == 0):  # nothing is before the move of the game
                beside[place - 1], beside[place] = beside[place], beside[place - 1]
                return True
        return False

    def exchange(self, first: GameNode) -> list[Move]:
        """Make a variation part of the game, and the moves that it replaces a variation.

        Args:
            first: the first move of the variation.

        Returns:
            The moves of the variation, which the game must now have after it has left the moves replaced.
        """
        at = first.root.ply
        replaced, self.played = self.played[at + 1:], self.played[:at + 1]
        for node in replaced:
            self._register(node)
        beside = first.parent.children
        beside.insert(0, beside.pop(beside.index(first)))
        node = first
        while True:
            self._play(node)
            if not node.children:
                return [node.move for node in self.played[at + 1:]]
            node = node.children[0]

    def _play(self, node: GameNode) -> None:
        self._nodes.pop(node.number, None)
        node.number, node.score, node.note = 0, None, Annotation().joined(node.note)
        self.played.append(node)

    def delete(self, node: GameNode) -> None:
        """Delete a move and all moves after it."""
        node.parent.children.remove(node)
        for one in node.family():
            self._nodes.pop(one.number, None)

    def follow(self, game: Game) -> None:
        """Update the variations after moves or undos in the game.

        Variations after undone moves are dropped. If a variation begins with a move just played, its note becomes that
        on the move, and the rest of it becomes variations after that move.
        """
        for node in self.played[len(game.moves) + 1:][:1]:
            self.delete(node)
        del self.played[len(game.moves) + 1:]
        ply = len(self.played) - 1
        for move, position in zip(game.moves[ply:], game.positions[ply + 1:], strict=True):
            last = self.played[-1]
            known = next((child for child in last.children if child.move == move), None)
            node = known or GameNode(position, move, last)
            last.children = [node, *(child for child in last.children if child is not node)]
            self._play(node)

    def data(self) -> Json:
        """Return variations and notes as JSON data; each move comes after its parent."""
        return {"given": self._given,
                "nodes": [node.data(played.ply) for played in self.played for child in played.children if child.number
                          for node in child.family()],
                "notes": {str(ply): note.data() for ply, note in self.notes.items()}}

    def judge(self, judgements: Sequence[tuple[str, str]]) -> None:
        """Add the signs and judgements of a review to the notes on the game, replacing those of an earlier review."""
        for node, (sign, judgement) in zip(self.played[1:], judgements, strict=False):
            old = node.note
            node.note = replace(old, sign=sign or ("" if old.judgement else old.sign), judgement=judgement)

    # ---------------------------------------------------------------- PGN

    def graft(self, game: Game, recorded: PgnGame) -> None:
        """Add the variations, glyphs, comments and marks of a game of a PGN text whose moves are those of the game.

        Raises:
            LatronesError: a move is not legal.
            RefusedError: there are too many moves.
        """
        self.played[0].note = Annotation.of_text(recorded.comment)
        for ply, move in enumerate(recorded.moves):
            self.played[ply + 1].note = self.played[ply + 1].note.joined(Annotation.of_move(move, is_played=True))
            for variation in move.variations:
                self._graft_line(game.up_to(ply), self.played[ply], variation)

    def _graft_line(self, part: Game, node: GameNode, moves: Sequence[PgnMove]) -> None:
        for recorded in moves:
            here, before = node, part.copy() if recorded.variations else part
            node = self.add(part, here, recorded.move_in(part.position))
            note = Annotation.of_move(recorded, is_played=False)
            node.note = note if node.number and node.note == Annotation() else node.note.joined(note)
            for variation in recorded.variations:
                self._graft_line(before.copy(), here, variation)

    def to_pgn(self, searches: Sequence[str] = ()) -> list[PgnMove]:
        """Return the moves of the game with their variations; ``searches`` are the comments on those by the players.

        A variation after the last move is written as a variation that repeats that move.
        """
        moves = [node.to_pgn(node.parent.children[1:], search)
                 for node, search in zip(self.played[1:], searches or repeat(""), strict=False)]
        if moves and self.played[-1].children:
            first, *beside = self.played[-1].children
            last = moves[-1]
            again = PgnMove(last.text, side=last.side, movenumber=last.movenumber)
            last.variations.append([again, *_line_to_pgn(first, beside, begins=False)])
        return moves


def _depth(node: GameNode) -> int:
    line = node.line()
    return bool(line) + sum(bool(before.children) and before.children[0] is not after
                            for before, after in pairwise(line))


def _line_to_pgn(node: GameNode, beside: Sequence[GameNode] = (), begins: bool = True) -> list[PgnMove]:
    """Return a variation, or unless it ``begins`` there the rest of one; others begin ``beside`` its first move."""
    found = [node.to_pgn(beside, begins=begins)]
    while node.children:
        node, *beside = node.children
        found.append(node.to_pgn(beside))
    return found


def read_note(sign: str, comment: str, marks: str, geometry: Geometry) -> Annotation:
    """Return the note that a user has written; in a comment with a closing brace, braces become parentheses.

    Raises:
        RefusedError: the sign is unknown, the comment is too long, or a mark is not on the board.
    """
    if sign and sign not in GLYPHS.values():
        raise RefusedError(f"sign {quoted(sign)}: expected one of {', '.join(GLYPHS.values())}, or none")
    if len(comment) > _MAX_COMMENT:
        raise RefusedError(f"comment of {len(comment)} characters: expected at most {_MAX_COMMENT}")
    if "}" in comment:  # PGN cannot hold it: the comment would end there
        comment = comment.replace("{", "(").replace("}", ")")
    texts = marks.replace(",", " ").split()
    if len(texts) > _MAX_MARKS:
        raise RefusedError(f"{len(texts)} marks: expected at most {_MAX_MARKS}")
    inside, said = parse_marks(" ".join(comment.split()))
    return Annotation(sign, visible_comment(said), tuple(dict.fromkeys(
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
    return printable(text, " ").strip()
