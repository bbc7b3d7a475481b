// Boards for the unit tests: of all shapes and sizes, with random pieces.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "core/board.hpp"
#include "core/geometry.hpp"
#include "core/rules.hpp"

using Random = std::mt19937_64;

// Calls an action with each shape.
template <class Action>
void for_each_shape(Action&& action) {
    using namespace latrones;
    action(std::type_identity<Small>{});
    action(std::type_identity<Broad>{});
    action(std::type_identity<Tall>{});
    action(std::type_identity<Large>{});
}

struct Size {
    int files, ranks;
};

// Board sizes that fill the shape, and smaller ones.
template <class S>
std::vector<Size> sizes() {
    const int f = S::most_files, r = S::most_ranks;
    return {{f, r}, {f - 1, r}, {f, r - 1}, {f - 3, r - 1}, {f / 2 + 1, r / 2 + 1}, {3, 3}, {5, 4}, {1, r}, {f, 1}, {1, 1}};
}
template <class Action>
void for_each_size(Action&& action) {
    for_each_shape([&]<class S>(std::type_identity<S> shape) {
        for (const Size& size : sizes<S>()) action(shape, size);
    });
}

template <class S>
std::string name_of(const Size& size) {
    return std::to_string(size.files) + "x" + std::to_string(size.ranks) + " in the shape of " +
           std::to_string(S::most_files) + "x" + std::to_string(S::most_ranks);
}

// A random set; each square is in it with a probability of `share` percent.
template <class S>
latrones::Bits<S::limbs> random_set(const latrones::Geometry<S>& geometry, Random& random, unsigned share) {
    latrones::Bits<S::limbs> set;
    for (int square = 0; square < geometry.squares(); ++square)
        if (random() % 100 < share) set.set(geometry.cell_of(square));
    return set;
}

// A board with these pieces, none of them a dux; its key is not set.
template <class S>
latrones::Board<S> board_of(const latrones::Rules<S>& rules, const latrones::Bits<S::limbs>& own,
                            const latrones::Bits<S::limbs>& opp) {
    latrones::Board<S> board{};
    board.own = rules.geometry.widen(own);
    board.opp = rules.geometry.widen(opp);
    board.own_dux = board.opp_dux = -1;
    return board;
}

// A board with an enemy on almost every second square, and a few pieces between them that can hop over the enemies in
// more ways than are listed. There is no dux.
template <class S>
latrones::Board<S> board_for_hops(const latrones::Rules<S>& rules, Random& random) {
    using namespace latrones;
    const auto& geometry = rules.geometry;
    Bits<S::limbs> own, opp;
    for (int square = 0; square < geometry.squares(); ++square) {
        const int cell = geometry.cell_of(square);
        const bool odd = (geometry.file(cell) + geometry.rank(cell)) % 2;
        if (random() % 100 < (odd ? 97 : 4)) (odd ? opp : own).set(cell);
    }
    Board<S> board = board_of(rules, own, opp);
    board.key = rules.full_key(board);
    return board;
}

// A board with pieces on about `share` percent of the squares, and a dux for each side if the ruleset has one.
template <class S>
latrones::Board<S> random_board(const latrones::Rules<S>& rules, Random& random, unsigned share) {
    using namespace latrones;
    const auto& geometry = rules.geometry;
    const auto own = random_set(geometry, random, share / 2), opp = random_set(geometry, random, share / 2) & ~own;
    Board<S> board = board_of(rules, own, opp);
    board.side = static_cast<u8>(random() % 2);
    if (rules.ruleset.dux_move != Gait::NONE) {
        if (own.any()) board.own_dux = static_cast<short>(own.first());
        if (opp.any()) board.opp_dux = static_cast<short>(opp.first());
    }
    board.key = rules.full_key(board);
    return board;
}
