// Tests of the move picker: every move once, in order, and what it skips.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <set>

#include "boards.hpp"
#include "check.hpp"
#include "core/picker.hpp"

using namespace latrones;

namespace {

constexpr std::array<MoveHint, 2> previous{};

// Random quiet histories and killers of a side.
template <class S>
void fill(MoveOrder<S::cells>& order, int side, const std::vector<Move>& moves, const MoveStack& stack,
          Random& random) {
    for (int i = 0; i < 4; ++i)
        for (const Move move : moves) {
            const int depth = static_cast<int>(random() % 9);
            if (random() % 2) order.reward_quiet(side, previous, hint_of(move, stack), depth);
            else order.punish_quiet(side, previous, hint_of(move, stack), depth);
        }
    for (int i = 0; i < 2 && !moves.empty(); ++i)
        order.set_killer(0, side, previous[0], moves[random() % moves.size()]);
}

// Picks all moves of a board; after `skipping` quiet moves, skips the others except those onto `kept`.
template <class S>
void check_picker(const Rules<S>& rules, const Board<S>& board, MoveOrder<S::cells>& order, Random& random,
                  std::size_t skipping, const Bits<S::limbs>& kept, const std::string& about) {
    MoveStack stack;
    const Wide<S> empty = rules.empty(board);
    const auto targets = rules.targets(board, empty);
    rules.distinct_moves(board, empty, targets, stack);
    std::vector<Move> legal;
    for (std::size_t i = 0; i < stack.size(); ++i) legal.push_back(stack[i].move);
    stack.clear();
    fill<S>(order, board.side, legal, stack, random);
    const bool has_hint = !legal.empty() && random() % 2;
    const MoveHint tt_hint = has_hint ? hint_of(legal[random() % legal.size()], stack) : MoveHint{0};
    const int depth = 1 + static_cast<int>(random() % 3), limit = -order.sort_limit() * depth;

    Picker<S> picker({rules, order, stack}, board, empty, targets, {}, tt_hint, previous, 0, depth);
    const std::set<Move> early{order.killer(0, 0), order.killer(0, 1), order.counter(board.side, previous[0])};
    std::set<Move> picked;
    std::size_t quiet = 0;
    int before = INT_MAX;
    while (true) {
        if (quiet == skipping) picker.skip_quiets(kept);
        const Move expected = picker.peek(), move = picker.next();
        if (!move) break;
        if (expected && quiet < skipping) CHECK_EQUAL(move, expected, about);
        CHECK_ABOUT(std::count(legal.begin(), legal.end(), move) == 1 && picked.insert(move).second, about);
        if (!picker.quiet()) continue;
        const bool first = hint_of(move, stack) == tt_hint || early.contains(move);
        CHECK_ABOUT(quiet < skipping || first || kept.test(to_of(move)), about);
        ++quiet;
        if (first) continue;
        const int history = picker.history(hint_of(move, stack));
        CHECK_ABOUT(history <= (before > limit ? before : limit), about);
        before = history;
    }
    for (const Move move : legal)
        CHECK_ABOUT(picked.contains(move) || (quiet >= skipping && !kept.test(to_of(move))), about);
}

}  // namespace

TEST(picker_yields_every_move_once_and_in_order) {
    Random random(21);
    for_each_size([&]<class S>(std::type_identity<S>, const Size& size) {
        Ruleset ruleset;
        ruleset.soldier_move = Gait::SLIDE;
        ruleset.custodian = Custodian::ONE;
        const auto rules = std::make_unique<Rules<S>>(ruleset, size.files, size.ranks);
        MoveOrder<S::cells> order{Tuning{}};
        for (int round = 0; round < 20; ++round) {
            const auto own = random_set(rules->geometry, random, 20);
            const auto opp = random_set(rules->geometry, random, 20);
            const Board<S> board = board_of(*rules, own, opp & ~own);
            const std::size_t skipping = round % 2 ? SIZE_MAX : random() % 40;
            check_picker(*rules, board, order, random, skipping, random_set(rules->geometry, random, 10),
                         name_of<S>(size));
        }
    });
}
