"""The rules of any game in plain English, from the fields of its ruleset alone."""

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import NamedTuple

from latrones_uci.game import Position, Ruleset
from latrones_uci.game.origins import ORIGINS, origin_of


class Told(NamedTuple):
    """A rule in words."""

    name: str
    """Its name, one of ``origins.RULES``; empty for a note that is not a rule."""
    text: str
    """One or more sentences."""
    origin: str = ""
    """Where it comes from, one of ``ORIGINS``; empty if the ruleset does not say."""

    def __str__(self) -> str:
        return f"{self.text} [{self.origin}]" if self.origin else self.text


class Section(NamedTuple):
    heading: str
    rules: tuple[Told, ...]


def explain(ruleset: Ruleset) -> tuple[Section, ...]:
    """Return the rules of a game, complete enough to play it. Rulesets that differ in a field differ in the words."""
    if ruleset.board == "wheel":
        return _marked(ruleset, [("The board", _wheel_board(ruleset)), ("Play", _WHEEL_PLAY)])
    parts: list[tuple[str, Sequence[Told]]] = [("The board and the start", _start(ruleset)), ("Moves", _moves(ruleset))]
    if ruleset.capture_effect == "bind":
        parts.append(("Binding and capturing", _binding(ruleset)))
    else:
        parts.append(("Captures", _captures(ruleset)))
    if ruleset.dux != "none":
        parts.append(("The dux", _dux(ruleset)))
    parts.append(("End of the game", _endings(ruleset)))
    return _marked(ruleset, parts)


def _marked(ruleset: Ruleset, parts: Iterable[tuple[str, Sequence[Told]]]) -> tuple[Section, ...]:
    return tuple(Section(heading, tuple(rule._replace(origin=origin_of(ruleset.origins, rule.name)) if rule.name
                                        else rule for rule in rules)) for heading, rules in parts)


def legend(ruleset: Ruleset) -> str:
    """Return what the marks of a game's rules mean; empty if it has none."""
    if not ruleset.origins:
        return ""
    return f"Marks: {'; '.join(f'[{mark}] {meaning}' for mark, meaning in ORIGINS.items())}."


def render_text(ruleset: Ruleset, aim: str = "", width: int = 79) -> str:
    """Return the rules as text, with the aim of the game, if it is given, and the start position as a diagram."""
    start = Position.start(ruleset)
    lines = [f"{ruleset.title} ({ruleset.name})", "", *_wrapped(f"Source: {ruleset.source}", width), ""]
    if ruleset.origins:
        lines += [*_wrapped(legend(ruleset), width), ""]
    if aim:
        lines += ["AIM", "", *_wrapped(aim, width), ""]
    for number, section in enumerate(explain(ruleset)):
        lines += [section.heading.upper(), ""]
        for rule in section.rules:
            lines += [*_wrapped(str(rule), width, "* ", "  ")]
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


def number_word(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _count(number: int, noun: str) -> str:
    return f"{number_word(number)} {noun}{'' if number == 1 else 's'}"


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _sizes(r: Ruleset) -> list[Told]:
    files, ranks = r.default_size
    least = f", with at least {r.min_squares} squares" * (r.min_squares > 0)
    if r.min_size == r.default_size == r.max_size or r.setup == "start":
        other = f"It is played on no other board{least}"
    else:
        odd = ", with both sides odd" * r.has_centre
        other = f"Boards of {_size(r.min_size)} to {_size(r.max_size)} are allowed{least}{odd}, if all pieces fit"
    return [Told("default_size", f"The board has {_count(files, 'file')} and {_count(ranks, 'rank')}"
                                 f" ({_size(r.default_size)})."),
            Told("other_sizes", f"{other}.")]


_WHEEL_PLAY = (
    Told("setup", "The board is empty at first, and each player has three pieces in hand. The players take turns, White"
                  " first, to place one piece on any empty square, until all six are placed."),
    Told("soldier_move", "Then each turn is a move of one piece to an empty neighbour. A player may not pass."),
    Told("goal", "A player who has three pieces in a line through the centre wins at once, also while placing."),
    Told("no_move", "A player with no legal move loses."),
    Told("repetition", "The third occurrence of a position is a draw."),
)


def _wheel_board(r: Ruleset) -> list[Told]:
    least = f" It has at least {r.min_squares} squares." if r.min_squares else ""
    return [Told("board", "The board is a wheel: a centre, b2, and eight squares on the rim, in the order a1 a2 a3 b3"
                          " c3 c2 c1 b1. A square of the rim is next to the two beside it and to the centre; the centre"
                          f" is next to all eight.{least}")]


def _start(r: Ruleset) -> list[Told]:
    starts = {"ranks": _start_on_ranks, "placement": _start_by_placing, "start": _start_as_given}
    return [*_sizes(r), *starts[r.setup](r)]


_TURNS = Told("turns", "White moves first, and the players take turns.")


def _start_as_given(r: Ruleset) -> list[Told]:
    white, black = (" and ".join([_count(r.start.count(soldier), "soldier")] * (soldier in r.start)
                                 + ["a dux, the leader"] * (dux in r.start)) for soldier, dux in ("SD", "sd"))
    sides = f"Each player has {white}" if white == black else f"White has {white}, and Black has {black}"
    return [Told("setup", f"{sides}. The pieces start as the diagram shows."), _TURNS]


def _start_on_ranks(r: Ruleset) -> list[Told]:
    ranks = "first rank" if r.soldier_ranks == 1 else f"first {_count(r.soldier_ranks, 'rank')}"
    filled = "fill the" if r.array == "full" else "stand on each square of the colour of a1 in the"
    rules = [Told("setup", f"Each player's soldiers {filled} {ranks} on that player's side.")]
    if r.dux != "none":
        place = "in front of the soldiers" if r.dux == "front" else "on the first rank, in place of a soldier"
        rules.append(Told("dux", f"Each player also has a dux, the leader. It starts {place}, on the middle file. If"
                                 " there are two middle files, it is the right-hand one as seen by its owner."))
    return [*rules, _TURNS]


def _start_by_placing(r: Ruleset) -> list[Told]:
    dux = " and a dux, the leader," if r.dux == "hand" else ""
    pair = r.placement_turn == 2
    odd = " In the last turn, each player places a single one." * (pair and r.hand % 2)
    rules = [
        Told("setup", f"The board is empty at first. Each player has {_count(r.hand, 'soldier')}{dux} in hand."),
        Told("placement_turn", "The players take turns, White first, to place"
             f" {'two soldiers' if pair else 'one soldier'} on any empty square{'s' * pair}{_barred(r)}.{odd} While"
             " pieces are placed, no piece moves and nothing is captured."),
    ]
    if r.dux == "hand":
        rules.append(Told("dux", "When all soldiers are placed, White places its dux, then Black."))
    return [*rules, Told("turns",
                         "When all pieces are placed, White makes the first move, and the players take turns.")]


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


def _moves(r: Ruleset) -> list[Told]:
    both = " or dux" * (r.dux_move == r.soldier_move)
    rules = [Told("soldier_move", f"A soldier{both} moves {_gait(r, r.soldier_move)}.")]
    if r.dux != "none" and not both:
        rules.append(Told("dux_move", f"A dux moves {_gait(r, r.dux_move)}."))
    rules += [*_jumps(r), *_entry(r), *_locks(r)]
    rules.append(Told("passing", "A player who has no legal move passes. Nobody else may pass." if r.no_move == "pass"
                      else "A player may not pass."))
    if r.repetition == "illegal":
        marks = ", with the same ones bound," * (r.capture_effect == "bind")
        rules.append(Told(
            "repetition", "No move may repeat a position: a move is illegal if it leaves the same pieces on the same"
            f" squares{marks} as at the start or after any earlier move of the game. It does not matter whose turn it"
            f" was.{_legs_and_repetition(r)}"))
    return rules


def _jumps(r: Ruleset) -> list[Told]:
    rules = []
    over = "one enemy piece" if r.jump_over == "enemies" else "one piece of either side"
    marks = ", bound or free," * (r.capture_effect == "bind")
    singles = {key: name for key, name in (("soldier_jump", "a soldier"), ("dux_jump", "a dux"))
               if getattr(r, key) == "single"}
    if singles:
        rules.append(Told(next(iter(singles)), f"Instead, {' or '.join(singles.values())} may jump, {_along(r)}, over"
                          f" {over} next to it{marks} to the empty square right behind."))
    if r.soldier_jump == "chain":
        rules.append(Told(
            "soldier_jump", f"Instead, a soldier may jump, along a rank or file, over {over} next to it{marks} to the"
            " empty square right behind, and go on jumping in the same turn, in any direction. It may stop after any"
            " jump. It lands on no square twice, and not on the one where it began."))
    if r.dux_jump == "line":
        rules.append(Told("dux_jump", "A dux may also jump, along a rank or file, over an unbroken line of pieces of"
                          " either side next to it, to the first empty square behind them."))
    if rules:
        what = "it" if r.jump_captures else "its landing"
        must = f" A jump is only allowed if {what} captures something." * r.jump_must_capture
        taken = f"A jump captures the enemy {_prey(r)} that it jumps over" if r.jump_captures else (
            "A jump does not capture the pieces that it jumps over")
        rules.append(Told("jump_captures", f"{taken}.{must}"))
    return rules


def _entry(r: Ruleset) -> list[Told]:
    if r.enter_between == "allowed":
        return []
    between = "No piece may land between two enemy pieces that are right next to it, along a rank or file"
    if r.capture_effect == "remove":
        return [Told("enter_between", f"{between}, unless it captures something there. This holds for each part of a"
                     " turn.")]
    return [Told(
        "enter_between", f"{between}, whether these are bound or free, unless a free enemy soldier is next to that"
        " square with another free piece of the mover right behind it. The piece that moves counts as one on the square"
        " that it leaves, so a jump over a free enemy soldier may always land. This holds for each jump of a turn.")]


def _legs_and_repetition(r: Ruleset) -> str:
    if r.soldier_jump != "chain" and r.capture_chain == "none":
        return ""
    return (" A turn may have several legs, moves of the same piece. No leg may repeat a position; later, only the"
            " position after the first leg counts as an earlier one.")


def _locks(r: Ruleset) -> list[Told]:
    rules = []
    if r.soldier_locks != "none":
        hit = ", or that lands next to the enemy dux" * (r.dux != "none")
        melee = (" It is free if every enemy piece next to it also has another piece of the soldier's side next to it."
                 if r.soldier_locks == "melee" else "")
        rules.append(Told("soldier_locks", "A soldier with an enemy piece next to it before the move is locked: it may"
                          f" only make a move that captures{hit}.{melee}"))
    if r.dux_locks == "sides":
        rules.append(Told(
            "dux_locks", "A dux with an enemy piece next to it is limited by its covered sides: those with a piece or"
            " the edge of the board. With one, it moves one square, or makes a move that captures or lands next to the"
            " enemy dux; with two, only such moves; with three, it cannot move."))
    return rules


# ---------------------------------------------------------------- captures


def _prey(r: Ruleset) -> str:
    return "piece" if r.dux_fate == "ordinary" else "soldier"


def _captures(r: Ruleset) -> list[Told]:
    found = [*_custodian(r), *_other_captures(r)]
    if not found and r.dux_fate != "captured" and not r.jump_captures:
        found.append(Told("custodian", "Nothing is captured."))
    else:
        found.append(Told("at_once", "Captures are judged when the piece has landed, all at once. Then all captured"
                          f" pieces are removed together.{_after_entry(r)}"))
    if r.safe_square == "centre":
        found.append(Told("safe_square", "On the centre square of the board no piece is captured."))
    return found + _chains(r)


def _after_entry(r: Ruleset) -> str:
    return " A piece that moves in between two enemies is not captured by that." * (r.enter_between == "allowed")


def _custodian(r: Ruleset) -> list[Told]:
    prey, found = _prey(r), list[Told]()
    friend = "piece" + " (a dux counts)" * (r.dux != "none")
    line = "along a rank, file or diagonal" if r.directions == "all" else "along a rank or file"
    corners = (" For this, a corner square counts as a piece of the mover, whether it is empty or a piece of either"
               " side stands on it.") * r.hostile_corners
    if r.custodian == "one":
        found.append(Told("custodian", f"Between two: an enemy {prey} right next to the piece that moved is captured if"
                          f" another friendly {friend} stands right behind it, {line}.{corners}"))
    elif r.custodian == "line":
        inside = "" if r.dux == "none" or prey == "piece" else (
            " A dux in the line neither breaks it nor is captured.")
        found.append(Told(
            "custodian", "Between two: an unbroken line of enemy pieces that begins right next to the piece that moved"
            f" and has another friendly {friend} right behind it, {line}: every enemy {prey} in it is captured."
            f"{inside}{corners}"))
    if r.flanked_mover == "void_axis":
        found.append(Told("flanked_mover", "But if the piece that moved has enemies on both sides along a rank (or a"
                          " file), it captures nothing between two along that rank (or file)."))
    return found


def _other_captures(r: Ruleset) -> list[Told]:
    prey, found = _prey(r), list[Told]()
    if r.intervention:
        inside = "" if r.dux == "none" or prey == "piece" else " A dux counts as one of the two, but is not captured."
        found.append(Told("intervention", "Intervention: a piece that lands between two enemy pieces, right next to it"
                          f" on both sides along a rank or file, captures them.{inside}"))
    if r.corner:
        found.append(Told("corner", f"Corner: an enemy {prey} in a corner is captured if both squares next to it hold"
                          " friendly pieces, one of them the piece that moved."))
    if r.enclosure:
        stays = " A dux in it stays." * (r.dux_fate in ("immobilised", "safe"))
        found.append(Told("enclosure", "Enclosure: a connected group of enemy pieces that touches the piece that moved"
                          f" is captured as a whole if no piece of it has an empty square next to it.{stays}"))
    if r.push_and_crush:
        found.append(Told(
            "push_and_crush", "Push and crush: if, in the direction of the move, the next square holds a friendly piece"
            f" and the one after it an enemy {prey}, that enemy is captured if behind it is a friendly piece or the"
            " edge."))
    if r.flank_attack:
        found.append(Told(
            "flank_attack", "Flank attack: if, in the direction of the move, a line of two or more enemy pieces follows"
            f" with a friendly piece behind it, the first of them is captured if it is a {prey}."))
    if r.phalanx:
        found.append(Told(
            "phalanx", "Phalanx: if, in the direction of the move, one or more friendly pieces follow and then an enemy"
            f" {prey}, that enemy is captured if on at least one side friendly pieces stand beside the piece that moved"
            " and beside each of those pieces."))
    return found


def _chains(r: Ruleset) -> list[Told]:
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
    return [Told("capture_chain", how)] if how else []


def _binding(r: Ruleset) -> list[Told]:
    dux = " A dux counts as a free piece in all that follows, but is never bound." * (r.dux != "none")
    others = " A capture does not bind or release any other soldier." * (r.marks == "kept")
    return [
        Told("capture_effect", "A soldier is not captured at once. First it is bound: it stays on the board, but cannot"
             f" move and does not help to bind others.{dux}"),
        *(Told("marks", text) for text in (_judged_marks() if r.marks == "judged" else _kept_marks())),
        Told("capture_effect", "Instead of a move, a turn may capture one bound enemy soldier: it is removed from the"
             f" board.{others}"),
    ]


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


def _dux(r: Ruleset) -> list[Told]:
    rules = [Told("dux_fate", {
        "captured": "A dux is captured, and the game lost, when every square next to it is occupied, by pieces of"
                    " either side, or off the board, on the landing of an enemy piece.",
        "immobilised": "A dux is never captured. A side whose dux has no empty square next to it, after captured pieces"
                       " are removed, has lost.",
        "ordinary": "A dux is captured like a soldier, without further effect.",
        "safe": "A dux is never captured.",
    }[r.dux_fate])]
    if r.blocking_own_dux == "illegal":
        rules.append(Told("blocking_own_dux", "A move is not legal if it leaves the mover's own dux without an empty"
                          " square next to it, even if it would win."))
    if _counts_pieces(r):
        counted = "counts" if r.men_counted == "all" else "does not count"
        rules.append(Told("men_counted",
                          f"Where the end of the game depends on the number of pieces, the dux {counted}."))
    return rules


# ---------------------------------------------------------------- endings


def _endings(r: Ruleset) -> list[Told]:
    rules = [Told("fewest_men", _too_few(r))] if r.fewest_men else []
    most = f"the side with more {_counted(r)} on the board wins; equal numbers are {_equal(r)}"
    rules.append(Told("no_move", {
        "loss": f"A player who has no legal move{', or no piece left,' * (not r.fewest_men)} loses.",
        "most_men": f"If a player has no legal move, the game ends: {most}.",
        "pass": "If both players pass, one after the other, the game is a draw.",
    }[r.no_move]))
    if r.repetition != "illegal":
        rules.append(Told("repetition", {
            "draw": "The third occurrence of a position, with the same player to move, is a draw.",
            "loss": "A player whose move makes a position occur for the third time, with the same player to move,"
                    " loses.",
        }[r.repetition]))
    rules.append(Told("nocapture_limit", _limit(r, most)))
    if not r.fewest_men:
        rules.append(Told("fewest_men", "Nobody loses by having few pieces."))
    return rules + [Told("", note) for note in _idle(r)]


def _limit(r: Ruleset, most: str) -> str:
    if not r.nocapture_limit:
        return "There is no limit on turns without a capture."
    ends = {"draw": "the game is a draw", "most_men": most}[r.nocapture_result]
    passes = " and passes" * (r.no_move == "pass")
    closing = (" After a turn that captured, the count begins at one, because the turn itself ended without a capture."
               if r.capture_chain == "forced" else "")
    return (f"After {_count(r.nocapture_limit, 'turn')} in a row without a capture, counting those of both players"
            f"{passes}, {ends}.{closing}")


def _counts_pieces(r: Ruleset) -> bool:
    at_limit = r.nocapture_limit > 0 and r.nocapture_result == "most_men"
    return r.fewest_men > 0 or r.no_move == "most_men" or at_limit


def _idle(r: Ruleset) -> list[str]:
    """Return a note on the settings that differ from their defaults and have no effect in this game."""
    found = []
    if r.setup == "start":
        found += [f"{key} = {_size(getattr(r, key))}" for key in ("min_size", "max_size")
                  if getattr(r, key) not in (r.default_size, getattr(Ruleset, key))]
    if r.men_counted == "all" and not _counts_pieces(r):
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
