"""The command ``latrones-uci variants``: list, show and check variants."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from latrones_uci import game
from latrones_uci.commands.arguments import variant_of
from latrones_uci.game import (
    LatronesError,
    Position,
    Ruleset,
    VariantError,
    builtin_variants,
    load_variants,
    ludii_variants,
    read_variants,
)
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import counted, quoted, reason
from latrones_uci.web.rules.rule_page import aim_of, render_rule_page, rule_page, write_rule_pages
from latrones_uci.words.explain import render_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Without ACTION, list the built-in variants; otherwise show or explain one, write the rules as pages, or check"
        " a variant file. 'latrones-uci variants measure' is a command of its own: it plays games, and measures their"
        " quality."
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    show = actions.add_parser("show", help="print a ruleset and its start position")
    show.add_argument("name", help="variant")
    show.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants")
    pages = actions.add_parser("pages", help="write the rules of the core games, with diagrams, as HTML pages")
    pages.add_argument("folder", metavar="DIR", help="folder to write to; created if it is missing")
    pages.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants to write")
    explain = actions.add_parser("explain", help="print the rules of a game in plain English")
    explain.add_argument("game", metavar="GAME|FILE.toml", help="variant, or a TOML file whose variants are explained")
    explain.add_argument("--html", metavar="FILE", help="write a page with diagrams instead")
    explain.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants")
    check = actions.add_parser("check", help="report all errors of a variant file")
    check.add_argument("file", help="TOML file")
    parser.usage = "%(prog)s [-h] [ACTION ...]"  # set last, because the usage lines of the actions begin with it


def run(options: argparse.Namespace, program: str) -> int:
    if options.action == "show":
        return show_variant(options.name, options.variant_path)
    if options.action == "pages":
        return write_pages(options.folder, options.variant_path)
    if options.action == "explain":
        return explain_variants(options.game, options.variant_path, options.html)
    if options.action == "check":
        return check_file(options.file)
    return list_variants()


def list_variants() -> int:
    """Print the built-in variants, one per line: first the core set, then the others with a heading."""
    _print_list(builtin_variants().values())
    print("\nLudii's rulesets (in the engine: setoption name VariantSet value ludii, or all):")
    _print_list(ludii_variants().values())
    return 0


def _print_list(rulesets: Iterable[Ruleset]) -> None:
    for ruleset in rulesets:
        files, ranks = ruleset.default_size
        print(f"{ruleset.name:<22} {f'{files}x{ranks}':<6} {ruleset.title}")


def show_variant(name: str, path: str | None) -> int:
    """Print the ruleset of a variant as TOML, inherited keys included, and its start position.

    Raises:
        VariantError: the variant does not exist, or the file cannot be read or has an error.
    """
    ruleset = variant_of(name, path)
    print(ruleset.to_toml(), end="")
    start = Position.start(ruleset)
    print("\n".join(f"# {line}" for line in ["", *start.diagram().splitlines(), "", start.fen()]))
    return 0


def write_pages(folder: str, path: str | None) -> int:
    """Write the rules of the core variants and those of a file as HTML pages, and return the exit status.

    Raises:
        VariantError: the variant file cannot be read or has an error.
    """
    rulesets = builtin_variants() if path is None else load_variants(path)
    try:
        files = write_rule_pages(rulesets, Path(folder))
    except OSError as error:
        print(f"latrones-uci variants: {folder}: cannot write: {reason(error)}", file=sys.stderr)
        return 1
    print(f"{folder}: {len(files)} pages; open {Path(folder) / 'index.html'}")
    return 0


def explain_variants(name: str, path: str | None, page: str | None) -> int:
    """Print the rules of a variant, or of all variants of a file, or write them as a page.

    Raises:
        VariantError: the variant does not exist, or the file cannot be read or has an error.
        LatronesError: the page would have several variants, or cannot be written.
    """
    if name.lower().endswith(".toml"):
        if path is not None:
            raise LatronesError(f"--variant-path {quoted(path)} cannot be combined with the file {quoted(name)}")
        try:
            rulesets = list(game.parse_file(read_variants(name)).values())
        except VariantError as error:
            raise VariantError(f"{quoted(name)}: {error}") from None
    else:
        rulesets = [variant_of(name, path)]
    if page is None:
        print("\n".join(render_text(ruleset, aim_of(ruleset)) for ruleset in rulesets))
        return 0
    if len(rulesets) != 1:
        raise LatronesError(f"--html {quoted(page)}: {quoted(name)} has {len(rulesets)} variants; expected one")
    try:
        write_whole(Path(page), render_rule_page(rule_page(rulesets[0])))
    except OSError as error:
        raise LatronesError(f"--html {quoted(page)}: {reason(error)}") from None
    return 0


def check_file(path: str) -> int:
    """Print all errors of a variant file, and return the exit status: 1 if there are any."""
    try:
        rulesets, found = game.check_file(read_variants(path))
    except VariantError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    for problem in found:
        print(f"{path}: {problem}", file=sys.stderr)
    if not found:
        print(f"{path}: {counted(len(rulesets), 'variant')}, no errors: {', '.join(rulesets)}")
    return 1 if found else 0
