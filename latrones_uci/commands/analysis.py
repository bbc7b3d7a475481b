"""The command ``latrones-uci analysis``: a service for programs, over lines of JSON."""

import argparse
import sys

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.processors import processors
from latrones_uci.commands.arguments import parse_option_word, parse_positive
from latrones_uci.commands.bench import add_backend
from latrones_uci.protocols.analysis import OF_QUERIES, AnalysisService
from latrones_uci.protocols.channel import Channel
from latrones_uci.protocols.serve import SWITCH_INTERVAL_S
from latrones_uci.text.messages import quoted

MAX_WORKERS = 256


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = ("Analyse positions for programs: read queries from standard input, one JSON object a line,"
                          " and write results in the same form, several searches at a time. docs/analysis.md describes"
                          " the fields.")
    add = parser.add_argument
    add("--workers", type=parse_positive, metavar="N", default=processors(),
        help="number of searches at a time (default: number of processors)")
    add("--threads", type=parse_positive, metavar="N", default=1, help="threads of each search (default: 1)")
    add("--hash", type=parse_positive, metavar="MB", default=16,
        help="transposition table of each worker in megabytes (default: 16)")
    add("--option", action="append", default=[], metavar="NAME=VALUE",
        help="further option of the engine, such as TablePath; may be repeated")
    add_backend(parser)


def run(options: argparse.Namespace, program: str) -> int:
    settings = {"UCI_ShowWDL": "true", "Threads": str(options.threads), "Hash": str(options.hash)}
    for word in options.option:
        name, value = parse_option_word(word)
        if name.lower() in map(str.lower, (*OF_QUERIES, *settings)):
            raise SettingsError(f"--option {quoted(word)}: set by the queries or by other arguments; expected another"
                                " option")
        settings[name] = value
    if options.workers > MAX_WORKERS:
        raise SettingsError(f"--workers {options.workers}: too many; expected at most {MAX_WORKERS}")
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    channel = Channel(0, 1)
    AnalysisService(channel, options.backend, options.workers, settings).run()
    return 0
