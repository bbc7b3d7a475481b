// Searches, with one thread and with several, and every way to end one.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cases.hpp"
#include "check.hpp"

using namespace latrones;

namespace {

using Clock = std::chrono::steady_clock;

struct Failure {
    int number;
};

// A search of a case, and all that it said.
class Run {
   public:
    explicit Run(const Case& from) : from_(from), kernel_(from.kernel()), table_(1) {
        task.root_moves = kernel_->moves(from.board);
        task.depth = 100;
        game_keys_ = {keys()};
        listener.info = [this](const Info& info) {
            here();
            std::ostringstream line;
            line << '\n' << info.depth << ' ' << info.multipv << ' ' << info.score << ' ' << static_cast<int>(info.bound)
                 << ' ' << info.nodes << ' ' << info.seldepth;
            said += line.str();
            for (const WireMove& move : info.pv) said += text(move);
            last = info;
        };
        listener.current_move = [this](const CurrentMove&) { here(); };  // which it is depends on time
        listener.should_stop = [this] {
            here();
            return false;
        };
        listener.wants_depth = [this](int, bool) {
            here();
            return true;
        };
    }

    Outcome go() {
        said.clear();
        last.reset();
        const Outcome outcome = kernel_->search(from_.board, game_keys_, task, table_, listener);
        CHECK_ABOUT(std::count(task.root_moves.begin(), task.root_moves.end(), outcome.move) == 1, from_.label);
        if (outcome.ponder) {
            const auto replies = kernel_->moves(kernel_->play(from_.board, outcome.move));
            CHECK_ABOUT(std::count(replies.begin(), replies.end(), *outcome.ponder) == 1, from_.label);
        }
        return outcome;
    }
    void clear() {
        kernel_->clear();
        table_.clear();
    }

    // Whether the moves of the last line can be played one after another.
    bool last_line_is_legal() const {
        if (!last || last->pv.empty()) return false;
        WireBoard board = from_.board;
        for (const WireMove& move : last->pv) {
            const auto moves = kernel_->moves(board);
            if (std::count(moves.begin(), moves.end(), move) != 1) return false;
            board = kernel_->play(board, move);
        }
        return true;
    }

    static std::string text(const WireMove& move) {
        std::ostringstream text;
        text << ' ' << static_cast<int>(move.kind);
        for (u8 square : move.squares) text << '-' << +square;
        return text.str();
    }

    Task task;
    Listener listener;
    std::string said;
    std::optional<Info> last;

   private:
    // The listener is only ever called by the thread that searches for us.
    void here() const { CHECK(std::this_thread::get_id() == caller_); }

    // No other position of the game counts.
    u64 keys() const { return from_.board.key; }

    const Case& from_;
    const std::unique_ptr<Kernel> kernel_;
    Table table_;
    std::vector<u64> game_keys_;
    const std::thread::id caller_ = std::this_thread::get_id();
};

// Threads of this process; 1 where that is not told.
std::size_t threads_running() {
    const std::filesystem::path tasks("/proc/self/task");
    if (!std::filesystem::exists(tasks)) return 1;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(tasks), std::filesystem::directory_iterator()));
}

// Whether all threads are gone that a search has begun. One that has been joined may be listed for a moment yet.
bool none_left_over() {
    // A sanitizer may run a thread of its own, from the first thread on.
    static const std::size_t usual = [] {
        std::jthread([] {}).join();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return threads_running();
    }();
    const auto last = Clock::now() + std::chrono::seconds(5);
    while (threads_running() > usual && Clock::now() < last) std::this_thread::yield();
    return threads_running() <= usual;
}

void check_same_twice(u32 techniques) {
    for (const Case* from : case_of_each_ruleset()) {
        Run one(*from), two(*from);
        for (Run* run : {&one, &two}) {
            run->task.nodes = most_counted() / 10'000;
            run->task.techniques = techniques;
        }
        const Outcome first = one.go(), second = two.go();
        CHECK_EQUAL(one.said, two.said, from->label);
        CHECK_EQUAL(first.nodes, second.nodes, from->label);
        CHECK(first.move == second.move && first.ponder == second.ponder);
        CHECK_ABOUT(one.last_line_is_legal(), from->label);
        // Nothing is left of a search when all is forgotten.
        const std::string before = one.said;
        one.clear();
        one.go();
        CHECK_EQUAL(one.said, before, from->label);
    }
}

void check_node_limit(int threads, u64 slack) {
    for (const Case* from : case_of_each_ruleset())
        for (const u64 nodes : {u64{1}, u64{2}, u64{1'000}, u64{20'000}}) {
            Run run(*from);
            run.task.threads = threads;
            run.task.nodes = nodes;
            const Outcome outcome = run.go();
            CHECK_ABOUT(outcome.nodes <= nodes + slack, from->label + ": " + std::to_string(outcome.nodes) + " of " +
                                                            std::to_string(nodes) + " nodes");
        }
}

void check_stops(int threads) {
    CHECK(none_left_over());
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.threads = threads;
        const auto begun = Clock::now();
        run.listener.should_stop = [&] { return Clock::now() - begun >= std::chrono::milliseconds(10); };
        run.go();
        CHECK_ABOUT(Clock::now() - begun < std::chrono::seconds(5), from->label);  // milliseconds, but for a busy machine
        run.listener.should_stop = [] { return true; };
        run.go();
        CHECK_ABOUT(none_left_over(), from->label);
    }
}

void check_exceptions(int threads) {
    CHECK(none_left_over());
    const Case& from = *case_of_each_ruleset().front();
    for (int number = 0; number < 4; ++number) {
        Run run(from);
        run.task.threads = threads;
        const Listener good = run.listener;
        if (number == 0) run.listener.info = [](const Info&) { throw Failure{0}; };
        if (number == 1) {
            // It is called only when a search has gone on for a while.
            run.listener.current_move = [](const CurrentMove&) { throw Failure{1}; };
            run.listener.wants_depth = [](int, bool) {
                std::this_thread::sleep_for(std::chrono::milliseconds(600));
                return true;
            };
        }
        if (number == 2) run.listener.should_stop = []() -> bool { throw Failure{2}; };
        if (number == 3) run.listener.wants_depth = [](int, bool) -> bool { throw Failure{3}; };
        int arrived = -1;
        try {
            run.go();
        } catch (const Failure& failure) {
            arrived = failure.number;
        }
        CHECK_EQUAL(arrived, number);
        CHECK(none_left_over());
        // What was used can be used again.
        run.listener = good;
        run.task.depth = 4;
        run.go();
        CHECK(run.last_line_is_legal());
    }
}

}  // namespace

TEST(search_is_the_same_twice) { check_same_twice(ALL_TECHNIQUES); }
TEST(search_without_selectivity_is_the_same_twice) { check_same_twice(0); }
TEST(search_ends_at_its_nodes) { check_node_limit(1, 64); }
TEST(search_stops_when_told_to) { check_stops(1); }
TEST(search_hands_exceptions_on) { check_exceptions(1); }

TEST(search_ends_at_its_depth) {
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.depth = 3;
        run.go();
        CHECK_EQUAL(run.last->depth, 3, from->label);
        run.task.depth = 100;
        run.listener.wants_depth = [](int, bool) { return false; };
        run.go();
        CHECK_EQUAL(run.last->depth, 1, from->label);
    }
}

TEST(search_of_several_lines) {
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.multipv = 3;
        run.task.depth = 3;
        std::vector<Info> infos;
        run.listener.info = [&](const Info& info) { infos.push_back(info); };
        run.go();
        const std::size_t lines = std::min(std::size_t{3}, run.task.root_moves.size());
        CHECK_ABOUT(infos.size() >= lines, from->label);
        std::vector<std::string> moves;
        for (std::size_t i = 0; i < lines; ++i) {
            const Info& info = infos[infos.size() - lines + i];
            CHECK_EQUAL(info.multipv, static_cast<int>(i) + 1, from->label);
            if (i) CHECK_ABOUT(info.score <= infos[infos.size() - lines + i - 1].score, from->label);
            moves.push_back(Run::text(info.pv.front()));
        }
        std::sort(moves.begin(), moves.end());
        CHECK_ABOUT(std::adjacent_find(moves.begin(), moves.end()) == moves.end(), from->label);
    }
}

TEST(search_of_one_root_move) {
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.root_moves.erase(run.task.root_moves.begin(), run.task.root_moves.end() - 1);
        run.task.depth = 3;
        run.go();
    }
}

// The tests of several threads: their names begin alike, so that they can be run by themselves.
TEST(threads_search_together) {
    CHECK(none_left_over());
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.threads = 4;
        run.task.depth = 5;  // nodes might all be taken by the helpers before the first thread has said anything
        run.go();
        CHECK_ABOUT(run.last_line_is_legal(), from->label);
        run.go();  // with what the first has taught
        run.task.threads = 2;
        run.go();
        CHECK_ABOUT(run.last_line_is_legal(), from->label);
        CHECK_ABOUT(none_left_over(), from->label);
    }
}
// Each thread tells of its nodes every thousand or so.
TEST(threads_end_at_their_nodes) { check_node_limit(4, 4 * 2'048); }
TEST(threads_stop_when_told_to) { check_stops(4); }
TEST(threads_hand_exceptions_on) { check_exceptions(4); }
