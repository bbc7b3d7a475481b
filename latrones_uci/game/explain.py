"""The rules of any game in plain English, from the fields of its ruleset alone."""

from dataclasses import dataclass
from textwrap import fill

from latrones_uci.game import Position, Ruleset


@dataclass(frozen=True)
class Section:
    """A part of the rules."""

    heading: str
    """Its title."""
    rules: tuple[str, ...]
    """One or more sentences each."""


def explain(ruleset: Ruleset) -> tuple[Section, ...]:
    """Return the rules of a game, complete enough to play it. Rulesets that differ in a field differ in the words."""
    if ruleset.board == "wheel":
        return (Section("The board", _wheel_board(ruleset)), Section("Play", _WHEEL_PLAY))
    parts = [("The board and the start", _start(ruleset)), ("Moves", _moves(ruleset))]
    if ruleset.capture_effect == "bind":
        parts.append(("Binding and capturing", _binding(ruleset)))
    else:
        parts.append(("Captures", _captures(ruleset)))
    if ruleset.dux != "none":
        parts.append(("The dux", _dux(ruleset)))
    parts.append(("End of the game", _endings(ruleset)))
    return tuple(Section(heading, tuple(rules)) for heading, rules in parts)


def render_text(ruleset: Ruleset, aim: str = "", width: int = 79) -> str:
    """Return the rules as text, with the aim of the game, if it is given, and the start position as a diagram."""
    start = Position.start(ruleset)
    lines = [f"{ruleset.title} ({ruleset.name})", "", *_wrapped(f"Source: {ruleset.source}", width), ""]
    if aim:
        lines += ["AIM", "", *_wrapped(aim, width), ""]
    for number, section in enumerate(explain(ruleset)):
        lines += [section.heading.upper(), ""]
        for rule in section.rules:
            lines += [*_wrapped(rule, width, "* ", "  ")]
        lines.append("")
        if number == 0:
            lines += [start.diagram(), "", *_wrapped(_LEGEND[ruleset.dux != "none"], width), ""]
    return "\n".join(lines)


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    return fill(" ".join(text.split()), width, initial_indent=first, subsequent_indent=rest).splitlines()


# ---------------------------------------------------------------- words

_LEGEND = (
    "Diagrams show White's pieces as S, Black's as s, and empty squares as dots.",
    "Diagrams show White's soldiers as S and its dux as D, Black's as s and d, and empty squares as dots.",
)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _count(number: int, noun: str) -> str:
    return f"{_NUMBERS[number] if number < len(_NUMBERS) else number} {noun}{'' if number == 1 else 's'}"


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _sizes(r: Ruleset) -> str:
    files, ranks = r.default_size
    least = f", with at least {r.min_squares} squares" * (r.min_squares > 0)
    if r.min_size == r.default_size == r.max_size or r.setup == "start":
        other = f"It is played on no other board{least}"
    else:
        odd = ", with both sides odd" * r.has_centre
        other = f"Boards of {_size(r.min_size)} to {_size(r.max_size)} are allowed{least}{odd}, if all pieces fit"
    return f"The board has {_count(files, 'file')} and {_count(ranks, 'rank')} ({_size(r.default_size)}). {other}."


_WHEEL_PLAY = (
    "The board is empty at first, and each player has three pieces in hand. The players take turns, White first, to"
    " place one piece on any empty square, until all six are placed.",
    "Then each turn is a move of one piece to an empty neighbour. A player may not pass.",
    "A player who has three pieces in a line through the centre wins at once, also while placing.",
    "A player with no legal move loses. The third occurrence of a position is a draw.",
)


def _wheel_board(r: Ruleset) -> tuple[str, ...]:
    least = f" It has at least {r.min_squares} squares." if r.min_squares else ""
    return ("The board is a wheel: a centre, b2, and eight squares on the rim, in the order a1 a2 a3 b3 c3 c2 c1 b1. A"
            " square of the rim is next to the two beside it and to the centre; the centre is next to all eight."
            + least,)


def _start(r: Ruleset) -> list[str]:
    starts = {"ranks": _start_on_ranks, "placement": _start_by_placing, "start": _start_as_given}
    return [_sizes(r), *starts[r.setup](r)]


def _start_as_given(r: Ruleset) -> list[str]:
    sides = []
    for side, soldier, dux in (("White", "S", "D"), ("Black", "s", "d")):
        men = [_count(r.start.count(soldier), "soldier")] * (soldier in r.start)
        sides.append(f"{side} has {' and '.join(men + ['a dux, the leader'] * (dux in r.start))}")
    return [f"{', and '.join(sides)}. The pieces start as the diagram shows.",
            "White moves first, and the players take turns."]


def _start_on_ranks(r: Ruleset) -> list[str]:
    ranks = "first rank" if r.soldier_ranks == 1 else f"first {_count(r.soldier_ranks, 'rank')}"
    filled = "fill the" if r.array == "full" else "stand on each square of the colour of a1 in the"
    rules = [f"Each player's soldiers {filled} {ranks} on that player's side."]
    if r.dux != "none":
        place = "in front of the soldiers" if r.dux == "front" else "on the first rank, in place of a soldier"
        rules.append(f"Each player also has a dux, the leader. It starts {place}, on the middle file. If there are two"
                     " middle files, it is the right-hand one as seen by its owner.")
    return [*rules, "White moves first, and the players take turns."]


def _start_by_placing(r: Ruleset) -> list[str]:
    dux = " and a dux, the leader," if r.dux == "hand" else ""
    pair = r.placement_turn == 2
    odd = " In the last turn, each player places a single one." * (pair and r.hand % 2)
    rules = [
        f"The board is empty at first. Each player has {_count(r.hand, 'soldier')}{dux} in hand.",
        f"The players take turns, White first, to place {'two soldiers' if pair else 'one soldier'} on any empty"
        f" square{'s' * pair}{_barred(r)}.{odd} While pieces are placed, no piece moves and nothing is captured.",
    ]
    if r.dux == "hand":
        rules.append("When all soldiers are placed, White places its dux, then Black.")
    return [*rules, "When all pieces are placed, White makes the first move, and the players take turns."]


def _barred(r: Ruleset) -> str:
    return {
        "none": "",
        "centre": " except the centre square of the board",
        "middle": f" except {_middle(r)}, the middle square of the board (of two or four, the lower and left one)",
    }[r.barred]


def _middle(r: Ruleset) -> str:
    files, ranks = r.default_size
    return f"{'abcdefghijklmnop'[(files - 1) // 2]}{(ranks + 1) // 2}"


# ---------------------------------------------------------------- moves


def _gait(r: Ruleset, how: str) -> str:
    if how == "slide":
        return "any number of empty squares along a rank or file"
    return f"one step to an empty square next to it, {_along(r)}"


def _along(r: Ruleset) -> str:
    return "in any of the eight directions" if r.directions == "all" else "along a rank or file"


def _moves(r: Ruleset) -> list[str]:
    if r.dux == "none":
        rules = [f"A soldier moves {_gait(r, r.soldier_move)}."]
    elif r.dux_move == r.soldier_move:
        rules = [f"A soldier or dux moves {_gait(r, r.soldier_move)}."]
    else:
        rules = [f"A soldier moves {_gait(r, r.soldier_move)}. A dux moves {_gait(r, r.dux_move)}."]
    rules += [*_jumps(r), *_entry(r), *_locks(r)]
    rules.append("A player who has no legal move passes. Nobody else may pass." if r.no_move == "pass"
                 else "A player may not pass.")
    if r.repetition == "illegal":
        marks = ", with the same ones bound," * (r.capture_effect == "bind")
        rules.append("No move may repeat a position: a move is illegal if it leaves the same pieces on the same squares"
                     f"{marks} as at the start or after any earlier move of the game. It does not matter whose turn it"
                     f" was.{_legs_and_repetition(r)}")
    return rules


def _jumps(r: Ruleset) -> list[str]:
    rules = []
    over = "one enemy piece" if r.jump_over == "enemies" else "one piece of either side"
    marks = ", bound or free," * (r.capture_effect == "bind")
    singles = [name for name, jump in (("a soldier", r.soldier_jump), ("a dux", r.dux_jump)) if jump == "single"]
    if singles:
        rules.append(f"Instead, {' or '.join(singles)} may jump, {_along(r)}, over {over} next to it{marks} to the"
                     " empty square right behind.")
    if r.soldier_jump == "chain":
        rules.append(f"Instead, a soldier may jump, along a rank or file, over {over} next to it{marks} to the empty"
                     " square right behind, and go on jumping in the same turn, in any direction. It may stop after any"
                     " jump. It lands on no square twice, and not on the one where it began.")
    if r.dux_jump == "line":
        rules.append("A dux may also jump, along a rank or file, over an unbroken line of pieces of either side next to"
                     " it, to the first empty square behind them.")
    if rules:
        what = "it" if r.jump_captures else "its landing"
        must = f" A jump is only allowed if {what} captures something." * r.jump_must_capture
        taken = f"A jump captures the enemy {_prey(r)} that it jumps over" if r.jump_captures else (
            "A jump does not capture the pieces that it jumps over")
        rules.append(f"{taken}.{must}")
    return rules


def _entry(r: Ruleset) -> list[str]:
    if r.enter_between == "allowed":
        return []
    between = "No piece may land between two enemy pieces that are right next to it, along a rank or file"
    if r.capture_effect == "remove":
        return [f"{between}, unless it captures something there. This holds for each part of a turn."]
    return [f"{between}, whether these are bound or free, unless a free enemy soldier is next to that square with"
            " another free piece of the mover right behind it. The piece that moves counts as one on the square that it"
            " leaves, so a jump over a free enemy soldier may always land. This holds for each jump of a turn."]


def _legs_and_repetition(r: Ruleset) -> str:
    if r.soldier_jump != "chain" and r.capture_chain == "none":
        return ""
    return (" A turn may have several legs, moves of the same piece. No leg may repeat a position; later, only the"
            " position after the first leg counts as an earlier one.")


def _locks(r: Ruleset) -> list[str]:
    rules = []
    if r.soldier_locks != "none":
        hit = ", or that lands next to the enemy dux" * (r.dux != "none")
        melee = (" It is free if every enemy piece next to it also has another piece of the soldier's side next to it."
                 if r.soldier_locks == "melee" else "")
        rules.append("A soldier with an enemy piece next to it before the move is locked: it may only make a move that"
                     f" captures{hit}.{melee}")
    if r.dux_locks == "sides":
        rules.append("A dux with an enemy piece next to it is limited by its covered sides: those with a piece or the"
                     " edge of the board. With one, it moves one square, or makes a move that captures or lands next to"
                     " the enemy dux; with two, only such moves; with three, it cannot move.")
    return rules


# ---------------------------------------------------------------- captures


def _prey(r: Ruleset) -> str:
    return "piece" if r.dux_fate == "ordinary" else "soldier"


def _captures(r: Ruleset) -> list[str]:
    found = [*_custodian(r), *_other_captures(r)]
    if not found and r.dux_fate != "captured" and not r.jump_captures:
        found.append("Nothing is captured.")
    else:
        found.append("Captures are judged when the piece has landed, all at once. Then all captured pieces are removed"
                     f" together.{_after_entry(r)}")
    if r.safe_square == "centre":
        found.append("On the centre square of the board no piece is captured.")
    return found + _chains(r)


def _after_entry(r: Ruleset) -> str:
    return " A piece that moves in between two enemies is not captured by that." * (r.enter_between == "allowed")


def _custodian(r: Ruleset) -> list[str]:
    prey, found = _prey(r), []
    friend = "piece" + " (a dux counts)" * (r.dux != "none")
    line = "along a rank, file or diagonal" if r.directions == "all" else "along a rank or file"
    corners = (" For this, a corner square counts as a piece of the mover, whether it is empty or a piece of either"
               " side stands on it.") * r.hostile_corners
    if r.custodian == "one":
        found.append(f"Between two: an enemy {prey} right next to the piece that moved is captured if another friendly"
                     f" {friend} stands right behind it, {line}.{corners}")
    elif r.custodian == "line":
        inside = "" if r.dux == "none" or prey == "piece" else (
            " A dux in the line neither breaks it nor is captured.")
        found.append("Between two: an unbroken line of enemy pieces that begins right next to the piece that moved and"
                     f" has another friendly {friend} right behind it, {line}: every enemy {prey} in it is captured."
                     f"{inside}{corners}")
    if r.flanked_mover == "void_axis":
        found.append("But if the piece that moved has enemies on both sides along a rank (or a file), it captures"
                     " nothing between two along that rank (or file).")
    return found


def _other_captures(r: Ruleset) -> list[str]:
    prey, found = _prey(r), []
    if r.intervention:
        inside = "" if r.dux == "none" or prey == "piece" else " A dux counts as one of the two, but is not captured."
        found.append("Intervention: a piece that lands between two enemy pieces, right next to it on both sides along a"
                     f" rank or file, captures them.{inside}")
    if r.corner:
        found.append(f"Corner: an enemy {prey} in a corner is captured if both squares next to it hold friendly pieces,"
                     " one of them the piece that moved.")
    if r.enclosure:
        found.append("Enclosure: a connected group of enemy pieces that touches the piece that moved is captured as a"
                     " whole if no piece of it has an empty square next to it.")
    if r.push_and_crush:
        found.append("Push and crush: if, in the direction of the move, the next square holds a friendly piece and the"
                     f" one after it an enemy {prey}, that enemy is captured if behind it is a friendly piece or the"
                     " edge.")
    if r.flank_attack:
        found.append("Flank attack: if, in the direction of the move, a line of two or more enemy pieces follows with a"
                     f" friendly piece behind it, the first of them is captured if it is a {prey}.")
    if r.phalanx:
        found.append("Phalanx: if, in the direction of the move, one or more friendly pieces follow and then an enemy"
                     f" {prey}, that enemy is captured if on at least one side friendly pieces stand beside the piece"
                     " that moved and beside each of those pieces.")
    return found


def _chains(r: Ruleset) -> list[str]:
    how = {
        "none": "",
        "free": "After a move that captured, the same piece may move again in the same turn, and so on as long as it"
                " captures. A move that captures nothing ends the turn. The piece may also stop.",
        "capturing": "After a move that captured, the same piece may move again in the same turn if that captures, too,"
                     " and so on. It may also stop.",
        "forced": "After a move that captured, the same piece must move again in the same turn, by any legal move,"
                  " whether or not that captures. This goes on until a move captures nothing, or the piece has no legal"
                  " move.",
    }[r.capture_chain]
    return [how] if how else []


def _binding(r: Ruleset) -> list[str]:
    rules = ["A soldier is not captured at once. First it is bound: it stays on the board, but cannot move and does not"
             " help to bind others." + " A dux counts as a free piece in all that follows, but is never bound."
             * (r.dux != "none")]
    rules += _judged_marks() if r.marks == "judged" else _kept_marks()
    rules.append("Instead of a move, a turn may capture one bound enemy soldier: it is removed from the board."
                 + " A capture does not bind or release any other soldier." * (r.marks == "kept"))
    return rules


def _judged_marks() -> list[str]:
    return [
        "After each turn (while placing, only after the last one), it is decided anew who is bound. First, each soldier"
        " of the player who did not move: it is bound if free enemy soldiers stand on both sides of it, along a rank or"
        " a file, and free otherwise. Then each soldier of the player who moved, in the same way. Both steps are"
        " repeated until nothing changes, at most four times in all.",
    ]


def _kept_marks() -> list[str]:
    return [
        "Nobody is bound while pieces are placed. Later, soldiers are bound and released only when a soldier lands:"
        " after a step, and after each jump. The three rules that follow all look at the board after the landing, and"
        " at who was bound before it.",
        "Bind: a free enemy soldier next to the one that landed is bound if another free soldier of the mover stands"
        " right behind it, along a rank or file. A soldier that moves in between two enemies is not bound by that.",
        "Release: a bound enemy soldier next to the square that was left is free again if a free soldier of the mover"
        " stands right behind it, as seen from that square.",
        "Rescue: when an enemy soldier is bound, a bound soldier of the mover next to it is free again if another enemy"
        " that was free before stands right behind it, as seen from the one just bound.",
    ]


def _dux(r: Ruleset) -> list[str]:
    rules = [{
        "captured": "A dux is captured, and the game lost, when every square next to it is occupied, by pieces of"
                    " either side, or off the board, on the landing of an enemy piece.",
        "immobilised": "A dux is never captured. A side whose dux has no empty square next to it, after captured pieces"
                       " are removed, has lost.",
        "ordinary": "A dux is captured like a soldier, without further effect.",
        "safe": "A dux is never captured.",
    }[r.dux_fate]]
    if r.blocking_own_dux == "illegal":
        rules.append("A move is not legal if it leaves the mover's own dux without an empty square next to it, even if"
                     " it would win.")
    if _counts_men(r):
        counted = "counts" if r.men_counted == "all" else "does not count"
        rules.append(f"Where the end of the game depends on the number of pieces, the dux {counted}.")
    return rules


# ---------------------------------------------------------------- endings


def _endings(r: Ruleset) -> list[str]:
    rules = [_too_few(r)] if r.fewest_men else []
    most = f"the side with more {_counted(r)} on the board wins; equal numbers are {_equal(r)}"
    rules.append({
        "loss": f"A player who has no legal move{', or no piece left,' * (not r.fewest_men)} loses.",
        "most_men": f"If a player has no legal move, the game ends: {most}.",
        "pass": "If both players pass, one after the other, the game is a draw.",
    }[r.no_move])
    rules += {"draw": ["The third occurrence of a position, with the same player to move, is a draw."],
              "loss": ["A player whose move makes a position occur for the third time, with the same player to move,"
                       " loses."],
              "illegal": []}[r.repetition]
    rules.append(_limit(r, most))
    if not r.fewest_men:
        rules.append("Nobody loses by having few pieces.")
    return rules + _idle(r)


def _limit(r: Ruleset, most: str) -> str:
    if not r.nocapture_limit:
        return "There is no limit on turns without a capture."
    ends = {"draw": "the game is a draw", "most_men": most}[r.nocapture_result]
    passes = " and passes" * (r.no_move == "pass")
    closing = (" After a turn that captured, the count begins at one, because the turn itself ended without a capture."
               if r.capture_chain == "forced" else "")
    return (f"After {_count(r.nocapture_limit, 'turn')} in a row without a capture, counting those of both players"
            f"{passes}, {ends}.{closing}")


def _counts_men(r: Ruleset) -> bool:
    """Return whether an ending depends on the number of pieces."""
    at_limit = r.nocapture_limit > 0 and r.nocapture_result == "most_men"
    return r.fewest_men > 0 or r.no_move == "most_men" or at_limit


def _idle(r: Ruleset) -> list[str]:
    """Return a note on the settings that differ from their defaults and have no effect in this game."""
    found = []
    if r.setup == "start":
        found += [f"{key} = {_size(getattr(r, key))}" for key in ("min_size", "max_size")
                  if getattr(r, key) not in (r.default_size, getattr(Ruleset, key))]
    if r.men_counted == "all" and not _counts_men(r):
        found.append("men_counted = all")
    if r.fewest_judged == "placed" and not (r.fewest_men and r.setup == "placement"):
        found.append("fewest_judged = placed")
    if r.nocapture_result == "most_men" and not r.nocapture_limit:
        found.append("nocapture_result = most_men")
        if r.equal_men == "black" and r.no_move != "most_men":
            found.append("equal_men = black")
    return [f"Settings without effect in this game: {', '.join(found)}."] if found else []


def _counted(r: Ruleset) -> str:
    return "soldiers" if r.men_counted == "soldiers" else "pieces"


def _equal(r: Ruleset) -> str:
    return "a draw" if r.equal_men == "draw" else "a win for Black"


def _too_few(r: Ruleset) -> str:
    left = f"fewer than {_count(r.fewest_men, _counted(r)[:-1])}" if r.fewest_men > 1 else f"no {_counted(r)[:-1]}"
    also = ", bound or free," * (r.capture_effect == "bind")
    when = ""
    if r.setup == "placement":
        when = {"always": " Pieces in hand count as well.",
                "placed": " This is judged only when all pieces are placed."}[r.fewest_judged]
    return f"A player left with {left}{also} has lost.{when}"
