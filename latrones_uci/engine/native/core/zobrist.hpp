// Zobrist keys: the same numbers as in `latrones_uci.game.encoding`, so that both kernels give a position the same key.
#pragma once

#include <array>

#include "bits.hpp"

namespace latrones {

class SplitMix64 {
   public:
    constexpr explicit SplitMix64(u64 seed) : state_(seed) {}
    constexpr u64 operator()() {
        state_ += 0x9E3779B97F4A7C15;
        u64 mixed = (state_ ^ state_ >> 30) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
        return mixed ^ mixed >> 31;
    }

   private:
    u64 state_;
};

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
        static constexpr auto numbers = [] {
            std::array<u64, (pieces + 4) * 256 + 1> drawn{};
            SplitMix64 draw(0x4C6174726F6E6573);
            for (u64& each : drawn) each = draw();
            return drawn;
        }();
        return numbers[static_cast<std::size_t>(index)];
    }
};

}  // namespace latrones
