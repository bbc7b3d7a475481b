"""Random rulesets: the conditions on combinations, both as a test of values and as a way to draw valid ones.

Both are written from the table in docs/variants.md, not from the code of the package.
"""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from naive import DEFAULTS, Described
from naive.fields import Fields

# All values of the fields with choices, and some values of the numeric fields.
CHOICES: dict[str, list[Any]] = {
    "board": ["grid", "wheel"],
    "setup": ["ranks", "placement"],
    "soldier_ranks": [0, 1, 2, 3],
    "array": ["full", "chequered"],
    "dux": ["none", "front", "first_rank", "hand"],
    "hand": [0, 1, 2, 3, 5, 8, 16],
    "placement_turn": [1, 2],
    "barred": ["none", "centre", "middle"],
    "directions": ["orthogonal", "all"],
    "soldier_move": ["slide", "step"],
    "dux_move": ["none", "slide", "step"],
    "soldier_jump": ["none", "single", "chain"],
    "jump_over": ["enemies", "all"],
    "dux_jump": ["none", "single", "line"],
    "jump_must_capture": [False, True],
    "custodian": ["none", "one", "line"],
    "hostile_corners": [False, True],
    "flanked_mover": ["free", "void_axis"],
    "corner": [False, True],
    "enclosure": [False, True],
    "push_and_crush": [False, True],
    "flank_attack": [False, True],
    "phalanx": [False, True],
    "capture_effect": ["remove", "bind"],
    "marks": ["judged", "kept"],
    "capture_chain": ["none", "free", "capturing", "forced"],
    "safe_square": ["none", "centre"],
    "soldier_locks": ["none", "plain", "melee"],
    "dux_locks": ["none", "sides"],
    "dux_fate": ["none", "captured", "immobilised", "ordinary", "safe"],
    "blocking_own_dux": ["allowed", "illegal"],
    "goal": ["none", "line"],
    "fewest_men": [0, 1, 2, 3, 5],
    "men_counted": ["soldiers", "all"],
    "fewest_judged": ["always", "placed"],
    "no_move": ["loss", "most_men", "pass"],
    "repetition": ["draw", "loss", "illegal"],
    "nocapture_limit": [0, 1, 7, 30, 100],
    "nocapture_result": ["draw", "most_men"],
    "equal_men": ["draw", "black"],
}

SIZES = [(4, 4), (5, 5), (4, 6), (6, 5), (5, 7), (7, 7), (8, 8), (5, 9)]

ROTA: Fields = DEFAULTS | {
    "board": "wheel",
    "default_size": (3, 3),
    "min_size": (3, 3),
    "max_size": (3, 3),
    "setup": "placement",
    "hand": 3,
    "soldier_move": "step",
    "goal": "line",
    "no_move": "loss",
    "repetition": "draw",
    "nocapture_limit": 0,
}


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
    binds = (
        r.custodian == "one"
        and r.dux == "none"
        and not (r.corner or r.enclosure or by_travel)
        and r.flanked_mover == "free"
        and r.capture_chain == "none"
        and r.safe_square == "none"
        and r.soldier_locks == "none"
        and r.soldier_move == "step"
    )
    chains = (
        r.soldier_move == "step"
        and r.dux_move in ("none", "step")
        and by_place
        and not by_travel
        and r.dux_jump != "line"
        and r.blocking_own_dux == "allowed"
        and r.dux_fate in ("none", "ordinary", "safe")
        and not r.jump_must_capture
    )
    all_directions = (
        r.soldier_move == "step"
        and r.dux_move in ("none", "step")
        and r.custodian in ("none", "one")
        and r.flanked_mover == "free"
        and not (r.corner or r.enclosure or by_travel)
        and r.capture_effect == "remove"
        and r.capture_chain == "none"
        and r.dux_jump != "line"
        and r.soldier_locks == "none"
        and r.dux_fate in ("none", "ordinary", "safe")
        and r.blocking_own_dux == "allowed"
    )
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


def pick(draw: st.DrawFn, key: str, *, among: tuple[Any, ...] = (), when: bool = True) -> Any:
    """Draw a value of a field, from all or some of its values; the default unless `when`."""
    return draw(st.sampled_from(among or tuple(CHOICES[key]))) if when else DEFAULTS[key]


@st.composite
def rulesets(draw: st.DrawFn) -> Fields:
    """Draw a valid combination of values for a grid; every valid combination is possible."""
    placement = pick(draw, "setup") == "placement"
    dux = pick(draw, "dux", among=("none", "hand") if placement else ("none", "front", "first_rank"))
    if dux == "none" and draw(st.sampled_from([True, False, False])):
        mechanics = draw_binding(draw)
    else:
        mechanics = draw_removing(draw, dux)
    fields: Fields = DEFAULTS | mechanics
    fields |= {
        "setup": "placement" if placement else "ranks",
        "dux": dux,
        "soldier_ranks": 0 if placement else draw(st.sampled_from([1, 2, 3])),
        "array": pick(draw, "array", when=not placement),
        "placement_turn": pick(draw, "placement_turn", when=placement),
        "barred": pick(draw, "barred", when=placement),
        "fewest_men": pick(draw, "fewest_men"),
        "men_counted": pick(draw, "men_counted", when=dux != "none"),
        "fewest_judged": pick(draw, "fewest_judged"),
        "no_move": pick(draw, "no_move"),
        "repetition": pick(draw, "repetition"),
        "nocapture_limit": pick(draw, "nocapture_limit"),
        "nocapture_result": pick(draw, "nocapture_result"),
    }
    most_men = "most_men" in (fields["no_move"], fields["nocapture_result"])
    fields["equal_men"] = pick(draw, "equal_men", when=most_men)
    files, ranks = draw(st.sampled_from([size for size in SIZES if can_hold(fields, size)]))
    if placement:
        pieces = (files * ranks - (fields["barred"] != "none")) // 2 - (dux == "hand")
        fields["hand"] = draw(st.integers(1, pieces) | st.integers(1, min(pieces, 4)))
    fields["default_size"] = (files, ranks)
    assume(not ends_at_once(fields))
    return fields


def can_hold(fields: Fields, size: tuple[int, int]) -> bool:
    return Described("drawn", fields | {"hand": min(fields["hand"], 1)}).allows(*size)


def draw_binding(draw: st.DrawFn) -> Fields:
    jump = pick(draw, "soldier_jump")
    return {
        "soldier_move": "step",
        "soldier_jump": jump,
        "jump_over": pick(draw, "jump_over", when=jump != "none"),
        "custodian": "one",
        "capture_effect": "bind",
        "marks": pick(draw, "marks"),
    }


def draw_removing(draw: st.DrawFn, dux: str) -> Fields:
    """Draw values for moves and captures with capture_effect 'remove'."""
    has_dux, on_board = dux != "none", dux in ("front", "first_rank")
    kind = draw(st.sampled_from(["jumps", "chains", "travel", "locks", "travel and locks", "all directions"]))
    if kind == "all directions":
        return draw_all_directions(draw, dux)
    chains, travel, locks = kind == "chains", "travel" in kind, "locks" in kind
    jumps = not travel and not locks
    fields: Fields = {
        "soldier_move": pick(draw, "soldier_move", among=("step",) if chains else ()),
        "dux_move": pick(draw, "dux_move", among=("step",) if chains else ("slide", "step"), when=has_dux),
        "custodian": pick(draw, "custodian"),
        "corner": pick(draw, "corner"),
        "push_and_crush": pick(draw, "push_and_crush", when=travel),
        "flank_attack": pick(draw, "flank_attack", when=travel),
        "phalanx": pick(draw, "phalanx", when=travel),
        "soldier_locks": pick(draw, "soldier_locks", when=locks),
        "blocking_own_dux": pick(draw, "blocking_own_dux", when=on_board and not chains),
    }
    fates = ("ordinary", "safe")
    if on_board and not chains:
        fates = ("captured", "immobilised", *fates)
        fates += ("immobilised", "immobilised") if locks else ()
    fate = fields["dux_fate"] = pick(draw, "dux_fate", among=fates, when=has_dux)
    fields["enclosure"] = pick(draw, "enclosure", when=fate in ("none", "captured", "ordinary"))
    if chains and not (fields["custodian"] != "none" or fields["corner"] or fields["enclosure"]):
        fields["custodian"] = draw(st.sampled_from(["one", "line"]))
    return fields | {
        "flanked_mover": pick(draw, "flanked_mover", when=fields["custodian"] != "none"),
        "safe_square": pick(draw, "safe_square", when=fate != "captured" and not fields["enclosure"]),
        "dux_locks": pick(draw, "dux_locks", when=locks and fate == "immobilised" and fields["dux_move"] == "slide"),
        "hostile_corners": pick(draw, "hostile_corners", when=fields["custodian"] != "none"),
        "capture_chain": pick(draw, "capture_chain", among=("free", "capturing", "forced"), when=chains),
    } | draw_jumps(draw, fields, allowed=jumps, chains=chains)


def draw_jumps(draw: st.DrawFn, fields: Fields, *, allowed: bool, chains: bool) -> Fields:
    soldier_jump = pick(
        draw, "soldier_jump", among=("none", "single"), when=allowed and fields["soldier_move"] == "step"
    )
    dux_jumps = ["none"]
    if allowed and fields["dux_move"] != "none":
        dux_jumps += ["single"] if fields["dux_move"] == "step" else []
        dux_jumps += [] if chains else ["line"]
    dux_jump = draw(st.sampled_from(dux_jumps))
    must = pick(draw, "jump_must_capture", when=not chains and (soldier_jump, dux_jump) != ("none", "none"))
    hops = soldier_jump == "single" or dux_jump == "single"
    over = pick(draw, "jump_over", when=hops)
    return {"soldier_jump": soldier_jump, "dux_jump": dux_jump, "jump_must_capture": must, "jump_over": over}


def draw_all_directions(draw: st.DrawFn, dux: str) -> Fields:
    """Draw values for moves and captures in all eight directions."""
    has_dux = dux != "none"
    fields: Fields = {
        "directions": "all",
        "soldier_move": "step",
        "dux_move": "step" if has_dux else "none",
        "dux_fate": pick(draw, "dux_fate", among=("ordinary", "safe"), when=has_dux),
        "custodian": pick(draw, "custodian", among=("none", "one", "one")),
        "safe_square": pick(draw, "safe_square"),
    }
    fields["hostile_corners"] = pick(draw, "hostile_corners", when=fields["custodian"] == "one")
    soldier_jump = pick(draw, "soldier_jump", among=("none", "single"))
    dux_jump = pick(draw, "dux_jump", among=("none", "single"), when=has_dux)
    hops = (soldier_jump, dux_jump) != ("none", "none")
    return fields | {
        "soldier_jump": soldier_jump,
        "dux_jump": dux_jump,
        "jump_over": pick(draw, "jump_over", when=hops),
        "jump_must_capture": pick(draw, "jump_must_capture", when=hops),
    }


@st.composite
def any_values(draw: st.DrawFn) -> Fields:
    """Draw values for every field, valid or not: close to a valid combination, close to rota's, or arbitrary."""
    drawn = draw(st.sampled_from(["near", "near", "near", "near rota", "anything"]))
    if drawn == "anything":
        fields: Fields = DEFAULTS | {key: pick(draw, key) for key in CHOICES}
        return fields | {"default_size": draw(st.sampled_from(SIZES))}
    fields = ROTA if drawn == "near rota" else draw(rulesets())
    changed = draw(st.lists(st.sampled_from(list(CHOICES)), max_size=4, unique=True))
    return fields | {key: pick(draw, key) for key in changed}
