"""The page of ``variants measure``: the quality of games side by side, and the most dramatic game of each."""

from collections.abc import Sequence
from dataclasses import replace

from latrones_uci.match.standings import Results
from latrones_uci.records.record import GameRecord
from latrones_uci.stats import Interval
from latrones_uci.studies.quality import (
    MAX_SIDE_BY_SIDE,
    MEASURES,
    STRONGER,
    WEAKER,
    Quality,
    quality_to_data,
    remarks,
    row_of,
)
from latrones_uci.web.lib.charts import bar_chart, heat_map, length_chart, score_bar
from latrones_uci.web.lib.markup import (
    Markup,
    escaped,
    game_link,
    joined,
    pairs,
    read_asset,
    section,
    table,
    typeset,
)
from latrones_uci.web.match.figures import player_of
from latrones_uci.web.match.page import REPLAY, embedded_games, listed_record, render_page

_MAX_OPEN = 4  # more rulesets are collapsed
_STYLE = """\
.heat { display: block; width: 100%; max-width: 300px; max-height: 300px; }
.heat .square { fill: var(--shade); } .found { fill: var(--accent); }
.figures h4 { margin: 12px 0 4px; font-size: .875rem; font-weight: 500; color: var(--quiet); }
.meaning { display: block; min-width: 18em; white-space: normal; }
#comparison .figures { grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); }
"""


def render_quality_page(
    found: Sequence[Quality], dramatic: Sequence[GameRecord], facts: Sequence[tuple[str, str]]
) -> str:
    """Return the page; ``dramatic`` is the most dramatic game of each ruleset, which the page numbers anew."""
    title = f"Quality of {found[0].ruleset.title}" if len(found) == 1 else f"Quality of {len(found)} games"
    games = [listed_record(replace(record, fixture=replace(record.fixture, number=number)))
             for number, record in enumerate(dramatic, start=1)]
    replay = Markup(read_asset(REPLAY).replace("<h2>Games</h2>", "<h2>Most dramatic games</h2>"))
    body = joined([
        Markup(f"<header><h1>{escaped(title)}</h1>{pairs(facts)}</header>"),
        section("quality", "Figures", _table(found), Markup(
            "<p class=quiet>Margins are half the 95% interval. Bars: wins of White, draws and unfinished games, wins of"
            " Black.</p>")),
        section("comparison", "Side by side", _comparison(found)) if len(found) > 1 else Markup(""),
        *(_ruleset(number, each, len(found) > _MAX_OPEN) for number, each in enumerate(found, start=1)),
        replay, _explanation(),
    ])
    names = {player_of(record, side): record.names[side] for record in dramatic for side in (0, 1)}
    return render_page(title, body, embedded_games([names[WEAKER], names[STRONGER]], games), _STYLE)


def _table(found: Sequence[Quality]) -> Markup:
    names = [Markup(f"<bdi>{escaped(each.ruleset.name)}</bdi>") for each in found]
    bars = [score_bar(Results(each.wins[0], each.games - sum(each.wins), each.wins[1])) for each in found]
    columns = [[escaped(typeset(text)) for text in row_of(quality_to_data(each))] for each in found]
    if len(found) <= MAX_SIDE_BY_SIDE:
        rows = [[escaped(each.label), *row] for each, *row in zip(MEASURES, *columns, strict=True)]
        rows.append([escaped("wins of White and Black"), *bars])
        return table(["", *_labels([each.ruleset.name for each in found])], rows, range(1, 1 + len(found)))
    rows = [[name, bar, *row] for name, bar, row in zip(names, bars, columns, strict=True)]
    heads = ["Game", "White, Black", *(each.name for each in MEASURES)]
    return table(heads, rows, range(2, len(heads)))


def _comparison(found: Sequence[Quality]) -> Markup:
    labels = _labels([each.ruleset.name for each in found])
    measures, data = {each.name: each for each in MEASURES}, list(map(quality_to_data, found))
    charts = []
    for name, zero, values in (
        ("White", 0.5, [each.white.score for each in found]),
        ("Elo x2", 0.0, [each.stronger.elo for each in found]),
        ("ended", 0.0, [_exact(each.completion) for each in found]),
        ("plies", 0.0, [_exact(each.plies[0]) for each in found]),
        ("leads", 0.0, [_exact(each.lead_changes) for each in found]),
        ("drama", 0.0, [_exact(each.drama or 0.0) for each in found]),
        ("killer", 0.0, [_exact(each.killer) for each in found]),
        ("stall", 0.0, [_exact(each.stalling) for each in found]),
    ):
        label, text = measures[name].label, measures[name].text
        rows = [(own, text(each), value) for own, each, value in zip(labels, data, values, strict=True)]
        charts.append(Markup(f"<div><h4>{escaped(_capital(label))}</h4>{bar_chart(label, rows, zero)}</div>"))
    return Markup(f"<div class=figures>{joined(charts)}</div>")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _exact(value: float) -> Interval:
    return Interval(value, value, value)


def _labels(names: Sequence[str]) -> list[str]:
    """Return the names without what they all begin with up to a dot, as those of ``--vary`` do."""
    first = names[0].rpartition(".")[0] + "."
    return [name.removeprefix(first) for name in names] if all(name.startswith(first) for name in names) else [*names]


def _ruleset(number: int, quality: Quality, collapsed: bool) -> Markup:
    ruleset, name = quality.ruleset, quality.ruleset.name
    drawings = [
        ("Plies of the games", length_chart(name, quality.lengths)),
        ("Where pieces land", heat_map(f"Landings by square in {name}", ruleset.default_size[0], quality.landings)),
    ]
    figures = joined(Markup(f"<div><h4>{escaped(heading)}</h4>{chart}</div>") for heading, chart in drawings)
    facts = joined(
        Markup(f"<div><dt>{escaped(_capital(label))}</dt>"
               f"<dd>{game_link(number, 'replay') if label == 'most dramatic' else escaped(text)}</dd></div>")
        for label, text in remarks(quality)
    )
    contents = Markup(f"<dl>{facts}</dl><div class=figures>{figures}</div>")
    if collapsed:
        contents = Markup(f"<details><summary>{escaped(ruleset.title)}</summary>{contents}</details>")
        return section(f"game-{number}", name, contents)
    return section(f"game-{number}", name, Markup(f"<p class=quiet>{escaped(ruleset.title)}</p>"), contents)


def _explanation() -> Markup:
    rows = [[escaped(each.label), escaped(each.source),
             Markup(f"<span class=meaning>{escaped(each.meaning.replace('`', ''))}</span>")]
            for each in MEASURES]
    return section("about", "How to read this", table(["Figure", "Source", "Meaning"], rows), Markup(
        "<p class=quiet>An idle rule could have the other value, and all games would have been the same.</p>"))
