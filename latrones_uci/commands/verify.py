"""The command ``latrones-uci verify``: check PGN files against the rules."""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import VariantSettings, load_variants, start_of
from latrones_uci.commands.arguments import LongWork
from latrones_uci.game import Position, Ruleset, names_in_words
from latrones_uci.records.pgn_read import DistinctGames, PgnError, read_file
from latrones_uci.records.pgn_verify import TERMINATIONS, DisagreementError, UnknownVariantError, verify_game
from latrones_uci.text.messages import counted, quoted, reason


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Replay the games of PGN files by the rules, and count results and errors. A game that occurs again, in the"
        " same match (tag MatchId) or in another file, is checked but not counted."
    )
    add = parser.add_argument
    add("files", metavar="FILE.pgn", nargs="+", help="PGN file with the games")
    add("--variant", metavar="NAME[:BOARD]", help="variant of games without the tag Variant, such as those of other"
        " programs; they start from the tag FEN, or without one from the start position")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status: 1 if a game contradicts the rules or a file is not PGN."""
    variants, default = load_variants(options.variant_path), None
    if options.variant is not None:
        variant = VariantSettings.from_text(options.variant)
        default = start_of(variant.name, variant.board, options.variant_path)
    distinct = DistinctGames()
    with LongWork() as shown:
        return max([_verify_file(path, variants, default, distinct, shown) for path in options.files])


def _verify_file(
    path: str, variants: Mapping[str, Ruleset], default: Position | None, distinct: DistinctGames, shown: LongWork
) -> int:
    """Verify the games of a file, print the counts, and return the exit status.

    Raises:
        KeyboardInterrupt: it was interrupted; the counts so far are printed.
    """
    distinct.begin_file()
    before, results = distinct.duplicates, Counter[str]()
    terminations: Counter[str] = Counter()
    unknown: Counter[str | None] = Counter()
    plies = disagreements = 0
    interrupted = False
    try:
        for number, game in enumerate(read_file(path), start=1):
            shown(f"{path}: {counted(number, 'game')}")
            if isinstance(game, PgnError):
                disagreements += 1
                shown.warn(f"{path}: {game}")
                continue
            if distinct.add(game.tags, (move.text for move in game.moves), game.result):
                results[game.result] += 1
                termination = game.tag("Termination") or "?"
                terminations[termination if termination in TERMINATIONS else "?"] += 1
                plies += len(game.moves)
            try:
                verify_game(game, variants, default)
            except UnknownVariantError as error:
                disagreements += 1
                unknown[error.variant] += 1
            except DisagreementError as error:
                disagreements += 1
                shown.warn(f"{path}: {error}")
    except PgnError as error:
        disagreements += 1
        shown.warn(f"{path}: {error}")
    except KeyboardInterrupt:
        interrupted = True
    except OSError as error:
        raise SettingsError(f"cannot read {quoted(path)}: {reason(error)}") from error
    shown.clear()
    for variant, games in unknown.most_common():
        print(f"{path}: {_render_unknown(variant, games, variants)}", file=sys.stderr)
    duplicates = distinct.duplicates - before
    if not results and not duplicates:
        if interrupted:
            raise KeyboardInterrupt
        if not disagreements:
            print(f"{path}: no games; expected at least one", file=sys.stderr)
        return 1
    status = 1 if disagreements else 0
    left_out = f"{counted(duplicates, 'duplicate game')} not counted"
    if not results and not interrupted:
        print(f"{path}: no new game, {left_out}, {counted(disagreements, 'disagreement')}")
        return status
    counts = ", ".join(f"{count} {name}" for name, count in sorted(results.items()))
    endings = ", ".join(f"{count} {name}" for name, count in terminations.most_common())
    print(
        f"{path}: {counted(results.total(), 'game')} ({counts}), {counted(plies, 'ply', 'plies')},"
        f" {counted(disagreements, 'disagreement')}" + (f", {left_out}" if duplicates else "")
    )
    print(f"terminations: {endings}")
    if interrupted:
        raise KeyboardInterrupt
    return status


def _render_unknown(variant: str | None, games: int, variants: Mapping[str, Ruleset]) -> str:
    """Say once for all its games how a variant becomes known."""
    count = counted(games, "game")
    if variant is None:
        return f"{count} without the tag Variant; --variant NAME says which variant they are"
    known = names_in_words(variants)
    return f"{count} of the unknown variant {quoted(variant)}; expected one of {known}, or --variant-path FILE"
