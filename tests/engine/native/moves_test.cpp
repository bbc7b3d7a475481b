// Tests of moves as numbers and of the move stack.
#include "check.hpp"
#include "core/moves.hpp"

using namespace latrones;

namespace {

Path path_of_size(int size, int first) {
    Path path;
    for (; path.size < size; ++path.size) path.cell[path.size] = static_cast<u8>(first + 37 * path.size);
    return path;
}

}  // namespace

TEST(moves_keep_their_paths) {
    MoveStack stack;
    for (int size = 2; size <= 200; ++size) {
        const Path path = path_of_size(size, size);
        const Move move = stack.path_move(path), again = stack.path_move(path);
        const Path back = stack.path_of(move);
        CHECK(is_path(move));
        CHECK_EQUAL(move, again);
        CHECK_EQUAL(move < ONE_LEG, size == 2);
        CHECK_EQUAL(back.size, size);
        for (int i = 0; i < back.size; ++i) CHECK_EQUAL(int{back.cell[i]}, int{path.cell[i]});
        if (size == 2) CHECK(origin_of(move) == path.first() && to_of(move) == path.last());
    }
}

TEST(moves_with_zeros_keep_their_paths) {
    MoveStack stack;
    for (int size = 2; size <= 12; ++size) {
        Path path;
        for (; path.size < size; ++path.size) path.cell[path.size] = 0;
        path.cell[size / 2] = 255;
        const Path back = stack.path_of(stack.path_move(path));
        CHECK_EQUAL(back.size, size);
        CHECK_EQUAL(int{back.cell[size / 2]}, 255);
    }
}

TEST(moves_of_different_paths_differ) {
    MoveStack stack;
    std::vector<Move> moves;
    for (int size = 2; size <= 20; ++size)
        for (int first = 0; first < 20; ++first) moves.push_back(stack.path_move(path_of_size(size, first)));
    for (std::size_t i = 0; i < moves.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) CHECK(moves[i] != moves[j]);
}

TEST(moves_added_since_a_mark_are_dropped) {
    MoveStack stack;
    for (int first = 0; first < 9; ++first) stack.push(stack.path_move(path_of_size(9, first)));
    const MoveStack::Mark mark = stack.mark();
    for (int round = 0; round < 3; ++round) {
        for (int first = 5; first < 200; ++first) stack.push(stack.path_move(path_of_size(9, first)));
        CHECK_EQUAL(stack.mark().long_paths, std::size_t{200});
        stack.forget_since(mark);
        CHECK_EQUAL(stack.size(), std::size_t{9});
        CHECK_EQUAL(stack.mark().long_paths, std::size_t{9});
    }
    for (int first = 0; first < 9; ++first) CHECK_EQUAL(stack.path_of(stack[first].move).first(), first);
}

TEST(moves_that_are_not_paths) {
    for (Move kind : {PLACE_SOLDIER, PLACE_DUX, KILL})
        for (int cell : {0, 1, 255}) {
            const Move move = kind | static_cast<Move>(cell);
            CHECK(!is_path(move));
            CHECK_EQUAL(kind_of(move), kind);
            CHECK_EQUAL(cell_of(move), cell);
        }
}

TEST(moves_stack_grows) {
    MoveStack stack;
    constexpr std::size_t many = 100'000;
    for (std::size_t i = 0; i < many; ++i) stack.push(static_cast<Move>(i));
    ScoredMove* room = stack.room_for(many);
    for (std::size_t i = 0; i < many; ++i) room[i].move = static_cast<Move>(many + i);
    stack.commit(room + many);
    CHECK_EQUAL(stack.size(), 2 * many);
    for (std::size_t i = 0; i < stack.size(); ++i) CHECK_EQUAL(stack[i].move, static_cast<Move>(i));
    stack.shrink(3);
    CHECK_EQUAL(stack.size(), std::size_t{3});
}
