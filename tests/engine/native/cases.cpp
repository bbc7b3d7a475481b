#include "cases.hpp"

#include <map>
#include <sstream>
#include <stdexcept>
#include <type_traits>


using namespace latrones;

namespace {

std::vector<Case> all;
u64 most = 500'000'000;

// Pairs key=value, separated by spaces. Keys that are not taken are ignored.
class Fields {
   public:
    explicit Fields(std::istream& line) {
        for (std::string word; line >> word;) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) throw std::runtime_error("no '=' in '" + word + "'");
            values_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }

    template <class Value>
    void take(const char* key, Value& value) const {
        if constexpr (std::is_enum_v<Value>) {
            if (!parse_value(text(key), value))
                throw std::runtime_error(std::string(key) + ": unknown value '" + text(key) + "'");
        } else if constexpr (std::is_signed_v<Value>) {
            value = static_cast<Value>(std::stoll(text(key)));
        } else {
            value = static_cast<Value>(std::stoull(text(key)));
        }
    }
    void take(const char* key, DuxSides& numbers) const {
        std::istringstream in(text(key));
        for (int& number : numbers) {
            in >> number;
            in.get();
        }
        if (!in.eof()) throw std::runtime_error(std::string(key) + ": expected five numbers");
    }
    // Bytes in hexadecimal.
    void take(const char* key, std::string& bytes) const {
        for (std::size_t i = 0; i < text(key).size(); i += 2)
            bytes.push_back(static_cast<char>(std::stoi(text(key).substr(i, 2), nullptr, 16)));
    }

   private:
    const std::string& text(const char* key) const {
        const auto found = values_.find(key);
        if (found == values_.end()) throw std::runtime_error("missing key " + std::string(key));
        return found->second;
    }
    std::map<std::string, std::string> values_;
};

WireBoard take_board(const Fields& fields) {
    WireBoard board;
    fields.take("own", board.own);
    fields.take("opp", board.opp);
    fields.take("bound", board.bound);
    fields.take("own_dux", board.own_dux);
    fields.take("opp_dux", board.opp_dux);
    fields.take("side", board.side);
    fields.take("nocapture", board.nocapture);
    fields.take("hand", board.hand);
    fields.take("key", board.key);
    return board;
}

}  // namespace

void read_cases(std::istream& in) {
    std::map<std::string, int> rulesets;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "case") {
            Case& added = all.emplace_back();
            std::getline(words >> std::ws, added.label);
            continue;
        }
        if (all.empty()) throw std::runtime_error("'" + line + "' before any case");
        Case& present = all.back();
        if (what == "size") {
            words >> present.files >> present.ranks;
        } else if (what == "ruleset") {
            present.ruleset = rulesets.try_emplace(line, static_cast<int>(rulesets.size())).first->second;
            const Fields fields(words);
            present.rules = read_ruleset(fields);
        } else if (what == "weights") {
            const Fields fields(words);
            present.weights = read_weights(fields);
        } else if (what == "board") {
            present.board = take_board(Fields(words));
        } else if (what == "decided") {
            words >> present.decided;
        } else if (what == "terms") {
            Terms& t = present.terms;
            words >> t.material >> t.mobility >> t.threats >> t.dux_safety >> t.bound >> t.pursuit;
        } else if (what == "perft") {
            for (u64 count; words >> count;) present.perft.push_back(count);
        } else {
            throw std::runtime_error("malformed line '" + line + "'");
        }
    }
    if (all.empty()) throw std::runtime_error("there are no cases");
}

const std::vector<Case>& cases() { return all; }

std::vector<const Case*> case_of_each_ruleset() {
    std::map<int, const Case*> found;
    for (const Case& each : all) {
        if (each.decided || each.perft.empty() || !each.perft[0]) continue;
        const Case*& kept = found[each.ruleset];
        if (!kept || each.files * each.ranks > kept->files * kept->ranks) kept = &each;
    }
    std::vector<const Case*> chosen;
    for (const auto& [ruleset, kept] : found) chosen.push_back(kept);
    return chosen;
}

void set_most_counted(u64 count) { most = count; }
u64 most_counted() { return most; }
