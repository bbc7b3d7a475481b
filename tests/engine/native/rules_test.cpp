// Invariants of the rules on every board, for each ruleset of the cases and in all shapes: functions that the search
// uses as equivalent give the same results.
#include <algorithm>
#include <map>

#include "boards.hpp"
#include "cases.hpp"
#include "check.hpp"

using namespace latrones;

namespace {

// The squares of all moves, sorted, to compare lists of different stacks.
std::vector<std::vector<int>> sorted(const MoveStack& stack) {
    std::vector<std::vector<int>> moves;
    for (std::size_t i = 0; i < stack.size(); ++i) {
        const Move move = stack[i].move;
        std::vector<int>& numbers = moves.emplace_back();
        if (!is_path(move)) {
            numbers = {-static_cast<int>(kind_of(move) >> 16), cell_of(move)};
            continue;
        }
        const Path path = stack.path_of(move);
        for (int leg = 0; leg < path.size; ++leg) numbers.push_back(path.cell[leg]);
    }
    std::sort(moves.begin(), moves.end());
    return moves;
}

template <class S>
class Checked {
   public:
    Checked(const Rules<S>& rules, const Board<S>& board, std::string about)
        : rules_(rules), board_(board), about_(std::move(about)), empty_(rules.empty(board)),
          targets_(rules.targets(board, empty_)) {
        rules_.moves(board_, stack_);
        moves_ = sorted(stack_);
        check_long_paths(stack_);
    }

    void all() {
        CHECK_ABOUT(std::adjacent_find(moves_.begin(), moves_.end()) == moves_.end(), about_);
        MoveStack scratch;
        CHECK_EQUAL(rules_.count(board_, scratch), static_cast<u64>(moves_.size()), about_);
        CHECK_EQUAL(scratch.size(), std::size_t{0}, about_);
        const bool moves = stack_.size() && stack_[0].move != PASS;
        CHECK_EQUAL(rules_.can_move(board_, empty_, scratch), moves, about_);
        CHECK_EQUAL(scratch.size(), std::size_t{0}, about_);
        distinct();
        MoveStack tactical;
        rules_.tactical_moves(board_, empty_, targets_, tactical);
        tactical_ = sorted(tactical);
        CHECK_ABOUT(std::includes(moves_.begin(), moves_.end(), tactical_.begin(), tactical_.end()), about_);
        plain_moves();
        for (std::size_t i = 0; i < stack_.size(); ++i) played(stack_[i].move);
    }

   private:
    void distinct() {
        MoveStack stack;
        rules_.distinct_moves(board_, empty_, targets_, stack);
        check_long_paths(stack);
        const auto distinct = sorted(stack);
        CHECK_ABOUT(std::includes(moves_.begin(), moves_.end(), distinct.begin(), distinct.end()), about_);
        if (rules_.movement.hops()) CHECK_ABOUT(ends(distinct) == ends(moves_), about_);
        else CHECK_ABOUT(distinct == moves_, about_);
    }
    // Checks that chains generated on the way to a list, but not in it, are dropped.
    void check_long_paths(const MoveStack& list) const {
        CHECK_ABOUT(list.mark().long_paths <= list.size(), about_);
    }
    // The pairs of origin and destination, without duplicates.
    static std::vector<std::pair<int, int>> ends(const std::vector<std::vector<int>>& moves) {
        std::vector<std::pair<int, int>> ends;
        for (const auto& move : moves) ends.emplace_back(move.front(), move.back());
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        return ends;
    }

    bool is_among(const std::vector<std::vector<int>>& moves, const std::vector<int>& move) const {
        return std::binary_search(moves.begin(), moves.end(), move);
    }

    // Checks that moves found legal without a list are legal.
    void plain_moves() {
        const int cells = std::min(S::cells, 64 * S::limbs);
        for (int origin = 0; origin < cells; ++origin)
            for (int to = 0; to < cells; ++to)
                if (rules_.is_plain_move(board_, empty_, origin, to))
                    CHECK_ABOUT(is_among(moves_, {origin, to}), about_ + std::to_string(origin) + ' ' + std::to_string(to));
    }

    void played(Move move) {
        const Board<S> after = rules_.play(board_, move, stack_);
        const std::string about = about_ + "move " + std::to_string(move);
        CHECK_EQUAL(after.key, rules_.full_key(after), about);
        CHECK_ABOUT(after.own == rules_.geometry.widen(after.own.plain()), about);
        CHECK_ABOUT(after.opp == rules_.geometry.widen(after.opp.plain()), about);
        CHECK_ABOUT((after.own.plain() & after.opp.plain()).none(), about);
        const bool captures = after.own.plain().count() < board_.opp.plain().count();
        if (move < KILL && !captures && after.bound == board_.bound)
            CHECK_EQUAL(rules_.key_after(board_, move), after.key, about);
        if (!is_path(move)) return;
        const Path path = stack_.path_of(move);
        CHECK_EQUAL(after.nocapture, captures ? 0 : board_.nocapture + 1, about);
        if (captures || rules_.decided(after)) {
            std::vector<int> squares(path.cell, path.cell + path.size);
            CHECK_ABOUT(is_among(tactical_, squares), about);
        }
        if (path.size == 2 && !targets_.test(path.last())) {
            const Board<S> quiet = rules_.play_quiet(board_, move);
            CHECK_ABOUT(quiet.key == after.key && quiet.own == after.own && quiet.opp == after.opp &&
                            quiet.bound == after.bound && quiet.own_dux == after.own_dux &&
                            quiet.opp_dux == after.opp_dux && quiet.nocapture == after.nocapture,
                        about);
        }
    }

    const Rules<S>& rules_;
    const Board<S>& board_;
    const std::string about_;
    const Wide<S> empty_;
    const Bits<S::limbs> targets_;
    MoveStack stack_;
    std::vector<std::vector<int>> moves_, tactical_;
};

bool has_centre(const Ruleset& rules) {
    return rules.barred == Square::CENTRE || rules.safe_square == Square::CENTRE;
}

template <class S>
void check_rules(const Case& from, const Size& size, Random& random, int rounds) {
    if (has_centre(from.rules) && !(size.files % 2 && size.ranks % 2)) return;
    const auto rules = std::make_unique<Rules<S>>(from.rules, size.files, size.ranks);
    for (int round = 0; round < rounds; ++round) {
        const unsigned share = 15 + random() % 60;
        const bool crowded = rules->movement.hops() && round % 4 == 0;
        Board<S> board = crowded ? board_for_hops(*rules, random) : random_board(*rules, random, share);
        // Play a few plies, so that the bound marks are as the rules set them; but not on crowded boards, where nothing
        // could hop afterwards.
        MoveStack stack;
        for (int ply = crowded ? 3 : 0; ply < 3 && !rules->decided(board); ++ply) {
            stack.shrink(0);
            rules->moves(board, stack);
            if (!stack.size()) break;
            board = rules->play(board, stack[random() % stack.size()].move, stack);
        }
        if (rules->decided(board)) continue;
        Checked<S>(*rules, board, name_of<S>(size) + ", rules of " + from.label + ", round " + std::to_string(round) + ' ')
            .all();
    }
}

}  // namespace

TEST(rules_are_consistent) {
    Random random(2);
    for (const Case* from : case_of_each_ruleset())
        for_each_shape([&]<class S>(std::type_identity<S>) {
            for (const Size& size : sizes<S>())
                if (size.files > 1 && size.ranks > 1) check_rules<S>(*from, size, random, 12);
        });
}

TEST(rules_know_on_full_boards_whether_there_is_a_move) {
    Random random(3);
    for (const Case* from : case_of_each_ruleset()) {
        const auto rules = std::make_unique<Rules<Small>>(from->rules, 5, 5);
        MoveStack moves, scratch;
        for (int round = 0; round < 1'000; ++round) {
            const Board<Small> board = random_board(*rules, random, 100 + random() % 80);
            if (rules->decided(board)) continue;
            moves.shrink(0);
            rules->moves(board, moves);
            CHECK_EQUAL(rules->can_move(board, rules->empty(board), scratch), moves.size() && moves[0].move != PASS,
                        from->label + ", round " + std::to_string(round));
        }
    }
}

TEST(rules_evaluate_the_cases) {
    for (const Case& each : cases()) {
        const auto kernel = each.kernel();
        CHECK_EQUAL(kernel->decided(each.board), each.decided, each.label);
        const Terms found = kernel->evaluate(each.board);
        CHECK_EQUAL(found.material, each.terms.material, each.label);
        CHECK_EQUAL(found.mobility, each.terms.mobility, each.label);
        CHECK_EQUAL(found.threats, each.terms.threats, each.label);
        CHECK_EQUAL(found.dux_safety, each.terms.dux_safety, each.label);
        CHECK_EQUAL(found.bound, each.terms.bound, each.label);
        CHECK_EQUAL(found.pursuit, each.terms.pursuit, each.label);
    }
}

TEST(rules_reject_boards_that_fit_no_shape) {
    for (const Size& size : {Size{0, 8}, Size{8, 0}, Size{17, 8}, Size{8, 17}, Size{-1, -1}}) {
        bool rejected = false;
        try {
            Kernel::make(Ruleset{}, Weights{}, size.files, size.ranks);
        } catch (const std::invalid_argument&) {
            rejected = true;
        }
        CHECK_ABOUT(rejected, std::to_string(size.files) + "x" + std::to_string(size.ranks));
    }
}
