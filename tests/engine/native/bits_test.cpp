// Tests of cell sets against std::set.
#include <set>

#include "boards.hpp"
#include "check.hpp"

using namespace latrones;

namespace {

template <int N>
std::set<int> cells_of(const Bits<N>& bits) {
    std::set<int> cells;
    for (int cell = 0; cell < 64 * N; ++cell)
        if (bits.test(cell)) cells.insert(cell);
    return cells;
}

template <int N>
Bits<N> random_bits(Random& random) {
    Bits<N> bits;
    for (u64& limb : bits.limb) limb = random() & random();
    return bits;
}

template <int Distance, int N>
void check_moved(const Bits<N>& bits) {
    std::set<int> up, down;
    for (int cell : cells_of(bits)) {
        if (cell + Distance < 64 * N) up.insert(cell + Distance);
        if (cell >= Distance) down.insert(cell - Distance);
    }
    CHECK(cells_of(bits.template up<Distance>()) == up);
    CHECK(cells_of(bits.template down<Distance>()) == down);
}

template <int N>
void check_bits() {
    Random random(N);
    for (int round = 0; round < 200; ++round) {
        const Bits<N> a = random_bits<N>(random), b = random_bits<N>(random);
        const std::set<int> cells = cells_of(a);
        CHECK_EQUAL(a.count(), static_cast<int>(cells.size()));
        CHECK_EQUAL(a.any(), !cells.empty());
        if (a.any()) CHECK_EQUAL(a.first(), *cells.begin());
        std::vector<int> visited;
        a.for_each([&](int cell) { visited.push_back(cell); });
        CHECK(visited == std::vector<int>(cells.begin(), cells.end()));
        for (int cell = 0; cell < 64 * N; ++cell) {
            CHECK_EQUAL((a & b).test(cell), a.test(cell) && b.test(cell));
            CHECK_EQUAL((a | b).test(cell), a.test(cell) || b.test(cell));
            CHECK_EQUAL((a ^ b).test(cell), a.test(cell) != b.test(cell));
            CHECK_EQUAL((~a).test(cell), !a.test(cell));
        }
        check_moved<1>(a);
        check_moved<8>(a);
        check_moved<16>(a);
        check_moved<63>(a);
    }
    Bits<N> bits;
    CHECK(bits.none() && bits.at_most_one());
    for (int cell = 0; cell < 64 * N; ++cell) {
        bits.set(cell);
        CHECK(bits == Bits<N>::of(cell));
        CHECK(bits.at_most_one() && bits.first() == cell);
        bits.set((cell + 29) % (64 * N));
        CHECK(!bits.at_most_one());
        bits.reset((cell + 29) % (64 * N));
        bits.reset(cell);
        CHECK(bits.none());
    }
}

}  // namespace

TEST(bits_of_one_limb) { check_bits<1>(); }
TEST(bits_of_two_limbs) { check_bits<2>(); }
TEST(bits_of_four_limbs) { check_bits<4>(); }
