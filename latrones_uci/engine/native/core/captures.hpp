// Captures: the pieces that a move captures by landing on a cell.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "geometry.hpp"
#include "ruleset.hpp"

namespace latrones {

template <class S>
class Captures {
   public:
    using Set = Bits<S::limbs>;

    Captures(const Ruleset& ruleset, const Geometry<S>& geometry)
        : rules_(ruleset),
          geometry_(geometry),
          travels_(ruleset.push_and_crush || ruleset.flank_attack || ruleset.phalanx),
          dux_spared_(ruleset.dux_fate != DuxFate::ORDINARY),
          binds_(ruleset.capture_effect == CaptureEffect::BIND),
          threats_(ruleset.jump_captures && ruleset.custodian == Custodian::NONE ? Custodian::ONE : ruleset.custodian),
          custodian_(binds_ ? Custodian::NONE : ruleset.custodian),
          diagonal_(ruleset.directions == Directions::ALL && threats_ == Custodian::ONE),
          entered_(diagonal_ || ruleset.intervention),
          special_(travels_ || entered_ || ruleset.jump_captures) {
        if (ruleset.safe_square == Square::CENTRE) safe_.set(geometry.centre());
        if (ruleset.hostile_corners) hostile_ = geometry.corners();
        hostile_wide_ = geometry.widen(hostile_);
    }

    // The empty cells behind enemies that have a piece of `own` on their far side, separately for each orientation:
    // landing there makes a custodian capture, or binds; without custodian captures, a jump that captures may land there.
    [[gnu::always_inline]] Wide<S> landings(const Wide<S>& own, const Wide<S>& opp, int opp_dux,
                                            const Wide<S>& empty) const {
        if (rules_.hostile_corners) [[unlikely]]
            return landings_beside(own | hostile_wide_, opp.without(hostile_wide_), opp_dux, empty);
        return landings_beside(own, opp, opp_dux, empty);
    }

    // The number of such landings along the diagonals, counted separately for each direction; 0 in games without them.
    int diagonal_landings(const Set& own, const Set& opp, int opp_dux, const Set& empty) const {
        int count = 0;
        if (diagonal_)
            for_each_diagonal_landing(own, opp, opp_dux, empty, [&](const Set& cells) { count += cells.count(); });
        return count;
    }

   private:
    Wide<S> landings_beside(const Wide<S>& own, Wide<S> opp, int opp_dux, const Wide<S>& empty) const {
        if (threats_ == Custodian::LINE) return behind_run(own, opp, empty);
        if (threats_ == Custodian::NONE) return Wide<S>::empty();
        if (dux_spared_ && opp_dux >= 0) opp = opp.without(geometry_.wide(opp_dux));
        return (own.ahead() & opp).ahead() & empty;
    }

    // Calls `action` with the set of landings along each diagonal.
    template <class Action>
    void for_each_diagonal_landing(const Set& own, const Set& opp, int opp_dux, const Set& empty,
                                   Action&& action) const {
        Set prey = opp & ~hostile_;
        if (dux_spared_ && opp_dux >= 0) prey.reset(opp_dux);
        const Set attackers = own | hostile_;
        geometry_.for_each_diagonal_shift([&](auto shift) { action(shift(shift(attackers) & prey) & empty); });
    }

   public:
    // A superset of the empty cells where a piece of `own` captures or decides the game by landing, regardless of which
    // piece lands there and which cell it leaves. `found` are the landings.
    Set targets(Wide<S> found, const Wide<S>& own, const Wide<S>& opp, int opp_dux, const Wide<S>& empty) const {
        if (binds_) {
            if (!rules_.dux_needs_open_side()) return {};
            found = Wide<S>::empty();
        }
        if (rules_.flank_attack) found |= behind_run(own, opp, empty);
        // Push and crush and phalanx land next to friends that have an enemy behind them: start from that enemy.
        if (rules_.push_and_crush || rules_.phalanx) found |= behind_run(opp, own, empty);
        Set targets = found.any() ? geometry_.flatten(found) : Set{};
        const Set opp_set = opp.plain(), empty_set = empty.plain();
        if (rules_.dux_needs_open_side() && opp_dux >= 0) {
            const Set last = geometry_.near(opp_dux) & empty_set;
            if (last.at_most_one()) targets |= last;
        }
        if (rules_.enclosure) targets |= enclosing_cells(opp_set, empty_set);
        if (rules_.corner) {
            const Set own_set = own.plain();
            (geometry_.corners() & opp_set).for_each([&](int corner) {
                if ((geometry_.near(corner) & own_set).any()) targets |= geometry_.near(corner) & empty_set;
            });
        }
        if (entered_) {
            if (rules_.intervention) targets |= geometry_.between(opp_set) & empty_set;
            if (diagonal_)
                for_each_diagonal_landing(own.plain(), opp_set, opp_dux, empty_set,
                                          [&](const Set& cells) { targets |= cells; });
        }
        return targets;
    }

    // The pieces of `opp` captured by the piece of `own` that moved from `origin` to `to`, where it now stands.
    Set victims(const Set& own, const Set& opp, int opp_dux, int origin, int to) const {
        Set victims;
        if (special_) victims = special_victims(own, opp, opp_dux, origin, to);
        const Set near_enemies = geometry_.near(to) & opp;
        if (near_enemies.none()) return victims;
        if (custodian_ != Custodian::NONE)
            victims |= between(own | hostile_, opp & ~hostile_, near_enemies, to);
        if (rules_.corner)
            (geometry_.corners() & near_enemies).for_each([&](int corner) {
                if ((geometry_.near(corner) & ~own).none()) victims.set(corner);
            });
        if (rules_.enclosure) victims |= enclosed(near_enemies, opp, geometry_.full() & ~(own | opp));
        if (dux_spared_ && opp_dux >= 0) victims.reset(opp_dux);
        if (rules_.dux_fate == DuxFate::CAPTURED && opp_dux >= 0 &&
            (geometry_.near(opp_dux) & ~(own | opp)).none())
            victims.set(opp_dux);
        return victims & ~safe_;
    }

   private:
    // The empty cells right behind runs of `run` that begin next to a piece of `anchors`, in each orientation.
    static Wide<S> behind_run(const Wide<S>& anchors, const Wide<S>& run, const Wide<S>& empty) {
        return (run + (anchors.ahead() & run)).without(run) & empty;
    }

    // The captures of the rules that few games have.
    Set special_victims(const Set& own, const Set& opp, int opp_dux, int origin, int to) const {
        Set victims;
        if (travels_) victims = ahead(own, opp, opp_dux, origin, to);
        if (diagonal_ && custodian_ != Custodian::NONE) victims |= diagonal_victims(own, opp, opp_dux, to);
        if (rules_.jump_captures || rules_.intervention) {
            Set found;
            if (rules_.jump_captures) found = jumped(opp, origin, to);
            for (Direction d : {EAST, NORTH}) {
                const int step = geometry_.step(d);
                if (rules_.intervention && geometry_.room(d, to) && geometry_.room(opposite(d), to) &&
                    opp.test(to + step) && opp.test(to - step))
                    found |= Set::of(to + step) | Set::of(to - step);
            }
            if (dux_spared_ && opp_dux >= 0) found.reset(opp_dux);
            victims |= found & ~safe_;
        }
        return victims;
    }

    // The enemy that a single jump goes over; slides and steps go over none.
    static Set jumped(const Set& opp, int origin, int to) {
        const int ranks = std::abs(Geometry<S>::rank(origin) - Geometry<S>::rank(to));
        const int files = std::abs(Geometry<S>::file(origin) - Geometry<S>::file(to));
        return (ranks | files) == 2 ? opp & Set::of((origin + to) / 2) : Set{};
    }

    // Custodian captures along the diagonals.
    Set diagonal_victims(const Set& own, const Set& opp, int opp_dux, int to) const {
        Set victims;
        geometry_.for_each_diagonal(to, [&](int step, int room) {
            const int cell = to + step;
            if (room >= 2 && opp.test(cell) && !hostile_.test(cell) &&
                (own.test(cell + step) || hostile_.test(cell + step)))
                victims.set(cell);
        });
        if (dux_spared_ && opp_dux >= 0) victims.reset(opp_dux);
        return ~safe_ & victims;
    }

    // Custodian captures; hostile corners are in `own`, not in `opp`.
    Set between(const Set& own, const Set& opp, const Set& near_enemies, int to) const {
        bool beside[4];
        for (Direction d : DIRECTIONS)
            beside[d] = geometry_.room(d, to) > 0 && near_enemies.test(to + geometry_.step(d));
        if (rules_.flanked_mover == FlankedMover::VOID_AXIS)
            for (Direction d : {EAST, NORTH})
                if (beside[d] && beside[opposite(d)]) beside[d] = beside[opposite(d)] = false;
        Set victims;
        for (Direction d : DIRECTIONS) {
            if (!beside[d]) continue;
            const int step = geometry_.step(d);
            const int longest = rules_.custodian == Custodian::LINE ? S::cells : 2;
            const int room = std::min(geometry_.room(d, to), longest);
            int run = 1;
            while (run < room && opp.test(to + (run + 1) * step)) ++run;
            if (run < room && own.test(to + (run + 1) * step))
                for (int i = 1; i <= run; ++i) victims.set(to + i * step);
        }
        return victims;
    }

    // The cells that may be the last liberty of a group. The pieces of the group that touch this liberty have no other
    // liberty, and no piece next to them has a liberty: two neighbours never share a liberty, because the neighbours of
    // a cell do not touch each other.
    Set enclosing_cells(const Set& opp, const Set& empty) const {
        const Set east = geometry_.east(empty), west = geometry_.west(empty);
        const Set north = geometry_.north(empty), south = geometry_.south(empty);
        const Set across = east | west, along = north | south;
        const Set free = (across | along) & opp;
        Set single = free & ~((east & west) | (north & south) | (across & along));
        if (single.none()) return {};
        single &= ~geometry_.around(free);
        if (single.none()) return {};
        return geometry_.around(single) & empty;
    }

    // The groups of `opp` that contain one of `seeds` and have no empty neighbour.
    Set enclosed(Set seeds, const Set& opp, const Set& empty) const {
        Set enclosed;
        while (seeds.any()) {
            const int seed = seeds.first();
            seeds.reset(seed);
            if ((geometry_.near(seed) & empty).any() || enclosed.test(seed)) continue;
            Set group = Set::of(seed), before, reach;
            do {
                before = group;
                reach = geometry_.around(group);
                group |= reach & opp;
            } while (!(group == before) && (reach & empty).none());
            if ((reach & empty).none()) enclosed |= group;
        }
        return enclosed;
    }

    // The captures in the direction of travel: push and crush, flank attack, phalanx.
    Set ahead(const Set& own, const Set& opp, int opp_dux, int origin, int to) const {
        const Direction d = travel(origin, to);
        const int step = geometry_.step(d), room = geometry_.room(d, to);
        Set victims;
        if (room < 2) return victims;
        const int first = to + step;
        const auto prey = [&](int cell) {
            return opp.test(cell) && !safe_.test(cell) && !(dux_spared_ && cell == opp_dux);
        };
        if (own.test(first)) {
            const int second = first + step;
            if (rules_.push_and_crush && prey(second) && (room == 2 || own.test(second + step))) victims.set(second);
            if (rules_.phalanx) {
                int friends = 1;
                while (friends < room && own.test(to + (friends + 1) * step)) ++friends;
                if (friends < room && prey(to + (friends + 1) * step) && supported(own, d, to, friends))
                    victims.set(to + (friends + 1) * step);
            }
        } else if (rules_.flank_attack && prey(first) && opp.test(first + step)) {
            int run = 2;
            while (run < room && opp.test(to + (run + 1) * step)) ++run;
            if (run < room && own.test(to + (run + 1) * step)) victims.set(first);
        }
        return victims;
    }

    // Whether, on at least one side, all cells beside a piece and beside the `friends` ahead of it contain friends.
    bool supported(const Set& own, Direction d, int cell, int friends) const {
        const Direction sides[] = {d == EAST || d == WEST ? NORTH : EAST, d == EAST || d == WEST ? SOUTH : WEST};
        for (Direction side : sides) {
            if (!geometry_.room(side, cell)) continue;
            int held = 0;
            while (held <= friends && own.test(cell + held * geometry_.step(d) + geometry_.step(side))) ++held;
            if (held > friends) return true;
        }
        return false;
    }

    static Direction travel(int origin, int to) {
        if (Geometry<S>::rank(origin) == Geometry<S>::rank(to)) return to > origin ? EAST : WEST;
        return to > origin ? NORTH : SOUTH;
    }

    const Ruleset& rules_;
    const Geometry<S>& geometry_;
    const bool travels_, dux_spared_, binds_;
    // What landings are counted as threats, and what a landing captures between two.
    const Custodian threats_, custodian_;
    const bool diagonal_, entered_, special_;
    Set safe_, hostile_;
    Wide<S> hostile_wide_;
};

}  // namespace latrones
