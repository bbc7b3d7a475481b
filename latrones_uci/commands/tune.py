"""The command ``latrones-uci tune``: tune options of an engine by SPSA."""

import argparse
import sys
import threading
from dataclasses import dataclass, replace

from latrones_uci.client.engine_spec import EngineSettings, parse_engine
from latrones_uci.client.errors import SettingsError, WaitInterruptedError
from latrones_uci.commands.arguments import on_interrupt, parse_positive, parse_rate
from latrones_uci.commands.early_interrupts import INTERRUPTED
from latrones_uci.commands.match import play_and_print, with_database
from latrones_uci.commands.match_arguments import (
    Outputs,
    add_options,
    add_outputs,
    add_settings,
    check_concurrency,
    check_openings,
    match_settings,
    parse_outputs,
)
from latrones_uci.match.run import identify, open_place
from latrones_uci.match.tuner import ParameterWords, engines_of_tuning
from latrones_uci.records.record import Identity
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats.spsa import MAX_DEFAULT_RATE, MIN_DEFAULT_RATE, Spsa

_DESCRIPTION = """\
Tune options of an engine by SPSA. The engine plays pairs of games against itself, each side with slightly different
values of all parameters, and the result of each pair moves the values towards those of the winner. Interrupt it at any
time: the same command, or 'latrones-uci resume FILE.db', resumes it.

fields of a parameter (--param NAME or --param NAME,START,MIN,MAX,STEP):
  NAME   option of the engine, of the type spin
  START  first value
  MIN    least value
  MAX    greatest value
  STEP   how far the two sides are from the value at the end; further before.
         Large enough to make a difference: a twentieth of the range, say
  'auto', or nothing as in --param NAME, stands for the engine's own default, minimum and maximum,
  and for a twentieth of the range.
"""
_EPILOG = """\
example:
  latrones-uci tune --engine cmd="latrones-uci --tune" nodes=3000 \\
      --param futility_margin,50,10,150,10 \\
      --param reverse_futility_margin,50,10,150,10 \\
      --games 20000 --openings random:6 --report tuning.html

'latrones-uci match --help' describes the keys of an engine.
"""
_REFUSED = {
    "--each": "a tuning has one engine; expected its keys after --engine",
    "--format": "a tuning is a match of an engine against itself",
    "--sprt": "a tuning does not test for a difference; expected a match with the tuned values afterwards",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    add = parser.add_argument
    add("--engine", action="append", nargs="+", metavar="KEY=VALUE", help="the engine to tune, as in 'match'; required")
    add("--param", action="append", metavar="NAME[,START,MIN,MAX,STEP]", help="parameter to tune; required, may be"
        " repeated")
    add("--rate", type=parse_rate, metavar="R", help="part of its step by which a point moves a parameter at the end,"
        " more before (default: 40 divided by the number of games,"
        f" from {MIN_DEFAULT_RATE:g} to {MAX_DEFAULT_RATE:g})")
    add_settings(parser, without=["sprt"])
    add("--games", type=parse_positive, metavar="N", help="number of games of the tuning in all (default: none;"
        " required, even)")
    add_options(parser, TournamentSettings, ["concurrency"])
    add_outputs(parser)
    for option in _REFUSED:
        add(option, nargs="*", help=argparse.SUPPRESS)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``latrones-uci match``."""
    arguments, interrupt = read_tune(options), threading.Event()
    engines, scheduler = (arguments.engine, replace(arguments.engine, name=None)), arguments.outputs.scheduler
    untuned = replace(arguments.settings, engines=engines, concurrency=1)
    try:
        with on_interrupt(interrupt.set), open_place(untuned, interrupt.is_set, scheduler=scheduler) as place:
            (identity,) = identify(untuned, place, [0])
    except WaitInterruptedError:
        print(f"{program}: interrupted before the first game", file=sys.stderr)
        return INTERRUPTED
    settings = arguments.tuning_of(identity)
    check_openings(settings)
    return play_and_print(settings, with_database(settings, arguments.outputs, "tune"), program)


@dataclass(frozen=True)
class TuneArguments:
    engine: EngineSettings
    settings: TournamentSettings
    """The match of the engine against itself, without the tuning, for which its options must be known."""
    parameters: tuple[ParameterWords, ...]
    rate: float | None
    """The rate of the last pair, None for the default."""
    outputs: Outputs

    def tuning_of(self, identity: Identity) -> TournamentSettings:
        """Return the match that tunes the engine, whose options are known now.

        Raises:
            SettingsError: the engine does not have these options or values.
        """
        name = identity.name
        parameters = tuple(words.parameter(name, identity.options) for words in self.parameters)
        try:
            tuning = Spsa(parameters, self.rate)
        except ValueError as error:
            raise SettingsError(f"--param: {error}") from error
        return replace(self.settings, engines=engines_of_tuning(replace(self.engine, name=name)), tuning=tuning)


def read_tune(parsed: argparse.Namespace) -> TuneArguments:
    """Convert the arguments of ``configure``.

    Raises:
        SettingsError: an argument is invalid; the message is one line that quotes it.
    """
    for option, why in _REFUSED.items():
        if getattr(parsed, option[2:].replace("-", "_")) is not None:
            raise SettingsError(f"'{option}': {why}")
    if len(engines := parsed.engine or []) != 1:
        raise SettingsError(f"engines: {len(engines)} given; expected one, as '--engine cmd=...'")
    if not parsed.param:
        raise SettingsError("parameters: none given; expected at least one, as '--param NAME,START,MIN,MAX,STEP'")
    if parsed.games is None:
        raise SettingsError("--games: missing; expected the number of games, such as --games 20000")
    if parsed.games % 2:
        raise SettingsError(f"--games {parsed.games}: odd; expected pairs of games")
    engine, parameters = parse_engine(engines[0], []), tuple(map(ParameterWords.parse, parsed.param))
    both = engines_of_tuning(replace(engine, name=engine.name or "engine"))
    settings, outputs = match_settings(parsed, both, parsed.games), parse_outputs(parsed)
    check_concurrency(settings, outputs)
    return TuneArguments(engine, settings, parameters, parsed.rate, outputs)
