// What a search is asked for and what it says. Both kernels mean the same by it: see `latrones_uci.search.report`.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bits.hpp"

namespace latrones {

inline constexpr int WIN = 30'000;           // a game won now; a win n plies away is WIN - n
inline constexpr int PROVEN = WIN - 1'000;   // from here on wins are proven, from its negative down losses
inline constexpr int INFINITE = 32'000;

enum class ScoreBound { EXACT, LOWER, UPPER };

// A move between the library and its users: what it does and the squares it names.
struct WireMove {
    enum Kind { PATH, SOLDIER_PLACED, DUX_PLACED, SOLDIER_KILLED } kind = PATH;
    std::vector<u8> squares;
    friend bool operator==(const WireMove&, const WireMove&) = default;
};

// What makes a search selective. Without any of them a score is the plain minimax value.
enum Technique : u32 {
    DEEPER_ENTRIES = 1 << 0,   // results of the table from deeper searches
    MATE_DISTANCE = 1 << 1,    // lines that cannot win sooner than one found are left out
    DUX_EXTENSION = 1 << 2,    // moves that leave the enemy dux a single open side are searched a ply deeper
    REVERSE_FUTILITY = 1 << 3, // near the leaves a position far above the window is taken for one
    NULL_MOVE = 1 << 4,        // a position that stands the loss of a move is
    LATE_REDUCTION = 1 << 5,   // quiet moves late in the order are searched less deep first
    LATE_PRUNING = 1 << 6,     // and near the leaves not at all
    FUTILITY = 1 << 7,         // quiet moves near the leaves far below the window are left out
    ALL_TECHNIQUES = (1 << 8) - 1,
};

struct Task {
    std::vector<WireMove> root_moves;  // not empty, all legal
    int depth = 0;
    std::optional<u64> nodes;
    std::optional<int> mate;
    int multipv = 1;
    int threads = 1;
    u32 techniques = ALL_TECHNIQUES;
};

struct Info {
    int depth, seldepth, multipv, score;
    ScoreBound bound;
    u64 nodes;
    int hashfull;
    std::vector<WireMove> pv;
};

struct CurrentMove {
    int depth;
    WireMove move;
    int number;
};

struct Listener {
    std::function<void(const Info&)> info;
    std::function<void(const CurrentMove&)> current_move;
    std::function<bool()> should_stop;                           // asked about every millisecond
    std::function<bool(int steady, bool settled)> wants_depth;   // asked before each iteration after the first
};

struct Outcome {
    WireMove move;
    std::optional<WireMove> ponder;
    u64 nodes = 0;
};

}  // namespace latrones
