// The library's door: the rules of a game on a board, and searches, as values that do not depend on the board's shape.
#pragma once

#include <memory>
#include <string>

#include "evaluation.hpp"
#include "ruleset.hpp"
#include "table.hpp"
#include "task.hpp"

namespace latrones {

// A board as it is handed over. Sets of squares are bytes, the lowest bit first, with `files` + 1 bits a rank.
struct WireBoard {
    std::string own, opp, bound;
    int own_dux = -1, opp_dux = -1, side = 0, nocapture = 0;
    u32 hand = 0;
    u64 key = 0;
};

// Whatever is handed over that cannot be (squares off the board, two men on one, moves that are not legal, numbers out of
// range) is answered by std::invalid_argument, and a search while another one runs by std::logic_error.
class Kernel {
   public:
    // Throws std::invalid_argument where the board has more than 16 files or ranks, or fewer than one.
    static std::unique_ptr<Kernel> make(const Ruleset& ruleset, const Weights& weights, int files, int ranks);

    virtual ~Kernel() = default;

    virtual std::vector<WireMove> moves(const WireBoard& board) const = 0;
    // The legal moves that may capture or decide.
    virtual std::vector<WireMove> tactical_moves(const WireBoard& board) const = 0;
    virtual WireBoard play(const WireBoard& board, const WireMove& move) const = 0;
    virtual int decided(const WireBoard& board) const = 0;
    virtual Terms evaluate(const WireBoard& board) const = 0;
    // Throws Stopped.
    virtual u64 perft(const WireBoard& board, int depth, bool bulk, const std::function<bool()>& should_stop) const = 0;

    // Searches. One at a time. `game_keys`: of all positions of the game, the present one last.
    virtual Outcome search(const WireBoard& board, const std::vector<u64>& game_keys, const Task& task, Table& table,
                           const Listener& listener) = 0;
    // Forgets what earlier searches taught.
    virtual void clear() = 0;
};

// One for each shape of board.
template <class S>
std::unique_ptr<Kernel> make_kernel(const Ruleset& ruleset, const Weights& weights, int files, int ranks);

}  // namespace latrones
