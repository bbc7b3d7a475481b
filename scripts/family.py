#!/usr/bin/env python3
"""Measure the family of games by matches in this process, and write the tables of docs/family.md.

    python3 scripts/family.py                               # play nothing; rewrite the tables
    python3 scripts/family.py --games 500 --nodes 2000      # self-play: statistics of the games
    python3 scripts/family.py --weaker --games 40 --movetime 100   # the engine against itself at depth 1

The tables are made from the rulesets and from docs/family.json, where a ruleset is recorded when its games are over. In
self-play, each game starts with a few random plies, which differ from game to game. The matches with ``--weaker`` are
played in pairs with both colours, from random openings.

Every ruleset has a database in ``--folder``, which ``latrones-uci verify`` and ``report`` read. Rerun the command to
resume; with more ``--games``, the missing games are played. The databases belong to this version of the engine: when
its code changes, a new folder is used.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from latrones_uci.game import Position, Ruleset, Termination, ludii_variants  # noqa: E402
from latrones_uci.match.database import stored_games, stored_settings  # noqa: E402
from latrones_uci.match.record import PlayedGame  # noqa: E402
from latrones_uci.match.store import Store  # noqa: E402
from level_games import FULL, Match, Player, engine_hash, play_matches  # noqa: E402

PAGE, RESULTS = ROOT / "docs" / "family.md", ROOT / "docs" / "family.json"
SELF_PLAY, WEAKER = "self-play", "weaker"
RANDOM_PLIES = 6
MOST_PLIES = 2500  # as in Ludii: 1,250 turns per side


# ---------------------------------------------------------------- matches


def match_of(name: str, options: argparse.Namespace) -> Match:
    """Return the match of a ruleset: self-play, or against depth 1."""
    limits = {"movetime_ms": options.movetime} if options.movetime else {"nodes": options.nodes}
    words = [f"{options.movetime}ms" if options.movetime else f"{options.nodes}nodes"]
    words += [f"{options.max_plies}plies"] * (options.max_plies != MOST_PLIES)
    folder = options.folder / engine_hash() / "-".join(words)
    if options.weaker:
        # Both players have the limit: where nearly every move captures, even depth 1 can take millions of nodes.
        players = Player("full", FULL, **limits), Player("depth 1", FULL, depth=1, **limits)
        return Match(folder / WEAKER / f"{name}.db", name, players, options.games, f"random:{RANDOM_PLIES}",
                     options.max_plies)  # fmt: skip
    one, other = (Player(letter, FULL, **limits, random_plies=RANDOM_PLIES) for letter in "AB")
    return Match(folder / SELF_PLAY / f"{name}.db", name, (one, other), options.games, "random:0", options.max_plies)


def self_play_record(path: Path) -> dict[str, Any]:
    """Return the totals of the games in a self-play database."""
    totals: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    with Store(path, writing=False) as store:
        settings = stored_settings(store)
        for record in stored_games(store, settings):
            game = record.game
            totals += Counter(games=1, plies=len(game.plies), choices=choices_of(game))
            if game.outcome.termination is Termination.ADJUDICATION:
                totals["unfinished"] += 1
            else:
                totals[("white", "black", "draws")[2 if game.outcome.winner is None else game.outcome.winner]] += 1
                reasons[game.outcome.reason] += 1
    keys = ("games", "white", "black", "draws", "unfinished", "plies", "choices")
    limit = settings.engines[0].control.to_text()
    return {"limit": limit} | {key: totals[key] for key in keys} | {"reasons": dict(sorted(reasons.items()))}


def choices_of(game: PlayedGame) -> int:
    """Return the total number of legal moves over all positions of a game in which a move was made."""
    position, choices = game.start, 0
    for ply in game.plies:
        choices += len(position.packed_moves)
        position = position.after(position.parse_move(ply.text))
    return choices


def weaker_record(path: Path) -> dict[str, Any]:
    """Return the totals of the games in the database of a match against depth 1."""
    totals: Counter[str] = Counter()
    with Store(path, writing=False) as store:
        settings = stored_settings(store)
        for record in stored_games(store, settings):
            game, full = record.game, record.fixture.black == 0
            passes = [ply.text == "pass" for ply in game.plies]
            totals += Counter(games=1, plies=len(passes), passes=sum(passes))
            if game.outcome.winner is not None:
                totals["won" if game.outcome.winner == full else "lost"] += 1
            elif game.outcome.termination is Termination.ADJUDICATION:
                totals["unfinished"] += 1
            else:
                totals["drawn by passes" if passes[-2:] == [True, True] else "drawn otherwise"] += 1
    keys = ("games", "won", "drawn by passes", "drawn otherwise", "unfinished", "lost", "plies", "passes")
    return {"limit": settings.engines[0].control.to_text()} | {key: totals[key] for key in keys}


def recorded() -> dict[str, dict[str, Any]]:
    """Return the records of self-play and of the matches against depth 1, each by ruleset."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return {SELF_PLAY: {}, WEAKER: {}} | found


def record(kind: str, name: str, entry: dict[str, Any]) -> None:
    """Store the record of a ruleset, and write the tables."""
    records = recorded()
    records[kind][name] = entry
    records[kind] = {each: records[kind][each] for each in ludii_variants() if each in records[kind]}
    RESULTS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    write_tables()


# ---------------------------------------------------------------- tables


def comparison_table() -> str:
    """Return the table of the rules, from the rulesets."""
    lines = ["| game | board | pieces a side | moves | captures | too few | no legal move |",
             "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for name, ruleset in ludii_variants().items():
        few = {0: "-", 1: "none left"}.get(ruleset.fewest_men, f"fewer than {ruleset.fewest_men}")
        files, ranks = ruleset.default_size
        lines.append(f"| `{name}` | {files}x{ranks} | {men_of(ruleset)} | {moves_of(ruleset)} |"
                     f" {captures_of(ruleset)} | {few} | {no_move_of(ruleset)} |")  # fmt: skip
    return "\n".join(lines)


def men_of(ruleset: Ruleset) -> str:
    start = Position.start(ruleset)
    count = ruleset.hand or sum(start.piece_at(square) == "S" for square in range(start.geometry.squares))
    return f"{count}{' and dux' if ruleset.dux != 'none' else ''}{', placed' if ruleset.hand else ''}"


def moves_of(ruleset: Ruleset) -> str:
    parts = [{"slide": "slide", "step": "step"}[ruleset.soldier_move]]
    if ruleset.directions == "all":
        parts[0] += " in eight directions"
    if ruleset.soldier_jump != "none":
        over = "any piece" if ruleset.jump_over == "all" else "an enemy"
        parts.append(f"{'chains of hops' if ruleset.soldier_jump == 'chain' else 'hop'} over {over}")
    if ruleset.dux_jump != "none":
        parts.append("dux hops over an enemy")
    return "; ".join(parts)


def captures_of(ruleset: Ruleset) -> str:
    parts = ["between two" if ruleset.capture_effect == "remove" else "bound between two, then captured"]
    parts += ["corner"] * ruleset.corner + ["corners are hostile"] * ruleset.hostile_corners
    parts += ["must go on"] * (ruleset.capture_chain == "forced")
    return "; ".join(parts)


def no_move_of(ruleset: Ruleset) -> str:
    ties = ", Black if equal" * (ruleset.equal_men == "black")
    return {"loss": "loses", "pass": "passes", "most_men": f"more pieces win{ties}"}[ruleset.no_move]


def measured_table() -> str:
    """Return the table of self-play; rulesets without a complete run are left out."""
    lines = ["| game | games | plies | legal moves | White wins | Black wins | draws | unfinished |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for name, one in recorded()[SELF_PLAY].items():
        share = [f"{100 * one[key] / one['games']:.0f}%" for key in ("white", "black", "draws", "unfinished")]
        lines.append(f"| `{name}` | {one['games']} | {one['plies'] / one['games']:.0f} |"
                     f" {one['choices'] / one['plies']:.1f} | {' | '.join(share)} |")  # fmt: skip
    return "\n".join(lines)


def weaker_table() -> str:
    """Return the table of the matches against depth 1, or a sentence if there are none."""
    if not recorded()[WEAKER]:
        return "None has been played yet."
    lines = ["| game | limit | games | won | drawn | unfinished | lost | score | plies | passes |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for name, one in recorded()[WEAKER].items():
        drawn = one["drawn by passes"] + one["drawn otherwise"]
        score = (one["won"] + (drawn + one["unfinished"]) / 2) / one["games"]
        lines.append(f"| `{name}` | {one['limit']} | {one['games']} | {one['won']} | {drawn} | {one['unfinished']} |"
                     f" {one['lost']} | {score:.0%} | {one['plies'] / one['games']:.0f} |"
                     f" {one['passes'] / one['plies']:.1%} |")  # fmt: skip
    return "\n".join(lines)


def with_tables(page: str) -> str:
    """Return the page with its tables replaced."""
    for marker, table in (("comparison", comparison_table()), ("measured", measured_table()),
                          ("weaker", weaker_table())):  # fmt: skip
        pattern = rf"(<!-- {marker}: [^\n]*-->\n).*?(\n<!-- end of {marker} -->)"
        page, count = re.subn(pattern, lambda found, table=table: found[1] + table + found[2], page, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"{PAGE}: {count} tables '{marker}'; expected one, between its markers")
    return page


def write_tables() -> None:
    """Write the tables of the page."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def parse_options() -> argparse.Namespace:
    """Return the parsed command line, or exit with an error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--games", type=int, default=0, metavar="N", help="games for each ruleset (default: none)")
    add("--weaker", action="store_true", help="play against depth 1, not self-play")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=int, default=2000, metavar="N", help="nodes per move (default: 2000)")
    limit.add_argument("--movetime", type=int, default=0, metavar="MS", help="milliseconds per move instead")
    add("--max-plies", type=int, default=MOST_PLIES, metavar="N",
        help=f"plies after which a game is unfinished (default: {MOST_PLIES})")  # fmt: skip
    add("--only", action="append", choices=list(ludii_variants()), metavar="NAME",
        help="only this ruleset; may be repeated (default: all)")  # fmt: skip
    add("--concurrency", type=int, default=1, metavar="N", help="processes (default: 1)")
    add("--folder", type=Path, default=ROOT / "build" / "family",
        help="where the databases are (default: build/family)")  # fmt: skip
    options = parser.parse_args()
    for key, least in (("games", 0), ("nodes", 1), ("movetime", 0), ("max_plies", 1), ("concurrency", 1)):
        if (value := getattr(options, key)) < least:
            parser.error(f"--{key.replace('_', '-')} {value}: too small; expected an integer from {least}")
    if options.weaker and options.games % 2:
        parser.error(f"--games {options.games}: odd; expected an even number, as --weaker plays with both colours")
    if options.weaker and not options.games:
        parser.error("--weaker: nothing to play; expected --games N")
    return options


def main() -> int:
    """Run the command and return the exit status."""
    options = parse_options()
    names = (options.only or list(ludii_variants())) if options.games else []
    kind, record_of = (WEAKER, weaker_record) if options.weaker else (SELF_PLAY, self_play_record)
    paths = play_matches([match_of(name, options) for name in names], options.concurrency)
    for name, path in zip(names, paths, strict=True):
        entry = record_of(path)
        record(kind, name, entry)
        print(f"{name}: {json.dumps(entry)}", flush=True)
    write_tables()
    return 0


if __name__ == "__main__":
    sys.exit(main())
