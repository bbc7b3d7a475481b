"""Rules, positions, notation and pictures, in plain Python: the reference for referee, engine and tools.

Start reading at ``ruleset``, then ``position`` and ``rules``. Public: the names imported here that ``latrones_uci``
lists. Never imports another room but ``text``.
"""

from latrones_uci.game.encoding import BLACK, SIDE_NAMES, WHITE, Move, PackedMove
from latrones_uci.game.errors import (
    BoardSizeError,
    FenError,
    IllegalMoveError,
    LatronesError,
    MalformedMoveError,
    VariantError,
)
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.history import Game, random_game
from latrones_uci.game.outcome import DECISIONS, Outcome, Termination, render_result
from latrones_uci.game.position import Position, draw_board
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.game.symmetry import canonical_key
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
    "SIDE_NAMES",
    "VARIANT_SETS",
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
    "draw_board",
    "find_variant",
    "load_variants",
    "ludii_variants",
    "names_in_words",
    "parse_board_size",
    "parse_file",
    "parse_variants",
    "random_game",
    "read_variants",
    "render_result",
]
