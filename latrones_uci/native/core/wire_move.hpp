// Moves as they cross to the library's users.
#pragma once

#include "geometry.hpp"
#include "moves.hpp"
#include "task.hpp"

namespace latrones {

// What a move does and the squares it names. `paths` knows the move.
template <class S>
WireMove wire_move(const Geometry<S>& geometry, const MoveStack& paths, Move move) {
    WireMove wire;
    const auto add = [&](int cell) { wire.squares.push_back(static_cast<u8>(geometry.square_of(cell))); };
    if (is_path(move)) {
        const Path path = paths.path_of(move);
        for (int i = 0; i < path.size; ++i) add(path.cell[i]);
    } else {
        wire.kind = static_cast<WireMove::Kind>(kind_of(move) >> 16);
        add(cell_of(move));
    }
    return wire;
}

}  // namespace latrones
