// The move picker: yields the moves of a position in the order in which to search them.
#pragma once

#include <climits>

#include "ordering.hpp"
#include "rules.hpp"

namespace latrones {

// Reduces the moves from `begin` on to those that capture or win at once, and scores them; returns their end.
template <class S>
std::size_t score_captures(const Rules<S>& rules, const MoveOrder<S::cells>& order, MoveStack& stack,
                          const Board<S>& board, const Bits<S::limbs>& winning_cells, std::size_t begin) {
    using Set = Bits<S::limbs>;
    const Set own = board.own.plain(), opp = board.opp.plain();
    std::size_t end = begin;
    for (std::size_t i = begin; i < stack.size(); ++i) {
        const Move move = stack[i].move;
        int score;
        if (move < ONE_LEG) {
            const int origin = origin_of(move), to = to_of(move);
            const Set moved = own ^ Set::of(origin) ^ Set::of(to);
            const Set victims = rules.captures.victims(moved, opp, board.opp_dux, origin, to);
            score = victims.count();
            if (winning_cells.test(to)) score += tune::win_order;
            if (!score) continue;
            if (board.opp_dux >= 0 && victims.test(board.opp_dux)) score += tune::dux_order;
        } else if (move >= CHAIN) {
            const Path path = stack.path_of(move);
            score = !rules.binds() ? path.size - 2 : winning_cells.test(path.last()) ? tune::win_order : 0;
            if (!score) continue;
        } else {
            score = 1;
        }
        const MoveHint hint = hint_of(move, stack);
        stack[end++] = {move, score * tune::piece_order + order.capture_history(board.side, hint)};
    }
    stack.shrink(end);
    return end;
}

// Swaps the best of the moves from `from` to `end` to `from`.
inline ScoredMove& pick_best(MoveStack& stack, std::size_t from, std::size_t end) {
    std::size_t best = from;
    for (std::size_t i = from + 1; i < end; ++i)
        if (stack[i].score > stack[best].score) best = i;
    std::swap(stack[from], stack[best]);
    return stack[from];
}

// The context of a move picker; each thread has its own.
template <class S>
struct PickerContext {
    const Rules<S>& rules;
    MoveOrder<S::cells>& order;
    MoveStack& stack;
};

// Yields each move once. Moves are generated in stages, so that a cutoff saves the later stages: the table move,
// captures by the number of captured pieces, killers and the counter move, and the other quiet moves by history.
template <class S>
class Picker {
   public:
    using Set = Bits<S::limbs>;

    // `empty` and `targets` belong to the board and must outlive the picker. Landing on `winning_cells` wins. `tt_hint`
    // is the table move, `previous` the last two moves played, the last move first.
    Picker(const PickerContext<S>& context, const Board<S>& board, const Wide<S>& empty, const Set& targets,
           const Set& winning_cells, MoveHint tt_hint, const std::array<MoveHint, 2>& previous, int ply,
           int depth)
        : rules_(context.rules),
          order_(context.order),
          stack_(context.stack),
          board_(board),
          empty_(empty),
          targets_(targets),
          winning_cells_(winning_cells),
          tt_hint_(tt_hint),
          previous_(previous),
          ply_(ply),
          sort_limit_(-order_.sort_limit() * depth),
          history_(order_.quiet_history(board.side, previous)),
          captures_(stack_.size()),
          captures_end_(captures_),
          next_(captures_),
          killer_{order_.killer(ply, 0), order_.killer(ply, 1), order_.counter(board.side, previous[0])} {}

    // Skips the quiet moves except moves onto `kept`.
    void skip_quiets(const Set& kept) {
        if (skips_quiets_) return;
        skips_quiets_ = true;
        kept_ = kept;
        if (stage_ != QUIETS) return;
        int* const keys = stack_.keys(captures_end_);
        for (std::size_t i = 0; i < ordered_; ++i)
            if (!is_kept(stack_[captures_end_ + i].move)) keys[i] = taken;
    }
    bool skips_quiets() const { return skips_quiets_; }

    // Whether the last move neither captures nor decides.
    bool quiet() const { return quiet_; }
    // The history of the last move, which must be quiet.
    int history(MoveHint hint) const {
        return stage_ == QUIETS && hint != tt_hint_ ? stack_[latest_].score : history_.of(order_.index(hint), hint);
    }
    // Records a quiet move that was searched without causing a cutoff.
    void failed_quiet(MoveHint hint) {
        if (failed_count_ < most_failed) failed_[failed_count_++] = hint;
    }

    // Calls `action` with the moves of one leg and placements that come first among the quiet moves, if they are legal.
    template <class Action>
    void for_each_unlisted(Action&& action) const {
        if (tt_hint_) action(Move{tt_hint_});
        for (const Move move : killer_)
            if (move && move < KILL) action(move);
    }

    Move next() {
        switch (stage_) {
            case TABLE_MOVE:
                stage_ = ALL_CAPTURES;
                // A move to a cell without captures is found before generating captures, which a cutoff then saves.
                if (tt_hint_ && !targets_.test(tt_hint_ >> 8) && (tt_move_ = plain_tt_move())) return tt_move_;
                [[fallthrough]];
            case ALL_CAPTURES:
                rules_.tactical_moves(board_, empty_, targets_, stack_);
                captures_end_ = score_captures(rules_, order_, stack_, board_, winning_cells_, captures_);
                stage_ = CAPTURES;
                if (tt_hint_ && !tt_move_ && (tt_move_ = find_tt_move())) return tt_move_;
                [[fallthrough]];
            case CAPTURES:
                quiet_ = false;
                while (next_ < captures_end_) {
                    const Move move = pick_best(stack_, next_++, captures_end_).move;
                    if (move != tt_move_) return move;
                }
                stage_ = KILLERS;
                [[fallthrough]];
            case KILLERS:
                quiet_ = true;
                while (killers_tried_ < 3) {
                    const Move move = killer_[killers_tried_++];
                    if (is_killer(move)) return move;
                }
                generate_quiets();
                stage_ = QUIETS;
                [[fallthrough]];
            case QUIETS:
                quiet_ = true;
                while (upcoming_ < quiets_end_) {
                    latest_ = upcoming_;
                    choose();
                    const Move move = stack_[latest_].move;
                    if (!skips_quiets_ || is_kept(move)) return move;
                }
        }
        return NO_MOVE;
    }

    // The next quiet move, if it is known and has one leg or is a placement.
    Move peek() const {
        if (stage_ != QUIETS || upcoming_ == quiets_end_) return NO_MOVE;
        const Move move = stack_[upcoming_].move;
        return move < KILL ? move : NO_MOVE;
    }

    // Updates the statistics after a beta cutoff by `best`, the last move.
    void update_history(Move best, int depth) {
        const int side = board_.side;
        if (quiet_) {
            order_.reward_quiet(side, previous_, hint_of(best, stack_), depth);
            order_.set_killer(ply_, side, previous_[0], best);
            for (int i = 0; i < failed_count_; ++i) order_.punish_quiet(side, previous_, failed_[i], depth);
        } else {
            order_.reward_capture(side, hint_of(best, stack_), depth);
        }
        const std::size_t tried = stage_ == QUIETS ? captures_end_ : next_;
        for (std::size_t i = captures_; i < tried; ++i)
            if (stack_[i].move != best) order_.punish_capture(side, hint_of(stack_[i].move, stack_), depth);
    }

   private:
    enum Stage { TABLE_MOVE, ALL_CAPTURES, CAPTURES, KILLERS, QUIETS };

    // The legal move of the table hint, if it is a capture or a plain move to a cell where captures are possible; the
    // previous stage tries other moves.
    Move find_tt_move() {
        for (std::size_t i = captures_; i < captures_end_; ++i)
            if (hint_of(stack_[i].move, stack_) == tt_hint_) {
                quiet_ = false;
                return stack_[i].move;
            }
        return targets_.test(tt_hint_ >> 8) ? plain_tt_move() : NO_MOVE;
    }
    // The plain move of the table hint, if it is legal.
    Move plain_tt_move() {
        const int origin = tt_hint_ & 255, to = tt_hint_ >> 8;
        quiet_ = true;
        return rules_.is_plain_move(board_, empty_, origin, to) ? one_leg(origin, to) : NO_MOVE;
    }

    // Whether a killer is a quiet move here that was not yielded yet. False for killers whose legality cannot be
    // decided without a list of all moves; they come first among the quiet moves.
    bool is_killer(Move move) const {
        if (!move || move >= ONE_LEG || move == tt_move_) return false;
        for (int k = 0; k + 1 < killers_tried_; ++k)
            if (move == killer_[k]) return false;
        return !is_capture(move) &&
               rules_.is_plain_move(board_, empty_, origin_of(move), to_of(move));
    }

    void generate_quiets() {
        rules_.distinct_moves(board_, empty_, targets_, stack_);
        bool tried[3];
        for (int k = 0; k < 3; ++k) {
            killers_tried_ = k + 1;
            tried[k] = is_killer(killer_[k]);
        }
        // This loop runs for more moves than any other code, so it uses local copies.
        ScoredMove* const moves = &stack_[0];
        const std::size_t all = stack_.size();
        const Set targets = targets_, kept = skips_quiets_ ? kept_ : ~Set{};
        const QuietHistory<S::cells> history = history_;
        const auto of_cells = history.all_cells();
        const Move first = killer_[0], second = killer_[1], third = killer_[2], tt_move = tt_move_;
        const int limit = sort_limit_;
        int* const keys = stack_.keys(captures_end_);
        std::size_t end = captures_end_, ordered = 0;
        for (std::size_t i = captures_end_; i < all; ++i) {
            const Move move = moves[i].move;
            const MoveHint hint = hint_of(move, stack_);
            if (move < ONE_LEG ? !kept.test(to_of(move)) : skips_quiets_) continue;
            int score = history.of(order_.index(hint), hint, of_cells);
            if ((move == tt_move) | (move == first) | (move == second) | (move == third) | (hint == tt_hint_)) {
                if (move == tt_move) continue;
                bool done = false;
                for (int k = 2; k >= 0; --k)
                    if (move == killer_[k]) {
                        score = (tune::killer_order - k) * tune::history_max;
                        done |= tried[k];
                    }
                if (done) continue;
                if (hint == tt_hint_) score = tune::tt_order;
            }
            if ((move >= ONE_LEG || targets.test(to_of(move))) && is_capture(move)) continue;
            // Without a branch: those above the limit go to the front, and the first one of the others to the end.
            const bool above = (score > limit) & (ordered < most_ordered);
            ScoredMove* const front = &moves[captures_end_ + ordered];
            moves[end] = *front;
            *(above ? front : &moves[end]) = {move, score};
            keys[ordered] = score * most_ordered + (most_ordered - 1 - static_cast<int>(ordered));
            ordered += above;
            ++end;
        }
        stack_.shrink(end);
        ordered_ = ordered;
        next_ = captures_end_ + ordered;
        quiets_end_ = end;
        choose();
    }

    // Chooses the next quiet move. Most positions are left after few of them, so sorting all would take longer.
    void choose() {
        if (ordered_) {
            int* const keys = stack_.keys(captures_end_);
            int best = taken;
            for (std::size_t i = 0; i < ordered_; ++i) best = std::max(best, keys[i]);
            if (best != taken) {
                const int number = most_ordered - 1 - (best & (most_ordered - 1));
                keys[number] = taken;
                upcoming_ = captures_end_ + static_cast<std::size_t>(number);
                return;
            }
            ordered_ = 0;
        }
        upcoming_ = next_ < quiets_end_ ? next_++ : quiets_end_;
    }
    bool is_kept(Move move) const { return move < ONE_LEG && kept_.test(to_of(move)); }

    // Whether a legal move is among the captures.
    bool is_capture(Move move) const {
        if (move < ONE_LEG && !targets_.test(to_of(move))) return false;
        for (std::size_t i = captures_; i < captures_end_; ++i)
            if (stack_[i].move == move) return true;
        return false;
    }

    const Rules<S>& rules_;
    MoveOrder<S::cells>& order_;
    MoveStack& stack_;
    const Board<S>& board_;
    const Wide<S>& empty_;
    const Set& targets_;
    const Set winning_cells_;
    const MoveHint tt_hint_;
    const std::array<MoveHint, 2> previous_;
    const int ply_, sort_limit_;
    const QuietHistory<S::cells> history_;
    Stage stage_ = TABLE_MOVE;
    bool quiet_ = false, skips_quiets_ = false;
    Set kept_;
    Move tt_move_ = NO_MOVE;
    const std::size_t captures_;
    std::size_t captures_end_, next_, quiets_end_ = 0;
    // Of the quiet moves, the first `ordered_` are chosen by their keys: the score, and a number that is less for later
    // ones. `latest_` and `upcoming_` are the indices of the last and the next one.
    static constexpr int most_ordered = 4096, taken = INT_MIN;
    static_assert(tune::tt_order < INT_MAX / most_ordered);
    std::size_t ordered_ = 0, latest_ = 0, upcoming_ = 0;
    const Move killer_[3];
    int killers_tried_ = 0;
    static constexpr int most_failed = 64;
    int failed_count_ = 0;
    MoveHint failed_[most_failed];
};

}  // namespace latrones
