#!/usr/bin/env python3
"""Play this project's engine against other programs, and print the tables of docs/opponents.md.

    opponents.py table DIR --opponent NAME=COMMAND ...     one strength of ours against all of them
    opponents.py ratings DIR --opponent NAME=COMMAND ...   our levels and all of them on one scale for each game

NAME is ``ludii``, whose agents play, ``fairy-stockfish-x`` or ``web-latrones``. No search is limited by time, so the
results do not depend on the speed of the machine. The databases of the matches are in DIR; rerun to resume.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from base import ROOT, Command, markdown, run_command
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.engine.calibration import LEVELS as FULL
from latrones_uci.text.command import join_command

EXAMPLES = ROOT / "docs" / "examples"
MATCH = ("--openings", "random:6", "--seed", "1", "--max-plies", "600", "--force", "--fail-on", "fault", "--json")


class Player(NamedTuple):
    """An engine of a match."""

    name: str
    program: str
    """The name of its command on the command line; empty for our engine."""
    keys: tuple[str, ...]
    """Those of ``--engine``, with a limit."""
    arguments: str = ""
    """Further words of its command."""
    rivals: tuple[str, ...] = ()
    """The players that it plays in the rating list, some of them about as strong."""


class Played(NamedTuple):
    """A game that is played."""

    variant: str
    programs: tuple[str, ...]
    """Those that know it."""
    file: str | None = None
    """The file in docs/examples that has the variant."""
    ludii_keys: tuple[str, ...] = ()
    """What Ludii's agents need for it."""


GAMES = (
    Played("ludii-kowalski-12x8", ("ludii",)),
    Played("museum-quintana", ("ludii", "fairy-stockfish-x"), "museum-quintana.toml",
           ("variant.museum-quintana=ludii-museum-quintana", "option.Repetition=true")),
    Played("ludii-bell-7x8", ("ludii",)),
    Played("ludii-seega-6x6", ("ludii",)),
    Played("latrones", ("web-latrones",)),
)
OPPONENTS = (
    Player("Random", "ludii", ("depth=1",), "--agent Random", rivals=("UCT", "level 1")),
    Player("Alpha-Beta", "ludii", ("depth=2",), "--agent Alpha-Beta", rivals=("level 1", "level 4", "level 8")),
    Player("UCT", "ludii", ("nodes=100",), "--agent UCT", rivals=("level 1", "level 4")),
    Player("MC-GRAVE", "ludii", ("nodes=100",), "--agent MC-GRAVE", rivals=("level 1", "level 4")),
    Player("Fairy-Stockfish-X", "fairy-stockfish-x",
           (f"variant_path={EXAMPLES / 'museum-quintana.ini'}", "option.Use NNUE=false", "nodes=20000"),
           rivals=("level 12", "level 16", "level 20")),
    Player("Latrones (web program)", "web-latrones", ("depth=1",), rivals=("level 4", "level 8", "level 12")),
    Player("Python kernel", "", ("option.Backend=python", "nodes=1000"), rivals=("level 12", "level 16", "level 18")),
)
LEVELS = tuple(Player(f"level {level}", "", (f"option.Skill Level={level}", "nodes=30000"))
               for level in range(1, FULL + 1))


class Opponents:
    """Who plays, and the matches, as the command line says."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.commands = {"": join_command(OWN_ENGINE)}
        known = {player.program for player in OPPONENTS if player.program}
        for text in options.opponent:
            name, _, command = text.partition("=")
            if name not in known or not command:
                options.error(f"--opponent {text!r}: expected one of {', '.join(sorted(known))}, '=' and a command")
            self.commands[name] = command

    def games(self) -> Iterator[tuple[Played, list[Player]]]:
        """Yield the games to play, and who plays them besides our engine at full strength and its levels."""
        for game in GAMES:
            if game.variant in (self.options.variant or ()) or (
                    not self.options.variant and any(program in self.commands for program in game.programs)):
                yield game, [player for player in OPPONENTS
                             if player.program in self.commands and player.program in ("", *game.programs)]

    def play(self, game: Played, one: Player, other: Player) -> tuple[Path, dict[str, Any]]:
        """Play a match, or the rest of it; return its database and the last of its events."""
        name = f"{one.name} - {other.name}"
        print(f"{game.variant}: {name}", file=sys.stderr, flush=True)
        database = self.options.folder / game.variant / f"{name}.db"
        database.parent.mkdir(parents=True, exist_ok=True)
        words = ["--variant", game.variant, "--database", str(database), "--games", str(self.options.games),
                 "--concurrency", str(self.options.concurrency), *MATCH]
        if game.file:
            words += ["--variant-path", str(EXAMPLES / game.file)]
        done = subprocess.run([*OWN_ENGINE, "match", *self._engine(game, one), *self._engine(game, other), *words],
                              stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{database}: the match ended with status {done.returncode}")
        return database, json.loads(done.stdout.splitlines()[-1])

    def _engine(self, game: Played, player: Player) -> list[str]:
        command = f"{self.commands[player.program]} {player.arguments}".strip()
        keys = ("protocol=ugi", *game.ludii_keys) if player.program == "ludii" else ()
        return ["--engine", f"cmd={command}", f"name={player.name}", *keys, *player.keys]


def add_match(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", metavar="DIR", type=Path, help="folder of the databases")
    add("--opponent", metavar="NAME=COMMAND", action="append", default=[], help="program to play; may be repeated")
    add("--variant", metavar="NAME", action="append", choices=[game.variant for game in GAMES],
        help="game to play; may be repeated (default: all that a given program knows)")
    add("--games", type=int, default=40, help="games of each match, even (default: 40)")
    add("--concurrency", type=int, default=1, help="games at a time (default: 1)")


def add_table(parser: argparse.ArgumentParser) -> None:
    add_match(parser)
    parser.add_argument("--nodes", type=int, default=1000, help="nodes of our engine for a move (default: 1000)")


def print_table(options: argparse.Namespace) -> None:
    """Play our engine at full strength against each opponent, and print the results as a table of Markdown."""
    opponents, rows = Opponents(options), []
    own = Player("latrones-uci", "", (f"nodes={options.nodes}",))
    for game, players in opponents.games():
        for player in players:
            if player.program:
                _, end = opponents.play(game, own, player)
                (met,) = end["meetings"]
                limit = next(key for key in player.keys if key.startswith(("depth=", "nodes=")))
                rows.append((f"`{game.variant}`", player.name, f"`{limit}`", met["wins"], met["draws"], met["losses"],
                             f"{100 * met['score']['value']:.0f}%"))
    print(markdown(("game", "opponent", "its limit", "won", "drawn", "lost", "score"), rows))


def pairings(players: Sequence[Player]) -> Iterator[tuple[Player, Player]]:
    """Yield who plays whom: neighbouring levels, and each opponent its rivals, so that games connect all players."""
    yield from pairwise(LEVELS)
    named = {player.name: player for player in (*LEVELS, *players)}
    for player in players:
        for rival in player.rivals:
            yield player, named[rival]


def print_ratings(options: argparse.Namespace) -> None:
    """Play our levels and all opponents, and print a rating list of each game; level 1 has rating 0."""
    opponents = Opponents(options)
    for game, players in opponents.games():
        databases = [str(opponents.play(game, one, other)[0]) for one, other in pairings(players)]
        print(f"\n{game.variant}\n", flush=True)
        subprocess.run([*OWN_ENGINE, "ratings", *databases, "--anchor", f"{LEVELS[0].name}=0"], check=True)


COMMANDS: dict[str, Command] = {"table": (add_table, print_table), "ratings": (add_match, print_ratings)}

if __name__ == "__main__":
    sys.exit(run_command(__doc__, COMMANDS, at_least_1=("games", "concurrency", "nodes")))
