// The learned evaluation: a net with one hidden layer, in integers, that corrects the hand-written evaluation.
// `latrones_uci.search.net` documents the inputs, the arithmetic and the file; both kernels compute the same number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "evaluation.hpp"

namespace latrones {

using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// A net as it crosses the interface, by square numbers. Rows are numbers of inputs; -1: the game has no such inputs.
struct WireNet {
    int hidden = 0;               // units of the hidden layer
    int clip = 0;                 // greatest activation
    int multiplier = 0;           // from sums of the output to centi-soldiers, in units of 2**-32
    int dux_row = -1;             // own duces by square, then the opponent's
    int bound_row = -1;           // bound soldiers, in the same order
    int hand_row = -1;            // 1, 2, ... `hand` own soldiers in hand, then the opponent's
    int hand = 0;
    int hand_dux_row = -1;        // own dux in hand, then the opponent's
    std::vector<int> limits;      // number of men at which each bucket after the first begins, ascending
    std::vector<std::string> places;  // for each symmetry, the image of each square
    std::string turns;            // the symmetry of a view: by its side, then its dux (none, square 0, 1, ...)
    std::string weights, biases;  // little-endian 16-bit numbers: a row of `hidden` for each input; `hidden`
    std::string outputs;          // likewise: per bucket, `hidden` for the view of the player to move, then the other
    std::vector<int> output_biases;
    int least_men = 0;  // positions with fewer men are not corrected
};

// A net for the boards of one shape. The constructor checks every number, so that no sum overflows.
template <class S>
class Net {
   public:
    using Set = Bits<S::limbs>;

    // Throws std::invalid_argument.
    Net(const WireNet& wire, const Geometry<S>& geometry)
        : squares_(geometry.squares()),
          hidden_(checked_hidden(wire)),
          clip_(in_range(wire.clip, 1, most_clip, "clip")),
          multiplier_(in_range(wire.multiplier, 1, INT32_MAX, "multiplier")),
          dux_row_(wire.dux_row),
          bound_row_(wire.bound_row),
          hand_row_(wire.hand_row),
          hand_(wire.hand_row < 0 ? 0 : in_range(wire.hand, 1, most_in_hand, "hand")),
          hand_dux_row_(wire.hand_dux_row),
          inputs_(static_cast<int>(wire.weights.size()) / (2 * hidden_)),
          least_men_(in_range(wire.least_men, 0, 999, "least_men")) {
        const auto buckets = wire.limits.size() + 1;
        expect(buckets <= most_buckets && wire.output_biases.size() == buckets, "number of buckets");
        expect(std::is_sorted(wire.limits.begin(), wire.limits.end()), "limits of the buckets");
        for (int men = 0; men <= most_men; ++men)
            bucket_[men] = static_cast<u8>(std::upper_bound(wire.limits.begin(), wire.limits.end(), men) -
                                           wire.limits.begin());
        check_rows();
        read(wire.weights, static_cast<std::size_t>(inputs_) * static_cast<std::size_t>(hidden_), weights_);
        read(wire.biases, static_cast<std::size_t>(hidden_), biases_);
        read(wire.outputs, buckets * 2 * static_cast<std::size_t>(hidden_), outputs_);
        output_biases_ = wire.output_biases;
        read_places(wire, geometry);
        check_sums();
    }

    // The number of pieces of both sides, on the board and in hand.
    static int men(const Board<S>& board) {
        return board.own.plain().count() + board.opp.plain().count() + board.hand.pieces(WHITE) +
               board.hand.pieces(BLACK);
    }
    // Whether the net corrects positions with this number of men.
    bool corrects(int men) const { return men >= least_men_; }

    // What the net adds to the evaluation of a board with this number of men, in centi-soldiers for the player to move.
    int value(const Board<S>& board, int men) const {
        Rows rows;
        const std::size_t bucket = bucket_[std::min(men, most_men)];
        const i16* output = numbers(outputs_) + bucket * 2 * static_cast<std::size_t>(hidden_);
        i64 sum = output_biases_[bucket];
        view(board, board.own.plain(), board.opp.plain(), board.own_dux, board.opp_dux, board.side, rows);
        sum += product(rows, output);
        view(board, board.opp.plain(), board.own.plain(), board.opp_dux, board.own_dux, board.side ^ 1, rows);
        sum += product(rows, output + hidden_);
        return static_cast<int>(std::clamp<i64>(sum * multiplier_ >> 32, 1 - TABLE_PROVEN, TABLE_PROVEN - 1));
    }

   private:
    static constexpr int unit_block = 32, most_hidden = 256, most_clip = 255, most_in_hand = 99, most_men = 512;
    static constexpr std::size_t most_buckets = 16;

    // Numbers in separate cache lines.
    struct alignas(64) Line {
        i16 number[unit_block];
    };
    using Numbers = std::vector<Line>;
    static const i16* numbers(const Numbers& lines) { return lines.data()->number; }

    // The inputs that are 1 in a view.
    struct Rows {
        int count;
        u16 row[S::cells + 4];
        void add(int number) { row[count++] = static_cast<u16>(number); }
    };

    void view(const Board<S>& board, const Set& own, const Set& opp, int own_dux, int opp_dux, int side,
              Rows& rows) const {
        const u8* place = place_[turn_[side][own_dux + 1]];
        rows.count = 0;
        pieces(own, board.bound, own_dux, 0, place, rows);
        pieces(opp, board.bound, opp_dux, squares_, place, rows);
        if (!board.hand.any()) return;
        hand(board.hand, side, 0, rows);
        hand(board.hand, side ^ 1, 1, rows);
    }
    void pieces(Set soldiers, const Set& bound, int dux, int first, const u8* place, Rows& rows) const {
        if (dux >= 0 && dux_row_ >= 0) {
            soldiers.reset(dux);
            rows.add(dux_row_ + first + place[dux]);
        }
        if (bound_row_ >= 0 && bound.any()) {
            (soldiers & bound).for_each([&](int cell) { rows.add(bound_row_ + first + place[cell]); });
            soldiers &= ~bound;
        }
        soldiers.for_each([&](int cell) { rows.add(first + place[cell]); });
    }
    void hand(Hand hand, int side, int other, Rows& rows) const {
        if (const int soldiers = std::min(hand.soldiers(side), hand_)) rows.add(hand_row_ + other * hand_ + soldiers - 1);
        if (hand_dux_row_ >= 0 && hand.dux(side)) rows.add(hand_dux_row_ + other);
    }

    // The part of the output that a view contributes.
    i32 product(const Rows& rows, const i16* output) const {
        i32 sum = 0;
        int unit = 0;
        for (; unit + 2 * unit_block <= hidden_; unit += 2 * unit_block)
            sum += product_of<2 * unit_block>(rows, unit, output + unit);
        for (; unit < hidden_; unit += unit_block) sum += product_of<unit_block>(rows, unit, output + unit);
        return sum;
    }
    template <int Units>
    i32 product_of(const Rows& rows, int first, const i16* output) const {
#ifdef __AVX2__
        constexpr int width = 16;
#else
        constexpr int width = 8;
#endif
        using Vector = i16 __attribute__((vector_size(2 * width), may_alias));
        constexpr int vectors = Units / width;
        Vector sum[vectors];
        const auto* bias = reinterpret_cast<const Vector*>(numbers(biases_) + first);
        for (int i = 0; i < vectors; ++i) sum[i] = bias[i];
        const i16* const weights = numbers(weights_) + first;
        for (int k = 0; k < rows.count; ++k) {
            const auto* row = reinterpret_cast<const Vector*>(weights + static_cast<std::size_t>(rows.row[k]) *
                                                                            static_cast<std::size_t>(hidden_));
            for (int i = 0; i < vectors; ++i) sum[i] += row[i];
        }
        alignas(64) i16 activation[Units];
        const i16 clip = static_cast<i16>(clip_);
        for (int i = 0; i < vectors; ++i) *reinterpret_cast<Vector*>(activation + i * width) = sum[i];
        for (int i = 0; i < Units; ++i) {
            const i16 clipped = std::clamp<i16>(activation[i], 0, clip);
            activation[i] = static_cast<i16>(static_cast<u16>(clipped * clipped) >> 1);
        }
        // Compilers turn a separate loop into multiply-and-add instructions.
        i32 total = 0;
        for (int i = 0; i < Units; ++i) total += activation[i] * output[i];
        return total;
    }

    // ------------------------------------------------------------ checking

    static void expect(bool valid, const char* what) {
        if (!valid) throw std::invalid_argument(std::string("invalid net: ") + what);
    }
    static int in_range(int value, int least, int greatest, const char* what) {
        expect(least <= value && value <= greatest, what);
        return value;
    }
    static int checked_hidden(const WireNet& wire) {
        expect(wire.hidden % unit_block == 0, "hidden");
        return in_range(wire.hidden, unit_block, most_hidden, "hidden");
    }
    // All rows of inputs must exist, with the kinds in order.
    void check_rows() const {
        int next = 2 * squares_;
        for (const auto& [row, size] : {std::pair{dux_row_, 2 * squares_}, std::pair{bound_row_, 2 * squares_},
                                        std::pair{hand_row_, 2 * hand_}, std::pair{hand_dux_row_, 2}}) {
            if (row < 0) continue;
            expect(row == next, "rows");
            next += size;
        }
        expect(next == inputs_, "number of inputs");
    }
    static void read(const std::string& bytes, std::size_t count, Numbers& lines) {
        expect(bytes.size() == 2 * count && count % unit_block == 0, "number of weights");
        lines.resize(count / unit_block);
        for (std::size_t i = 0; i < count; ++i)
            lines[i / unit_block].number[i % unit_block] =
                static_cast<i16>(static_cast<u8>(bytes[2 * i]) | static_cast<u8>(bytes[2 * i + 1]) << 8);
    }
    void read_places(const WireNet& wire, const Geometry<S>& geometry) {
        const auto squares = static_cast<std::size_t>(squares_);
        expect(1 <= wire.places.size() && wire.places.size() <= std::size(place_), "number of symmetries");
        for (std::size_t symmetry = 0; symmetry < wire.places.size(); ++symmetry) {
            const std::string& places = wire.places[symmetry];
            expect(places.size() == squares, "symmetry");
            Bits<4> seen;
            for (std::size_t square = 0; square < squares; ++square) {
                const u8 place = static_cast<u8>(places[square]);
                expect(place < squares && !seen.test(place), "symmetry");
                seen.set(place);
                place_[symmetry][geometry.cell_of(static_cast<int>(square))] = place;
            }
        }
        expect(wire.turns.size() == 2 * (squares + 1), "turns");
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t i = 0; i <= squares; ++i) {
                const u8 turn = static_cast<u8>(wire.turns[side * (squares + 1) + i]);
                expect(turn < wire.places.size(), "turns");
                turn_[side][i ? geometry.cell_of(static_cast<int>(i) - 1) + 1 : 0] = turn;
            }
    }
    // Whether all sums fit their types for any pieces on the board: at most one piece per square and one dux per side.
    void check_sums() const {
        const auto weight = [&](int row, int unit) { return static_cast<int>(numbers(weights_)[row * hidden_ + unit]); };
        for (int unit = 0; unit < hidden_; ++unit) {
            i64 least = numbers(biases_)[unit], greatest = least;
            // Adds the least and the greatest value of some rows, or nothing.
            const auto add = [&](int first, int count) {
                int low = 0, high = 0;
                for (int row = first; row < first + count; ++row) {
                    low = std::min(low, weight(row, unit));
                    high = std::max(high, weight(row, unit));
                }
                least += low;
                greatest += high;
            };
            for (int square = 0; square < squares_; ++square) {
                int low = 0, high = 0;
                for (const int first : {0, bound_row_})
                    for (const int row : {first + square, first + squares_ + square})
                        if (first >= 0) {
                            low = std::min(low, weight(row, unit));
                            high = std::max(high, weight(row, unit));
                        }
                least += low;
                greatest += high;
            }
            for (const int owner : {0, 1}) {
                if (dux_row_ >= 0) add(dux_row_ + owner * squares_, squares_);
                if (hand_row_ >= 0) add(hand_row_ + owner * hand_, hand_);
                if (hand_dux_row_ >= 0) add(hand_dux_row_ + owner, 1);
            }
            expect(INT16_MIN <= least && greatest <= INT16_MAX, "weights too large");
        }
        for (std::size_t bucket = 0; bucket < output_biases_.size(); ++bucket) {
            i64 sum = 0;
            for (int i = 0; i < 2 * hidden_; ++i)
                sum += std::abs(static_cast<int>(numbers(outputs_)[bucket * 2 * static_cast<std::size_t>(hidden_) +
                                                                   static_cast<std::size_t>(i)]));
            sum = sum * (clip_ * clip_ / 2) + std::abs(static_cast<i64>(output_biases_[bucket]));
            expect(sum <= INT32_MAX, "outputs too large");
        }
    }

    const int squares_, hidden_, clip_, multiplier_;
    const int dux_row_, bound_row_, hand_row_, hand_, hand_dux_row_, inputs_, least_men_;
    Numbers weights_, biases_, outputs_;
    std::vector<int> output_biases_;
    u8 bucket_[most_men + 1];
    u8 place_[8][S::cells]{};
    u8 turn_[2][S::cells + 1]{};
};

// The landings of the player to move (see Captures::landings), if the evaluation computed them.
template <class S>
struct Landings {
    Wide<S> cells;
    bool known = false;
};

// The static evaluation of a search: the hand-written evaluation, corrected by a net if there is one.
template <class S>
class Evaluator {
   public:
    Evaluator(const Rules<S>& rules, const Weights& weights) : hand_written_(rules, weights) {}

    const Evaluation<S>& hand_written() const { return hand_written_; }
    void use(std::unique_ptr<const Net<S>> net) { net_ = std::move(net); }

    int value(const Board<S>& board, const Wide<S>& empty, Landings<S>& landings) const {
        landings.known = true;
        const int value = hand_written_.terms(board, empty, landings.cells).total();
        if (!net_) return value;
        const int men = Net<S>::men(board);
        if (!net_->corrects(men)) return value;
        return std::clamp(value + net_->value(board, men), 1 - TABLE_PROVEN, TABLE_PROVEN - 1);
    }
    int value(const Board<S>& board, const Wide<S>& empty) const {
        Landings<S> landings;
        return value(board, empty, landings);
    }

   private:
    const Evaluation<S> hand_written_;
    std::unique_ptr<const Net<S>> net_;
};

}  // namespace latrones
