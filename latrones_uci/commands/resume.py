"""The command ``latrones-uci resume``: resume an interrupted match from its database."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TIME_CONTROL_KEYS
from latrones_uci.commands.arguments import run_match_tool
from latrones_uci.commands.match import play
from latrones_uci.commands.match_arguments import (
    add_changeable,
    add_outputs,
    add_rounds,
    check_concurrency,
    parse_outputs,
)
from latrones_uci.match.plan import Format
from latrones_uci.match.settings import settings_from_data, with_engines
from latrones_uci.match.store import Store


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Resume an interrupted match: play only the games that are not in its database. With --add-engine, more engines"
        " join a tournament: they play the games that the others have played, and the games played so far stay."
    )
    add = parser.add_argument
    add("database", metavar="FILE.db", help="database of the match")
    add("--add-engine", action="append", nargs="+", metavar="KEY=VALUE", help="engine to add to a round robin or"
        " gauntlet, with the keys of 'match --engine'; may be repeated (default limit: as the others)")  # fmt: skip
    add("--format", choices=[form.value for form in (Format.ROUND_ROBIN, Format.GAUNTLET)],
        help="what a match of two engines becomes with --add-engine (default: round-robin)")  # fmt: skip
    add_changeable(parser, games="as before", concurrency="as before")
    add_rounds(parser, "as before")
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
    if options.add_engine:
        added = [_engine(words, settings.engines) for words in options.add_engine]
        settings = with_engines(settings, added, options.format and Format(options.format))
    elif options.format:
        raise SettingsError("--format: expected --add-engine with it")
    settings = replace(settings, games=options.games or settings.games,
                       concurrency=options.concurrency or settings.concurrency,
                       rounds=options.rounds or settings.rounds)  # fmt: skip
    check_concurrency(settings, outputs)
    return play(settings, outputs, program)


def _engine(words: Sequence[str], others: Sequence[EngineSettings]) -> EngineSettings:
    """Parse an added engine. Without a limit of its own, it gets that of the others if it is the same for all."""
    limits = {other.control.to_text() for other in others}
    if len(limits) == 1 and not any(word.partition("=")[0] in TIME_CONTROL_KEYS for word in words):
        words = [*words, *limits.pop().split()]
    return parse_engine(words, [])
