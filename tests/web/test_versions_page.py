"""The pages of a history and of a bisection."""

from __future__ import annotations

import re
from math import inf

from html_page import Page, assert_harmless
from latrones_uci.studies.revisions.history import VersionRow
from latrones_uci.web.match.versions_page import render_history, strength_chart

ROWS = [
    VersionRow("v1", "2026-11-01", "First", 0.0, 0.0, 400, None, "base"),
    VersionRow("aaaa", "2026-11-02", "Win <b>more</b>", 130.0, 20.0, 200, 0.999),
    VersionRow("bbbb", "2026-11-03", "Broken", note="cannot be built"),
    VersionRow("cccc", "2026-11-04", "Lost all", -90.0, inf, 4, 0.01),
]


def circles(chart: str) -> dict[str, float]:
    """Return the height of the point of each version, downwards."""
    found = re.findall(r"<title>[^<]*: (\w+) 2026[^<]*</title><path [^>]*/><circle [^>]*cy=\"([\d.]+)\"", chart)
    return {label: float(height) for label, height in found}


def test_the_page() -> None:
    text = render_history("From v1 to cccc", [("Games", "404")], ROWS)
    page = Page(text)
    assert_harmless(page)
    assert page.text["h1"] == ["From v1 to cccc"]
    assert "Win <b>more</b>" in page.text["span"]
    assert page.text["small"] == ["base", "cannot be built"]
    assert {"+130.0", "20.0", "99.9%", "\u221290.0", "none"} <= set(page.text["td"])
    assert sum(tag == "circle" for tag, _ in page.elements) == 3


def test_the_curve() -> None:
    heights = circles(strength_chart(ROWS))
    assert heights["aaaa"] < heights["v1"] < heights["cccc"]
    bars = re.findall(r'class="interval" d="M[\d.]+ ([\d.]+)V([\d.]+)', strength_chart(ROWS))
    assert all(0 <= float(end) <= 340 for bar in bars for end in bar)  # also those of an infinite interval
    labels = set(re.findall(r">([\u2212+]?\d+)</text>", strength_chart(ROWS)))
    assert {"0", "+100", "\u2212100"} <= labels


def test_the_curve_of_few_versions() -> None:
    assert strength_chart(ROWS[2:3]) == ""
    assert "+0.0" in Page(strength_chart(ROWS[:1])).text["title"][0]
    huge = [VersionRow("a", "", "", 0.0, 0.0, 2), VersionRow("b", "", "", 12_000.0, 3000.0, 2)]
    assert len(re.findall(r'class="end" x', strength_chart(huge))) <= 12
