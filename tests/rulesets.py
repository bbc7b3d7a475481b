"""Random rulesets: the conditions on combinations, both as a test of values and as a way to draw valid ones.

Both are written from the table in docs/variants.md, not from the code of the package.
"""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from naive import DEFAULTS, EXAMPLES, FIELDS, Described, parse
from naive.board import Board, step
from naive.fields import Fields

# Start positions, without a dux, with both, and with one; unequal, or with pieces between two enemies.
STARTS = [
    "ssss/4/4/SSSS", "5/s1S1s/1s1S1/s1S1s/5", "s1s1s/5/S1s1S/5/1SSS1", "sdss/4/SSDS/4/4/4", "2sds/5/s3S/5/5/1SDS1/5",
    "s3s/5/2D2/5/s3s", "3d4/ssssssss/8/8/2sS4/8/SSSSSSSS/4D3", "s1d1s1s/7/7/S6/7/7/1S2S1S",
]
# All values of the fields with choices, and some values of the numeric fields.
CHOICES: dict[str, list[Any]] = {
    "board": ["grid", "wheel"], "setup": ["ranks", "placement", "start"], "soldier_ranks": [0, 1, 2, 3],
    "array": ["full", "chequered"], "dux": ["none", "front", "first_rank", "hand", "start"],
    "hand": [0, 1, 2, 3, 5, 8, 16], "placement_turn": [1, 2], "barred": ["none", "centre", "middle"],
    "directions": ["orthogonal", "all"],
    "soldier_move": ["slide", "step"], "dux_move": ["none", "slide", "step"],
    "soldier_jump": ["none", "single", "chain"], "jump_over": ["enemies", "all"],
    "dux_jump": ["none", "single", "line"], "jump_must_capture": [False, True], "custodian": ["none", "one", "line"],
    "hostile_corners": [False, True], "flanked_mover": ["free", "void_axis"], "corner": [False, True],
    "enclosure": [False, True], "push_and_crush": [False, True], "flank_attack": [False, True],
    "phalanx": [False, True], "capture_effect": ["remove", "bind"], "marks": ["judged", "kept"],
    "capture_chain": ["none", "free", "capturing", "forced"], "safe_square": ["none", "centre"],
    "soldier_locks": ["none", "plain", "melee"], "dux_locks": ["none", "sides"],
    "dux_fate": ["none", "captured", "immobilised", "ordinary", "safe"], "blocking_own_dux": ["allowed", "illegal"],
    "start": ["", *STARTS], "jump_captures": [False, True], "enter_between": ["allowed", "illegal"],
    "intervention": [False, True], "goal": ["none", "line"], "fewest_men": [0, 1, 2, 3, 5],
    "men_counted": ["soldiers", "all"], "fewest_judged": ["always", "placed"], "no_move": ["loss", "most_men", "pass"],
    "repetition": ["draw", "loss", "illegal"], "nocapture_limit": [0, 1, 7, 30, 100],
    "nocapture_result": ["draw", "most_men"], "equal_men": ["draw", "black"],
}

SIZES = [(4, 4), (5, 5), (4, 6), (6, 5), (5, 7), (7, 7), (8, 8), (5, 9)]

ROTA: Fields = DEFAULTS | {
    "board": "wheel", "default_size": (3, 3), "min_size": (3, 3), "max_size": (3, 3), "setup": "placement", "hand": 3,
    "soldier_move": "step", "goal": "line", "no_move": "loss", "repetition": "draw", "nocapture_limit": 0,
}

# A game in which a player may leave its own dux without an empty neighbour, and loses by it.
BLOCKING = """
[blocking]
parent = "latrones"
enclosure = false
custodian = "none"
flanked_mover = "free"
jump_must_capture = false
dux_fate = "{fate}"
blocking_own_dux = "allowed"
"""


def as_toml(name: str, fields: Fields) -> str:
    """Return a ruleset as TOML."""
    lines = [f"[{name}]", 'title = "A random game"', 'source = "Drawn at random."']
    for key, value in fields.items():
        if isinstance(value, tuple):
            text = f'"{value[0]}x{value[1]}"'
        elif isinstance(value, bool):
            text = str(value).lower()
        else:
            text = str(value) if isinstance(value, int) else f'"{value}"'
        lines.append(f"{key} = {text}")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- conditions


def combines(fields: Fields) -> bool:
    """Return whether the conditions allow these values, each of which is valid on its own."""
    if fields["board"] == "wheel":
        return fields == ROTA
    described = Described("drawn", fields)
    possible = all(holds for _, holds in conditions(fields)) and described.allows(*fields["default_size"])
    return possible and not ends_at_once(fields)


def ends_at_once(fields: Fields) -> bool:
    """Return whether a game is decided before its first move or after the last placement, or its board is full."""
    described = Described("drawn", fields | {"fewest_judged": "always"})
    start = described.start(*fields["default_size"])
    if not any(start.is_empty(square) for square in start.squares()):
        return True
    if fields["setup"] == "start":
        return starts_stuck(described.rules, start) or bool(described.decided(start))
    if fields["blocking_own_dux"] == "illegal" and fields["soldier_ranks"] > 2:
        return not described.unfinished_moves(start)
    return bool(described.decided(start))


def starts_stuck(rules: SimpleNamespace, start: Board) -> bool:
    """Return whether White has no piece next to an empty square, or a dux that needs an empty neighbour has none."""
    sides = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x == 0) != (y == 0) or rules.directions == "all"]
    if not any(start.is_empty(step(square, side)) for square in start.squares_of("w") for side in sides):
        return True
    guarded = rules.blocking_own_dux == "illegal" or rules.dux_fate in ("captured", "immobilised")
    return guarded and any(start.has_no_liberty(square) for square, piece in start.pieces.items() if piece in "Dd")


def conditions(fields: Fields) -> list[tuple[str, bool]]:
    """Return the conditions of a grid, except for the board size, each with whether it holds."""
    r = Described("drawn", fields).rules
    jumps = r.soldier_jump != "none" or r.dux_jump != "none"
    by_travel = r.push_and_crush or r.flank_attack or r.phalanx
    by_place = r.custodian != "none" or r.corner or r.enclosure or r.intervention or r.jump_captures
    locks = r.soldier_locks != "none" or r.dux_locks != "none"
    placing = r.hand != 0 or r.placement_turn != 1 or r.barred != "none" or r.dux == "hand"
    on_ranks = r.soldier_ranks != 0 or r.array != "full" or r.dux in ("front", "first_rank")
    by_start = r.start != "" or r.dux == "start"
    if r.setup == "ranks":
        setup = r.soldier_ranks >= 1 and not placing and not by_start
    elif r.setup == "placement":
        setup = r.hand >= 1 and not on_ranks and not by_start
    else:
        setup = r.start != "" and not placing and not on_ranks
    start = parse(f"{r.start} w 0 1") if r.start else None
    duces = [letter for letter in "Dd" if letter in r.start]
    needed = 0 if r.dux == "none" else 2 if r.dux_fate in ("captured", "immobilised") else 1
    starts = start is None or (
        (start.files, start.ranks) == r.default_size and len(duces) >= needed and bool(duces) == (r.dux != "none")
    )
    if r.dux == "none":
        dux = (
            (r.dux_move, r.dux_fate, r.dux_jump, r.dux_locks) == ("none",) * 4
            and r.blocking_own_dux == "allowed"
            and r.men_counted == "soldiers"
        )
    else:
        dux = r.dux_move != "none" and r.dux_fate != "none"
    steps = r.soldier_move == "step" and r.dux_move in ("none", "step")
    few_captures = not (r.intervention or r.corner or r.enclosure or by_travel) and r.flanked_mover == "free"
    free_dux = r.dux_fate in ("none", "ordinary", "safe") and r.blocking_own_dux == "allowed" and r.dux_jump != "line"
    binds = (
        (r.custodian, r.capture_chain, r.safe_square, r.soldier_locks) == ("one", "none", "none", "none")
        and few_captures
        and not r.jump_captures
        and r.dux_fate in ("none", "immobilised", "safe")
    )
    chains = steps and free_dux and by_place and not by_travel and not r.jump_must_capture
    all_directions = (
        steps and free_dux and few_captures
        and r.custodian in ("none", "one") and r.capture_effect == "remove" and r.soldier_locks == "none"
    )
    hops = r.soldier_jump != "none" or r.dux_jump == "single"
    return [
        ("the line belongs to the wheel", r.goal == "none"),
        ("how it begins", setup),
        ("a start position", starts),
        ("a dux or none", dux),
        ("a dux in hand", r.dux != "hand" or r.dux_fate in ("ordinary", "safe")),
        ("chains of hops", r.soldier_jump != "chain" or r.capture_effect == "bind"),
        ("soldiers that jump", r.soldier_jump == "none" or r.soldier_move == "step"),
        ("a dux that jumps", r.dux_jump != "single" or r.dux_move == "step"),
        ("jumps that must capture", not r.jump_must_capture or (jumps and r.capture_effect == "remove")),
        ("captures by jumping", not r.jump_captures or (hops and r.soldier_jump != "chain" and r.dux_jump != "line")),
        ("binding", r.capture_effect == "remove" or binds),
        ("a flanked mover", r.flanked_mover == "free" or r.custodian != "none"),
        ("locks", not locks or (r.capture_effect == "remove" and r.capture_chain == "none" and not jumps)),
        ("locks of the dux", r.dux_locks == "none" or (r.dux_fate == "immobilised" and r.dux_move == "slide")),
        ("capture chains", r.capture_chain == "none" or chains),
        ("captures by travel", not by_travel or not jumps),
        ("blocking", r.blocking_own_dux == "allowed" or r.dux in ("front", "first_rank", "start")),
        ("eight directions", r.directions == "orthogonal" or all_directions),
        ("what jumps go over", r.jump_over == "enemies" or hops),
        ("kept marks", r.marks == "judged" or r.capture_effect == "bind"),
        ("hostile corners", not r.hostile_corners or (r.custodian != "none" and r.capture_effect == "remove")),
        ("equal men", r.equal_men == "draw" or "most_men" in (r.no_move, r.nocapture_result)),
        ("a safe square", r.safe_square == "none" or (r.dux_fate != "captured" and not r.enclosure)),
    ]


# ---------------------------------------------------------------- draws


# No other known game is near those that move in all directions.
ALL_DIRECTIONS = EXAMPLES["kowalski-12x8"] | {
    "directions": "all", "soldier_move": "step", "dux_move": "step", "dux_jump": "single", "corner": False,
}
# On its own board, chains of captures can be more than are legal; the naive program does not know that limit.
SMALL_DABLOT = EXAMPLES["dablot"] | {"start": "2sds/5/s3S/5/5/1SDS1/5", "default_size": (5, 7)}
KNOWN = [DEFAULTS | {"default_size": (8, 8)} | fields | {"min_size": (4, 4), "min_squares": 0}
         for fields in [*FIELDS.values(), *(EXAMPLES | {"dablot": SMALL_DABLOT}).values(), ALL_DIRECTIONS]]
VALUES = {key: values for key, values in CHOICES.items() if key not in ("board", "goal")} | {"default_size": SIZES}
SETUP = ("setup", "start", "soldier_ranks", "array", "dux", "dux_move", "dux_fate", "dux_jump", "dux_locks",
         "blocking_own_dux", "men_counted", "hand", "placement_turn", "barred", "default_size")


def started(text: str, chance: Random) -> Fields:
    """Return values of `SETUP` for a start position."""
    board = parse(f"{text} w 0 1")
    fields = {key: DEFAULTS.get(key) for key in SETUP} | {"setup": "start", "start": text}
    if "d" in text.lower():
        fields |= {"dux": "start"} | {key: chance.choice(CHOICES[key][1:]) for key in ("dux_move", "dux_fate")}
    return fields | {"default_size": (board.files, board.ranks)}


@st.composite
def rulesets(draw: st.DrawFn) -> Fields:
    """Draw a valid combination of values for a grid: that of a known game after some changes that keep it valid."""
    chance, fields = Random(draw(st.integers(0, 2**32 - 1))), draw(st.sampled_from(KNOWN))
    assume(combines(fields))
    for _ in range(draw(st.sampled_from([5, 80, 160, 240]))):
        keys = chance.sample(list(VALUES), chance.choice((1, 1, 2, 3)))
        changed = fields | {key: chance.choice(VALUES[key]) for key in keys}
        if chance.random() < 0.1:
            other = chance.choice(KNOWN)
            changed = fields | {key: other[key] for key in SETUP}
        elif chance.random() < 0.1:
            changed = fields | started(chance.choice(STARTS), chance)
        if combines(changed):
            fields = changed
    return fields


@st.composite
def any_values(draw: st.DrawFn) -> Fields:
    """Draw values for every field, valid or not: close to a valid combination, close to rota's, or arbitrary."""
    drawn = draw(st.sampled_from(["near", "near", "near", "near rota", "anything"]))
    if drawn == "anything":
        fields: Fields = DEFAULTS | {key: draw(st.sampled_from(values)) for key, values in CHOICES.items()}
        return fields | {"default_size": draw(st.sampled_from(SIZES))}
    fields = ROTA if drawn == "near rota" else draw(rulesets())
    changed = draw(st.lists(st.sampled_from(list(CHOICES)), max_size=4, unique=True))
    return fields | {key: draw(st.sampled_from(CHOICES[key])) for key in changed}
