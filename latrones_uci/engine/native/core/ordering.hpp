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

// The histories of the quiet moves in a position: of each move, and of its cells after the preceding moves.
template <int Cells>
struct QuietHistory {
    const short* moves;     // by MoveOrder::index
    const short* after[3];  // by destination, then by origin: after the last move, the own move before it, any move

    // The history of a cell as a destination, or of `Cells` + a cell as an origin.
    int operator[](int cell) const { return (after[0][cell] >> 1) + (after[1][cell] >> 1) + (after[2][cell] >> 1); }
    // The history of all cells, for a list of moves; compilers turn it into a few vector instructions.
    std::array<short, 2 * Cells> all_cells() const {
        std::array<short, 2 * Cells> values;
        for (int cell = 0; auto& value : values) value = static_cast<short>((*this)[cell++]);
        return values;
    }
    // The history of a move; `of_cells` is this object or its `all_cells`.
    template <class OfCells>
    int of(std::size_t index, MoveHint hint, const OfCells& of_cells) const {
        return moves[index] + of_cells[hint >> 8] + of_cells[Cells + (hint & 255)];
    }
    int of(std::size_t index, MoveHint hint) const { return of(index, hint, *this); }
};

template <int Cells>
class MoveOrder {
   public:
    explicit MoveOrder(const Tuning& tuning)
        : bonus_(tuning.history_bonus),
          bonus_max_(tuning.history_bonus_max),
          fade_(tuning.history_fade),
          sort_limit_(tuning.sort_limit),
          quiet_history_(2 * size, 0),
          capture_history_(2 * size, 0),
          continuation_(6 * (Cells + 1) * 2 * Cells, 0),
          counter_(2 * size, NO_MOVE) {
        killers_.fill({});
    }

    // Clears the killers, which belong to one search, and fades the history, which lasts for a game.
    void new_search() {
        killers_.fill({});
        // Dividing by the usual value, a compile-time constant, is many times faster.
        if (fade_ == UsualTuning::history_fade) fade(std::integral_constant<int, UsualTuning::history_fade>());
        else fade(fade_);
    }
    void clear() {
        killers_.fill({});
        for (auto* values : {&quiet_history_, &capture_history_, &continuation_})
            std::fill(values->begin(), values->end(), short{0});
        std::fill(counter_.begin(), counter_.end(), NO_MOVE);
    }

    // The histories of a side's quiet moves after the moves `previous`, the last move first; 0 for none.
    QuietHistory<Cells> quiet_history(int side, const std::array<MoveHint, 2>& previous) const {
        return {&quiet_history_[index(side, 0)],
                {&continuation_[row(side, 0, previous[0])], &continuation_[row(side, 1, previous[1])],
                 &continuation_[row(side, 2, 0)]}};
    }
    // Quiet moves with a history below minus this times the depth are not sorted.
    int sort_limit() const { return sort_limit_; }
    static std::size_t index(MoveHint hint) { return static_cast<std::size_t>((hint & 255) * Cells + (hint >> 8)); }
    int capture_history(int side, MoveHint hint) const { return capture_history_[index(side, hint)]; }
    Move killer(int ply, int which) const {
        return killers_[static_cast<std::size_t>(ply)][static_cast<std::size_t>(which)];
    }
    // The counter move: the last reply that refuted a move of the other side.
    Move counter(int side, MoveHint previous) const { return counter_[index(side, previous)]; }

    void reward_quiet(int side, const std::array<MoveHint, 2>& previous, MoveHint hint, int depth) {
        update_quiet(side, previous, hint, bonus(depth));
    }
    void punish_quiet(int side, const std::array<MoveHint, 2>& previous, MoveHint hint, int depth) {
        update_quiet(side, previous, hint, -bonus(depth));
    }
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
    // The continuation history after a move: a row of destinations and one of origins.
    static std::size_t row(int side, int which, MoveHint previous) {
        const int last = previous ? previous >> 8 : Cells;
        return static_cast<std::size_t>(((side * 3 + which) * (Cells + 1) + last) * 2 * Cells);
    }
    template <class Divisor>
    void fade(Divisor divisor) {
        for (auto* history : {&quiet_history_, &capture_history_, &continuation_})
            for (short& value : *history) value = static_cast<short>(value / divisor);
    }
    int bonus(int depth) const { return std::min(bonus_ * depth * depth, bonus_max_); }
    void update_quiet(int side, const std::array<MoveHint, 2>& previous, MoveHint hint, int change) {
        update(quiet_history_[index(side, hint)], change);
        for (const int which : {0, 1, 2}) {
            short* const cells =
                &continuation_[row(side, which, which < 2 ? previous[static_cast<std::size_t>(which)] : MoveHint{0})];
            update(cells[hint >> 8], change);
            update(cells[Cells + (hint & 255)], change);
        }
    }
    // Moves a value towards the maximum by a share of the remaining distance, so that it never exceeds the maximum.
    static void update(short& value, int change) {
        value = static_cast<short>(value + change - value * std::abs(change) / tune::history_max);
    }

    const int bonus_, bonus_max_, fade_, sort_limit_;
    std::vector<short> quiet_history_, capture_history_, continuation_;
    std::vector<Move> counter_;
    std::array<std::array<Move, 2>, MAX_PLY + 2> killers_;
};

}  // namespace latrones
