"""Random rulesets: the conditions on combinations, both as a test of values and as a way to draw valid ones.

Both are written from the table in docs/variants.md, not from the code of the package.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from naive import DEFAULTS, EXAMPLES, FIELDS, Described
from naive.fields import Fields

# All values of the fields with choices, and some values of the numeric fields.
CHOICES: dict[str, list[Any]] = {
    "board": ["grid", "wheel"], "setup": ["ranks", "placement"], "soldier_ranks": [0, 1, 2, 3],
    "array": ["full", "chequered"], "dux": ["none", "front", "first_rank", "hand"], "hand": [0, 1, 2, 3, 5, 8, 16],
    "placement_turn": [1, 2], "barred": ["none", "centre", "middle"], "directions": ["orthogonal", "all"],
    "soldier_move": ["slide", "step"], "dux_move": ["none", "slide", "step"],
    "soldier_jump": ["none", "single", "chain"], "jump_over": ["enemies", "all"],
    "dux_jump": ["none", "single", "line"], "jump_must_capture": [False, True], "custodian": ["none", "one", "line"],
    "hostile_corners": [False, True], "flanked_mover": ["free", "void_axis"], "corner": [False, True],
    "enclosure": [False, True], "push_and_crush": [False, True], "flank_attack": [False, True],
    "phalanx": [False, True], "capture_effect": ["remove", "bind"], "marks": ["judged", "kept"],
    "capture_chain": ["none", "free", "capturing", "forced"], "safe_square": ["none", "centre"],
    "soldier_locks": ["none", "plain", "melee"], "dux_locks": ["none", "sides"],
    "dux_fate": ["none", "captured", "immobilised", "ordinary", "safe"], "blocking_own_dux": ["allowed", "illegal"],
    "goal": ["none", "line"], "fewest_men": [0, 1, 2, 3, 5], "men_counted": ["soldiers", "all"],
    "fewest_judged": ["always", "placed"], "no_move": ["loss", "most_men", "pass"],
    "repetition": ["draw", "loss", "illegal"], "nocapture_limit": [0, 1, 7, 30, 100],
    "nocapture_result": ["draw", "most_men"], "equal_men": ["draw", "black"],
}  # fmt: skip

SIZES = [(4, 4), (5, 5), (4, 6), (6, 5), (5, 7), (7, 7), (8, 8), (5, 9)]

ROTA: Fields = DEFAULTS | {
    "board": "wheel", "default_size": (3, 3), "min_size": (3, 3), "max_size": (3, 3), "setup": "placement", "hand": 3,
    "soldier_move": "step", "goal": "line", "no_move": "loss", "repetition": "draw", "nocapture_limit": 0,
}  # fmt: skip

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
    if fields["blocking_own_dux"] == "illegal" and fields["soldier_ranks"] > 2:
        return not described.unfinished_moves(start)
    return bool(described.decided(start)) or not any(start.is_empty(square) for square in start.squares())


def conditions(fields: Fields) -> list[tuple[str, bool]]:
    """Return the conditions of a grid, except for the board size, each with whether it holds."""
    r = Described("drawn", fields).rules
    jumps = r.soldier_jump != "none" or r.dux_jump != "none"
    by_travel = r.push_and_crush or r.flank_attack or r.phalanx
    by_place = r.custodian != "none" or r.corner or r.enclosure
    locks = r.soldier_locks != "none" or r.dux_locks != "none"
    if r.setup == "ranks":
        placing = r.hand != 0 or r.placement_turn != 1 or r.barred != "none" or r.dux == "hand"
        setup = r.soldier_ranks >= 1 and not placing
    else:
        setup = r.hand >= 1 and r.soldier_ranks == 0 and r.array == "full" and r.dux in ("none", "hand")
    if r.dux == "none":
        dux = (
            (r.dux_move, r.dux_fate, r.dux_jump, r.dux_locks) == ("none",) * 4
            and r.blocking_own_dux == "allowed"
            and r.men_counted == "soldiers"
        )
    else:
        dux = r.dux_move != "none" and r.dux_fate != "none"
    steps = r.soldier_move == "step" and r.dux_move in ("none", "step")
    few_captures = not (r.corner or r.enclosure or by_travel or r.capture_chain != "none") and r.flanked_mover == "free"
    free_dux = r.dux_fate in ("none", "ordinary", "safe") and r.blocking_own_dux == "allowed" and r.dux_jump != "line"
    binds = (
        (r.custodian, r.dux, r.safe_square, r.soldier_locks) == ("one", "none", "none", "none")
        and few_captures
        and r.soldier_move == "step"
    )
    chains = steps and free_dux and by_place and not by_travel and not r.jump_must_capture
    all_directions = (
        steps and free_dux and few_captures
        and r.custodian in ("none", "one") and r.capture_effect == "remove" and r.soldier_locks == "none"
    )  # fmt: skip
    hops = r.soldier_jump != "none" or r.dux_jump == "single"
    return [
        ("the line belongs to the wheel", r.goal == "none"),
        ("how it begins", setup),
        ("a dux or none", dux),
        ("a dux in hand", r.dux != "hand" or r.dux_fate in ("ordinary", "safe")),
        ("chains of hops", r.soldier_jump != "chain" or r.capture_effect == "bind"),
        ("soldiers that jump", r.soldier_jump == "none" or r.soldier_move == "step"),
        ("a dux that jumps", r.dux_jump != "single" or r.dux_move == "step"),
        ("jumps that must capture", not r.jump_must_capture or (jumps and r.capture_effect == "remove")),
        ("binding", r.capture_effect == "remove" or binds),
        ("a flanked mover", r.flanked_mover == "free" or r.custodian != "none"),
        ("enclosure", not r.enclosure or r.dux_fate in ("none", "captured", "ordinary")),
        ("locks", not locks or (r.capture_effect == "remove" and r.capture_chain == "none" and not jumps)),
        ("locks of the dux", r.dux_locks == "none" or (r.dux_fate == "immobilised" and r.dux_move == "slide")),
        ("capture chains", r.capture_chain == "none" or chains),
        ("captures by travel", not by_travel or not jumps),
        ("blocking", r.blocking_own_dux == "allowed" or r.dux in ("front", "first_rank")),
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
}  # fmt: skip
KNOWN = [DEFAULTS | fields | {"default_size": (8, 8), "min_size": (4, 4), "min_squares": 0}
         for fields in [*FIELDS.values(), *EXAMPLES.values(), ALL_DIRECTIONS]]  # fmt: skip
VALUES = {key: values for key, values in CHOICES.items() if key not in ("board", "goal")} | {"default_size": SIZES}
SETUP = ("setup", "soldier_ranks", "array", "dux", "dux_move", "dux_fate", "dux_jump", "dux_locks", "blocking_own_dux",
         "men_counted", "hand", "placement_turn", "barred", "default_size")  # fmt: skip


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
