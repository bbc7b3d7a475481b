"""The command ``latrones-uci resume``: resume an interrupted match from its database."""

import argparse
from dataclasses import replace
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import run_match_tool
from latrones_uci.commands.match import play
from latrones_uci.commands.match_arguments import add_changeable, add_outputs, check_concurrency, parse_outputs
from latrones_uci.match.settings import settings_from_data
from latrones_uci.records.store import Store


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Resume an interrupted match: play only the games that are not in its database."
    parser.add_argument("database", metavar="FILE.db", help="database of the match")
    add_changeable(parser, games="as before", concurrency="as before")
    add_outputs(parser, database=False)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``latrones-uci match``."""
    return run_match_tool(program, lambda: _resume(options, program))


def _resume(options: argparse.Namespace, program: str) -> int:
    outputs, database = parse_outputs(options), Path(options.database)
    with Store(database, writing=False) as store:
        data = store.settings()
    if data is None:
        raise SettingsError(f"database '{database}' is empty: no match has been started")
    settings = settings_from_data(data)
    settings = replace(settings, games=options.games or settings.games,
                       concurrency=options.concurrency or settings.concurrency)  # fmt: skip
    check_concurrency(settings, outputs)
    return play(settings, outputs, program)
