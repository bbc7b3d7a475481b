// The transposition table, shared by the threads of a search without locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "bits.hpp"

namespace latrones {

enum Bound : u8 { NONE_BOUND, LOWER, UPPER, EXACT };

// A move as the table keeps it: origin and last cell, or the cell twice. It is only ever looked for among the legal
// ones.
using MoveHint = u16;

struct Entry {
    MoveHint move;
    short score, evaluation;
    u8 depth;
    Bound bound;
};

// Sixteen bytes an entry, four to a cache line. A position's line is found by the upper bits of its key; in a line a
// new result takes the place of its own position's, or of that which is least deep, those of earlier searches counting
// less.
//
// An entry is two words, of which the first is the key xor the second: when two threads have written one half each, no
// key fits, and the entry is nobody's (R. Hyatt and T. Mann, ICGA Journal 2002).
class Table {
   public:
    // Takes `megabytes` (2**20 bytes) at once. Throws std::bad_alloc, and std::invalid_argument for 0.
    explicit Table(std::size_t megabytes);

    void clear();
    // Marks what is there as from an earlier search.
    void new_search() { age_ = (age_ + 1) & 63; }

    bool probe(u64 key, Entry& entry) const;
    // A hint of 0 keeps the position's known move.
    void store(u64 key, MoveHint move, int score, int evaluation, int depth, Bound bound);
    void prefetch(u64 key) const { __builtin_prefetch(&line(key)); }

    // Entries written by the present search, per mille, of the first thousand.
    int hashfull() const;

   private:
    // Throws where there cannot be so many.
    static std::size_t checked(std::size_t megabytes);

    struct Slot {
        std::atomic<u64> check, data;
    };
    static constexpr int slots = 4;
    struct alignas(64) Line {
        Slot slot[slots];
    };

    __extension__ using u128 = unsigned __int128;
    Line& line(u64 key) const { return lines_.get()[static_cast<std::size_t>(u128{key} * count_ >> 64)]; }

    static constexpr std::size_t megabyte = std::size_t{1} << 20, alignment = 2 * megabyte;
    struct Free {
        void operator()(Line* lines) const { ::operator delete(lines, std::align_val_t{alignment}); }
    };

    std::size_t count_;
    std::unique_ptr<Line, Free> lines_;
    u8 age_ = 0;
};

}  // namespace latrones
