// Runs the tests: main CASES [--most COUNT] [NAME...]. A test runs if its name begins with one of the names given.
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>

#include "cases.hpp"
#include "check.hpp"

namespace check {

static int failures = 0;

std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

void fail(const char* file, int line, const std::string& what) {
    constexpr int most_shown = 20;
    if (++failures <= most_shown) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

}  // namespace check

static bool wanted(const std::string& name, const std::vector<std::string>& beginnings) {
    for (const std::string& beginning : beginnings)
        if (name.rfind(beginning, 0) == 0) return true;
    return beginnings.empty();
}

static int run(const std::vector<std::string>& beginnings) {
    using Clock = std::chrono::steady_clock;
    int failed = 0, run = 0;
    for (const check::Test& test : check::tests()) {
        if (!wanted(test.name, beginnings)) continue;
        ++run;
        check::failures = 0;
        const auto begun = Clock::now();
        try {
            test.run();
        } catch (const std::exception& error) {
            check::fail(__FILE__, __LINE__, std::string("thrown: ") + error.what());
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        std::printf("%-60s %s %7.2f s\n", test.name.c_str(), check::failures ? "FAILED" : "passed", seconds);
        std::fflush(stdout);
        failed += check::failures > 0;
    }
    std::printf("%d tests, %d failed\n", run, failed);
    return failed || !run ? 1 : 0;
}

int main(int count, char** arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: %s CASES [--most COUNT] [NAME...]\n", arguments[0]);
        return 2;
    }
    try {
        std::ifstream file(arguments[1]);
        if (!file) throw std::runtime_error(std::string("cannot read ") + arguments[1]);
        read_cases(file);
        std::vector<std::string> beginnings;
        for (int i = 2; i < count; ++i) {
            if (std::string(arguments[i]) == "--most" && i + 1 < count) set_most_counted(std::stoull(arguments[++i]));
            else beginnings.emplace_back(arguments[i]);
        }
        return run(beginnings);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
