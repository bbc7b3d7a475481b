#!/usr/bin/env python3
"""Fit the chances of win, draw and loss that ``UCI_ShowWDL`` prints, by games of the engine against itself.

    python3 scripts/wdl.py --game latrones                  # play the missing games, fit, write the tables
    python3 scripts/wdl.py --game latrones --database my.db # fit to the games of a match with scores instead

The fit maximises the likelihood of the model in ``latrones_uci/engine/calibration.py``; the parameters go into
``levels.toml`` in the same folder. Half of the openings are used for the fit, and the other half to measure it: the
tables of docs/levels.md have the log-loss per ply and the calibration on that half. The final parameters are fitted to
all games.

The matches are played as by ``scripts/levels.py``: a database for each game, in a folder for this version of the
engine; rerun the command to resume.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

import levels
from latrones_uci.client.time_control import TimeControl
from latrones_uci.engine.calibration import ResultModel, shares
from latrones_uci.game import builtin_variants
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.files import write_whole
from latrones_uci.match.record import PlyRecord
from latrones_uci.match.store import Store, StoreError
from level_games import FULL, Player, engine_hash, play_match

RANDOM_PLIES = 6
SCORE_STEP = 4
"""Scores are grouped in steps of this many centi-soldiers, and shares in steps of ``SHARE_STEP``."""
SHARE_STEP = 1 / 40
PRIOR_PLIES = 2.0
"""Weight of the prior: the coefficients are 0, and the constants of ln a and ln b are ln 100, with an error of 1."""
CENTRE = log(100)
STEPS = 60
BINS = 10
LEAST_CHANCE = 1e-6
SOLVED = ("rota",)
"""Games with exact scores, which need no fit."""
Cell = tuple[float, float, float]
Cells = dict[Cell, Counter[int]]
"""Number of plies by cell (score, share of men, share of the no-capture limit) and result: loss (0), draw, win (2)."""


@dataclass(frozen=True)
class Sample:
    """The plies of some games, split into two halves by opening."""

    games: int
    halves: tuple[Cells, Cells]

    @property
    def all(self) -> Cells:
        """Both halves together."""
        found: Cells = {}
        for half in self.halves:
            for cell, counts in half.items():
                found.setdefault(cell, Counter()).update(counts)
        return found


# ---------------------------------------------------------------- games


def play(game: str, folder: Path, games: int, nodes: int) -> Path:
    """Play the missing games, and return their database."""
    one, other = (Player(name, FULL, nodes=nodes, random_plies=RANDOM_PLIES) for name in "AB")
    # The players are identical: with colours swapped, they would play every game of an opening twice.
    return play_match(folder / game / f"self-{nodes}.db", game, (one, other), games, "random:0")


def nodes_of(path: Path, game: str) -> int:
    """Return the number of nodes per move in a match of a game.

    Raises:
        ValueError: the match is of another game, or its players do not have the same number of nodes.
        StoreError: the file is no database of a match.
    """
    with Store(path, writing=False) as store:
        settings = stored_settings(store)
    if (names := {variant.name for variant in settings.variants}) != {game}:
        raise ValueError(f"a match of {', '.join(sorted(names))}; expected one of {game}")
    limits = {engine.control for engine in settings.engines}
    if len(limits) != 1 or (nodes := limits.pop()) != TimeControl(nodes=nodes.nodes) or nodes.nodes is None:
        raise ValueError("expected a match with the same number of nodes per move for all players, and no other limit")
    return nodes.nodes


def read(path: Path) -> Sample:
    """Return the plies with an unproven score from the games that ended by the rules."""
    halves: tuple[Cells, Cells] = ({}, {})
    games = 0
    with Store(path, writing=False) as store:
        for record in stored_games(store, stored_settings(store)):
            outcome = record.game.outcome
            if not (record.counts and outcome.termination.by_rules):
                continue
            games += 1
            half = halves[record.fixture.opening % 2]
            position = record.game.start
            for ply in record.game.plies:
                if (cell := _cell(ply, shares(position))) is not None:
                    result = 1 if outcome.winner is None else 2 * (outcome.winner == ply.side)
                    half.setdefault(cell, Counter())[result] += 1
                position = position.play(position.parse_move(ply.text))
    return Sample(games, halves)


def _cell(ply: PlyRecord, share: tuple[float, float]) -> Cell | None:
    centi = ply.info.score_centi
    if centi is None:
        return None
    men, nocapture = (round(each / SHARE_STEP) * SHARE_STEP for each in share)
    return float(round(centi / SCORE_STEP) * SCORE_STEP), men, nocapture


# ---------------------------------------------------------------- the fit


def gradient(model: ResultModel, cell: Cell, result: int) -> tuple[float, list[float]]:
    """Return the logarithm of the chance of a result, and its derivatives with respect to the six parameters."""
    score, men, nocapture = cell
    features = (1.0, men, nocapture * nocapture)
    a, b = (exp(sum(w * f for w, f in zip(weights, features, strict=True))) for weights in (model.draw, model.spread))
    win, draw, loss = (max(LEAST_CHANCE, chance) for chance in model.chances(score, men, nocapture))
    # Derivatives of the chances of a win and of a loss with respect to ln a and ln b.
    slope_win, slope_loss = win * (1 - win), loss * (1 - loss)
    win_a, win_b = -slope_win * a / b, -slope_win * (score - a) / b
    loss_a, loss_b = -slope_loss * a / b, slope_loss * (score + a) / b
    chance, by_a, by_b = (
        (loss, loss_a, loss_b), (draw, -win_a - loss_a, -win_b - loss_b), (win, win_a, win_b)
    )[result]  # fmt: skip
    return log(chance), [*(by_a / chance * f for f in features), *(by_b / chance * f for f in features)]


def fit(cells: Cells, game: str, *, nocapture: bool = True) -> ResultModel:
    """Return the model that makes the results most likely.

    The method needs no second derivatives (E. R. Berndt, B. H. Hall, R. E. Hall and J. A. Hausman, "Estimation and
    Inference in Nonlinear Structural Models", Annals of Economic and Social Measurement 3, 1974).
    """
    centre = [CENTRE, 0.0, 0.0, CENTRE, 0.0, 0.0]
    free = [index for index in range(6) if nocapture or index not in (2, 5)]
    found, best = list(centre), _likelihood(cells, centre, centre)
    for _ in range(STEPS):
        slope, square = _slopes(cells, found, centre)
        step = solve([[square[i][j] for j in free] for i in free], [slope[i] for i in free])
        length = 1.0
        while length > 1e-3:
            trial = list(found)
            for index, change in zip(free, step, strict=True):
                trial[index] += length * change
            value = _likelihood(cells, trial, centre)
            if value > best:
                break
            length /= 2
        else:
            break
        found, gain, best = trial, value - best, value
        if gain < 1e-3:
            break
    values = [round(value, 4) for value in found]
    return ResultModel(game, tuple(values[:3]), tuple(values[3:]))  # type: ignore[arg-type]


def _model(values: Sequence[float]) -> ResultModel:
    return ResultModel("", tuple(values[:3]), tuple(values[3:]))  # type: ignore[arg-type]


def _likelihood(cells: Cells, values: Sequence[float], centre: Sequence[float]) -> float:
    model = _model(values)
    prior = sum((value - middle) ** 2 for value, middle in zip(values, centre, strict=True))
    return -PRIOR_PLIES / 2 * prior - loss_per_ply(cells, model) * plies(cells)


def _slopes(cells: Cells, values: Sequence[float], centre: Sequence[float]) -> tuple[list[float], list[list[float]]]:
    model, size = _model(values), range(6)
    slope = [-PRIOR_PLIES * (value - middle) for value, middle in zip(values, centre, strict=True)]
    square = [[PRIOR_PLIES * (i == j) for j in size] for i in size]
    for cell, counts in cells.items():
        for result, count in counts.items():
            _, each = gradient(model, cell, result)
            for i in size:
                slope[i] += count * each[i]
                for j in size:
                    square[i][j] += count * each[i] * each[j]
    return slope, square


def solve(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Solve a system of linear equations by Gaussian elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(len(rows)):
        pivot = max(range(column, len(rows)), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(len(rows)):
            if row != column and (factor := rows[row][column] / rows[column][column]):
                rows[row] = [value - factor * above for value, above in zip(rows[row], rows[column], strict=True)]
    return [row[-1] / row[index] for index, row in enumerate(rows)]


# ---------------------------------------------------------------- quality


def plies(cells: Cells) -> int:
    """Return the number of plies."""
    return sum(counts.total() for counts in cells.values())


def results(cells: Cells) -> Counter[int]:
    """Return the numbers of losses, draws and wins."""
    found = Counter[int]()
    for counts in cells.values():
        found.update(counts)
    return found


def loss_per_ply(cells: Cells, model: ResultModel) -> float:
    """Return the mean negative logarithm of the chance that the model gave to the actual result."""
    total = 0.0
    for (score, men, nocapture), counts in cells.items():
        win, draw, loss = model.chances(score, men, nocapture)
        for result, count in counts.items():
            total -= count * log(max(LEAST_CHANCE, (loss, draw, win)[result]))
    return total / plies(cells)


def base_loss(fitted: Cells, measured: Cells) -> float:
    """Return the same loss for a prediction that ignores the score: the shares of results in the fitted half."""
    shares_of, other = results(fitted), results(measured)
    total = shares_of.total() + 3  # so that no result has chance 0
    return -sum(count * log((shares_of[result] + 1) / total) for result, count in other.items()) / other.total()


def calibration(cells: Cells, model: ResultModel) -> list[tuple[int, float, float]]:
    """Return for each tenth of the expected points the number of plies, and the expected and scored points per ply."""
    found = [[0.0, 0.0, 0.0] for _ in range(BINS)]
    for (score, men, nocapture), counts in cells.items():
        win, draw, _ = model.chances(score, men, nocapture)
        expected = win + draw / 2
        row = found[min(BINS - 1, int(BINS * expected))]
        row[0] += counts.total()
        row[1] += counts.total() * expected
        row[2] += counts[2] + counts[1] / 2
    return [(int(count), expected / max(1, count), scored / max(1, count)) for count, expected, scored in found]


def entry_of(game: str, sample: Sample, nodes: int) -> dict[str, object]:
    """Return a game's entry in the file of levels: the model fitted to all games, and the quality of the half fit.

    Raises:
        ValueError: a half has no plies.
    """
    fitted, measured = sample.halves
    if not fitted or not measured:
        raise ValueError("expected games of at least two openings that ended by the rules")
    model, plain, final = fit(fitted, game), fit(fitted, game, nocapture=False), fit(sample.all, game)
    known = results(sample.all)
    return {
        "draw": list(final.draw),
        "spread": list(final.spread),
        "games": sample.games,
        "nodes": nodes,
        "plies": plies(sample.all),
        "drawn": round(known[1] / max(1, known.total()), 3),
        "loss": round(loss_per_ply(measured, model), 3),
        "loss_without_nocapture": round(loss_per_ply(measured, plain), 3),
        "base_loss": round(base_loss(fitted, measured), 3),
        "expected": [round(100 * expected, 1) for _, expected, _ in calibration(measured, model)],
        "scored": [round(100 * scored, 1) for *_, scored in calibration(measured, model)],
        "bins": [count for count, *_ in calibration(measured, model)],
    }


def quality_table(entries: dict[str, dict[str, list[float]]]) -> str:
    """Return the table of the fits."""
    rows = ["| game | nodes per move | games | plies | drawn | log-loss per ply"
            " | without the no-capture limit | base rate |", "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    rows += [
        f"| `{name}` | {entry['nodes']} | {entry['games']} | {entry['plies']} | {entry['drawn']:.1%}"
        f" | {entry['loss']:.3f} | {entry['loss_without_nocapture']:.3f} | {entry['base_loss']:.3f} |"
        for name, entry in _measured(entries)
    ]
    return "\n".join(rows) + "\n"


def calibration_table(entries: dict[str, dict[str, list[float]]]) -> str:
    """Return the table of expected and scored points."""
    measured = list(_measured(entries))
    rows = [f"| expected | {' | '.join(f'`{name}`' for name, _ in measured)} |", f"|---|{'---|' * len(measured)}"]
    for row in range(BINS):
        cells = [f"{entry['expected'][row]:.0f} → {entry['scored'][row]:.0f}" if entry["bins"][row] else "-"
                 for _, entry in measured]  # fmt: skip
        rows.append(f"| {100 * row // BINS} to {100 * (row + 1) // BINS} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _measured(entries: dict[str, dict[str, list[float]]]) -> Iterator[tuple[str, dict[str, list[float]]]]:
    return ((name, entries[name]) for name in builtin_variants() if "loss" in entries.get(name, {}))


def main() -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    known = [name for name in builtin_variants() if name not in SOLVED]
    add("--game", action="append", choices=known, metavar="NAME", help="a game; may be repeated (default: all)")
    add("--games", type=int, default=400, metavar="N", help="games to play (default: 400)")
    add("--nodes", type=int, default=5000, metavar="N", help="nodes per move (default: 5000)")
    add("--database", type=Path, metavar="FILE.db", help="match to fit to, of one game (default: play)")
    add("--folder", type=Path, default=levels.ROOT / "build" / "levels",
        help="where the databases are (default: build/levels)")  # fmt: skip
    options = parser.parse_args()
    if options.games < 4:
        parser.error(f"--games {options.games}: expected at least 4, half of them to measure the fit")
    if options.database and len(options.game or ()) != 1:
        parser.error("--database: needs --game with the name of its game")
    for game in options.game or known:
        folder = options.folder / engine_hash() / "native"
        path = options.database or play(game, folder, options.games, options.nodes)
        try:
            entry = entry_of(game, read(path), nodes_of(path, game))
        except (StoreError, ValueError) as error:
            parser.error(f"{path}: {error}")
        print(f"{game}: {entry}", flush=True)
        data = levels.store("results", game, entry)
        page = levels.PAGE.read_text(encoding="utf-8")
        page = levels.with_table(page, "fits", quality_table(data["results"]))
        page = levels.with_table(page, "calibration", calibration_table(data["results"]))
        write_whole(levels.PAGE, page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
