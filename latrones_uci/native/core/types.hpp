// Search types: the task, progress reports and the result. They mean the same as in `latrones_uci.search.types`.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bits.hpp"

namespace latrones {

inline constexpr int MAX_PLY = 100;         // greatest depth of a search
inline constexpr int WIN = 30'000;          // score of a game that is won already; a win in n plies is WIN - n
inline constexpr int PROVEN = WIN - 1'000;  // scores of at least this are proven wins; at most its negative, losses
inline constexpr int TABLE_WIN = 20'000;    // score of a win by a table of endings, minus n at n plies below the root
inline constexpr int TABLE_PROVEN = TABLE_WIN - 1'000;  // scores of at least this depend on the distance from the root
inline constexpr int INFINITE = 32'000;     // larger than every score

enum class ScoreBound { EXACT, LOWER, UPPER };

// A move as it crosses the interface of the library: its kind and the squares it names.
struct WireMove {
    enum Kind { PATH, SOLDIER_PLACED, DUX_PLACED, SOLDIER_KILLED, PASSED } kind = PATH;  // PASSED names square 0
    std::vector<u8> squares;
    friend bool operator==(const WireMove&, const WireMove&) = default;
};

// The selective techniques. With all of them off, scores are plain minimax values.
enum Technique : u32 {
    DEEPER_ENTRIES = 1 << 0,    // use table entries from deeper searches
    MATE_DISTANCE = 1 << 1,     // prune lines that cannot win sooner than a line already found
    DUX_EXTENSION = 1 << 2,     // extend moves that leave the enemy dux a single open side
    REVERSE_FUTILITY = 1 << 3,  // near the leaves, cut off positions far above the window
    NULL_MOVE = 1 << 4,         // cut off positions that are still above the window after passing
    LATE_REDUCTION = 1 << 5,    // search late quiet moves at reduced depth first
    LATE_PRUNING = 1 << 6,      // near the leaves, skip late quiet moves
    FUTILITY = 1 << 7,          // near the leaves, skip quiet moves in positions far below the window
    RAZORING = 1 << 8,          // near the leaves, drop positions far below the window into quiescence
    PROBCUT = 1 << 9,           // cut off if a capture stays far above the window at reduced depth
    INTERNAL_REDUCTION = 1 << 10,   // search positions without a table move a ply less deep
    SINGULAR_EXTENSION = 1 << 11,   // extend a table move that is much better than all others
    HISTORY_PRUNING = 1 << 12,      // near the leaves, skip quiet moves with a bad history
    CORRECTION_HISTORY = 1 << 13,   // correct the evaluation by search results of similar positions
    TABLE_EVALUATION = 1 << 14,     // use the table's value of a position as a better evaluation
    QUIESCENCE_ENTRIES = 1 << 15,   // use table entries in quiescence
    DELTA_PRUNING = 1 << 16,        // in quiescence, skip captures that cannot reach the window
    ROOT_REDUCTION = 1 << 17,       // late reductions at the root
    QUIESCENCE_LIMIT = 1 << 18,     // end quiescence after some plies or captures
    ALL_TECHNIQUES = (1 << 19) - 1,
};

// The limits of a search, except for time.
struct Task {
    std::vector<WireMove> root_moves;  // not empty, all legal
    int depth = 0;
    std::optional<u64> nodes;
    std::optional<int> mate;
    int multipv = 1;
    int threads = 1;
    u32 techniques = ALL_TECHNIQUES;
    bool endings = true;  // probe the tables of endings in memory
};

struct SearchInfo {
    int depth, seldepth, multipv, score;
    ScoreBound bound;
    u64 nodes, table_hits;
    int hashfull;
    std::vector<WireMove> pv;
};

struct CurrentMove {
    int depth;
    WireMove move;
    int number;
};

struct Listener {
    std::function<void(const SearchInfo&)> info;
    std::function<void(const CurrentMove&)> current_move;
    std::function<bool()> should_stop;  // called about every millisecond
    // Called before each iteration after the first, with the values of `Progress` in `latrones_uci.search.types`.
    std::function<bool(int steady, bool settled, int fallen)> wants_depth;
};

struct SearchResult {
    WireMove move;
    std::optional<WireMove> ponder;
    u64 nodes = 0;
    int threads = 1;  // those that searched: fewer than wanted if the system did not create more
};

// Thrown to unwind a search or perft that was stopped.
struct Stopped {};

// ---------------------------------------------------------------- endings

// The pieces of one side.
struct Men {
    int dux = 0, soldiers = 0;
    friend bool operator==(const Men&, const Men&) = default;
};

// The pieces of the player to move and of the opponent on the board.
struct Split {
    Men own, opp;
    Split swapped() const { return {opp, own}; }
    int men() const { return own.dux + own.soldiers + opp.dux + opp.soldiers; }
    friend bool operator==(const Split&, const Split&) = default;
};

inline constexpr int MOST_MEN = 16;  // in a table

// The value for the player to move with perfect play under the no-capture limit: -1 lost, 0 drawn, 1 won. `plies` is
// the distance to the next capture, or to the end of the game; 0 for a draw. `by_limit`: the game is won or lost by the
// no-capture limit itself.
struct EndingValue {
    int outcome, plies;
    bool by_limit;
};

// The size of a table: the numbers of positions, the bytes per code, and the number of planes.
struct EndingShape {
    u64 size;
    int width, planes;
};

// The numbers of positions of a plane: all positions, those in which the player to move or the opponent attains its
// goal, and the largest distances.
struct EndingCounts {
    u64 positions, mover, opponent;
    int longest_mover, longest_opponent;
};

// Called from time to time by one thread: the level, the number of positions examined in it, and their total. Returns
// whether to continue.
using EndingProgress = std::function<bool(int level, u64 done, u64 total)>;

}  // namespace latrones
