"""The colours of the page: enough contrast in light and dark mode."""

from __future__ import annotations

import re

import pytest

from latrones_uci.web.page_server import asset

MIN_CONTRAST = 4.5  # WCAG 2.2, 1.4.3, level AA
PAIRS = [("ink", "page"), ("ink", "card"), ("ink", "shade"), ("quiet", "page"), ("quiet", "card"), ("quiet", "shade"),
         ("accent", "page"), ("accent", "card"), ("card", "accent"), ("warn", "page"), ("warn", "card"),
         ("page", "warn"), ("page", "ink")]  # fmt: skip


def palettes() -> dict[str, dict[str, str]]:
    sheet = asset("lib/base.css").body.decode()
    light, dark = re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]+)", light))
    return {"light": colours, "dark": colours | dict(re.findall(r"--(\w+): (#[0-9a-f]+)", dark))}


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at:at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(scheme: str) -> None:
    colours = palettes()[scheme]
    ratios = {}
    for text, ground in PAIRS:
        darker, brighter = sorted((luminance(colours[text]), luminance(colours[ground])))
        ratios[text, ground] = (brighter + 0.05) / (darker + 0.05)
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < MIN_CONTRAST} == {}
