"""Rules, positions, notation and pictures of the variants, in plain Python.

This subpackage is the reference that the referee and all tools use. It imports nothing else of the package.
"""

from latrones_uci.game.encoding import BLACK, SIDE_NAMES, WHITE, Move, PackedMove
from latrones_uci.game.errors import (
    VISIBLE_BYTES,
    BoardSizeError,
    FenError,
    IllegalMoveError,
    LatronesError,
    MalformedMoveError,
    VariantError,
    counted,
    duration,
    escape_sequence,
    is_utf8,
    nearest_name,
    printable,
    quoted,
    reason,
    with_byte_escapes,
)
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.history import Game
from latrones_uci.game.outcome import DECISIONS, Outcome, Termination, render_result
from latrones_uci.game.position import Position, draw_board
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.game.symmetry import canonical_key
from latrones_uci.text.toml import MAX_BYTES, parse_toml, read_text_file
from latrones_uci.game.variants import (
    VARIANT_SETS,
    Problem,
    all_variants,
    builtin_variants,
    check_file,
    check_variants,
    find_variant,
    load_variants,
    ludii_variants,
    names_in_words,
    parse_board_size,
    parse_file,
    parse_variants,
    read_variants,
)

__all__ = [
    "BLACK",
    "DECISIONS",
    "MAX_BYTES",
    "SIDE_NAMES",
    "VARIANT_SETS",
    "VISIBLE_BYTES",
    "WHITE",
    "BoardSizeError",
    "FenError",
    "Game",
    "Geometry",
    "IllegalMoveError",
    "LatronesError",
    "MalformedMoveError",
    "Move",
    "Outcome",
    "PackedMove",
    "Position",
    "Problem",
    "Ruleset",
    "Termination",
    "VariantError",
    "all_variants",
    "builtin_variants",
    "canonical_key",
    "check_file",
    "check_variants",
    "counted",
    "draw_board",
    "duration",
    "escape_sequence",
    "find_variant",
    "is_utf8",
    "load_variants",
    "ludii_variants",
    "names_in_words",
    "nearest_name",
    "parse_board_size",
    "parse_file",
    "parse_toml",
    "parse_variants",
    "printable",
    "quoted",
    "read_text_file",
    "read_variants",
    "reason",
    "render_result",
    "with_byte_escapes",
]
