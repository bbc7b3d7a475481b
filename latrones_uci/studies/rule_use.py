"""Which rules of a game matter in its games, and which kinds of capture take pieces.

The rules are asked, not described again: a game is replayed under the ruleset without one of its rules, and the pieces
that a move takes are compared with those that it would take by one kind of capture alone. A new key of rulesets needs
nothing here, unless it is a further kind of capture (``CAPTURES``) or describes the board (``_BOARD_KEYS``).
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from latrones_uci.game import Game, LatronesError, Move, Position, Ruleset
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.history import push_parsed
from latrones_uci.game.rules import Rules, rules_of
from latrones_uci.game.ruleset import clashes, keys_of
from latrones_uci.records.record import PlayedGame
from latrones_uci.text.toml import toml_value

CAPTURES = (
    "custodian", "intervention", "jump_captures", "corner", "enclosure", "push_and_crush", "flank_attack", "phalanx",
)
"""The keys of the kinds of capture that take pieces by a landing."""
BOUND, SHUT_IN, TOGETHER = "bound", "shut in", "several together"
"""Further kinds: of a bound piece; of a dux without an empty neighbour; by no kind alone."""
_BOARD_KEYS = keys_of("words", "size", "start") | {"board", "dux_move", "hand"}
"""Keys without which there is no game to replay."""


# ---------------------------------------------------------------- rules

Change = tuple[str, str]
"""A key and another value of it, as in TOML."""


@lru_cache(maxsize=64)
def changes_of(ruleset: Ruleset) -> Mapping[Change, Ruleset]:
    """Return the rulesets that lack one rule of a ruleset.

    A rule is a key with a value other than its default; without it, the key has the default. A key without a default
    has each of its other values instead, a limit the value 0. If the rest of the ruleset does not allow that, another
    key has its default as well; if that does not help, the rule is left out.
    """
    found = {}
    for key, values in _other_values(ruleset):
        for value in values:
            if (changed := _changed(ruleset, key, value)) is not None:
                found[key, toml_value(value)] = changed
    return found


def _other_values(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[Any]]]:
    hints = get_type_hints(Ruleset)
    for each in dataclasses.fields(Ruleset):
        value = getattr(ruleset, each.name)
        if each.name in _BOARD_KEYS or value == each.default:
            continue
        if each.default is not dataclasses.MISSING:
            yield each.name, [each.default]
        elif get_origin(hints[each.name]) is Literal:
            yield each.name, [other for other in get_args(hints[each.name]) if other != value]
        elif value:
            yield each.name, [0]


def _changed(ruleset: Ruleset, key: str, value: Any) -> Ruleset | None:
    changed = replace(ruleset, **{key: value})
    others = (replace(changed, **{each.name: each.default}) for each in dataclasses.fields(Ruleset)
              if each.default is not dataclasses.MISSING and each.name not in {*_BOARD_KEYS, key})
    return next((each for each in (changed, *others) if not clashes(each)), None)


def changes_that_matter(game: PlayedGame, changes: Mapping[Change, Ruleset]) -> set[Change]:
    """Return the changes of rules with which a game would have been another one.

    That is: a position of it would have had other legal moves, a move would have led to another position, or the game
    would have ended earlier, later, or with another result.
    """
    steps = list(_steps(game, game.start))
    return {change for change, ruleset in changes.items() if _is_another(game, steps, ruleset)}


def _steps(game: PlayedGame, start: Position) -> Iterator[object]:
    """Yield what the rules say about each position of a game that begins at ``start``.

    Under other rules, a move need not be legal in a position for which something else is yielded than in the game.
    """
    replayed = Game(start)
    for ply in (*game.plies, None):
        position = replayed.position
        yield frozenset(position.packed_moves), position.repetition_key, position.nocapture, _ending(replayed)
        if ply is not None:
            push_parsed(replayed, position.parse_move(ply.text))


def _ending(game: Game) -> object:
    outcome = game.outcome()
    return None if outcome is None else (outcome.winner, outcome.termination)


def _is_another(game: PlayedGame, steps: Sequence[object], ruleset: Ruleset) -> bool:
    try:
        start = Position.from_fen(ruleset, game.start.fen())
    except LatronesError:
        return True
    return any(step != other for step, other in zip(steps, _steps(game, start), strict=True))  # to the first difference


# ---------------------------------------------------------------- kinds of capture


def kinds_of(ruleset: Ruleset) -> list[str]:
    if ruleset.capture_effect == "bind":
        return [BOUND]
    kinds = [key for key in CAPTURES if getattr(ruleset, key) not in (False, "none")]
    return [*kinds, SHUT_IN] if ruleset.dux_fate == "captured" else kinds


@lru_cache(maxsize=256)
def _rules_with(ruleset: Ruleset, kind: str, geometry: Geometry) -> Rules:
    """Return the rules with one kind of capture only; with ``SHUT_IN``, without any other."""
    off: dict[str, Any] = {each.name: each.default for each in dataclasses.fields(Ruleset)
                           if each.name in CAPTURES and each.name != kind}
    if kind != SHUT_IN and ruleset.dux_fate == "captured":
        off["dux_fate"] = "ordinary" if kind == "enclosure" else "safe"  # only an enclosed group takes its dux with it
    return rules_of(replace(ruleset, **off), geometry.files, geometry.ranks)


def count_captures(position: Position, move: Move, taken: Sequence[int]) -> Counter[str]:
    """Count the pieces that a legal move captures, by the kind of capture.

    A piece that several kinds would take alone counts for each of them.

    Args:
        position: the position before the move.
        move: the move.
        taken: the squares of the pieces that it captures.
    """
    ruleset, found = position.ruleset, Counter[str]()
    kinds = kinds_of(ruleset)
    if len(kinds) < 2 or move.kind == "kill":
        found.update({kind: len(taken) for kind in kinds})
        return found
    left = set(taken)
    for kind in kinds:
        rules = _rules_with(ruleset, kind, position.geometry)
        alone = position.lifted(Position(rules, position.board, position.movenumber).after(move))
        both = [square for square in alone if square in taken]
        found[kind] += len(both)
        left.difference_update(both)
    if left:
        found[TOGETHER] += len(left)
    return +found
