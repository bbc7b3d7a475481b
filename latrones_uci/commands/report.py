"""The command ``latrones-uci report``: write a match as an HTML page."""

import argparse
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import run_match_tool
from latrones_uci.records.store import Store
from latrones_uci.report.collect import write_report


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Write a match as an HTML page with tables, charts and replays."
    parser.add_argument("database", metavar="FILE.db", help="database of the match")
    parser.add_argument("--output", metavar="FILE.html", help="output file (default: the database's name with .html)")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    database = Path(options.database)
    page = Path(options.output) if options.output else database.with_suffix(".html")
    return run_match_tool(program, lambda: _write(database, page))


def _write(database: Path, page: Path) -> int:
    if page == database:
        raise SettingsError(f"--output would overwrite the database '{database}'; expected another file")
    with Store(database, writing=False) as store:
        write_report(store, page)
    print(f"report: {page.resolve()}")
    return 0
