"""The command ``latrones-uci pgn``: print the games of a match as PGN."""

import argparse
import sys
from pathlib import Path

from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.pgn_write import render_game
from latrones_uci.records.store import Store


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the games of a match as PGN."
    parser.add_argument("database", metavar="FILE.db", help="database of the match")


def run(options: argparse.Namespace, program: str) -> int:
    with Store(Path(options.database), writing=False) as store:
        settings, own_id = stored_settings(store), store.match_id()
        for record in stored_games(store, settings):
            sys.stdout.write(render_game(record, own_id))
    return 0
