// Iterative deepening negamax alpha-beta search: the work of one thread.
//
// Every search function here has the same contract: given a window (alpha, beta), it returns a value v of the position
// for the player to move. v is a lower bound of the true value if v >= beta, an upper bound if v <= alpha, and the true
// value otherwise (fail-soft). The true value is the minimax value at that depth with quiescence at the leaves. The
// plain search returns it; the selective techniques of the full search deviate from it. docs/lab/search.md lists the
// match that decided each of them.
#pragma once

#include <chrono>

#include "endings.hpp"
#include "net.hpp"
#include "picker.hpp"
#include "root_moves.hpp"
#include "tuning.hpp"

namespace latrones {

// `Constants`: `UsualTuning`, `SoldiersTuning`, `Tuning` or `PlainTuning`.
template <class S, class Constants>
class Searcher {
   public:
    using Set = Bits<S::limbs>;

    // The main thread has a listener; it reports and decides when to stop. Helper threads have no listener.
    Searcher(const Rules<S>& rules, const Evaluator<S>& evaluator, const EndingTables<S>& endings,
             const Tuning& tuning, const Reductions& reductions, MoveOrder<S::cells>& order, MoveStack& stack,
             Shared& shared, const Task& task, const Listener* listener)
        : rules_(rules),
          evaluator_(evaluator),
          accumulators_(evaluator.accumulators(MAX_PLY + 2)),
          endings_(task.endings && endings.most_men() ? &endings : nullptr),
          tune_(tuning),
          reductions_(reductions),
          order_(order),
          stack_(stack),
          shared_(shared),
          task_(task),
          listener_(listener),
          nocapture_limit_(rules.ruleset.nocapture_limit ? rules.ruleset.nocapture_limit : no_limit),
          passes_(rules.ruleset.no_move == Ending::PASS),
          forbids_(rules.ruleset.repetition == Repetition::ILLEGAL),
          first_ending_(std::min(passes_ ? 2 : forbids_ ? no_limit : min_plies_to_repeat, nocapture_limit_)),
          repeater_loses_(rules.ruleset.repetition == Repetition::LOSS),
          dux_needs_open_side_(rules.ruleset.dux_needs_open_side()) {
        set_next_poll();
    }

    // Deepens from `first_depth` until a limit is reached or the search is stopped. The best move is the first of
    // `moves`, even if none was searched.
    void run(const Board<S>& root, std::vector<RootMove>& moves, int first_depth) {
        frames_[0].board = root;
        std::array<Activity<S>, 2> activity;
        frames_[0].evaluation = evaluator_.value(root, rules_.empty(root), activity, accumulators_, 0);
        int steady = 0, fallen = 0;
        bool settled = false;
        try {
            for (int depth = first_depth; depth <= task_.depth; ++depth) {
                if (listener_ && depth > first_depth && !listener_->wants_depth(steady, settled, fallen)) break;
                const Move previous_best = moves[0].move;
                const int previous_score = moves[0].latest.score;
                iterate(moves, depth);
                if (listener_ && depth == first_depth) shared_.start_helpers();
                steady = moves[0].move == previous_best ? steady + 1 : 0;
                const int score = moves[0].latest.score;
                settled = WIN - std::abs(score) <= depth;
                fallen = depth > first_depth ? std::max(previous_score - score, 0) : 0;
                if (task_.mate && score >= WIN - 2 * *task_.mate) break;
            }
        } catch (const Stopped&) {
        }
        share_nodes();
    }

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr bool full = Constants::full;
    static constexpr int no_limit = 1 << 30;
    static constexpr int min_plies_to_repeat = 4;

    // The state of a ply.
    struct Frame {
        Board<S> board;
        MoveHint hint = 0;   // of the move played here
        u64 arrangement = 0;  // key that must not recur after the move to this board, where repetition is illegal
        int evaluation = 0;  // static
        int pv_size = 0;
        Move pv[MAX_PLY + 2];
    };

    // ------------------------------------------------------------ root

    // Searches to `depth` and sorts the best `multipv` moves to the front.
    void iterate(std::vector<RootMove>& moves, int depth) {
        depth_ = seldepth_ = depth;
        const std::size_t lines = std::min(static_cast<std::size_t>(task_.multipv), moves.size());
        for (std::size_t rank = 0; rank < lines; ++rank) search_line(moves, rank, depth);
        std::stable_sort(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(lines),
                         [](const RootMove& a, const RootMove& b) { return a.latest.score > b.latest.score; });
        for (std::size_t rank = 0; rank < lines; ++rank)
            report_line(moves[rank], depth, rank, moves[rank].latest.score, ScoreBound::EXACT);
    }

    // Finds the best move from `rank` on, in an aspiration window around its previous score.
    void search_line(std::vector<RootMove>& moves, std::size_t rank, int depth) {
        if (!full && task_.mate) {  // is there a win in so many turns? All else fails low
            search_root(moves, rank, WIN - 2 * *task_.mate - 1, INFINITE, depth);
            return;
        }
        int alpha = -INFINITE, beta = INFINITE, window = tune_.aspiration_window;
        const int previous = moves[rank].latest.score;
        if (depth >= tune_.aspiration_depth && std::abs(previous) < PROVEN) {
            alpha = previous - window;
            beta = previous + window;
        }
        while (true) {
            const int score = search_root(moves, rank, alpha, beta, depth);
            if (alpha < score && score < beta) return;
            report_line(moves[rank], depth, rank, score, bound_of(score, alpha, beta));
            window *= tune_.aspiration_growth;
            if (score <= alpha) alpha = score > -PROVEN ? score - window : -INFINITE;
            else beta = score < PROVEN ? score + window : INFINITE;
        }
    }

    // Searches the root moves from `rank` on; puts each new best move at `rank` immediately.
    int search_root(std::vector<RootMove>& moves, std::size_t rank, int alpha, int beta, int depth) {
        const Board<S>& root = frames_[0].board;
        int best_score = -INFINITE;
        const u64 first_captures_end = captures_ + tune::first_iteration_captures;
        for (std::size_t index = rank; index < moves.size(); ++index) {
            const Move move = moves[index].move;
            if (listener_ && Clock::now() - begun_ >= tune::current_moves_after)
                listener_->current_move(
                    CurrentMove{depth, wire_move(rules_.geometry, stack_, move), static_cast<int>(index) + 1});
            const bool same_side = root.side == (frames_[1].board = rules_.play(root, move, stack_)).side;
            frames_[0].hint = hint_of(move, stack_);
            if (forbids_) repeats(move, 0);
            ++nodes_;
            leaf_captures_ = static_cast<u64>(tune_.quiescence_captures);
            if (depth == 1) {  // what is left is shared by the remaining moves
                const u64 left = first_captures_end - std::min(captures_, first_captures_end);
                leaf_captures_ = std::min(leaf_captures_, left / (moves.size() - index));
            }
            int score;
            if (index == rank) {
                score = child_value(same_side, true, alpha, beta, depth - 1, 1, false);
            } else {
                const int reduction = root_reduction(index - rank, depth, alpha);
                score = child_value(same_side, true, alpha, alpha + 1, depth - 1 - reduction, 1, true);
                if (reduction && score > alpha)
                    score = child_value(same_side, true, alpha, alpha + 1, depth - 1, 1, true);
                if (alpha < score && score < beta)
                    score = child_value(same_side, true, alpha, beta, depth - 1, 1, false);
            }
            if (score > alpha || index == rank) {
                RootResult result{depth, seldepth_, score, bound_of(score, alpha, beta), {move}};
                result.pv.insert(result.pv.end(), frames_[1].pv, frames_[1].pv + frames_[1].pv_size);
                moves[index].update(std::move(result));
                std::rotate(moves.begin() + static_cast<std::ptrdiff_t>(rank),
                            moves.begin() + static_cast<std::ptrdiff_t>(index),
                            moves.begin() + static_cast<std::ptrdiff_t>(index) + 1);
            }
            best_score = std::max(best_score, score);
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
        return best_score;
    }

    // The reduction in plies of the root move with this number, counted from 0.
    int root_reduction(std::size_t number, int depth, int alpha) const {
        const Board<S>& root = frames_[0].board;
        const Board<S>& child = frames_[1].board;
        if (!full || depth < tune_.pruning_iteration || root.hand.any()) return 0;
        if (alpha >= tune_.root_reduction_limit) return 0;
        if (!child.nocapture || (dux_needs_open_side_ && dux_in_danger(root))) return 0;
        const int count = static_cast<int>(number) + 1;
        if (depth < tune_.reduction_depth || count <= tune_.reduction_moves) return 0;
        const int history = order_.quiet_history(root.side, {}).of(order_.index(frames_[0].hint), frames_[0].hint);
        const int hundredths = reductions_.at(depth, count) - tune_.reduction_principal -
                               100 * history / tune_.reduction_history_divisor;
        return std::clamp(hundredths / 100, 0, std::max(depth - 2, 0));
    }

    static ScoreBound bound_of(int score, int alpha, int beta) {
        return score <= alpha ? ScoreBound::UPPER : score >= beta ? ScoreBound::LOWER : ScoreBound::EXACT;
    }

    void report_line(const RootMove& move, int depth, std::size_t rank, int score, ScoreBound bound) {
        if (!listener_) return;
        share_nodes();
        report({depth, seldepth_, score, bound, move.latest.pv}, rank, rules_.geometry, stack_, shared_, *listener_);
    }

    // ------------------------------------------------------------ inner nodes

    // The value of the board at `ply` - 1 after the move to the board at `ply`, which is searched to `depth`.
    // `same_side`: the same player moves again. `tactical`: the move may have decided the game.
    // `cut_node`: a cutoff is expected there.
    int child_value(bool same_side, bool tactical, int alpha, int beta, int depth, int ply, bool cut_node) {
        if (tactical)
            if (const int outcome = rules_.decided(frames_[ply].board)) {
                frames_[ply].pv_size = 0;
                seldepth_ = std::max(seldepth_, ply);
                const int value = outcome * (WIN - ply);
                return same_side ? value : -value;
            }
        if (same_side) return search(alpha, beta, depth, ply, cut_node);
        return -search(-beta, -alpha, depth, ply, cut_node);
    }

    // The value of the undecided board at `ply`, after a move.
    int search(int alpha, int beta, int depth, int ply, bool cut_node) {
        // Step 1. Quiescence search at the leaves
        if (depth <= 0 || ply >= MAX_PLY) return quiesce(alpha, beta, ply);

        // Step 2. Initialize the node
        Frame& frame = frames_[ply];
        const Board<S>& board = frame.board;
        if (nodes_ >= poll_at_) poll();
        const bool pv_node = beta - alpha > 1;
        frame.pv_size = 0;

        // Step 3. Repetition and the no-capture limit
        int ending_value;
        if (board.nocapture >= first_ending_ && is_ending(board, ply, ending_value)) return ending_value;

        // Step 4. Endgame tables
        if (endings_ && is_in_tables(board, ply, ending_value)) return ending_value;

        // Step 5. Mate distance pruning: no line from here wins before the next ply, or loses before this one
        if (full) {
            alpha = std::max(alpha, ply - WIN);
            beta = std::min(beta, WIN - ply - 1);
            if (alpha >= beta) return alpha;
        }

        // Step 6. Transposition table lookup
        Entry tt_entry{};
        const bool tt_hit = shared_.table.probe(board.key, tt_entry);
        const MoveHint tt_move = tt_hit ? tt_entry.move : MoveHint{0};
        const int tt_value = tt_hit ? value_from_table(tt_entry.score, ply) : 0;
        // For minimax values, an entry must have the same depth, and in games that forbid repetition no entry is used,
        // since values depend on the path.
        if (tt_hit && !pv_node && (full ? tt_entry.depth >= depth : tt_entry.depth == depth && !forbids_) &&
            (tt_entry.bound & (tt_value >= beta ? LOWER : UPPER)) && board.nocapture + depth < nocapture_limit_)
            return tt_value;

        // Step 7. Static evaluation
        const Wide<S> empty = rules_.empty(board);
        const Set empty_set = empty.plain();
        std::array<Activity<S>, 2> activity;
        const int static_eval =
            tt_hit ? tt_entry.evaluation : evaluator_.value(board, empty, activity, accumulators_, ply);
        frame.evaluation = static_eval;
        const bool improving = ply < 2 || static_eval > frames_[ply - 2].evaluation;
        // The value in the table is better than the evaluation if it bounds it.
        const bool tt_better = full && tt_hit && std::abs(tt_value) < TABLE_PROVEN &&
                               (tt_entry.bound & (tt_value > static_eval ? LOWER : UPPER));
        const int eval = tt_better ? tt_value : static_eval;
        const bool placing = board.hand.any();
        const bool in_danger =
            dux_needs_open_side_ && (rules_.geometry.near(board.own_dux) & empty_set).at_most_one();
        const bool selective = full && depth_ >= tune_.pruning_iteration;
        const bool can_prune = selective && !pv_node && !in_danger && std::abs(beta) < PROVEN;

        // Step 8. Reverse futility pruning: the evaluation is far above beta near the leaves
        if (can_prune && depth <= tune_.reverse_futility_depth &&
            eval - tune_.reverse_futility_margin * depth + tune_.reverse_futility_improving * improving >= beta)
            return eval;

        // Step 9. Razoring: the evaluation is far below alpha near the leaves
        if (can_prune && depth <= tune_.razoring_depth &&
            eval + tune_.razoring_base + tune_.razoring_margin * depth <= alpha) {
            const int value = quiesce(alpha, beta, ply);
            if (value <= alpha) return value;
        }

        // Step 10. Internal iterative reduction: without a table move, search less deep
        if (selective && !tt_move && (pv_node || cut_node) && depth >= tune_.internal_reduction_depth)
            --depth;

        // Step 11. Prepare the moves
        const Set targets =
            tt_hit ? rules_.targets(board, empty) : rules_.targets(board, empty, activity[0].landings);
        const Set dux_neighbours = dux_needs_open_side_ ? rules_.geometry.near(board.opp_dux) : Set{};
        const Set dux_sides = dux_neighbours & empty_set;
        const std::size_t begin = stack_.size();
        const Set winning_cells = dux_needs_open_side_ && dux_sides.at_most_one() ? dux_sides : Set{};

        Picker<S> picker({rules_, order_, stack_}, board, empty, targets, winning_cells, tt_move,
                         {frames_[ply - 1].hint, ply >= 2 ? frames_[ply - 2].hint : MoveHint{0}}, ply, depth);
        if (depth > 1 || full)
            picker.for_each_unlisted([&](Move move) { shared_.table.prefetch(rules_.key_after(board, move)); });
        const int futility_value = can_prune && depth <= tune_.futility_depth
                                       ? static_eval + tune_.futility_base + tune_.futility_margin * depth
                                       : INFINITE;
        if (futility_value <= alpha) picker.skip_quiets(dux_neighbours);
        const int late_moves = !can_prune || depth > tune_.late_pruning_depth
                                   ? INFINITE
                                   : (tune_.late_pruning_base * 100 + tune_.late_pruning_factor * depth * depth) *
                                         (improving ? 100 : tune_.late_pruning_worsening) / 10'000;

        // Step 12. Loop over the moves
        int best_value = -INFINITE, move_count = 0, quiet_count = 0;
        Move best_move = NO_MOVE;
        bool repeated = false;
        Bound bound = UPPER;
        while (const Move move = picker.next()) {
            ++move_count;
            const bool quiet = picker.quiet();
            const bool one_leg = move < ONE_LEG;
            const bool next_to_dux = one_leg && dux_neighbours.test(to_of(move));
            const MoveHint hint = hint_of(move, stack_);
            const int history = quiet ? picker.history(hint) : 0;

            // Step 13. Prune quiet moves: late moves, moves far below alpha, moves with a bad history
            if (can_prune && quiet && !next_to_dux && best_value > -TABLE_PROVEN) {
                if (quiet_count >= late_moves) {
                    picker.skip_quiets(dux_neighbours);
                    continue;
                }
                if (futility_value <= alpha) continue;
                const int reduced = std::max(depth - reductions_.at(depth, move_count) / 100, 1);
                if (reduced <= tune_.futility_reduced_depth && hint != tt_move &&
                    static_eval + tune_.futility_base + tune_.futility_margin * reduced <= alpha)
                    continue;
                if (reduced <= tune_.history_pruning_depth && hint != tt_move &&
                    history < -tune_.history_pruning_margin * reduced)
                    continue;
            }

            // Step 14. Make the move
            Board<S>& child = frames_[ply + 1].board;
            child = quiet && one_leg ? rules_.play_quiet(board, move) : rules_.play(board, move, stack_);
            if (forbids_ && repeats(move, ply)) {
                --move_count;
                repeated = true;
                continue;
            }
            if (depth > 1 || full) {
                shared_.table.prefetch(child.key);
                // The search of this move hides the memory latency of the next one.
                if (const Move next = picker.peek()) shared_.table.prefetch(rules_.key_after(board, next));
            }
            const bool same_side = child.side == board.side;
            const bool may_shut_in_own_dux =
                rules_.can_shut_in_own_dux() && targets.test(last_cell(move, stack_));
            const bool tactical = !quiet || may_shut_in_own_dux || (placing && !child.hand.any());
            frame.hint = hint;
            ++nodes_;

            // Step 15. Principal variation search with late move reductions
            const int new_depth = depth - 1;
            int value;
            if (move_count == 1) {
                value = child_value(same_side, tactical, alpha, beta, new_depth, ply + 1, !pv_node && !cut_node);
            } else {
                int reduction = 0;
                if (full && depth >= tune_.reduction_depth && move_count > tune_.reduction_moves) {
                    const int hundredths = reductions_.at(depth, move_count) - tune_.reduction_principal * pv_node -
                                           100 * (next_to_dux + in_danger) + tune_.reduction_cut_node * cut_node +
                                           tune_.reduction_worsening * !improving -
                                           100 * history / tune_.reduction_history_divisor;
                    const int share = quiet ? 100 : tune_.reduction_captures;
                    reduction = std::clamp(hundredths * share / 10'000, 0, std::max(new_depth - 1, 0));
                }
                value = child_value(same_side, tactical, alpha, alpha + 1, new_depth - reduction, ply + 1,
                                    reduction || !cut_node);
                if (reduction && value > alpha) {
                    const bool deeper = value > best_value + tune_.deeper_margin && best_value > -PROVEN && !pv_node;
                    value = child_value(same_side, tactical, alpha, alpha + 1, new_depth + deeper, ply + 1, !cut_node);
                }
                if (alpha < value && value < beta)
                    value = child_value(same_side, tactical, alpha, beta, new_depth, ply + 1, false);
            }
            if (quiet) {
                ++quiet_count;
                if (value < beta) picker.failed_quiet(hint);
            }

            // Step 16. New best move, and beta cutoff
            if (value <= best_value) continue;
            best_value = value;
            if (value <= alpha) continue;
            best_move = move;
            if (pv_node) update_pv(frame, move, frames_[ply + 1]);
            if (value >= beta) {
                bound = LOWER;
                picker.update_history(move, depth);
                break;
            }
            alpha = value;
            bound = EXACT;
        }
        stack_.shrink(begin);

        // Step 17. No legal move, or all moves pruned
        if (!move_count) {
            if (!picker.skips_quiets() || !rules_.can_move(board, empty, stack_))
                return passes_ ? pass_value(alpha, beta, depth, ply, cut_node)
                               : rules_.ending(rules_.ruleset.no_move, board) * (WIN - ply);
            best_value = futility_value;
        }
        if (repeated) return best_value;  // a value with repetitions only holds for this line

        // Step 18. Store the result in the transposition table
        shared_.table.store(board.key, best_move ? hint_of(best_move, stack_) : MoveHint{0},
                            value_to_table(best_value, ply), static_eval, depth, bound);
        return best_value;
    }

    // The value of passing, for a player whose other moves would all repeat an arrangement.
    int pass_value(int alpha, int beta, int depth, int ply, bool cut_node) {
        Frame& frame = frames_[ply];
        frames_[ply + 1].board = rules_.play(frame.board, PASS, stack_);
        frames_[ply + 1].arrangement = rules_.arrangement_key(frame.board);
        frame.hint = 0;
        ++nodes_;
        const int value = -search(-beta, -alpha, depth - 1, ply + 1, !cut_node);
        if (beta - alpha > 1) update_pv(frame, PASS, frames_[ply + 1]);
        return value;
    }

    // Whether the move from the board at `ply` to the next board repeats an arrangement of the game or of this line,
    // where that is illegal. Records the arrangement after its first leg as having occurred.
    bool repeats(Move move, int ply) {
        const Board<S>& board = frames_[ply].board;
        Frame& next = frames_[ply + 1];
        next.arrangement = rules_.arrangement_key(next.board);
        if (move == PASS) return false;
        if (move < CHAIN) return occurred(next.arrangement, ply, next.board.nocapture);
        Path path = stack_.path_of(move);
        const int squares = path.size;
        for (path.size = 2; path.size <= squares; ++path.size) {
            const u64 made = rules_.arrangement_key(rules_.play_path(board, path));
            if (path.size == 2) next.arrangement = made;
            if (occurred(made, ply, board.nocapture + 1)) return true;
        }
        return false;
    }
    // `plies`: maximum number of plies back at which there were as many pieces.
    bool occurred(u64 arrangement, int ply, int plies) const {
        for (int above = ply; above > 0 && above > ply - plies; --above)
            if (frames_[above].arrangement == arrangement) return true;
        return plies > ply && std::binary_search(shared_.past.begin(), shared_.past.end(), arrangement);
    }

    // The number of pieces that a scored capture takes; a winning capture counts as very many pieces.
    static int captured(const ScoredMove& capture) {
        return (capture.score + tune::piece_order / 2) / tune::piece_order;
    }

    // The value of the board at `ply` with only captures and winning moves searched, or no move at all (stand pat).
    // `plies`: captures that led here from the leaf.
    int quiesce(int alpha, int beta, int ply, int plies = 0) {
        // Step 1. Initialize the node
        Frame& frame = frames_[ply];
        const Board<S>& board = frame.board;
        if (!plies) captures_end_ = captures_ + leaf_captures_;
        if (nodes_ >= poll_at_) poll();
        seldepth_ = std::max(seldepth_, ply);
        frame.pv_size = 0;

        // Step 2. Repetition and the no-capture limit
        int ending_value;
        if (board.nocapture >= first_ending_ && is_ending(board, ply, ending_value)) return ending_value;

        // Step 3. Endgame tables
        if (endings_ && is_in_tables(board, ply, ending_value)) return ending_value;

        // Step 4. Transposition table lookup, after the hand-written evaluation, which most positions need and which hides
        // the memory latency
        const Wide<S> empty = rules_.empty(board);
        std::array<Activity<S>, 2> activity;
        const int hand_written = evaluator_.hand_written().terms(board, empty, activity).total();
        const bool pv_node = beta - alpha > 1;
        const int first_alpha = alpha;
        Entry tt_entry{};
        const bool tt_hit = full && shared_.table.probe(board.key, tt_entry);
        const int tt_value = tt_hit ? value_from_table(tt_entry.score, ply) : 0;
        if (tt_hit && !pv_node && (tt_entry.bound & (tt_value >= beta ? LOWER : UPPER)) &&
            board.nocapture < nocapture_limit_)
            return tt_value;

        // Step 5. Stand pat, unless there is no legal move; an entry of the table is of a position with moves
        if (!tt_hit && !passes_ && !rules_.can_move(board, empty, stack_))
            return rules_.ending(rules_.ruleset.no_move, board) * (WIN - ply);
        const int static_eval = tt_hit ? tt_entry.evaluation
                                       : evaluator_.corrected(hand_written, board, activity, accumulators_, ply);
        int best_value = static_eval;
        if (tt_hit && std::abs(tt_value) < TABLE_PROVEN &&
            (tt_entry.bound & (tt_value > best_value ? LOWER : UPPER)))
            best_value = tt_value;
        // On a full board, captures never end; by then, the gain of the first captures is known.
        if (best_value >= beta || ply >= MAX_PLY ||
            (full && (plies >= tune_.quiescence_plies || captures_ >= captures_end_))) {
            if (full && !tt_hit && ply < MAX_PLY)
                shared_.table.store(board.key, 0, value_to_table(best_value, ply), static_eval, 0, LOWER);
            return best_value;
        }
        const int stand_pat = best_value;
        alpha = std::max(alpha, best_value);

        // Step 6. Generate the captures
        const Set targets = rules_.targets(board, empty, activity[0].landings);
        const std::size_t begin = stack_.size();
        rules_.tactical_moves(board, empty, targets, stack_);
        captures_ += 1 + stack_.size() - begin;
        const std::size_t end =
            score_captures(rules_, order_, stack_, board, winning_cells(board, empty.plain()), begin);
        const bool can_prune = full && depth_ >= tune_.pruning_iteration && std::abs(alpha) < PROVEN;

        // Step 7. Loop over the captures
        Move best_move = NO_MOVE;
        for (std::size_t i = begin; i < end; ++i) {
            if (full && i > begin && captures_ >= captures_end_) break;
            const ScoredMove& picked = pick_best(stack_, i, end);
            const Move move = picked.move;
            // The captures after this one do not take more pieces.
            if (const int most = stand_pat + tune_.delta_margin + tune_.delta_piece * captured(picked);
                can_prune && most <= alpha) {
                best_value = std::max(best_value, most);
                break;
            }
            Board<S>& child = frames_[ply + 1].board;
            child = rules_.play(board, move, stack_);
            if (full) shared_.table.prefetch(child.key);
            ++nodes_;
            int value;
            if (const int outcome = rules_.decided(child)) {
                value = -outcome * (WIN - ply - 1);
                frames_[ply + 1].pv_size = 0;
                seldepth_ = std::max(seldepth_, ply + 1);
            } else {
                value = -quiesce(-beta, -alpha, ply + 1, plies + 1);
            }
            if (value <= best_value) continue;
            best_value = value;
            if (value <= alpha) continue;
            alpha = value;
            best_move = move;
            if (pv_node) update_pv(frame, move, frames_[ply + 1]);
            if (value >= beta) break;
        }
        const MoveHint hint = best_move ? hint_of(best_move, stack_) : MoveHint{0};
        stack_.shrink(begin);

        // Step 8. Store the result in the transposition table
        if (full && (!tt_hit || !tt_entry.depth))
            shared_.table.store(board.key, hint, value_to_table(best_value, ply), static_eval, 0,
                                best_value >= beta ? LOWER : best_value > first_alpha ? EXACT : UPPER);
        return best_value;
    }

    static void update_pv(Frame& frame, Move move, const Frame& child) {
        frame.pv[0] = move;
        std::copy(child.pv, child.pv + child.pv_size, frame.pv + 1);
        frame.pv_size = child.pv_size + 1;
    }

    // Whether the dux of the player to move has at most one open side.
    bool dux_in_danger(const Board<S>& board) const {
        return (rules_.geometry.near(board.own_dux) & ~(board.own.plain() | board.opp.plain())).at_most_one();
    }

    // The last open side of the enemy dux, in games where a dux without open sides is lost.
    Set winning_cells(const Board<S>& board, const Set& empty) const {
        if (!dux_needs_open_side_) return {};
        const Set sides = rules_.geometry.near(board.opp_dux) & empty;
        return sides.at_most_one() ? sides : Set{};
    }

    // Whether a board ends the game by repetition or by the no-capture limit; sets its value. A second occurrence below
    // the root counts as a draw, since it can be repeated. In games where the repeater loses, only the third counts.
    bool is_ending(const Board<S>& board, int ply, int& value) const {
        if (!forbids_ && is_repetition(board, ply, value)) return true;
        if (board.nocapture >= nocapture_limit_) {
            value = rules_.ending(rules_.ruleset.nocapture_result, board) * (WIN - ply);
            return true;
        }
        if (passes_ && both_passed(board, ply)) {
            value = 0;
            return true;
        }
        return false;
    }

    bool is_repetition(const Board<S>& board, int ply, int& value) const {
        int on_path = 0;
        for (int above = ply - 2; above > 0 && above >= ply - board.nocapture; above -= 2)
            on_path += frames_[above].board.key == board.key;
        int in_game = 0;
        const int back = board.nocapture - ply;  // plies of the game that can have the same pieces
        const int plies = static_cast<int>(task_.game_keys.size());
        for (int i = plies - 1; i >= 0 && i >= plies - 1 - back; --i)
            in_game += task_.game_keys[static_cast<std::size_t>(i)] == board.key;
        if (on_path + in_game >= 2) {
            value = repeater_loses_ ? WIN - ply : 0;
            return true;
        }
        if (on_path && !repeater_loses_) {
            value = 0;
            return true;
        }
        return false;
    }

    // Whether the last two plies were passes: no other moves lead back to the same position in two plies.
    bool both_passed(const Board<S>& board, int ply) const {
        if (ply >= 2) return frames_[ply - 2].board.key == board.key;
        const std::vector<u64>& keys = task_.game_keys;
        return keys.size() >= 2 && keys[keys.size() - 2] == board.key;
    }

    // Whether an undecided board is in an endgame table; sets its value.
    bool is_in_tables(const Board<S>& board, int ply, int& value) {
        const auto found = endings_->value(board);
        if (!found) return false;
        ++table_hits_;
        const bool is_final = board.own.plain().count() + board.opp.plain().count() == task_.final_men;
        const bool proven = is_final && !found->by_limit && found->plies <= WIN - PROVEN - MAX_PLY;
        value = found->outcome * ((proven ? WIN - found->plies : TABLE_WIN) - ply);
        return true;
    }

    // The table stores the distance of a win from the position, the search uses the distance from the root.
    static int value_to_table(int value, int ply) {
        return value >= TABLE_PROVEN ? value + ply : value <= -TABLE_PROVEN ? value - ply : value;
    }
    static int value_from_table(int value, int ply) {
        return value >= TABLE_PROVEN ? value - ply : value <= -TABLE_PROVEN ? value + ply : value;
    }

    // ------------------------------------------------------------ stopping

    // Throws Stopped if a limit is reached.
    void poll() {
        share_nodes();
        if (task_.nodes && shared_.nodes.load(std::memory_order_relaxed) >= *task_.nodes) stop();
        if (shared_.stop.load(std::memory_order_relaxed)) throw Stopped{};
        if (listener_) {
            const auto now = Clock::now();
            if (now - last_check_ >= tune::poll_interval) {
                last_check_ = now;
                if (listener_->should_stop()) stop();
            }
        }
        set_next_poll();
    }
    [[noreturn]] void stop() {
        shared_.stop.store(true, std::memory_order_relaxed);
        throw Stopped{};
    }
    // Adds the nodes since the last call to the total of all threads.
    void share_nodes() {
        shared_.nodes.fetch_add(nodes_ - shared_nodes_, std::memory_order_relaxed);
        shared_nodes_ = nodes_;
        if (table_hits_) shared_.table_hits.fetch_add(std::exchange(table_hits_, 0), std::memory_order_relaxed);
    }
    void set_next_poll() {
        poll_at_ = nodes_ + tune::poll_nodes;
        if (task_.nodes) {
            const u64 all = shared_.nodes.load(std::memory_order_relaxed);
            poll_at_ = std::min(poll_at_, nodes_ + (*task_.nodes > all ? *task_.nodes - all : 0));
        }
    }

    const Rules<S>& rules_;
    const Evaluator<S>& evaluator_;
    Accumulators<S> accumulators_;
    const EndingTables<S>* const endings_;  // nullptr if there are none
    [[no_unique_address]] const Constants tune_;
    const Reductions& reductions_;
    MoveOrder<S::cells>& order_;
    MoveStack& stack_;
    Shared& shared_;
    const Task& task_;
    const Listener* const listener_;
    const int nocapture_limit_;
    const bool passes_, forbids_;
    const int first_ending_;
    const bool repeater_loses_, dux_needs_open_side_;
    u64 nodes_ = 0, shared_nodes_ = 0, poll_at_ = 0, table_hits_ = 0;
    // Captures listed in quiescence, plus one per list; their number at which that of this leaf ends, and its maximum.
    u64 captures_ = 0, captures_end_ = 0, leaf_captures_ = 0;
    int depth_ = 0, seldepth_ = 0;  // of the iteration
    const Clock::time_point begun_ = Clock::now();
    Clock::time_point last_check_ = begun_;
    Frame frames_[MAX_PLY + 2];
};

}  // namespace latrones
