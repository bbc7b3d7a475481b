"""The command ``latrones-uci report``: write one or several matches as an HTML page."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork
from latrones_uci.records.store import Store
from latrones_uci.text.files import check_writable
from latrones_uci.text.messages import counted, quoted, reason
from latrones_uci.web.match.report import write_joined_report, write_report


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write a match as an HTML page with tables, charts and replays. Several databases make one page; engines with"
        " the same name are one engine, and must have the same limits and options. A game in several databases counts"
        " once."
    )
    parser.add_argument("databases", metavar="FILE.db", nargs="+", help="database of a match")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="output file; required for several databases"
                        " (default: the database's name with .html)")


def run(options: argparse.Namespace, program: str) -> int:
    databases, output = [Path(name) for name in options.databases], options.output and Path(options.output)
    if output is None and len(databases) > 1:
        raise SettingsError(f"{len(databases)} databases: no output file; expected --output FILE.html")
    with ExitStack() as stack:
        stores = [stack.enter_context(Store(database, writing=False)) for database in databases]
        page = output or databases[0].with_suffix(".html")
        for database in databases:
            if page.resolve() == database.resolve():
                raise SettingsError(f"--output would overwrite the database '{database}'; expected another file")
        _check(page, is_default=output is None)
        duplicates = 0
        shown = stack.enter_context(LongWork())
        if len(stores) == 1:
            write_report(stores[0], page, shown)
        else:
            duplicates = write_joined_report(stores, page, shown)
    if duplicates:
        print(f"left out: {counted(duplicates, 'duplicate game')}, in several databases")
    print(f"report: {page.resolve()}")
    return 0


def _check(page: Path, *, is_default: bool) -> None:
    """Check that the page can be written, before it takes long to make it."""
    try:
        check_writable(page)
    except OSError as error:
        if is_default:
            raise SettingsError(f"{quoted(str(page))}: {reason(error)}; expected --output FILE.html") from error
        raise
