// Tests of nets: the same number as a plain loop over all inputs, on boards of all shapes, and nothing out of bounds.
#include "boards.hpp"
#include "check.hpp"
#include "core/net.hpp"

using namespace latrones;

namespace {

std::string bytes_of(const std::vector<int>& numbers) {
    std::string bytes;
    for (const int number : numbers) {
        bytes.push_back(static_cast<char>(number & 255));
        bytes.push_back(static_cast<char>(number >> 8 & 255));
    }
    return bytes;
}

// A net with all kinds of inputs, and the numbers of its file.
struct Sample {
    WireNet wire;
    std::vector<int> weights, biases, outputs;
    int squares;

    Sample(const Size& size, int hidden, Random& random) : squares(size.files * size.ranks) {
        const auto numbers = [&](std::size_t count, int bound) {
            std::vector<int> found(count);
            for (int& number : found)
                number = static_cast<int>(random() % static_cast<unsigned>(2 * bound + 1)) - bound;
            return found;
        };
        const auto pair = 2 * squares;
        wire.hidden = hidden;
        wire.clip = 255;
        wire.multiplier = 5'000;
        wire.dux_row = pair;
        wire.bound_row = 2 * pair;
        wire.hand_row = 3 * pair;
        wire.hand = 9;
        wire.hand_dux_row = 3 * pair + 18;
        wire.limits = {3, 8};
        wire.threat_row = 3 * pair + 20;
        wire.dux_sides_row = 7 * pair + 20;
        const auto inputs = static_cast<std::size_t>(7 * pair + 30), units = static_cast<std::size_t>(hidden);
        const int most = 30'000 / (5 * squares + 8);
        weights = numbers(inputs * units, most);
        biases = numbers(units, most);
        outputs = numbers(6 * units, 60);
        wire.weights = bytes_of(weights);
        wire.biases = bytes_of(biases);
        wire.outputs = bytes_of(outputs);
        wire.output_biases = {1'000'000, -1'000'000, 5};
        std::string same, turned;
        for (int square = 0; square < squares; ++square) {
            same.push_back(static_cast<char>(square));
            turned.push_back(static_cast<char>(squares - 1 - square));
        }
        wire.places = {same, turned};
        for (int i = 0; i < 2 * (squares + 1); ++i) wire.turns.push_back(static_cast<char>(i % 3 == 1));
    }

    // The soldiers that slides of the player to move, or of the opponent, flank on a line, with the direction of the
    // landing.
    template <class S>
    static std::vector<std::pair<int, Direction>> threats(const Rules<S>& rules, const Board<S>& board, bool mine) {
        const auto& geometry = rules.geometry;
        const auto own = (mine ? board.own : board.opp).plain(), opp = (mine ? board.opp : board.own).plain();
        const int opp_dux = mine ? board.opp_dux : board.own_dux;
        std::vector<std::pair<int, Direction>> found;
        for (int square = 0; square < geometry.squares(); ++square)
            for (const Direction d : DIRECTIONS) {
                const int victim = geometry.cell_of(square), step = geometry.step(d);
                if (!geometry.room(d, victim) || !geometry.room(opposite(d), victim)) continue;
                const int landing = victim + step, behind = victim - step;
                if (!opp.test(victim) || victim == opp_dux || board.bound.test(victim)) continue;
                if (!own.test(behind) || board.bound.test(behind) || own.test(landing) || opp.test(landing)) continue;
                bool reached = false;
                for (const Direction from : DIRECTIONS)
                    for (int cell = landing, room = geometry.room(from, landing); room > 0; --room) {
                        cell += geometry.step(from);
                        reached |= own.test(cell) && !board.bound.test(cell);
                        if (own.test(cell) || opp.test(cell)) break;
                    }
                if (reached) found.emplace_back(victim, d);
            }
        return found;
    }

    template <class S>
    static int open_sides(const Rules<S>& rules, const Board<S>& board, int dux) {
        int found = 0;
        for (const Direction d : DIRECTIONS) {
            const int cell = dux + rules.geometry.step(d);
            found += rules.geometry.room(d, dux) && !board.own.plain().test(cell) && !board.opp.plain().test(cell);
        }
        return found;
    }

    template <class S>
    int value(const Rules<S>& rules, const Board<S>& board) const {
        const auto& geometry = rules.geometry;
        const int men = board.own.plain().count() + board.opp.plain().count() + board.hand.pieces(0) + board.hand.pieces(1);
        const std::size_t bucket = men < 3 ? 0 : men < 8 ? 1 : 2, units = biases.size();
        long long sum = wire.output_biases[bucket];
        for (const int view : {0, 1}) {
            const int side = view ? board.side ^ 1 : board.side;
            const int dux = view ? board.opp_dux : board.own_dux;
            const int turn = wire.turns[static_cast<std::size_t>(side * (squares + 1) +
                                                                 (dux < 0 ? 0 : geometry.square_of(dux) + 1))];
            for (std::size_t unit = 0; unit < units; ++unit) {
                int total = biases[unit];
                const auto add = [&](int row) { total += weights[static_cast<std::size_t>(row) * units + unit]; };
                for (int square = 0; square < squares; ++square) {
                    const int cell = geometry.cell_of(square), place = turn ? squares - 1 - square : square;
                    const bool own = board.own.plain().test(cell), opp = board.opp.plain().test(cell);
                    if (!own && !opp) continue;
                    const bool is_dux = cell == board.own_dux || cell == board.opp_dux;
                    const int kind = is_dux ? wire.dux_row : board.bound.test(cell) ? wire.bound_row : 0;
                    add(kind + (own == (view == 0) ? 0 : squares) + place);
                }
                for (const int owner : {0, 1})
                    for (const auto& [victim, way] : threats(rules, board, owner == view)) {
                        const int direction = turn ? opposite(way) : way;
                        const int square = geometry.square_of(victim), place = turn ? squares - 1 - square : square;
                        add(wire.threat_row + (4 * owner + direction) * squares + place);
                    }
                for (const int owner : {0, 1}) {
                    const int colour = side ^ owner;
                    if (const int soldiers = std::min(board.hand.soldiers(colour), 9))
                        add(wire.hand_row + owner * 9 + soldiers - 1);
                    if (board.hand.dux(colour)) add(wire.hand_dux_row + owner);
                    if (const int its_dux = owner == view ? board.own_dux : board.opp_dux; its_dux >= 0)
                        add(wire.dux_sides_row + 5 * owner + open_sides(rules, board, its_dux));
                }
                const int active = std::clamp(total, 0, 255);
                sum += (active * active / 2) * outputs[(2 * bucket + static_cast<std::size_t>(view)) * units + unit];
            }
        }
        return static_cast<int>(std::clamp<long long>(sum * wire.multiplier >> 32, 1 - TABLE_PROVEN, TABLE_PROVEN - 1));
    }
};

}  // namespace

TEST(net_values_are_those_of_plain_loops) {
    Random random(1);
    for_each_size([&]<class S>(std::type_identity<S>, const Size& size) {
        Ruleset ruleset;
        ruleset.soldier_move = ruleset.dux_move = Gait::SLIDE;
        ruleset.custodian = Custodian::ONE;
        ruleset.dux_fate = DuxFate::IMMOBILISED;
        const Rules<S> rules(ruleset, size.files, size.ranks);
        for (const int hidden : {32, 64, 96}) {
            const Sample sample(size, hidden, random);
            Evaluator<S> evaluator(rules, {});
            evaluator.use(std::make_unique<const Net<S>>(sample.wire, rules.geometry));
            auto accumulators = evaluator.accumulators(3);
            Board<S> board;
            for (const unsigned share : {10U, 50U, 100U, 30U, 30U, 0U, 0U, 0U, 0U, 0U, 0U}) {
                if (share) {
                    board = random_board(rules, random, share);
                } else {  // the board before, without some soldiers
                    const auto kept = random_set(rules.geometry, random, 90);
                    auto own = board.own.plain() & kept, opp = board.opp.plain() & kept;
                    if (board.own_dux >= 0) own.set(board.own_dux);
                    if (board.opp_dux >= 0) opp.set(board.opp_dux);
                    board.own = rules.geometry.widen(own);
                    board.opp = rules.geometry.widen(opp);
                }
                board.bound = random_set(rules.geometry, random, 30) & (board.own.plain() | board.opp.plain());
                for (const int dux : {board.own_dux, board.opp_dux})
                    if (dux >= 0) board.bound.reset(dux);
                if (random() % 2) board.hand.packed = static_cast<u32>(random() % (1 << 18)) & 0x30F0F;
                const auto empty = rules.empty(board);
                const int expected = sample.value(rules, board);
                CHECK_EQUAL(evaluator.value(board, empty), expected, name_of<S>(size));
                std::array<Activity<S>, 2> activity;
                const int ply = static_cast<int>(random() % 3);
                CHECK_EQUAL(evaluator.value(board, empty, activity, accumulators, ply), expected, name_of<S>(size));
            }
        }
    });
}

TEST(net_numbers_out_of_bounds_are_refused) {
    Random random(2);
    const Geometry<Small> geometry(8, 8);
    const Sample sample({8, 8}, 32, random);
    const auto refused = [&](auto&& change) {
        WireNet wire = sample.wire;
        change(wire);
        try {
            const Net<Small> net(wire, geometry);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(!refused([](WireNet&) {}));
    CHECK(refused([](WireNet& wire) { wire.hidden = 31; }));
    CHECK(refused([](WireNet& wire) { wire.hidden = 1 << 30; }));
    CHECK(refused([](WireNet& wire) { wire.clip = 256; }));
    CHECK(refused([](WireNet& wire) { wire.multiplier = -1; }));
    CHECK(refused([](WireNet& wire) { wire.dux_row = -1; }));
    CHECK(refused([](WireNet& wire) { wire.bound_row = INT32_MAX; }));
    CHECK(refused([](WireNet& wire) { wire.hand = 0; }));
    CHECK(refused([](WireNet& wire) { wire.limits = {8, 3}; }));
    CHECK(refused([](WireNet& wire) { wire.output_biases.pop_back(); }));
    CHECK(refused([](WireNet& wire) { wire.output_biases[0] = INT32_MIN; }));
    CHECK(refused([](WireNet& wire) { wire.turns.back() = 2; }));
    CHECK(refused([](WireNet& wire) { wire.places[1][0] = static_cast<char>(64); }));
    CHECK(refused([](WireNet& wire) { wire.weights.pop_back(); }));
    CHECK(refused([](WireNet& wire) { wire.weights.clear(); }));
    CHECK(refused([](WireNet& wire) { wire.outputs.assign(wire.outputs.size(), '\x7f'); }));
    // On each square 300 and more is too much for 64 squares and 16 bits, once for each kind of piece.
    CHECK(refused([](WireNet& wire) { wire.weights.assign(wire.weights.size(), '\x02'); }));
}
