// The root moves of a search with their results, the state shared by its threads, and reports.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "geometry.hpp"
#include "moves.hpp"
#include "table.hpp"
#include "tuning.hpp"

namespace latrones {

// The state shared by the threads of a search.
struct Shared {
    Table& table;
    std::vector<u64> past;  // of the task, sorted
    std::atomic<bool> stop{false};
    std::atomic<u64> nodes{0};  // of all threads, as of their last update
    std::atomic<u64> table_hits{0};  // positions found in endgame tables, also of all threads
    u64 reported_nodes = 0;     // in the last report of the best line; used by the main thread only
    // Called when the first iteration has finished: earlier, the helper threads would use up a small node limit before
    // there is a line to report.
    std::function<void()> start_helpers{};
};

// The result of searching a root move to some depth.
struct RootResult {
    int depth = 0, seldepth = 0, score = -INFINITE;
    ScoreBound bound = ScoreBound::EXACT;
    std::vector<Move> pv;
};

struct RootMove {
    Move move = NO_MOVE;
    RootResult latest{};
    // The result to report at the end of the search. Unlike `latest`, it stays exact if the search stops after a score
    // outside the window. Its depth is 0 until the move has been searched.
    RootResult reported{};

    void update(RootResult&& result) {
        latest = std::move(result);
        const bool exact = reported.depth && reported.bound == ScoreBound::EXACT;
        if (latest.bound == ScoreBound::EXACT || !exact || reported.depth < latest.depth - 1) reported = latest;
    }
};

// The number of the thread whose best move is played. Each thread votes for its best move; a vote has the more weight
// the deeper the thread searched and the further its score is above the worst one. The first thread wins ties, and keeps
// a proven loss, which the others may not have seen.
inline std::size_t winner_of_vote(const std::vector<std::vector<RootMove>>& threads) {
    if (threads[0].front().latest.score <= -TABLE_PROVEN) return 0;
    const auto searched = [](const auto& moves) { return !moves.empty() && moves.front().latest.depth; };
    int worst = WIN;
    for (const auto& moves : threads)
        if (searched(moves)) worst = std::min(worst, moves.front().latest.score);
    std::size_t winner = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        if (!searched(threads[i])) continue;
        std::int64_t votes = 0;
        for (const auto& moves : threads) {
            if (!searched(moves) || moves.front().move != threads[i].front().move) continue;
            const RootResult& vote = moves.front().latest;
            votes += std::int64_t{vote.score - worst + tune::vote_margin} * vote.depth;
        }
        if (votes > most) most = votes, winner = i;
    }
    return winner;
}

// A move as it crosses the interface of the library. `paths` must know it.
template <class S>
WireMove wire_move(const Geometry<S>& geometry, const MoveStack& paths, Move move) {
    WireMove wire;
    const auto add = [&](int cell) { wire.squares.push_back(static_cast<u8>(geometry.square_of(cell))); };
    if (is_path(move)) {
        const Path path = paths.path_of(move);
        for (int i = 0; i < path.size; ++i) add(path.cell[i]);
    } else {
        wire.kind = static_cast<WireMove::Kind>(kind_of(move) >> 16);
        add(cell_of(move));
    }
    return wire;
}

// Reports a line with the current totals. `rank` counts from 0.
template <class S>
void report(const RootResult& result, std::size_t rank, const Geometry<S>& geometry, const MoveStack& paths,
            Shared& shared, const Listener& listener) {
    const u64 nodes = shared.nodes.load();
    if (rank == 0) shared.reported_nodes = nodes;
    SearchInfo info{result.depth, result.seldepth, static_cast<int>(rank) + 1, result.score, result.bound, nodes,
                    shared.table_hits.load(), shared.table.hashfull(), {}};
    for (const Move move : result.pv) info.pv.push_back(wire_move(geometry, paths, move));
    listener.info(info);
}

}  // namespace latrones
