"""The command ``latrones-uci resume``: resume an interrupted match from its database."""

import argparse
from dataclasses import replace
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.match import play_and_print
from latrones_uci.commands.match_arguments import (
    add_options,
    add_outputs,
    check_concurrency,
    check_openings,
    parse_outputs,
    read_options,
)
from latrones_uci.records.database import CHANGEABLE, settings_to_resume
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Resume an interrupted match: play only the games that are not in its database."
    parser.add_argument("database", metavar="FILE.db", help="database of the match")
    parser.add_argument("--add-engine", nargs="*", help=argparse.SUPPRESS)
    add_options(parser, TournamentSettings, CHANGEABLE, **dict.fromkeys(CHANGEABLE, "as before"))
    add_outputs(parser, without=["database"])


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``latrones-uci match``."""
    if options.add_engine is not None:
        raise SettingsError("'--add-engine': a match keeps its engines; expected a second match with the new engine,"
                            " and 'latrones-uci ratings' or 'report' with both databases")
    outputs, database = parse_outputs(options), Path(options.database)
    with Store(database, writing=False) as store:
        settings = settings_to_resume(store)
        if settings is None:
            raise store.empty()
    settings = replace(settings, **read_options(TournamentSettings, options))
    check_concurrency(settings, outputs)
    check_openings(settings)
    return play_and_print(settings, outputs, program)
