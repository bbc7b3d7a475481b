"""The report of a match: one HTML file that loads nothing and runs only its own script."""

from collections.abc import Sequence
from pathlib import Path

from latrones_uci.match.joining import JoinedMatches
from latrones_uci.records.store import Store
from latrones_uci.text.files import OnReading, report_nothing, write_whole
from latrones_uci.web.lib.markup import Markup, joined, read_asset
from latrones_uci.web.match.collect import ReportedMatch, joined_match, stored_match
from latrones_uci.web.match.page import REPLAY, embedded_games, listed_record, render_page
from latrones_uci.web.match.sections import (
    render_faults,
    render_header,
    render_rounds,
    render_scores,
    render_settings,
    render_sprt,
    render_standings,
    render_terminations,
    render_time_use,
    render_tuning,
    title_of,
)


def write_report(store: Store, page: Path, report: OnReading = report_nothing) -> None:
    """Write the report of a match to an HTML file.

    Raises:
        StoreError: the database cannot be read, or contains no match.
        OSError: the file cannot be written.
    """
    write_whole(page, render_report(stored_match(store, report)))


def write_joined_report(stores: Sequence[Store], page: Path, report: OnReading = report_nothing) -> int:
    """Write one report of several matches to an HTML file, and return how many duplicate games were left out.

    Raises:
        StoreError: a database cannot be read, or contains no match.
        SettingsError: the matches cannot be joined.
        OSError: the file cannot be written.
    """
    joined = JoinedMatches(stores, report)
    write_whole(page, render_report(joined_match(joined)))
    return sum(match.duplicates for match in joined.matches)


def render_report(match: ReportedMatch) -> str:
    body = joined([
        render_header(match), render_tuning(match), render_rounds(match.standings),
        Markup("") if match.tuned else render_standings(match.standings),
        render_sprt(match), Markup(read_asset(REPLAY) if match.records else ""),
        render_scores(match), render_terminations(match), render_time_use(match), render_faults(match),
        render_settings(match),
    ])
    games = embedded_games(match.standings.names, list(map(listed_record, match.records))) if match.records else None
    return render_page(title_of(match), body, games)
