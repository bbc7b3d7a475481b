// The rules of one game on one board: moves, play, endings. They must agree exactly with `latrones_uci.game`, which
// defines them.
#pragma once

#include "movement.hpp"
#include "zobrist.hpp"

namespace latrones {

template <class S>
class Rules {
   public:
    using Set = Bits<S::limbs>;

    const Ruleset ruleset;
    const Geometry<S> geometry;
    const Captures<S> captures;
    const Movement<S> movement;

    // The size must fit the shape and be allowed by the ruleset.
    Rules(const Ruleset& ruleset_, int files, int ranks)
        : ruleset(ruleset_),
          geometry(files, ranks),
          captures(ruleset, geometry),
          movement(ruleset, geometry, captures),
          binds_(ruleset.capture_effect == CaptureEffect::BIND),
          guarded_(ruleset.blocking_own_dux == BlockingOwnDux::ILLEGAL),
          suicidal_(ruleset.dux_needs_open_side() && !guarded_),
          passes_(ruleset.no_move == Ending::PASS),
          keeps_marks_(ruleset.marks == Marks::KEPT),
          counter_after_capture_(ruleset.capture_chain == CaptureChain::FORCED ? 1 : 0) {
        for (int square = 0; square < geometry.squares(); ++square) {
            const int cell = geometry.cell_of(square);
            for (int piece = 0; piece < 6; ++piece)
                keys_[piece][cell] = Zobrist::piece(piece, geometry.file(cell), geometry.rank(cell));
        }
        placeable_ = geometry.full();
        if (ruleset.barred != Square::NONE) placeable_.reset(geometry.middle());
    }
    // Not copyable: the members refer to each other.
    Rules(const Rules&) = delete;
    Rules& operator=(const Rules&) = delete;

    // Whether soldiers are bound before they are captured.
    bool binds() const { return binds_; }
    // Whether a move may close the last open side of the mover's own dux and lose.
    bool can_shut_in_own_dux() const { return suicidal_; }

    u64 full_key(const Board<S>& board) const {
        u64 key = hand_key(board.hand) ^ (board.side == BLACK ? Zobrist::black_to_move() : 0);
        const auto add = [&](const Wide<S>& pieces, int dux, int side) {
            pieces.plain().for_each([&](int cell) {
                const int piece = cell == dux ? DUX : board.bound.test(cell) ? BOUND : SOLDIER;
                key ^= keys_[piece + side][cell];
            });
        };
        add(board.own, board.own_dux, board.side);
        add(board.opp, board.opp_dux, board.side ^ 1);
        return key;
    }

    // ------------------------------------------------------------ moves

    Wide<S> empty(const Board<S>& board) const { return geometry.full_wide() ^ (board.own | board.opp); }

    // A superset of the cells where a move captures or decides the game.
    Set targets(const Board<S>& board, const Wide<S>& empty) const {
        return targets(board, empty, captures.landings(board.own, board.opp, board.opp_dux, empty));
    }
    // The same with known landings of captures.
    Set targets(const Board<S>& board, const Wide<S>& empty, const Wide<S>& landings) const {
        Set targets = captures.targets(landings, board.own, board.opp, board.opp_dux, empty);
        if (suicidal_ && board.own_dux >= 0) {
            const Set last = geometry.near(board.own_dux) & empty.plain();
            if (last.at_most_one()) targets |= last;
            // A slide or step of the dux leaves an empty cell behind it; a jump may end between pieces.
            if (ruleset.dux_jump != Jump::NONE) targets |= empty.plain() & ~geometry.around(empty.plain());
        }
        return targets;
    }

    // Appends all legal moves of an undecided board.
    void moves(const Board<S>& board, MoveStack& out) const {
        const Wide<S> empty = this->empty(board);
        moves(board, empty, needs_targets() ? targets(board, empty) : Set{}, out);
    }
    void moves(const Board<S>& board, const Wide<S>& empty, const Set& targets, MoveStack& out) const {
        const std::size_t begin = out.size();
        proper_moves(board, empty, targets, out);
        if (passes_ && out.size() == begin) out.push(PASS);
    }

    // Appends the moves to search: all moves, but only one path of hops per pair of cells, since the others are
    // equivalent.
    void distinct_moves(const Board<S>& board, const Wide<S>& empty, const Set& targets, MoveStack& out) const {
        if (!movement.has_distinct_hops() || keeps_marks_ || board.hand.any()) return moves(board, empty, targets, out);
        const std::size_t begin = out.size();
        movement.moves_but_hops(board, empty, out);
        movement.distinct_hops(board, out);
        if (board.bound.any()) kills(board, out);
        if (passes_ && out.size() == begin) out.push(PASS);
    }

    // Appends the legal moves onto `targets`, and kills: every capture, every winning move, and a few more.
    void tactical_moves(const Board<S>& board, const Wide<S>& empty, const Set& targets, MoveStack& out) const {
        const std::size_t begin = out.size();
        if (board.hand.any()) return;
        if (binds_) kills(board, out);
        if (targets.any()) movement.tactical_moves(board, empty, targets, out);
        else if (!binds_) return;
        if (guarded_) keep_dux_free(board, begin, out);
    }

    // Whether a slide or step is legal and captures nothing. May return false for a legal move if its legality cannot
    // be decided without a list of all moves.
    bool is_plain_move(const Board<S>& board, const Wide<S>& empty_wide, int origin, int to) const {
        const Set own = board.own.plain(), empty = empty_wide.plain();
        if (board.hand.any() || movement.filters() || origin == to) return false;
        if (!own.test(origin) || board.bound.test(origin) || !empty.test(to)) return false;
        if (guarded_ && board.own_dux >= 0 && (geometry.near(board.own_dux) & empty).at_most_one()) return false;
        if (ruleset.capture_chain == CaptureChain::FORCED &&
            captures.victims(own ^ Set::of(origin) ^ Set::of(to), board.opp.plain(), board.opp_dux, origin, to).any())
            return false;
        if (geometry.near(origin).test(to)) return true;
        if (movement.diagonal() && geometry.diagonal(origin).test(to)) return true;
        if (!movement.slides(origin, board.own_dux)) return false;
        const bool rank = geometry.rank(origin) == geometry.rank(to);
        if (!rank && geometry.file(origin) != geometry.file(to)) return false;
        const int step = geometry.step(rank ? (to > origin ? EAST : WEST) : (to > origin ? NORTH : SOUTH));
        for (int cell = origin + step; cell != to; cell += step)
            if (!empty.test(cell)) return false;
        return true;
    }

    // Whether there is a legal move other than a pass.
    bool can_move(const Board<S>& board, const Wide<S>& empty, MoveStack& scratch) const {
        Set held = board.bound, open = empty.plain();
        bool listed = board.hand.any();
        if (guarded_ && board.own_dux >= 0) {
            // Moves onto its last open side may shut the dux in, other moves of one leg do not.
            if (const Set sides = geometry.near(board.own_dux) & open; sides.at_most_one()) {
                listed |= sides.none() || ruleset.capture_chain != CaptureChain::NONE;
                open &= ~sides;
            }
        }
        if (!listed) {
            if (movement.filters()) {
                if (movement.locks()) held |= geometry.around(board.opp.plain());  // no other pieces are locked
                if (movement.guards_entry()) open &= ~geometry.between(board.opp.plain());
            }
            if ((board.own.plain() & ~held & geometry.around(open)).any()) return true;
        }
        const std::size_t begin = scratch.size();
        proper_moves(board, empty, needs_targets() ? targets(board, empty) : Set{}, scratch);
        const bool found = scratch.size() > begin;
        scratch.shrink(begin);
        return found;
    }

    // The number of legal moves, if possible without listing them.
    u64 count(const Board<S>& board, MoveStack& scratch) const {
        if (!board.hand.any() && movement.all_slide()) {
            const Wide<S> empty = this->empty(board);
            const bool dux = board.own_dux >= 0;
            const bool checked = dux && guarded_ && (geometry.near(board.own_dux) & empty.plain()).at_most_one();
            const bool jumps = dux && movement.dux_jumps_lines() &&
                               movement.line_landings(board.own.plain() | board.opp.plain(), board.own_dux).any();
            if (!checked && !jumps) {
                const int slides = empty.without(empty + (board.own.ahead() & empty)).count();
                return static_cast<u64>(passes_ && !slides ? 1 : slides);
            }
        }
        const std::size_t begin = scratch.size();
        moves(board, scratch);
        const u64 count = scratch.size() - begin;
        scratch.shrink(begin);
        return count;
    }

    // ------------------------------------------------------------ playing

    // The board after a move that is legal, except that it may shut in the mover's own dux. `paths` must know the move.
    Board<S> play(const Board<S>& board, Move move, const MoveStack& paths) const {
        if (move >= ONE_LEG) return move >= CHAIN ? play_chain(board, paths.path_of(move)) : play_other(board, move);
        Board<S> after = moved(board, origin_of(move), to_of(move));
        if (binds_) {
            mark(after, origin_of(move), to_of(move));
            return after;
        }
        const Set victims = captures.victims(after.opp.plain(), after.own.plain(), after.own_dux, origin_of(move),
                                             to_of(move));
        if (victims.any()) lift(after, victims);
        return after;
    }

    // The same for a path of two or more cells.
    Board<S> play_path(const Board<S>& board, const Path& path) const { return play_chain(board, path); }

    // The key after a placement, or after a move of one leg that captures nothing, before pieces are bound.
    u64 key_after(const Board<S>& board, Move move) const {
        if (move >= ONE_LEG) {
            const bool is_dux = kind_of(move) == PLACE_DUX;
            const u64 key = key_with(board, is_dux, latrones::cell_of(move));
            return ends_turn(is_dux, board.hand.soldiers(board.side) - !is_dux) ? key ^ Zobrist::black_to_move() : key;
        }
        const int origin = origin_of(move);
        const u64* keys = keys_[(origin == board.own_dux ? DUX : SOLDIER) + board.side];
        return board.key ^ keys[origin] ^ keys[to_of(move)] ^ Zobrist::black_to_move();
    }

    // The same as `play`, for a legal move of one leg that does not land on `targets`.
    Board<S> play_quiet(const Board<S>& board, Move move) const {
        Board<S> after = moved(board, origin_of(move), to_of(move));
        if (binds_) mark(after, origin_of(move), to_of(move));
        return after;
    }

    // The key of pieces, marks and hands, independent of the side to move.
    static u64 arrangement_key(const Board<S>& board) {
        return board.key ^ (board.side == BLACK ? Zobrist::black_to_move() : 0);
    }

    // Passes the turn to the other player.
    static void pass(Board<S>& board) {
        std::swap(board.own, board.opp);
        std::swap(board.own_dux, board.opp_dux);
        board.side ^= 1;
        board.key ^= Zobrist::black_to_move();
    }

    // ------------------------------------------------------------ endings

    // -1 if the player to move has lost by the pieces on the board, 1 if it has won, else 0.
    int decided(const Board<S>& board) const {
        const Set own = board.own.plain(), opp = board.opp.plain(), occupied = own | opp;
        if (lost(own, board.own_dux, occupied, board.hand, board.side)) return -1;
        return lost(opp, board.opp_dux, occupied, board.hand, board.side ^ 1) ? 1 : 0;
    }

    // The result of an ending for the player to move: -1 lost, 0 drawn, 1 won.
    int ending(Ending how, const Board<S>& board) const {
        if (how == Ending::DRAW) return 0;
        if (how == Ending::LOSS) return -1;
        const int mine = pieces(board.own.plain(), board.own_dux), theirs = pieces(board.opp.plain(), board.opp_dux);
        if (mine == theirs && ruleset.equal_men == EqualMen::BLACK) return board.side == BLACK ? 1 : -1;
        return (mine > theirs) - (mine < theirs);
    }

   private:
    bool needs_targets() const {
        return ruleset.capture_chain != CaptureChain::NONE || ruleset.jump_must_capture ||
               ruleset.soldier_locks != SoldierLocks::NONE || ruleset.dux_locks != DuxLocks::NONE;
    }

    // ------------------------------------------------------------ moves

    void proper_moves(const Board<S>& board, const Wide<S>& empty, const Set& targets, MoveStack& out) const {
        const std::size_t begin = out.size();
        if (board.hand.any()) return placements(board, out);
        movement.moves(board, empty, targets, out);
        if (board.bound.any()) kills(board, out);
        if (guarded_) keep_dux_free(board, begin, out);
    }

    void placements(const Board<S>& board, MoveStack& out) const {
        const bool soldiers = board.hand.any_soldiers();
        if (!(soldiers ? board.hand.soldiers(board.side) : board.hand.dux(board.side))) return;
        const Set free = placeable_ & ~(board.own.plain() | board.opp.plain());
        free.for_each([&](int cell) { out.push((soldiers ? PLACE_SOLDIER : PLACE_DUX) | static_cast<Move>(cell)); });
    }

    void kills(const Board<S>& board, MoveStack& out) const {
        (board.opp.plain() & board.bound).for_each([&](int cell) { out.push(KILL | static_cast<Move>(cell)); });
    }

    // Drops the moves that leave the mover's dux without an open side.
    void keep_dux_free(const Board<S>& board, std::size_t begin, MoveStack& out) const {
        if (board.own_dux < 0) return;
        const Set liberties = geometry.near(board.own_dux) & ~(board.own.plain() | board.opp.plain());
        if (!liberties.at_most_one()) return;
        std::size_t kept = begin;
        for (std::size_t i = begin; i < out.size(); ++i) {
            const Move move = out[i].move;
            if (move >= ONE_LEG || liberties.none() || liberties.test(to_of(move))) {
                const Board<S> after = play(board, move, out);
                if ((geometry.near(after.opp_dux) & ~(after.own.plain() | after.opp.plain())).none()) continue;
            }
            out[kept++].move = move;
        }
        out.shrink(kept);
    }

    // ------------------------------------------------------------ playing

    Board<S> moved(const Board<S>& board, int origin, int to) const {
        const bool is_dux = origin == board.own_dux;
        Board<S> after;
        after.own = board.opp;
        after.opp = board.own ^ geometry.wide(origin) ^ geometry.wide(to);
        after.bound = board.bound;
        after.key = key_after(board, one_leg(origin, to));
        after.hand = board.hand;
        after.nocapture = board.nocapture + 1;
        after.own_dux = board.opp_dux;
        after.opp_dux = is_dux ? static_cast<short>(to) : board.own_dux;
        after.side = board.side ^ 1;
        return after;
    }

    // Takes pieces of the player to move off the board.
    void lift(Board<S>& board, const Set& victims) const {
        victims.for_each([&](int cell) {
            board.own ^= geometry.wide(cell);
            board.key ^= keys_[(cell == board.own_dux ? DUX : SOLDIER) + board.side][cell];
            if (cell == board.own_dux) board.own_dux = -1;
        });
        board.nocapture = counter_after_capture_;
    }

    Board<S> play_other(const Board<S>& board, Move move) const {
        const int cell = latrones::cell_of(move);
        const Move kind = kind_of(move);
        Board<S> after = board;
        if (kind == PASS) {
            pass(after);
            ++after.nocapture;
            return after;
        }
        after.nocapture = 0;
        if (kind == KILL) {
            after.opp ^= geometry.wide(cell);
            after.bound.reset(cell);
            after.key ^= keys_[BOUND + (board.side ^ 1)][cell];
            pass(after);
            if (!keeps_marks_) judge(after);
            return after;
        }
        const bool is_dux = kind == PLACE_DUX;
        after.key = key_with(board, is_dux, cell);
        after.own |= geometry.wide(cell);
        if (is_dux) {
            after.hand.take_dux(board.side);
            after.own_dux = static_cast<short>(cell);
        } else {
            after.hand.take_soldier(board.side);
        }
        if (ends_turn(is_dux, after.hand.soldiers(board.side))) {
            pass(after);
            if (binds_ && !keeps_marks_ && !after.hand.any()) judge(after);
        }
        return after;
    }

    // The key with a piece placed on a cell, before the turn ends.
    u64 key_with(const Board<S>& board, bool is_dux, int cell) const {
        const int soldier = SOLDIER + board.side, dux = DUX + board.side, held = board.hand.soldiers(board.side);
        if (is_dux) return board.key ^ keys_[dux][cell] ^ Zobrist::in_hand(dux, 1);
        return board.key ^ keys_[soldier][cell] ^ Zobrist::in_hand(soldier, held) ^ Zobrist::in_hand(soldier, held - 1);
    }
    // Whether a placement ends the turn, by the number of soldiers left in hand.
    bool ends_turn(bool is_dux, int left) const {
        return is_dux || !left || (ruleset.hand - left) % ruleset.placement_turn == 0;
    }

    // Plays a path of several legs: hops, or legs that all capture except possibly the last.
    Board<S> play_chain(const Board<S>& board, const Path& path) const {
        if (binds_ && !keeps_marks_) {
            Board<S> after = moved(board, path.first(), path.last());
            judge(after);
            return after;
        }
        Board<S> after = board;
        if (keeps_marks_) {
            for (int i = 0; i + 1 < path.size; ++i) {
                if (i) pass(after);  // the same player continues
                after = moved(after, path.cell[i], path.cell[i + 1]);
                mark(after, path.cell[i], path.cell[i + 1]);
            }
            after.nocapture = board.nocapture + 1;
            return after;
        }
        bool captured = false;
        for (int i = 0; i + 1 < path.size; ++i) {
            after = moved(after, path.cell[i], path.cell[i + 1]);
            const Set victims = captures.victims(after.opp.plain(), after.own.plain(), after.own_dux, path.cell[i],
                                                 path.cell[i + 1]);
            if (victims.any()) lift(after, victims);
            captured |= victims.any();
            if (i + 2 < path.size) pass(after);  // the same player continues
        }
        after.nocapture = captured ? counter_after_capture_ : board.nocapture + 1;
        return after;
    }

    static u64 hand_key(Hand hand) {
        u64 key = 0;
        for (int side : {WHITE, BLACK})
            key ^= Zobrist::in_hand(SOLDIER + side, hand.soldiers(side)) ^ Zobrist::in_hand(DUX + side, hand.dux(side));
        return key;
    }

    // ------------------------------------------------------------ bound marks

    // Updates the bound marks after a landing and the change of turn.
    void mark(Board<S>& board, int origin, int to) const {
        if (!keeps_marks_) return judge(board);
        set_marks(board, movement.binding.landed(board.opp.plain(), board.own.plain(), board.bound,
                                                 Binding<S>::duces(board.own_dux, board.opp_dux), origin, to));
    }

    // Recomputes the bound marks after a move and the change of turn.
    void judge(Board<S>& board) const {
        set_marks(board, movement.binding.judged(board.opp.plain(), board.own.plain(), board.bound,
                                                 Binding<S>::duces(board.own_dux, board.opp_dux)));
    }

    [[gnu::always_inline]] void set_marks(Board<S>& board, const Set& marks) const {
        const Set mover = board.opp.plain(), other = board.own.plain(), changed = marks ^ board.bound;
        if (changed.none()) return;
        for (const auto& [pieces, side] : {std::pair{mover, board.side ^ 1}, std::pair{other, int{board.side}}})
            (pieces & changed).for_each([&, s = side](int cell) {
                board.key ^= keys_[SOLDIER + s][cell] ^ keys_[BOUND + s][cell];
            });
        board.bound = marks;
    }

    // ------------------------------------------------------------ endings

    bool lost(const Set& side_pieces, int dux, const Set& occupied, Hand hand, int side) const {
        if (ruleset.dux_needs_open_side() && (dux < 0 || (geometry.near(dux) & ~occupied).none())) return true;
        if (!ruleset.fewest_men || (hand.any() && ruleset.fewest_judged == FewestJudged::PLACED)) return false;
        int count = pieces(side_pieces, dux) + hand.soldiers(side);
        if (ruleset.men_counted == MenCounted::ALL) count += hand.dux(side);
        return count < ruleset.fewest_men;
    }

    int pieces(const Set& side_pieces, int dux) const {
        return side_pieces.count() - (dux >= 0 && ruleset.men_counted == MenCounted::SOLDIERS);
    }

    const bool binds_, guarded_, suicidal_, passes_, keeps_marks_;
    const int counter_after_capture_;
    u64 keys_[6][S::cells]{};
    Set placeable_;
};

}  // namespace latrones
