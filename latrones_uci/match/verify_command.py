"""The command ``latrones-match verify``: a PGN file read back with the referee."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence

from latrones_uci.game import Ruleset
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.pgn.read import PgnError, read_file
from latrones_uci.match.pgn.verify import TERMINATIONS, DisagreementError, verify_game
from latrones_uci.match.variant_files import load_variants


def run_verify(arguments: Sequence[str]) -> int:
    """Checks every game of the files and prints counts.

    Args:
        arguments: the files; before them ``--variant-path FILE``, if there are games of one's own.

    Returns:
        0 if all games agree with the rules, 1 if one does not or the text is not PGN.

    Raises:
        SettingsError: no file, or one that cannot be read.
    """
    variant_path = None
    if arguments[:1] == ["--variant-path"] and len(arguments) > 1:
        variant_path, arguments = arguments[1], arguments[2:]
    variants = load_variants(variant_path)
    if not arguments or any(word.startswith("-") for word in arguments):
        given = " ".join(map(repr, arguments)) or "nothing"
        raise SettingsError(f"verify needs the names of PGN files, not {given}")
    return max([_verify_file(path, variants) for path in arguments])


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
        raise SettingsError(f"cannot read {path!r}: {error}") from error
    counts = ", ".join(f"{count} {name}" for name, count in sorted(results.items()))
    endings = ", ".join(f"{count} {name}" for name, count in terminations.most_common())
    print(f"{path}: {results.total()} games ({counts or 'none'}), {plies} plies, {disagreements} disagreements")
    print(f"terminations: {endings or 'none'}")
    return 1 if disagreements else 0
