// The constants of the search, all in one place. docs/lab/search.md lists the matches that decided its techniques.
// Scores are in centi-soldiers, depths in plies.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "types.hpp"

namespace latrones {

// The tunable constants: name, value, least and greatest value, and description. The bindings, the options of
// `latrones-uci --tune` and docs/lab/tuning.md take them from here. The limits keep the search correct, but not
// necessarily strong: an aspiration window grows, and no divisor is 0.
#define LATRONES_TUNING(FIELD)                                                                                         \
    FIELD(aspiration_depth, 3, 2, 20, "first iteration with an aspiration window")                                     \
    FIELD(aspiration_window, 30, 1, 1'000, "half the width of the first window")                                       \
    FIELD(aspiration_growth, 3, 2, 10, "factor of the window after each failure")                                      \
    FIELD(pruning_iteration, 3, 1, 10, "first iteration that prunes; earlier ones are cheap and see short wins")       \
    FIELD(reverse_futility_depth, 6, 0, 20, "maximum depth of reverse futility pruning")                               \
    FIELD(reverse_futility_margin, 50, 0, 500, "margin per ply of depth")                                              \
    FIELD(reverse_futility_improving, 30, 0, 500, "less margin if the evaluation is improving")                        \
    FIELD(razoring_depth, 3, 0, 20, "maximum depth of razoring")                                                       \
    FIELD(razoring_base, 150, 0, 1'000, "basic margin")                                                                \
    FIELD(razoring_margin, 100, 0, 500, "further margin per ply of depth")                                             \
    FIELD(internal_reduction_depth, 4, 2, 20, "minimum depth of internal iterative reductions")                        \
    FIELD(futility_depth, 5, 0, 20, "maximum depth of futility pruning")                                               \
    FIELD(futility_base, 40, 0, 500, "basic margin")                                                                   \
    FIELD(futility_margin, 50, 0, 500, "further margin per ply of depth")                                              \
    FIELD(futility_reduced_depth, 5, 0, 20, "maximum depth after reduction for the pruning of single moves")           \
    FIELD(late_pruning_depth, 8, 0, 20, "maximum depth of late move pruning")                                          \
    FIELD(late_pruning_base, 3, 1, 50, "number of quiet moves that are always searched")                               \
    FIELD(late_pruning_factor, 100, 0, 2'000, "further moves per square of the depth, in hundredths")                  \
    FIELD(late_pruning_worsening, 60, 1, 100, "percentage of these moves if the evaluation is not improving")          \
    FIELD(history_pruning_depth, 4, 0, 20, "maximum depth after reduction of history pruning")                         \
    FIELD(history_pruning_margin, 4'000, 100, 32'000, "history below zero per ply of depth")                           \
    FIELD(reduction_depth, 3, 2, 20, "minimum depth of late move reductions")                                          \
    FIELD(reduction_moves, 2, 1, 50, "number of moves that are never reduced")                                         \
    FIELD(reduction_base, 50, 0, 300, "basic reduction, in hundredths of a ply")                                       \
    FIELD(reduction_divisor, 190, 50, 1'000, "divisor of ln(depth) * ln(move count), in hundredths")                   \
    FIELD(reduction_cut_node, 100, 0, 400, "more reduction where a cutoff is expected, in hundredths of a ply")        \
    FIELD(reduction_worsening, 50, 0, 400, "more reduction if the evaluation is not improving, in hundredths of a ply")\
    FIELD(reduction_principal, 100, 0, 400, "less reduction in the principal variation, in hundredths of a ply")       \
    FIELD(reduction_captures, 50, 0, 100, "reduction of captures, as a percentage of that of quiet moves")             \
    FIELD(reduction_history_divisor, 8'192, 1'000, 32'000, "history per ply of less reduction")                        \
    FIELD(root_reduction_limit, 300, -10'000, 10'000, "score from which on root moves are not reduced")                \
    FIELD(deeper_margin, 60, 0, 1'000, "a reduced move better than the best by this is searched a ply deeper")         \
    FIELD(history_bonus, 32, 1, 256, "bonus of a cutoff, per square of the depth")                                     \
    FIELD(history_bonus_max, 2'048, 1, 16'384, "maximum bonus")                                                        \
    FIELD(history_fade, 2, 1, 16, "divisor of history values from one search to the next")                             \
    FIELD(sort_limit, 1'000, 0, 16'000, "quiet moves are sorted down to minus this history per ply of depth")          \
    FIELD(delta_piece, 100, 0, 1'000, "value of a captured piece in delta pruning")                                    \
    FIELD(delta_margin, 120, 0, 2'000, "margin of delta pruning")                                                      \
    FIELD(quiescence_plies, 8, 1, 128, "maximum plies of captures in quiescence")                                      \
    FIELD(quiescence_captures, 1'000, 1, 1'000'000, "maximum captures that the quiescence of a leaf lists")

// The values in games of soldiers only (`Ruleset::soldiers_only`), where they differ.
#define LATRONES_SOLDIERS_TUNING(FIELD)    \
    FIELD(reverse_futility_margin, 78)     \
    FIELD(late_pruning_base, 5)            \
    FIELD(late_pruning_factor, 154)        \
    FIELD(reduction_base, 55)              \
    FIELD(reduction_divisor, 152)          \
    FIELD(reduction_cut_node, 115)

// The searches are compiled with one of these four. `full`: with the selective techniques.

// Values of the constants that are only known at run time. A search with them is a few per cent slower.
struct Tuning {
    static constexpr bool full = true;
#define LATRONES_FIELD(name, value, ...) int name = value;
    LATRONES_TUNING(LATRONES_FIELD)
#undef LATRONES_FIELD
    friend bool operator==(const Tuning&, const Tuning&) = default;

    // The usual values in games of soldiers only, or in all others.
    static Tuning usual(bool soldiers_only) {
        Tuning tuning;
        if (!soldiers_only) return tuning;
#define LATRONES_FIELD(name, value) tuning.name = value;
        LATRONES_SOLDIERS_TUNING(LATRONES_FIELD)
#undef LATRONES_FIELD
        return tuning;
    }
};

// The usual values, known to the compiler.
struct UsualTuning {
    static constexpr bool full = true;
    explicit UsualTuning(const Tuning&) {}
#define LATRONES_FIELD(name, value, ...) static constexpr int name = value;
    LATRONES_TUNING(LATRONES_FIELD)
#undef LATRONES_FIELD
};

struct SoldiersTuning : UsualTuning {
    using UsualTuning::UsualTuning;
#define LATRONES_FIELD(name, value) static constexpr int name = value;
    LATRONES_SOLDIERS_TUNING(LATRONES_FIELD)
#undef LATRONES_FIELD
};

// Plain search: scores are minimax values, with quiescence at the leaves.
struct PlainTuning : UsualTuning {
    static constexpr bool full = false;
    using UsualTuning::UsualTuning;
};

struct TuningField {
    const char* name;
    int value, least, greatest;
    const char* what;
    int Tuning::* member;
};

inline constexpr TuningField tuning_fields[] = {
#define LATRONES_FIELD(name, value, least, greatest, what) {#name, value, least, greatest, what, &Tuning::name},
    LATRONES_TUNING(LATRONES_FIELD)
#undef LATRONES_FIELD
};

namespace tune {

// Late move reductions
inline constexpr int reduction_max_count = 63;  // later moves use the reduction of this one

// Move ordering: the ranks of the moves; only their order matters
inline constexpr int history_max = 16'384;           // bound of history values
inline constexpr int piece_order = 4 * history_max;  // ordering score of a captured piece
inline constexpr int dux_order = 4;                  // additional pieces that a captured dux counts as
inline constexpr int win_order = 1'000;              // additional pieces that a winning move counts as
inline constexpr int tt_order = 17 * history_max;    // ordering score of a table move among the quiet moves
inline constexpr int killer_order = 16;              // the same for the first killer, in history_max; less for the next

// Transposition table
inline constexpr int table_age_penalty = 8;  // depth that an entry loses in value with each new search
inline constexpr int table_keep_margin = 3;  // a bound does not replace an entry deeper by more than this

// Quiescence
inline constexpr u64 first_iteration_captures = 64'000;  // captures listed for a line of the first iteration

// Threads
inline constexpr int vote_margin = 14;  // centi-soldiers; the weight of a vote by the worst score, for each ply

// Polling
inline constexpr u64 poll_nodes = 1'024;                              // nodes between two polls of a search
inline constexpr u64 perft_poll_moves = 512;                          // moves between two polls of a perft
inline constexpr auto poll_interval = std::chrono::milliseconds(1);   // minimum time between calls of should_stop
inline constexpr auto current_moves_after = std::chrono::seconds(1);  // time after which root moves are reported

// A change of a history value above its bound would leave the range.
static_assert(std::all_of(std::begin(tuning_fields), std::end(tuning_fields), [](const TuningField& field) {
    return field.least <= field.value && field.value <= field.greatest &&
           (field.member != &Tuning::history_bonus_max || field.greatest <= history_max);
}));

}  // namespace tune

// The late move reductions by depth and move count, in hundredths of a ply.
class Reductions {
   public:
    explicit Reductions(const Tuning& tuning) {
        const double base = tuning.reduction_base / 100.0, divisor = tuning.reduction_divisor / 100.0;
        std::array<double, std::max(MAX_PLY, tune::reduction_max_count) + 1> log{};
        for (std::size_t i = 1; i < log.size(); ++i) log[i] = std::log(static_cast<double>(i));
        for (std::size_t depth = 1; depth <= MAX_PLY; ++depth)
            for (std::size_t count = 1; count <= tune::reduction_max_count; ++count)
                hundredths_[depth][count] = static_cast<short>(100 * (base + log[depth] * log[count] / divisor));
    }
    int at(int depth, int move_count) const {
        return hundredths_[depth][std::min(move_count, tune::reduction_max_count)];
    }

   private:
    short hundredths_[MAX_PLY + 1][tune::reduction_max_count + 1]{};
};

}  // namespace latrones
