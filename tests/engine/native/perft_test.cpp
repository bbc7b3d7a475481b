// Tests of perft against the counts of the cases.
#include "cases.hpp"
#include "check.hpp"
#include "core/perft.hpp"

using namespace latrones;

namespace {

void check_counts(bool bulk, u64 most) {
    int counted = 0;
    for (const Case& each : cases()) {
        const auto kernel = each.kernel();
        for (std::size_t depth = 1; depth <= each.perft.size(); ++depth) {
            if (each.perft[depth - 1] > most) break;
            const u64 found = kernel->perft(each.board, static_cast<int>(depth), bulk, [] { return false; });
            CHECK_EQUAL(found, each.perft[depth - 1], each.label + ", depth " + std::to_string(depth));
            ++counted;
        }
    }
    CHECK(counted > 0);
}

}  // namespace

TEST(perft_with_the_last_ply_in_bulk) { check_counts(true, most_counted()); }
TEST(perft_with_every_move_made) { check_counts(false, most_counted() / 10); }

TEST(perft_of_depth_zero_is_one) {
    for (const Case& each : cases())
        CHECK_EQUAL(each.kernel()->perft(each.board, 0, true, [] { return false; }), u64{1}, each.label);
}

TEST(perft_can_be_stopped) {
    for (const Case* each : case_of_each_ruleset()) {
        int calls = 0;
        bool stopped = false;
        try {
            each->kernel()->perft(each->board, 50, true, [&] { return ++calls == 3; });
        } catch (const Stopped&) {
            stopped = true;
        }
        CHECK_ABOUT(stopped && calls == 3, each->label);
    }
}

TEST(perft_propagates_exceptions) {
    struct Failure {};
    const Case& first = *case_of_each_ruleset().front();
    bool caught = false;
    try {
        first.kernel()->perft(first.board, 50, true, []() -> bool { throw Failure{}; });
    } catch (const Failure&) {
        caught = true;
    }
    CHECK(caught);
}
