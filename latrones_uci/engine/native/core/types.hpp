// Search types: the task, progress reports and the result. They mean the same as in `latrones_uci.engine.types`.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bits.hpp"

namespace latrones {

inline constexpr int MAX_PLY = 100;         // greatest depth of a search
inline constexpr int WIN = 30'000;          // score of a game that is won already; a win in n plies is WIN - n
inline constexpr int PROVEN = WIN - 1'000;  // scores of at least this are proven wins; at most its negative, losses
inline constexpr int TABLE_WIN = 20'000;    // score of a win by an endgame table, minus n at n plies below the root
inline constexpr int TABLE_PROVEN = TABLE_WIN - 1'000;  // scores of at least this depend on the distance from the root
inline constexpr int INFINITE = 32'000;     // larger than every score

enum class ScoreBound { EXACT, LOWER, UPPER };

// A move as it crosses the interface of the library: its kind and the squares it names.
struct WireMove {
    enum Kind { PATH, SOLDIER_PLACED, DUX_PLACED, SOLDIER_KILLED, PASSED } kind = PATH;  // PASSED names square 0
    std::vector<u8> squares;
    friend bool operator==(const WireMove&, const WireMove&) = default;
};

// What to search, and the limits except for time.
struct Task {
    std::vector<WireMove> root_moves;  // not empty, all legal
    std::vector<u64> game_keys;        // of all positions of the game, the current one last
    // Where repetition is illegal: the keys, with White to move, of the arrangements that must not recur.
    std::vector<u64> past;
    int depth = 0;
    std::optional<u64> nodes;
    std::optional<int> mate;
    int multipv = 1;
    int threads = 1;
    bool endings = true;  // probe the endgame tables in memory
    int final_men = 0;    // number of pieces with which every capture ends the game, so that a distance is that to the end
    bool plain = false;   // without selective techniques: scores are minimax values
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
    // Called before each iteration after the first, with the values of `Progress` in `latrones_uci.engine.types`.
    std::function<bool(int steady, bool settled, int fallen)> wants_depth;
};

struct SearchResult {
    WireMove move;
    std::optional<WireMove> ponder;
    u64 nodes = 0;
    int threads = 1;  // those that searched: fewer than wanted if the system did not create more
};

// Of random games: those that Black won, drew and lost, those that the limit of plies cut off, and the plies of all.
struct PlayoutCounts {
    u64 results[3]{}, unfinished = 0, plies = 0;
};

// Thrown to unwind what was stopped: a search, perft or random games.
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

inline constexpr int MAX_MEN = 16;  // in a table

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
