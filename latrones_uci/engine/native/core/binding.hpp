// Which soldiers are bound. Duces help to bind, and are never bound.
#pragma once

#include "geometry.hpp"

namespace latrones {

template <class S>
class Binding {
   public:
    using Set = Bits<S::limbs>;

    explicit Binding(const Geometry<S>& geometry) : geometry_(geometry) {}

    // The marks after an action by `mover`, judged anew. Each round first marks the soldiers of the other side, then
    // those of the mover, using the latest marks; there are at most four rounds.
    Set judged(const Set& mover, const Set& other, const Set& before, const Set& duces) const {
        constexpr int most_rounds = 4;
        Set marks = before;
        for (int round = 0; round < most_rounds; ++round) {
            const Set of_other = geometry_.between(mover & ~marks) & other & ~duces;
            const Set now = of_other | (geometry_.between(other & ~of_other) & mover & ~duces);
            if (now == marks) break;
            marks = now;
        }
        return marks;
    }

    // The marks after a landing, in games where marks are kept; `mover` is after the landing.
    Set landed(const Set& mover, const Set& other, const Set& before, const Set& duces, int origin, int to) const {
        const Set released = flanked(origin, other & before, mover & ~before);
        const Set caught = flanked(to, other & ~before & ~duces, mover & ~before);
        Set freed;
        caught.for_each([&](int cell) { freed |= flanked(cell, mover & before, other & ~before); });
        return (before & ~(released | freed)) | caught;
    }

    // The `soldiers` next to a cell that have a piece of `behind` right behind them.
    Set flanked(int cell, const Set& soldiers, const Set& behind) const {
        Set found;
        for (Direction d : DIRECTIONS) {
            const int step = geometry_.step(d);
            if (geometry_.room(d, cell) >= 2 && soldiers.test(cell + step) && behind.test(cell + 2 * step))
                found.set(cell + step);
        }
        return found;
    }

    // The duces of two cells, of which -1 is none.
    static Set duces(int own_dux, int opp_dux) {
        Set duces;
        if (own_dux >= 0) duces.set(own_dux);
        if (opp_dux >= 0) duces.set(opp_dux);
        return duces;
    }

   private:
    const Geometry<S>& geometry_;
};

}  // namespace latrones
