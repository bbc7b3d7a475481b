"""Variants by name, and their board sizes."""

import pytest

import cases
import naive
from effort import amount
from grouped import grouped, product
from latrones_uci.game import (
    BoardSizeError,
    FenError,
    LatronesError,
    Position,
    VariantError,
    builtin_variants,
    find_variant,
    parse_board_size,
)

DEFAULT_SIZES = {
    "latrones": (8, 8),
    "latrunculi-classical": (10, 8),
    "latrunculi-xxi": (10, 8),
    "petteia-xxi": (8, 8),
    "single-stone-xxi": (10, 8),
    "schaedler": (8, 8),
    "bell": (8, 7),
    "rota": (3, 3),
}
# A quick run tries the ends and the middle.
RANKS = (3, 4, 8, 16) if amount(10) < 10 else range(3, 17)
LEAST = dict.fromkeys(cases.VARIANTS, (4, 4)) | {"petteia-xxi": (4, 5), "bell": (3, 3), "rota": (3, 3)}


def test_all_built_in_variants_are_tested() -> None:
    assert list(builtin_variants()) == cases.VARIANTS
    for name, ruleset in builtin_variants().items():
        assert ruleset.name == name
        assert find_variant(name) == ruleset


@pytest.mark.parametrize("name", ["", "chess", "Latrones", "latrones ", "latrones\n", "x" * 100_000], ids=ascii)
def test_unknown_variant(name: str) -> None:
    with pytest.raises(VariantError) as caught:
        find_variant(name)
    assert caught.value.code == "variant"
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1_000
    assert all(known in str(caught.value) for known in builtin_variants())


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_default_size(variant: str) -> None:
    ruleset = find_variant(variant)
    assert ruleset.default_size == DEFAULT_SIZES[variant]
    assert Position.start(ruleset) == Position.start(ruleset, DEFAULT_SIZES[variant])


def is_allowed(variant: str, files: int, ranks: int) -> bool:
    if variant == "rota":
        return (files, ranks) == (3, 3)
    least = LEAST[variant]
    return least[0] <= files <= 16 and least[1] <= ranks <= 16 and (variant != "bell" or files * ranks >= 36)


@grouped("variant, files", product(cases.VARIANTS, range(3, 17)))
def test_every_size(variant: str, files: int) -> None:
    for ranks in RANKS:
        assert naive.GAMES[variant].allows(files, ranks) == is_allowed(variant, files, ranks)
        if not is_allowed(variant, files, ranks):
            check_refused(variant, (files, ranks))
            continue
        position = Position.start(find_variant(variant), (files, ranks))
        board = naive.GAMES[variant].start(files, ranks)
        assert position.fen() == naive.render(board)
        assert position.geometry.name == f"{files}x{ranks}"
        assert position.geometry.squares == files * ranks
        if files * ranks <= amount(20):  # the naive board is slow
            moves = naive.GAMES[variant].moves(board)
            assert sorted(map(position.move_text, position.legal_moves())) == list(moves)


def check_refused(variant: str, size: tuple[int, int]) -> None:
    with pytest.raises(BoardSizeError) as caught:
        Position.start(find_variant(variant), size)
    assert caught.value.code == "board-size"
    assert f"{size[0]}x{size[1]}" in str(caught.value)


@pytest.mark.parametrize("variant", cases.VARIANTS)
@pytest.mark.parametrize(
    "size", [(2, 18), (8, 2), (17, 8), (8, 17), (0, 8), (8, -1), (-6, -6), (1000, 1000), (2**70, 8)], ids=str
)
def test_other_sizes(variant: str, size: tuple[int, int]) -> None:
    check_refused(variant, size)


@pytest.mark.parametrize(("text", "size"), [("8x8", (8, 8)), ("12x8", (12, 8)), ("4x16", (4, 16)), ("3x3", (3, 3))])
def test_parse_size(text: str, size: tuple[int, int]) -> None:
    assert parse_board_size(text) == size


@pytest.mark.parametrize(
    "text",
    [
        "", "8", "8x", "x8", "8 x 8", "8x8 ", " 8x8", "8x8\n", "8*8", "8,8", "8x8x8", "08x8", "8x08", "-8x8", "8x-8",
        "8.0x8", "eight", "0x0", "0x8", "\uff18x8", "8x\u0668", "8\u00d78", "9" * 100_000 + "x8",
    ],
    ids=lambda text: ascii(text)[:20],
)  # fmt: skip
def test_malformed_size(text: str) -> None:
    with pytest.raises(BoardSizeError) as caught:
        parse_board_size(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1_000


def test_square_names() -> None:
    geometry = Position.start(find_variant("latrones"), (16, 5)).geometry
    for square in range(geometry.squares):
        name = naive.square_name((square % 16, square // 16))
        assert geometry.square_name(square) == name
        assert geometry.parse_square(name) == square
    for text in ("", "a", "a6", "a05", "A1", "q1", "a1 ", "a\u0661", "a1\n"):
        with pytest.raises(LatronesError):
            geometry.parse_square(text)


def test_errors_have_a_common_base_class() -> None:
    for error in (FenError, BoardSizeError, VariantError):
        assert issubclass(error, LatronesError)
    assert issubclass(LatronesError, ValueError)
