"""Variants by name, their board sizes, and the names of squares."""

import pytest

import cases
import naive
from effort import amount
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

# A quick run tries the ends and the middle.
RANKS = (3, 4, 8, 16) if amount(10) < 10 else range(3, 17)
# The default size and the smallest one.
SIZES = {
    "latrones": ((8, 8), (4, 4)),
    "latrunculi-classical": ((10, 8), (4, 4)),
    "latrunculi-xxi": ((10, 8), (4, 4)),
    "petteia-xxi": ((8, 8), (4, 5)),
    "single-stone-xxi": ((10, 8), (4, 4)),
    "schaedler": ((8, 8), (4, 4)),
    "bell": ((8, 7), (3, 3)),
    "rota": ((3, 3), (3, 3)),
}


def test_built_in_variants() -> None:
    assert list(builtin_variants()) == cases.VARIANTS
    for name, ruleset in builtin_variants().items():
        assert (ruleset.name, ruleset.default_size) == (name, SIZES[name][0])
        assert find_variant(name) == ruleset
        assert Position.start(ruleset) == Position.start(ruleset, SIZES[name][0])


@pytest.mark.parametrize("name", ["", "chess", "Latrones", "latrones ", "latrones\n", "x" * 100_000], ids=range(6))
def test_unknown_variant(name: str) -> None:
    with pytest.raises(VariantError) as caught:
        find_variant(name)
    message = str(caught.value)
    assert caught.value.code == "variant"
    assert message.isprintable()
    assert len(message) < 1_000
    assert all(known in message for known in builtin_variants())


def is_allowed(variant: str, files: int, ranks: int) -> bool:
    if variant == "rota":
        return (files, ranks) == (3, 3)
    least = SIZES[variant][1]
    return least[0] <= files <= 16 and least[1] <= ranks <= 16 and (variant != "bell" or files * ranks >= 36)


def check_refused(variant: str, size: tuple[int, int]) -> None:
    with pytest.raises(BoardSizeError, match=f"{size[0]}x{size[1]}") as caught:
        Position.start(find_variant(variant), size)
    assert caught.value.code == "board-size"


@pytest.mark.long
@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_every_size(variant: str) -> None:
    for files, ranks in ((files, ranks) for files in range(3, 17) for ranks in RANKS):
        assert naive.GAMES[variant].allows(files, ranks) == is_allowed(variant, files, ranks)
        if not is_allowed(variant, files, ranks):
            check_refused(variant, (files, ranks))
            continue
        position = Position.start(find_variant(variant), (files, ranks))
        assert position.fen() == naive.render(naive.GAMES[variant].start(files, ranks))
        assert (position.geometry.name, position.geometry.squares) == (f"{files}x{ranks}", files * ranks)
    for size in ((2, 18), (8, 2), (17, 8), (8, 17), (0, 8), (8, -1), (-6, -6), (1000, 1000), (2**70, 8)):
        check_refused(variant, size)


def test_read_a_size() -> None:
    for text, size in (("8x8", (8, 8)), ("12x8", (12, 8)), ("4x16", (4, 16)), ("3x3", (3, 3))):
        assert parse_board_size(text) == size
    for text in (
        "", "8", "8x", "x8", "8 x 8", "8x8 ", " 8x8", "8x8\n", "8*8", "8,8", "8x8x8", "08x8", "8x08", "-8x8", "8x-8",
        "8.0x8", "eight", "0x0", "0x8", "\uff18x8", "8x\u0668", "8\u00d78", "9" * 100_000 + "x8",
    ):
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
