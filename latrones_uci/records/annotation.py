"""Annotate games: search every position, find moves that lose something, and write the games as PGN."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, tanh
from typing import NamedTuple

from latrones_uci.client.engine import Engine
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, Move
from latrones_uci.game.outcome import Termination
from latrones_uci.records.pgn_read import GLYPH_OF, SEARCH, PgnMove, parse_search
from latrones_uci.records.pgn_write import render_pgn, render_search
from latrones_uci.text.protocol import Score, SearchInfo

MARKS = ((300, "??"), (100, "?"), (50, "?!"))
"""Minimum loss in centi-soldiers for each mark, in descending order. The thresholds are our choice."""
MAX_CENTI = 1000
"""Scores are limited to this value, which also means a forced win: a side that still wins loses nothing."""

WINNING_CENTI = 800
"""From this score on, a side is said to be winning, not ahead by a number of soldiers; lib/display.js has it, too."""

_SCALE_CENTI = 400  # as in the evaluation bar: at this score, a side has about nine tenths of the bar
_STEEPNESS = 10.0
_FORTRESS_CENTI, _FORTRESS_PLIES, _LEVEL_CENTI = 300, 30, 100
_QUIET_ENDS = frozenset({Termination.REPETITION, Termination.NO_CAPTURE})
_MIN_LOSS = 100  # of a mistake; less may be the noise of two searches
_LONGER = 5  # times the limit, for a search that the next one contradicts
_DEEPER = 2  # plies, where the depth is limited


class Evaluation(NamedTuple):
    """A score, and from whose point of view it is; without a score it is unknown."""

    score: Score = Score()
    """The score; with ``mate`` 0, the player has lost."""
    side: int = 0
    """0 White, 1 Black."""

    @property
    def known(self) -> bool:
        return self.score.mate is not None or self.score.cp is not None

    @property
    def white_centi(self) -> int | None:
        """Centi-soldiers from White's point of view, limited to ``MAX_CENTI``; None if it is unknown."""
        if not self.known:
            return None
        own = self.score.cp if self.score.mate is None else MAX_CENTI if self.score.mate > 0 else -MAX_CENTI
        return max(-MAX_CENTI, min(own or 0, MAX_CENTI)) * (1 - 2 * self.side)


class Judgement(NamedTuple):
    best: str
    info: SearchInfo
    """The search of the position before the move, from the mover's point of view."""
    elapsed_ns: int
    after: Evaluation
    after_depth: int | None
    """The depth of the search that found it, None if unknown."""


@dataclass(frozen=True)
class AnalysedMove:
    side: int
    movenumber: int
    text: str
    judgement: Judgement

    @property
    def before(self) -> Evaluation:
        return Evaluation(self.judgement.info.score, self.side)

    @property
    def after(self) -> Evaluation:
        """The evaluation of the position after the move, which all texts and graphs show."""
        return self.judgement.after

    @property
    def loss_centi(self) -> int | None:
        """The loss against the engine's move in centi-soldiers, at least 0; None if a score is unknown."""
        if self.judgement.best == self.text:
            return 0
        before, after = self.before.white_centi, self.after.white_centi
        return None if before is None or after is None else max((before - after) * (1 - 2 * self.side), 0)

    @property
    def mark(self) -> str:
        """``?!``, ``?``, ``??``, or an empty string."""
        loss = self.loss_centi or 0
        return next((mark for least, mark in MARKS if loss >= least), "")

    @property
    def lost(self) -> str:
        """What the move loses, in words; empty if the loss is unknown."""
        if self.loss_centi is None:
            return ""
        if self.judgement.info.score.mate is not None and self.judgement.info.score.mate > 0 and self.loss_centi:
            return "loses a forced win"
        if self.loss_centi >= WINNING_CENTI:
            sign = 1 - 2 * self.side
            if (self.before.white_centi or 0) * sign >= WINNING_CENTI:
                return "loses a winning position"
            if (self.after.white_centi or 0) * sign <= -WINNING_CENTI:
                return "leads to a lost position"
        return f"loses {self.loss_centi / 100:.1f} soldiers"


def analyse_game(
    game: Game, engine: Engine, limit: Limit, progress: Callable[[int], None] = lambda plies: None
) -> list[AnalysedMove]:
    """Search every position of a game, including the last one unless the game is over there.

    Where a search contradicts the one before it by as much as a mistake loses, and the move played does not explain it,
    the one before is corrected: a move better than the best one found becomes the best one; a best move that is worse
    than it seemed is searched again for longer, and if it stays the best, the position was as bad before it.

    ``progress`` is called with the number of plies whose position has been searched.
    """
    engine.new_game(game)
    found = []
    for plies in range(len(game.moves) + 1):
        progress(plies)
        part = game.up_to(plies)
        if part.outcome() is None:
            found.append(_search(part, engine, limit))
    for ply in reversed(range(len(game.moves))):
        _correct(game, ply, found, engine, limit)
    judgements = []
    for ply, (best, info, elapsed_ns) in enumerate(found[: len(game.moves)]):
        following = found[ply + 1].info if ply + 1 < len(found) else SearchInfo()
        judgements.append(Judgement(best, info, elapsed_ns, Evaluation(following.score, game.positions[ply + 1].side),
                                    following.depth))
    return judged_moves(game, judgements)


class _Found(NamedTuple):
    best: Move
    info: SearchInfo
    elapsed_ns: int


def _search(part: Game, engine: Engine, limit: Limit) -> _Found:
    answer = engine.search(part, limit)
    engine.legal_move(part, answer.best.move)
    return _Found(part.position.parse_move(answer.best.move), answer.info, answer.elapsed_ns)


def _correct(game: Game, ply: int, found: list[_Found], engine: Engine, limit: Limit) -> None:
    """Correct the search before a move if the one after it contradicts it; see ``analyse_game``."""
    side, move = game.positions[ply].side, game.moves[ply]
    following = found[ply + 1].info if ply + 1 < len(found) else SearchInfo()
    after = Evaluation(following.score, game.positions[ply + 1].side)
    if ply + 1 == len(game.moves):
        after = _result(game) or after
    change = _change(Evaluation(found[ply].info.score, side), after)
    if change <= -_MIN_LOSS and found[ply].best == move:
        found[ply] = _search(game.up_to(ply), engine, _longer(limit))
        change = _change(Evaluation(found[ply].info.score, side), after)
    if change >= _MIN_LOSS or change <= -_MIN_LOSS and found[ply].best == move:
        info = replace(following, score=_before(after, side), pv=(str(move), *following.pv))
        found[ply] = found[ply]._replace(best=move, info=info)


def _longer(limit: Limit) -> Limit:
    return replace(limit, time=limit.time and limit.time * _LONGER, nodes=limit.nodes and limit.nodes * _LONGER,
                   depth=limit.depth and limit.depth + _DEEPER)


def _change(before: Evaluation, after: Evaluation) -> int:
    white_before, white_after = before.white_centi, after.white_centi
    return 0 if white_before is None or white_after is None else (white_after - white_before) * (1 - 2 * before.side)


def _before(after: Evaluation, side: int) -> Score:
    score = after.score if after.side == side else -after.score
    if score.mate is None:
        return score
    return Score(mate=score.mate + 1 if score.won or score.mate > 0 else score.mate)


def _result(game: Game) -> Evaluation | None:
    outcome = game.outcome()
    if outcome is None:
        return None
    return Evaluation(Score(0)) if outcome.winner is None else Evaluation(Score(mate=0), 1 - outcome.winner)


def judged_moves(game: Game, judgements: Sequence[Judgement]) -> list[AnalysedMove]:
    """Return the moves of a game with their judgements.

    If the rules end the game, the evaluation after the last move is the result.
    """
    result = _result(game)
    if result is not None and judgements:
        judgements = [*judgements[:-1], judgements[-1]._replace(after=result, after_depth=None)]
    return [AnalysedMove(position.side, position.movenumber, move, judgement)
            for position, move, judgement in zip(game.positions, game.moves, judgements, strict=False)]


def evaluations(moves: Sequence[AnalysedMove]) -> list[Evaluation]:
    return [*(move.before for move in moves[:1]), *(move.after for move in moves)]


def accuracy(moves: Sequence[AnalysedMove]) -> int | None:
    """Return the accuracy of a player in percent: ``exp(-10 l / h)``, None without scores.

    ``h`` is the sum of the player's chances before its moves, and ``l`` the sum of what its mistakes and blunders lose
    of them; so moves of a lost position hardly count. Placements, of which a bad one seldom loses anything that a
    search sees, are left out. Chances are the logistic curve of the score, as for the accuracy of
    lichess (https://lichess.org/page/accuracy). docs/lab/page.md has the measurements behind the constants, which are
    our choice.
    """
    held = lost = 0.0
    for move in moves:
        before, loss = move.before.white_centi, move.loss_centi
        if before is not None and loss is not None and "@" not in move.text:
            own = before * (1 - 2 * move.side)
            held += chance_of(own)
            lost += chance_of(own) - chance_of(own - loss) if loss >= _MIN_LOSS else 0.0
    return round(100 * exp(-_STEEPNESS * lost / held)) if held else None


def fortress(game: Game, moves: Sequence[AnalysedMove]) -> str:
    """Return a sentence about a game that was drawn although a side was far ahead for long; empty for any other game.

    The rules drew it, by repetition or without captures; and since the last capture, the scores of ``_FORTRESS_PLIES``
    or more positions in a row are at least ``_FORTRESS_CENTI`` for one side, and differ by at most ``_LEVEL_CENTI``; in
    none did a search see a forced win. That there is none is not known. The constants are our choice.
    """
    outcome = game.outcome()
    if outcome is None or outcome.termination not in _QUIET_ENDS or outcome.winner is not None:
        return ""
    quiet = evaluations(moves)[:-1][-max(1, game.position.nocapture):]  # the last one is the result
    runs = [_longest_level([(each.white_centi or 0) * sign for each in quiet]) for sign in (1, -1)]
    longest = max(runs, key=len)
    if len(longest) < _FORTRESS_PLIES or any(each.score.mate is not None for each in quiet):
        return ""
    low, high = min(longest), max(longest)
    ahead = f"{low / 100:.1f} to {high / 100:.1f}" if high < WINNING_CENTI else f"at least {low // 100}"
    return (f"{('White', 'Black')[runs.index(longest)]} was {ahead} soldiers ahead for {len(longest)} turns without a"
            " capture: perhaps a fortress. No search of the review saw a win.")


def _longest_level(centi: Sequence[int]) -> Sequence[int]:
    """Return the longest run of scores that are far ahead and level."""
    longest, begin = centi[:0], 0
    for end, score in enumerate(centi, 1):
        if score < _FORTRESS_CENTI:
            begin = end
        while max(centi[begin:end], default=0) - min(centi[begin:end], default=0) > _LEVEL_CENTI:
            begin += 1
        longest = max(longest, centi[begin:end], key=len)
    return longest


def chance_of(centi: float) -> float:
    """Return the chance of a side with a score, 0 to 1: the logistic curve of the evaluation bar."""
    return 0.5 + 0.5 * tanh(centi / _SCALE_CENTI)


# ---------------------------------------------------------------- PGN

_JUDGEMENT = re.compile(  # see render_judgement
    r"(?:\[%eval (?P<after>#-?[0-9]{1,4}|-?[0-9]{1,6}\.[0-9]{2})(?:,(?P<after_depth>[0-9]{1,4}))?\] )?"
    rf"best (?P<best>\S+)(?: (?P<search>{SEARCH}))?(?: pv (?P<pv>[^;]*))?(?:; |$)", re.ASCII)


def render_analysis(tags: Mapping[str, str], moves: Sequence[AnalysedMove], result: str, annotator: str) -> str:
    """Return an analysed game as PGN.

    Each move gets the comment of ``render_judgement``, and bad moves a glyph. ``annotator`` is the name of the engine;
    of the ``tags``, only ``Annotator`` is replaced.
    """
    written = (PgnMove(move.text, comment=render_judgement(move.judgement), side=move.side, movenumber=move.movenumber,
                       glyphs=[GLYPH_OF[move.mark]] if move.mark else []) for move in moves)
    return render_pgn(dict(tags) | {"Annotator": annotator}, written, result)


def render_judgement(judgement: Judgement) -> str:
    """Return the comment on a move: ``[%eval -2.88,8] best MOVE +0.43/9 0.101s n=12345 pv MOVE ...``.

    ``[%eval]`` is the evaluation after the move from White's point of view and its depth, as other programs write it;
    it is left out after the move that ends the game. The rest is the search of the position before the move, from the
    mover's point of view.
    """
    best, info, elapsed_ns, after, depth = judgement
    words = [f"best {best}", render_search(info, elapsed_ns)]
    value = after.score.for_white(after.side)
    if value is not None and after.score.mate != 0:
        value = value if isinstance(value, str) else f"{value / 100:.2f}"
        words.insert(0, f"[%eval {value}{'' if depth is None else f',{depth}'}]")
    if info.pv:
        words.append(f"pv {' '.join(info.pv)}")
    return " ".join(words)


def parse_judgement(comment: str) -> tuple[Judgement | None, str]:
    """Read the judgement at the beginning of a comment; return it, None if there is none, and the rest of the comment.

    Before version 0.3, the search came first and there was no evaluation after the move: ``SEARCH; best MOVE pv ...``.
    """
    info, elapsed_ns, said = parse_search(comment)
    found = _JUDGEMENT.match(said)
    if found is None:
        return None, comment
    if found["search"]:
        info, elapsed_ns, _ = parse_search(found["search"])
    if found["pv"]:
        info = replace(info, pv=tuple(found["pv"].split()))
    depth = found["after_depth"]
    after = _parse_evaluation(found["after"] or "")
    judgement = Judgement(found["best"], info, elapsed_ns, after, None if depth is None else int(depth))
    return judgement, said[found.end() :]


def _parse_evaluation(text: str) -> Evaluation:
    """Return the evaluation that ``[%eval]`` has, such as ``-2.88`` or ``#-3``; the empty string is unknown."""
    if text.startswith("#"):
        turns = int(text.strip("#-"))
        return Evaluation(Score(mate=-turns), 0 if "-" in text else 1)
    return Evaluation(Score(round(100 * float(text)))) if text else Evaluation()
