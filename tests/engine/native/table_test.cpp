// Tests of the transposition table.
#include <new>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/table.hpp"

using namespace latrones;

namespace {

constexpr std::size_t entries_per_megabyte = (std::size_t{1} << 20) / 16;
constexpr int slots_per_line = 4;

// Keys of the same line in a table of any size: they differ in bits that do not select the line.
u64 neighbour(u64 key, int number) { return (key & ~u64{0xFFF}) | static_cast<u64>(number + 1); }

bool holds(const Table& table, u64 key) {
    Entry entry;
    return table.probe(key, entry);
}

}  // namespace

TEST(table_returns_stored_entries) {
    Table table(1);
    const u64 key = 0x123456789ABCDEF0;
    CHECK(!holds(table, key));
    for (const Bound bound : {LOWER, UPPER, EXACT})
        for (const int score : {-30'000, -1, 0, 1, 29'999}) {
            table.clear();
            CHECK(!holds(table, key));
            table.store(key, 0xBEEF, score, -score, 99, bound);
            Entry entry{};
            CHECK(table.probe(key, entry));
            CHECK_EQUAL(entry.move, MoveHint{0xBEEF});
            CHECK_EQUAL(int{entry.score}, score);
            CHECK_EQUAL(int{entry.evaluation}, -score);
            CHECK_EQUAL(int{entry.depth}, 99);
            CHECK_EQUAL(int{entry.bound}, int{bound});
            CHECK(!holds(table, key ^ 1));
            CHECK(!holds(table, ~key));
        }
}

TEST(table_replaces_entries_of_the_same_position) {
    Table table(1);
    const u64 key = 0x0F0F0F0F0F0F0F0F;
    Entry entry{};
    table.store(key, 0x1234, 10, 20, 5, LOWER);
    table.store(key, 0, 11, 20, 5, UPPER);
    CHECK(table.probe(key, entry) && entry.score == 11 && entry.move == 0x1234);  // a hint of 0 keeps the stored move
    table.store(key, 0x4321, 12, 20, 40, EXACT);
    table.store(key, 0x1111, 13, 20, 2, LOWER);
    CHECK(table.probe(key, entry) && entry.score == 12 && entry.depth == 40);  // kept: much deeper, of the same search
    table.store(key, 0x1111, 14, 20, 2, EXACT);
    CHECK(table.probe(key, entry) && entry.score == 14);
    table.store(key, 0x4321, 15, 20, 40, EXACT);
    table.new_search();
    table.store(key, 0x1111, 16, 20, 2, LOWER);
    CHECK(table.probe(key, entry) && entry.score == 16);  // replaced: of an earlier search
}

TEST(table_replaces_the_shallowest_entry) {
    Table table(1);
    const u64 key = 0xABCDEF0123456789;
    for (int i = 0; i < slots_per_line; ++i) table.store(neighbour(key, i), 1, 0, 0, 10 + i, EXACT);
    for (int i = 0; i < slots_per_line; ++i) CHECK(holds(table, neighbour(key, i)));
    table.store(neighbour(key, slots_per_line), 1, 0, 0, 1, EXACT);
    CHECK(holds(table, neighbour(key, slots_per_line)));
    for (int i = 0; i < slots_per_line; ++i) CHECK_EQUAL(holds(table, neighbour(key, i)), i != 0);
}

TEST(table_replaces_old_entries_first) {
    Table table(1);
    const u64 key = 0xFEDCBA9876543210;
    table.store(neighbour(key, 0), 1, 0, 0, 30, EXACT);
    for (int search = 0; search < 6; ++search) table.new_search();
    for (int i = 1; i < slots_per_line; ++i) table.store(neighbour(key, i), 1, 0, 0, 1, EXACT);
    CHECK(holds(table, neighbour(key, 0)));
    table.store(neighbour(key, slots_per_line), 1, 0, 0, 1, EXACT);
    CHECK(!holds(table, neighbour(key, 0)));
    for (int i = 1; i <= slots_per_line; ++i) CHECK(holds(table, neighbour(key, i)));
}

// An entry takes sixteen bytes: so many evenly spread positions fit, and not one more.
TEST(table_holds_exactly_its_megabytes) {
    for (const std::size_t megabytes : {1, 2, 3, 5}) {
        Table table(megabytes);
        const std::size_t entries = megabytes * entries_per_megabyte, lines = entries / slots_per_line;
        __extension__ using u128 = unsigned __int128;
        const auto key = [&](std::size_t line, int number) {
            return neighbour(static_cast<u64>(((u128{line} << 64) + (u128{1} << 63)) / lines), number);
        };
        for (int number = 0; number < 2 * slots_per_line; ++number) {
            for (std::size_t line = 0; line < lines; ++line) table.store(key(line, number), 1, 0, 0, 7, EXACT);
            std::size_t held = 0;
            for (std::size_t line = 0; line < lines; ++line)
                for (int each = 0; each <= number; ++each) held += holds(table, key(line, each));
            CHECK_EQUAL(held, std::min(static_cast<std::size_t>(number + 1), std::size_t{slots_per_line}) * lines,
                        std::to_string(megabytes) + " megabytes");
        }
        table.clear();
        for (std::size_t line = 0; line < lines; ++line)
            for (int each = 0; each < 2 * slots_per_line; ++each) CHECK(!holds(table, key(line, each)));
    }
}

TEST(table_reports_hashfull) {
    Table table(1);
    CHECK_EQUAL(table.hashfull(), 0);
    const std::size_t half = entries_per_megabyte / 2;
    for (std::size_t i = 0; i < half; ++i)
        table.store((u64{i} << 49) + 1 + (i & 1), 1, 0, 0, 7, EXACT);
    CHECK(table.hashfull() > 400 && table.hashfull() < 600);
    table.new_search();
    CHECK_EQUAL(table.hashfull(), 0);
    table.clear();
    CHECK_EQUAL(table.hashfull(), 0);
}

// Each thread clears its share; together, they clear all of it, also if it is not a multiple of their number.
TEST(threads_clear_a_table) {
    constexpr std::size_t megabytes = 3, lines = megabytes * entries_per_megabyte / slots_per_line;
    for (const int threads : {1, 2, 3, 5, 256}) {
        Table table(megabytes, threads);
        for (std::size_t line = 0; line < lines; ++line) {
            const u64 key = ~u64{0} / lines * line + ~u64{0} / lines / 2;
            CHECK(!holds(table, key));
            table.store(key, 1, 0, 0, 7, EXACT);
            CHECK(holds(table, key));
        }
        table.clear(threads);
        for (std::size_t line = 0; line < lines; ++line)
            CHECK(!holds(table, ~u64{0} / lines * line + ~u64{0} / lines / 2));
        CHECK_EQUAL(table.hashfull(), 0);
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers abort the program here
TEST(table_larger_than_memory_is_rejected) {
    for (const std::size_t megabytes : {std::size_t{1} << 27, std::size_t{1} << 40}) {
        bool rejected = false;
        try {
            const Table table(megabytes);
        } catch (const std::bad_alloc&) {
            rejected = true;
        }
        CHECK_ABOUT(rejected, std::to_string(megabytes) + " megabytes");
    }
}
#endif

// Entries written by several threads at once are never read as a mix of two.
TEST(threads_share_a_table) {
    constexpr int threads = 4, keys = 64, rounds = 20'000;
    Table table(1);
    std::vector<int> wrong(threads, 0), found(threads, 0);
    {
        std::vector<std::jthread> running;
        for (int thread = 0; thread < threads; ++thread)
            running.emplace_back([&, thread] {
                u64 random = static_cast<u64>(thread) + 1;
                for (int round = 0; round < rounds; ++round) {
                    random = random * 6364136223846793005 + 1442695040888963407;
                    const int number = static_cast<int>(random >> 40) % keys;
                    const u64 key = neighbour(0x5555555555555555, number);
                    Entry entry{};
                    if (table.probe(key, entry)) {
                        ++found[static_cast<std::size_t>(thread)];
                        wrong[static_cast<std::size_t>(thread)] +=
                            entry.move != number || entry.score != 3 * number || entry.evaluation != 5 * number;
                    }
                    table.store(key, static_cast<MoveHint>(number), 3 * number, 5 * number, number % 50, EXACT);
                    table.prefetch(key);
                }
            });
    }
    for (std::size_t thread = 0; thread < threads; ++thread) {
        CHECK(found[thread] > 0);
        CHECK_EQUAL(wrong[thread], 0);
    }
}
