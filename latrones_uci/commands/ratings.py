"""The command ``latrones-uci ratings``: rate all engines of databases and PGN files together."""

import argparse
import sys
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork
from latrones_uci.stats.bradley_terry import RatingsError
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import quoted
from latrones_uci.web.match.rating_page import (
    collect_games,
    render_csv,
    render_duplicates,
    render_html,
    render_json,
    render_text,
)

_FORMATS = ("text", "csv", "json", "html")
_MAX_ELO = 10_000


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Rate all engines in databases of matches and PGN files together (maximum likelihood, Bradley-Terry). Engines"
        " with the same name are one player. A game in several files counts once. See docs/statistics.md."
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="database of a match, or PGN file")
    parser.add_argument("--anchor", metavar="NAME=ELO", action="append", default=[],
                        help="fix the rating of an engine; may be repeated (default: the average is 0)")
    parser.add_argument("--format", choices=_FORMATS, help="output format (default: by --output, else text)")
    parser.add_argument("--output", metavar="FILE", help="write to a file instead of standard output")


def run(options: argparse.Namespace, program: str) -> int:
    anchors = _parse_anchors(options.anchor)
    form = options.format or _format_of(options.output)
    paths = [Path(name) for name in options.files]
    output = None if options.output is None else Path(options.output)
    if output is not None and output.resolve() in [path.resolve() for path in paths]:
        raise SettingsError(f"--output {quoted(options.output)}: would overwrite an input; expected another file")
    bad: list[str] = []
    try:
        with LongWork() as shown:
            games = collect_games(paths, shown, bad.append)
        found = games.rate(anchors)
    except RatingsError as error:
        raise SettingsError("; ".join([str(error), *bad[:1]])) from None
    for line in bad:
        print(line, file=sys.stderr)
    if form == "text":
        text = render_text(found, anchors, games.duplicates)
    elif form == "csv":
        text = render_csv(found)
        for line in render_duplicates(games.duplicates):
            print(line, file=sys.stderr)
    else:
        text = (render_json if form == "json" else render_html)(found, anchors, games.duplicates)
    if output is None:
        print(text)
    else:
        write_whole(output, text if text.endswith("\n") else f"{text}\n")
        print(f"ratings: {output.resolve()}")
    return 0


def _format_of(output: str | None) -> str:
    ending = "" if output is None else Path(output).suffix.removeprefix(".").lower()
    return ending if ending in _FORMATS else "text"


def _parse_anchors(words: Sequence[str]) -> dict[str, float]:
    anchors: dict[str, float] = {}
    for word in words:
        name, elo = _parse_anchor(word)
        if name in anchors:
            raise SettingsError(f"--anchor {quoted(word)}: duplicate engine; expected one rating for each")
        anchors[name] = elo
    return anchors


def _parse_anchor(word: str) -> tuple[str, float]:
    name, _, value = word.rpartition("=")
    try:
        elo = float(value)
    except ValueError:
        elo = float("inf")
    if not name or not (isfinite(elo) and abs(elo) <= _MAX_ELO):
        raise SettingsError(
            f"--anchor {quoted(word)}: expected NAME=ELO, with a rating from -{_MAX_ELO} to {_MAX_ELO}"
        )
    return name, elo
