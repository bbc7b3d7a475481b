// Sets of cells: one bit per cell, rank by rank, in one, two or four 64-bit limbs.
#pragma once

#include <bit>
#include <cstdint>

namespace latrones {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <int N>
struct Bits {
    u64 limb[N]{};

    constexpr bool test(int cell) const { return limb[N == 1 ? 0 : cell >> 6] >> (cell & 63) & 1; }
    constexpr void set(int cell) { limb[N == 1 ? 0 : cell >> 6] |= u64{1} << (cell & 63); }
    constexpr void reset(int cell) { limb[N == 1 ? 0 : cell >> 6] &= ~(u64{1} << (cell & 63)); }

    constexpr bool any() const {
        u64 all = 0;
        for (int i = 0; i < N; ++i) all |= limb[i];
        return all != 0;
    }
    constexpr bool none() const { return !any(); }

    constexpr int count() const {
        int sum = 0;
        for (int i = 0; i < N; ++i) sum += std::popcount(limb[i]);
        return sum;
    }

    // Whether the set has at most one cell.
    constexpr bool at_most_one() const {
        if constexpr (N == 1) return (limb[0] & (limb[0] - 1)) == 0;
        return count() <= 1;
    }

    // The lowest cell; the set must not be empty.
    constexpr int first() const {
        for (int i = 0; i < N - 1; ++i)
            if (limb[i]) return i * 64 + std::countr_zero(limb[i]);
        return (N - 1) * 64 + std::countr_zero(limb[N - 1]);
    }

    template <class Action>
    constexpr void for_each(Action&& action) const {
        for (int i = 0; i < N; ++i)
            for (u64 rest = limb[i]; rest; rest &= rest - 1) action(i * 64 + std::countr_zero(rest));
    }

    static constexpr Bits of(int cell) {
        Bits bits;
        bits.set(cell);
        return bits;
    }

    friend constexpr Bits operator&(Bits a, const Bits& b) {
        for (int i = 0; i < N; ++i) a.limb[i] &= b.limb[i];
        return a;
    }
    friend constexpr Bits operator|(Bits a, const Bits& b) {
        for (int i = 0; i < N; ++i) a.limb[i] |= b.limb[i];
        return a;
    }
    friend constexpr Bits operator^(Bits a, const Bits& b) {
        for (int i = 0; i < N; ++i) a.limb[i] ^= b.limb[i];
        return a;
    }
    friend constexpr Bits operator~(Bits a) {
        for (int i = 0; i < N; ++i) a.limb[i] = ~a.limb[i];
        return a;
    }
    constexpr Bits& operator&=(const Bits& b) { return *this = *this & b; }
    constexpr Bits& operator|=(const Bits& b) { return *this = *this | b; }
    constexpr Bits& operator^=(const Bits& b) { return *this = *this ^ b; }
    friend constexpr bool operator==(const Bits&, const Bits&) = default;

    // Adds Distance (1..63) to the number of every cell, or subtracts it; cells that leave the array are dropped.
    template <int Distance>
    constexpr Bits up() const {
        Bits to;
        for (int i = N - 1; i >= 0; --i)
            to.limb[i] = limb[i] << Distance | (i ? limb[i ? i - 1 : 0] >> (64 - Distance) : 0);
        return to;
    }
    template <int Distance>
    constexpr Bits down() const {
        Bits to;
        for (int i = 0; i < N; ++i)
            to.limb[i] = limb[i] >> Distance | (i + 1 < N ? limb[i + 1 < N ? i + 1 : i] << (64 - Distance) : 0);
        return to;
    }
};

}  // namespace latrones
