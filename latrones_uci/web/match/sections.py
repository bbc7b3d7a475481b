"""The sections of the report that do not need the script, and what is counted for them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import TypeVar

from latrones_uci.client.time_control import NS_PER_MS
from latrones_uci.match.rounds import BracketPlace
from latrones_uci.match.standings import Results, points_of
from latrones_uci.match.summary import render_bounds, render_elo, rounded
from latrones_uci.records.record import PlyRecord
from latrones_uci.stats import Interval
from latrones_uci.text.messages import duration
from latrones_uci.web.lib.charts import elo_bar, elo_reach, llr_chart, score_bar, time_chart, tuning_chart
from latrones_uci.web.lib.markup import Markup, escaped, game_link, joined, pairs, section, table, typeset
from latrones_uci.web.match.data import ReportData, ReportEngine, ReportGame, ReportSprt, ReportTuning, unpaired_note

Key = TypeVar("Key", bound=Hashable)


@dataclass
class Group:
    """Games with a common key."""

    games: list[ReportGame] = field(default_factory=list)
    """The games that count, in order."""
    white: Results = field(default_factory=Results)
    """Their results for White."""
    first: Results = field(default_factory=Results)
    """The results of the first engine of the match in those of them that it played."""


def grouped(games: Iterable[ReportGame], key: Callable[[ReportGame], Key]) -> dict[Key, Group]:
    """Return the games that count, grouped by key, in the order in which the keys first occur."""
    found: dict[Key, Group] = {}
    for game in games:
        if game.counts:
            group = found.setdefault(key(game), Group())
            group.games.append(game)
            group.white.count(points_of(0, game.winner))
            if 0 in (game.white, game.black):
                group.first.count(points_of(int(game.white != 0), game.winner))
    return found


_MAX_OPEN = 12  # longer lists are collapsed
_NOTHING = Markup('<span class="quiet">&#8211;</span>')


def render_header(data: ReportData) -> Markup:
    """Return title, date and main figures."""
    return Markup(f"<header><h1>{escaped(data.title)}</h1><p class=quiet>{escaped(data.date)}</p>"
                  f"{pairs(data.summary)}</header>")


def render_rounds(data: ReportData) -> Markup:
    """Return the table of a Swiss tournament or the bracket of a knockout."""
    found = data.rounds
    if found is None:
        return Markup("")
    contents = _bracket(data) if data.bracket else table(
        [heading.capitalize() for heading in found.headings],
        ([Markup(f"<bdi>{escaped(text)}</bdi>") if column == 1 else escaped(text) for column, text in enumerate(row)]
         for row in found.rows), found.numbers)
    return section("rounds", found.title, contents, Markup(f"<p class=quiet>{escaped(found.note)}</p>"))


def _bracket(data: ReportData) -> Markup:
    """Return a table with a column for each round, in which the cells of two pairings are beside that of the next."""
    head = "".join(f"<th>{escaped(name.capitalize())}</th>" for name, _ in data.bracket)
    body = ""
    for row in range(len(data.bracket[0][1])):
        cells = (f'<td rowspan="{2**number}">{_place(data, places[row >> number])}</td>'
                 for number, (_, places) in enumerate(data.bracket) if row % 2**number == 0)
        body += f"<tr>{''.join(cells)}</tr>"
    return Markup(f'<div class="scroll" tabindex="0"><table class="bracket"><thead><tr>{head}</tr></thead><tbody>{body}'
                  "</tbody></table></div>")


def _place(data: ReportData, place: BracketPlace) -> Markup:
    if not place.engines:
        return _NOTHING
    points = [f"{points:g}" for points in place.points] or [""] * len(place.engines)
    lines = "".join(f'<div{" class=won" if engine == place.winner else ""}>{_engine_name(data, engine)} {own}</div>'
                    for engine, own in zip(place.engines, points, strict=True))
    note = f"<small>{escaped(place.note)}</small>" if place.note else ""
    return Markup(f'<div class="place">{lines}{note}</div>')


def render_standings(data: ReportData) -> Markup:
    """Return the standings with Elo and error bars."""
    if not data.standings:
        return Markup("")
    estimates = [standing.elo for standing in data.standings if standing.elo]
    reach = elo_reach(estimates)
    labels = tuple(dict.fromkeys(label for standing in data.standings for label, _ in standing.remarks))
    rows = []
    for standing in data.standings:
        elo, score, remarks = standing.elo, standing.results, dict(standing.remarks)
        rows.append([
            _engine_name(data, standing.engine), escaped(elo_text(elo)) if elo else _NOTHING,
            elo_bar(elo, reach) if elo else _NOTHING, _points(score),
            _NOTHING if standing.share is None else escaped(f"{standing.share:.1%}"), _counts(score),
            *(escaped(remarks[label]) if label in remarks else _NOTHING for label in labels),
        ])
    measure = "Elo difference (95%)" if len(data.engines) == 2 else "Rating (95%)"
    headings = ["Engine", measure, "", "Points", "Score", "Won, drawn, lost", *labels]
    scale = f"Scale of the bars: \u2212{reach:.0f} to {reach:.0f} Elo, with 0 in the middle." if estimates else ""
    note = " ".join(filter(None, (scale, unpaired_note(data.standings))))
    return section("standings", "Standings", table(headings, rows, (3, 4, *range(6, 6 + len(labels)))),
                   Markup(f"<p class=quiet>{note}</p>" if note else ""), _cross_table(data))


def _cross_table(data: ReportData) -> Markup:
    if len(data.engines) < 3:
        return Markup("")
    points = {pair: Markup(f"{_points(score)}<br><small>{_counts(score)}</small>")
              for pair, score in data.meetings.items()}
    chances = {pair: escaped(f"{chance:.1%}") for pair, chance in data.superiority.items()}
    return joined([_matrix(data, "Cross table", "Points against", points),
                   _matrix(data, "Likelihood of superiority", "Stronger than", chances) if chances else ""])


def _matrix(data: ReportData, title: str, heading: str, cells: Mapping[tuple[int, int], Markup]) -> Markup:
    """Return a table with a row and a column for each engine, in the order of the standings."""
    order = [standing.engine for standing in data.standings]
    rows = [[_engine_name(data, own), *(cells.get((own, other), _NOTHING) for other in order)] for own in order]
    headings = [heading, *(data.engines[other].name for other in order)]
    return joined([Markup(f"<h3>{title}</h3>"), table(headings, rows, range(1, len(headings)))])


def render_sprt(shown: ReportSprt | None) -> Markup:
    """Return the sequential test with its chart."""
    if shown is None:
        return Markup("")
    sprt, last = shown.test, shown.llr[-1][1] if shown.llr else 0.0
    facts: tuple[tuple[str, str], ...] = (
        ("Outcome", shown.verdict), ("LLR", typeset(f"{last:.2f} ({sprt.lower:.2f} to {sprt.upper:.2f})")),
        ("Hypotheses", typeset(render_bounds(sprt))),
        ("Error rates", f"alpha {sprt.alpha:g}, beta {sprt.beta:g}"),
    )
    if shown.more_games is not None:
        facts += (("Still to play", f"about {rounded(shown.more_games)} games, if the difference is as measured"),)
    chart = llr_chart(sprt, shown.llr)
    return section("sprt", "Sequential test", Markup(f'<div class="figures">{pairs(facts)}{chart}</div>'))


def render_tuning(tuning: ReportTuning | None) -> Markup:
    """Return the tuning: a table of the parameters, the words for their values, and a chart of each."""
    if tuning is None:
        return Markup("")
    rows = [
        [escaped(parameter.name), escaped(typeset(str(parameter.start))),
         Markup(f"<b>{escaped(typeset(str(round(parameter.value))))}</b>"),
         escaped(typeset(f"{parameter.value:.2f}")), escaped(typeset(f"{parameter.value - parameter.start:+.2f}")),
         escaped(typeset(f"{parameter.minimum} to {parameter.maximum}")), escaped(f"{parameter.step:g}")]
        for parameter in tuning.parameters
    ]
    headings = ["Parameter", "Start", "Value", "Exact", "Change", "Range", "Step"]
    played, planned = tuning.pairs
    note = f"{played} of {planned} pairs of games; rate at the end {tuning.rate:g}."
    charts = [Markup(f"<figure><figcaption>{escaped(parameter.name)}</figcaption>{tuning_chart(parameter)}</figure>")
              for parameter in tuning.parameters]
    return section("tuning", "Tuning", table(headings, rows, range(1, len(headings))),
                   Markup(f"<p class=quiet>{escaped(note)}</p><pre tabindex=0>{escaped(tuning.words)}</pre>"
                          f"<div class=figures>{joined(charts)}</div>"))


def render_scores(data: ReportData) -> Markup:
    """Return the scores by variant and board size, and by opening."""
    by_board = grouped(data.games, lambda game: (game.variant, game.size))
    by_opening = grouped((game for game in data.games if game.opening is not None),
                         lambda game: (game.variant, game.size, game.opening, game.start_fen))
    if not by_board:
        return Markup("")
    boards = _score_table(data, ["Variant and board"], (
        ([escaped(f"{variant} {files}x{ranks}")], group) for (variant, (files, ranks)), group in by_board.items()))
    parts = [boards]
    if by_opening:
        openings = _score_table(data, ["Opening", "Position", "First game"], (
            ([escaped((opening or 0) + 1), Markup(f'<code class="clip" title="{escaped(fen)}">{escaped(fen)}</code>'),
              game_link(group.games[0].number)], group) for (_, _, opening, fen), group in by_opening.items()))
        is_open = " open" if len(by_opening) <= _MAX_OPEN else ""
        parts.append(Markup(f"<details{is_open}><summary>By opening ({len(by_opening)})</summary>{openings}</details>"))
    return section("scores", "Score by variant and opening", *parts)


def _score_table(
    data: ReportData, headings: list[str], groups: Iterable[tuple[list[Markup], Group]]
) -> Markup:
    two = len(data.engines) == 2
    rows = [[*named, escaped(group.white.games), *([_counts(group.first), _share(group.first)] if two else []),
             _counts(group.white), score_bar(group.white)] for named, group in groups]
    own = [f"{data.engines[0].name}: won, drawn, lost", "Score"] if two else []
    titles = [*headings, "Games", *own, "White: won, drawn, lost", ""]
    return table(titles, rows, range(len(headings), len(headings) + 1 + len(own)))


def render_time_use(data: ReportData) -> Markup:
    """Return the time use of each engine in all games, including interrupted ones."""
    rows, charts = [], list[Markup]()
    for number, engine in enumerate(data.engines):
        plies = [ply for game in data.games for ply in game.plies if (game.white, game.black)[ply.side] == number]
        elapsed = sorted(ply.elapsed_ns / NS_PER_MS for ply in plies if ply.elapsed_ns)
        rows.append([_engine_name(data, number), escaped(len(plies)), *_times(plies, elapsed), *_searches(plies)])
        if elapsed:
            charts.append(Markup(f"<figure><figcaption>{escaped(engine.name)}</figcaption>"
                                 f"{time_chart(engine.name, elapsed)}</figure>"))
    if not any(game.plies for game in data.games):
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


def render_terminations(data: ReportData) -> Markup:
    """Return the number of games per termination and engine at fault, including interrupted games."""
    found = Counter((game.termination, game.culprit) for game in data.games)
    rows = [[escaped(count), escaped(name), _engine_name(data, culprit) if culprit is not None else _NOTHING]
            for (name, culprit), count in found.most_common()]
    if not rows:
        return Markup("")
    return section("terminations", "Terminations", table(["Games", "Termination", "Engine at fault"], rows, (0,)))


def render_faults(data: ReportData) -> Markup:
    """Return the faults and violations of the engines, with their stderr output."""
    items = []
    for game in data.games:
        if game.fault or game.violations or game.stderr:
            culprit = f", {_engine_name(data, game.culprit)}" if game.culprit is not None else ""
            lines = "".join(f"<li>{escaped(violation)}</li>" for violation in game.violations)
            tail = f"<pre tabindex=0>{escaped(game.stderr)}</pre>" if game.stderr else ""
            items.append(Markup(
                f"<article><h3>{game_link(game.number)}: {escaped(game.termination)}{culprit}</h3>"
                f"<p>{escaped(game.fault)}</p>{f'<ul>{lines}</ul>' if lines else ''}{tail}</article>"))
    if len(items) > _MAX_OPEN:
        items = [Markup(f"<details><summary>In {len(items)} games</summary>{joined(items)}</details>")]
    return section("faults", "Faults and violations", *items)


def render_settings(data: ReportData) -> Markup:
    """Return the settings of the match and of the engines."""
    engines = joined(_engine(engine) for engine in data.engines)
    return section("settings", "Settings", pairs(data.settings), Markup(f"<div class=figures>{engines}</div>"))


def _engine(engine: ReportEngine) -> Markup:
    facts = [("id", engine.identity), ("command", engine.command), ("limits", engine.control), *engine.details,
             *((f"option {name}", value or "<empty>") for name, value in engine.options)]
    return Markup(f"<article><h3>{escaped(engine.name)}</h3>{pairs(fact for fact in facts if fact[1])}</article>")


def _engine_name(data: ReportData, engine: int) -> Markup:
    return Markup(f"<bdi>{escaped(data.engines[engine].name)}</bdi>")


def _points(score: Results) -> Markup:
    return escaped(f"{score.points:g}/{score.games}")


def _share(score: Results) -> Markup:
    return escaped(f"{score.points / score.games:.1%}") if score.games else _NOTHING


def _counts(score: Results) -> Markup:
    return escaped(f"+{score.wins} ={score.draws} \u2212{score.losses}")


def elo_text(elo: Interval) -> str:
    """Return an Elo difference or a rating with its 95% interval."""
    return typeset(render_elo(elo))
