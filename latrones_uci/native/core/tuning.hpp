// The tuning constants of the search, all in one place. docs/search.md lists the matches that decided its techniques.
// Scores are in centi-soldiers, depths in plies.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "types.hpp"

namespace latrones::tune {

// Aspiration windows
inline constexpr int aspiration_depth = 3;    // first iteration with a window
inline constexpr int aspiration_window = 30;  // half the width of the first window
inline constexpr int aspiration_growth = 3;   // factor after each failure

// Extensions
inline constexpr int extension_limit = 2;  // no extensions from this multiple of the iteration depth on

// Pruning
inline constexpr int pruning_iteration = 3;  // first iteration that prunes; earlier ones are cheap and see short wins

// Reverse futility pruning
inline constexpr int reverse_futility_depth = 6;    // maximum depth
inline constexpr int reverse_futility_margin = 50;  // margin per ply of depth

// Null move pruning
inline constexpr int null_move_depth = 3;             // minimum depth
inline constexpr int null_move_reduction = 3;         // basic reduction
inline constexpr int null_move_depth_divisor = 4;     // depth per further ply of reduction
inline constexpr int null_move_eval_divisor = 100;    // evaluation above beta per further ply of reduction
inline constexpr int null_move_eval_plies = 2;        // maximum reduction due to the evaluation
inline constexpr int null_move_verify_depth = 12;     // minimum depth of verification
inline constexpr int null_move_verify_mobility = 12;  // verification at any depth with fewer moves (zugzwang)

// Futility pruning
inline constexpr int futility_depth = 5;    // maximum depth
inline constexpr int futility_base = 40;    // basic margin
inline constexpr int futility_margin = 50;  // further margin per ply of depth

// Late move pruning
inline constexpr int late_pruning_depth = 5;   // maximum depth
inline constexpr int late_pruning_base = 3;    // number of quiet moves that are always searched
inline constexpr int late_pruning_factor = 2;  // further moves per square of the depth

// Late move reductions
inline constexpr int reduction_depth = 3;                // minimum depth
inline constexpr int reduction_moves = 3;                // number of moves that are never reduced
inline constexpr double reduction_base = 0.5;            // basic reduction
inline constexpr double reduction_divisor = 2.2;         // divisor of ln(depth) * ln(move count)
inline constexpr int reduction_max_count = 63;           // later moves use the reduction of this one
inline constexpr int reduction_history_divisor = 8'192;  // history per ply of less reduction

// Move ordering
inline constexpr int history_max = 16'384;           // bound of history values
inline constexpr int history_bonus = 32;             // bonus of a cutoff, per square of the depth
inline constexpr int history_bonus_max = 2'048;      // maximum bonus
inline constexpr int history_fade = 2;               // divisor of history values from one search to the next
inline constexpr int piece_order = 4 * history_max;  // ordering score of a captured piece
inline constexpr int dux_order = 4;                  // additional pieces that a captured dux counts as
inline constexpr int win_order = 1'000;              // additional pieces that a winning move counts as
inline constexpr int tt_order = 5 * history_max;     // ordering score of a table move among the quiet moves
inline constexpr int killer_order = 4;               // the same for the first killer, in history_max; less for the next

// Transposition table
inline constexpr int table_age_penalty = 8;  // depth that an entry loses in value with each new search
inline constexpr int table_keep_margin = 3;  // a bound does not replace an entry deeper by more than this

// Polling
inline constexpr u64 poll_nodes = 1'024;                              // nodes between two polls of a search
inline constexpr u64 perft_poll_moves = 512;                          // moves between two polls of a perft
inline constexpr auto poll_interval = std::chrono::milliseconds(1);   // minimum time between calls of should_stop
inline constexpr auto current_moves_after = std::chrono::seconds(1);  // time after which root moves are reported

// The late move reductions by depth and move count, in plies.
class Reductions {
   public:
    static int at(int depth, int move_count) {
        static const Reductions table;
        return table.plies_[depth][std::min(move_count, reduction_max_count)];
    }

   private:
    Reductions() {
        for (int depth = 1; depth <= MAX_PLY; ++depth)
            for (int count = 1; count <= reduction_max_count; ++count)
                plies_[depth][count] = static_cast<u8>(
                    reduction_base + std::log(depth) * std::log(count) / reduction_divisor);
    }
    u8 plies_[MAX_PLY + 1][reduction_max_count + 1]{};
};

}  // namespace latrones::tune
