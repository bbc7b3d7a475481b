"""Where each rule of a game comes from: its source, a program, or a choice of whoever wrote the ruleset.

A ruleset says it in its key ``origins``, such as ``source: custodian, corner; ours: repetition``.
"""

from collections.abc import Mapping
from functools import lru_cache

from latrones_uci.text.messages import nearest_name, quoted

ORIGINS = {
    "source": "the source has it",
    "program": "the source leaves it open or differs, and a program that the source names plays it so",
    "ours": "our choice, where the source is silent, or can be read in several ways",
}
"""The marks of rules, and what they mean."""
ALL = "all"
"""In place of names: all rules that no other mark names."""
RULES = (
    "default_size", "other_sizes", "board", "setup", "placement_turn", "dux", "turns", "soldier_move", "dux_move",
    "soldier_jump", "dux_jump", "jump_captures", "enter_between", "soldier_locks", "dux_locks", "passing", "custodian",
    "flanked_mover", "intervention", "corner", "enclosure", "push_and_crush", "flank_attack", "phalanx", "at_once",
    "safe_square", "capture_chain", "capture_effect", "marks", "dux_fate", "blocking_own_dux", "men_counted", "goal",
    "fewest_men", "no_move", "repetition", "nocapture_limit",
)
"""The names of the rules in words (see ``explain``): the key that a rule is mainly about. Four have no key of their
own: ``other_sizes``, ``turns`` (who begins), ``passing``, and ``at_once`` (when captures are judged and removed)."""


@lru_cache(maxsize=256)
def parse_origins(text: str) -> Mapping[str, str]:
    """Return the mark of each rule that a text names, or of ``all`` others.

    Raises:
        ValueError: the text is malformed; the message quotes what is wrong.
    """
    found: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        mark, colon, names = part.partition(":")
        if mark.strip() not in ORIGINS or not colon:
            raise ValueError(f"{quoted(part)}: no mark; expected one of {', '.join(ORIGINS)}, and a colon")
        for name in map(str.strip, names.split(",")):
            if name not in (*RULES, ALL):
                hint = nearest_name(name, RULES) or f"; expected one of {', '.join(RULES)}, or {ALL}"
                raise ValueError(f"{quoted(name)}: unknown rule{hint}")
            if name in found:
                raise ValueError(f"duplicate rule {name}")
            found[name] = mark.strip()
    return found


def origin_of(text: str, rule: str) -> str:
    """Return the mark that a value of the key ``origins`` gives a rule; empty for none."""
    marks = parse_origins(text)
    return marks.get(rule) or marks.get(ALL, "")
