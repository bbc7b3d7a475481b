"""The page of a training: loss curves, Elo by generation, and the net's value of each piece on the board."""

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from latrones_uci.engine.nets.file import Net
from latrones_uci.engine.nets.python import net_evaluation
from latrones_uci.game import WHITE, Position, draw_board
from latrones_uci.game.svg import BOARD_SYMBOLS
from latrones_uci.match.summary import render_elo
from latrones_uci.studies.train.recipe import FITTED, PLANNED, PLAYED, Journal, elo_of
from latrones_uci.web.lib.markup import Markup, escaped, joined, pairs, section, table, typeset
from latrones_uci.web.match.page import render_page

_WIDTH, _HEIGHT, _LEFT, _TOP = 600, 180, 70, 12
_PLACED_POSITIONS = 400
_STYLE = """\
.loss{width:100%;max-width:44rem}.loss text{font-size:12px;fill:currentColor}
.loss polyline{fill:none;stroke:currentColor;stroke-width:2}.loss .seen{stroke-dasharray:4 4;opacity:.6}
.loss line{stroke:currentColor;opacity:.3}
.values{max-width:36rem}.share{font-size:24px;text-anchor:middle;paint-order:stroke;stroke:Canvas;stroke-width:6px}
"""


def training_page(journal: Journal, start: Position, net: Net | None, facts: Sequence[tuple[str, str]]) -> str:
    """Return the page as HTML.

    ``net`` is the best one, None if none won its match; ``facts`` are labels and values for the top.
    """
    ruleset, board = start.ruleset, start.geometry.name
    contents = joined((
        section("summary", f"Training {ruleset.name}, {board}", pairs(facts)),
        section("generations", "Generations", _generations(journal)),
        section("loss", "Loss", *(_loss_chart(entry) for entry in journal.of_kind(FITTED))),
        section("values", "Values of the pieces", _values(start, net)),
    ))
    return render_page(f"Training {ruleset.name} {board}", contents, more_style=_STYLE)


def _generations(journal: Journal) -> Markup:
    played = {entry["generation"]: entry for entry in journal.of_kind(PLAYED)}
    rows = []
    for fitted in journal.of_kind(FITTED):
        number = fitted["generation"]
        planned = journal.find(PLANNED, number) or {}
        cells = [str(number), planned.get("by") or "hand-written evaluation", f"{fitted['positions']:,}",
                 f"{fitted['held_out_losses'][-1]:.5f}", f"{fitted['rounding_mean']:.2f}"]
        row = [escaped(cell) for cell in cells]
        if (entry := played.get(number)) is None:
            row += [Markup("")] * 2
        else:
            verdict = "accepted" if entry["accepted"] else "rejected"
            row += [
                escaped(f"{'-'.join(map(str, entry['counts']))}, {verdict}"),
                escaped(typeset(render_elo(elo_of(entry)))),
            ]
        rows.append(row)
    headings = ("", "Games by", "All positions", "Held-out loss", "Rounding", "Match", "Elo (95%)")
    return table(headings, rows, numbers=(0, 2, 3, 4)) if rows else Markup("")


def _mean_shares(start: Position, net: Net) -> dict[int, int]:
    """Return the mean share of a white soldier by square, over positions after random placements."""
    choose, found = random.Random(0), defaultdict[int, list[int]](list)
    for _ in range(_PLACED_POSITIONS):
        position = start
        while position.outcome() is None and position.hand:
            position = position.play(choose.choice(position.legal_moves()))
        if position.outcome() is None:
            sign = 1 if position.side == WHITE else -1
            for square, letter, share in net_evaluation(position, net).shares:
                if letter == "S" and share is not None:
                    found[square].append(sign * share)
    return {square: round(mean(values)) for square, values in found.items()}


def _loss_chart(entry: Mapping[str, Any]) -> Markup:
    """Return a chart of a generation's loss by pass: on the training positions (dashed) and on the held-out games."""
    curves = [entry["losses"], entry["held_out_losses"]]
    values = [value for curve in curves for value in curve]
    low, high = min(values), max(values)

    def point(number: int, value: float) -> str:
        x = _LEFT + (_WIDTH - _LEFT) * number / max(1, len(curves[0]) - 1)
        y = _TOP + (_HEIGHT - 2 * _TOP) * (high - value) / max(high - low, 1e-12)
        return f"{x:.1f},{y:.1f}"

    lines = "".join(
        f'<polyline class="{name}" points="{" ".join(point(*each) for each in enumerate(curve))}"/>'
        for name, curve in zip(("seen", "held-out"), curves, strict=True))
    labels = "".join(
        f'<text x="0" y="{y + 4}">{value:.5f}</text><line x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/>'
        for value, y in ((high, _TOP), (low, _HEIGHT - _TOP)))
    title = f"Generation {entry['generation']}: loss by pass on held-out games (line) and in training (dashes)"
    return Markup(f'<figure><figcaption>{escaped(title)}</figcaption><svg class="loss" role="img" aria-label='
                  f'"{escaped(title)}" viewBox="0 0 {_WIDTH} {_HEIGHT}">{labels}{lines}</svg></figure>')


def _values(start: Position, net: Net | None) -> Markup:
    """Return the start position with the share of each piece in the evaluation, or an empty board with mean shares."""
    if net is None:
        return Markup("<p>No net won its match.</p>")
    found = net_evaluation(start, net)
    shares = {square: share for square, _, share in found.shares if share is not None}
    shares = shares or _mean_shares(start, net)
    drawing = draw_board(start, standalone=False)
    centres = re.search(r'data-centres="([^"]*)"', drawing)
    assert centres is not None  # an attribute that pages rely on
    places = [place.split(",") for place in centres[1].split()]
    texts = "".join(
        f'<text class="share" x="{places[square][0]}" y="{int(places[square][1]) + 8}">{typeset(f"{share:+d}")}</text>'
        for square, share in shares.items())
    note = (f"The evaluation with a piece minus the evaluation without it, in centi-soldiers, from the point of view of"
            f" White. Evaluation of the start: {typeset(f'{found.total:+d}')}.")
    empty = ("" if found.shares else " No piece is on the board at the start: the numbers are means for a white soldier"
             f" on each square, in {_PLACED_POSITIONS} positions after random placements.")
    return Markup(f'<p>{escaped(note + empty)}</p><svg width="0" height="0">{BOARD_SYMBOLS}</svg><div class="values">'
                  f'{drawing.replace("</svg>", texts + "</svg>")}</div>')
