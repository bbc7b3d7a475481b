// Perft: the number of move sequences of a given length. Repetition and the no-capture limit are not applied.
#pragma once

#include <chrono>
#include <functional>

#include "rules.hpp"
#include "tuning.hpp"
#include "types.hpp"

namespace latrones {

// Calls `should_stop` about every millisecond, and throws Stopped if it says so.
class Poller {
   public:
    explicit Poller(std::function<bool()> should_stop) : should_stop_(std::move(should_stop)) {}
    void add(u64 moves) {
        if ((moves_ += moves) >= poll_at_) poll();
    }

   private:
    using Clock = std::chrono::steady_clock;

    // The time per move differs by orders of magnitude between positions, so calls depend on the clock.
    void poll() {
        poll_at_ = moves_ + tune::perft_poll_moves;
        const auto now = Clock::now();
        if (now - asked_ < tune::poll_interval) return;
        asked_ = now;
        if (should_stop_()) throw Stopped{};
    }

    const std::function<bool()> should_stop_;
    u64 moves_ = 0, poll_at_ = tune::perft_poll_moves;
    Clock::time_point asked_ = Clock::now();
};

template <class S>
class Perft {
   public:
    // `bulk`: count the moves of the last ply without playing them.
    Perft(const Rules<S>& rules, bool bulk, std::function<bool()> should_stop)
        : rules_(rules), bulk_(bulk), poller_(std::move(should_stop)) {}

    u64 count(const Board<S>& board, int depth, MoveStack& stack) {
        if (depth == 0) {
            keys_ ^= board.key;
            return 1;
        }
        return rules_.decided(board) ? 0 : undecided(board, depth, stack);
    }
    // The exclusive or of the keys of the last positions, which prevents the compiler from optimizing the moves away.
    u64 keys() const { return keys_; }

   private:
    u64 undecided(const Board<S>& board, int depth, MoveStack& stack) {
        if (depth == 1 && bulk_) return rules_.count(board, stack);
        const std::size_t begin = stack.size();
        const Wide<S> empty = rules_.empty(board);
        const Bits<S::limbs> targets = rules_.targets(board, empty);
        rules_.moves(board, empty, targets, stack);
        const std::size_t end = stack.size();
        poller_.add(end - begin);
        u64 total = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const Move move = stack[i].move;
            if (move >= ONE_LEG || targets.test(to_of(move))) {
                total += count(rules_.play(board, move, stack), depth - 1, stack);
            } else {
                const Board<S> child = rules_.play_quiet(board, move);
                total += depth == 1 ? count(child, 0, stack) : undecided(child, depth - 1, stack);
            }
        }
        stack.shrink(begin);
        return total;
    }

    const Rules<S>& rules_;
    const bool bulk_;
    Poller poller_;
    u64 keys_ = 0;
};

}  // namespace latrones
