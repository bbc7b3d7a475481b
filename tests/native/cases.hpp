// Positions and what is known of them, as `scripts/native_tests.py` writes them, from which all games come.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "core/kernel.hpp"

struct Case {
    std::string label;  // the game and the position, for people
    int ruleset;        // equal numbers are equal rulesets
    latrones::Ruleset rules;
    latrones::Weights weights;
    int files, ranks;
    latrones::WireBoard board;
    int decided;
    latrones::Terms terms;
    std::vector<latrones::u64> perft;  // from depth 1 on

    std::unique_ptr<latrones::Kernel> kernel() const { return latrones::Kernel::make(rules, weights, files, ranks); }
};

// Throws std::runtime_error where the text is not understood.
void read_cases(std::istream& in);
const std::vector<Case>& cases();
// Of each ruleset one that is not decided, on the largest board.
std::vector<const Case*> case_of_each_ruleset();

// The greatest count that is to be verified.
void set_most_counted(latrones::u64 count);
latrones::u64 most_counted();
