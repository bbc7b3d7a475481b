"""The quality of a game, measured by what happens in its games; docs/variants.md explains every figure.

The games are those of a match between two strengths of one engine, with both colours from each opening. They are read
one at a time: ``facts_of`` replays a game, ``summarise`` adds up the facts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from textwrap import wrap
from typing import Any, NamedTuple

from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import WHITE, Position, Ruleset
from latrones_uci.game.outcome import ending_name
from latrones_uci.match.progress import estimate_to_data
from latrones_uci.records.annotation import Evaluation, chance_of
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.record import GameRecord
from latrones_uci.records.store import Store
from latrones_uci.stats import Estimate, estimate_from_games, estimate_from_pairs, pentanomial_of
from latrones_uci.stats.drama import drama, killer_move, lead_changes, leads
from latrones_uci.studies.rule_use import Change, changes_of, changes_that_matter, count_captures, kinds_of
from latrones_uci.text.files import OnReading, report_nothing
from latrones_uci.text.messages import counted

WEAKER, STRONGER = 0, 1
"""The indices of the two engines of the match."""
QUIET_PLIES = 20
"""A ply stalls if at least this number of plies before it captured and placed nothing."""
UNFINISHED = "unfinished"
"""The ending of a game that the rules did not end."""


@dataclass(frozen=True)
class GameFacts:
    number: int
    """The number of the game in the match."""
    pair: int
    """The number of its pair."""
    stronger: int
    """The colour of the stronger engine, 0 White, 1 Black."""
    winner: int | None
    """0 White, 1 Black, None for a draw or an unfinished game."""
    ending: str
    """How the rules ended it, or ``UNFINISHED``."""
    moves: int
    """A hash of start and moves, the same for equal games of one run of the program."""
    plies: int
    choices: int
    """The number of legal moves before each ply, added up."""
    stalled: int
    """The number of plies that stall (see ``QUIET_PLIES``)."""
    landings: tuple[int, ...]
    """For each square how often a piece was placed there or ended its move there."""
    captures: Counter[str]
    """The number of captured pieces by kind of capture (see ``rule_use``)."""
    lead_changes: int
    """See ``drama.lead_changes``."""
    drama: float
    """See ``drama.drama``; 0 without a winner."""
    behind: float
    """The share of the game in which the winner was behind, 0 to 1; 0 without a winner."""
    killer: float
    """See ``drama.killer_move``."""


def facts_of(record: GameRecord) -> GameFacts:
    """Replay a game, which has to be legal, and return the facts."""
    game, fixture = record.game, record.fixture
    position, stalled, choices, captures = game.start, 0, 0, Counter[str]()
    landings, estimates = [0] * position.geometry.squares, list[tuple[int, float]]()
    for ply in game.plies:
        choices += len(position.packed_moves)
        stalled += position.nocapture >= QUIET_PLIES
        if (centi := Evaluation(ply.info.score, ply.side).white_centi) is not None:
            estimates.append((ply.side, chance_of(centi)))
        move = position.parse_move(ply.text)
        after = position.after(move)
        if taken := position.lifted(after):
            captures += count_captures(position, move, taken)
        for square in _landed(position, after):
            landings[square] += 1
        position = after
    lead, winner = leads(estimates), game.outcome.winner
    severity, behind = (0.0, 0.0) if winner is None else drama(lead, winner)
    ending = ending_name(game.outcome, position.ruleset) if game.outcome.termination.by_rules else UNFINISHED
    moves = hash((game.start.board, *(ply.text for ply in game.plies)))
    return GameFacts(
        fixture.number, fixture.pair, int(fixture.white != STRONGER), winner, ending, moves, len(game.plies), choices,
        stalled, tuple(landings), captures, lead_changes(lead), severity, behind, killer_move(estimates)[0],
    )


def _landed(before: Position, after: Position) -> list[int]:
    own = set("SDB" if before.side == WHITE else "sdb")
    return [square for square in range(before.geometry.squares)
            if after.piece_at(square) in own and before.piece_at(square) not in own]


# ---------------------------------------------------------------- the whole


@dataclass(frozen=True)
class Quality:
    """What the games of a ruleset say; shares are 0 to 1, means are over games."""

    ruleset: Ruleset
    """The game."""
    games: int
    """The number of games, at least 1."""
    different: int
    """The number of different games among them; if it is smaller, the error bars are too narrow."""
    wins: tuple[int, int]
    endings: dict[str, int]
    """The number of games by what ended them, the most frequent first."""
    draws: dict[str, int]
    """The number of draws by the rules, likewise."""
    unfinished: int
    """The number of games that had too many plies; they count as draws in the scores."""
    plies: tuple[float, float, int, int]
    """Mean, median, minimum and maximum of the number of plies."""
    branching: float
    white: Estimate
    """White's score: the advantage of the first move."""
    stronger: Estimate
    """The score of the stronger engine; its Elo is that of twice the nodes."""
    stronger_wins: int
    """The number of games that the stronger engine won."""
    stronger_losses: int
    lead_changes: float
    drama: float | None
    """The mean of Browne's average drama over the games with a winner; None without such games."""
    killer: float
    """The mean of the largest gain of chance by one move."""
    stalling: float
    board: float
    """The mean share of the squares on which a piece landed."""
    landings: tuple[float, ...]
    """For each square, the share of all landings."""
    captures: dict[str, float]
    """The mean number of captured pieces by kind of capture, with 0 for those that were never used."""
    idle_rules: tuple[Change, ...]
    """The changes of rules with which all games would have been the same."""
    dramatic: int
    """The number of the most dramatic game: ``drama`` times ``behind`` is largest, or else ``lead_changes``."""
    lengths: tuple[int, ...] = field(repr=False)

    @property
    def completion(self) -> float:
        """The share of games that the rules ended (Browne's criterion of this name)."""
        return 1 - self.unfinished / self.games

    @property
    def unused_captures(self) -> list[str]:
        return [kind for kind, count in self.captures.items() if not count]


def summarise(ruleset: Ruleset, facts: Sequence[GameFacts], idle: Iterable[Change]) -> Quality:
    """Add up the facts of the games of a ruleset.

    Args:
        ruleset: the game.
        facts: those of at least one game.
        idle: the changes of rules with which no game would have been another one.
    """
    count, plies, landings = len(facts), sum(each.plies for each in facts), _added(each.landings for each in facts)
    decided = [each for each in facts if each.winner is not None]
    taken = sum((each.captures for each in facts), Counter[str]())
    lengths = tuple(each.plies for each in facts)
    return Quality(
        ruleset, count, len({each.moves for each in facts}),
        (sum(each.winner == 0 for each in facts), sum(each.winner == 1 for each in facts)),
        _counted(each.ending for each in facts),
        _counted(each.ending for each in facts if each.winner is None and each.ending != UNFINISHED),
        sum(each.ending == UNFINISHED for each in facts),
        (mean(lengths), median(lengths), min(lengths), max(lengths)),
        sum(each.choices for each in facts) / max(plies, 1),
        _estimate(facts, [0] * count), _estimate(facts, [each.stronger for each in facts]),
        sum(each.winner == each.stronger for each in decided), sum(each.winner != each.stronger for each in decided),
        mean(each.lead_changes for each in facts), mean(each.drama for each in decided) if decided else None,
        mean(each.killer for each in facts), sum(each.stalled for each in facts) / max(plies, 1),
        mean(sum(map(bool, each.landings)) / len(each.landings) for each in facts),
        tuple(square / max(sum(landings), 1) for square in landings),
        {kind: taken[kind] / count for kind in dict.fromkeys([*kinds_of(ruleset), *sorted(taken)])},
        tuple(idle), max(facts, key=lambda each: (each.drama * each.behind, each.lead_changes)).number, lengths,
    )


def _added(rows: Iterable[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _estimate(facts: Sequence[GameFacts], sides: Sequence[int]) -> Estimate:
    """Estimate the score of the given side of each game from the complete pairs, or from games if there are none."""
    pairs: dict[int, list[float]] = {}
    for each, side in zip(facts, sides, strict=True):
        pairs.setdefault(each.pair, []).append(0.5 if each.winner is None else float(each.winner == side))
    complete = [sum(points) for points in pairs.values() if len(points) == 2]
    if complete:
        return estimate_from_pairs(pentanomial_of(complete))
    single = Counter(points for pair in pairs.values() for points in pair)
    return estimate_from_games(single[1.0], single[0.5], single[0.0])


def read_quality(store: Store, report: OnReading = report_nothing) -> Quality:
    """Replay the games of a match of one variant, and return its quality.

    Args:
        store: the database of the match between the weaker and the stronger engine, with at least one game.
        report: called often with a text that says how far the games are replayed.

    Raises:
        StoreError: the database cannot be read, or contains no match.
    """
    settings, total = stored_settings(store), len(store.game_numbers())
    ruleset = start_position(settings.variants[0], settings.variant_file).ruleset
    idle, facts = dict(changes_of(ruleset)), list[GameFacts]()
    for record in stored_games(store, settings):
        facts.append(facts_of(record))
        for change in changes_that_matter(record.game, idle):
            del idle[change]
        report(f"{ruleset.name}: {counted(len(facts), 'game')} of {total} replayed")
    return summarise(ruleset, facts, idle)


# ---------------------------------------------------------------- as text and JSON


def quality_to_data(quality: Quality) -> dict[str, Any]:
    """Return a quality for JSON; docs/variants.md describes it."""
    mean_plies, middle, least, most = quality.plies
    return {
        "game": quality.ruleset.name, "title": quality.ruleset.title, "games": quality.games,
        "different_games": quality.different, "completion": quality.completion, "unfinished": quality.unfinished,
        "plies": {"mean": mean_plies, "median": middle, "min": least, "max": most}, "branching": quality.branching,
        "white_wins": quality.wins[0], "black_wins": quality.wins[1], "white": estimate_to_data(quality.white),
        "endings": quality.endings, "draws": quality.draws,
        "stronger_wins": quality.stronger_wins, "stronger_losses": quality.stronger_losses,
        "stronger": estimate_to_data(quality.stronger), "lead_changes": quality.lead_changes,
        "drama": quality.drama, "killer_move": quality.killer, "stalling": quality.stalling,
        "board_use": quality.board, "landings": [round(share, 5) for share in quality.landings],
        "captures": quality.captures,
        "unused_captures": quality.unused_captures,
        "idle_rules": [{"key": key, "also": value} for key, value in quality.idle_rules],
        "most_dramatic_game": quality.dramatic,
    }


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def _elo(estimate: Mapping[str, Any]) -> str:
    value, low, high = (estimate["elo"][key] for key in ("value", "low", "high"))
    if value is None:
        return f"{'+' if estimate['score']['value'] else '-'}inf"
    return f"{value:+z.0f} \u00b1{'inf' if None in (low, high) else f'{(high - low) / 2:.0f}'}"


def _score(estimate: Mapping[str, Any]) -> str:
    score = estimate["score"]
    return f"{score['value']:.0%} \u00b1{50 * (score['high'] - score['low']):.0f}"


class Measure(NamedTuple):
    name: str
    """A word or two, for the head of a column."""
    label: str
    """A few words, for the head of a row."""
    text: Callable[[Mapping[str, Any]], str]
    """The figure as text, from the data of a quality (see ``quality_to_data``)."""
    meaning: str
    """What it is, for the documentation, in Markdown."""
    source: str
    """Who defined it; ``count`` for a plain count or mean."""


MEASURES = (
    Measure("games", "games", lambda q: str(q["games"]), "The number of games.", "count"),
    Measure("ended", "games that the rules ended", lambda q: _percent(q["completion"]),
            "Completion: the share of games that the rules ended within `--max-plies`.", "Browne"),
    Measure("plies", "plies of a game", lambda q: f"{q['plies']['mean']:.0f}", "The mean length.", "count"),
    Measure("moves", "legal moves in a position", lambda q: f"{q['branching']:.1f}",
            "The branching factor: the mean number of legal moves before a ply.", "count"),
    Measure("White", "score of White", lambda q: _score(q["white"]),
            "The advantage of the first move: White's points per game. Each opening is played with both colours, so"
            " that both players are White equally often.", "count"),
    Measure("draws", "draws by the rules", lambda q: _percent(sum(q["draws"].values()) / q["games"]),
            "The share of draws, without unfinished games; below the table, by what ended them.", "count"),
    Measure("stronger", "wins of the stronger side", lambda q: _percent(q["stronger_wins"] / q["games"]),
            "Decisiveness: the share of games that the player with twice the nodes wins.", "ours"),
    Measure("Elo x2", "Elo of twice the nodes", lambda q: _elo(q["stronger"]),
            "Depth of skill: the Elo difference that twice the nodes make. A game in which search cannot help has 0.",
            "ours"),
    Measure("leads", "changes of the lead in a game", lambda q: f"{q['lead_changes']:.1f}",
            "Lead changes: how often the leader is another one than before. The lead is the mean of two"
            " successive scores; below half a soldier, nobody leads.", "Browne, changed"),
    Measure("drama", "drama", lambda q: "-" if q["drama"] is None else f"{q['drama']:.2f}",
            "Drama: the mean of the root of the winner's deficit, over the positions in which the winner was"
            " behind, 0 to 1; 0 for games in which it never was.", "Browne"),
    Measure("killer", "killer move", lambda q: f"{q['killer_move']:.2f}",
            "Killer move: the largest loss of chance, 0 to 1, by one move of the opponent.", "Browne, changed"),
    Measure("stall", "plies that stall", lambda q: _percent(q["stalling"]),
            f"The share of plies before which {QUIET_PLIES} or more plies in turn captured and placed nothing.",
            "ours"),
    Measure("board", "squares used in a game", lambda q: _percent(q["board_use"]),
            "The share of squares on which a piece was placed or ended a move.", "ours"),
    Measure("taken", "pieces captured in a game", lambda q: f"{sum(q['captures'].values()):.1f}",
            "The mean number; below the table, by the kind of capture. A piece that two kinds take counts for both.",
            "count"),
)
"""The figures of the tables. Margins are half the 95% interval."""


def row_of(data: Mapping[str, Any]) -> list[str]:
    return [each.text(data) for each in MEASURES]


MAX_SIDE_BY_SIDE = 4
"""As many rulesets are columns of a table; more are rows."""
_WIDTH = 100


def render_qualities(found: Sequence[Quality]) -> Iterator[str]:
    names, data = [each.ruleset.name for each in found], list(map(quality_to_data, found))
    if len(found) <= MAX_SIDE_BY_SIDE:
        rows = [["", *names], *([each.label, *map(each.text, data)] for each in MEASURES)]
    else:
        rows = [["", *(each.name for each in MEASURES)],
                *([each, *row_of(own)] for each, own in zip(names, data, strict=True))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        yield "  ".join([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])])
    for each in found:
        yield f"\n{each.ruleset.name}"
        for label, text in remarks(each):
            yield from wrap(text, _WIDTH, initial_indent=f"  {label:<20} ", subsequent_indent=" " * 23)


def remarks(quality: Quality) -> Iterator[tuple[str, str]]:
    yield "ended by", _shares(quality.endings, quality.games)
    if quality.draws:
        yield "drawn by", _shares(quality.draws, quality.games)
    yield "plies", f"{quality.plies[2]} to {quality.plies[3]}, median {quality.plies[1]:.0f}"
    used = [f"{kind} {count:.1f}" for kind, count in quality.captures.items() if count]
    if quality.captures:
        yield "captures in a game", ", ".join(used) or "none"
    if unused := quality.unused_captures:
        yield "unused captures", ", ".join(unused)
    if quality.idle_rules:
        yield "idle rules", render_idle(quality.idle_rules)
    yield "most dramatic", f"game {quality.dramatic}"
    if quality.different < quality.games:
        yield "different games", f"{quality.different} of {quality.games}; the margins are too narrow"


def render_idle(changes: Iterable[Change]) -> str:
    """Return rules with the values that would have given the same games, such as ``no_move (also "loss")``."""
    values: dict[str, list[str]] = {}
    for key, value in changes:
        values.setdefault(key, []).append(value)
    return ", ".join(f"{key} (also {' or '.join(others)})" for key, others in values.items())


def _shares(counts: dict[str, int], games: int) -> str:
    return ", ".join(f"{name} {_percent(count / games)}" for name, count in counts.items())
