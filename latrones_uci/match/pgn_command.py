"""The command ``latrones-match pgn``: the games of a database as PGN."""

import sys
from collections.abc import Sequence
from pathlib import Path

from latrones_uci.match.errors import SettingsError
from latrones_uci.match.pgn.write import render_game
from latrones_uci.match.storage.store import Store
from latrones_uci.match.tournament.archive import stored_games, stored_settings


def run_pgn(arguments: Sequence[str]) -> int:
    """Prints the games of a match as PGN.

    Args:
        arguments: the database.

    Raises:
        SettingsError: not one database.
        StoreError: it cannot be read.
    """
    if len(arguments) != 1 or arguments[0].startswith("-"):
        given = " ".join(map(repr, arguments)) or "nothing"
        raise SettingsError(f"pgn needs the name of a database, not {given}")
    with Store(Path(arguments[0]), writing=False) as store:
        for record in stored_games(store, stored_settings(store)):
            sys.stdout.write(render_game(record))
    return 0
