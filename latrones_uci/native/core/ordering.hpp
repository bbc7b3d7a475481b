// What past cutoffs teach about the order of moves, one set for each thread.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "moves.hpp"
#include "table.hpp"

namespace latrones {

inline constexpr int MAX_PLY = 100;

// The last cell of a path, or the cell of another move.
inline int last_cell(Move move, const MoveStack& paths) {
    if (move < ONE_LEG) return to_of(move);
    return is_path(move) ? paths.path_of(move).last() : cell_of(move);
}
inline int first_cell(Move move, const MoveStack& paths) {
    return move & LONG_CHAIN ? paths.path_of(move).first() : origin_of(move);
}
inline MoveHint hint_of(Move move, const MoveStack& paths) {
    if (move < ONE_LEG) return static_cast<MoveHint>(move);
    return static_cast<MoveHint>(first_cell(move, paths) | last_cell(move, paths) << 8);
}

template <int Cells>
class MoveOrder {
   public:
    MoveOrder() : quiet_(2 * size, 0), capture_(2 * size, 0), counter_(2 * size, NO_MOVE) { killers_.fill({}); }

    // Killers belong to one search; what moves are good for lasts for a game, and fades.
    void new_search() {
        killers_.fill({});
        for (auto* table : {&quiet_, &capture_})
            for (short& value : *table) value = static_cast<short>(value / 2);
    }
    void clear() {
        new_search();
        std::fill(quiet_.begin(), quiet_.end(), short{0});
        std::fill(capture_.begin(), capture_.end(), short{0});
        std::fill(counter_.begin(), counter_.end(), NO_MOVE);
    }

    int quiet(int side, MoveHint hint) const { return quiet_[index(side, hint)]; }
    // The same for all moves of a side, by `index`.
    const short* quiets(int side) const { return quiet_.data() + static_cast<std::size_t>(side) * size; }
    static std::size_t index(MoveHint hint) { return static_cast<std::size_t>((hint & 255) * Cells + (hint >> 8)); }
    int capture(int side, MoveHint hint) const { return capture_[index(side, hint)]; }
    Move killer(int ply, int which) const {
        return killers_[static_cast<std::size_t>(ply)][static_cast<std::size_t>(which)];
    }
    // The move that answered a move of the other side.
    Move counter(int side, MoveHint previous) const { return counter_[index(side, previous)]; }

    void reward_quiet(int side, MoveHint hint, int depth) { learn(quiet_[index(side, hint)], bonus(depth)); }
    void punish_quiet(int side, MoveHint hint, int depth) { learn(quiet_[index(side, hint)], -bonus(depth)); }
    void reward_capture(int side, MoveHint hint, int depth) { learn(capture_[index(side, hint)], bonus(depth)); }
    void punish_capture(int side, MoveHint hint, int depth) { learn(capture_[index(side, hint)], -bonus(depth)); }
    void remember(int ply, int side, MoveHint previous, Move move) {
        auto& killers = killers_[static_cast<std::size_t>(ply)];
        if (killers[0] != move) killers = {move, killers[0]};
        counter_[index(side, previous)] = move;
    }

    static constexpr int most = 16384;

   private:
    static constexpr std::size_t size = static_cast<std::size_t>(Cells) * Cells;

    static std::size_t index(int side, MoveHint hint) {
        return static_cast<std::size_t>(side) * size + index(hint);
    }
    static int bonus(int depth) { return std::min(32 * depth * depth, 2048); }
    // Moves towards the most by a share of what is left to it, so that it never passes it.
    static void learn(short& value, int change) {
        value = static_cast<short>(value + change - value * std::abs(change) / most);
    }

    std::vector<short> quiet_, capture_;
    std::vector<Move> counter_;
    std::array<std::array<Move, 2>, MAX_PLY + 2> killers_;
};

}  // namespace latrones
