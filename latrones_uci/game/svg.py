"""Draw boards as SVG, for files, notebooks and HTML pages.

A square is 100 units wide. ``BOARD_SYMBOLS`` defines each piece once, centred at 0,0, as ``man-S``, ``man-d`` and so
on; ``<use>`` places them. The script of a page can therefore draw further positions on an existing board. With
``standalone=False`` the root element has the centres of the squares as attributes, the groups ``board-marks``,
``board-men``, ``board-hands`` and ``board-turn`` contain what changes, and symbols and style are shared by all boards
of the page.

White's pieces are round and Black's are square, a dux has a crown, and a bound soldier is crossed out, so that nothing
depends on colour. Colours are custom properties of the class ``latrones-board``, with a second set for dark pages.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, hypot, pi, sin

from latrones_uci.game.encoding import BLACK, SIDE_NAMES, WHITE, Move
from latrones_uci.game.geometry import Geometry

SQUARE = 100
_EDGE, _WIDE_EDGE = 14, 50  # margins: plain, and with coordinates or the mark of the player to move
_BARE_EDGE = 4
_ARROW_TIP, _ARROW_HALF, _ARROW_GAP = 34, 20, 16  # length and half the width of its head, distance from the centre
_HAND_HEIGHT = 84
_RIM, _NODE = 205, 54  # radii of the wheel and of its squares
_WHEEL_MARGIN = _NODE + 56

_PALETTE = {  # name: colours in light and dark mode
    "board-light": ("#f4ead3", "#4b4539"),
    "board-dark": ("#e8d8b4", "#3f3a2f"),
    "board-line": ("#a98f5c", "#766b55"),
    "board-mark": ("#f0b429", "#c98a1b"),
    "board-red": ("#b3261e", "#ff6b5e"),
    "board-arrow": ("#3d7a37", "#8fd083"),
    "man-white": ("#fffdf7", "#f1e8d6"),
    "man-white-line": ("#5d4a2b", "#5d4a2b"),
    "man-black": ("#3a3431", "#1d1a18"),
    "man-black-line": ("#d9c9a6", "#bda97e"),
    "man-black-edge": ("#191412", "#bda97e"),
}
_RULES = (  # class, property, colour, other declarations
    ("board-line", "stroke", "board-line", "fill:none;stroke-width:2"),
    ("board-light", "fill", "board-light", ""),
    ("board-dark", "fill", "board-dark", ""),
    ("board-mark", "fill", "board-mark", "fill-opacity:.45"),
    ("board-track", "stroke", "board-mark", "fill:none;stroke-width:9;stroke-linecap:round;stroke-linejoin:round"),
    ("board-cross", "stroke", "board-red", "fill:none;stroke-width:7;stroke-linecap:round"),
    ("man-white", "fill", "man-white", "stroke:#5d4a2b;stroke-width:4"),
    ("man-black", "fill", "man-black", ""),
    ("man-black-edge", "stroke", "man-black-edge", "stroke-width:4"),
    ("man-white-line", "stroke", "man-white-line", "fill:none;stroke-width:3"),
    ("man-black-line", "stroke", "man-black-line", "fill:none;stroke-width:3"),
    ("man-white-crown", "fill", "man-white-line", ""),
    ("man-black-crown", "fill", "man-black-line", ""),
    ("board-ring", "stroke", "board-red", "fill:none;stroke-width:7"),
    ("board-arrow", "stroke", "board-arrow", "fill:none;stroke-width:12;stroke-linecap:round;stroke-linejoin:round"),
    ("board-arrow-head", "fill", "board-arrow", ""),
    ("man-fetter", "stroke", "board-red", "fill:none;stroke-width:10;stroke-linecap:round"),
)


def _style() -> str:
    def variables(which: int) -> str:
        return ";".join(f"--{name}:{colours[which]}" for name, colours in _PALETTE.items())

    # Renderers without custom properties draw the light colours: some of them take `var(...)` for black.
    rules = [f".{name}{{{prop}:{_PALETTE[colour][0]}{';' if more else ''}{more}}}"
             for name, prop, colour, more in _RULES]
    variable = "".join(f".{name}{{{prop}:var(--{colour})}}" for name, prop, colour, _ in _RULES)
    return "\n".join([
        f".latrones-board{{{variables(0)}}}",
        f"@media (prefers-color-scheme:dark){{.latrones-board{{{variables(1)}}}}}",
        ".latrones-board text{font-family:system-ui,sans-serif;fill:currentColor}",
        ".board-name{font-size:28px;text-anchor:middle;fill-opacity:.7}",
        ".board-name.inside{font-size:19px;font-weight:600;fill-opacity:.55}",
        ".board-arrows{opacity:.85}",
        ".board-count{font-size:40px;font-weight:600}",
        *rules,
        f"@supports (color:var(--board-line)){{{variable}}}",
    ])


_CROWN = "M-25 19 -30-14-13-1 0-24 13-1 30-14 25 19Z"
_FETTERS = '<path class="man-fetter" d="M-26-26 26 26M-26 26 26-26"/>'


def _symbols() -> str:
    bodies = {
        "S": '<circle class="man-white" r="36"/><circle class="man-white-line" r="23"/>',
        "s": '<rect class="man-black man-black-edge" x="-33" y="-33" width="66" height="66" rx="13"/>'
             '<rect class="man-black-line" x="-20" y="-20" width="40" height="40" rx="7"/>',
        "D": '<circle class="man-white" r="44"/><circle class="man-white-line" r="38"/>'
             f'<path class="man-white-crown" d="{_CROWN}"/>',
        "d": '<rect class="man-black man-black-edge" x="-42" y="-42" width="84" height="84" rx="16"/>'
             '<rect class="man-black-line" x="-36" y="-36" width="72" height="72" rx="11"/>'
             f'<path class="man-black-crown" d="{_CROWN}"/>',
    }
    bodies |= {"B": bodies["S"] + _FETTERS, "b": bodies["s"] + _FETTERS}
    pieces = [f'<g id="man-{letter}">{body}</g>' for letter, body in bodies.items()]
    return "".join([
        *pieces,
        '<g id="mark-grid"><rect class="board-mark" x="-49" y="-49" width="98" height="98"/></g>',
        f'<g id="mark-wheel"><circle class="board-mark" r="{_NODE}"/></g>',
        '<g id="mark-origin"><circle class="board-track" r="14"/></g>',
        '<g id="mark-captured"><path class="board-cross" d="M-17-17 17 17M-17 17 17-17"/></g>',
    ])


_STANDALONE_STYLE = ".latrones-board{color-scheme:light dark;color:CanvasText}\n"  # a page has its own style
BOARD_STYLE = _style()
"""The style sheet for all boards of a page."""
BOARD_SYMBOLS = f"<defs>{_symbols()}</defs>"
"""The definitions of pieces and marks, which a page needs once, in an ``<svg>``."""


@dataclass(frozen=True)
class _Layout:
    width: int
    height: int
    """The size of the drawing, in units."""
    centres: tuple[tuple[int, int], ...]
    """The centres of the squares, by square number."""
    hands: tuple[tuple[int, int], tuple[int, int]] | None
    """The positions of White's and Black's hand; None if no hands are drawn."""
    turns: tuple[tuple[int, int], ...]
    """The positions of the mark for White and for Black to move; empty if it is not drawn."""
    ground: str
    """The empty board, as markup."""
    mark: str
    """The symbol that marks a square."""


def render_board(
    geometry: Geometry, pieces: Sequence[str], hand: Mapping[str, int] | None, side: int, *, wheel: bool, title: str,
    fen: str, last_move: Move | None = None, captured: Iterable[int] = (), arrows: Iterable[Move] = (),
    ringed: Iterable[int] = (), flipped: bool = False, coordinates: bool = True, bare: bool = False,
    standalone: bool = True,
) -> str:
    """Return an ``<svg>`` element; ``position.draw_board`` describes the arguments from ``last_move`` on.

    ``pieces`` are the letters of the pieces by square, "" for none; ``hand`` has the pieces in hand by letter, and is
    None for a game without hands. ``wheel`` says whether the board is a wheel; ``title`` and ``fen`` are for screen
    readers.
    """
    layout = _layout(geometry, wheel, hand is not None, flipped, coordinates, bare)
    page = "" if standalone else _page_attributes(layout)
    own = f"<style>{_STANDALONE_STYLE}{BOARD_STYLE}</style>{BOARD_SYMBOLS}" if standalone else ""
    marks = _marks(layout, last_move, captured)
    above = _arrows(layout, arrows, ringed)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="latrones-board" role="img" '
        f'viewBox="0 0 {layout.width} {layout.height}"{page}>'
        f"<title>{escape(title)}</title>"
        f"<desc>{escape(f'{_description(geometry, pieces, hand or {})} FEN {fen}')}</desc>{own}{layout.ground}"
        f'<g class="board-marks">{marks}</g><g class="board-men">{_pieces(pieces, layout)}</g>'
        f'{above}<g class="board-hands">{_hands(hand or {}, layout)}</g>'
        f'<g class="board-turn">{_turn(side, layout)}</g></svg>'
    )


_NAMES = {"D": ("dux", "duces"), "S": ("soldier", "soldiers"), "B": ("bound soldier", "bound soldiers")}
"""The names of one piece and of several."""


def _description(geometry: Geometry, pieces: Sequence[str], hand: Mapping[str, int]) -> str:
    parts = []
    for colour in (WHITE, BLACK):
        groups = []
        for piece, names in _NAMES.items():
            letter = piece if colour == WHITE else piece.lower()
            squares = [geometry.square_name(square) for square, found in enumerate(pieces) if found == letter]
            if squares:
                groups.append(f"{names[len(squares) > 1]} {' '.join(squares)}")
            if count := hand.get(letter, 0):
                groups.append(f"{count} {names[count > 1]} in hand")
        parts.append(f"{SIDE_NAMES[colour]}: {', '.join(groups) or 'no pieces'}.")
    return " ".join(parts)


def _page_attributes(layout: _Layout) -> str:
    """Return the attributes that the script of a page needs.

    ``data-centres`` has ``x,y`` for each square by number, ``data-hands`` and ``data-turns`` for White and Black (empty
    if they are not drawn), and ``data-mark`` the symbol that marks a square.
    """
    values = {"centres": layout.centres, "hands": layout.hands or (), "turns": layout.turns}
    texts = {name: " ".join(f"{x},{y}" for x, y in points) for name, points in values.items()} | {"mark": layout.mark}
    return "".join(f' data-{name}="{text}"' for name, text in texts.items())


def _use(name: str, centre: tuple[int, int]) -> str:
    return f'<use href="#{name}" x="{centre[0]}" y="{centre[1]}"/>'


def _pieces(pieces: Sequence[str], layout: _Layout) -> str:
    return "".join(_use(f"man-{piece}", centre) for piece, centre in zip(pieces, layout.centres, strict=True) if piece)


def _marks(layout: _Layout, move: Move | None, captured: Iterable[int]) -> str:
    path = () if move is None else move.squares
    points = [layout.centres[square] for square in path]
    drawn = [_use(layout.mark, point) for point in dict.fromkeys(points)]
    if len(points) > 1:
        drawn.append(f'<path class="board-track" d="M{" ".join(f"{x} {y}" for x, y in points)}"/>')
        drawn.append(_use("mark-origin", points[0]))
    return "".join([*drawn, *(_use("mark-captured", layout.centres[square]) for square in captured)])


def _arrows(layout: _Layout, moves: Iterable[Move], ringed: Iterable[int]) -> str:
    drawn, rings = [], list(ringed)
    for move in moves:
        squares = move.squares
        if len(squares) > 1:
            drawn.append(_arrow([layout.centres[square] for square in squares]))
        else:
            rings += squares
    centres = [layout.centres[square] for square in rings]
    drawn += [f'<circle class="board-ring" cx="{x}" cy="{y}" r="46"/>' for x, y in centres]
    return f'<g class="board-arrows">{"".join(drawn)}</g>' if drawn else ""


def _arrow(points: Sequence[tuple[int, int]]) -> str:
    """Return an arrow along points, which begins and ends a little outside of their centres."""
    (from_x, from_y), (to_x, to_y) = points[-2:]
    length = hypot(to_x - from_x, to_y - from_y)
    across, down = (to_x - from_x) / length, (to_y - from_y) / length
    tip_x, tip_y = to_x - across * _ARROW_GAP, to_y - down * _ARROW_GAP
    base_x, base_y = tip_x - across * _ARROW_TIP, tip_y - down * _ARROW_TIP
    line = [*points[:-1], (round(base_x), round(base_y))]
    corners = [(tip_x, tip_y), (base_x - down * _ARROW_HALF, base_y + across * _ARROW_HALF),
               (base_x + down * _ARROW_HALF, base_y - across * _ARROW_HALF)]
    return (f'<path class="board-arrow" d="M{" ".join(f"{x} {y}" for x, y in line)}"/>'
            f'<path class="board-arrow-head" d="M{" ".join(f"{round(x)} {round(y)}" for x, y in corners)}Z"/>')


def _hands(hand: Mapping[str, int], layout: _Layout) -> str:
    if layout.hands is None:
        return ""
    drawn = []
    for (x, y), letters in zip(layout.hands, ("SD", "sd"), strict=True):
        for place, piece in enumerate(letter for letter in letters if letter in hand):
            left = x + place * 220
            drawn.append(f'<use href="#man-{piece}" transform="translate({left} {y}) scale(.75)"/>'
                         f'<text class="board-count" x="{left + 46}" y="{y + 14}">&#215;{hand[piece]}</text>')
    return "".join(drawn)


def _turn(side: int, layout: _Layout) -> str:
    if not layout.turns:
        return ""
    x, y = layout.turns[side]
    return f'<use href="#man-{"Ss"[side]}" transform="translate({x} {y}) scale(.42)"/>'


# -------------------------------------------------------------------- layout


def _layout(
    geometry: Geometry, wheel: bool, with_hands: bool, flipped: bool, coordinates: bool, bare: bool
) -> _Layout:
    top = _HAND_HEIGHT if with_hands and not bare else 0
    if wheel:
        return _wheel_layout(geometry, flipped, coordinates, bare, top)
    if bare:
        return _bare_layout(geometry, flipped, coordinates)
    return _grid_layout(geometry, flipped, coordinates, top)


def _columns_and_rows(geometry: Geometry, left: int, top: int, flipped: bool) -> tuple[list[int], list[int]]:
    files, ranks = geometry.files, geometry.ranks
    return ([left + SQUARE * (files - 1 - file if flipped else file) + SQUARE // 2 for file in range(files)],
            [top + SQUARE * (rank if flipped else ranks - 1 - rank) + SQUARE // 2 for rank in range(ranks)])


def _grid(geometry: Geometry, left: int, top: int, columns: list[int], rows: list[int], names: Iterable[str]) -> str:
    """Return the empty board as markup."""
    files, ranks = geometry.files, geometry.ranks
    width, height = files * SQUARE, ranks * SQUARE
    dark = "".join(f"M{columns[file] - 50} {rows[rank] - 50}h100v100h-100z"
                   for rank in range(ranks) for file in range(rank % 2, files, 2))
    lines = "".join([*(f"M{left} {top + SQUARE * rank}h{width}" for rank in range(ranks + 1)),
                     *(f"M{left + SQUARE * file} {top}v{height}" for file in range(files + 1))])
    light = f'<rect class="board-light" x="{left}" y="{top}" width="{width}" height="{height}"/>'
    return (f'<g class="board-ground">{light}<path class="board-dark" d="{dark}"/>'
            f'<path class="board-line" d="{lines}"/>{"".join(names)}</g>')


def _centres(geometry: Geometry, columns: list[int], rows: list[int]) -> tuple[tuple[int, int], ...]:
    files = geometry.files
    return tuple((columns[square % files], rows[square // files]) for square in range(geometry.squares))


def _grid_layout(geometry: Geometry, flipped: bool, coordinates: bool, hand_height: int) -> _Layout:
    files, ranks = geometry.files, geometry.ranks
    margin = _WIDE_EDGE if coordinates else _EDGE
    left, top = margin, hand_height + _EDGE
    width, height = files * SQUARE, ranks * SQUARE
    columns, rows = _columns_and_rows(geometry, left, top, flipped)
    below = top + height + margin
    names = [] if not coordinates else [
        *(_name(columns[file], top + height + 35, geometry.square_name(file)[0]) for file in range(files)),
        *(_name(25, rows[rank] + 10, str(rank + 1)) for rank in range(ranks))]
    far, near = (left + SQUARE // 2, hand_height // 2), (left + SQUARE // 2, below + hand_height // 2)
    turn_x, first, last = left + width + _WIDE_EDGE // 2, rows[0], rows[-1]
    return _Layout(
        left + width + _WIDE_EDGE, below + hand_height, _centres(geometry, columns, rows),
        (_by_side(near, far, flipped) if hand_height else None), ((turn_x, first), (turn_x, last)),
        _grid(geometry, left, top, columns, rows, names), "mark-grid",
    )


def _bare_layout(geometry: Geometry, flipped: bool, coordinates: bool) -> _Layout:
    files, ranks = geometry.files, geometry.ranks
    columns, rows = _columns_and_rows(geometry, _BARE_EDGE, _BARE_EDGE, flipped)
    names = [] if not coordinates else [
        *(_inner_name(columns[file] + 40, max(rows) + 45, geometry.square_name(file)[0]) for file in range(files)),
        *(_inner_name(min(columns) - 40 + 4 * (rank > 8), rows[rank] - 34, str(rank + 1)) for rank in range(ranks))]
    return _Layout(
        files * SQUARE + 2 * _BARE_EDGE, ranks * SQUARE + 2 * _BARE_EDGE, _centres(geometry, columns, rows), None, (),
        _grid(geometry, _BARE_EDGE, _BARE_EDGE, columns, rows, names), "mark-grid",
    )


def _wheel_layout(geometry: Geometry, flipped: bool, coordinates: bool, bare: bool, hand_height: int) -> _Layout:
    reach = _RIM + _WHEEL_MARGIN
    centre_x, centre_y = reach, hand_height + reach
    turned = -1 if flipped else 1
    centres, names = [], []
    for square in range(geometry.squares):
        across, up = square % geometry.files - 1, square // geometry.files - 1
        length = hypot(across, up) or 1.0
        toward_x, toward_y = turned * across / length, -turned * up / length
        centres.append((round(centre_x + _RIM * toward_x), round(centre_y + _RIM * toward_y)))
        outward = _RIM + _NODE + 26
        name_x, name_y = ((centre_x + outward * toward_x, centre_y + outward * toward_y) if across or up
                          else (centre_x + 92 * cos(pi / 8), centre_y + 92 * sin(pi / 8)))
        names.append(_name(round(name_x), round(name_y) + 10, geometry.square_name(square)))
    spokes = "".join(f"M{centre_x} {centre_y}L{x} {y}" for x, y in centres)
    nodes = "".join(f'<circle class="board-line board-light" cx="{x}" cy="{y}" r="{_NODE}"/>' for x, y in centres)
    below = hand_height + 2 * reach
    far, near = (60, hand_height // 2), (60, below + hand_height // 2)
    turns = () if bare else _by_side((2 * reach - 25, below - 40), (2 * reach - 25, hand_height + 40), flipped)
    return _Layout(
        2 * reach, below + hand_height, tuple(centres), _by_side(near, far, flipped) if hand_height else None, turns,
        f'<g class="board-ground"><circle class="board-line board-dark" cx="{centre_x}" cy="{centre_y}" r="{_RIM}"/>'
        f'<path class="board-line" d="{spokes}"/>{nodes}{"".join(names if coordinates else ())}</g>',
        "mark-wheel",
    )


def _by_side(
    near: tuple[int, int], far: tuple[int, int], flipped: bool
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return White's and Black's place: White's is the near one unless the board is flipped."""
    return (far, near) if flipped else (near, far)


def _name(x: int, y: int, text: str) -> str:
    return f'<text class="board-name" x="{x}" y="{y}">{text}</text>'


def _inner_name(x: int, y: int, text: str) -> str:
    return f'<text class="board-name inside" x="{x}" y="{y}">{text}</text>'
