// Move ordering statistics learned from beta cutoffs; each thread has its own.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "moves.hpp"
#include "table.hpp"
#include "tuning.hpp"
#include "types.hpp"

namespace latrones {

// The last cell of a path, or the cell of any other move.
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
    explicit MoveOrder(const Tuning& tuning)
        : bonus_(tuning.history_bonus),
          bonus_max_(tuning.history_bonus_max),
          fade_(tuning.history_fade),
          quiet_history_(2 * size, 0),
          capture_history_(2 * size, 0),
          counter_(2 * size, NO_MOVE) {
        killers_.fill({});
    }

    // Clears the killers, which belong to one search, and fades the history, which lasts for a game.
    void new_search() {
        killers_.fill({});
        // A division by the usual value, which the compiler knows, is many times faster.
        if (fade_ == UsualTuning::history_fade) fade(std::integral_constant<int, UsualTuning::history_fade>());
        else fade(fade_);
    }
    void clear() {
        killers_.fill({});
        std::fill(quiet_history_.begin(), quiet_history_.end(), short{0});
        std::fill(capture_history_.begin(), capture_history_.end(), short{0});
        std::fill(counter_.begin(), counter_.end(), NO_MOVE);
    }

    int quiet_history(int side, MoveHint hint) const { return quiet_history_[index(side, hint)]; }
    // The same for all moves of a side, by `index`.
    const short* quiet_histories(int side) const { return &quiet_history_[static_cast<std::size_t>(side) * size]; }
    static std::size_t index(MoveHint hint) { return static_cast<std::size_t>((hint & 255) * Cells + (hint >> 8)); }
    int capture_history(int side, MoveHint hint) const { return capture_history_[index(side, hint)]; }
    Move killer(int ply, int which) const {
        return killers_[static_cast<std::size_t>(ply)][static_cast<std::size_t>(which)];
    }
    // The counter move: the last reply that refuted a move of the other side.
    Move counter(int side, MoveHint previous) const { return counter_[index(side, previous)]; }

    void reward_quiet(int side, MoveHint hint, int depth) { update(quiet_history_[index(side, hint)], bonus(depth)); }
    void punish_quiet(int side, MoveHint hint, int depth) { update(quiet_history_[index(side, hint)], -bonus(depth)); }
    void reward_capture(int side, MoveHint hint, int depth) {
        update(capture_history_[index(side, hint)], bonus(depth));
    }
    void punish_capture(int side, MoveHint hint, int depth) {
        update(capture_history_[index(side, hint)], -bonus(depth));
    }
    // Records a quiet move that caused a cutoff as killer and counter move.
    void set_killer(int ply, int side, MoveHint previous, Move move) {
        auto& killers = killers_[static_cast<std::size_t>(ply)];
        if (killers[0] != move) killers = {move, killers[0]};
        counter_[index(side, previous)] = move;
    }

   private:
    static constexpr std::size_t size = static_cast<std::size_t>(Cells) * Cells;

    static std::size_t index(int side, MoveHint hint) {
        return static_cast<std::size_t>(side) * size + index(hint);
    }
    template <class Divisor>
    void fade(Divisor divisor) {
        for (auto* history : {&quiet_history_, &capture_history_})
            for (short& value : *history) value = static_cast<short>(value / divisor);
    }
    int bonus(int depth) const { return std::min(bonus_ * depth * depth, bonus_max_); }
    // Moves a value towards the maximum by a share of the remaining distance, so that it never exceeds it.
    static void update(short& value, int change) {
        value = static_cast<short>(value + change - value * std::abs(change) / tune::history_max);
    }

    const int bonus_, bonus_max_, fade_;
    std::vector<short> quiet_history_, capture_history_;
    std::vector<Move> counter_;
    std::array<std::array<Move, 2>, MAX_PLY + 2> killers_;
};

}  // namespace latrones
