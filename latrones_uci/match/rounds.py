"""The table of a Swiss tournament and the bracket of a knockout, as figures and as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from latrones_uci.match.schedule import MAX_EXTRA_PAIRS, Pairing, Schedule, bracket
from latrones_uci.records.plan import Format, Plan
from latrones_uci.text.messages import counted

_FINAL_ROUNDS = {1: "final", 2: "semifinals", 3: "quarterfinals"}
_MAX_NAME = 20
_WIDTH = 79


@dataclass(frozen=True)
class RoundsTable:
    """The rounds of a tournament as a table of texts."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    """The columns that are aligned to the right."""
    note: str
    """How to read it, empty if that is plain."""


def round_name(plan: Plan, number: int, extra: int = 0) -> str:
    """Return the name of a round, such as ``round 2 of 5`` or ``semifinals``, and the number of the extra pair."""
    if plan.format is Format.SWISS:
        return f"round {number + 1} of {plan.rounds}"
    left = plan.rounds - number
    name = _FINAL_ROUNDS.get(left, f"round of {2**left}")
    return f"{name}, extra pair {extra}" if extra else name


def current_round(schedule: Schedule | None) -> str:
    """Return the name of the latest round that has started, empty if the format has none."""
    if schedule is None or not schedule.stages:
        return ""
    stage = schedule.stages[-1]
    return round_name(schedule.plan, stage.round, stage.extra)


def rounds_table(schedule: Schedule | None, names: Sequence[str]) -> RoundsTable | None:
    """Return the table of a Swiss tournament or the pairings of a knockout, None for other formats."""
    if schedule is None or not schedule.rounds:
        return None
    return _swiss_table(schedule, names) if schedule.plan.format is Format.SWISS else _knockout_table(schedule, names)


def render_rounds(schedule: Schedule | None, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the table or bracket in fewer than 80 columns, nothing for other formats."""
    found = rounds_table(schedule, [shortened(name, _MAX_NAME) for name in names])
    if schedule is None or found is None:
        return
    state = "" if schedule.complete else f", {current_round(schedule)}"
    if schedule.plan.format is Format.SWISS:
        yield f"Table:          by points, then Buchholz{state}"
        yield from _render_table(found)
        if schedule.rounds[0].byes:
            yield f"     A bye counts {schedule.plan.games} points, and nothing in ratings."
        return
    yield f"Bracket:        {schedule.plan.games} games for each pairing{state}"
    played = [row for row in found.rows if row[2]]
    wide, narrow = (max(map(len, column)) for column in list(zip(*played, strict=True))[1:3])
    for name in dict.fromkeys(row[0] for row in found.rows):
        yield f"  {name}"
        for _, engines, points, result in (row for row in played if row[0] == name):
            yield f"    {engines:<{wide}}  {points:<{narrow}}  {result}".rstrip()
        if byes := [row[1] for row in found.rows if row[0] == name and not row[2]]:
            yield from wrap(f"bye: {', '.join(byes)}", _WIDTH, initial_indent="    ", subsequent_indent="      ")
    if (winner := schedule.winner) is not None:
        yield f"Winner:         {names[winner]}"


def shortened(name: str, width: int) -> str:
    """Return a name, cut to a width in characters."""
    return name if len(name) <= width else f"{name[: width - 3]}..."


def _render_table(found: RoundsTable) -> Iterator[str]:
    """Yield the lines of a table; if it is too wide, without the columns of the earliest rounds."""
    lines = [found.headings, *found.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(found.headings))]
    first_round = found.headings.index("R1")
    shown = list(range(len(widths)))
    while sum(widths[column] + 2 for column in shown) > _WIDTH - 2 and first_round in shown and shown[-1] > first_round:
        shown.remove(first_round)
        first_round += 1
    for line in lines:
        cells = (f"{line[column]:>{widths[column]}}" if column in found.numbers else f"{line[column]:<{widths[column]}}"
                 for column in shown)
        yield f"  {'  '.join(cells)}".rstrip()


# ---------------------------------------------------------------- Swiss


def _swiss_table(schedule: Schedule, names: Sequence[str]) -> RoundsTable:
    rows = schedule.table()
    ranks = {row.engine: rank for rank, row in enumerate(rows, start=1)}
    cells: dict[int, list[str]] = {row.engine: [] for row in rows}
    for each in schedule.rounds:
        for pairing in each.pairings:
            for own, other, points in zip(pairing.engines, pairing.engines[::-1], pairing.points, strict=True):
                cells[own].append(f"{points:g} v{ranks[other]}" if pairing.games else f"v{ranks[other]}")
        for engine in each.byes:
            cells[engine].append("bye")
    rounds = tuple(f"R{number}" for number in range(1, len(schedule.rounds) + 1))
    with_byes = bool(schedule.rounds[0].byes)
    return RoundsTable(
        "Swiss table",
        ("", "engine", "points", *(["byes"] if with_byes else []), "Buchholz", *rounds),
        tuple(
            (str(ranks[row.engine]), names[row.engine], f"{row.points:g}", *([str(row.byes)] if with_byes else []),
             f"{row.buchholz:g}", *cells[row.engine])
            for row in rows
        ),
        (0, 2, 3, 4) if with_byes else (0, 2, 3),
        f"{current_round(schedule).capitalize()}. R1 and so on: points in a round v the rank of the opponent."
        " Equal points are ranked by Buchholz, the sum of the opponents' points."
        + (f" A bye counts {schedule.plan.games} points, and nothing in ratings." if with_byes else ""),
    )


# ---------------------------------------------------------------- knockout


@dataclass(frozen=True)
class BracketPlace:
    """A place of the bracket, in which up to two engines play each other."""

    engines: tuple[int, ...] = ()
    """The engines; none if they are not known yet, one if it has a bye."""
    points: tuple[float, ...] = ()
    winner: int | None = None
    """The engine that advances, None while that is open."""
    note: str = ""
    """What to add to the points, in a few words."""


def bracket_places(schedule: Schedule | None) -> list[list[BracketPlace]]:
    """Return the places of each round of a knockout, from the top of the bracket; nothing for other formats."""
    if schedule is None or schedule.plan.format is not Format.KNOCKOUT:
        return []
    slots = bracket(schedule.plan.engines)
    found = []
    for number in range(schedule.plan.rounds):
        size = 2 ** (number + 1)
        parts = [slots[first : first + size] for first in range(0, len(slots), size)]
        found.append([_place(schedule, number, part) for part in parts])
    return found


def _place(schedule: Schedule, number: int, seeds: Sequence[int | None]) -> BracketPlace:
    if number >= len(schedule.rounds):
        return BracketPlace()
    for pairing in schedule.rounds[number].pairings:
        if pairing.engines[0] in seeds:
            return BracketPlace(pairing.engines, tuple(pairing.points), pairing.winner, _extra_note(pairing))
    byes = tuple(engine for engine in schedule.rounds[number].byes if engine in seeds)
    return BracketPlace(byes, (), byes[0] if byes else None, "bye")


def _extra_note(pairing: Pairing) -> str:
    if not pairing.extra_pairs:
        return ""
    pairs = f"after {counted(pairing.extra_pairs, 'extra pair')}"
    if pairing.winner is None:
        return f"extra pair {pairing.extra_pairs}"
    return f"as the better seed, level {pairs}" if pairing.by_seed else pairs


def _knockout_table(schedule: Schedule, names: Sequence[str]) -> RoundsTable:
    rows = []
    for number, places in enumerate(bracket_places(schedule)[: len(schedule.rounds)]):
        for place in places:
            engines = " - ".join(names[engine] for engine in place.engines)
            points = "-".join(f"{points:g}" for points in place.points)
            result = _result(place, names)
            rows.append((round_name(schedule.plan, number), engines, points, result))
    return RoundsTable(
        "Bracket", ("round", "engines", "points", "result"), tuple(rows), (),
        f"Level pairings play up to {MAX_EXTRA_PAIRS} more pairs of games; then the better seed advances.",
    )


def _result(place: BracketPlace, names: Sequence[str]) -> str:
    if len(place.engines) < 2 or place.winner is None:
        return place.note
    return f"{names[place.winner]} advances {place.note}".rstrip()
