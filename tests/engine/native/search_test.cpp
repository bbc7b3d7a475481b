// Tests of searches with one and several threads, and of every way to end one.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "cases.hpp"
#include "check.hpp"

using namespace latrones;

namespace {

using Clock = std::chrono::steady_clock;

struct Failure {
    int number;
};

// A search of a case, and everything it reports.
class Run {
   public:
    explicit Run(const Case& from, const Tuning& tuning = {}) : from_(from), kernel_(from.kernel(tuning)), table_(1) {
        task.root_moves = kernel_->moves(from.board);
        task.depth = 100;
        task.game_keys = {from.board.key};  // it begins with this position
        listener.info = [this](const SearchInfo& info) {
            check_thread();
            std::ostringstream line;
            line << '\n'
                 << info.depth << ' ' << info.multipv << ' ' << info.score << ' ' << static_cast<int>(info.bound) << ' '
                 << info.nodes << ' ' << info.seldepth;
            reports += line.str();
            for (const WireMove& move : info.pv) reports += text(move);
            infos.push_back(info);
        };
        listener.current_move = [this](const CurrentMove&) { check_thread(); };  // the moves depend on timing
        listener.should_stop = [this] {
            check_thread();
            return false;
        };
        listener.wants_depth = [this](int, bool, int) {
            check_thread();
            return true;
        };
    }

    SearchResult go() {
        reports.clear();
        infos.clear();
        const SearchResult result = kernel_->search(from_.board, task, table_, listener);
        CHECK_ABOUT(std::count(task.root_moves.begin(), task.root_moves.end(), result.move) == 1, from_.label);
        if (result.ponder) {
            const auto replies = kernel_->moves(kernel_->play(from_.board, result.move));
            CHECK_ABOUT(std::count(replies.begin(), replies.end(), *result.ponder) == 1, from_.label);
        }
        if (!infos.empty()) check_final_lines(result);
        return result;
    }
    void clear() {
        kernel_->clear();
        table_.clear();
    }

    // Whether the moves of the last line can be played one after another.
    bool last_line_is_legal() const {
        if (infos.empty() || infos.back().pv.empty()) return false;
        WireBoard board = from_.board;
        for (const WireMove& move : infos.back().pv) {
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
    std::string reports;
    std::vector<SearchInfo> infos;

   private:
    // The listener must only be called by the thread that called the search.
    void check_thread() const { CHECK(std::this_thread::get_id() == caller_); }

    // The last line of each rank has the totals of the search, and the first one has the move to play.
    void check_final_lines(const SearchResult& result) const {
        std::map<int, SearchInfo> last;
        for (const SearchInfo& info : infos) last[info.multipv] = info;
        CHECK_ABOUT(last.at(1).pv.front() == result.move, from_.label);
        for (const auto& [rank, info] : last) CHECK_EQUAL(info.nodes, result.nodes, from_.label);
    }

    const Case& from_;
    const std::unique_ptr<Kernel> kernel_;
    Table table_;
    const std::thread::id caller_ = std::this_thread::get_id();
};

// The number of threads of this process; 1 if unknown.
std::size_t threads_running() {
    const std::filesystem::path tasks("/proc/self/task");
    if (!std::filesystem::exists(tasks)) return 1;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(tasks), std::filesystem::directory_iterator()));
}

// Whether all threads of a search have ended. One that has been joined may still be listed for a moment.
bool none_left_over() {
    // A sanitizer may start a thread of its own with the first thread.
    static const std::size_t usual = [] {
        std::jthread([] {}).join();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return threads_running();
    }();
    const auto last = Clock::now() + std::chrono::seconds(5);
    while (threads_running() > usual && Clock::now() < last) std::this_thread::yield();
    return threads_running() <= usual;
}

void check_same_twice(bool plain) {
    for (const Case* from : case_of_each_ruleset()) {
        Run one(*from), two(*from);
        for (Run* run : {&one, &two}) {
            run->task.nodes = most_counted() / 10'000;
            run->task.plain = plain;
        }
        const SearchResult first = one.go(), second = two.go();
        CHECK_EQUAL(one.reports, two.reports, from->label);
        CHECK_EQUAL(first.nodes, second.nodes, from->label);
        CHECK(first.move == second.move && first.ponder == second.ponder);
        CHECK_ABOUT(one.last_line_is_legal(), from->label);
        // After clearing, the search is the same again.
        const std::string before = one.reports;
        one.clear();
        one.go();
        CHECK_EQUAL(one.reports, before, from->label);
    }
}

void check_node_limit(int threads, u64 slack) {
    for (const Case* from : case_of_each_ruleset())
        for (const u64 nodes : {u64{1}, u64{2}, u64{1'000}, u64{20'000}}) {
            Run run(*from);
            run.task.threads = threads;
            run.task.nodes = nodes;
            const SearchResult result = run.go();
            CHECK_ABOUT(nodes <= result.nodes && result.nodes <= nodes + slack,
                        from->label + ": " + std::to_string(result.nodes) + " of " + std::to_string(nodes) + " nodes");
            if (nodes >= 1'000) CHECK_ABOUT(!run.infos.empty(), from->label);
        }
}

void check_stops(int threads) {
    CHECK(none_left_over());
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.threads = threads;
        const auto begun = Clock::now();
        int told = 0;  // the search, which would not end by itself: to stop
        run.listener.should_stop = [&] {
            const bool stops = Clock::now() - begun >= std::chrono::milliseconds(10);
            told += stops;
            return stops;
        };
        run.go();
        CHECK_EQUAL(told, 1, from->label);  // it asks every millisecond, so it has ended at once
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
        if (number == 0) run.listener.info = [](const SearchInfo&) { throw Failure{0}; };
        if (number == 1) {
            // It is only called when the search has run for a while.
            run.listener.current_move = [](const CurrentMove&) { throw Failure{1}; };
            run.listener.wants_depth = [](int, bool, int) {
                std::this_thread::sleep_for(std::chrono::milliseconds(600));
                return true;
            };
        }
        if (number == 2) run.listener.should_stop = []() -> bool { throw Failure{2}; };
        if (number == 3) run.listener.wants_depth = [](int, bool, int) -> bool { throw Failure{3}; };
        int caught = -1;
        try {
            run.go();
        } catch (const Failure& failure) {
            caught = failure.number;
        }
        CHECK_EQUAL(caught, number);
        CHECK(none_left_over());
        // The kernel can be used again.
        run.listener = good;
        run.task.depth = 4;
        run.go();
        CHECK(run.last_line_is_legal());
    }
}

}  // namespace

TEST(search_is_reproducible) { check_same_twice(false); }
TEST(plain_search_is_reproducible) { check_same_twice(true); }
TEST(search_stops_at_the_node_limit) { check_node_limit(1, 64); }
TEST(search_can_be_stopped) { check_stops(1); }
TEST(search_propagates_exceptions) { check_exceptions(1); }

// For the sanitizers: no division by 0, no overflow, no table left.
TEST(search_with_every_constant_at_its_limits) {
    for (const Case* from : case_of_each_ruleset())
        for (const TuningField& field : tuning_fields)
            for (const int value : {field.least, field.greatest}) {
                Tuning tuning;
                tuning.*field.member = value;
                Run run(*from, tuning);
                run.task.nodes = most_counted() / 50'000;
                run.go();
                CHECK_ABOUT(run.last_line_is_legal(), from->label + ": " + field.name);
            }
}

TEST(search_with_all_constants_at_their_limits) {
    for (const Case* from : case_of_each_ruleset())
        for (const bool greatest : {false, true}) {
            Tuning tuning;
            for (const TuningField& field : tuning_fields)
                tuning.*field.member = greatest ? field.greatest : field.least;
            Run run(*from, tuning);
            run.task.nodes = most_counted() / 5'000;
            run.go();
            CHECK_ABOUT(run.last_line_is_legal(), from->label);
        }
}

TEST(search_rejects_constants_beyond_their_limits) {
    const Case& from = *case_of_each_ruleset().front();
    for (const TuningField& field : tuning_fields)
        for (const int value : {field.least - 1, field.greatest + 1}) {
            Tuning tuning;
            tuning.*field.member = value;
            bool rejected = false;
            try {
                from.kernel(tuning);
            } catch (const std::invalid_argument&) {
                rejected = true;
            }
            CHECK_ABOUT(rejected, field.name);
        }
}

TEST(search_stops_at_the_depth_limit) {
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.depth = 3;
        run.go();
        CHECK_EQUAL(run.infos.back().depth, 3, from->label);
        run.task.depth = 100;
        run.listener.wants_depth = [](int, bool, int) { return false; };
        run.go();
        CHECK_EQUAL(run.infos.back().depth, 1, from->label);
    }
}

TEST(search_of_several_lines) {
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.multipv = 3;
        run.task.depth = 3;
        run.go();
        const auto& infos = run.infos;
        const std::size_t lines = std::min(std::size_t{3}, run.task.root_moves.size());
        CHECK_ABOUT(infos.size() >= lines, from->label);
        std::vector<std::string> moves;
        for (std::size_t i = 0; i < lines; ++i) {
            const SearchInfo& info = infos[infos.size() - lines + i];
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

// The names of tests with several threads begin with `threads_`, so that they can be run separately.
TEST(threads_search_together) {
    CHECK(none_left_over());
    for (const Case* from : case_of_each_ruleset()) {
        Run run(*from);
        run.task.threads = 4;
        run.task.depth = 5;  // not a node limit, which helpers could use up before the main thread reports
        run.go();
        CHECK_ABOUT(run.last_line_is_legal(), from->label);
        run.go();  // with a filled table
        run.task.threads = 2;
        run.go();
        CHECK_ABOUT(run.last_line_is_legal(), from->label);
        CHECK_ABOUT(none_left_over(), from->label);
    }
}
// Each thread adds its nodes to the total about every thousand.
TEST(threads_stop_at_the_node_limit) { check_node_limit(4, 4 * 2'048); }
TEST(threads_can_be_stopped) { check_stops(4); }
TEST(threads_propagate_exceptions) { check_exceptions(4); }

TEST(search_stopped_inside_an_iteration_reports_the_totals) {
    for (const Case* from : case_of_each_ruleset())
        for (const int multipv : {1, 3}) {
            Run run(*from);
            run.task.multipv = multipv;
            run.task.nodes = 5'000;
            const SearchResult result = run.go();
            // `go` checks the totals. No line is repeated.
            CHECK_ABOUT(!run.infos.empty() && run.infos.back().nodes == result.nodes, from->label);
            for (std::size_t i = 1; i < run.infos.size(); ++i) {
                const SearchInfo &one = run.infos[i - 1], &two = run.infos[i];
                const bool repeated = one.nodes == two.nodes && one.multipv == two.multipv && one.bound == two.bound;
                CHECK_ABOUT(!repeated, from->label);
            }
        }
}
