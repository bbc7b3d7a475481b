// Zobrist keys: the same numbers as in `latrones_uci.game.encoding`, so that both kernels give a position the same key.
#pragma once

#include <array>

#include "bits.hpp"

namespace latrones {

template <std::size_t Count>
constexpr std::array<u64, Count> splitmix64(u64 state) {
    std::array<u64, Count> numbers{};
    for (u64& number : numbers) {
        state += 0x9E3779B97F4A7C15;
        u64 mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
        number = mixed ^ mixed >> 31;
    }
    return numbers;
}

enum Piece { SOLDIER = 0, DUX = 2, BOUND = 4 };  // plus the side

class Zobrist {
   public:
    static u64 piece(int piece_and_side, int file, int rank) {
        return number(piece_and_side * 256 + rank * 16 + file);
    }
    static u64 black_to_move() { return number(pieces * 256); }
    static u64 in_hand(int piece_and_side, int count) {
        return count ? number(pieces * 256 + 1 + piece_and_side * 256 + count) : 0;
    }

   private:
    static constexpr int pieces = 6;

    static u64 number(int index) {
        static constexpr auto numbers = splitmix64<(pieces + 4) * 256 + 1>(0x4C6174726F6E6573);
        return numbers[static_cast<std::size_t>(index)];
    }
};

}  // namespace latrones
