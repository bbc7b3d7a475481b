#!/usr/bin/env python3
"""Rate the levels of the engine by matches, or choose them anew, and write the table of docs/levels.md.

    python3 scripts/levels.py --game latrones               # play the matches that are missing, rate, write the table
    python3 scripts/levels.py --game latrones --fit         # choose the strengths of the levels first
    python3 scripts/levels.py --game latrones --fit --rounds 0 --no-rate   # a first guess, in a tenth of the time
    python3 scripts/levels.py --check                       # play nothing; is every step of the committed table right?

Each level plays the level below and the one below that; the four lowest also play the movers of ``docs/examples``, and
the two highest the engine at full strength with ``--nodes``. All of them are rated together, with the random mover at
0. The ratings go into ``latrones_uci/engine/levels.toml``, from which the engine and the table read them.

With ``--fit``, players from strength 0 to 100 in small steps are rated in the same way. Levels are then chosen at equal
distances of rating, and replaced until each scores 60% to 75% against the one below, or ``--rounds`` are over. With
``--no-rate``, their ratings are those of the curve; the table shows them without an error bar.

Every pairing is a match with a database in ``--folder``; rerun the command to resume. The databases are those of this
engine: when its code changes, a new folder is used.
"""

import argparse
import hashlib
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
from latrones_uci.match.rating_table import RatedGames  # noqa: E402
from latrones_uci.report.rating_page import collect_games  # noqa: E402
from latrones_uci.stats.bradley_terry import Rating  # noqa: E402
from level_games import FULL, GREEDY, RANDOM, Player, play_matches  # noqa: E402

DATA = ROOT / "latrones_uci" / "engine" / "levels.toml"
PAGE = ROOT / "docs" / "levels.md"
HEADING = (
    "# The levels of each game and the models of its results: written by scripts/levels.py and scripts/wdl.py,\n"
    "# explained in docs/levels.md.\n"
)
LOWEST_RATING = 60.0
"""Rating at which the lowest level is placed."""
FEWEST, MOST = 0.60, 0.75
"""Score of a level against the one below that is asked for."""
OPENINGS = {"rota": "random:2"}
Point = tuple[float, float]


@dataclass(frozen=True)
class Lab:
    """Where and how the matches of a game are played."""

    game: str
    folder: Path
    games: int
    concurrency: int
    nodes: int
    backend: str

    def level(self, strength: float) -> Player:
        """Return the player of a strength."""
        return Player(f"s{round(10 * strength):04d}", "level", strength, backend=self.backend)

    def full(self) -> Player:
        """Return the engine at full strength."""
        return Player(FULL, FULL, nodes=self.nodes, backend=self.backend)

    def play(self, pairings: Iterable[tuple[Player, Player, int]]) -> RatedGames:
        """Play the games that are missing, and return all of them."""
        openings = OPENINGS.get(self.game, "random:4")
        matches = [(self.folder / f"{one.name}-{other.name}.db", self.game, (one, other), games, openings)
                   for one, other, games in pairings]  # fmt: skip
        return collect_games(play_matches(matches, self.concurrency))


# ---------------------------------------------------------------- the curve of strength and rating


def rising(points: Sequence[Point]) -> list[Point]:
    """Return the points with the nearest ratings that never fall (pool adjacent violators)."""
    pools: list[list[float]] = []  # sum of ratings, and their number
    for _, rating in sorted(points):
        pools.append([rating, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    ratings = [total / count for total, count in pools for _ in range(round(count))]
    return [(strength, rating) for (strength, _), rating in zip(sorted(points), ratings, strict=True)]


def strength_at(curve: Sequence[Point], rating: float) -> float:
    """Return the strength with a rating on a rising curve, by interpolation."""
    at = min(max(bisect_left([each for _, each in curve], rating), 1), len(curve) - 1)
    (low, below), (high, above) = curve[at - 1], curve[at]
    share = (rating - below) / (above - below) if above > below else 0.0
    return low + (high - low) * min(1.0, max(0.0, share))


def ladder(curve: Sequence[Point]) -> list[float]:
    """Return the strengths of the levels, at equal distances of rating on a rising curve."""
    top = curve[-1][1]
    step = (top - LOWEST_RATING) / (LEVELS - 1)
    strengths = [round(strength_at(curve, LOWEST_RATING + level * step), 1) for level in range(LEVELS)]
    for level in range(1, LEVELS):  # rounding must not make two levels equal
        strengths[level] = max(strengths[level], round(strengths[level - 1] + 0.1, 1))
    return strengths


# ---------------------------------------------------------------- matches


def pairings(lab: Lab, strengths: Sequence[float], *, anchored: bool) -> list[tuple[Player, Player, int]]:
    """Return the matches: neighbours, half as many games between every other player, and the anchors."""
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
    """Return the ratings of all players by name, the random mover at 0."""
    return {rating.name: rating for rating in games.rate({RANDOM: 0.0}).ratings}


def scores(games: RatedGames) -> dict[tuple[str, str], float]:
    """Return the score of each player against each that it met."""
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
        curve = rising(points)
        if number < max(rounds, 1):
            strengths = ladder(curve)
            matches = list({(one.name, other.name): (one, other, count) for one, other, count in
                            (*matches, *pairings(lab, strengths, anchored=False))}.values())  # fmt: skip
    return {"strengths": strengths, "ratings": ratings_on(curve, strengths)}


def ratings_on(curve: Sequence[Point], strengths: Sequence[float]) -> list[int]:
    """Return the ratings of levels on a curve, each at least 1 above the one below."""
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


def write_data(data: dict[str, dict[str, dict[str, object]]]) -> None:
    """Write the file of levels."""
    order = list(builtin_variants())
    parts = [HEADING]
    for kind, entries in data.items():
        for name in sorted(entries, key=order.index):
            rows = "".join(f"{key} = {value}\n" for key, value in entries[name].items())
            parts.append(f"[{kind}.{name}]\n{rows}")
    DATA.write_text("\n".join(parts), encoding="utf-8")


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
    """Print the steps of the table that are outside what is asked for; return the exit status."""
    wrong = 0
    for name, entry in entries.items():
        if "scores" not in entry:
            print(f"{name}: not rated")
            wrong += 1
            continue
        steps = [*entry["scores"][1:], entry["full"][2]]
        outside = [f"level {level}: {step:.1%}" for level, step in enumerate(steps, start=1)
                   if not FEWEST <= step <= MOST]  # fmt: skip
        print(f"{name}: {len(steps) - len(outside)} of {len(steps)} steps from {FEWEST:.0%} to {MOST:.0%}"
              f"{'; ' * bool(outside)}{', '.join(outside)}")  # fmt: skip
        wrong += len(outside)
    return 1 if wrong else 0


def engine_hash() -> str:
    """Return a hash of the code that decides how the levels play."""
    package = ROOT / "latrones_uci"
    digest = hashlib.sha256()
    files = [path for room in ("game", "search", "native") for path in sorted((package / room).rglob("*"))]
    for path in [*files, package / "engine" / "levels.py"]:
        if path.suffix in (".py", ".so", ".toml"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def main() -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    known = list(builtin_variants())
    add("--game", action="append", choices=known, metavar="NAME", help="a game; may be repeated (default: all)")
    add("--games", type=int, default=100, metavar="N", help="games per pairing of neighbours (default: 100)")
    add("--fit", action="store_true", help="choose the strengths of the levels first")
    add("--rounds", type=int, default=2, metavar="N", help="with --fit: how often to choose them (default: 2)")
    add("--fit-games", type=int, default=40, metavar="N", help="with --fit: games per pairing (default: 40)")
    add("--no-rate", dest="rate", action="store_false", help="with --fit: do not play the levels that were chosen")
    add("--grid", type=int, default=5, metavar="N", help="with --fit: first distance of strengths (default: 5)")
    add("--nodes", type=int, default=200_000, metavar="N", help="nodes of full strength (default: 200000)")
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
    data = read_data()
    if options.check:
        return check({name: data["levels"][name] for name in options.game or data["levels"]})
    for game in options.game or known:
        folder = options.folder / engine_hash() / options.backend / game
        lab = Lab(game, folder, options.games, options.concurrency, options.nodes, options.backend)
        if options.fit:
            entry = fit(replace(lab, games=options.fit_games), options.rounds, options.grid)
        else:
            entry = dict(data["levels"][game])
        if options.rate:
            entry = rate(lab, entry["strengths"])  # type: ignore[arg-type]
        print(f"{game}: {entry}", flush=True)
        if options.backend == "native":
            data["levels"][game] = entry  # type: ignore[assignment]
            write_data(data)  # type: ignore[arg-type]
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(with_table(page, "levels", table(data["levels"])), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
