// Movement: slides, steps, jumps, chains, and locks.
#pragma once

#include "binding.hpp"
#include "board.hpp"
#include "captures.hpp"
#include "moves.hpp"

namespace latrones {

template <class S>
class Movement {
   public:
    using Set = Bits<S::limbs>;

    Movement(const Ruleset& ruleset, const Geometry<S>& geometry, const Captures<S>& captures)
        : binding(geometry),
          rules_(ruleset),
          geometry_(geometry),
          captures_(captures),
          soldiers_slide_(ruleset.soldier_move == Gait::SLIDE),
          dux_slides_(ruleset.dux_move == Gait::SLIDE),
          alike_(ruleset.dux_move == Gait::NONE || ruleset.dux_move == ruleset.soldier_move),
          jumps_(ruleset.soldier_jump != Jump::NONE || ruleset.dux_jump != Jump::NONE),
          diagonal_(ruleset.directions == Directions::ALL),
          binds_(ruleset.capture_effect == CaptureEffect::BIND),
          locks_(ruleset.soldier_locks != SoldierLocks::NONE || ruleset.dux_locks != DuxLocks::NONE),
          guards_entry_(ruleset.enter_between == EnterBetween::ILLEGAL),
          filters_(locks_ || guards_entry_),
          all_slide_(alike_ && soldiers_slide_ && !filters_ && !binds_) {}

    const Binding<S> binding;

    // Whether all moves except jumps are slides of free pieces, so that they can be counted without a list.
    bool all_slide() const { return all_slide_; }

    // Whether moves of one leg that are possible may be illegal: because of locks, or between two enemies.
    bool filters() const { return filters_; }
    bool locks() const { return locks_; }
    bool guards_entry() const { return guards_entry_; }
    bool diagonal() const { return diagonal_; }
    bool slides(int cell, int dux) const { return cell == dux ? dux_slides_ : soldiers_slide_; }

    // The cells that slides and steps reach, separately for each orientation: one bit per move.
    Wide<S> reach(const Wide<S>& pieces, int dux, const Wide<S>& empty) const {
        const Wide<S> starts = pieces.ahead() & empty;
        if (alike_) return soldiers_slide_ ? empty.without(empty + starts) : starts;
        const Wide<S>& of_dux = dux >= 0 ? geometry_.wide(dux) : none_;
        const Wide<S> sliders = dux_slides_ ? pieces & of_dux : pieces.without(of_dux);
        return starts | empty.without(empty + (sliders.ahead() & empty));
    }

    // Appends all moves of pieces, including chains of captures. `targets` is the result of `Captures` for this board.
    void moves(const Board<S>& board, const Wide<S>& empty, const Set& targets, MoveStack& out) const {
        const std::size_t begin = out.size();
        const Wide<S> movers = free_pieces(board);
        ScoredMove* next = out.room_for(4 * S::cells);
        if (alike_) {
            next = go(movers, soldiers_slide_, empty, next);
        } else {
            const Wide<S>& dux = board.own_dux >= 0 ? geometry_.wide(board.own_dux) : none_;
            next = go(movers.without(dux), soldiers_slide_, empty, next);
            next = go(movers & dux, dux_slides_, empty, next);
        }
        out.commit(next);
        if (diagonal_) diagonal_steps(board.own.plain() & ~board.bound, empty.plain(), out);
        if (jumps_) jumps(board, empty, nullptr, targets, out);
        if (filters_) filter(board, empty, targets, begin, out);
        if (rules_.capture_chain != CaptureChain::NONE) add_chains(board, targets, begin, out);
    }

    // The number of diagonal steps; 0 in games without them.
    int diagonal_reach(const Set& pieces, const Set& empty) const {
        int count = 0;
        if (diagonal_)
            geometry_.for_each_diagonal_shift([&](auto shift) { count += (shift(pieces) & empty).count(); });
        return count;
    }

    // Whether a turn may end with a leg, in games with chains of captures.
    bool may_end(const Board<S>& board, Move move) const {
        return may_end(pieces_of(board), origin_of(move), to_of(move));
    }

    // Appends the moves that land on `targets`, including chains that start with such a move.
    void tactical_moves(const Board<S>& board, const Wide<S>& empty, const Set& targets, MoveStack& out) const {
        const std::size_t begin = out.size();
        const Set own = board.own.plain(), opp = board.opp.plain(), movers = own & ~board.bound;
        targets.for_each([&](int to) {
            for (Direction d : DIRECTIONS) {
                const int step = geometry_.step(d), room = geometry_.room(opposite(d), to);
                for (int distance = 1; distance <= room; ++distance) {
                    const int cell = to - distance * step;
                    if (own.test(cell)) {
                        if (movers.test(cell) && (distance == 1 || slides(cell, board.own_dux)))
                            out.push(one_leg(cell, to));
                        break;
                    }
                    if (opp.test(cell)) break;
                }
            }
        });
        if (diagonal_)
            targets.for_each([&](int to) {
                (geometry_.diagonal(to) & movers).for_each([&](int cell) { out.push(one_leg(cell, to)); });
            });
        if (jumps_) jumps(board, empty, &targets, targets, out);
        if (filters_) filter(board, empty, targets, begin, out);
        if (rules_.capture_chain != CaptureChain::NONE) add_chains(board, targets, begin, out);
    }

    // The first empty cells behind the runs of pieces next to a dux.
    Set line_landings(const Set& occupied, int dux) const {
        Set landings;
        for (Direction d : DIRECTIONS) {
            const int step = geometry_.step(d), room = geometry_.room(d, dux);
            int run = 0;
            while (run < room && occupied.test(dux + (run + 1) * step)) ++run;
            if (0 < run && run < room) landings.set(dux + (run + 1) * step);
        }
        return landings;
    }
    bool dux_jumps_lines() const { return rules_.dux_jump == Jump::LINE; }

    // Appends one shortest path of hops for each pair of origin and destination: hops change nothing along the way.
    void distinct_hops(const Board<S>& board, MoveStack& out) const {
        const Set own = board.own.plain(), opp = board.opp.plain(), empty = geometry_.full() & ~(own | opp);
        const Set movers = own & ~board.bound, over = jumps_over(own, opp);
        int most_squares = unlimited;
        if (over.count() > few_enemies) {
            Count count;
            most_squares = hops<false>(pieces_of(board), movers, over, empty, count);
        }
        movers.for_each([&](int origin) {
            u8 from[S::cells];
            Set seen = Set::of(origin), front = seen;
            for (int legs = 1; legs < most_squares && front.any(); ++legs) {
                Set next;
                front.for_each([&](int cell) {
                    for_each_hop(cell, over, empty, [&](int to) {
                        if (seen.test(to)) return;
                        seen.set(to);
                        next.set(to);
                        from[to] = static_cast<u8>(cell);
                    });
                });
                next.for_each([&](int to) {
                    Path path;
                    path.size = legs + 1;
                    int cell = to;
                    for (int i = legs; i > 0; --i, cell = from[cell]) path.cell[i] = static_cast<u8>(cell);
                    path.cell[0] = static_cast<u8>(origin);
                    out.push(out.path_move(path));
                });
                front = next;
            }
        });
    }
    // Calls `action` with the cells that a hop of a chain leads to, over one of `over`.
    template <class Action>
    void for_each_hop(int cell, const Set& over, const Set& empty, Action&& action) const {
        for (Direction d : DIRECTIONS) {
            const int step = geometry_.step(d);
            if (geometry_.room(d, cell) >= 2 && over.test(cell + step) && empty.test(cell + 2 * step))
                action(cell + 2 * step);
        }
    }

    // Calls `action` with the landing of each single jump, which also goes along diagonals in games with them.
    template <class Action>
    void for_each_jump(int cell, const Set& over, const Set& empty, Action&& action) const {
        for_each_hop(cell, over, empty, action);
        if (diagonal_)
            geometry_.for_each_diagonal(cell, [&](int step, int room) {
                if (room >= 2 && over.test(cell + step) && empty.test(cell + 2 * step)) action(cell + 2 * step);
            });
    }

    // Whether there are chains of hops; those with the same ends are equivalent unless each landing changes marks.
    bool hops() const { return rules_.soldier_jump == Jump::CHAIN; }
    // Whether `moves_but_hops` and `distinct_hops` list the moves of a game with chains of hops.
    bool has_distinct_hops() const { return hops() && rules_.dux_fate == DuxFate::NONE && !guards_entry_; }
    // Appends all moves except hops, which `distinct_hops` appends.
    void moves_but_hops(const Board<S>& board, const Wide<S>& empty, MoveStack& out) const {
        out.commit(go(free_pieces(board), soldiers_slide_, empty, out.room_for(4 * S::cells)));
    }

   private:
    // The pieces before a leg of a chain.
    struct Pieces {
        Set own, opp;
        int own_dux, opp_dux;
        Set bound;
    };
    static Pieces pieces_of(const Board<S>& board) {
        return {board.own.plain(), board.opp.plain(), board.own_dux, board.opp_dux, board.bound};
    }

    // ------------------------------------------------------------ limiting the number of chains

    static constexpr int unlimited = 257;
    // A chain hops over each enemy at most once; over so few enemies, there are fewer than MAX_CHAINS / 3 chains.
    static constexpr int few_enemies = 12;

    // The limits of chains: the number of squares of each, and the number of moves on the stack.
    struct Bound {
        int squares;
        std::size_t moves;

        template <class Out>
        bool reached(const Path& path, const Out& out) const {
            return path.size >= squares || out.size() > moves;
        }
    };

    // Counts moves instead of listing them.
    class Count {
       public:
        std::size_t size() const { return size_; }
        void push(Move) { ++size_; }
        Move path_move(const Path&) const { return NO_MOVE; }
        std::size_t mark() const { return size_; }
        void forget_since(std::size_t mark) { size_ = mark; }

       private:
        std::size_t size_ = 0;
    };

    // Lists chains by calling `list` with a bound; if there are too many chains, lists only the shorter ones. Returns
    // the maximum number of squares.
    template <class Out, class List>
    static int bounded(Out& out, List&& list) {
        const auto mark = out.mark();
        const std::size_t end = out.size() + MAX_CHAINS;
        const auto try_with = [&](int squares) {
            out.forget_since(mark);
            list(Bound{squares, end});
            return out.size() <= end;
        };
        int squares = unlimited;
        if (try_with(squares)) return squares;
        for (squares = 2; try_with(squares);) ++squares;
        try_with(--squares);
        return squares;
    }

    Wide<S> free_pieces(const Board<S>& board) const {
        return board.bound.any() ? board.own.without(geometry_.widen(board.bound)) : board.own;
    }

    ScoredMove* go(const Wide<S>& pieces, bool slide, const Wide<S>& empty, ScoredMove* next) const {
        const Wide<S> starts = pieces.ahead() & empty;
        if (!slide) return emit<false>(starts, starts, next);
        return emit<true>(starts, empty.without(empty + starts), next);
    }
    template <bool Slide>
    ScoredMove* emit(const Wide<S>& starts, const Wide<S>& reach, ScoredMove* next) const {
        next = emit_one<Slide, EAST>(starts, reach, next);
        next = emit_one<Slide, WEST>(starts, reach, next);
        next = emit_one<Slide, NORTH>(starts, reach, next);
        return emit_one<Slide, SOUTH>(starts, reach, next);
    }
    template <bool Slide, Direction D>
    ScoredMove* emit_one(const Wide<S>& starts, const Wide<S>& reach, ScoredMove* next) const {
        constexpr int step = Geometry<S>::step(D);
        for (int i = 0; i < S::limbs; ++i) {
            const u64 reached = reach.word(D, i);
            for (u64 rest = starts.word(D, i); rest; rest &= rest - 1) {
                const int bit = std::countr_zero(rest);
                int to = geometry_.cell_at(D, i * 64 + bit);
                const int origin = to - step;
                // The first bit of a lane is never reached, so a run of ones does not continue in the next lane.
                const int length = Slide ? std::countr_one(reached >> bit) : 1;
                for (int k = 0; k < length; ++k, to += step) (next++)->move = one_leg(origin, to);
            }
        }
        return next;
    }

    // The pieces that jumps can go over.
    Set jumps_over(const Set& own, const Set& opp) const {
        return rules_.jump_over == JumpOver::ALL ? own | opp : opp;
    }

    void diagonal_steps(const Set& movers, const Set& empty, MoveStack& out) const {
        movers.for_each([&](int cell) {
            (geometry_.diagonal(cell) & empty).for_each([&](int to) { out.push(one_leg(cell, to)); });
        });
    }

    // Appends the jumps of soldiers and dux; if `onto` is given, only the jumps that land there.
    void jumps(const Board<S>& board, const Wide<S>& empty_wide, const Set* onto, const Set& targets,
               MoveStack& out) const {
        const std::size_t begin = out.size();
        const Set own = board.own.plain(), opp = board.opp.plain(), empty = empty_wide.plain();
        const Set movers = own & ~board.bound;
        const bool dux = board.own_dux >= 0;
        const Set over = jumps_over(own, opp);
        const auto add_single = [&](int cell) {
            for_each_jump(cell, over, empty, [&](int to) { out.push(one_leg(cell, to)); });
        };
        if (rules_.soldier_jump == Jump::SINGLE)
            movers.for_each([&](int cell) {
                if (cell != board.own_dux) add_single(cell);
            });
        if (rules_.dux_jump == Jump::SINGLE && dux) add_single(board.own_dux);
        if (rules_.soldier_jump == Jump::CHAIN) {
            const Set soldiers = dux ? movers & ~Set::of(board.own_dux) : movers;
            if (guards_entry_) hops<true>(pieces_of(board), soldiers, over, empty, out);
            else hops<false>(pieces_of(board), soldiers, over, empty, out);
        }
        if (rules_.dux_jump == Jump::LINE && dux) {
            Set landings = line_landings(own | opp, board.own_dux);
            if (rules_.jump_must_capture) landings &= targets;
            landings.for_each([&](int to) { out.push(one_leg(board.own_dux, to)); });
        }
        std::size_t kept = begin;
        for (std::size_t i = begin; i < out.size(); ++i) {
            const Move move = out[i].move;
            const bool of_dux = dux && move < ONE_LEG && origin_of(move) == board.own_dux;
            if (onto && !onto->test(move < ONE_LEG ? to_of(move) : out.path_of(move).last())) continue;
            if (rules_.jump_must_capture && captured(board, move).none()) continue;
            if (of_dux && rules_.blocking_own_dux == BlockingOwnDux::ILLEGAL && !has_open_side(board, move)) continue;
            out[kept++].move = move;
        }
        out.shrink(kept);
    }

    // Appends chains of hops over pieces that stay on the board. Returns the maximum number of squares of a path.
    // `Guarded`: each hop obeys `enter_between`, judged with `pieces`.
    template <bool Guarded, class Out>
    int hops(const Pieces& pieces, const Set& movers, const Set& over, const Set& empty, Out& out) const {
        return bounded(out, [&](const Bound& bound) {
            movers.for_each([&](int cell) {
                Path path;
                path.cell[path.size++] = static_cast<u8>(cell);
                hop_on<Guarded>(pieces, path, Set::of(cell), over, empty, bound, out);
            });
        });
    }
    template <bool Guarded, class Out>
    void hop_on(const Pieces& pieces, Path& path, const Set& landed, const Set& over, const Set& empty,
                const Bound& bound, Out& out) const {
        if (bound.reached(path, out)) return;
        for_each_hop(path.last(), over, empty, [&](int to) {
            if (landed.test(to)) return;
            const int from = path.last();
            if constexpr (Guarded)
                if (!may_enter(pieces, from, to)) return;
            path.cell[path.size++] = static_cast<u8>(to);
            out.push(out.path_move(path));
            const Set all_landed = landed | Set::of(to);
            if constexpr (Guarded) hop_on<true>(hopped(pieces, from, to), path, all_landed, over, empty, bound, out);
            else hop_on<false>(pieces, path, all_landed, over, empty, bound, out);
            --path.size;
        });
    }

    // The pieces after a hop of a soldier; marks that are judged anew change only when a chain ends.
    Pieces hopped(Pieces pieces, int origin, int to) const {
        pieces.own ^= Set::of(origin) ^ Set::of(to);
        if (rules_.marks == Marks::KEPT)
            pieces.bound = binding.landed(pieces.own, pieces.opp, pieces.bound,
                                          binding.duces(pieces.own_dux, pieces.opp_dux), origin, to);
        return pieces;
    }

    // Whether a leg does not end between two enemies, or captures or binds; `pieces` are those before the leg.
    bool may_enter(const Pieces& pieces, int origin, int to) const {
        const auto lies_between = [&](Direction d) {
            return geometry_.room(d, to) && geometry_.room(opposite(d), to) &&
                   pieces.opp.test(to + geometry_.step(d)) && pieces.opp.test(to - geometry_.step(d));
        };
        if (!lies_between(EAST) && !lies_between(NORTH)) return true;
        if (!binds_)
            return captures_.victims(pieces.own ^ Set::of(origin) ^ Set::of(to), pieces.opp, pieces.opp_dux, origin, to)
                .any();
        // Judged before the leg, as in Ludii: the piece that moves can be the one behind.
        const Set prey = pieces.opp & ~pieces.bound & ~binding.duces(-1, pieces.opp_dux);
        return binding.flanked(to, prey, pieces.own & ~pieces.bound).any();
    }

    // Whether the dux has an open side after a jump; a slide or step always leaves one behind it.
    bool has_open_side(const Board<S>& board, Move jump) const {
        const Set own = board.own.plain() ^ Set::of(origin_of(jump)) ^ Set::of(to_of(jump));
        return (geometry_.near(to_of(jump)) & ~(own | (board.opp.plain() ^ captured(board, jump)))).any();
    }

    // The pieces that a move of one leg captures.
    Set captured(const Board<S>& board, Move move) const {
        const int origin = origin_of(move), to = to_of(move);
        const Set own = board.own.plain() ^ Set::of(origin) ^ Set::of(to);
        return captures_.victims(own, board.opp.plain(), board.opp_dux, origin, to);
    }

    // ------------------------------------------------------------ chains of captures

    void add_chains(const Board<S>& board, const Set& targets, std::size_t begin, MoveStack& out) const {
        const std::size_t end = out.size();
        bounded(out, [&](const Bound& bound) {
            for (std::size_t i = begin; i < end; ++i) {
                const Move move = out[i].move;
                if (!targets.test(to_of(move))) continue;
                Path path;
                path.cell[path.size++] = static_cast<u8>(origin_of(move));
                path.cell[path.size++] = static_cast<u8>(to_of(move));
                go_on(pieces_of(board), path, bound, out);
            }
        });
        if (rules_.capture_chain != CaptureChain::FORCED) return;
        std::size_t kept = begin;
        for (std::size_t i = begin; i < out.size(); ++i)
            if (i >= end || !targets.test(to_of(out[i].move)) || may_end(board, out[i].move)) out[kept++] = out[i];
        out.shrink(kept);
    }

    // Makes a leg; returns whether it captures.
    bool make_leg(Pieces& pieces, int origin, int to) const {
        pieces.own ^= Set::of(origin) ^ Set::of(to);
        const Set victims = captures_.victims(pieces.own, pieces.opp, pieces.opp_dux, origin, to);
        if (victims.none()) return false;
        pieces.opp ^= victims;
        if (pieces.opp_dux >= 0 && victims.test(pieces.opp_dux)) pieces.opp_dux = -1;
        if (pieces.own_dux >= 0 && origin == pieces.own_dux) pieces.own_dux = to;
        return true;
    }
    bool may_end(Pieces pieces, int origin, int to) const {
        if (rules_.capture_chain == CaptureChain::FREE) return true;
        if (!make_leg(pieces, origin, to)) return rules_.capture_chain == CaptureChain::FORCED;
        if (rules_.capture_chain == CaptureChain::CAPTURING) return true;
        bool goes_on = false;
        for_each_leg(pieces, to, [&](int) { goes_on = true; });
        return !goes_on;
    }

    // Calls `action` with the landing of each leg of a piece that steps.
    template <class Action>
    void for_each_leg(const Pieces& pieces, int cell, Action&& action) const {
        const Set empty = geometry_.full() & ~(pieces.own | pieces.opp);
        const auto leg = [&](int to) {
            if (!guards_entry_ || may_enter(pieces, cell, to)) action(to);
        };
        ((diagonal_ ? geometry_.near(cell) | geometry_.diagonal(cell) : geometry_.near(cell)) & empty).for_each(leg);
        if ((cell == pieces.own_dux ? rules_.dux_jump : rules_.soldier_jump) == Jump::SINGLE)
            for_each_jump(cell, jumps_over(pieces.own, pieces.opp), empty, leg);
    }

    // Appends the continuations of the last leg of `path`, if it captures; `pieces` are the pieces before that leg.
    void go_on(Pieces pieces, Path& path, const Bound& bound, MoveStack& out) const {
        if (bound.reached(path, out)) return;
        const int to = path.last();
        if (!make_leg(pieces, path.cell[path.size - 2], to)) return;
        for_each_leg(pieces, to, [&](int next) {
            path.cell[path.size++] = static_cast<u8>(next);
            if (rules_.capture_chain == CaptureChain::FREE || may_end(pieces, to, next)) out.push(out.path_move(path));
            go_on(pieces, path, bound, out);
            --path.size;
        });
    }

    // ------------------------------------------------------------ filters

    // Drops the moves that locks forbid, and those of one leg that may not end between two enemies.
    void filter(const Board<S>& board, const Wide<S>& empty, const Set& targets, std::size_t begin,
                MoveStack& out) const {
        if (guards_entry_) {
            const Pieces pieces = pieces_of(board);
            std::size_t kept = begin;
            for (std::size_t i = begin; i < out.size(); ++i) {
                const Move move = out[i].move;
                if (move >= CHAIN || may_enter(pieces, origin_of(move), to_of(move))) out[kept++].move = move;
            }
            out.shrink(kept);
        }
        if (locks_) unlock(board, empty, targets, begin, out);
    }

    // Drops the moves that locks forbid, judged on the board before the move.
    void unlock(const Board<S>& board, const Wide<S>& empty, const Set& targets, std::size_t begin,
                MoveStack& out) const {
        const Set own = board.own.plain(), opp = board.opp.plain();
        Set locked;
        if (rules_.soldier_locks != SoldierLocks::NONE) locked = locked_soldiers(own, opp, board.own_dux);
        int covered = 0;
        if (rules_.dux_locks == DuxLocks::SIDES && board.own_dux >= 0 &&
            (geometry_.near(board.own_dux) & opp).any())
            covered = 4 - (geometry_.near(board.own_dux) & empty.plain()).count();
        if (locked.none() && !covered) return;
        std::size_t kept = begin;
        for (std::size_t i = begin; i < out.size(); ++i) {
            const Move move = out[i].move;
            const int origin = origin_of(move), to = to_of(move);
            bool free = true;
            if (board.own_dux >= 0 && origin == board.own_dux) {
                if (covered >= 3) free = false;
                else if (covered)
                    free = (covered == 1 && geometry_.near(origin).test(to)) || offensive(board, move, targets);
            } else if (locked.test(origin)) {
                free = offensive(board, move, targets);
            }
            if (free) out[kept++].move = move;
        }
        out.shrink(kept);
    }

    // Whether a move captures or lands next to the enemy dux.
    bool offensive(const Board<S>& board, Move move, const Set& targets) const {
        const int to = to_of(move);
        if (board.opp_dux >= 0 && geometry_.near(board.opp_dux).test(to)) return true;
        return targets.test(to) && captured(board, move).any();
    }

    Set locked_soldiers(const Set& own, Set enemies, int own_dux) const {
        if (rules_.soldier_locks == SoldierLocks::MELEE) {
            // An enemy only locks if exactly one of our pieces is next to it.
            const Set east = geometry_.east(own), west = geometry_.west(own);
            const Set north = geometry_.north(own), south = geometry_.south(own);
            enemies &= ~((east & west) | (north & south) | ((east | west) & (north | south)));
        }
        Set locked = geometry_.around(enemies) & own;
        if (own_dux >= 0) locked.reset(own_dux);
        return locked;
    }

    const Ruleset& rules_;
    const Geometry<S>& geometry_;
    const Captures<S>& captures_;
    const bool soldiers_slide_, dux_slides_, alike_, jumps_, diagonal_, binds_, locks_, guards_entry_, filters_,
        all_slide_;
    const Wide<S> none_ = Wide<S>::empty();
};

}  // namespace latrones
