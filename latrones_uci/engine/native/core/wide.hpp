// The board in four orientations at once, so that one lane-wise addition slides every piece in every direction.
//
// A *wide* set has the same cells four times, once for each direction of travel: east, west, north and south. In each
// orientation, a line of the board is one lane of 8 or 16 bits that starts with bit 0. Let `empty` be the empty cells
// and `starts = ahead(pieces) & empty` the first empty cell in front of each piece. In the sum `empty + starts`, the
// carries run through each line of empty cells up to the piece that blocks it; the end of the lane stops the carries.
#pragma once

#include <cstring>

#include "bits.hpp"

namespace latrones {

enum Direction { EAST, WEST, NORTH, SOUTH };
inline constexpr Direction DIRECTIONS[] = {EAST, WEST, NORTH, SOUTH};
constexpr Direction opposite(Direction d) { return static_cast<Direction>(d ^ 1); }

// The storage for boards up to a certain size. RankLane holds a rank (one bit per file), FileLane a file.
template <class RankLaneT, class FileLaneT>
struct Shape {
    using RankLane = RankLaneT;
    using FileLane = FileLaneT;
    static constexpr int most_files = 8 * sizeof(RankLane);
    static constexpr int most_ranks = 8 * sizeof(FileLane);
    static constexpr int cells = most_files * most_ranks;
    static constexpr int limbs = cells / 64;
};

using Small = Shape<u8, u8>;    // to 8x8, one limb
using Broad = Shape<u16, u8>;   // to 16x8, two limbs
using Tall = Shape<u8, u16>;    // to 8x16, two limbs
using Large = Shape<u16, u16>;  // to 16x16, four limbs

// Sixteen bytes, as lanes of a type.
template <class Lane>
struct Lanes;
template <>
struct Lanes<u8> {
    using Vector = u8 __attribute__((vector_size(16)));
};
template <>
struct Lanes<u16> {
    using Vector = u16 __attribute__((vector_size(16)));
};

template <class S>
struct Wide {
    // Each vector has two limbs: first the limbs of east and west, then those of north and south.
    using Vector = u64 __attribute__((vector_size(16)));
    static constexpr int vectors = 2 * S::limbs;
    static constexpr int words = 4 * S::limbs;

    Vector vector[vectors];

    static Wide empty() {
        Wide wide;
        for (int i = 0; i < vectors; ++i) wide.vector[i] = Vector{0, 0};
        return wide;
    }

    u64 word(int index) const { return vector[index >> 1][index & 1]; }
    // Limb `i` of the orientation of direction `d`.
    u64 word(Direction d, int i) const { return word(d * S::limbs + i); }
    void set_bit(int bit) {
        u64 pair[2];
        std::memcpy(pair, &vector[bit >> 7], sizeof pair);
        pair[bit >> 6 & 1] |= u64{1} << (bit & 63);
        std::memcpy(&vector[bit >> 7], pair, sizeof pair);
    }

    // The cells as a plain set, which is the orientation east.
    Bits<S::limbs> plain() const {
        Bits<S::limbs> bits;
        for (int i = 0; i < S::limbs; ++i) bits.limb[i] = word(i);
        return bits;
    }

    int count() const {
        int sum = 0;
        for (int i = 0; i < words; ++i) sum += std::popcount(word(i));
        return sum;
    }
    bool any() const {
        Vector all = vector[0];
        for (int i = 1; i < vectors; ++i) all |= vector[i];
        return (all[0] | all[1]) != 0;
    }

    friend Wide operator&(Wide a, const Wide& b) {
        for (int i = 0; i < vectors; ++i) a.vector[i] &= b.vector[i];
        return a;
    }
    friend Wide operator|(Wide a, const Wide& b) {
        for (int i = 0; i < vectors; ++i) a.vector[i] |= b.vector[i];
        return a;
    }
    friend Wide operator^(Wide a, const Wide& b) {
        for (int i = 0; i < vectors; ++i) a.vector[i] ^= b.vector[i];
        return a;
    }
    Wide& operator&=(const Wide& b) { return *this = *this & b; }
    Wide& operator|=(const Wide& b) { return *this = *this | b; }
    Wide& operator^=(const Wide& b) { return *this = *this ^ b; }
    Wide without(const Wide& b) const {
        Wide a;
        for (int i = 0; i < vectors; ++i) a.vector[i] = vector[i] & ~b.vector[i];
        return a;
    }
    friend bool operator==(const Wide& a, const Wide& b) { return !(a ^ b).any(); }

    friend Wide operator+(const Wide& a, const Wide& b) {
        Wide sum;
        for (int i = 0; i < vectors; ++i)
            sum.vector[i] = i < vectors / 2 ? add<typename S::RankLane>(a.vector[i], b.vector[i])
                                            : add<typename S::FileLane>(a.vector[i], b.vector[i]);
        return sum;
    }

    // The cells one step ahead in the direction of each orientation; cells that leave the lane are dropped.
    Wide ahead() const { return *this + *this; }

   private:
    template <class Lane>
    static Vector add(Vector a, Vector b) {
        using Laned = typename Lanes<Lane>::Vector;
        return reinterpret_cast<Vector>(reinterpret_cast<Laned>(a) + reinterpret_cast<Laned>(b));
    }
};

}  // namespace latrones
