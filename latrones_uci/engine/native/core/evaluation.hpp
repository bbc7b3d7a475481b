// The static evaluation: the same integer as in `latrones_uci.engine.python.evaluation`, whose weights are passed in.
#pragma once

#include <algorithm>
#include <array>

#include "rules.hpp"
#include "types.hpp"

namespace latrones {

using DuxSides = std::array<int, 5>;

// The weights in centi-soldiers: type and name. `latrones_uci.engine.python.evaluation.Weights` documents them.
#define LATRONES_WEIGHTS(FIELD) \
    FIELD(int, soldier)         \
    FIELD(int, ordinary_dux)    \
    FIELD(int, bound)           \
    FIELD(int, slide)           \
    FIELD(int, step)            \
    FIELD(int, threat)          \
    FIELD(DuxSides, dux_sides)  \
    FIELD(int, edge)            \
    FIELD(int, pursued_edge)    \
    FIELD(int, pursuit)         \
    FIELD(int, captured)        \
    FIELD(int, hemmed)

struct Weights {
#define LATRONES_FIELD(type, name) type name{};
    LATRONES_WEIGHTS(LATRONES_FIELD)
#undef LATRONES_FIELD
};

// Reads weights. `source.take(key, value)` sets a number or an array of numbers.
template <class Source>
Weights read_weights(Source& source) {
    Weights weights;
#define LATRONES_FIELD(type, name) source.take(#name, weights.name);
    LATRONES_WEIGHTS(LATRONES_FIELD)
#undef LATRONES_FIELD
    return weights;
}

struct Terms {
    int material = 0, mobility = 0, threats = 0, dux_safety = 0, bound = 0, pursuit = 0;

    // The evaluation, clamped so that it never looks like a win for any weights.
    int total() const {
        return std::clamp(material + mobility + threats + dux_safety + bound + pursuit, 1 - TABLE_PROVEN, TABLE_PROVEN - 1);
    }
};

// What the pieces of a side can do.
template <class S>
struct Activity {
    Wide<S> landings;  // see Captures::landings
    Wide<S> reach;     // see Movement::reach
    short dux_sides = -1;  // the open sides of the dux, where it needs one; -1 for no dux on the board
};

template <class S>
class Evaluation {
   public:
    Evaluation(const Rules<S>& rules, const Weights& weights)
        : rules_(rules),
          weights_(weights),
          mobility_(rules.ruleset.soldier_move == Gait::SLIDE ? weights.slide : weights.step),
          dux_(rules.ruleset.dux_fate == DuxFate::ORDINARY ? weights.ordinary_dux : 0),
          pursues_(weights.edge || weights.pursued_edge || weights.pursuit || weights.captured || weights.hemmed),
          pursued_men_(weights.captured ? std::max(least_pursued_men, rules.geometry.squares() / squares_per_pursued_man)
                                        : least_pursued_men),
          diagonal_(rules.movement.diagonal()) {}

    // The terms, each for the player to move minus the opponent.
    Terms terms(const Board<S>& board, const Wide<S>& empty) const {
        std::array<Activity<S>, 2> activity;
        return terms(board, empty, activity);
    }
    // The same; sets the activity of the player to move and that of the opponent, which bound pieces do not have.
    Terms terms(const Board<S>& board, const Wide<S>& empty, std::array<Activity<S>, 2>& activity) const {
        Terms mine, theirs;
        if (board.bound.any()) {
            const Wide<S> bound = rules_.geometry.widen(board.bound);
            side(board, board.own, board.own.without(bound), board.opp.without(bound), board.own_dux, board.opp_dux,
                 board.side, empty, mine, activity[0]);
            side(board, board.opp, board.opp.without(bound), board.own.without(bound), board.opp_dux, board.own_dux,
                 board.side ^ 1, empty, theirs, activity[1]);
        } else {
            side(board, board.own, board.own, board.opp, board.own_dux, board.opp_dux, board.side, empty, mine,
                 activity[0]);
            side(board, board.opp, board.opp, board.own, board.opp_dux, board.own_dux, board.side ^ 1, empty, theirs,
                 activity[1]);
        }
        if (diagonal_) [[unlikely]] {
            add_diagonals(board.own.plain(), board.opp.plain(), board.opp_dux, empty.plain(), mine);
            add_diagonals(board.opp.plain(), board.own.plain(), board.own_dux, empty.plain(), theirs);
        }
        return {mine.material - theirs.material, mine.mobility - theirs.mobility, mine.threats - theirs.threats,
                mine.dux_safety - theirs.dux_safety, mine.bound - theirs.bound, pursues_ ? pursuit(board, empty) : 0};
    }

   private:
    using Set = Bits<S::limbs>;
    // Distance in steps up to which a piece counts as near an enemy.
    static constexpr int pursuit_reach = 3;
    // Number of men up to which the side with fewer is pursued. With a weight `captured`, there are more on boards of
    // more than 64 squares: one for so many squares.
    static constexpr int least_pursued_men = 8, squares_per_pursued_man = 8;
    // Number of men up to which the side with fewer is hemmed in.
    static constexpr int few_men = 4;
    // Number of men up to which the last men are driven harder, in games in which they are hemmed in, and the factor.
    static constexpr int last_men = 2, last_men_factor = 7;

    // The bonus of the side with more pieces, in hand and on the board, for driving the other side, and the edges.
    int pursuit(const Board<S>& board, const Wide<S>& empty) const {
        const Geometry<S>& geometry = rules_.geometry;
        const Set own = board.own.plain(), opp = board.opp.plain();
        const int own_edge = (own & geometry.edges()).count(), opp_edge = (opp & geometry.edges()).count();
        const int edge = weights_.edge * (own_edge - opp_edge);
        const int own_men = own.count() + board.hand.pieces(board.side);
        const int opp_men = opp.count() + board.hand.pieces(board.side ^ 1);
        const int lead = own_men - opp_men, men = std::min(own_men, opp_men);
        if (!lead || men > pursued_men_) return edge;
        Set near_own = own, near_opp = opp;
        int nearness = 0;
        for (int steps = 1; steps <= pursuit_reach; ++steps) {
            near_own |= geometry.around(near_own);
            near_opp |= geometry.around(near_opp);
            nearness += (near_own & opp).count() + (near_opp & own).count();
        }
        const int factor = weights_.hemmed && men <= last_men ? last_men_factor : 1;
        int gain = weights_.pursuit * nearness + factor * weights_.pursued_edge * (lead > 0 ? opp_edge : own_edge) +
                   weights_.captured * (pursued_men_ - men);
        if (weights_.hemmed && 0 < men && men <= few_men) {
            const int moves = lead > 0 ? rules_.movement.reach(board.opp, board.opp_dux, empty).count()
                                       : rules_.movement.reach(board.own, board.own_dux, empty).count();
            gain += factor * weights_.hemmed * (men * (geometry.files + geometry.ranks - 2) - moves) / men;
        }
        return lead > 0 ? edge + gain : edge - gain;
    }

    // Adds the moves and threats of a side along the diagonals, in games without bound pieces.
    void add_diagonals(const Set& pieces, const Set& others, int other_dux, const Set& empty, Terms& terms) const {
        terms.mobility += mobility_ * rules_.movement.diagonal_reach(pieces, empty);
        terms.threats += weights_.threat * rules_.captures.diagonal_landings(pieces, others, other_dux, empty);
    }

    void side(const Board<S>& board, const Wide<S>& pieces, const Wide<S>& free, const Wide<S>& free_others, int dux,
              int other_dux, int colour, const Wide<S>& empty, Terms& terms, Activity<S>& activity) const {
        const int count = pieces.plain().count() + board.hand.pieces(colour);
        const bool has_dux = dux >= 0 || board.hand.dux(colour);
        terms.material = weights_.soldier * count + (has_dux ? dux_ : 0);
        activity.reach = rules_.movement.reach(free, dux, empty);
        activity.landings = rules_.captures.landings(free, free_others, other_dux, empty);
        terms.mobility = mobility_ * activity.reach.count();
        terms.threats = weights_.threat * activity.landings.count();
        if (rules_.ruleset.dux_needs_open_side()) {
            activity.dux_sides =
                dux >= 0 ? static_cast<short>((rules_.geometry.near(dux) & empty.plain()).count()) : short{-1};
            terms.dux_safety = weights_.dux_sides[std::max<int>(activity.dux_sides, 0)];
        }
        if (board.bound.any()) terms.bound = weights_.bound * (pieces.plain() & board.bound).count();
    }

    const Rules<S>& rules_;
    const Weights weights_;
    const int mobility_, dux_;
    const bool pursues_;
    const int pursued_men_;
    const bool diagonal_;
};

}  // namespace latrones
