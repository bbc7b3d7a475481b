"""The data of Ludii's rulesets (tests/data/ludii.json): counts, positions, games and single cases, by our names.

Ludii plays *actions*: each leg of a chain, each placement, each pass. An action after which the same player goes on
ends with ``>``. A ply of ours is a man's move with all its legs.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import cases
from latrones_uci.game import Outcome, Position, Ruleset, ludii_variants

SIZES = ["6x6", "6x7", "6x8", "7x8", "8x8", "8x9", "10x10", "11x16", "9x10", "11x12"]


def swapped(size: str) -> str:
    """Return a size of Ludii's, rows x columns, as files x ranks."""
    return "x".join(reversed(size.split("x")))


NAMES = {
    "Museum Quintana": "ludii-museum-quintana",
    "Kowalski 10x11": "ludii-kowalski-11x10",
    "Kowalski 8x12": "ludii-kowalski-12x8",
    "Locus Ludi Piso": "ludii-piso",
    "Bell 8x7": "ludii-bell-7x8",
    "Bell 8x8": "ludii-bell-8x8",
    "Schadler 1994": "ludii-schadler-1994",
    "Schadler 2001": "ludii-schadler-2001",
    "Falkener": "ludii-falkener",
} | {
    f"{size} ({kind} Rules)": f"ludii-{kind.lower()}-{swapped(size)}"
    for size in SIZES
    for kind in ("Seega", "Kharebga")
}
# Those that are not played here. The last one is no ruleset of its own: it is Schadler 1994 by Ludii's defaults.
NOT_PLAYED = {"Locus Ludi Seneca", "Historical Information"}
REASONS = {"men": "too few pieces", "nomove": "nomove", "nocapture": "nocapture"}


@functools.cache
def data() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((cases.DATA / "ludii.json").read_text(encoding="utf-8"))
    return loaded


def entries() -> dict[str, dict[str, Any]]:
    """Return the entries of the rulesets by our names; with Ludii's slips repaired where there is such an entry."""
    found = {entry["name"]: entry for entry in data()["rulesets"]}
    found |= {entry["name"].removesuffix(" (repaired)"): entry for entry in data()["repaired"]}
    return {NAMES[name]: entry for name, entry in found.items() if name in NAMES}


def played_cases() -> list[dict[str, Any]]:
    """Return the single cases of the rulesets that are played here, repaired; without those of the agreement."""
    return [case | case.get("as_repaired", {}) for case in data()["cases"]
            if case["ruleset"] in NAMES and not case["id"].startswith("agreement-")]


def ruleset(name: str, repetition: str = "illegal") -> Ruleset:
    """Return a ruleset by our name; with repetition ``allowed``, any move may repeat a position."""
    found = ludii_variants()[name]
    return found if repetition == "illegal" else replace(found, repetition="draw")


class Step(NamedTuple):
    """A ply, or the legs so far of one that is not complete; the numbers of its actions in the list."""

    text: str
    complete: bool
    actions: list[int]


def steps(actions: Iterable[str]) -> Iterator[Step]:
    """Join the actions of a game to plies."""
    path, numbers = "", list[int]()
    for number, action in enumerate(actions):
        text, goes_on = action.removesuffix(">"), action.endswith(">")
        numbers.append(number)
        if "@" in text or "x" in text or (text == "pass" and not path):
            yield Step(text, True, numbers)
        elif text == "pass":
            yield Step(path, True, numbers)
        else:
            path += text if not path else text.removeprefix(squares(path)[-1])
            if goes_on:
                continue
            yield Step(path, True, numbers)
        path, numbers = "", []
    if path:
        yield Step(path, False, numbers)


def squares(path: str) -> list[str]:
    return re.findall("[a-p][0-9]+", path)


def actions_of(plies: Iterable[str], path: str = "") -> list[str]:
    """Return the legal actions: the first ones of the legal plies, or those after the legs of a ``path``."""
    found = set()
    legs = squares(path) if path else []
    for ply in plies:
        if "@" in ply or "x" in ply or ply == "pass":
            if not path:
                found.add(ply)
            continue
        names = squares(ply)
        if not path:
            found.add("".join(names[:2]))
        elif names == legs:
            found.add("pass")
        elif names[: len(legs)] == legs:
            found.add(names[len(legs) - 1] + names[len(legs)])
    return sorted(found)


def texts(moves: Iterable[object]) -> list[str]:
    return [str(move) for move in moves]


class Agreed(NamedTuple):
    """What is left of a list of actions after the players have agreed on the number of soldiers, in Schadler 2001."""

    ruleset: Ruleset
    actions: list[str]
    skipped: int
    swapped: bool  # Black is the first to place; here, White is


def agreed(name: str, moves: str, repetition: str = "illegal") -> Agreed:
    """Return the ruleset with the number of soldiers that the players agree on, and the actions after that."""
    actions, found, end = moves.split(), ruleset(name, repetition), 0
    if name == "ludii-schadler-2001" and actions[0] in ("+", "pass"):
        end = next(end for end in range(2, len(actions)) if actions[end - 2 : end] == ["pass", "pass"])
        found = replace(found, hand=found.hand + actions[:end].count("+"))
    return Agreed(found, actions[end:], end, end % 2 == 1)


def agreement_perft(depth: int, placing: Callable[[int, int], int], hand: int = 16, passed: bool = False) -> int:
    """Return the count with the agreement of Schadler 2001; ``placing`` counts what follows, by soldiers and depth."""
    if depth == 0:
        return 1
    raised = agreement_perft(depth - 1, placing, hand + 1) if hand < 24 else 0
    return raised + (placing(hand, depth - 1) if passed else agreement_perft(depth - 1, placing, hand, passed=True))


def board_of(fen: str, swapped: bool = False) -> str:
    board, _, hand = fen.split()[0].partition("[")
    return f"{board.swapcase() if swapped else board}[{hand}"


def same_result(outcome: Outcome | None, name: str, reason: str, swapped: bool = False) -> bool:
    if swapped:
        name = {"p1win": "p2win", "p2win": "p1win"}.get(name, name)
    return outcome is not None and (outcome.name, outcome.reason) == (name, REASONS[reason])


def position(name: str, fen: str, repetition: str = "allowed") -> Position:
    return Position.from_fen(ruleset(name, repetition), fen)
