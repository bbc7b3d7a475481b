"""The variants as ruleset values, taken from the text of the rules; missing values are those of `DEFAULTS`."""

from __future__ import annotations

from typing import Any

Fields = dict[str, Any]

DEFAULTS: Fields = {
    "board": "grid", "min_size": (4, 4), "max_size": (16, 16), "min_squares": 0, "soldier_ranks": 0, "array": "full",
    "dux": "none", "hand": 0, "placement_turn": 1, "barred": "none", "directions": "orthogonal", "dux_move": "none",
    "soldier_jump": "none", "jump_over": "enemies", "dux_jump": "none", "jump_must_capture": False, "custodian": "none",
    "hostile_corners": False, "flanked_mover": "free", "corner": False, "enclosure": False, "push_and_crush": False,
    "flank_attack": False, "phalanx": False, "capture_effect": "remove", "marks": "judged", "capture_chain": "none",
    "safe_square": "none", "soldier_locks": "none", "dux_locks": "none", "dux_fate": "none",
    "blocking_own_dux": "allowed", "start": "", "jump_captures": False, "enter_between": "allowed",
    "intervention": False, "goal": "none", "fewest_men": 0, "men_counted": "soldiers",
    "fewest_judged": "always", "nocapture_result": "draw", "equal_men": "draw",
}

ARRAY: Fields = {
    "setup": "ranks", "soldier_ranks": 1, "dux": "front", "soldier_move": "slide", "dux_move": "slide",
    "blocking_own_dux": "illegal", "fewest_men": 1, "no_move": "loss", "nocapture_limit": 100,
}

LATRONES = ARRAY | {
    "dux_jump": "line", "jump_must_capture": True, "custodian": "line", "flanked_mover": "void_axis", "enclosure": True,
    "dux_fate": "captured", "repetition": "draw",
}

CLASSICAL = ARRAY | {
    "custodian": "one", "corner": True, "dux_fate": "immobilised", "repetition": "loss",
}

XXI = CLASSICAL | {
    "push_and_crush": True, "flank_attack": True, "phalanx": True, "soldier_locks": "melee", "dux_locks": "sides",
}

SINGLE_STONE = XXI | {
    "dux": "none", "dux_move": "none", "dux_locks": "none", "dux_fate": "none", "blocking_own_dux": "allowed",
    "fewest_men": 2,
}

SCHAEDLER: Fields = {
    "setup": "placement", "hand": 8, "soldier_move": "step", "soldier_jump": "chain", "custodian": "one",
    "capture_effect": "bind", "fewest_men": 2, "no_move": "loss", "repetition": "draw", "nocapture_limit": 100,
}

BELL: Fields = {
    "setup": "placement", "hand": 16, "placement_turn": 2, "dux": "hand", "soldier_move": "step", "dux_move": "step",
    "dux_jump": "single", "custodian": "one", "capture_chain": "free", "dux_fate": "ordinary", "fewest_men": 1,
    "men_counted": "all", "fewest_judged": "placed", "no_move": "most_men", "repetition": "draw", "nocapture_limit": 30,
    "nocapture_result": "most_men", "min_size": (3, 3), "min_squares": 36,
}

# All variants except rota, whose board is not a grid.
FIELDS: dict[str, Fields] = {
    "latrones": LATRONES,
    "latrunculi-classical": CLASSICAL,
    "latrunculi-xxi": XXI,
    "petteia-xxi": SINGLE_STONE | {"soldier_ranks": 2, "min_size": (4, 5)},
    "single-stone-xxi": SINGLE_STONE,
    "schaedler": SCHAEDLER,
    "bell": BELL,
}

MUSEUM: Fields = {
    "setup": "ranks", "soldier_ranks": 2, "soldier_move": "slide", "custodian": "one", "fewest_men": 2,
    "no_move": "loss", "repetition": "draw", "nocapture_limit": 100,
}

KOWALSKI: Fields = {
    "setup": "ranks", "soldier_ranks": 1, "dux": "front", "soldier_move": "slide", "dux_move": "slide",
    "custodian": "one", "corner": True, "dux_fate": "safe", "no_move": "loss", "repetition": "draw",
    "nocapture_limit": 100,
}

SEEGA: Fields = {
    "setup": "placement", "hand": 12, "placement_turn": 2, "barred": "centre", "soldier_move": "step",
    "custodian": "one", "capture_chain": "capturing", "safe_square": "centre", "fewest_men": 2, "no_move": "loss",
    "repetition": "draw", "nocapture_limit": 100,
}

SLIDING: Fields = {
    "soldier_move": "slide", "no_move": "loss", "repetition": "draw", "nocapture_limit": 100,
}

HASAMI: Fields = SLIDING | {
    "setup": "ranks", "soldier_ranks": 1, "custodian": "line", "corner": True, "fewest_men": 2,
}

MAK_YEK: Fields = SLIDING | {
    "setup": "start", "start": "ssssssss/8/ssssssss/8/8/SSSSSSSS/8/SSSSSSSS", "default_size": (8, 8),
    "custodian": "one", "intervention": True, "fewest_men": 1,
}

REK: Fields = MAK_YEK | {
    "start": "ssssdsss/8/ssssssss/8/8/SSSSSSSS/8/SSSDSSSS", "dux": "start", "dux_move": "slide", "enclosure": True,
    "dux_fate": "captured", "fewest_men": 0,
}

ALLIGATI: Fields = SLIDING | {
    "setup": "ranks", "soldier_ranks": 1, "dux": "front", "dux_move": "slide", "custodian": "one",
    "capture_effect": "bind", "dux_fate": "immobilised", "blocking_own_dux": "illegal", "fewest_men": 1,
}

DABLOT: Fields = {
    "setup": "start", "start": "ssssssss/ssssssss/ssssssss/1ssdss2/8/2SSDSS1/SSSSSSSS/SSSSSSSS/SSSSSSSS",
    "default_size": (8, 9), "dux": "start", "directions": "all", "soldier_move": "step", "dux_move": "step",
    "soldier_jump": "single", "dux_jump": "single", "jump_captures": True, "capture_chain": "capturing",
    "dux_fate": "safe", "fewest_men": 1, "no_move": "loss", "repetition": "draw", "nocapture_limit": 100,
}

# The variants of docs/examples, by the names of their files.
EXAMPLES: dict[str, Fields] = {
    "museum-quintana": MUSEUM,
    "kowalski-12x8": KOWALSKI,
    "kowalski-11x10": KOWALSKI | {"dux": "first_rank"},
    "seega-5x5": SEEGA,
    "hasami-shogi": HASAMI,
    "mak-yek": MAK_YEK,
    "rek": REK,
    "alligati": ALLIGATI,
    "dablot": DABLOT,
}
