"""The levels of the engine and the chances of results: matches and fits; they write levels.toml and tables of the docs.

``levels``: each level plays the two levels below it. The four lowest levels also play the players of ``docs/examples``,
and the two highest levels play the engine at full strength with ``--nodes``; where the highest level is below the
greatest strength, so do stronger players, which play each other like the levels. All players are rated together, with
the random player at 0. With ``--fit``, players from strength 0 to 100 in small steps are rated in the same way. Levels
are then chosen at equal distances on a smooth curve through the ratings, and replaced until each level scores 60% to
75% against the level below, or after ``--rounds`` rounds. In games with room for more levels, the highest level is
below the greatest strength. With ``--no-rate``, the ratings are taken from the curve, without error bars. With
``--full``, only full strength and those players are rated, by the ratings that the two highest levels have.

``chances``: the fit maximises the likelihood of the model in ``latrones_uci/engine/calibration.py`` for games of the
engine against itself. Half of the openings are used for the fit, and the other half to measure it: the tables have the
log-loss per ply and the calibration on that half. The final parameters are fitted to all games.

Every pairing is a match with a database in ``--folder``; rerun the command to resume. The databases belong to this
version of the engine: when its code changes, a new folder is used.
"""

import argparse
import tomllib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, hypot, isinf, log
from pathlib import Path

from base import ROOT, markdown
from calibrate_games import FULL, GREEDY, RANDOM, Match, Player, engine_hash, play_matches, write_tables
from latrones_uci.client.time_control import TimeControl
from latrones_uci.engine.calibration import LEVELS, MAX_STRENGTH, ResultModel, shares
from latrones_uci.game import builtin_variants
from latrones_uci.match.summary import RatedGames
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.record import PlyRecord
from latrones_uci.records.store import Store, StoreError
from latrones_uci.stats.bradley_terry import Rating, solve
from latrones_uci.text.files import write_whole
from latrones_uci.web.match.rating_page import collect_games

DATA = ROOT / "latrones_uci" / "engine" / "levels.toml"
HEADING = (
    "# The levels of each game and the models of its results: written by scripts/calibrate.py levels and chances,\n"
    "# explained in docs/levels.md.\n"
)
Entry = dict[str, list[float]]

# ---------------------------------------------------------------- the file and its tables

def read_data() -> dict[str, dict[str, Entry]]:
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def store(kind: str, game: str, entry: dict[str, object]) -> dict[str, dict[str, Entry]]:
    """Store the entry of a game in the file, which another run may have changed meanwhile; return all tables."""
    data = read_data()
    data[kind][game] = entry  # type: ignore[assignment]
    write_data(data)  # type: ignore[arg-type]
    return data


def write_data(data: dict[str, dict[str, dict[str, object]]]) -> None:
    order = list(builtin_variants())
    parts = [HEADING]
    for kind, entries in data.items():
        for name in sorted(entries, key=order.index):
            rows = "".join(f"{key} = {value}\n" for key, value in entries[name].items())
            parts.append(f"[{kind}.{name}]\n{rows}")
    write_whole(DATA, "\n".join(parts))


def level_tables(entries: dict[str, Entry]) -> dict[str, str]:
    names = [name for name in builtin_variants() if name in entries]
    columns = [[*map(str, range(LEVELS)), f"{LEVELS}, at full strength", "greedy mover"]]
    for name in names:
        entry = entries[name]
        if "margins" not in entry:  # not rated yet
            columns.append([*(f"about {elo}" for elo in entry["ratings"]), "-", "-"])
            continue
        cells = [*zip(entry["ratings"], entry["margins"], entry["scores"], strict=True), entry["full"], entry["greedy"]]
        columns.append([f"{elo} ±{margin}, {score:.0%}" for elo, margin, score in cells])
    heads = ["level", *(f"`{name}`" for name in names)]
    return {"levels": markdown(heads, zip(*columns, strict=True))}


def chance_tables(entries: dict[str, Entry]) -> dict[str, str]:
    measured = {name: entries[name] for name in builtin_variants() if "loss" in entries.get(name, {})}
    heads = ["game", "nodes per move", "games", "plies", "drawn", "log-loss per ply",
             "without the no-capture limit", "base rate"]
    rows = [[f"`{name}`", entry["nodes"], entry["games"], entry["plies"], f"{entry['drawn']:.1%}",
             *(f"{entry[key]:.3f}" for key in ("loss", "loss_without_nocapture", "base_loss"))]
            for name, entry in measured.items()]
    bins = [[f"{100 * row // BINS} to {100 * (row + 1) // BINS}",
             *(f"{entry['expected'][row]:.0f} → {entry['scored'][row]:.0f}" if entry["bins"][row] else "-"
               for entry in measured.values())] for row in range(BINS)]
    return {"fits": markdown(heads, rows),
            "calibration": markdown(["expected", *(f"`{name}`" for name in measured)], bins)}


# ---------------------------------------------------------------- levels: the curve of strength and rating

MIN_RATING = 80.0
"""Rating of the lowest level."""
WIDEST_STEP = 140.0
"""Greatest distance between two levels: a score of 69%."""
BANDWIDTH = 8.0
"""Players within this distance of a strength contribute to its rating on the curve."""
FEWEST, MOST = 0.60, 0.75
"""Required range of the score of a level against the level below."""
OPENINGS = {"rota": "random:2"}
RUNGS = (80.0, 90.0, MAX_STRENGTH)
"""Strengths of players between a highest level that loses every game against full strength, and full strength."""
Point = tuple[float, float]


def smooth(points: Sequence[Point]) -> list[Point]:
    """Return the points smoothed by a straight line fitted to the points near each strength.

    The weights fall with the cube of the distance (W. S. Cleveland, "Robust Locally Weighted Regression", 1979).
    """
    found = []
    for at, _ in sorted(points):
        near = [(strength - at, rating, (1 - (abs(strength - at) / BANDWIDTH) ** 3) ** 3)
                for strength, rating in points if abs(strength - at) < BANDWIDTH]
        total = sum(weight for *_, weight in near)
        mean_x = sum(x * weight for x, _, weight in near) / total
        mean_y = sum(y * weight for _, y, weight in near) / total
        spread = sum(weight * (x - mean_x) ** 2 for x, _, weight in near)
        slope = sum(weight * (x - mean_x) * (y - mean_y) for x, y, weight in near) / spread if spread else 0.0
        found.append((at, mean_y - slope * mean_x))
    return found


def rising(points: Sequence[Point]) -> list[Point]:
    """Return the points with the closest ratings that never fall (pool adjacent violators)."""
    pools: list[list[float]] = []  # sum and number of ratings
    for _, rating in sorted(points):
        pools.append([rating, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    ratings = [total / count for total, count in pools for _ in range(round(count))]
    return [(strength, rating) for (strength, _), rating in zip(sorted(points), ratings, strict=True)]


def interpolated(points: Sequence[Point], at: float) -> float:
    """Return the second coordinate at the first one, on straight lines between points in rising order."""
    index = min(max(bisect_left([x for x, _ in points], at), 1), len(points) - 1)
    (left, low), (right, high) = points[index - 1], points[index]
    share = (at - left) / (right - left) if right > left else 0.0
    return low + (high - low) * min(1.0, max(0.0, share))


def ladder(curve: Sequence[Point]) -> list[float]:
    """Return the strengths of levels with equally spaced ratings on a rising curve."""
    by_rating = [(rating, strength) for strength, rating in curve]
    step = min(WIDEST_STEP, (curve[-1][1] - MIN_RATING) / (LEVELS - 1))
    strengths = [round(interpolated(by_rating, MIN_RATING + level * step), 1) for level in range(LEVELS)]
    for level in range(1, LEVELS):  # rounding must not make two levels equal
        strengths[level] = max(strengths[level], round(strengths[level - 1] + 0.1, 1))
    return strengths


# ---------------------------------------------------------------- levels: matches


@dataclass(frozen=True)
class Lab:
    game: str
    folder: Path
    games: int
    concurrency: int
    nodes: int
    backend: str

    @property
    def half(self) -> int:
        """Number of games, which is even, between players that are not neighbours."""
        return max(2, self.games // 4 * 2)

    def level(self, strength: float) -> Player:
        return Player(f"s{round(10 * strength):04d}", "level", strength, backend=self.backend)

    def full(self) -> Player:
        return Player(FULL, FULL, nodes=self.nodes, backend=self.backend)

    def play(self, pairings: Iterable[tuple[Player, Player, int]]) -> RatedGames:
        openings = OPENINGS.get(self.game, "random:4")
        matches = [Match(self.folder / f"{one.name}-{other.name}.db", self.game, (one, other), games, openings)
                   for one, other, games in pairings]
        return collect_games(list(play_matches(matches, self.concurrency)))


def pairings(lab: Lab, strengths: Sequence[float], *, anchored: bool) -> list[tuple[Player, Player, int]]:
    """Return the matches: between neighbours, between every other player with half as many games, and with anchors."""
    players = [lab.level(strength) for strength in strengths]
    found = ladder_pairings(lab, players)
    found += [(player, Player(RANDOM, RANDOM), lab.games) for player in players[:4]]
    if anchored:
        found += [(player, Player(GREEDY, GREEDY), lab.games) for player in players[:4]]
        found += full_pairings(lab, strengths)
    return found


def ladder_pairings(lab: Lab, players: Sequence[Player]) -> list[tuple[Player, Player, int]]:
    """Return the matches between neighbours, and between every other player with half as many games."""
    found = [(above, below, lab.games) for below, above in pairwise(players)]
    return found + [(above, below, lab.half) for below, above in zip(players, players[2:], strict=False)]


def full_pairings(lab: Lab, strengths: Sequence[float]) -> list[tuple[Player, Player, int]]:
    """Return the matches of full strength against the two highest levels, and those of the rungs between them."""
    rungs = [strength for strength in RUNGS if strength > strengths[-1]]
    players = [lab.level(strength) for strength in (*strengths[-2:], *rungs)]
    found = ladder_pairings(lab, players)[1:]  # the two levels have met
    opponents = {players[-2]: lab.half, players[-1]: lab.games, players[0]: lab.half, players[1]: lab.games}
    return found + [(lab.full(), player, count) for player, count in opponents.items()]


def rated(games: RatedGames) -> dict[str, Rating]:
    """Return the ratings of all players by name, with the random player at 0."""
    return {rating.name: rating for rating in games.rate({RANDOM: 0.0}).ratings}


def scores(games: RatedGames) -> dict[tuple[str, str], float]:
    found = {}
    for (one, other), encounter in games.encounters().items():
        share = encounter.points / encounter.count
        found[games.names[one], games.names[other]] = share
        found[games.names[other], games.names[one]] = 1 - share
    return found


def fit_levels(lab: Lab, rounds: int, grid_step: int) -> dict[str, object]:
    """Return the strengths of the levels of a game, and their ratings on the curve of all players."""
    grid = [float(strength) for strength in range(0, int(MAX_STRENGTH) + 1, grid_step)]
    matches = pairings(lab, grid, anchored=False)
    strengths: list[float] = []
    for number in range(rounds + 1):
        games = lab.play(matches)
        ratings = rated(games)
        points = [(int(name[1:]) / 10, rating.elo) for name, rating in ratings.items() if name != RANDOM]
        if strengths:
            names = [lab.level(strength).name for strength in strengths]
            met = scores(games)
            steps = [met[above, below] for below, above in pairwise(names)]
            print(f"{lab.game}: round {number}: steps {min(steps):.2f} to {max(steps):.2f}", flush=True)
            if all(FEWEST <= step <= MOST for step in steps):
                break
        else:
            print(f"{lab.game}: strength and rating: {', '.join(f'{at:g} {elo:.0f}' for at, elo in sorted(points))}",
                  flush=True)
        curve = rising(smooth(points))
        if number < max(rounds, 1):
            strengths = ladder(curve)
            matches = list({(one.name, other.name): (one, other, count) for one, other, count in
                            (*matches, *pairings(lab, strengths, anchored=False))}.values())
    return {"strengths": strengths, "ratings": ratings_on(curve, strengths)}


def ratings_on(curve: Sequence[Point], strengths: Sequence[float]) -> list[int]:
    """Return the ratings of levels on a curve, each at least 1 above the level below."""
    found: list[int] = []
    for strength in strengths:
        rating = round(interpolated(curve, strength))
        found.append(max(rating, found[-1] + 1) if found else max(rating, 1))
    return found


def rate(lab: Lab, strengths: Sequence[float]) -> dict[str, object]:
    games = lab.play(pairings(lab, strengths, anchored=True))
    ratings, met = rated(games), scores(games)
    names = [lab.level(strength).name for strength in strengths]
    below = [RANDOM, *names]
    return {
        "strengths": list(strengths),
        "ratings": [round(ratings[name].elo) for name in names],
        "margins": [round(ratings[name].margin) for name in names],
        "scores": [round(met[name, other], 3) for name, other in zip(names, below, strict=False)],
        "full": [round(ratings[FULL].elo), round(ratings[FULL].margin), round(met[FULL, names[-1]], 3)],
        "greedy": [round(ratings[GREEDY].elo), round(ratings[GREEDY].margin), round(met[GREEDY, names[0]], 3)],
        "games": lab.games,
        "nodes": lab.nodes,
    }


def rate_full(lab: Lab, entry: Entry) -> dict[str, object]:
    """Return the entry of a game with full strength rated anew; the margin includes that of the highest level."""
    strengths = entry["strengths"]
    games = lab.play(full_pairings(lab, strengths))
    names = [lab.level(strength).name for strength in strengths[-2:]]
    found = {rating.name: rating for rating in games.rate(dict(zip(names, entry["ratings"][-2:], strict=True))).ratings}
    full, share = found[FULL], scores(games)[FULL, names[-1]]
    if isinf(full.margin):
        raise SystemExit(f"{lab.game}: full strength won or lost all games, so its rating has no bounds; more --games?")
    return {**entry, "full": [round(full.elo), round(hypot(full.margin, entry["margins"][-1])), round(share, 3)]}


def check_levels(entries: dict[str, Entry]) -> int:
    wrong = 0
    for name, entry in entries.items():
        if "scores" not in entry:
            print(f"{name}: not rated")
            wrong += 1
            continue
        steps = entry["scores"][1:]
        outside = [f"level {level}: {step:.1%}" for level, step in enumerate(steps, start=1)
                   if not FEWEST <= step <= MOST]
        print(f"{name}: {len(steps) - len(outside)} of {len(steps)} steps from {FEWEST:.0%} to {MOST:.0%}"
              f"{'; ' * bool(outside)}{', '.join(outside)}")
        wrong += len(outside)
    return 1 if wrong else 0


def add_levels(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--game", action="append", choices=list(builtin_variants()), metavar="NAME",
        help="a game; may be repeated (default: all that have levels)")
    add("--games", type=int, default=160, metavar="N", help="games per pairing of neighbours (default: 160)")
    add("--fit", action="store_true", help="choose the strengths of the levels first")
    add("--rounds", type=int, default=3, metavar="N", help="with --fit: how often to choose them (default: 3)")
    add("--fit-games", type=int, default=60, metavar="N", help="with --fit: games per pairing (default: 60)")
    add("--no-rate", dest="rate", action="store_false", help="with --fit: do not play the levels that were chosen")
    add("--full", action="store_true", help="rate full strength only, against the levels as they are rated")
    add("--grid", type=int, default=10, metavar="N", help="with --fit: first distance of strengths (default: 10)")
    add("--nodes", type=int, default=60_000, metavar="N", help="nodes of full strength (default: 60000)")
    add("--backend", choices=("native", "python"), default="native", help="kernel (default: native)")
    add("--folder", type=Path, default=ROOT / "build" / "levels",
        help="where the databases are (default: build/levels)")
    add("--concurrency", type=int, default=1, metavar="N", help="processes (default: 1)")
    add("--check", action="store_true", help="play nothing: check the committed table")


def calibrate_levels(options: argparse.Namespace) -> int:
    """Rate the levels of games, or choose them anew; write levels.toml and the table."""
    if options.games < 4 or options.games % 2 or options.fit_games < 4 or options.fit_games % 2:
        options.error("--games and --fit-games: expected even numbers from 4: openings are played with both colours")
    if not options.rate and not options.fit:
        options.error("--no-rate: nothing to do; expected --fit")
    if options.fit and options.backend != "native":
        options.error("--fit: the levels are chosen for the native kernel; expected no --backend python")
    if options.full and (options.fit or options.backend != "native"):
        options.error("--full: the levels stay as they are, for the native kernel; expected no --fit, no --backend")
    known = read_data()["levels"]
    for game in options.game or ():
        if game not in known and (options.check or not options.fit):
            options.error(f"--game {game}: it has no levels yet; expected --fit, or one of {', '.join(known)}")
    if options.check:
        return check_levels({name: known[name] for name in options.game or known})
    for game in options.game or known:
        folder = options.folder / engine_hash() / options.backend / game
        lab = Lab(game, folder, options.games, options.concurrency, options.nodes, options.backend)
        if options.fit:
            entry = fit_levels(replace(lab, games=options.fit_games), options.rounds, options.grid)
        else:
            entry = dict(known[game])
        if options.full:
            entry = rate_full(lab, known[game])
        elif options.rate:
            entry = rate(lab, entry["strengths"])  # type: ignore[arg-type]
        print(f"{game}: {entry}", flush=True)
        if options.backend == "native":
            write_tables(level_tables(store("levels", game, entry)["levels"]))
    return 0


# ---------------------------------------------------------------- chances: games

RANDOM_PLIES = 6
SCORE_STEP = 4
"""Scores are grouped in steps of this many centi-soldiers, and shares in steps of ``SHARE_STEP``."""
SHARE_STEP = 1 / 40
PRIOR_PLIES = 2.0
"""Weight of the prior: the coefficients are 0, and the constants of ln a and ln b are ln 100, with an error of 1."""
CENTRE = log(100)
STEPS = 60
BINS = 10
MIN_CHANCE = 1e-6
FITTED = [name for name in builtin_variants() if name != "rota"]
"""The games whose scores are not exact."""
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
        found: Cells = {}
        for half in self.halves:
            for cell, counts in half.items():
                found.setdefault(cell, Counter()).update(counts)
        return found


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
    centi = ply.info.score.cp
    if centi is None:
        return None
    men, nocapture = (round(each / SHARE_STEP) * SHARE_STEP for each in share)
    return float(round(centi / SCORE_STEP) * SCORE_STEP), men, nocapture


# ---------------------------------------------------------------- chances: the fit


def gradient(model: ResultModel, cell: Cell, result: int) -> tuple[float, list[float]]:
    """Return the logarithm of the chance of a result, and its derivatives with respect to the six parameters."""
    score, men, nocapture = cell
    features = (1.0, men, nocapture * nocapture)
    a, b = (exp(sum(w * f for w, f in zip(weights, features, strict=True))) for weights in (model.draw, model.spread))
    win, draw, loss = (max(MIN_CHANCE, chance) for chance in model.chances(score, men, nocapture))
    # Derivatives of the chances of a win and of a loss with respect to ln a and ln b.
    slope_win, slope_loss = win * (1 - win), loss * (1 - loss)
    win_a, win_b = -slope_win * a / b, -slope_win * (score - a) / b
    loss_a, loss_b = -slope_loss * a / b, slope_loss * (score + a) / b
    chance, by_a, by_b = (
        (loss, loss_a, loss_b), (draw, -win_a - loss_a, -win_b - loss_b), (win, win_a, win_b)
    )[result]
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
    return _model([round(value, 4) for value in found], game)


def _model(values: Sequence[float], game: str = "") -> ResultModel:
    return ResultModel(game, tuple(values[:3]), tuple(values[3:]))  # type: ignore[arg-type]


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


# ---------------------------------------------------------------- chances: quality


def plies(cells: Cells) -> int:
    return sum(counts.total() for counts in cells.values())


def results(cells: Cells) -> Counter[int]:
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
            total -= count * log(max(MIN_CHANCE, (loss, draw, win)[result]))
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
    known, bins = results(sample.all), calibration(measured, model)
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
        "expected": [round(100 * expected, 1) for _, expected, _ in bins],
        "scored": [round(100 * scored, 1) for *_, scored in bins],
        "bins": [count for count, *_ in bins],
    }


def add_chances(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--game", action="append", choices=FITTED, metavar="NAME", help="a game; may be repeated (default: all)")
    add("--games", type=int, default=400, metavar="N", help="games to play (default: 400)")
    add("--nodes", type=int, default=5000, metavar="N", help="nodes per move (default: 5000)")
    add("--database", type=Path, metavar="FILE.db", help="match to fit to, of one game (default: play)")
    add("--folder", type=Path, default=ROOT / "build" / "levels",
        help="where the databases are (default: build/levels)")


def calibrate_chances(options: argparse.Namespace) -> int:
    """Fit the chances that ``UCI_ShowWDL`` prints; write levels.toml and the tables."""
    if options.games < 4:
        options.error(f"--games {options.games}: expected at least 4, half of them to measure the fit")
    if options.database and len(options.game or ()) != 1:
        options.error("--database: needs --game with the name of its game")
    for game in options.game or FITTED:
        # The players are identical: with colours swapped, they would play every game of an opening twice.
        one, other = (Player(name, FULL, nodes=options.nodes, random_plies=RANDOM_PLIES) for name in "AB")
        path = options.folder / engine_hash() / "native" / game / f"self-{options.nodes}.db"
        path = options.database or next(play_matches([Match(path, game, (one, other), options.games, "random:0")], 1))
        try:
            entry = entry_of(game, read(path), nodes_of(path, game))
        except (StoreError, ValueError) as error:
            options.error(f"{path}: {error}")
        print(f"{game}: {entry}", flush=True)
        write_tables(chance_tables(store("results", game, entry)["results"]))
    return 0
