// Tests of wide sets and geometry tables against walks from square to square.
#include <set>

#include "boards.hpp"
#include "check.hpp"

using namespace latrones;

namespace {

// The next cell in a direction, -1 beyond the edge, computed from file and rank.
template <class S>
int next_cell(const Size& size, int cell, Direction d) {
    const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    const int file = cell % S::most_files + steps[d][0], rank = cell / S::most_files + steps[d][1];
    if (file < 0 || file >= size.files || rank < 0 || rank >= size.ranks) return -1;
    return rank * S::most_files + file;
}

// The cells of one orientation of a wide set.
template <class S>
std::set<int> seen(const Geometry<S>& geometry, const Wide<S>& wide, Direction d) {
    std::set<int> cells;
    for (int i = 0; i < S::limbs; ++i)
        for (int bit = 0; bit < 64; ++bit)
            if (wide.word(d, i) >> bit & 1) cells.insert(geometry.cell_at(d, i * 64 + bit));
    return cells;
}

template <class S>
void check_tables(const Size& size) {
    const Geometry<S> geometry(size.files, size.ranks);
    const std::string about = name_of<S>(size);
    Bits<S::limbs> full;
    for (int square = 0; square < geometry.squares(); ++square) {
        const int cell = geometry.cell_of(square);
        full.set(cell);
        CHECK_EQUAL(geometry.square_of(cell), square, about);
        Bits<S::limbs> near;
        int edges = 0;
        for (Direction d : DIRECTIONS) {
            int room = 0;
            for (int at = next_cell<S>(size, cell, d); at >= 0; at = next_cell<S>(size, at, d)) ++room;
            CHECK_EQUAL(geometry.room(d, cell), room, about);
            if (room) near.set(next_cell<S>(size, cell, d));
            CHECK(seen(geometry, geometry.wide(cell), d) == std::set<int>{cell});
        }
        edges = (square % size.files == 0 || square % size.files == size.files - 1) +
                (square / size.files == 0 || square / size.files == size.ranks - 1);
        CHECK_EQUAL(geometry.corners().test(cell), edges == 2, about);
        CHECK_ABOUT(geometry.near(cell) == near, about);
    }
    CHECK_ABOUT(geometry.full() == full, about);
    CHECK_ABOUT(geometry.full_wide().plain() == full, about);
    CHECK_EQUAL(geometry.full_wide().count(), 4 * geometry.squares(), about);
    const bool has_centre = size.files % 2 && size.ranks % 2;
    CHECK_EQUAL(geometry.centre(), has_centre ? geometry.cell_of(geometry.squares() / 2) : -1, about);
}

template <class S>
void check_sets(const Size& size, Random& random) {
    const auto geometry = std::make_unique<Geometry<S>>(size.files, size.ranks);
    const std::string about = name_of<S>(size);
    const auto pieces = random_set(*geometry, random, 25), others = random_set(*geometry, random, 25) & ~pieces;
    const Wide<S> wide = geometry->widen(pieces), empty = geometry->full_wide() ^ geometry->widen(pieces | others);
    CHECK_ABOUT(wide.plain() == pieces, about);
    CHECK_ABOUT(geometry->flatten(wide) == pieces, about);
    CHECK_EQUAL(wide.count(), 4 * pieces.count(), about);
    CHECK_EQUAL(wide.any(), pieces.any(), about);
    CHECK_ABOUT((wide | empty) == (wide ^ empty) && !(wide & empty).any() && wide.without(empty) == wide, about);

    const Bits<S::limbs> moved[] = {geometry->east(pieces), geometry->west(pieces), geometry->north(pieces),
                                    geometry->south(pieces)};
    Bits<S::limbs> around;
    const Wide<S> starts = wide.ahead() & empty, reach = empty.without(empty + starts);
    for (Direction d : DIRECTIONS) {
        Bits<S::limbs> next;
        std::set<int> first, slid;
        pieces.for_each([&](int cell) {
            int at = next_cell<S>(size, cell, d);
            if (at >= 0) next.set(at);
            if (at >= 0 && empty.plain().test(at)) first.insert(at);
            for (; at >= 0 && empty.plain().test(at); at = next_cell<S>(size, at, d)) slid.insert(at);
        });
        CHECK_ABOUT(moved[d] == next, about);
        CHECK_ABOUT(seen(*geometry, starts, d) == first, about);
        CHECK_ABOUT(seen(*geometry, reach, d) == slid, about);
        around |= next;
    }
    CHECK_ABOUT(geometry->around(pieces) == around, about);
}

}  // namespace

TEST(geometry_tables) {
    for_each_size([]<class S>(std::type_identity<S>, const Size& size) { check_tables<S>(size); });
}

TEST(wide_sets_of_random_pieces) {
    Random random(1);
    for_each_size([&]<class S>(std::type_identity<S>, const Size& size) {
        for (int round = 0; round < 20; ++round) check_sets<S>(size, random);
    });
}

TEST(wide_bits_can_be_set_one_by_one) {
    for_each_shape([]<class S>(std::type_identity<S>) {
        for (int bit = 0; bit < 4 * S::cells; ++bit) {
            Wide<S> wide = Wide<S>::empty();
            wide.set_bit(bit);
            CHECK_EQUAL(wide.count(), 1);
            CHECK_EQUAL(wide.word(bit / 64) >> bit % 64 & 1, u64{1});
        }
    });
}
