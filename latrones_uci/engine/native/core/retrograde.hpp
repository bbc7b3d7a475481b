// Retrograde analysis: computes the tables of a split of pieces, for either side to move.
//
// Level n decides the positions in which a player attains its goal in exactly n plies. The first pass examines every
// position and covers levels 0 and 1. After that, level n examines the positions from which a quiet move may lead to a
// position decided at level n - 1. It finds them by taking moves back without checking legality; each position is then
// judged by its legal moves, so that the result depends only on the forward rules.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "endings.hpp"

namespace latrones {

template <class S>
class Retrograde {
   public:
    using Set = Bits<S::limbs>;

    // `tables` must have all splits that captures lead to. Throws std::length_error for too many positions.
    Retrograde(const Rules<S>& rules, EndingTables<S>& tables, const Split& split, int threads, EndingProgress progress)
        : rules_(rules), tables_(tables), progress_(std::move(progress)), workers_(static_cast<std::size_t>(threads)) {
        halves_.push_back({tables.make(split), {}, {}});
        if (split.own != split.opp) halves_.push_back({tables.make(split.swapped()), {}, {}});
        for (Half& half : halves_) {
            tables.allocate(*half.table);
            const auto words = static_cast<std::size_t>(half.table->index.size() / 64 + 1);
            half.winning.resize(words);
            half.losing.resize(words);
        }
    }

    // Adds the finished tables to the others. Throws Stopped.
    void run() {
        const std::size_t planes = halves_[0].table->planes.size();
        for (plane_ = 0; plane_ < planes; ++plane_) {
            least_ = planes == 1 || plane_ == 1 ? 1 : 0;
            level_ = 1;
            bool found = for_all([&](Worker& worker, u64 begin, u64 end, int half) {
                for (u64 i = begin; i < end; ++i) judge_first(worker, half, i);
            });
            while (found && level_ < tables_.longest()) {
                ++level_;
                for_all([&](Worker&, u64 begin, u64 end, int half) { mark_parents(half, begin, end); });
                found = for_all([&](Worker& worker, u64 begin, u64 end, int half) {
                    judge_marked(worker, half, begin, end);
                });
            }
            if (found && !rules_.ruleset.nocapture_limit) throw std::length_error("a win is too long for a table");
        }
        for (Half& half : halves_) tables_.add(std::move(half.table));
    }

   private:
    struct Half {
        std::unique_ptr<EndingTable<S>> table;
        std::vector<u64> winning, losing;  // bits: the positions to examine because they may be won, or lost
    };
    struct Worker {
        MoveStack stack;
        bool found = false;
    };
    static constexpr u64 chunk = 1 << 12;  // a multiple of 64, so that no two threads share a word of the bits

    Codes& codes(int half) { return halves_[static_cast<std::size_t>(half)].table->planes[plane_]; }
    const EndingIndex<S>& index(int half) const { return halves_[static_cast<std::size_t>(half)].table->index; }
    int other(int half) const { return halves_.size() == 1 ? 0 : 1 - half; }

    // Whether the goal of the plane belongs to the player to move in a half, or to its opponent.
    bool mover_attacks(int half) const {
        const int outcome = halves_[static_cast<std::size_t>(half)].table->limit_outcome;
        return outcome <= 0;
    }
    bool opponent_attacks(int half) const {
        const int outcome = halves_[static_cast<std::size_t>(half)].table->limit_outcome;
        return outcome >= 0;
    }

    // ------------------------------------------------------------ passes

    // Runs `work` on all positions in chunks, with all threads. Returns whether a position was decided.
    template <class Work>
    bool for_all(const Work& work) {
        u64 total = 0;
        for (const Half& half : halves_) total += half.table->index.size();
        std::atomic<u64> next{0}, done{0};
        std::atomic<bool> stop{false};
        std::exception_ptr failure;
        std::mutex failure_mutex;
        const auto run = [&](Worker& worker, bool reports) {
            try {
                worker.found = false;
                while (!stop.load(std::memory_order_relaxed)) {
                    u64 begin = next.fetch_add(chunk);
                    int half = 0;
                    if (const u64 first = chunks(0); begin >= first) {
                        begin -= first;
                        half = 1;
                    }
                    if (half == static_cast<int>(halves_.size()) || begin >= chunks(half)) break;
                    const u64 end = std::min(begin + chunk, index(half).size());
                    if (begin < end) work(worker, begin, end, half);
                    done += end - begin;
                    if (reports && !progress_(level_, done, total)) throw Stopped{};
                }
            } catch (...) {
                const std::lock_guard<std::mutex> lock(failure_mutex);
                if (!failure) failure = std::current_exception();
                stop = true;
            }
        };
        {
            std::vector<std::jthread> helpers;
            for (std::size_t i = 1; i < workers_.size(); ++i) helpers.emplace_back([&, i] { run(workers_[i], false); });
            run(workers_[0], true);
        }
        if (failure) std::rethrow_exception(failure);
        for (const Worker& worker : workers_)
            if (worker.found) return true;
        return false;
    }
    // The size of a half, rounded up to whole chunks.
    u64 chunks(int half) const { return (index(half).size() + chunk - 1) / chunk * chunk; }

    void judge_first(Worker& worker, int half, u64 i) {
        const Board<S> board = index(half).board(i);
        unsigned code;
        if (index(half).of(board) != i) {
            code = codes(half).unused();
        } else if (const int decided = rules_.decided(board)) {
            code = mover_attacks(half) && decided >= least_        ? code_of(true, 0)
                   : opponent_attacks(half) && -decided >= least_ ? code_of(false, 0)
                                                                  : 0;
        } else {
            code = judged(worker, half, board, true);
            if (code) worker.found = true;
        }
        if (code) codes(half).set(i, code);
    }

    void judge_marked(Worker& worker, int half, u64 begin, u64 end) {
        Half& own = halves_[static_cast<std::size_t>(half)];
        for (u64 word = begin / 64; word * 64 < end; ++word) {
            const u64 winning = own.winning[word], losing = own.losing[word];
            own.winning[word] = own.losing[word] = 0;
            for (u64 rest = winning | losing; rest; rest &= rest - 1) {
                const int bit = std::countr_zero(rest);
                const u64 i = word * 64 + static_cast<u64>(bit);
                if (codes(half)[i]) continue;
                const unsigned code = judged(worker, half, index(half).board(i), winning >> bit & 1);
                if (!code) continue;
                codes(half).set(i, code);
                worker.found = true;
            }
        }
    }

    void mark_parents(int half, u64 begin, u64 end) {
        Half& parents = halves_[static_cast<std::size_t>(other(half))];
        const unsigned for_mover = code_of(true, level_ - 1), for_opponent = code_of(false, level_ - 1);
        for (u64 i = begin; i < end; ++i) {
            const unsigned code = codes(half)[i];
            if (code != for_mover && code != for_opponent) continue;
            std::vector<u64>& bits = code == for_mover ? parents.losing : parents.winning;
            for_each_parent(index(half).board(i), [&](const Board<S>& parent) {
                const u64 number = parents.table->index.of(parent);
                __atomic_fetch_or(&bits[number / 64], u64{1} << number % 64, __ATOMIC_RELAXED);
            });
        }
    }

    // ------------------------------------------------------------ judging a position by its legal moves

    // The code of an undecided board if it is decided at this level, else 0. If not `may_win`, the mover cannot attain
    // its goal at this level.
    unsigned judged(Worker& worker, int half, const Board<S>& board, bool may_win) {
        MoveStack& stack = worker.stack;
        const auto mark = stack.mark();
        const bool mine = mover_attacks(half);
        bool theirs = opponent_attacks(half);  // so far, the opponent attains its goal after every move
        const Wide<S> empty = rules_.empty(board);
        const Set targets = rules_.targets(board, empty);
        if (rules_.movement.hops()) rules_.distinct_moves(board, empty, targets, stack);
        else rules_.moves(board, empty, targets, stack);
        const std::size_t end = stack.size();
        unsigned code = 0;
        if (end == mark.moves) {
            const int outcome = rules_.ending(rules_.ruleset.no_move, board);
            if (mine && outcome >= least_) code = code_of(true, 1);
            else if (theirs && -outcome >= least_) code = code_of(false, 1);
            return level_ == 1 ? code : 0;
        }
        for (std::size_t i = mark.moves; i < end && (theirs || (mine && may_win)); ++i) {
            const Move move = stack[i].move;
            const bool tactical = move >= ONE_LEG || targets.test(to_of(move));
            if (!tactical && level_ == 1) {  // the board after it is undecided
                theirs = false;
                continue;
            }
            const Board<S> child = tactical ? rules_.play(board, move, stack) : rules_.play_quiet(board, move);
            int outcome = tactical ? -rules_.decided(child) : 0;
            if (!outcome && child.nocapture) {
                if (level_ == 1) {
                    theirs = false;
                    continue;
                }
                const unsigned of_child = codes(other(half))[index(other(half)).of(child)];
                const bool known = of_child && plies_of(of_child) < level_;
                if (known && !mover_attains(of_child)) {
                    code = code_of(true, level_);
                    break;
                }
                theirs = theirs && known;
                continue;
            }
            if (!outcome) outcome = -captured_to(child);
            if (mine && outcome >= least_) {
                code = code_of(true, level_);
                break;
            }
            theirs = theirs && -outcome >= least_;
        }
        stack.forget_since(mark);
        return code ? code : theirs ? code_of(false, level_) : 0;
    }

    // The value of an undecided board right after a capture.
    int captured_to(const Board<S>& board) const {
        // A side without pieces can still kill the last enemy.
        if (!board.own.any() && !board.opp.any()) return rules_.ending(rules_.ruleset.no_move, board);
        const auto value = tables_.value(board);
        if (!value) throw std::logic_error("a table with fewer men is missing");
        return value->outcome;
    }

    // ------------------------------------------------------------ taking moves back

    // Calls `action` with a superset of the boards from which a quiet move may lead to this one.
    template <class Action>
    void for_each_parent(const Board<S>& board, Action&& action) const {
        const Set own = board.own.plain(), opp = board.opp.plain(), empty = rules_.geometry.full() & ~(own | opp);
        opp.for_each([&](int to) {
            origins(board, own, opp, empty, to).for_each([&](int origin) {
                Board<S> parent = board;
                parent.own = board.opp ^ rules_.geometry.wide(to) ^ rules_.geometry.wide(origin);
                parent.opp = board.own;
                parent.own_dux = to == board.opp_dux ? static_cast<short>(origin) : board.opp_dux;
                parent.opp_dux = board.own_dux;
                if (rules_.ruleset.capture_effect != CaptureEffect::BIND) return action(parent);
                // Any of the other soldiers may have been bound.
                const Set others = (own | opp) & ~(Set::of(to) | Binding<S>::duces(board.own_dux, board.opp_dux));
                parent.bound = {};
                do {
                    action(parent);
                    parent.bound = next_subset(parent.bound, others);
                } while (parent.bound.any());
            });
        });
    }

    // The next subset in a cycle of all subsets of a set.
    static Set next_subset(const Set& subset, const Set& all) {
        Set next = subset;
        bool carry = true;
        all.for_each([&](int cell) {
            if (!carry) return;
            carry = next.test(cell);
            if (carry) next.reset(cell);
            else next.set(cell);
        });
        return next;
    }

    // The cells from which the piece of `opp` on `to` may have come.
    Set origins(const Board<S>& board, const Set& own, const Set& opp, const Set& empty, int to) const {
        const Geometry<S>& geometry = rules_.geometry;
        const Ruleset& ruleset = rules_.ruleset;
        const bool is_dux = to == board.opp_dux;
        const Gait gait = is_dux ? ruleset.dux_move : ruleset.soldier_move;
        const Jump jump = is_dux ? ruleset.dux_jump : ruleset.soldier_jump;
        Set origins = geometry.near(to) & empty;
        if (rules_.movement.diagonal()) origins |= geometry.diagonal(to) & empty;
        for (Direction d : DIRECTIONS) {
            const int step = geometry.step(d), room = geometry.room(d, to);
            if (gait == Gait::SLIDE)
                for (int i = 1; i <= room && empty.test(to + i * step); ++i) origins.set(to + i * step);
            if (jump == Jump::LINE) {
                int run = 1;
                while (run <= room && (own | opp).test(to + run * step)) ++run;
                if (1 < run && run <= room) origins.set(to + run * step);
            }
        }
        const bool over_all = ruleset.jump_over == JumpOver::ALL;
        const auto add_to = [](Set& cells) { return [&cells](int cell) { cells.set(cell); }; };
        if (jump == Jump::SINGLE) rules_.movement.for_each_jump(to, over_all ? own | opp : own, empty, add_to(origins));
        if (jump == Jump::CHAIN) {
            // Over all pieces, a chain may also hop over the cell that it began on, which is empty now.
            const Set over = over_all ? geometry.full() : own;
            Set reached = Set::of(to), front = reached;
            while (front.any()) {
                Set next;
                front.for_each([&](int cell) { rules_.movement.for_each_hop(cell, over, empty, add_to(next)); });
                front = next & ~reached;
                reached |= next;
            }
            reached.reset(to);
            origins |= reached;
        }
        return origins;
    }

    const Rules<S>& rules_;
    EndingTables<S>& tables_;
    const EndingProgress progress_;
    std::vector<Worker> workers_;
    std::vector<Half> halves_;
    std::size_t plane_ = 0;
    int level_ = 0, least_ = 1;  // the goal: 1 a win, 0 a draw or better
};

}  // namespace latrones
