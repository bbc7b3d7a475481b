"""``latrones-uci variants``: what it lists, shows and reports; ``draw``: boards as SVG."""

from __future__ import annotations

import dataclasses
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from folders import ROOT
from latrones_uci.commands.main import main
from latrones_uci.game import (
    Position,
    Ruleset,
    builtin_variants,
    draw_board,
    find_variant,
    parse_variants,
)
from latrones_uci.game.svg import BOARD_STYLE, BOARD_SYMBOLS

VARIANTS = tuple(builtin_variants())
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.toml"))


def shown(name: str, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["variants", "show", name, *words]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def under_another_name(text: str, name: str) -> Ruleset:
    """The game that a printed ruleset defines, read back as ``again`` and renamed."""
    head, _, body = text.partition("\n")
    assert head == f"[{name}]"
    (ruleset,) = parse_variants(f"[again]\n{body}", builtin_variants()).values()
    return dataclasses.replace(ruleset, name=name)


@pytest.mark.parametrize("name", VARIANTS)
def test_shown_rulesets_can_be_read_back(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(name, capsys)
    assert under_another_name(text, name) == builtin_variants()[name]
    start = Position.start(builtin_variants()[name])
    comments = [line[2:] for line in text.splitlines() if line.startswith("#")]
    assert comments == ["", *start.diagram().splitlines(), "", start.fen()]
    (table,) = tomllib.loads(text).values()
    assert set(table) == {field.name for field in dataclasses.fields(Ruleset)} - {"name"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_checked_and_can_be_read_back(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rulesets = parse_variants(path.read_text(encoding="utf-8"), builtin_variants())
    assert main(["variants", "check", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert all(name in captured.out for name in rulesets)
    for name, ruleset in rulesets.items():
        assert under_another_name(shown(name, capsys, "--variant-path", str(path)), name) == ruleset


def test_a_text_with_quotes_and_several_lines_can_be_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.toml"
    path.write_text('[mine]\nparent = "latrones"\nsource = """a "quote", a \\\\ and\n\ta second line"""\n', "utf-8")
    ruleset = under_another_name(shown("mine", capsys, "--variant-path", str(path)), "mine")
    assert ruleset.source == 'a "quote", a \\ and\n\ta second line'


def test_the_pages_are_those_of_the_core_games_and_of_the_file(tmp_path: Path) -> None:
    path, folder = tmp_path / "games.toml", tmp_path / "pages"
    path.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    assert main(["variants", "pages", str(folder), "--variant-path", str(path)]) == 0
    assert {page.stem for page in folder.glob("*.html")} == {*VARIANTS, "mine", "index"}


# ---------------------------------------------------------------- draw

SVG = "{http://www.w3.org/2000/svg}"


def group(drawing: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(drawing)
    return list(next(child for child in root if child.get("class") == f"board-{name}"))


def pieces_at(drawing: str) -> dict[tuple[str | None, str | None], str]:
    """Return the letters of the drawn pieces by position."""
    return {(use.get("x"), use.get("y")): str(use.get("href")).removeprefix("#man-") for use in group(drawing, "men")}


@pytest.mark.parametrize("variant", builtin_variants())
def test_every_piece_is_drawn_once(variant: str) -> None:
    ruleset = find_variant(variant)
    for size in {ruleset.default_size, *([(16, 16), (16, 5)] if ruleset.board == "grid" else [])}:
        position = Position.start(ruleset, size)
        while position.hand and (moves := position.legal_moves()):
            position = position.play(moves[-1])
        pieces = [piece for square in range(position.geometry.squares) if (piece := position.piece_at(square))]
        for flipped in (False, True):
            drawing = draw_board(position, flipped=flipped)
            assert sorted(pieces_at(drawing).values()) == sorted(pieces)
            width, height = map(int, ElementTree.fromstring(drawing).attrib["viewBox"].split()[2:])
            assert all(0 < int(x or 0) < width and 0 < int(y or 0) < height for x, y in pieces_at(drawing))


def test_a_flipped_board_is_rotated() -> None:
    position = Position.from_fen(find_variant("latrones"), "sssss/2d2/5/2D2/SSSS1 w 0 1")
    plain, flipped = (pieces_at(draw_board(position, flipped=turned, coordinates=False)) for turned in (False, True))
    across, down = (sorted({int(point[axis] or 0) for point in plain}) for axis in (0, 1))
    turn_x, turn_y = min(across) + max(across), min(down) + max(down)
    assert flipped == {(str(turn_x - int(x or 0)), str(turn_y - int(y or 0))): piece for (x, y), piece in plain.items()}


def test_all_pieces_differ_in_shape() -> None:
    """The six pieces differ even without colours and classes."""
    symbols = {child.attrib.pop("id"): child for child in ElementTree.fromstring(BOARD_SYMBOLS)}
    pieces = [symbol for name, symbol in symbols.items() if name.startswith("man-")]
    for part in (part for piece in pieces for part in piece):
        part.attrib.pop("class")
    shapes = {tuple((part.tag, *part.items()) for part in piece) for piece in pieces}
    assert len(pieces) == len(shapes) == 6


def test_the_last_move_and_its_captures_are_marked() -> None:
    position = Position.from_fen(find_variant("latrones"), "8/3d4/8/8/3Ss3/8/5S2/3D4 w 0 1")
    move = position.parse_move("f2f4")
    drawing = draw_board(position.play(move), last_move=move, captured=position.captures(move))
    marks = [mark.get("href") or mark.get("d") for mark in group(drawing, "marks")]
    assert marks == ["#mark-grid", "#mark-grid", "M600 664 600 464", "#mark-origin", "#mark-captured"]
    placed = Position.start(find_variant("rota"))
    drawing = draw_board(placed, last_move=placed.parse_move("S@b2"))
    assert [mark.get("href") for mark in group(drawing, "marks")] == ["#mark-wheel"]


def test_hands_show_counts_and_are_described() -> None:
    drawing = draw_board(Position.from_fen(find_variant("bell"), "8/8/8/8/8/S6s/S7[14SD15sd] b 0 1"))
    counts = [child.text for child in group(drawing, "hands") if child.tag == f"{SVG}text"]
    assert counts == ["\u00d714", "\u00d71", "\u00d715", "\u00d71"]
    root = ElementTree.fromstring(drawing)
    assert str(root.findtext(f"{SVG}desc")).startswith(
        "White: 1 dux in hand, soldiers a1 a2, 14 soldiers in hand. Black: 1 dux in hand, soldier h2, 15 soldiers")
    assert root.findtext(f"{SVG}title") == "Ludus latrunculorum after Bell, 8x7, Black to move"


def test_the_title_says_who_has_won() -> None:
    position = Position.from_fen(find_variant("latrones"), "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1")
    root = ElementTree.fromstring(draw_board(position.play(position.parse_move("c6c8"))))
    assert root.findtext(f"{SVG}title") == "Latrones, 8x8, White wins (dux captured)"
    assert str(root.findtext(f"{SVG}desc")).startswith("White: dux e1, soldiers d7 c8. Black: soldier e8. FEN ")


def test_a_page_gets_the_data_for_its_script() -> None:
    position = Position.start(find_variant("latrones"))
    root = ElementTree.fromstring(draw_board(position, standalone=False))
    centres = root.attrib["data-centres"].split()
    assert len(centres) == position.geometry.squares
    assert (root.attrib["data-mark"], root.attrib["data-hands"]) == ("mark-grid", "")
    assert root.find(f"{SVG}style") is None
    assert root.find(f"{SVG}defs") is None


def test_the_drawing_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "--board", "12x8", "--moves", "d1d5", "--flipped"]) == 0
    printed = capsys.readouterr().out
    position = Position.start(find_variant("latrones"), (12, 8))
    move = position.parse_move("d1d5")
    assert printed == draw_board(position.play(move), last_move=move, flipped=True) + "\n"
    assert main(["draw", "3/3/3[3S3s]", "w", "0", "1", "--variant", "rota"]) == 0
    assert capsys.readouterr().out == draw_board(Position.start(find_variant("rota"))) + "\n"


def test_colours_do_not_need_custom_properties() -> None:
    """A renderer that takes ``var(...)`` for black skips rules that begin with ``@``, such as ``@supports``."""
    plain = "\n".join(line for line in BOARD_STYLE.splitlines() if not line.startswith("@"))
    assert "var(" not in plain
    assert ".man-white{fill:#fffdf7;stroke:#5d4a2b;stroke-width:4}" in plain
    assert "@supports (color:var(--board-line)){" in BOARD_STYLE
