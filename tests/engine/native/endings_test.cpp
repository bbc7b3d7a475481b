// Tests of the endgame tables: the numbering of positions. tests/engine/ compares the values with a plain solver.
#include <set>

#include "boards.hpp"
#include "check.hpp"
#include "core/endings.hpp"

using namespace latrones;

namespace {

const Split splits[] = {
    {{1, 1}, {1, 1}}, {{1, 0}, {1, 2}}, {{0, 2}, {0, 1}}, {{0, 1}, {1, 1}}, {{0, 2}, {0, 2}}, {{0, 0}, {0, 2}},
    {{0, 3}, {0, 1}},
};

template <class S>
Board<S> image_of(const Geometry<S>& geometry, const Board<S>& board, const std::array<u8, 256>& images) {
    const auto moved = [&](int cell) {
        return geometry.cell_of(images[static_cast<std::size_t>(geometry.square_of(cell))]);
    };
    const auto all = [&](const Bits<S::limbs>& set) {
        Bits<S::limbs> image;
        set.for_each([&](int cell) { image.set(moved(cell)); });
        return image;
    };
    Board<S> image = board;
    image.own = geometry.widen(all(board.own.plain()));
    image.opp = geometry.widen(all(board.opp.plain()));
    image.bound = all(board.bound);
    if (board.own_dux >= 0) image.own_dux = static_cast<short>(moved(board.own_dux));
    if (board.opp_dux >= 0) image.opp_dux = static_cast<short>(moved(board.opp_dux));
    return image;
}

}  // namespace

TEST(endings_positions_have_numbers_that_their_images_share) {
    Random random(1);
    for_each_size([&]<class S>(std::type_identity<S>, const Size& size) {
        if (size.files * size.ranks < 8) return;
        const Geometry<S> geometry(size.files, size.ranks);
        const Symmetries symmetries = symmetries_of(size.files, size.ranks);
        CHECK_EQUAL(symmetries.size(), std::size_t{size.files == size.ranks ? 8U : 4U});
        for (const Split& split : splits)
            for (const bool marks : {false, true}) {
                if (choose(geometry.squares(), std::max(split.own.soldiers, split.opp.soldiers)) > 100'000) continue;
                const EndingIndex<S> index(geometry, symmetries, split, marks);
                for (int i = 0; i < 50; ++i) {
                    const u64 number = random() % index.size();
                    const Board<S> board = index.board(number);
                    const std::string about = name_of<S>(size) + ", number " + std::to_string(number);
                    const u64 canonical = index.of(board);
                    CHECK_EQUAL(index.of(index.board(canonical)), canonical, about);
                    CHECK_ABOUT(canonical <= number, about);
                    CHECK_EQUAL(board.own.plain().count(), split.own.dux + split.own.soldiers, about);
                    CHECK_EQUAL(board.opp.plain().count(), split.opp.dux + split.opp.soldiers, about);
                    for (const auto& images : symmetries)
                        CHECK_EQUAL(index.of(image_of(geometry, board, images)), canonical, about);
                }
            }
    });
}

TEST(endings_every_position_has_its_own_number) {
    // On 3x3: positions that are no images of each other have different numbers.
    const Geometry<Small> geometry(3, 3);
    const Symmetries symmetries = symmetries_of(3, 3);
    for (const Split& split : splits) {
        const EndingIndex<Small> index(geometry, symmetries, split, false);
        std::set<std::vector<int>> seen;
        u64 used = 0;
        for (u64 number = 0; number < index.size(); ++number) {
            const Board<Small> board = index.board(number);
            if (index.of(board) != number) continue;
            ++used;
            for (const auto& images : symmetries) {
                const Board<Small> image = image_of(geometry, board, images);
                std::vector<int> pieces{image.own_dux, image.opp_dux};
                image.own.plain().for_each([&](int cell) { pieces.push_back(cell); });
                pieces.push_back(-1);
                image.opp.plain().for_each([&](int cell) { pieces.push_back(cell); });
                seen.insert(pieces);
            }
        }
        u64 all = 1;
        int free = 9;
        for (const int count : {split.own.dux, split.opp.dux, split.own.soldiers, split.opp.soldiers}) {
            all *= choose(free, count);
            free -= count;
        }
        CHECK_EQUAL(u64{seen.size()}, all);
        CHECK_ABOUT(used < index.size() + 1 && 8 * used >= all, "too few numbers are used");
    }
}

TEST(endings_too_many_positions_are_rejected) {
    const Geometry<Large> geometry(16, 16);
    const Symmetries symmetries = symmetries_of(16, 16);
    for (const Split& split : {Split{{1, 5}, {1, 5}}, Split{{0, 8}, {0, 8}}, Split{{0, 4}, {0, 4}}}) {
        bool thrown = false;
        try {
            const EndingIndex<Large> index(geometry, symmetries, split, false);
        } catch (const std::length_error&) {
            thrown = true;
        }
        CHECK(thrown);
    }
}
