"""The command ``latrones-uci verify``: check PGN files against the rules."""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.arguments import run_match_tool
from latrones_uci.game import Ruleset, quoted, reason
from latrones_uci.records.pgn_read import PgnError, read_file
from latrones_uci.records.pgn_verify import TERMINATIONS, DisagreementError, verify_game


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Replay the games of PGN files by the rules, and count results and errors."
    parser.add_argument("files", metavar="FILE.pgn", nargs="+", help="PGN file with the games")
    parser.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status: 1 if a game contradicts the rules or a file is not PGN."""
    return run_match_tool(program, lambda: _verify_files(options.files, load_variants(options.variant_path)))


def _verify_files(paths: Sequence[str], variants: Mapping[str, Ruleset]) -> int:
    return max([_verify_file(path, variants) for path in paths])


def _verify_file(path: str, variants: Mapping[str, Ruleset]) -> int:
    results: Counter[str] = Counter()
    terminations: Counter[str] = Counter()
    plies = disagreements = 0
    try:
        for game in read_file(path):
            results[game.result] += 1
            termination = game.tags.get("Termination", "?")
            terminations[termination if termination in TERMINATIONS else "?"] += 1
            plies += len(game.moves)
            try:
                verify_game(game, variants)
            except DisagreementError as error:
                disagreements += 1
                print(f"{path}: {error}", file=sys.stderr)
    except PgnError as error:
        disagreements += 1
        print(f"{path}: {error}", file=sys.stderr)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {quoted(path)}: {reason(error)}") from error
    counts = ", ".join(f"{count} {name}" for name, count in sorted(results.items()))
    endings = ", ".join(f"{count} {name}" for name, count in terminations.most_common())
    print(f"{path}: {results.total()} games ({counts or 'none'}), {plies} plies, {disagreements} disagreements")
    print(f"terminations: {endings or 'none'}")
    return 1 if disagreements else 0
