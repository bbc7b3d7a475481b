// The transposition table, shared by the threads of a search without locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "bits.hpp"

namespace latrones {

enum Bound : u8 { NONE_BOUND, LOWER, UPPER, EXACT };

// A move as stored in the table: origin and last cell, or the same cell twice. It is only looked up among legal moves.
using MoveHint = u16;

struct Entry {
    MoveHint move;
    short score, evaluation;
    u8 depth;
    Bound bound;
};

// An entry has sixteen bytes; a cache line has four entries. The upper bits of the key select the line. In it, a new
// result replaces the entry of the same position, or else the least valuable entry: shallow entries and entries of
// earlier searches are worth less.
//
// An entry is two words: the key xor the second word, and the second word. If two threads write one word each, no key
// matches and the entry is ignored (R. Hyatt and T. Mann, ICGA Journal 2002).
class Table {
   public:
    // Allocates `megabytes` (2**20 bytes) at once, and clears them. Throws std::bad_alloc, and std::invalid_argument
    // for 0.
    explicit Table(std::size_t megabytes, int threads = 1);

    // Clears the table with this number of threads, but no more than there are processors.
    void clear(int threads = 1);
    // Starts a new search: all entries become older.
    void new_search() { age_ = (age_ + 1) & 63; }

    bool probe(u64 key, Entry& entry) const;
    // A hint of 0 keeps the stored move of the position.
    void store(u64 key, MoveHint move, int score, int evaluation, int depth, Bound bound);
    void prefetch(u64 key) const { __builtin_prefetch(&line(key)); }

    // The entries written by the current search, per mille, measured on the first thousand.
    int hashfull() const;

   private:
    // Returns the argument of the constructor; throws if it is out of range.
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
