"""The command ``latrones-uci variants``: list, show and check variants."""

import argparse
import dataclasses
import sys

from latrones_uci.commands.arguments import run_tool
from latrones_uci.game import (
    Position,
    Ruleset,
    VariantError,
    builtin_variants,
    check_variants,
    find_variant,
    load_variants,
    read_variants,
)
from latrones_uci.game.ruleset import toml_value


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "List the built-in variants, show one, or check a variant file."
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    show = actions.add_parser("show", help="print a ruleset and its start position")
    show.add_argument("name", help="variant")
    show.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants")
    check = actions.add_parser("check", help="report all errors of a variant file")
    check.add_argument("file", help="TOML file")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    if options.action == "show":
        return run_tool(program, lambda: show_variant(options.name, options.variant_path))
    if options.action == "check":
        return run_tool(program, lambda: check_file(options.file))
    return run_tool(program, list_variants)


def list_variants() -> int:
    """Print the built-in variants, one per line."""
    for ruleset in builtin_variants().values():
        files, ranks = ruleset.default_size
        print(f"{ruleset.name:<22} {f'{files}x{ranks}':<6} {ruleset.title}")
    return 0


def show_variant(name: str, path: str | None) -> int:
    """Print the ruleset of a variant as TOML, inherited keys included, and its start position.

    Raises:
        VariantError: the variant does not exist, or the file cannot be read or has an error.
    """
    ruleset = variant_of(name, path)
    print(render_ruleset(ruleset))
    start = Position.start(ruleset)
    print("\n".join(f"# {line}" for line in ["", *start.diagram().splitlines(), "", start.fen()]))
    return 0


def variant_of(name: str, path: str | None) -> Ruleset:
    """Return the variant of a name, built in or from a variant file.

    Raises:
        VariantError: the variant does not exist, or the file cannot be read or has an error.
    """
    return find_variant(name, None if path is None else load_variants(path))


def render_ruleset(ruleset: Ruleset) -> str:
    """Render a ruleset as an entry of a variant file, with every key."""
    lines = [f"[{ruleset.name}]" if "." not in ruleset.name else f'["{ruleset.name}"]']
    lines += [f"{field.name} = {toml_value(getattr(ruleset, field.name))}"
              for field in dataclasses.fields(ruleset) if field.name != "name"]
    return "\n".join(lines)


def check_file(path: str) -> int:
    """Print all errors of a variant file, and return the exit status: 1 if there are any."""
    try:
        rulesets, found = check_variants(read_variants(path), builtin_variants())
    except VariantError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    for problem in found:
        print(f"{path}: {problem}", file=sys.stderr)
    if not found:
        print(f"{path}: {len(rulesets)} variants, no errors: {', '.join(rulesets)}")
    return 1 if found else 0
