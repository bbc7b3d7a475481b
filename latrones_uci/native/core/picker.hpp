// The order in which the moves of a position are tried.
#pragma once

#include "ordering.hpp"
#include "rules.hpp"

namespace latrones {

// Keeps of the moves from `begin` on those that capture or win at once, with a score each; returns their end.
template <class S>
std::size_t rank_captures(const Rules<S>& rules, const MoveOrder<S::cells>& order, MoveStack& stack,
                          const Board<S>& board, const Bits<S::limbs>& last_side, std::size_t begin) {
    using Set = Bits<S::limbs>;
    constexpr int per_man = 4 * MoveOrder<S::cells>::most, wins = 1000, dux_counts = 4;
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
            if (last_side.test(to)) score += wins;
            if (!score) continue;
            if (board.opp_dux >= 0 && victims.test(board.opp_dux)) score += dux_counts;
        } else if (move >= CHAIN) {
            score = stack.path_of(move).size - 2;
        } else {
            score = 1;
        }
        const MoveHint hint = hint_of(move, stack);
        stack[end++] = {move, score * per_man + order.capture(board.side, hint)};
    }
    stack.shrink(end);
    return end;
}

// Brings the best of the moves from `from` to `end` to `from`.
inline ScoredMove& pick(MoveStack& stack, std::size_t from, std::size_t end) {
    std::size_t best = from;
    for (std::size_t i = from + 1; i < end; ++i)
        if (stack[i].score > stack[best].score) best = i;
    std::swap(stack[from], stack[best]);
    return stack[from];
}

// What moves are made from and told apart by: one set for each thread.
template <class S>
struct Moves {
    const Rules<S>& rules;
    MoveOrder<S::cells>& order;
    MoveStack& stack;
};

// Yields each move once, made in stages so that a cutoff saves the later ones: the table's, captures by the number of
// men taken, killers and the move that answered the last one before, and the rest by what they were good for.
template <class S>
class Picker {
   public:
    using Set = Bits<S::limbs>;

    // `empty`, `targets` and `last_side` are the board's and must outlive this; `hint` is the table's move, `previous`
    // the move before.
    Picker(const Moves<S>& moves, const Board<S>& board, const Wide<S>& empty, const Set& targets, const Set& last_side,
           MoveHint hint, MoveHint previous, int ply)
        : rules_(moves.rules),
          order_(moves.order),
          stack_(moves.stack),
          board_(board),
          empty_(empty),
          targets_(targets),
          last_side_(last_side),
          hint_(hint),
          previous_(previous),
          ply_(ply),
          captures_(stack_.size()),
          captures_end_(captures_),
          next_(captures_),
          killer_{order_.killer(ply, 0), order_.killer(ply, 1), order_.counter(board.side, previous)} {}

    // Leaves out the quiet moves but those onto some cells.
    void leave_out_quiets(const Set& but) {
        leaves_out_ = true;
        kept_ = but;
    }
    bool leaves_out() const { return leaves_out_; }

    // Whether the move last yielded neither captures nor decides.
    bool quiet() const { return quiet_; }

    Move next() {
        switch (stage_) {
            case TABLE:
                rules_.tactical_moves(board_, empty_, targets_, stack_);
                captures_end_ = rank_captures(rules_, order_, stack_, board_, last_side_, captures_);
                stage_ = CAPTURES;
                if (hint_ && (table_move_ = known_move())) return table_move_;
                [[fallthrough]];
            case CAPTURES:
                quiet_ = false;
                while (next_ < captures_end_) {
                    const Move move = pick(stack_, next_++, captures_end_).move;
                    if (move != table_move_) return move;
                }
                stage_ = KILLERS;
                [[fallthrough]];
            case KILLERS:
                quiet_ = true;
                while (killers_ < 3) {
                    const Move move = killer_[killers_++];
                    if (is_killer(move)) return move;
                }
                next_ = captures_end_;
                make_quiets();
                stage_ = QUIETS;
                [[fallthrough]];
            case QUIETS:
                quiet_ = true;
                if (next_ < quiets_end_) return stack_[next_++].move;
        }
        return NO_MOVE;
    }

    // The quiet move of one leg that is to be yielded next, if that is known.
    Move coming() const {
        if (stage_ != QUIETS || next_ == quiets_end_) return NO_MOVE;
        const Move move = stack_[next_].move;
        return move < ONE_LEG ? move : NO_MOVE;
    }

    // Draws the lesson of a cutoff by `best`, the move last yielded.
    void learn(Move best, int depth) const {
        const int side = board_.side;
        if (quiet_) {
            order_.reward_quiet(side, hint_of(best, stack_), depth);
            order_.remember(ply_, side, previous_, best);
            if (stage_ == QUIETS)
                for (std::size_t i = captures_end_; i < next_; ++i)
                    if (stack_[i].move != best) order_.punish_quiet(side, hint_of(stack_[i].move, stack_), depth);
        } else {
            order_.reward_capture(side, hint_of(best, stack_), depth);
        }
        const std::size_t tried = stage_ == QUIETS ? captures_end_ : next_;
        for (std::size_t i = captures_; i < tried; ++i)
            if (stack_[i].move != best) order_.punish_capture(side, hint_of(stack_[i].move, stack_), depth);
    }

   private:
    enum Stage { TABLE, CAPTURES, KILLERS, QUIETS };

    // The legal move that the table's hint names, if it is told without listing all.
    Move known_move() {
        for (std::size_t i = captures_; i < captures_end_; ++i)
            if (hint_of(stack_[i].move, stack_) == hint_) {
                quiet_ = false;
                return stack_[i].move;
            }
        const int origin = hint_ & 255, to = hint_ >> 8;
        quiet_ = true;
        if (!rules_.is_plain_move(board_, empty_, origin, to)) return NO_MOVE;
        return one_leg(origin, to);
    }

    // Whether a move that was good elsewhere is a quiet one here, not yielded before. Those that cannot be told to be
    // legal by themselves come first among the quiets.
    bool is_killer(Move move) const {
        if (!move || move >= ONE_LEG || move == table_move_) return false;
        for (int k = 0; k + 1 < killers_; ++k)
            if (move == killer_[k]) return false;
        return !is_capture(move) &&
               rules_.is_plain_move(board_, empty_, origin_of(move), to_of(move));
    }

    void make_quiets() {
        rules_.distinct_moves(board_, empty_, targets_, stack_);
        bool tried[3];
        for (int k = 0; k < 3; ++k) {
            killers_ = k + 1;
            tried[k] = is_killer(killer_[k]);
        }
        // Written out for moves of one leg, with all in variables of its own: nothing else is done for so many moves.
        ScoredMove* const moves = &stack_[0];
        const std::size_t all = stack_.size();
        const Set targets = targets_, kept = leaves_out_ ? kept_ : ~Set{};
        const short* const worth = order_.quiets(board_.side);
        const Move first = killer_[0], second = killer_[1], third = killer_[2], known = table_move_;
        std::size_t end = captures_end_;
        for (std::size_t i = captures_end_; i < all; ++i) {
            const Move move = moves[i].move;
            const MoveHint hint = hint_of(move, stack_);
            if (move < ONE_LEG ? !kept.test(to_of(move)) : leaves_out_) continue;
            int score = worth[order_.index(hint)];
            if ((move == known) | (move == first) | (move == second) | (move == third) | (hint == hint_)) {
                if (move == known) continue;
                bool done = false;
                for (int k = 2; k >= 0; --k)
                    if (move == killer_[k]) {
                        score = (4 - k) * order_.most;
                        done |= tried[k];
                    }
                if (done) continue;
                if (hint == hint_) score = 5 * order_.most;
            }
            if ((move >= ONE_LEG || targets.test(to_of(move))) && is_capture(move)) continue;
            moves[end++] = {move, score};
        }
        stack_.shrink(end);
        next_ = captures_end_;
        quiets_end_ = end;
        sort(moves + next_, moves + end);
    }

    // Whether a legal move is among the captures.
    bool is_capture(Move move) const {
        if (move < ONE_LEG && !targets_.test(to_of(move))) return false;
        for (std::size_t i = captures_; i < captures_end_; ++i)
            if (stack_[i].move == move) return true;
        return false;
    }

    // Puts the moves with a good score in order in front; the rest stays as it was made.
    static void sort(ScoredMove* begin, ScoredMove* end) {
        ScoredMove* sorted = begin;
        for (ScoredMove* move = begin; move < end; ++move) {
            if (move->score <= 0) continue;
            const ScoredMove moving = *move;
            *move = *sorted;
            ScoredMove* place = sorted++;
            for (; place > begin && place[-1].score < moving.score; --place) *place = place[-1];
            *place = moving;
        }
    }

    const Rules<S>& rules_;
    MoveOrder<S::cells>& order_;
    MoveStack& stack_;
    const Board<S>& board_;
    const Wide<S>& empty_;
    const Set& targets_;
    const Set last_side_;
    const MoveHint hint_, previous_;
    const int ply_;
    Stage stage_ = TABLE;
    bool quiet_ = false, leaves_out_ = false;
    Set kept_;
    Move table_move_ = NO_MOVE;
    const std::size_t captures_;
    std::size_t captures_end_, next_, quiets_end_ = 0;
    const Move killer_[3];
    int killers_ = 0;  // that were tried
};

}  // namespace latrones
