// Test cases: positions with their expected values, written by `write_cases.py`, which knows the games.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "core/kernel.hpp"

struct Case {
    std::string label;  // the game and the position, for messages
    int ruleset;        // equal numbers mean equal rulesets
    latrones::Ruleset rules;
    latrones::Weights weights;
    int files, ranks;
    latrones::WireBoard board;
    int decided;
    latrones::Terms terms;
    std::vector<latrones::u64> perft;  // from depth 1 on

    std::unique_ptr<latrones::Kernel> kernel() const {
        return kernel(latrones::Tuning::usual(rules.soldiers_only()));
    }
    std::unique_ptr<latrones::Kernel> kernel(const latrones::Tuning& tuning) const {
        return latrones::Kernel::make(rules, weights, files, ranks, tuning);
    }
};

// Throws std::runtime_error if the text is malformed.
void read_cases(std::istream& in);
const std::vector<Case>& cases();
// For each ruleset an undecided case on the largest board.
std::vector<const Case*> case_of_each_ruleset();

// The greatest perft count to verify.
void set_most_counted(latrones::u64 count);
latrones::u64 most_counted();
