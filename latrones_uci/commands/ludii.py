"""The command ``latrones-uci ludii``: Ludii's player with this engine, and Ludii's agents as engines."""

import argparse
import sys

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.programs import run_in_place
from latrones_uci.commands.arguments import Parser, parse_seconds
from latrones_uci.engine.calibration import LEVELS
from latrones_uci.game import Ruleset, ludii_variants
from latrones_uci.game.variants import LUDII_PREFIX
from latrones_uci.ludii.java import SITE, USUAL_FOLDERS, compiled, find_jar, find_java
from latrones_uci.ludii.player import agent_name, player_folder, run_player, write_start
from latrones_uci.text.messages import nearest_name, quoted

_DEFAULT_RULESET = "kowalski-12x8"
_DEFAULT_SECONDS = 1.0


def configure(parser: Parser) -> None:
    parser.description = (
        "Open Ludii's player on one of its rulesets of Ludus latrunculorum: you are White, the engine is Black. The"
        " list of agents in its settings has all levels of the engine. Ludii is a program of its own, from"
        f" {SITE}; the first start compiles a few classes for it, and needs a JDK."
        "\n\nWith --agent, no window opens: an agent of Ludii speaks UGI on standard input and output, as an engine"
        " for 'latrones-uci match'."
    )
    add = parser.add_argument
    add("--jar", metavar="FILE", help=f"Ludii's JAR (default: the newest Ludii*.jar in {USUAL_FOLDERS})")
    add("--java", metavar="PROGRAM", help="program java, version 8 or newer, or the folder of a JDK (default: that of"
        " the PATH or JAVA_HOME)")
    add("--ruleset", metavar="NAME", type=parse_ruleset, help="one of Ludii's rulesets that 'latrones-uci variants'"
        f" lists (default: {_DEFAULT_RULESET})")
    strength = parser.add_mutually_exclusive_group().add_argument
    strength("--level", metavar="N", type=parse_level, help=f"level of the engine, 0 to {LEVELS} (default: {LEVELS},"
             " full strength)")
    strength("--st", metavar="SECONDS", type=parse_seconds, help="seconds for each of its moves (default:"
             f" {_DEFAULT_SECONDS:g})")
    add("--agent", metavar="NAME", help="run an agent of Ludii as an engine, such as Alpha-Beta or UCT")


def parse_ruleset(text: str) -> Ruleset:
    """Parse the name of one of Ludii's rulesets, with or without its prefix."""
    names = {name.removeprefix(LUDII_PREFIX): ruleset for name, ruleset in ludii_variants().items()}
    name = text.removeprefix(LUDII_PREFIX)
    if name not in names:
        near = ", ".join(each for each in names if name and name in each)
        expected = near or f"one of Ludii's that 'latrones-uci variants' lists{nearest_name(name, names)}"
        raise argparse.ArgumentTypeError(f"unknown ruleset {quoted(text)}; expected {expected}")
    return names[name]


def parse_level(text: str) -> int:
    """Parse a level of the engine."""
    if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= LEVELS):
        raise argparse.ArgumentTypeError(f"expected a level from 0 to {LEVELS}, not {quoted(text)}")
    return int(text)


def run(options: argparse.Namespace, program: str) -> int:
    given = [f"--{name}" for name in ("ruleset", "level", "st") if getattr(options, name) is not None]
    if options.agent is not None and given:
        raise SettingsError(f"{given[0]} cannot be combined with --agent; the runner chooses variant and time")
    jar, java = find_jar(options.jar), find_java(options.java)
    output = sys.stdout if options.agent is None else sys.stderr
    classes = compiled(java, jar, lambda: print(f"Compiling for {jar}, once ...", file=output, flush=True))
    if options.agent is not None:
        # The serial collector has no threads of its own, which would take time from the other player.
        return run_in_place(classes.command("LudiiUgi", options.agent, options=["-XX:+UseSerialGC"]))
    ruleset = options.ruleset or parse_ruleset(_DEFAULT_RULESET)
    level, folder = LEVELS if options.level is None else options.level, player_folder()
    names = [agent_name(each, LEVELS) for each in range(LEVELS + 1)]
    write_start(folder, ruleset, names[level], options.st or _DEFAULT_SECONDS)
    print(f"Ludii opens {ruleset.name}: you are White, latrones-uci is Black, at level {level}.\n"
          f"Its game, preferences and messages are in {folder}", flush=True)
    try:
        run_player(classes, folder, names)
    except KeyboardInterrupt:
        print()
    return 0
