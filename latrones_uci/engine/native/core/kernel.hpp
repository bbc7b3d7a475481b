// The public interface of the library: the rules of a game on a board, and searches, independent of the board's shape.
#pragma once

#include <memory>
#include <string>

#include "net.hpp"
#include "ruleset.hpp"
#include "table.hpp"
#include "tuning.hpp"
#include "types.hpp"

namespace latrones {

// A board as it crosses the interface. Sets of squares are bytes, the lowest bit first, with `files` + 1 bits per rank.
struct WireBoard {
    std::string own, opp, bound;
    int own_dux = -1, opp_dux = -1, side = 0, nocapture = 0;
    u32 hand = 0;
    u64 key = 0;
};

// All arguments are checked. Invalid ones (squares off the board, two pieces on a square, illegal moves, numbers out of
// range) raise std::invalid_argument; a search while another one runs raises std::logic_error.
class Kernel {
   public:
    // Throws std::invalid_argument if the board has more than 16 files or ranks, or fewer than one.
    static std::unique_ptr<Kernel> make(const Ruleset& ruleset, const Weights& weights, int files, int ranks,
                                        const Tuning& tuning = {});

    virtual ~Kernel() = default;

    virtual std::vector<WireMove> moves(const WireBoard& board) const = 0;
    // The legal moves that may capture or decide.
    virtual std::vector<WireMove> tactical_moves(const WireBoard& board) const = 0;
    virtual WireBoard play(const WireBoard& board, const WireMove& move) const = 0;
    virtual int decided(const WireBoard& board) const = 0;
    // The terms of the hand-written evaluation.
    virtual Terms evaluate(const WireBoard& board) const = 0;
    // Sets the net for searches; none: the hand-written evaluation. Must not be called during a search.
    virtual void use_net(const std::optional<WireNet>& net) = 0;
    // The evaluation that searches use, in centi-soldiers for the player to move.
    virtual int value(const WireBoard& board) const = 0;
    // The rows of the net's inputs that are 1: in the view of the player to move, and in the other view.
    virtual std::array<std::vector<u16>, 2> net_rows(const WireBoard& board) const = 0;
    // Throws Stopped.
    virtual u64 perft(const WireBoard& board, int depth, bool bulk, const std::function<bool()>& should_stop) const = 0;
    // Plays random games of at most `max_plies`; `past` is as in `Task`. Throws Stopped.
    virtual PlayoutCounts playouts(const WireBoard& board, const std::vector<u64>& past, u64 games, u64 seed,
                                   u64 max_plies, const std::function<bool()>& should_stop) const = 0;

    // Searches; only one search can run at a time. The last report of each line has the totals of the whole search;
    // there is no report if the search stops before the first move is searched.
    virtual SearchResult search(const WireBoard& board, const Task& task, Table& table, const Listener& listener) = 0;
    // Discards everything learned in earlier searches.
    virtual void clear() = 0;

    // Endgame tables, each for one side to move; searches use the tables in memory. Throws std::length_error if a
    // split has too many positions. Must not be called during a search.
    virtual EndingShape ending_shape(const Split& split) const = 0;
    // Computes the tables of a split and of the swapped split; the tables that captures lead to must be in memory.
    // Throws Stopped.
    virtual void solve_ending(const Split& split, int threads, const EndingProgress& progress) = 0;
    // The codes of a plane of a table in memory, as bytes.
    virtual std::string ending_codes(const Split& split, int plane, u64 begin, u64 end) const = 0;
    // The counts of a plane of a table that was computed, not loaded.
    virtual EndingCounts ending_counts(const Split& split, int plane) const = 0;
    virtual void load_ending(const Split& split, const std::vector<std::string>& planes) = 0;
    virtual void drop_endings() = 0;
    // The value of a board on which the game is not over; nothing if it is in no table in memory.
    virtual std::optional<EndingValue> ending_value(const WireBoard& board) const = 0;
};

// Instantiated once for each shape of board.
template <class S>
std::unique_ptr<Kernel> make_kernel(const Ruleset& ruleset, const Weights& weights, int files, int ranks,
                                    const Tuning& tuning);

}  // namespace latrones
