"""The sections of a report that do not need the script, and what is counted for them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import TypeVar

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import NS_PER_MS
from latrones_uci.match.rounds import BracketPlace, bracket_places, current_round, round_name, rounds_table
from latrones_uci.match.standings import Meeting, Results, Standings, points_of, points_of_first
from latrones_uci.match.summary import (
    estimate_meeting,
    more_games,
    rate_standings,
    render_bounds,
    render_verdict,
    rounded,
)
from latrones_uci.match.tuner import engine_of_tuning, option_words
from latrones_uci.records.engine_files import PROGRAM, files_from_text
from latrones_uci.records.record import GameRecord, PlyRecord
from latrones_uci.records.store import StoredEngine
from latrones_uci.stats import Sprt, log_likelihood_ratio
from latrones_uci.text.command import join_command
from latrones_uci.text.messages import duration
from latrones_uci.web.lib.charts import elo_bar, elo_reach, llr_chart, score_bar, time_chart, tuning_chart
from latrones_uci.web.lib.markup import Markup, escaped, game_link, joined, pairs, section, table, typeset
from latrones_uci.web.match.collect import ReportedMatch
from latrones_uci.web.match.figures import (
    culprit_of,
    elo_text,
    ending_text,
    fault_text,
    match_title,
    player_of,
    standing_rows,
    stderr_of,
    unpaired_note,
)

Key = TypeVar("Key", bound=Hashable)


@dataclass
class _Games:
    """Games with a common key."""

    first_game: int
    white: Results = field(default_factory=Results)
    first: Results = field(default_factory=Results)
    """The results of the first engine of the match in those of them that it played."""


def _grouped(records: Iterable[GameRecord], key: Callable[[GameRecord], Key]) -> dict[Key, _Games]:
    """Return games by key, in the order in which the keys first occur."""
    found: dict[Key, _Games] = {}
    for record in records:
        fixture, winner = record.fixture, record.game.outcome.winner
        group = found.setdefault(key(record), _Games(fixture.number))
        group.white.count(points_of(0, winner))
        if 0 in (fixture.white, fixture.black):
            group.first.count(points_of(int(fixture.white != 0), winner))
    return found


_MAX_OPEN = 12  # longer lists are collapsed
_MAX_RATIOS = 500
_NOTHING = Markup('<span class="quiet">&#8211;</span>')


def render_header(match: ReportedMatch) -> Markup:
    return Markup(f"<header><h1>{escaped(title_of(match))}</h1><p class=quiet>{escaped(match.date)}</p>"
                  f"{pairs(summary_of(match))}</header>")


def title_of(match: ReportedMatch) -> str:
    if match.tuned and match.tournament is not None:
        return f"Tuning of {engine_of_tuning(match.tournament)}"
    return match_title(match.standings.names)


def summary_of(match: ReportedMatch) -> Iterator[tuple[str, str]]:
    """Yield the main figures, label and value."""
    standings, schedule = match.standings, match.standings.schedule
    yield "games", str(standings.games)
    if schedule is not None and schedule.rounds:
        yield "rounds", "all played" if schedule.complete else current_round(schedule)
        if schedule.winner is not None:
            yield "winner", standings.names[schedule.winner]
    if len(standings.names) == 2 and (meeting := standings.meeting(0, 1)).games:
        yield "won-drawn-lost", meeting.record
        if not match.tuned:  # between its two sides, which are the same engine, there is no difference to report
            yield from _difference(meeting)
    yield "variant", ", ".join(match.variants)
    yield "faults", ", ".join(f"{count} {name}" for name, count in standings.faults.most_common()) or "none"


def _difference(meeting: Meeting) -> Iterator[tuple[str, str]]:
    found = estimate_meeting(meeting)
    yield "score (95%)", f"{found.score.value:.1%} ({found.score.low:.1%} to {found.score.high:.1%})"
    yield "Elo difference (95%)", elo_text(found.elo)
    yield "normalised Elo (95%)", elo_text(found.normalized_elo)
    yield "LOS", f"{found.los:.1%}"
    if found.paired:
        yield "pairs with 0, \u00bd, 1, 1\u00bd, 2 points", ", ".join(map(str, meeting.pairs))


def render_rounds(standings: Standings) -> Markup:
    """Return the table of a Swiss tournament or the bracket of a knockout."""
    schedule, names = standings.schedule, standings.names
    found = rounds_table(schedule, names)
    if found is None:
        return Markup("")
    places = bracket_places(schedule)
    if schedule is not None and places:
        contents = _bracket([round_name(schedule.plan, number) for number in range(len(places))], places, names)
    else:
        contents = table(
            [heading.capitalize() for heading in found.headings],
            ([_name(text) if column == 1 else escaped(text) for column, text in enumerate(row)] for row in found.rows),
            found.numbers)
    return section("rounds", found.title, contents, Markup(f"<p class=quiet>{escaped(found.note)}</p>"))


def _bracket(headings: Sequence[str], rounds: Sequence[Sequence[BracketPlace]], names: Sequence[str]) -> Markup:
    """Return a table with a column for each round, in which the cells of two pairings are beside that of the next."""
    head = "".join(f"<th>{escaped(heading.capitalize())}</th>" for heading in headings)
    body = ""
    for row in range(len(rounds[0])):
        cells = (f'<td rowspan="{2**number}">{_place(places[row >> number], names)}</td>'
                 for number, places in enumerate(rounds) if row % 2**number == 0)
        body += f"<tr>{''.join(cells)}</tr>"
    return Markup(f'<div class="scroll" tabindex="0"><table class="bracket"><thead><tr>{head}</tr></thead><tbody>{body}'
                  "</tbody></table></div>")


def _place(place: BracketPlace, names: Sequence[str]) -> Markup:
    if not place.engines:
        return _NOTHING
    points = [f"{points:g}" for points in place.points] or [""] * len(place.engines)
    lines = "".join(f'<div{" class=won" if engine == place.winner else ""}>{_name(names[engine])} {own}</div>'
                    for engine, own in zip(place.engines, points, strict=True))
    note = f"<small>{escaped(place.note)}</small>" if place.note else ""
    return Markup(f'<div class="place">{lines}{note}</div>')


def render_standings(standings: Standings) -> Markup:
    ratings = rate_standings(standings) if len(standings.names) > 2 else None
    found = standing_rows(standings, ratings)
    if not found:
        return Markup("")
    estimates = [row.elo for row in found if row.elo]
    reach = elo_reach(estimates)
    labels = tuple(dict.fromkeys(label for row in found for label, _ in row.remarks))
    rows = []
    for row in found:
        elo, score, remarks = row.elo, row.results, dict(row.remarks)
        rows.append([
            _name(standings.names[row.engine]), escaped(elo_text(elo)) if elo else _NOTHING,
            elo_bar(elo, reach) if elo else _NOTHING, _points(score),
            _NOTHING if row.share is None else escaped(f"{row.share:.1%}"), _counts(score),
            *(escaped(remarks[label]) if label in remarks else _NOTHING for label in labels),
        ])
    measure = "Elo difference (95%)" if len(standings.names) == 2 else "Rating (95%)"
    headings = ["Engine", measure, "", "Points", "Score", "Won, drawn, lost", *labels]
    scale = f"Scale of the bars: \u2212{reach:.0f} to {reach:.0f} Elo, with 0 in the middle." if estimates else ""
    note = " ".join(filter(None, (scale, unpaired_note(found))))
    order = [row.engine for row in found]
    return section("standings", "Standings", table(headings, rows, (3, 4, *range(6, 6 + len(labels)))),
                   Markup(f"<p class=quiet>{note}</p>" if note else ""),
                   _cross_table(standings, order, {} if ratings is None else ratings.superiority))


def _cross_table(
    standings: Standings, order: Sequence[int], superiority: Mapping[tuple[str, str], float]
) -> Markup:
    """Return the games, and the likelihoods of superiority, of each two of three or more engines."""
    if len(order) < 3:
        return Markup("")
    names = [standings.names[engine] for engine in order]
    points, chances = {}, {pair: escaped(f"{chance:.1%}") for pair, chance in superiority.items()}
    for own in order:
        for other in order:
            if own != other and (met := standings.meeting(own, other)).games:
                points[standings.names[own], standings.names[other]] = Markup(
                    f"{_points(met)}<br><small>{_counts(met)}</small>")
    return joined([_matrix(names, "Cross table", "Points against", points),
                   _matrix(names, "Likelihood of superiority", "Stronger than", chances) if chances else ""])


def _matrix(names: Sequence[str], title: str, heading: str, cells: Mapping[tuple[str, str], Markup]) -> Markup:
    rows = [[_name(own), *(cells.get((own, other), _NOTHING) for other in names)] for own in names]
    headings = [heading, *names]
    return joined([Markup(f"<h3>{title}</h3>"), table(headings, rows, range(1, len(headings)))])


def render_sprt(match: ReportedMatch) -> Markup:
    if match.tournament is None or match.tournament.sprt is None:
        return Markup("")
    sprt = match.tournament.sprt
    ratios = llr_after_pairs(sprt, match.records)
    facts: tuple[tuple[str, str], ...] = (
        ("Outcome", render_verdict(match.verdict)),
        ("LLR", typeset(f"{ratios[-1][1]:.2f} ({sprt.lower:.2f} to {sprt.upper:.2f})")),
        ("Hypotheses", typeset(render_bounds(sprt))),
        ("Error rates", f"alpha {sprt.alpha:g}, beta {sprt.beta:g}"),
    )
    more = None if match.verdict else more_games(match.tournament, match.standings.meeting(0, 1).pairs)
    if more is not None:
        facts += (("Still to play", f"about {rounded(more)} games, if the difference is as measured"),)
    chart = llr_chart(sprt, ratios)
    return section("sprt", "Sequential test", Markup(f'<div class="figures">{pairs(facts)}{chart}</div>'))


def llr_after_pairs(sprt: Sprt, records: Iterable[GameRecord]) -> list[tuple[int, float]]:
    """Return the number of games and the ratio after each completed pair, or after some of them if there are many."""
    meeting = Meeting()
    passed = [(0, meeting.pairs)]
    for record in records:
        before = sum(meeting.pairs)
        meeting.add(record.fixture.pair, points_of_first(record))
        if sum(meeting.pairs) > before:
            passed.append((meeting.games, meeting.pairs))
    pairs = passed[1:]
    step = max(1, len(pairs) // _MAX_RATIOS)
    kept = pairs[::step] + ([pairs[-1]] if pairs and (len(pairs) - 1) % step else [])
    return [(0, 0.0), *((games, log_likelihood_ratio(sprt, found)) for games, found in kept)]


def render_tuning(match: ReportedMatch) -> Markup:
    if match.tournament is None or match.tournament.tuning is None:
        return Markup("")
    tuning, last = match.tournament.tuning, {name: values[-1][1] for name, values in match.tuned.items()}
    rows = [
        [escaped(parameter.name), escaped(typeset(str(parameter.start))),
         Markup(f"<b>{escaped(typeset(str(round(value))))}</b>"),
         escaped(typeset(f"{value:.2f}")), escaped(typeset(f"{value - parameter.start:+.2f}")),
         escaped(typeset(f"{parameter.minimum} to {parameter.maximum}")), escaped(f"{parameter.step:g}")]
        for parameter, value in zip(tuning.parameters, last.values(), strict=True)
    ]
    headings = ["Parameter", "Start", "Value", "Exact", "Change", "Range", "Step"]
    played, planned = len(match.tuned[tuning.parameters[0].name]) - 1, match.tournament.games // 2
    note = f"{played} of {planned} pairs of games; rate at the end {tuning.rate_of(planned):g}."
    charts = [Markup(f"<figure><figcaption>{escaped(parameter.name)}</figcaption>"
                     f"{tuning_chart(parameter, match.tuned[parameter.name])}</figure>")
              for parameter in tuning.parameters]
    return section("tuning", "Tuning", table(headings, rows, range(1, len(headings))),
                   Markup(f"<p class=quiet>{escaped(note)}</p><pre tabindex=0>{escaped(option_words(last))}</pre>"
                          f"<div class=figures>{joined(charts)}</div>"))


def render_scores(match: ReportedMatch) -> Markup:
    by_board = _grouped(match.records, _board_of)
    by_opening = _grouped(match.records, lambda record: (
        _board_of(record), record.fixture.opening, record.game.start.fen()))
    if not by_board:
        return Markup("")
    names = match.standings.names
    parts = [_score_table(names, ["Variant and board"], (
        ([escaped(board)], games) for board, games in by_board.items()))]
    openings = _score_table(names, ["Opening", "Position", "First game"], (
        ([escaped(opening + 1), Markup(f'<code class="clip" title="{escaped(fen)}">{escaped(fen)}</code>'),
          game_link(games.first_game)], games) for (_, opening, fen), games in by_opening.items()))
    is_open = " open" if len(by_opening) <= _MAX_OPEN else ""
    parts.append(Markup(f"<details{is_open}><summary>By opening ({len(by_opening)})</summary>{openings}</details>"))
    return section("scores", "Score by variant and opening", *parts)


def _board_of(record: GameRecord) -> str:
    start = record.game.start
    return f"{start.ruleset.name} {start.geometry.name}"


def _score_table(
    names: Sequence[str], headings: list[str], groups: Iterable[tuple[list[Markup], _Games]]
) -> Markup:
    two = len(names) == 2
    rows = [[*named, escaped(games.white.games), *([_counts(games.first), _share(games.first)] if two else []),
             _counts(games.white), score_bar(games.white)] for named, games in groups]
    own = [f"{names[0]}: won, drawn, lost", "Score"] if two else []
    titles = [*headings, "Games", *own, "White: won, drawn, lost", ""]
    return table(titles, rows, range(len(headings), len(headings) + 1 + len(own)))


def render_time_use(match: ReportedMatch) -> Markup:
    rows, charts = [], list[Markup]()
    for number, name in enumerate(match.standings.names):
        plies = [ply for record in match.records for ply in record.game.plies if player_of(record, ply.side) == number]
        elapsed = sorted(ply.elapsed_ns / NS_PER_MS for ply in plies if ply.elapsed_ns)
        rows.append([_name(name), escaped(len(plies)), *_times(plies, elapsed), *_searches(plies)])
        if elapsed:
            charts.append(Markup(f"<figure><figcaption>{escaped(name)}</figcaption>"
                                 f"{time_chart(name, elapsed)}</figure>"))
    if not any(record.game.plies for record in match.records):
        return Markup("")
    headings = ["Engine", "Moves", "Mean", "Median", "95% within", "Slowest", "Minimum clock", "Depth", "Nodes",
                "Nodes/s"]
    note = "Distribution of move times; each label is the left edge of its bin."
    return section("time", "Time use", table(headings, rows, range(1, len(headings))),
                   Markup(f"<p class=quiet>{note}</p><div class=figures>{joined(charts)}</div>" if charts else ""))


def _times(plies: Sequence[PlyRecord], elapsed_ms: Sequence[float]) -> list[Markup]:
    """Return mean, median, 95th percentile and maximum of times in ascending order, and the minimum on the clock."""
    clocks = [ply.clock_left_ns / NS_PER_MS for ply in plies if ply.clock_left_ns is not None]
    late = elapsed_ms[(len(elapsed_ms) - 1) * 19 // 20] if elapsed_ms else 0
    times = (mean(elapsed_ms), median(elapsed_ms), late, elapsed_ms[-1]) if elapsed_ms else (None,) * 4
    return [_NOTHING if time_ms is None else escaped(duration(time_ms))
            for time_ms in (*times, min(clocks, default=None))]


def _searches(plies: Sequence[PlyRecord]) -> list[Markup]:
    """Return depth and nodes per move, and the nodes per second over all moves with time and nodes."""
    depths = [ply.info.depth for ply in plies if ply.info.depth is not None]
    nodes = [ply.info.nodes for ply in plies if ply.info.nodes is not None]
    both = [(ply.info.nodes, ply.elapsed_ns / NS_PER_MS)
            for ply in plies if ply.info.nodes is not None and ply.elapsed_ns]
    speed = 1000 * sum(count for count, _ in both) / sum(spent for _, spent in both) if both else 0
    return [escaped(f"{mean(depths):.1f}") if depths else _NOTHING,
            escaped(f"{mean(nodes):.0f}") if nodes else _NOTHING, escaped(f"{speed:.0f}") if both else _NOTHING]


def render_terminations(match: ReportedMatch) -> Markup:
    found = Counter((ending_text(record.game.outcome)[0], culprit_of(record)) for record in match.records)
    rows = [[escaped(count), escaped(name), _NOTHING if culprit is None else _name(match.standings.names[culprit])]
            for (name, culprit), count in found.most_common()]
    if not rows:
        return Markup("")
    return section("terminations", "Terminations", table(["Games", "Termination", "Engine at fault"], rows, (0,)))


def render_faults(match: ReportedMatch) -> Markup:
    items = []
    for record in match.records:
        game, fault, culprit = record.game, fault_text(record), culprit_of(record)
        stderr = stderr_of(record)
        if fault or game.violations or stderr:
            name = "" if culprit is None else f", {_name(match.standings.names[culprit])}"
            lines = "".join(f"<li>{escaped(violation)}</li>" for violation in game.violations)
            tail = f"<pre tabindex=0>{escaped(stderr)}</pre>" if stderr else ""
            items.append(Markup(
                f"<article><h3>{game_link(record.fixture.number)}: {escaped(ending_text(game.outcome)[0])}{name}</h3>"
                f"<p>{escaped(fault)}</p>{f'<ul>{lines}</ul>' if lines else ''}{tail}</article>"))
    if len(items) > _MAX_OPEN:
        items = [Markup(f"<details><summary>In {len(items)} games</summary>{joined(items)}</details>")]
    return section("faults", "Faults and violations", *items)


def render_settings(match: ReportedMatch) -> Markup:
    engines = joined(map(_engine, match.engines, match.engine_settings))
    return section("settings", "Settings", pairs(match.settings), Markup(f"<div class=figures>{engines}</div>"))


def _engine(stored: StoredEngine, settings: EngineSettings) -> Markup:
    files = files_from_text(stored.files)
    facts = [
        ("id", stored.id_name),
        ("command", join_command(stored.command)),
        ("limits", settings.control.to_text()),
        ("ponder", "on" if settings.ponder else ""),
        ("time margin", "" if settings.margin_ms is None else f"{settings.margin_ms} ms"),
        ("variant file", settings.variant_path or ""),
        ("environment", " ".join(f"{name}={value}" for name, value in settings.environment)),
        ("author", stored.id_author),
        ("bench signature", stored.signature),
        *((f"{name} (SHA-256)", found)
          for name, found in ({PROGRAM: stored.files[:16]} if files is None else files).items()),
        *((f"option {name}", value or "<empty>") for name, value in settings.options),
    ]
    return Markup(f"<article><h3>{escaped(stored.name)}</h3>{pairs(fact for fact in facts if fact[1])}</article>")


def _name(name: str) -> Markup:
    return Markup(f"<bdi>{escaped(name)}</bdi>")


def _points(score: Results) -> Markup:
    return escaped(f"{score.points:g} of {score.games}")


def _share(score: Results) -> Markup:
    return escaped(f"{score.points / score.games:.1%}") if score.games else _NOTHING


def _counts(score: Results) -> Markup:
    return escaped(f"+{score.wins} ={score.draws} \u2212{score.losses}")
