"""The review of games as a page: graph, marks, best moves and accuracy, with a replay."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import tanh

from latrones_uci.game import SIDE_NAMES, Game, draw_board
from latrones_uci.game.outcome import ending_name
from latrones_uci.records.annotation import (
    MARKS,
    MAX_CENTI,
    WINNING_CENTI,
    AnalysedMove,
    Evaluation,
    accuracy,
    evaluations,
    fortress,
)
from latrones_uci.records.record import PlyRecord, outcome_of_text
from latrones_uci.web.lib.markup import Markup, escaped, joined, read_asset, section, table, typeset, visible
from latrones_uci.web.lib.replay import packed_replay
from latrones_uci.web.match.page import REPLAY, ListedGame, embedded_games, render_page

_WIDTH, _HEIGHT = 720, 140
_SCALE_CENTI = 400  # as on the board page
_MAX_BOARDS = 12
_NAMES = {"?!": "inaccuracy", "?": "mistake", "??": "blunder"}
_STYLE = """
.review-graph { display: block; width: 100%; height: 140px; margin-top: 14px; border: 1px solid var(--rule);
  border-radius: 6px; background: #3a3431; }
.review-graph path { fill: none; vector-effect: non-scaling-stroke; }
.review-graph .area { fill: #f4ead3; }
.review-graph .zero, .review-graph .curve { stroke: #a98f5c; stroke-width: 1.5; }
.review-graph .zero { stroke-dasharray: 4 4; }
.review-graph a path { stroke-width: 10; stroke-linecap: round; }
.review-graph .mistake { stroke: #d08a1f; } .review-graph .blunder { stroke: #c3352b; }
.mistakes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(240px, 100%), 1fr)); gap: 20px; }
.mistakes svg { display: block; width: 100%; max-height: 320px; }
.mistakes figcaption { color: var(--ink); }
.sign { color: var(--loss); font-weight: 700; margin: 0 auto 0 8px; } .move[aria-current] .sign { color: inherit; }
"""


@dataclass(frozen=True)
class ReviewedGame:
    """A game with the search of each of its positions."""

    tags: Mapping[str, str]
    result: str
    """The PGN result."""
    game: Game
    moves: Sequence[AnalysedMove]

    def player(self, side: int) -> str:
        """Return the name of White (0) or Black (1)."""
        return self.tags.get(SIDE_NAMES[side]) or SIDE_NAMES[side]


def render_review_page(games: Sequence[ReviewedGame], annotator: str, limit: str) -> str:
    """Return the review of games as an HTML page; ``limit`` is that of each search by the engine ``annotator``."""
    first = games[0]
    title = f"{first.player(0)} \u2013 {first.player(1)}" if len(games) == 1 else f"Review of {len(games)} games"
    body = joined([
        Markup(f"<h1>{escaped(title)}</h1>"
               f'<p class="quiet">{escaped(f"Reviewed by {annotator}, {limit} for each position")}</p>'),
        *(_review(number, game) for number, game in enumerate(games, start=1)),
        Markup(read_asset(REPLAY)), _explanation()])
    names = list(dict.fromkeys(game.player(side) for game in games for side in (0, 1)))
    listed = [_listed(number, game, names) for number, game in enumerate(games, start=1)]
    return render_page(title, body, embedded_games(names, listed), _STYLE)


def _listed(number: int, reviewed: ReviewedGame, names: Sequence[str]) -> ListedGame:
    start, players = reviewed.game.start, [names.index(reviewed.player(side)) for side in (0, 1)]
    plies = [PlyRecord(move.side, move.movenumber, move.text) for move in reviewed.moves]
    row = [number, "", visible(start.ruleset.name), start.geometry.name, None, *players, reviewed.result, len(plies),
           *map(visible, _ending(reviewed)), 0]
    return ListedGame(row, start, packed_replay(start, plies, reviewed.moves))


# ---------------------------------------------------------------- a game


def _ending(reviewed: ReviewedGame) -> tuple[str, str]:
    """Return how a game ended, in a few words, and one line on that; in the words of the file if they are unknown."""
    words = reviewed.tags.get("Termination", ""), reviewed.tags.get("TerminationDetails", "")
    with suppress(ValueError):
        outcome = outcome_of_text(*words, {"1-0": 0, "0-1": 1}.get(reviewed.result))
        if outcome.termination.by_rules:
            return ending_name(outcome, reviewed.game.start.ruleset), ""
    return words


def _review(number: int, reviewed: ReviewedGame) -> Markup:
    start, tags = reviewed.game.start, reviewed.tags
    names = " \u2013 ".join(reviewed.player(side) for side in (0, 1))
    known = [tags.get(key, "") for key in ("Event", "Date")]
    about = [start.ruleset.title, start.geometry.name, *(text for text in known if text.strip("?. ")),
             ": ".join(filter(None, _ending(reviewed)))]
    line = Markup(f'<p class="quiet">{escaped(", ".join(filter(None, about)))}</p>')
    result = reviewed.result.replace("1/2", "\u00bd")
    return section(f"review-{number}", f"Game {number}: {names}, {result}", line, _summary(reviewed),
                   Markup(f"<p>{escaped(told)}</p>" if (told := fortress(reviewed.game, reviewed.moves)) else ""),
                   _graph(number, reviewed), _boards(number, reviewed))


def _summary(reviewed: ReviewedGame) -> Markup:
    rows = []
    for side in (0, 1):
        own = [move for move in reviewed.moves if move.side == side]
        losses = [min(move.loss_centi, MAX_CENTI) for move in own if move.loss_centi is not None]
        share = accuracy(own)
        counts = [sum(move.mark == mark for move in own) for mark in _NAMES]
        cells = [reviewed.player(side), "" if share is None else f"{share}%", *counts,
                 f"{sum(losses) / len(losses) / 100:.2f}" if losses else ""]
        rows.append([Markup(f"<bdi>{escaped(cells[0])}</bdi>"), *map(escaped, cells[1:])])
    return table(["", "Accuracy", "Inaccuracies ?!", "Mistakes ?", "Blunders ??", "Mean loss"], rows, range(1, 6))


def _graph(number: int, reviewed: ReviewedGame) -> Markup:
    """Return the graph of the evaluation; its marks open the replay."""
    if len(reviewed.moves) < 2:
        return Markup("")
    values = [evaluation.white_centi for evaluation in evaluations(reviewed.moves)]
    across = [round(_WIDTH * at / (len(values) - 1), 1) for at in range(len(values))]
    up = [round(_HEIGHT * (0.5 - 0.48 * tanh((value or 0) / _SCALE_CENTI)), 1) for value in values]
    line = "L".join(f"{x} {y}" for x, y in zip(across, up, strict=True))
    marks = "".join(
        f'<a href="#game={number}&amp;ply={ply + 1}"><path class="{_NAMES[move.mark]}" d="M{across[ply + 1]} '
        f'{up[ply + 1]}h.01"><title>{escaped(_verdict(reviewed, ply))}</title></path></a>'
        for ply, move in enumerate(reviewed.moves) if move.mark in ("?", "??"))
    return Markup(
        f'<svg class="review-graph" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="group" '
        'aria-label="Evaluation of each position; White is better above the middle">'
        f'<path class="area" d="M0 {_HEIGHT}L{line}L{_WIDTH} {_HEIGHT}Z"/>'
        f'<path class="zero" d="M0 {_HEIGHT // 2}H{_WIDTH}"/><path class="curve" d="M{line}"/>{marks}</svg>')


def _note(reviewed: ReviewedGame, ply: int, text: str) -> str:
    return reviewed.game.positions[ply].algebraic(text)


def _verdict(reviewed: ReviewedGame, ply: int) -> str:
    move = reviewed.moves[ply]
    dots = "." if move.side == 0 else "\u2026"
    return (f"{move.movenumber}{dots} {_note(reviewed, ply, move.text)}{move.mark} {_NAMES[move.mark]} "
            f"({_score_text(move.after)}): {move.lost}. Best was {_note(reviewed, ply, move.judgement.best)}.")


def _score_text(evaluation: Evaluation) -> str:
    """Return an evaluation with its unit, as the scripts of the pages show it."""
    if evaluation.score.mate == 0:
        return "0-1" if evaluation.side == 0 else "1-0"
    score = evaluation.score.for_white(evaluation.side)
    if isinstance(score, int) and abs(score) >= WINNING_CENTI:
        return f"{SIDE_NAMES[score < 0]} is winning"
    if isinstance(score, int):
        return typeset(f"{score / 100:+.2f} soldiers" if score else "0.00 soldiers")
    return typeset(score or "")


def _boards(number: int, reviewed: ReviewedGame) -> Markup:
    """Return a board for each of the worst moves, with the best move as an arrow."""
    bad = [ply for ply, move in enumerate(reviewed.moves) if move.mark in ("?", "??")]
    worst = sorted(sorted(bad, key=lambda ply: -(reviewed.moves[ply].loss_centi or 0))[:_MAX_BOARDS])
    figures = []
    for ply in worst:
        position, move = reviewed.game.positions[ply], reviewed.moves[ply]
        best = position.parse_move(move.judgement.best)
        board = draw_board(position, last_move=reviewed.game.moves[ply], arrows=[best], standalone=False,
                           flipped=move.side == 1)
        caption = f'<a href="#game={number}&amp;ply={ply + 1}">{escaped(_verdict(reviewed, ply))}</a>'
        figures.append(f"<figure>{board}<figcaption>{caption}</figcaption></figure>")
    if not figures:
        return Markup("<p>No mistakes or blunders.</p>")
    note = f"The {_MAX_BOARDS} worst of {len(bad)}. " if len(bad) > _MAX_BOARDS else ""
    return Markup(f'<h3>Mistakes and blunders</h3><p class="quiet">{note}Before the move, from the side of the player: '
                  'the arrow is the best move, the line the move that was played.</p><div class="mistakes">'
                  f"{joined(figures)}</div>")


def _explanation() -> Markup:
    marks = ", ".join(f"{mark} from {least / 100:.2f}" for least, mark in reversed(MARKS))
    return section("about", "How to read this", Markup(
        "<p>Scores are in soldiers; above the middle of the graph, White is better. A move is marked by its loss "
        f"against the best move: {marks}; scores beyond {MAX_CENTI // 100} soldiers and forced wins count as "
        f"{MAX_CENTI // 100}. Accuracy is exp(&minus;6<i>l</i>/<i>h</i>), where <i>h</i> is the sum of the "
        "player&rsquo;s shares of the evaluation bar before its moves, and <i>l</i> what its marked moves lose of "
        "them.</p>"))
