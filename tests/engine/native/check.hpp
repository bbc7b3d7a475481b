// A minimal test framework: a test is a named function. A failed check is printed and counted, and the test continues.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Test {
    std::string name;
    void (*run)();
};

std::vector<Test>& tests();
void fail(const char* file, int line, const std::string& what);

struct Registered {
    Registered(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

template <class Value>
std::string text(const Value& value) {
    std::ostringstream out;
    out << std::boolalpha << +value;
    return out.str();
}
inline std::string text(bool value) { return value ? "true" : "false"; }
inline std::string text(const std::string& value) { return '"' + value + '"'; }

template <class Found, class Expected>
void equal(const char* file, int line, const char* words, const Found& found, const Expected& expected,
           const std::string& about = {}) {
    if (found == expected) return;
    fail(file, line, std::string(words) + " is " + text(found) + ", not " + text(expected) +
                         (about.empty() ? "" : "\n    " + about));
}

}  // namespace check

#define TEST(name)                                           \
    static void name();                                      \
    static const check::Registered registered_##name{#name, name}; \
    static void name()
#define CHECK(condition)                                     \
    do {                                                     \
        if (!(condition)) check::fail(__FILE__, __LINE__, #condition); \
    } while (false)
#define CHECK_ABOUT(condition, about)                        \
    do {                                                     \
        if (!(condition)) check::fail(__FILE__, __LINE__, std::string(#condition) + "\n    " + (about)); \
    } while (false)
// The third argument describes the case.
#define CHECK_EQUAL(found, ...) check::equal(__FILE__, __LINE__, #found, found, __VA_ARGS__)
