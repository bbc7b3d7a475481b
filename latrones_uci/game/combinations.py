"""What combines: the features of a ruleset that go together. Whatever is not said here to clash, does combine.

``docs/variants.md`` repeats this table and gives the order of effects for all that it allows.
"""

from collections.abc import Callable

from latrones_uci.game.ruleset import Ruleset

_CAPTURES = ("corner", "enclosure", "push_and_crush", "flank_attack", "phalanx")
_TRAVEL = ("push_and_crush", "flank_attack", "phalanx")

# The rules of rota are one whole: with the wheel, these keys have these values.
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


# (the keys concerned, what must hold in words, whether it holds)
Condition = tuple[str, str, Callable[[Ruleset], bool]]
CONDITIONS: tuple[Condition, ...] = (
    ("goal, board", "goal 'line' is that of the wheel", lambda r: r.goal == "none" or r.board == "wheel"),
    ("setup, soldier_ranks", "'ranks' has 1 or 2 soldier_ranks, 'placement' none",
     lambda r: (r.soldier_ranks > 0) == (r.setup == "ranks")),
    ("setup, hand", "'placement' has soldiers in hand, 'ranks' none",
     lambda r: (r.hand > 0) == (r.setup == "placement")),
    ("setup, placement_turn, barred", "placement_turn and barred are for 'placement'",
     lambda r: r.setup == "placement" or (r.placement_turn == 1 and r.barred == "none")),
    ("setup, dux", "a dux in 'hand' is for 'placement', one on the board for 'ranks'",
     lambda r: r.dux == "none" or (r.dux == "hand") == (r.setup == "placement")),
    ("dux, dux_move, dux_fate", "dux_move and dux_fate are 'none' without a dux and only then",
     lambda r: (r.dux == "none") == (r.dux_move == "none") == (r.dux_fate == "none")),
    ("dux, dux_jump, dux_locks, blocking_own_dux, men_counted", "without a dux there are no rules for one",
     lambda r: r.dux != "none" or (r.dux_jump == "none" and r.dux_locks == "none"
                                   and r.blocking_own_dux == "allowed" and r.men_counted == "soldiers")),
    ("dux, dux_fate", "a dux that is placed is 'ordinary' or 'safe'",
     lambda r: r.dux != "hand" or r.dux_fate in ("ordinary", "safe")),
    ("dux, blocking_own_dux", "blocking one's own dux is 'illegal' only where it stands on the board from the start",
     lambda r: r.blocking_own_dux == "allowed" or r.dux != "hand"),
    ("soldier_jump, capture_effect", "chains of hops go with 'bind'",
     lambda r: r.soldier_jump != "chain" or r.capture_effect == "bind"),
    ("soldier_jump, soldier_move", "soldiers that jump step",
     lambda r: r.soldier_jump == "none" or r.soldier_move == "step"),
    ("dux_jump, dux_move", "a dux with single jumps steps", lambda r: r.dux_jump != "single" or r.dux_move == "step"),
    ("jump_must_capture, capture_effect", "it needs a jump, and captures that remove",
     lambda r: not r.jump_must_capture or (_jumps(r) and r.capture_effect == "remove")),
    ("capture_effect, custodian", "'bind' goes with custodian 'one'",
     lambda r: r.capture_effect == "remove" or r.custodian == "one"),
    ("capture_effect, " + ", ".join(_CAPTURES), "'bind' goes with no other captures",
     lambda r: r.capture_effect == "remove" or not any(getattr(r, key) for key in _CAPTURES)),
    ("capture_effect, dux, flanked_mover, capture_chain, safe_square, soldier_locks, soldier_move",
     "'bind' is for soldiers that step, without dux, void, capture chains, safe square or locks",
     lambda r: r.capture_effect == "remove" or (
         r.dux == "none" and r.flanked_mover == "free" and r.capture_chain == "none" and r.safe_square == "none"
         and r.soldier_locks == "none" and r.soldier_move == "step")),
    ("flanked_mover, custodian", "there is nothing to void without custodian captures",
     lambda r: r.flanked_mover == "free" or r.custodian != "none"),
    ("enclosure, dux_fate", "a group with its dux is lifted only where a dux can be captured",
     lambda r: not r.enclosure or r.dux_fate in ("none", "captured", "ordinary")),
    ("soldier_locks, dux_locks, capture_effect, capture_chain, soldier_jump, dux_jump",
     "locks go with captures that remove, without chains or jumps",
     lambda r: (r.soldier_locks == "none" and r.dux_locks == "none") or (
         r.capture_effect == "remove" and r.capture_chain == "none" and not _jumps(r))),
    ("dux_locks, dux_fate, dux_move", "'sides' is for a dux that slides and is lost when immobilised",
     lambda r: r.dux_locks == "none" or (r.dux_fate == "immobilised" and r.dux_move == "slide")),
    ("capture_chain, soldier_move, dux_move", "capture chains are for men that step",
     lambda r: r.capture_chain == "none" or (r.soldier_move == "step" and r.dux_move in ("none", "step"))),
    ("capture_chain, custodian, corner, enclosure", "a chain needs something that captures where a man lands",
     lambda r: r.capture_chain == "none" or _captures_by_place(r)),
    ("capture_chain, " + ", ".join(_TRAVEL), "capture chains do not go with captures by direction of travel",
     lambda r: r.capture_chain == "none" or not _travels(r)),
    ("capture_chain, dux_jump, blocking_own_dux, dux_fate, jump_must_capture",
     "capture chains do not go with 'line' jumps, jumps that must capture, or a dux that blocking concerns",
     lambda r: r.capture_chain == "none" or (
         r.dux_jump != "line" and r.blocking_own_dux == "allowed" and r.dux_fate in ("none", "ordinary", "safe")
         and not r.jump_must_capture)),
    (", ".join(_TRAVEL) + ", soldier_jump, dux_jump", "captures by direction of travel do not go with jumps",
     lambda r: not (_travels(r) and _jumps(r))),
    ("barred, safe_square, default_size", "the centre needs a default board with odd sides",
     lambda r: not r.has_centre or all(side % 2 for side in r.default_size)),
    ("safe_square, dux_fate, enclosure", "it does not go with a dux 'captured' by blocking, or with enclosure",
     lambda r: r.safe_square == "none" or (r.dux_fate != "captured" and not r.enclosure)),
)


def problems(ruleset: Ruleset) -> list[str]:
    """What in a ruleset does not combine, one line each, with the keys concerned; empty if it can be played."""
    if ruleset.board == "wheel":
        return [f"board 'wheel' goes with {key} = {str(value)!r} only"
                for key, value in WHEEL.items() if getattr(ruleset, key) != value]
    return [f"{keys}: {words}" for keys, words, holds in CONDITIONS if not holds(ruleset)]
