"""The page of a measurement, and its charts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from math import inf

import pytest

from html_page import Page, assert_harmless
from latrones_uci.game import find_variant
from latrones_uci.stats import Interval
from latrones_uci.studies.quality import MAX_SIDE_BY_SIDE, MEASURES, GameFacts, Quality, summarise
from latrones_uci.web.lib.charts import bar_chart, heat_map, length_chart
from latrones_uci.web.match.quality_page import render_quality_page
from match_records import played_record

LATRONES = replace(find_variant("latrones"), title="Latrones <b>")


def quality(name: str) -> Quality:
    facts = [GameFacts(number, number // 2, number % 2, number % 2, "end <i>", number, 10 * number, 90, 3,
                       (1, 0, 2, *[0] * 61), Counter({"custodian": 1}), 1, 0.5, 0.5, 0.25)
             for number in (1, 2, 3)]
    return summarise(replace(LATRONES, name=name), facts, [("no_move", '"pass"')])


def rendered(*names: str) -> Page:
    record = played_record(1)
    page = Page(render_quality_page([quality(name) for name in names], [record], [("nodes", "5 and 10")]))
    assert_harmless(page)
    return page


def test_one_ruleset() -> None:
    page = rendered("latrones")
    assert page.text["h1"] == ["Quality of Latrones <b>"]
    assert page.text["h2"] == ["Figures", "latrones", "Most dramatic games", "How to read this"]
    assert [each.label for each in MEASURES] == page.text["td"][: 2 * len(MEASURES) : 2]
    assert "end <i> 100%" in page.text["dd"]
    assert "#game=1" in [attributes.get("href") for _, attributes in page.elements]


def test_values_of_a_key_are_side_by_side() -> None:
    page = rendered("latrones.key-1", "latrones.key-2")
    assert page.text["th"][:2] == ["key-1", "key-2"]
    assert {"Side by side", "latrones.key-1", "latrones.key-2"} <= set(page.text["h2"])
    assert "Elo of twice the nodes" in page.text["h4"]


def test_many_rulesets_are_rows_and_collapsed() -> None:
    names = [f"game-{number}" for number in range(MAX_SIDE_BY_SIDE + 1)]
    page = rendered(*names)
    assert page.text["th"][: 2 + len(MEASURES)] == ["Game", "White, Black", *(each.name for each in MEASURES)]
    assert page.text["bdi"][: len(names)] == names
    assert len(page.text["summary"]) == len(names)


def test_bars_begin_at_zero_and_end_at_their_values() -> None:
    rows = [("a", "50%", Interval(0.5, 0.5, 0.5)), ("b", "75%", Interval(0.75, 0.5, 1.0)),
            ("c <", "0%", Interval(0.0, -inf, inf))]
    chart = bar_chart("Shares", rows, zero=0.5)
    bars = [tuple(map(float, bar)) for bar in re.findall(r'class="fill" x="([\d.]+)" y="\d+" width="([\d.]+)"', chart)]
    (axis,) = map(float, re.findall(r'class="axis" d="M([\d.]+) ', chart))
    assert bars[0] == (axis, 0)
    assert bars[1][0] == axis
    assert bars[2][0] + bars[2][1] == pytest.approx(axis)
    assert bars[2][1] == pytest.approx(2 * bars[1][1], abs=0.2)
    intervals = [tuple(map(float, ends)) for ends in re.findall(r'class="interval" d="M([\d.]+) \d+H([\d.]+)"', chart)]
    assert intervals == [(axis, intervals[1][1]), (bars[2][0], intervals[1][1])]
    assert "c &lt;" in chart
    assert bar_chart("Nothing", [("a", "0", Interval(0.0, 0.0, 0.0))])


@pytest.mark.parametrize(("lengths", "labels"), [
    ([1], ["0", "1", "2", "3"]), ([9], [str(number) for number in range(10)]),
    ([1, 10, 19], [str(2 * number) for number in range(10)]),
    ([100, 400], ["0", "50", "100", "150", "200", "250", "300", "350", "400"]),
])
def test_lengths_are_in_bins_of_a_round_width(lengths: list[int], labels: list[str]) -> None:
    found = re.findall(r'class="middle"[^>]*>(\d+)</text>', length_chart("x", lengths))
    assert found == labels


def test_squares_with_more_landings_are_darker() -> None:
    board = heat_map("Landings", 2, (0.5, 0.25, 0.0, 0.25))
    assert re.findall(r"<title>([^<]*)", board) == ["a1: 50.0%", "b1: 25.0%", "a2: 0.0%", "b2: 25.0%"]
    assert re.findall(r'fill-opacity="([\d.]+)"', board) == ["1.00", "0.50", "0.00", "0.50"]
    assert 'y="21"' in board.partition("b1")[0]  # a1 is below a2
    assert "nan" not in heat_map("Nothing", 2, (0.0,) * 4)
