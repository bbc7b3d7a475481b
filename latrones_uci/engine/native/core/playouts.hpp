// Random games to the end, the same as `latrones_uci.engine.playouts` plays by the Python rules.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "perft.hpp"

namespace latrones {

template <class S>
class Playouts {
   public:
    // `past`: as in `Task`.
    Playouts(const Rules<S>& rules, const std::vector<u64>& past, std::function<bool()> should_stop)
        : rules_(rules), past_(past.begin(), past.end()), poller_(std::move(should_stop)) {}

    PlayoutCounts run(const Board<S>& start, u64 games, u64 seed, u64 max_plies) {
        SplitMix64 seeds(seed);
        for (u64 game = 0; game < games; ++game) play(start, SplitMix64(seeds()), max_plies);
        return counts_;
    }

   private:
    void play(Board<S> board, SplitMix64 draw, u64 max_plies) {
        keys_.assign(1, board.key);
        if (forbids_) occurred_ = past_;
        passes_ = 0;
        for (u64 plies = 0;; ++plies) {
            stack_.clear();
            const std::optional<int> found = result(board);
            poller_.add(stack_.size() + 1);
            if (found) {
                ++counts_.results[1 + (board.side == WHITE ? *found : -*found)];
                return;
            }
            if (plies == max_plies) {
                ++counts_.unfinished;
                return;
            }
            const Move move = pick((draw() >> 32) * stack_.size() >> 32);
            const Board<S> after = rules_.play(board, move, stack_);
            if (forbids_) {
                if (men(after) != men(board)) occurred_.clear();
                occurred_.insert(arrangements(board, move).front());
            }
            passes_ = move == PASS ? passes_ + 1 : 0;
            board = after;
            keys_.push_back(board.key);
            ++counts_.plies;
        }
    }

    // The result for the player to move; nothing if the game goes on, and the stack then has the legal moves.
    std::optional<int> result(const Board<S>& board) {
        const Ruleset& ruleset = rules_.ruleset;
        if (const int decision = rules_.decided(board)) return decision;
        if (!forbids_ && is_third(board)) return ruleset.repetition == Repetition::LOSS ? 1 : 0;
        if (ruleset.nocapture_limit && board.nocapture >= ruleset.nocapture_limit)
            return rules_.ending(ruleset.nocapture_result, board);
        if (passes_ == 2) return 0;
        rules_.moves(board, stack_);
        if (forbids_) drop_repeating(board);
        if (stack_.size() == 0) return rules_.ending(ruleset.no_move, board);
        return std::nullopt;
    }

    // Whether the position occurs for the third time.
    bool is_third(const Board<S>& board) const {
        const auto last = static_cast<int>(keys_.size()) - 1;
        int earlier = 0;
        for (int i = last - 2; i >= 0 && i >= last - board.nocapture; i -= 2)
            earlier += keys_[static_cast<std::size_t>(i)] == board.key;
        return earlier >= 2;
    }

    void drop_repeating(const Board<S>& board) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < stack_.size(); ++i) {
            const Move move = stack_[i].move;
            const auto made = arrangements(board, move);
            const auto occurred = [&](u64 key) { return occurred_.contains(key); };
            if (move == PASS || std::none_of(made.begin(), made.end(), occurred)) stack_[kept++].move = move;
        }
        stack_.shrink(kept);
        if (!kept && rules_.ruleset.no_move == Ending::PASS) stack_.push(PASS);
    }

    // The keys after each leg of a move.
    std::vector<u64> arrangements(const Board<S>& board, Move move) const {
        if (move < CHAIN) return {rules_.arrangement_key(rules_.play(board, move, stack_))};
        std::vector<u64> keys;
        Path path = stack_.path_of(move);
        const int cells = path.size;
        for (path.size = 2; path.size <= cells; ++path.size)
            keys.push_back(rules_.arrangement_key(rules_.play_path(board, path)));
        return keys;
    }

    static int men(const Board<S>& board) { return (board.own.plain() | board.opp.plain()).count(); }

    // The move with this index in the order of their numbers in Python.
    Move pick(std::size_t index) {
        // First by the cell that a move of one leg goes to; all other moves follow. A sort would take most of the time.
        const auto group_of = [](Move move) { return static_cast<std::size_t>(std::min<Move>(move >> 8, 256)); };
        u32 counts[257]{};
        for (std::size_t i = 0; i < stack_.size(); ++i) ++counts[group_of(stack_[i].move)];
        std::size_t group = 0, size = 0;
        for (; index >= counts[group]; ++group) index -= counts[group];
        for (std::size_t i = 0; i < stack_.size(); ++i)
            if (group_of(stack_[i].move) == group) std::swap(stack_[size++], stack_[i]);
        ScoredMove* const moves = &stack_[0];
        std::nth_element(moves, moves + index, moves + size, [&](const ScoredMove& a, const ScoredMove& b) {
            if (!(a.move & b.move & LONG_CHAIN)) return a.move < b.move;
            const Path one = stack_.path_of(a.move), other = stack_.path_of(b.move);
            if (one.size != other.size) return one.size < other.size;
            int last = one.size - 1;
            while (last && one.cell[last] == other.cell[last]) --last;
            return one.cell[last] < other.cell[last];
        });
        return moves[index].move;
    }

    const Rules<S>& rules_;
    const bool forbids_ = rules_.ruleset.repetition == Repetition::ILLEGAL;
    const std::unordered_set<u64> past_;
    Poller poller_;
    PlayoutCounts counts_;
    // Of the game that is played: its moves to choose from, keys, arrangements that must not recur, and last passes.
    MoveStack stack_;
    std::vector<u64> keys_;
    std::unordered_set<u64> occurred_;
    int passes_ = 0;
};

}  // namespace latrones
