// Tests of random games; Python compares their results with those of its own rules.
#include "cases.hpp"
#include "check.hpp"
#include "core/playouts.hpp"

using namespace latrones;

TEST(playouts_count_every_game) {
    for (const Case* each : case_of_each_ruleset()) {
        const auto counts = each->kernel()->playouts(each->board, {}, 20, 1, 30, [] { return false; });
        const u64 finished = counts.results[0] + counts.results[1] + counts.results[2];
        CHECK_EQUAL(finished + counts.unfinished, u64{20}, each->label);
        CHECK_ABOUT(counts.plies <= 20 * 30 && counts.plies >= counts.unfinished * 30, each->label);
    }
}

TEST(playouts_can_be_stopped) {
    for (const Case* each : case_of_each_ruleset()) {
        int calls = 0;
        bool stopped = false;
        try {
            each->kernel()->playouts(each->board, {}, ~u64{0}, 1, 1000, [&] { return ++calls == 3; });
        } catch (const Stopped&) {
            stopped = true;
        }
        CHECK_ABOUT(stopped && calls == 3, each->label);
    }
}
