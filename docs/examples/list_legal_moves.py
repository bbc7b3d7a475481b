"""List the legal moves of the start position of every variant. Usage: python3 list_legal_moves.py"""

from latrones_uci import Position, builtin_variants

for name, variant in builtin_variants().items():
    position = Position.start(variant)
    moves = position.legal_moves()
    print(f"{name}, {len(moves)} moves: {' '.join(moves)}")
