// Moves as numbers, and the stack that holds move lists.
//
// A path of two cells is origin | to << 8. A path of three to seven cells has them in the same order, a byte each, with
// a 1 above them; a longer path is the index of an entry of `LongPaths`. A placement or kill is a code above 16 bits
// plus a cell; a pass is only a code.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "bits.hpp"

namespace latrones {

using Move = u64;
inline constexpr Move NO_MOVE = 0;
inline constexpr Move ONE_LEG = Move{1} << 16;  // moves below are paths of two cells
inline constexpr Move PLACE_SOLDIER = Move{1} << 16, PLACE_DUX = Move{2} << 16, KILL = Move{3} << 16;
inline constexpr Move PASS = Move{4} << 16;
inline constexpr Move CHAIN = Move{1} << 24;  // moves at or above this are paths of three or more cells
inline constexpr Move LONG_CHAIN = Move{1} << 63;
inline constexpr int PACKED_CELLS = 7;
// If a position has more chains, only the shorter ones are legal: see `latrones_uci.game.encoding`.
inline constexpr std::size_t MAX_CHAINS = 10'000;

constexpr bool is_path(Move move) { return move < ONE_LEG || move >= CHAIN; }
constexpr Move kind_of(Move move) { return move & Move{7} << 16; }
constexpr int origin_of(Move move) { return static_cast<int>(move & 255); }  // of a path, except for a long chain
constexpr int cell_of(Move move) { return static_cast<int>(move & 255); }    // of a placement or kill
constexpr int to_of(Move move) { return static_cast<int>(move >> 8 & 255); }  // of a path of two cells
constexpr Move one_leg(int origin, int to) { return static_cast<Move>(origin | to << 8); }

struct Path {
    int size = 0;
    u8 cell[256];

    int first() const { return cell[0]; }
    int last() const { return cell[size - 1]; }
};

// Chains of seven or more legs, which do not fit in a number. They are kept until the search ends, because its lines
// may contain them; chains generated only for counting are dropped immediately.
class LongPaths {
   public:
    Move intern(const Path& path) {
        const auto [known, added] = numbers_.try_emplace(std::string(path.cell, path.cell + path.size), paths_.size());
        if (added) paths_.push_back(&known->first);
        return LONG_CHAIN | known->second;
    }
    // The cells of a path, a byte each.
    const std::string& operator[](Move move) const { return *paths_[move & ~LONG_CHAIN]; }
    std::size_t size() const { return paths_.size(); }
    // Drops all but the first `size` paths.
    void shrink(std::size_t size) {
        for (; paths_.size() > size; paths_.pop_back()) numbers_.erase(numbers_.find(*paths_.back()));
    }

   private:
    std::unordered_map<std::string, std::size_t> numbers_;
    std::vector<const std::string*> paths_;  // the keys of `numbers_`, whose addresses are stable
};

struct ScoredMove {
    Move move;
    int score;
};

// The move lists of all positions on the path from the root, in order. The allocation is large enough for everything
// except very many chains, so it almost never grows.
class MoveStack {
   public:
    MoveStack() : moves_(1 << 14), keys_(moves_.size() + 1) {}

    std::size_t size() const { return size_; }
    ScoredMove& operator[](std::size_t index) { return moves_[index]; }
    const ScoredMove& operator[](std::size_t index) const { return moves_[index]; }
    [[gnu::always_inline]] void push(Move move) {
        if (size_ == moves_.size()) moves_.resize(2 * moves_.size());
        moves_[size_++].move = move;
    }
    // Reserves room for `count` more moves, to be written at the returned pointer; `commit` sets their end.
    ScoredMove* room_for(std::size_t count) {
        while (size_ + count > moves_.size()) moves_.resize(2 * moves_.size());
        return moves_.data() + size_;
    }
    void commit(const ScoredMove* end) { size_ = static_cast<std::size_t>(end - moves_.data()); }
    void shrink(std::size_t size) { size_ = size; }
    // Room for a number beside each move from an index on.
    int* keys(std::size_t from) {
        if (keys_.size() <= moves_.size()) keys_.resize(moves_.size() + 1);
        return keys_.data() + from;
    }

    struct Mark {
        std::size_t moves = 0, long_paths = 0;
    };
    Mark mark() const { return {size_, long_paths_.size()}; }
    // Drops all moves added since the mark; copies of long chains among them become invalid.
    void forget_since(const Mark& mark) {
        size_ = mark.moves;
        long_paths_.shrink(mark.long_paths);
    }
    void clear() { forget_since({}); }

    Move path_move(const Path& path) {
        if (path.size > PACKED_CELLS) return long_paths_.intern(path);
        if (path.size == 2) return one_leg(path.cell[0], path.cell[1]);
        Move move = 1;
        for (int i = path.size - 1; i >= 0; --i) move = move << 8 | path.cell[i];
        return move;
    }
    // The cells of a path.
    Path path_of(Move move) const {
        Path path;
        if (move & LONG_CHAIN) {
            for (const char cell : long_paths_[move]) path.cell[path.size++] = static_cast<u8>(cell);
        } else if (move < ONE_LEG) {
            path.cell[path.size++] = static_cast<u8>(move & 255);
            path.cell[path.size++] = static_cast<u8>(move >> 8);
        } else {
            for (; move > 1; move >>= 8) path.cell[path.size++] = static_cast<u8>(move & 255);
        }
        return path;
    }

   private:
    std::vector<ScoredMove> moves_;
    std::vector<int> keys_;
    std::size_t size_ = 0;
    LongPaths long_paths_;
};

}  // namespace latrones
