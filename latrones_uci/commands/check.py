"""The command ``latrones-uci check``: test whether an engine follows the protocol."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from latrones_uci.client.check.checks import (
    CHECKS,
    CheckResult,
    CheckVerdict,
    render_list,
    render_row,
    render_total,
    run_checks,
)
from latrones_uci.client.check.engine import Check, EngineUnderTest
from latrones_uci.client.errors import EngineStartError, SettingsError
from latrones_uci.client.process import parse_command
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.commands.arguments import (
    parse_natural,
    parse_option_word,
    parse_positive,
    parse_seconds,
    position_of,
    variant_of,
)
from latrones_uci.game import LatronesError
from latrones_uci.text.command import join_command
from latrones_uci.text.messages import quoted, reason
from latrones_uci.text.protocol import Dialect

_DESCRIPTION = """\
Test whether an engine follows the protocol, and print a table of results.

COMMAND is the engine: program and arguments, or both in one argument. The options of 'check' come
before COMMAND; all words after the program are arguments of the engine.

Each row has a check, its verdict, and what was observed:

  ok           as expected
  FAILED       not as expected; the last lines of the traffic follow, and the engine is restarted
               for the next check
  not offered  an optional feature that the engine lacks (query, d, perft, ...)
  not run      the engine does not start, or the handshake fails

The exit status is 0 if all checks passed, 1 if a check failed or did not run, 2 for bad arguments.
"""
_EPILOG = """\
example:
  latrones-uci check --variant bell --games 20 python3 -m my_engine --threads 1
"""


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    checks = _chosen(options.only)
    if options.list:
        print(render_list(checks))
        return 0
    target = _engine_under_test(options)
    note = _note_on_arguments(target.command, options)
    with ExitStack() as stack:
        log = None
        if options.log is not None:
            log = _open_log(options.log)
            stack.callback(log.close)
        try:
            return _check(target, checks, log, note)
        except EngineStartError as error:
            raise EngineStartError(f"{error}{'; ' if note else ''}{note}") from error


def _note_on_arguments(command: Sequence[str], options: argparse.Namespace) -> str:
    """Return a note on words after the program that are options of this command, too; empty if there are none."""
    own = (word[2:].partition("=")[0].replace("-", "_") for word in command[1:] if word.startswith("--"))
    if not any(hasattr(options, name) for name in own):
        return ""
    return f"arguments of the engine: {join_command(command[1:])}; options of check come before the engine"


def _open_log(path: Path) -> TrafficLog:
    try:
        return TrafficLog(path, lambda text: print(text, file=sys.stderr))
    except OSError as error:
        raise SettingsError(f"--log {quoted(str(path))}: {reason(error)}") from error


def _check(target: EngineUnderTest, checks: Sequence[Check], log: TrafficLog | None, note: str) -> int:
    results: list[CheckResult] = []
    for result in run_checks(target, checks, log):
        if note and not results:
            print(note, file=sys.stderr)
        results.append(result)
        print(render_row(result, checks), flush=True)
    print(f"\n{render_total(results)}")
    return int(any(result.verdict in (CheckVerdict.FAILED, CheckVerdict.NOT_RUN) for result in results))


def _engine_under_test(options: argparse.Namespace) -> EngineUnderTest:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    try:
        words = parse_command(command[0] if len(command) == 1 else command)
    except ValueError as error:
        raise SettingsError(f"command {quoted(' '.join(command))}: {error}") from error
    try:
        start = position_of(variant_of(options.variant, options.variant_path), None, options.board)
    except LatronesError as error:
        raise SettingsError(str(error)) from error
    timeouts = {} if options.timeout is None else {"start_s": options.timeout, "timeout_s": options.timeout}
    return EngineUnderTest(
        command=words,
        start=start,
        dialect=Dialect.UGI if options.ugi else Dialect.UCI,
        options=tuple(parse_option_word(word) for word in options.option),
        variant_path=os.path.abspath(options.variant_path) if options.variant_path else None,
        **timeouts,
        latency_ms=options.latency,
        games=options.games,
        growth_mb=options.growth,
    )


def _chosen(names: Sequence[str]) -> list[Check]:
    known = {check.name: check for check in CHECKS}
    for name in names:
        if name not in known:
            raise SettingsError(f"unknown check {quoted(name)}; --list shows all")
    return [check for check in CHECKS if not names or check.name in names]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.usage = "%(prog)s [OPTION ...] COMMAND [ARGUMENT ...]"
    add = parser.add_argument
    add("command", nargs=argparse.REMAINDER, metavar="COMMAND",
        help="engine to check, after all options: the words after it are its arguments")
    add("--ugi", action="store_true", help="speak UGI (default: UCI)")
    add("--variant", default="latrones", help="variant to play (default: latrones)")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the variant)")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="engine option to set; may be repeated")
    add("--only", action="append", default=[], metavar="NAME", help="check to run; may be repeated (default: all)")
    add("--log", metavar="FILE", type=Path, help="append the traffic with the engine, and its stderr, to a file")
    add("--list", action="store_true", help="list the checks and what they expect, without running them")
    add("--games", type=parse_positive, default=EngineUnderTest.games, metavar="N",
        help=f"games for the memory check (default: {EngineUnderTest.games})")
    add("--growth", type=parse_positive, default=EngineUnderTest.growth_mb, metavar="MB",
        help=f"memory growth allowed (default: {EngineUnderTest.growth_mb})")
    add("--latency", type=parse_natural, default=EngineUnderTest.latency_ms, metavar="MS",
        help=f"delay allowed after stop or a time limit (default: {EngineUnderTest.latency_ms})")
    add("--timeout", type=parse_seconds, metavar="SECONDS", help="timeout for any answer (default:"
        f" {EngineUnderTest.start_s:g} for the handshake, {EngineUnderTest.timeout_s:g} for the others)")
