"""The command ``latrones-uci report``: a match as an HTML page."""

import argparse
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import run_match_tool
from latrones_uci.records.store import Store
from latrones_uci.report.collect import write_report


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Write a match as an HTML page."
    parser.add_argument("database", metavar="FILE.db", help="the database of the match")
    parser.add_argument("--output", metavar="FILE.html", help="the page (default: the database's name with .html)")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    database = Path(options.database)
    page = Path(options.output) if options.output else database.with_suffix(".html")
    return run_match_tool(program, lambda: _write(database, page))


def _write(database: Path, page: Path) -> int:
    if page == database:
        raise SettingsError(f"the page would overwrite the database '{database}'; name another file with --output")
    with Store(database, writing=False) as store:
        write_report(store, page)
    print(f"report: {page.resolve()}")
    return 0
