"""Ratings over any number of databases and PGN files, as text, CSV, JSON and HTML."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import SIDE_NAMES, render_result
from latrones_uci.match.summary import RatedGames, no_bounds_note, render_margin, render_ratings, table_rows
from latrones_uci.match.tuner import refuse_tuning
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.pgn_read import DistinctGames, PgnError, PgnGame, read_file
from latrones_uci.records.pgn_verify import LeftOut
from latrones_uci.records.pgn_write import recorded_game
from latrones_uci.records.store import Store
from latrones_uci.stats.bradley_terry import RatingList
from latrones_uci.text.files import OnReading, is_database, report_nothing
from latrones_uci.text.messages import counted, quoted, reason
from latrones_uci.web.lib.markup import Markup, escaped, joined, section, table, typeset
from latrones_uci.web.match.page import render_page

_WINNERS = {render_result(winner): winner for winner in (0, 1, None)}


def collect_games(
    paths: Sequence[Path], report: OnReading = report_nothing, warn: Callable[[str], None] = report_nothing
) -> RatedGames:
    """Read the games of databases and PGN files; engines with one name are one player.

    Two games between the same players with swapped colours are a pair if the database says so; in a PGN file, if they
    start from the same position of the same variant. Games without a result do not count, and one in several files
    counts once. The result of a game in a PGN file is that of its tag ``Result``. Games that are not PGN or lack two
    names are left out.

    Args:
        paths: the files.
        report: called often with a text that says how far the files are read.
        warn: called for games that are left out, and for those whose moves end with another result than their tag has.

    Raises:
        SettingsError: a file cannot be read, or has the games of a tuning.
        StoreError: a database cannot be read, or contains no match.
    """
    games, distinct = RatedGames(), DistinctGames()
    with LeftOut(warn) as left_out, LeftOut(warn, "counted by the tag") as other:
        for path in paths:
            distinct.begin_file()
            if is_database(path):
                _add_database(games, path, distinct, report)
            else:
                _add_pgn(games, path, distinct, report, left_out.of(path), other.of(path))
    games.duplicates = distinct.duplicates
    return games


def _add_database(games: RatedGames, path: Path, distinct: DistinctGames, report: OnReading) -> None:
    with Store(path, writing=False) as store:
        settings = stored_settings(store)
        refuse_tuning(str(path), settings)
        own_id = store.match_id()
        for number, record in enumerate(stored_games(store, settings), start=1):
            report(f"{path}: {counted(number, 'game')}")
            if record.counts and distinct.add(*recorded_game(record, own_id)):
                games.add(*record.names, record.game.outcome.winner, (path, record.fixture.pair))


def _add_pgn(
    games: RatedGames, path: Path, distinct: DistinctGames, report: OnReading, leave_out: Callable[[PgnError], None],
    tell: Callable[[PgnError], None],
) -> None:
    try:
        for number, game in enumerate(read_file(path), start=1):
            report(f"{path}: {counted(number, 'game')}")
            try:
                if isinstance(game, PgnError):
                    raise game
                result = game.tag("Result") or game.result
                if result != game.result:
                    tell(_error(game, f"tag Result is {quoted(result)}, but the moves end with {quoted(game.result)}"))
                if result in _WINNERS:
                    white, black = _players(game)
                    if distinct.add(game.tags, (move.text for move in game.moves), result):
                        start = game.tag("FEN") or game.tag("Variant") or ""
                        games.add(white, black, _WINNERS[result], (path, start))
            except PgnError as error:
                leave_out(error)
    except PgnError as error:
        raise SettingsError(f"{path}: {error}") from error
    except OSError as error:
        raise SettingsError(f"cannot read {quoted(str(path))}: {reason(error)}") from error


def _players(game: PgnGame) -> tuple[str, str]:
    """Return the names of White and Black.

    Raises:
        PgnError: one is missing, or they are the same.
    """
    white, black = names = [game.tag(colour) or "?" for colour in SIDE_NAMES]
    if "?" in names:
        colour = SIDE_NAMES[names.index("?")]
        raise _error(game, f"no player for {colour}; expected a tag {colour}")
    if white == black:
        raise _error(game, f"{quoted(white)} plays itself; expected two names")
    return white, black


def _error(game: PgnGame, what: str) -> PgnError:
    return PgnError(what, game.number, game.line)


# ---------------------------------------------------------------- formats


def render_text(found: RatingList, anchors: Mapping[str, float], duplicates: int = 0) -> str:
    return "\n".join(["Ratings", *render_ratings(found), "", _basis(anchors), *render_duplicates(duplicates)])


def render_duplicates(duplicates: int) -> list[str]:
    """Return a line about games that occurred in several files; none without such games."""
    return [f"{counted(duplicates, 'duplicate game')} left out."] if duplicates else []


def _basis(anchors: Mapping[str, float]) -> str:
    if anchors:
        zero = ", ".join(f"{name} = {elo:g}" for name, elo in anchors.items())
        return f"Anchored: {zero}. +/- is half the 95% interval."
    return "The average of all ratings is 0. +/- is half the 95% interval."


def render_csv(found: RatingList) -> str:
    """Render a rating list as CSV with a line of headings; the LOS matrix is not part of it."""
    headings, rows = table_rows(found)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(rows)
    return text.getvalue().removesuffix("\n")


def render_json(found: RatingList, anchors: Mapping[str, float], duplicates: int = 0) -> str:
    """Render a rating list as JSON; ``superiority`` has a row for each engine, in the order of ``ratings``."""
    headings, rows = table_rows(found)
    names = [rating.name for rating in found.ratings]
    matrix = [
        [None if one == other else round(found.superiority[one, other], 6) for other in names] for one in names
    ]
    return json.dumps({
        "ratings": [dict(zip(headings, row, strict=True)) for row in rows], "superiority": matrix,
        "anchors": dict(anchors), "regularised": found.regularised, "duplicates": duplicates,
    }, indent=2)


def render_html(found: RatingList, anchors: Mapping[str, float], duplicates: int = 0) -> str:
    rows = [
        [escaped(rank), _name(rating.name), _signed(rating.elo), escaped(render_margin(rating.margin)),
         escaped(rating.games), escaped(f"{rating.points:g}"), escaped(f"{rating.points / rating.games:.1%}"),
         _signed(rating.opponents), escaped(f"{rating.draws / rating.games:.1%}")]
        for rank, rating in enumerate(found.ratings, start=1)
    ]
    headings = ["", "Engine", "Elo", "\u00b1", "Games", "Points", "Score", "Average opponent", "Draws"]
    unbounded = [f"{words}." for words in [no_bounds_note(found)] if words]
    notes = " ".join([_basis(anchors).replace("+/-", "\u00b1"), *unbounded, *render_duplicates(duplicates)])
    note = Markup(f"<p class=quiet>{escaped(notes)}</p>")
    names = [rating.name for rating in found.ratings]
    matrix = [
        [_name(one), *(Markup("") if one == other else escaped(f"{found.superiority[one, other]:.1%}")
                       for other in names)]
        for one in names
    ]
    body = [
        Markup("<header><h1>Ratings</h1></header>"),
        section("ratings", "Rating list", table(headings, rows, (0, *range(2, len(headings)))), note),
        section("superiority", "Likelihood of superiority", table(["Stronger than", *names], matrix,
                                                                  range(1, len(names) + 1))),
    ]
    return render_page("Ratings", joined(body))


def _name(name: str) -> Markup:
    return Markup(f"<bdi>{escaped(name)}</bdi>")


def _signed(value: float) -> Markup:
    return escaped(typeset(f"{value:+z.1f}"))
