#!/usr/bin/env python3
"""Rate the levels of the engine by matches, or choose them anew, and write the table of docs/levels.md.

    python3 scripts/levels.py --game latrones               # play the missing matches, rate, write the table
    python3 scripts/levels.py --game latrones --fit         # choose the strengths of the levels first
    python3 scripts/levels.py --game latrones --fit --rounds 0 --no-rate   # a first guess, in a tenth of the time
    python3 scripts/levels.py --check                       # play nothing; check every step of the committed table

Each level plays the two levels below it. The four lowest levels also play the players of ``docs/examples``, and the two
highest levels play the engine at full strength with ``--nodes``. All players are rated together, with the random player
at 0. The ratings are written to ``latrones_uci/engine/levels.toml``, which the engine and the table read.

With ``--fit``, players from strength 0 to 100 in small steps are rated in the same way. Levels are then chosen at equal
distances on a smooth curve through the ratings, and replaced until each level scores 60% to 75% against the level
below, or after ``--rounds`` rounds. In games with room for more levels, the highest level is below the greatest
strength. With ``--no-rate``, the ratings are taken from the curve, and the table shows them without an error bar.

Every pairing is a match with a database in ``--folder``; rerun the command to resume. The databases belong to this
version of the engine: when its code changes, a new folder is used.
"""

import argparse
import sys
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from latrones_uci.engine.calibration import LEVELS, MOST_STRENGTH  # noqa: E402
from latrones_uci.game import builtin_variants  # noqa: E402
from latrones_uci.match.files import write_whole  # noqa: E402
from latrones_uci.match.rating_table import RatedGames  # noqa: E402
from latrones_uci.stats.bradley_terry import Rating  # noqa: E402
from latrones_uci.web.report.rating_page import collect_games  # noqa: E402
from level_games import FULL, GREEDY, RANDOM, Match, Player, engine_hash, play_matches  # noqa: E402

DATA = ROOT / "latrones_uci" / "engine" / "levels.toml"
PAGE = ROOT / "docs" / "levels.md"
HEADING = (
    "# The levels of each game and the models of its results: written by scripts/levels.py and scripts/wdl.py,\n"
    "# explained in docs/levels.md.\n"
)
LOWEST_RATING = 80.0
"""Rating of the lowest level."""
WIDEST_STEP = 140.0
"""Greatest distance between two levels: a score of 69%."""
BANDWIDTH = 8.0
"""Players within this distance of a strength contribute to its rating on the curve."""
FEWEST, MOST = 0.60, 0.75
"""Required range of the score of a level against the level below."""
OPENINGS = {"rota": "random:2"}
Point = tuple[float, float]


@dataclass(frozen=True)
class Lab:
    """The settings for the matches of a game."""

    game: str
    folder: Path
    games: int
    concurrency: int
    nodes: int
    backend: str

    def level(self, strength: float) -> Player:
        """Return the player with a strength."""
        return Player(f"s{round(10 * strength):04d}", "level", strength, backend=self.backend)

    def full(self) -> Player:
        """Return the engine at full strength."""
        return Player(FULL, FULL, nodes=self.nodes, backend=self.backend)

    def play(self, pairings: Iterable[tuple[Player, Player, int]]) -> RatedGames:
        """Play the missing games, and return all games."""
        openings = OPENINGS.get(self.game, "random:4")
        matches = [Match(self.folder / f"{one.name}-{other.name}.db", self.game, (one, other), games, openings)
                   for one, other, games in pairings]  # fmt: skip
        return collect_games(list(play_matches(matches, self.concurrency)))


# ---------------------------------------------------------------- the curve of strength and rating


def smooth(points: Sequence[Point]) -> list[Point]:
    """Return the points smoothed by a straight line fitted to the points near each strength.

    The weights fall with the cube of the distance (W. S. Cleveland, "Robust Locally Weighted Regression", 1979).
    """
    found = []
    for at, _ in sorted(points):
        near = [(strength - at, rating, (1 - (abs(strength - at) / BANDWIDTH) ** 3) ** 3)
                for strength, rating in points if abs(strength - at) < BANDWIDTH]  # fmt: skip
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


def strength_at(curve: Sequence[Point], rating: float) -> float:
    """Return the strength at a rating on a rising curve, by interpolation."""
    at = min(max(bisect_left([each for _, each in curve], rating), 1), len(curve) - 1)
    (low, below), (high, above) = curve[at - 1], curve[at]
    share = (rating - below) / (above - below) if above > below else 0.0
    return low + (high - low) * min(1.0, max(0.0, share))


def ladder(curve: Sequence[Point]) -> list[float]:
    """Return the strengths of levels with equally spaced ratings on a rising curve."""
    top = curve[-1][1]
    step = min(WIDEST_STEP, (top - LOWEST_RATING) / (LEVELS - 1))
    strengths = [round(strength_at(curve, LOWEST_RATING + level * step), 1) for level in range(LEVELS)]
    for level in range(1, LEVELS):  # rounding must not make two levels equal
        strengths[level] = max(strengths[level], round(strengths[level - 1] + 0.1, 1))
    return strengths


# ---------------------------------------------------------------- matches


def pairings(lab: Lab, strengths: Sequence[float], *, anchored: bool) -> list[tuple[Player, Player, int]]:
    """Return the matches: between neighbours, between every other player with half as many games, and with anchors."""
    players = [lab.level(strength) for strength in strengths]
    half = max(2, lab.games // 4 * 2)
    found = [(above, below, lab.games) for below, above in pairwise(players)]
    found += [(above, below, half) for below, above in zip(players, players[2:], strict=False)]
    found += [(player, Player(RANDOM, RANDOM), lab.games) for player in players[:4]]
    if anchored:
        found += [(player, Player(GREEDY, GREEDY), lab.games) for player in players[:4]]
        found += [(lab.full(), players[-1], lab.games), (lab.full(), players[-2], half)]
    return found


def rated(games: RatedGames) -> dict[str, Rating]:
    """Return the ratings of all players by name, with the random player at 0."""
    return {rating.name: rating for rating in games.rate({RANDOM: 0.0}).ratings}


def scores(games: RatedGames) -> dict[tuple[str, str], float]:
    """Return the score of each player against each of its opponents."""
    found = {}
    for (one, other), encounter in games.encounters().items():
        share = encounter.points / encounter.count
        found[games.names[one], games.names[other]] = share
        found[games.names[other], games.names[one]] = 1 - share
    return found


def fit(lab: Lab, rounds: int, grid_step: int) -> dict[str, object]:
    """Return the strengths of the levels of a game, and their ratings on the curve of all players."""
    grid = [float(strength) for strength in range(0, int(MOST_STRENGTH) + 1, grid_step)]
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
                  flush=True)  # fmt: skip
        curve = rising(smooth(points))
        if number < max(rounds, 1):
            strengths = ladder(curve)
            matches = list({(one.name, other.name): (one, other, count) for one, other, count in
                            (*matches, *pairings(lab, strengths, anchored=False))}.values())  # fmt: skip
    return {"strengths": strengths, "ratings": ratings_on(curve, strengths)}


def ratings_on(curve: Sequence[Point], strengths: Sequence[float]) -> list[int]:
    """Return the ratings of levels on a curve, each at least 1 above the level below."""
    found: list[int] = []
    for strength in strengths:
        at = min(max(bisect_left([each for each, _ in curve], strength), 1), len(curve) - 1)
        (low, below), (high, above) = curve[at - 1], curve[at]
        rating = round(below + (above - below) * (strength - low) / (high - low))
        found.append(max(rating, found[-1] + 1) if found else max(rating, 1))
    return found


def rate(lab: Lab, strengths: Sequence[float]) -> dict[str, object]:
    """Return the entry of a game in the file of levels."""
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


# ---------------------------------------------------------------- the file and the page


def read_data() -> dict[str, dict[str, dict[str, list[float]]]]:
    """Return the tables of the file of levels."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def store(kind: str, game: str, entry: dict[str, object]) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Store the entry of a game in the file, which another script may have changed meanwhile; return all tables."""
    data = read_data()
    data[kind][game] = entry  # type: ignore[assignment]
    write_data(data)  # type: ignore[arg-type]
    return data


def write_data(data: dict[str, dict[str, dict[str, object]]]) -> None:
    """Write the file of levels."""
    order = list(builtin_variants())
    parts = [HEADING]
    for kind, entries in data.items():
        for name in sorted(entries, key=order.index):
            rows = "".join(f"{key} = {value}\n" for key, value in entries[name].items())
            parts.append(f"[{kind}.{name}]\n{rows}")
    write_whole(DATA, "\n".join(parts))


def table(entries: dict[str, dict[str, list[float]]]) -> str:
    """Return the table of the page: a column for each game."""
    names = [name for name in builtin_variants() if name in entries]
    rows = [f"| level | {' | '.join(f'`{name}`' for name in names)} |", f"|---|{'---|' * len(names)}"]
    columns = []
    for name in names:
        entry = entries[name]
        if "margins" not in entry:  # not rated yet
            columns.append([*(f"about {elo}" for elo in entry["ratings"]), "-", "-"])
            continue
        cells = [f"{elo} ±{margin}, {score:.0%}" for elo, margin, score in
                 zip(entry["ratings"], entry["margins"], entry["scores"], strict=True)]  # fmt: skip
        elo, margin, score = entry["full"]
        columns.append([*cells, f"{elo} ±{margin}, {score:.0%}", _greedy(entry["greedy"])])
    heads = [*map(str, range(LEVELS)), f"{LEVELS}, at full strength", "greedy mover"]
    rows += [f"| {head} | {' | '.join(column[row] for column in columns)} |" for row, head in enumerate(heads)]
    return "\n".join(rows) + "\n"


def _greedy(values: Sequence[float]) -> str:
    elo, margin, score = values
    return f"{elo} ±{margin}, {score:.0%}"


def with_table(page: str, name: str, text: str) -> str:
    """Return a page with the text between two markers replaced."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    head, mark, rest = page.partition(start)
    _, close, tail = rest.partition(end)
    if not mark or not close:
        raise SystemExit(f"{PAGE}: missing markers of '{name}'")
    return head + mark + text + close + tail


def check(entries: dict[str, dict[str, list[float]]]) -> int:
    """Print the steps of the table that are out of range; return the exit status."""
    wrong = 0
    for name, entry in entries.items():
        if "scores" not in entry:
            print(f"{name}: not rated")
            wrong += 1
            continue
        steps = entry["scores"][1:]
        outside = [f"level {level}: {step:.1%}" for level, step in enumerate(steps, start=1)
                   if not FEWEST <= step <= MOST]  # fmt: skip
        print(f"{name}: {len(steps) - len(outside)} of {len(steps)} steps from {FEWEST:.0%} to {MOST:.0%}"
              f"{'; ' * bool(outside)}{', '.join(outside)}")  # fmt: skip
        wrong += len(outside)
    return 1 if wrong else 0


def main() -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--game", action="append", choices=list(builtin_variants()), metavar="NAME",
        help="a game; may be repeated (default: all that have levels)")  # fmt: skip
    add("--games", type=int, default=160, metavar="N", help="games per pairing of neighbours (default: 160)")
    add("--fit", action="store_true", help="choose the strengths of the levels first")
    add("--rounds", type=int, default=3, metavar="N", help="with --fit: how often to choose them (default: 3)")
    add("--fit-games", type=int, default=60, metavar="N", help="with --fit: games per pairing (default: 60)")
    add("--no-rate", dest="rate", action="store_false", help="with --fit: do not play the levels that were chosen")
    add("--grid", type=int, default=10, metavar="N", help="with --fit: first distance of strengths (default: 10)")
    add("--nodes", type=int, default=60_000, metavar="N", help="nodes of full strength (default: 60000)")
    add("--backend", choices=("native", "python"), default="native", help="kernel (default: native)")
    add("--folder", type=Path, default=ROOT / "build" / "levels",
        help="where the databases are (default: build/levels)")  # fmt: skip
    add("--concurrency", type=int, default=1, metavar="N", help="processes (default: 1)")
    add("--check", action="store_true", help="play nothing: check the committed table")
    options = parser.parse_args()
    if options.games < 4 or options.games % 2 or options.fit_games < 4 or options.fit_games % 2:
        parser.error("--games and --fit-games: expected even numbers from 4, as openings are played with both colours")
    if not options.rate and not options.fit:
        parser.error("--no-rate: nothing to do; expected --fit")
    if options.fit and options.backend != "native":
        parser.error("--fit: the levels are chosen for the native kernel; expected no --backend python")
    known = read_data()["levels"]
    for game in options.game or ():
        if game not in known and (options.check or not options.fit):
            parser.error(f"--game {game}: it has no levels yet; expected --fit, or one of {', '.join(known)}")
    if options.check:
        return check({name: known[name] for name in options.game or known})
    for game in options.game or known:
        folder = options.folder / engine_hash() / options.backend / game
        lab = Lab(game, folder, options.games, options.concurrency, options.nodes, options.backend)
        if options.fit:
            entry = fit(replace(lab, games=options.fit_games), options.rounds, options.grid)
        else:
            entry = dict(known[game])
        if options.rate:
            entry = rate(lab, entry["strengths"])  # type: ignore[arg-type]
        print(f"{game}: {entry}", flush=True)
        if options.backend == "native":
            data = store("levels", game, entry)
            page = PAGE.read_text(encoding="utf-8")
            write_whole(PAGE, with_table(page, "levels", table(data["levels"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
