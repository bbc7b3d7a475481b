// The board used by the rules: a plain value, copied for every move.
#pragma once

#include "wide.hpp"

namespace latrones {

enum Side { WHITE, BLACK };

// The pieces in hand, packed in one number: a byte each for the soldiers of White and Black, then a bit for each dux.
struct Hand {
    u32 packed = 0;

    int soldiers(int side) const { return static_cast<int>(packed >> 8 * side & 255); }
    int dux(int side) const { return static_cast<int>(packed >> (16 + side) & 1); }
    int pieces(int side) const { return soldiers(side) + dux(side); }
    bool any() const { return packed != 0; }
    bool any_soldiers() const { return (packed & 0xFFFF) != 0; }
    void take_soldier(int side) { packed -= u32{1} << 8 * side; }
    void take_dux(int side) { packed -= u32{1} << (16 + side); }
    friend bool operator==(Hand, Hand) = default;
};

// `own` and `opp` are all pieces of the player to move and of the opponent, duces included. A dux that is not on the
// board is at -1.
template <class S>
struct Board {
    Wide<S> own, opp;
    Bits<S::limbs> bound;
    u64 key;
    Hand hand;
    int nocapture;
    short own_dux, opp_dux;
    u8 side;
};

}  // namespace latrones
