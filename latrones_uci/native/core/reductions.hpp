// How much less deep late moves are searched.
#pragma once

#include <algorithm>
#include <cmath>

#include "ordering.hpp"

namespace latrones {

// Plies by which a quiet move is searched less deep, by the depth and by how many moves came before it.
class Reductions {
   public:
    static int at(int depth, int number) {
        static const Reductions table;
        return table.plies_[depth][std::min(number, most - 1)];
    }

   private:
    static constexpr int most = 64;
    Reductions() {
        for (int depth = 1; depth <= MAX_PLY; ++depth)
            for (int number = 1; number < most; ++number)
                plies_[depth][number] = static_cast<u8>(0.5 + std::log(depth) * std::log(number) / 2.2);
    }
    u8 plies_[MAX_PLY + 1][most]{};
};

}  // namespace latrones
