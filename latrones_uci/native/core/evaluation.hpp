// The static evaluation, the same integer as that of `latrones_uci.search.evaluation`, whose weights are handed over.
#pragma once

#include <algorithm>

#include "rules.hpp"
#include "task.hpp"

namespace latrones {

// In centi-soldiers; see `latrones_uci.search.evaluation.Weights`.
struct Weights {
    int soldier, ordinary_dux, bound, slide, step, threat;
    int dux_sides[5];
    int edge, pursued_edge, pursuit;
};

struct Terms {
    int material = 0, mobility = 0, threats = 0, dux_safety = 0, bound = 0, pursuit = 0;

    // The evaluation, which is never taken for a win, whatever the weights.
    int total() const {
        return std::clamp(material + mobility + threats + dux_safety + bound + pursuit, 1 - PROVEN, PROVEN - 1);
    }
};

template <class S>
class Evaluation {
   public:
    Evaluation(const Rules<S>& rules, const Weights& weights)
        : rules_(rules),
          weights_(weights),
          mobility_(rules.ruleset.soldier_move == Gait::SLIDE ? weights.slide : weights.step),
          dux_(rules.ruleset.dux_fate == DuxFate::ORDINARY ? weights.ordinary_dux : 0),
          pursues_(weights.edge || weights.pursued_edge || weights.pursuit) {}

    // The parts, each of the player to move less the other's.
    Terms terms(const Board<S>& board, const Wide<S>& empty) const {
        Wide<S> landings;
        return terms(board, empty, landings);
    }
    // The same; `landings` become those of the player to move (see Captures::landings).
    Terms terms(const Board<S>& board, const Wide<S>& empty, Wide<S>& landings) const {
        Terms mine, theirs;
        Wide<S> others;
        if (board.bound.any()) {
            const Wide<S> bound = rules_.geometry.widen(board.bound);
            side(board, board.own, board.own.without(bound), board.opp.without(bound), board.own_dux, board.opp_dux,
                 board.side, empty, mine, landings);
            side(board, board.opp, board.opp.without(bound), board.own.without(bound), board.opp_dux, board.own_dux,
                 board.side ^ 1, empty, theirs, others);
        } else {
            side(board, board.own, board.own, board.opp, board.own_dux, board.opp_dux, board.side, empty, mine,
                 landings);
            side(board, board.opp, board.opp, board.own, board.opp_dux, board.own_dux, board.side ^ 1, empty, theirs,
                 others);
        }
        return {mine.material - theirs.material, mine.mobility - theirs.mobility, mine.threats - theirs.threats,
                mine.dux_safety - theirs.dux_safety, mine.bound - theirs.bound, pursues_ ? pursuit(board) : 0};
    }

   private:
    using Set = Bits<S::limbs>;
    // Men further than this from every enemy, in steps, count as far away.
    static constexpr int pursuit_reach = 3;

    // What the side with more men, in hand and on the board, gains by driving the other; and what the edge costs.
    int pursuit(const Board<S>& board) const {
        const Geometry<S>& geometry = rules_.geometry;
        const Set own = board.own.plain(), opp = board.opp.plain();
        const int own_edge = (own & geometry.edges()).count(), opp_edge = (opp & geometry.edges()).count();
        const int edge = weights_.edge * (own_edge - opp_edge);
        const int lead = own.count() + board.hand.men(board.side) - opp.count() - board.hand.men(board.side ^ 1);
        if (!lead) return edge;
        Set near_own = own, near_opp = opp;
        int nearness = 0;
        for (int steps = 1; steps <= pursuit_reach; ++steps) {
            near_own |= geometry.around(near_own);
            near_opp |= geometry.around(near_opp);
            nearness += (near_own & opp).count() + (near_opp & own).count();
        }
        const int gain = weights_.pursuit * nearness + weights_.pursued_edge * (lead > 0 ? opp_edge : own_edge);
        return lead > 0 ? edge + gain : edge - gain;
    }

    void side(const Board<S>& board, const Wide<S>& men, const Wide<S>& free, const Wide<S>& free_others, int dux,
              int other_dux, int colour, const Wide<S>& empty, Terms& terms, Wide<S>& landings) const {
        const int count = men.plain().count() + board.hand.men(colour);
        const bool has_dux = dux >= 0 || board.hand.dux(colour);
        terms.material = weights_.soldier * count + (has_dux ? dux_ : 0);
        terms.mobility = mobility_ * rules_.movement.reach(free, dux, empty).count();
        landings = rules_.captures.landings(free, free_others, other_dux, empty);
        terms.threats = weights_.threat * landings.count();
        if (rules_.ruleset.dux_breathes())
            terms.dux_safety =
                weights_.dux_sides[dux >= 0 ? (rules_.geometry.near(dux) & empty.plain()).count() : 0];
        if (board.bound.any()) terms.bound = weights_.bound * (men.plain() & board.bound).count();
    }

    const Rules<S>& rules_;
    const Weights weights_;
    const int mobility_, dux_;
    const bool pursues_;
};

}  // namespace latrones
