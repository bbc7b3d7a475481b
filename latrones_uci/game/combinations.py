"""The conditions on combinations of ruleset keys; a combination that violates none of them is allowed.

``docs/variants.md`` repeats this table and describes the order of effects.
"""

from collections.abc import Callable

from latrones_uci.game.ruleset import Ruleset

_CAPTURES = ("corner", "enclosure", "push_and_crush", "flank_attack", "phalanx")
_TRAVEL = ("push_and_crush", "flank_attack", "phalanx")

# The rules of rota are fixed: on the wheel, these keys must have these values.
WHEEL: dict[str, object] = {
    "default_size": (3, 3), "min_size": (3, 3), "max_size": (3, 3), "setup": "placement", "hand": 3,
    "soldier_move": "step", "goal": "line", "no_move": "loss", "repetition": "draw", "nocapture_limit": 0,
    "soldier_ranks": 0, "dux": "none", "placement_turn": 1, "barred": "none", "dux_move": "none",
    "soldier_jump": "none", "dux_jump": "none", "jump_must_capture": False, "custodian": "none",
    "flanked_mover": "free", "corner": False,
    "enclosure": False, "push_and_crush": False, "flank_attack": False, "phalanx": False, "capture_effect": "remove",
    "capture_chain": "none", "safe_square": "none", "soldier_locks": "none", "dux_locks": "none", "dux_fate": "none",
    "blocking_own_dux": "allowed", "fewest_men": 0, "men_counted": "soldiers", "fewest_judged": "always",
    "nocapture_result": "draw",
}


def _captures_by_place(r: Ruleset) -> bool:
    return r.custodian != "none" or r.corner or r.enclosure


def _travels(r: Ruleset) -> bool:
    return any(getattr(r, key) for key in _TRAVEL)


def _jumps(r: Ruleset) -> bool:
    return r.soldier_jump != "none" or r.dux_jump != "none"


# (keys, condition in words, test of the condition)
Condition = tuple[str, str, Callable[[Ruleset], bool]]
CONDITIONS: tuple[Condition, ...] = (
    ("goal, board", "goal 'line' needs board 'wheel'", lambda r: r.goal == "none" or r.board == "wheel"),
    ("setup, soldier_ranks", "setup 'ranks' needs 1 or 2 soldier_ranks, 'placement' needs 0",
     lambda r: (r.soldier_ranks > 0) == (r.setup == "ranks")),
    ("setup, hand", "setup 'placement' needs soldiers in hand, 'ranks' needs 0",
     lambda r: (r.hand > 0) == (r.setup == "placement")),
    ("setup, placement_turn, barred", "placement_turn and barred need setup 'placement'",
     lambda r: r.setup == "placement" or (r.placement_turn == 1 and r.barred == "none")),
    ("setup, dux", "a dux in 'hand' needs setup 'placement', a dux on the board needs 'ranks'",
     lambda r: r.dux == "none" or (r.dux == "hand") == (r.setup == "placement")),
    ("dux, dux_move, dux_fate", "dux_move and dux_fate are 'none' if and only if dux is 'none'",
     lambda r: (r.dux == "none") == (r.dux_move == "none") == (r.dux_fate == "none")),
    ("dux, dux_jump, dux_locks, blocking_own_dux, men_counted", "without a dux, the rules for it have their defaults",
     lambda r: r.dux != "none" or (r.dux_jump == "none" and r.dux_locks == "none"
                                   and r.blocking_own_dux == "allowed" and r.men_counted == "soldiers")),
    ("dux, dux_fate", "a dux in 'hand' must be 'ordinary' or 'safe'",
     lambda r: r.dux != "hand" or r.dux_fate in ("ordinary", "safe")),
    ("dux, blocking_own_dux", "blocking_own_dux 'illegal' needs a dux that starts on the board",
     lambda r: r.blocking_own_dux == "allowed" or r.dux != "hand"),
    ("soldier_jump, capture_effect", "soldier_jump 'chain' needs capture_effect 'bind'",
     lambda r: r.soldier_jump != "chain" or r.capture_effect == "bind"),
    ("soldier_jump, soldier_move", "soldiers that jump must 'step'",
     lambda r: r.soldier_jump == "none" or r.soldier_move == "step"),
    ("dux_jump, dux_move", "a dux with 'single' jumps must 'step'",
     lambda r: r.dux_jump != "single" or r.dux_move == "step"),
    ("jump_must_capture, capture_effect", "jump_must_capture needs a jump, and captures that 'remove'",
     lambda r: not r.jump_must_capture or (_jumps(r) and r.capture_effect == "remove")),
    ("capture_effect, custodian", "'bind' needs custodian 'one'",
     lambda r: r.capture_effect == "remove" or r.custodian == "one"),
    ("capture_effect, " + ", ".join(_CAPTURES), "'bind' excludes all other captures",
     lambda r: r.capture_effect == "remove" or not any(getattr(r, key) for key in _CAPTURES)),
    ("capture_effect, dux, flanked_mover, capture_chain, safe_square, soldier_locks, soldier_move",
     "'bind' needs soldiers that step, and excludes dux, void axis, capture chains, safe square and locks",
     lambda r: r.capture_effect == "remove" or (
         r.dux == "none" and r.flanked_mover == "free" and r.capture_chain == "none" and r.safe_square == "none"
         and r.soldier_locks == "none" and r.soldier_move == "step")),
    ("flanked_mover, custodian", "'void_axis' needs custodian captures",
     lambda r: r.flanked_mover == "free" or r.custodian != "none"),
    ("enclosure, dux_fate", "enclosure needs a dux that can be captured, or no dux",
     lambda r: not r.enclosure or r.dux_fate in ("none", "captured", "ordinary")),
    ("soldier_locks, dux_locks, capture_effect, capture_chain, soldier_jump, dux_jump",
     "locks need captures that 'remove', and exclude chains and jumps",
     lambda r: (r.soldier_locks == "none" and r.dux_locks == "none") or (
         r.capture_effect == "remove" and r.capture_chain == "none" and not _jumps(r))),
    ("dux_locks, dux_fate, dux_move", "dux_locks 'sides' needs a dux that slides and is lost when 'immobilised'",
     lambda r: r.dux_locks == "none" or (r.dux_fate == "immobilised" and r.dux_move == "slide")),
    ("capture_chain, soldier_move, dux_move", "capture chains need pieces that step",
     lambda r: r.capture_chain == "none" or (r.soldier_move == "step" and r.dux_move in ("none", "step"))),
    ("capture_chain, custodian, corner, enclosure", "capture chains need custodian, corner or enclosure",
     lambda r: r.capture_chain == "none" or _captures_by_place(r)),
    ("capture_chain, " + ", ".join(_TRAVEL), "capture chains exclude captures by direction of travel",
     lambda r: r.capture_chain == "none" or not _travels(r)),
    ("capture_chain, dux_jump, blocking_own_dux, dux_fate, jump_must_capture",
     "capture chains exclude 'line' jumps, jump_must_capture, blocking_own_dux 'illegal', and a dux that is"
     " 'captured' or 'immobilised'",
     lambda r: r.capture_chain == "none" or (
         r.dux_jump != "line" and r.blocking_own_dux == "allowed" and r.dux_fate in ("none", "ordinary", "safe")
         and not r.jump_must_capture)),
    (", ".join(_TRAVEL) + ", soldier_jump, dux_jump", "captures by direction of travel exclude jumps",
     lambda r: not (_travels(r) and _jumps(r))),
    ("barred, safe_square, default_size", "'centre' needs a default_size with odd sides",
     lambda r: not r.has_centre or all(side % 2 for side in r.default_size)),
    ("safe_square, dux_fate, enclosure", "a safe square excludes enclosure, and a dux that is 'captured'",
     lambda r: r.safe_square == "none" or (r.dux_fate != "captured" and not r.enclosure)),
)


def problems(ruleset: Ruleset) -> list[str]:
    """Return the conditions that a ruleset violates, one line each, with their keys; empty if it can be played."""
    if ruleset.board == "wheel":
        return [f"board 'wheel' needs {key} = {str(value)!r}"
                for key, value in WHEEL.items() if getattr(ruleset, key) != value]
    return [f"{keys}: {words}" for keys, words, holds in CONDITIONS if not holds(ruleset)]
