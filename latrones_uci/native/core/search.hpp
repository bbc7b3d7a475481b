// Iterative deepening negamax alpha-beta: what one thread does.
//
// The contract of every search function here: given a window (alpha, beta) it returns a value v of the position, from
// the player to move, that is a lower bound of the true value where v >= beta, an upper bound where v <= alpha, and the
// value itself in between (fail-soft). "True" is the minimax value at that depth with quiescence at the leaves; the
// selective techniques depart from it, each for the match that docs/search.md names.
#pragma once

#include <atomic>
#include <chrono>

#include "evaluation.hpp"
#include "perft.hpp"
#include "picker.hpp"
#include "reductions.hpp"
#include "task.hpp"
#include "wire_move.hpp"

namespace latrones {

// What the threads of a search share.
struct Shared {
    Table& table;
    const std::vector<u64>& game_keys;  // of all positions of the game, the root last
    std::atomic<bool> stop{false};
    std::atomic<u64> nodes{0};  // of all threads, as far as they have told
    // Set when the first iteration is done, or never will be. The other threads wait for it: however little there is to
    // spend, it must not be gone before there is a line to tell.
    std::atomic<bool> begun{false};

    void begin() {
        begun = true;
        begun.notify_all();
    }
};

struct Line {
    Move move = NO_MOVE;
    int score = -INFINITE;
    std::vector<Move> pv;
};

template <class S>
class Searcher {
   public:
    using Set = Bits<S::limbs>;

    // A listener for the thread that speaks and decides when to end, none for the others.
    Searcher(const Rules<S>& rules, const Evaluation<S>& evaluation, MoveOrder<S::cells>& order, MoveStack& stack,
             Shared& shared, const Task& task, const Listener* listener)
        : rules_(rules),
          evaluation_(evaluation),
          order_(order),
          stack_(stack),
          shared_(shared),
          task_(task),
          listener_(listener),
          limit_(rules.ruleset.nocapture_limit ? rules.ruleset.nocapture_limit : never),
          counted_from_(std::min(least_plies_to_repeat, limit_)),
          repeater_loses_(rules.ruleset.repetition == Ending::LOSS),
          breathes_(rules.ruleset.dux_breathes()),
          extends_(breathes_ && has(DUX_EXTENSION)) {
        set_poll();
    }

    // Deepens until a bound is met or the search is stopped. There is always a move, be it the first.
    void run(const Board<S>& root, std::vector<Line>& lines, int first_depth) {
        frames_[0].board = root;
        int steady = 0;
        bool settled = false;
        try {
            for (int depth = first_depth; depth <= task_.depth; ++depth) {
                if (listener_ && depth > first_depth && !listener_->wants_depth(steady, settled)) break;
                const Move before = lines[0].move;
                iterate(lines, depth);
                if (listener_ && depth == first_depth) shared_.begin();
                steady = lines[0].move == before ? steady + 1 : 0;
                settled = WIN - std::abs(lines[0].score) <= depth;
                if (task_.mate && lines[0].score >= WIN - 2 * *task_.mate) break;
            }
        } catch (const Stopped&) {
        }
        tell_nodes();
    }

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr int never = 1 << 30;
    static constexpr int least_plies_to_repeat = 4;
    static constexpr u64 poll_nodes = 1024;
    // To tell each root move costs more than to search it, until that takes a while.
    static constexpr auto current_moves_after = std::chrono::seconds(1);
    static constexpr int aspiration_depth = 3, aspiration = 30;
    static constexpr int first_to_prune = 3;  // iteration
    static constexpr int longest_extension = 2;  // times the depth

    bool has(Technique technique) const { return task_.techniques & technique; }

    struct Frame {
        Board<S> board;
        MoveHint hint = 0;  // of the move made here
        int pv_size = 0;
        Move pv[MAX_PLY + 2];
    };

    // ------------------------------------------------------------ root

    void iterate(std::vector<Line>& lines, int depth) {
        depth_ = seldepth_ = depth;
        const std::size_t wanted = std::min(static_cast<std::size_t>(task_.multipv), lines.size());
        for (std::size_t rank = 0; rank < wanted; ++rank) search_line(lines, rank, depth);
        std::stable_sort(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(wanted),
                         [](const Line& a, const Line& b) { return a.score > b.score; });
        for (std::size_t rank = 0; rank < wanted; ++rank)
            report(lines[rank], depth, rank, lines[rank].score, ScoreBound::EXACT);
    }

    // Finds the best line from `rank` on, in a window about what it was worth before.
    void search_line(std::vector<Line>& lines, std::size_t rank, int depth) {
        int alpha = -INFINITE, beta = INFINITE, window = aspiration;
        const int guess = lines[rank].score;
        if (depth >= aspiration_depth && std::abs(guess) < PROVEN) {
            alpha = guess - window;
            beta = guess + window;
        }
        while (true) {
            const int score = search_root(lines, rank, alpha, beta, depth);
            if (alpha < score && score < beta) return;
            report(lines[rank], depth, rank, score, score <= alpha ? ScoreBound::UPPER : ScoreBound::LOWER);
            window *= 3;
            if (score <= alpha) alpha = score > -PROVEN ? score - window : -INFINITE;
            else beta = score < PROVEN ? score + window : INFINITE;
        }
    }

    // Searches the lines from `rank` on; a new best one moves to `rank` as soon as it is known.
    int search_root(std::vector<Line>& lines, std::size_t rank, int alpha, int beta, int depth) {
        const Board<S>& root = frames_[0].board;
        int best = -INFINITE;
        for (std::size_t index = rank; index < lines.size(); ++index) {
            const Move move = lines[index].move;
            if (listener_ && Clock::now() - begun_ >= current_moves_after)
                listener_->current_move(CurrentMove{depth, wire(move), static_cast<int>(index) + 1});
            const bool second = root.side == (frames_[1].board = rules_.play(root, move, stack_)).side;
            frames_[0].hint = hint_of(move, stack_);
            ++nodes_;
            int score;
            if (index == rank) {
                score = value(second, true, alpha, beta, depth - 1, 1);
            } else {
                score = value(second, true, alpha, alpha + 1, depth - 1, 1);
                if (alpha < score && score < beta) score = value(second, true, alpha, beta, depth - 1, 1);
            }
            if (score > alpha || index == rank) {
                Line& line = lines[index];
                line.score = score;
                line.pv.assign(1, move);
                line.pv.insert(line.pv.end(), frames_[1].pv, frames_[1].pv + frames_[1].pv_size);
                std::rotate(lines.begin() + static_cast<std::ptrdiff_t>(rank),
                            lines.begin() + static_cast<std::ptrdiff_t>(index),
                            lines.begin() + static_cast<std::ptrdiff_t>(index) + 1);
            }
            best = std::max(best, score);
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
        return best;
    }

    void report(const Line& line, int depth, std::size_t rank, int score, ScoreBound bound) {
        if (!listener_) return;
        tell_nodes();
        Info info{depth, seldepth_, static_cast<int>(rank) + 1, score, bound, shared_.nodes.load(),
                  shared_.table.hashfull(), {}};
        for (Move move : line.pv) info.pv.push_back(wire(move));
        if (info.pv.empty()) info.pv.push_back(wire(line.move));
        listener_->info(info);
    }

    WireMove wire(Move move) const { return wire_move(rules_.geometry, stack_, move); }

    // ------------------------------------------------------------ inner nodes

    // What the board at `ply` - 1 is worth by the move to that at `ply`, which is searched to `depth`. `second`: the
    // same player moves again; `tactical`: the move may have decided the game.
    int value(bool second, bool tactical, int alpha, int beta, int depth, int ply) {
        if (tactical)
            if (const int outcome = rules_.decided(frames_[ply].board)) {
                frames_[ply].pv_size = 0;
                seldepth_ = std::max(seldepth_, ply);
                const int value = outcome * (WIN - ply);
                return second ? value : -value;
            }
        if (second) return search(alpha, beta, depth, ply, true);
        return -search(-beta, -alpha, depth, ply, true);
    }

    // The value of the undecided board at `ply`, entered by a move.
    int search(int alpha, int beta, int depth, int ply, bool null_allowed) {
        if (depth <= 0 || ply >= MAX_PLY) return quiesce(alpha, beta, ply);
        Frame& frame = frames_[ply];
        const Board<S>& board = frame.board;
        if (nodes_ >= poll_at_) poll();
        const bool in_pv = beta - alpha > 1;
        frame.pv_size = 0;
        int ending;
        if (board.nocapture >= counted_from_ && ended(board, ply, ending)) return ending;
        if (has(MATE_DISTANCE)) {
            // No line from here wins sooner than the next ply, nor loses sooner than now.
            alpha = std::max(alpha, ply - WIN);
            beta = std::min(beta, WIN - ply - 1);
            if (alpha >= beta) return alpha;
        }

        Entry entry{};
        const bool known = shared_.table.probe(board.key, entry);
        if (known && !in_pv && (has(DEEPER_ENTRIES) ? entry.depth >= depth : entry.depth == depth)) {
            const int value = from_table(entry.score, ply);
            if ((entry.bound & (value >= beta ? LOWER : UPPER)) && board.nocapture + depth < limit_) return value;
        }

        const Wide<S> empty = rules_.empty(board);
        const Set empty_set = empty.plain();
        const bool placing = board.hand.any();
        const bool danger = breathes_ && (rules_.geometry.near(board.own_dux) & empty_set).at_most_one();
        Wide<S> landings;
        const int evaluation = known ? entry.evaluation : evaluation_.terms(board, empty, landings).total();
        // The first iterations leave nothing out: they cost little, and see the short wins.
        const bool prunes = depth_ >= first_to_prune && !in_pv && !danger && !placing && std::abs(beta) < PROVEN;

        if (prunes && has(REVERSE_FUTILITY) && depth <= 6 && evaluation - 50 * depth >= beta) return evaluation;

        const bool may_pass = has(NULL_MOVE) && null_allowed && board.nocapture + depth < limit_;
        if (prunes && may_pass && depth >= 3 && evaluation >= beta) {
            const int reduced = depth - 3 - depth / 4 - std::min((evaluation - beta) / 100, 2);
            Board<S>& child = frames_[ply + 1].board;
            child = board;
            rules_.pass(child);
            ++child.nocapture;
            frame.hint = 0;
            int score = -search(-beta, -beta + 1, reduced, ply + 1, false);
            if (score >= beta) {
                // With few moves to choose from, having to move may be what loses.
                const bool zugzwang = rules_.movement.reach(board.own, board.own_dux, empty).count() < 12;
                if (!zugzwang && depth < 12) return score < PROVEN ? score : beta;
                score = search(beta - 1, beta, reduced, ply, false);
                if (score >= beta) return score;
                frame.pv_size = 0;
            }
        }

        const Set targets = known ? rules_.targets(board, empty) : rules_.targets(board, empty, landings);
        const Set beside_dux = breathes_ ? rules_.geometry.near(board.opp_dux) : Set{};
        const Set dux_sides = beside_dux & empty_set;
        const bool may_extend =
            extends_ && ply < longest_extension * depth_ && !dux_sides.at_most_one();

        const std::size_t begin = stack_.size();
        const Set last_side = breathes_ && dux_sides.at_most_one() ? dux_sides : Set{};
        Picker<S> picker({rules_, order_, stack_}, board, empty, targets, last_side, known ? entry.move : MoveHint{0},
                         frames_[ply - 1].hint, ply);
        const int futile = has(FUTILITY) && prunes && depth <= 5 ? evaluation + 40 + 50 * depth : INFINITE;
        if (futile <= alpha) picker.leave_out_quiets(beside_dux);
        int best = -INFINITE, number = 0, quiets = 0;
        Move best_move = NO_MOVE;
        Bound bound = UPPER;
        while (const Move move = picker.next()) {
            ++number;
            const bool quiet = picker.quiet();
            const bool one_leg = move < ONE_LEG;
            const bool beside = one_leg && beside_dux.test(to_of(move));
            if (prunes && quiet && !beside && best > -PROVEN) {
                if (has(LATE_PRUNING) && depth <= 5 && quiets >= 3 + 2 * depth * depth) continue;
                if (futile <= alpha) continue;
            }
            Board<S>& child = frames_[ply + 1].board;
            child = quiet && one_leg ? rules_.play_quiet(board, move) : rules_.play(board, move, stack_);
            if (depth > 1) {
                shared_.table.prefetch(child.key);
                // The search of this move hides the latency of the next one.
                if (const Move coming = picker.coming()) shared_.table.prefetch(rules_.key_after(board, coming));
            }
            const bool second = child.side == board.side;
            const bool shuts_in = rules_.can_shut_in_own_dux() && targets.test(last_cell(move, stack_));
            const bool tactical = !quiet || shuts_in || (placing && !child.hand.any());
            frame.hint = hint_of(move, stack_);
            ++nodes_;
            int left = depth - 1;
            if (may_extend && child.own_dux >= 0 && nearly_immobilised(child)) ++left;
            int score;
            if (number == 1) {
                score = value(second, tactical, alpha, beta, left, ply + 1);
            } else {
                int reduction = 0;
                if (has(LATE_REDUCTION) && quiet && depth >= 3 && number > 3 && left < depth && !placing) {
                    reduction = Reductions::at(depth, number) - in_pv - beside - danger;
                    reduction -= order_.quiet(board.side, frame.hint) / 8192;
                    reduction = std::clamp(reduction, 0, left - 1);
                }
                score = value(second, tactical, alpha, alpha + 1, left - reduction, ply + 1);
                if (reduction && score > alpha) score = value(second, tactical, alpha, alpha + 1, left, ply + 1);
                if (alpha < score && score < beta) score = value(second, tactical, alpha, beta, left, ply + 1);
            }
            if (quiet) ++quiets;
            if (score <= best) continue;
            best = score;
            if (score <= alpha) continue;
            best_move = move;
            if (in_pv) keep_pv(frame, move, frames_[ply + 1]);
            if (score >= beta) {
                bound = LOWER;
                picker.learn(move, depth);
                break;
            }
            alpha = score;
            bound = EXACT;
        }
        stack_.shrink(begin);
        if (!number) {
            if (!picker.leaves_out() || !rules_.can_move(board, empty, stack_))
                return rules_.ending(rules_.ruleset.no_move, board) * (WIN - ply);
            best = futile;
        }
        shared_.table.store(board.key, best_move ? hint_of(best_move, stack_) : MoveHint{0}, to_table(best, ply),
                            evaluation, depth, bound);
        return best;
    }

    // The value of the board at `ply` when only captures, or standing pat, are considered.
    int quiesce(int alpha, int beta, int ply) {
        Frame& frame = frames_[ply];
        const Board<S>& board = frame.board;
        if (nodes_ >= poll_at_) poll();
        seldepth_ = std::max(seldepth_, ply);
        frame.pv_size = 0;
        int ending;
        if (board.nocapture >= counted_from_ && ended(board, ply, ending)) return ending;
        const Wide<S> empty = rules_.empty(board);
        Wide<S> landings;
        int best = evaluation_.terms(board, empty, landings).total();
        if (best >= beta || ply >= MAX_PLY) return best;
        const Set targets = rules_.targets(board, empty, landings);
        const std::size_t begin = stack_.size();
        rules_.tactical_moves(board, empty, targets, stack_);
        const bool in_pv = beta - alpha > 1;
        alpha = std::max(alpha, best);
        std::size_t end = rank_captures(rules_, order_, stack_, board, last_side(board, empty.plain()), begin);
        for (std::size_t i = begin; i < end; ++i) {
            const Move move = pick(stack_, i, end).move;
            Board<S>& child = frames_[ply + 1].board;
            child = rules_.play(board, move, stack_);
            ++nodes_;
            int score;
            if (const int outcome = rules_.decided(child)) {
                score = -outcome * (WIN - ply - 1);
                frames_[ply + 1].pv_size = 0;
                seldepth_ = std::max(seldepth_, ply + 1);
            } else {
                score = -quiesce(-beta, -alpha, ply + 1);
            }
            if (score <= best) continue;
            best = score;
            if (score <= alpha) continue;
            alpha = score;
            if (in_pv) keep_pv(frame, move, frames_[ply + 1]);
            if (score >= beta) break;
        }
        stack_.shrink(begin);
        return best;
    }

    static void keep_pv(Frame& frame, Move move, const Frame& child) {
        frame.pv[0] = move;
        std::copy(child.pv, child.pv + child.pv_size, frame.pv + 1);
        frame.pv_size = child.pv_size + 1;
    }

    // Whether the dux of the player to move has a single open side left.
    bool nearly_immobilised(const Board<S>& board) const {
        return (rules_.geometry.near(board.own_dux) & ~(board.own.plain() | board.opp.plain())).at_most_one();
    }

    // The last open side of the enemy dux, where it is lost when it has none: to land there wins.
    Set last_side(const Board<S>& board, const Set& empty) const {
        if (!breathes_) return {};
        const Set sides = rules_.geometry.near(board.opp_dux) & empty;
        return sides.at_most_one() ? sides : Set{};
    }

    // Whether a board ends the game by repetition or by the no-capture limit, and what that is worth. A second
    // occurrence below the root is taken for the draw that it can be made into; where the repeater loses only the third
    // itself ends the game.
    bool ended(const Board<S>& board, int ply, int& value) const {
        int on_path = 0;
        for (int above = ply - 2; above > 0 && above >= ply - board.nocapture; above -= 2)
            on_path += frames_[above].board.key == board.key;
        int in_game = 0;
        const int back = board.nocapture - ply;  // plies of the game that can hold the same men
        const int plies = static_cast<int>(shared_.game_keys.size());
        for (int i = plies - 1; i >= 0 && i >= plies - 1 - back; --i)
            in_game += shared_.game_keys[static_cast<std::size_t>(i)] == board.key;
        if (on_path + in_game >= 2) {
            value = repeater_loses_ ? WIN - ply : 0;
            return true;
        }
        if (on_path && !repeater_loses_) {
            value = 0;
            return true;
        }
        if (board.nocapture >= limit_) {
            value = rules_.ending(rules_.ruleset.nocapture_result, board) * (WIN - ply);
            return true;
        }
        return false;
    }

    static int to_table(int score, int ply) {
        return score >= PROVEN ? score + ply : score <= -PROVEN ? score - ply : score;
    }
    static int from_table(int score, int ply) {
        return score >= PROVEN ? score - ply : score <= -PROVEN ? score + ply : score;
    }

    // ------------------------------------------------------------ stopping

    void poll() {
        tell_nodes();
        if (task_.nodes && shared_.nodes.load(std::memory_order_relaxed) >= *task_.nodes) stop();
        if (shared_.stop.load(std::memory_order_relaxed)) throw Stopped{};
        if (listener_) {
            const auto now = Clock::now();
            if (now - asked_ >= std::chrono::milliseconds(1)) {
                asked_ = now;
                if (listener_->should_stop()) stop();
            }
        }
        set_poll();
    }
    [[noreturn]] void stop() {
        shared_.stop.store(true, std::memory_order_relaxed);
        throw Stopped{};
    }
    void tell_nodes() {
        shared_.nodes.fetch_add(nodes_ - told_, std::memory_order_relaxed);
        told_ = nodes_;
    }
    void set_poll() {
        poll_at_ = nodes_ + poll_nodes;
        if (task_.nodes) {
            const u64 all = shared_.nodes.load(std::memory_order_relaxed);
            poll_at_ = std::min(poll_at_, nodes_ + (*task_.nodes > all ? *task_.nodes - all : 0));
        }
    }

    const Rules<S>& rules_;
    const Evaluation<S>& evaluation_;
    MoveOrder<S::cells>& order_;
    MoveStack& stack_;
    Shared& shared_;
    const Task& task_;
    const Listener* const listener_;
    const int limit_, counted_from_;
    const bool repeater_loses_, breathes_, extends_;
    u64 nodes_ = 0, told_ = 0, poll_at_ = 0;
    int depth_ = 0, seldepth_ = 0;
    const Clock::time_point begun_ = Clock::now();
    Clock::time_point asked_ = begun_;
    Frame frames_[MAX_PLY + 2];
};

}  // namespace latrones
