// The learned evaluation: a net with one hidden layer, in integers, that corrects the hand-written evaluation.
// `latrones_uci.engine.nets.file` documents the inputs, the arithmetic and the file; both kernels compute the same number.
#pragma once

#include <algorithm>
#include <array>
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
    int threat_row = -1;          // own threats by direction, then square, then the opponent's
    int dux_sides_row = -1;       // 0 to 4 open sides of the own dux, then of the opponent's
    std::vector<int> limits;      // number of men at which each bucket after the first begins, ascending
    std::vector<std::string> places;  // for each symmetry, the image of each square
    std::string turns;            // the symmetry of a view: by its side, then its dux (none, square 0, 1, ...)
    std::string weights, biases;  // little-endian 16-bit numbers: a row of `hidden` for each input; `hidden`
    std::string outputs;          // likewise: per bucket, `hidden` for the view of the player to move, then the other
    std::vector<int> output_biases;
    int least_men = 0;  // positions with fewer men are not corrected
};

// What the inputs of both views depend on. Cells and colours are those of the board.
template <class S>
struct Inputs {
    using Set = Bits<S::limbs>;

    Set pieces[2], bound;
    // The landings by which a slide or step of a side flanks a piece, by that side, in the words of a wide set.
    std::array<u64, Wide<S>::words> threats[2];
    Hand hand;
    short dux[2];
    short dux_sides[2];  // the open sides of a dux, -1 for none on the board
    u8 side;

    static const Inputs& none() {
        static constexpr Inputs empty{{}, {}, {}, {}, {-1, -1}, {-1, -1}, 0};
        return empty;
    }
    Set soldiers(int colour) const {
        Set set = pieces[colour];
        if (dux[colour] >= 0) set.reset(dux[colour]);
        return set;
    }
    // The number of squares that have changed.
    int difference(const Inputs& other) const {
        return (pieces[0] ^ other.pieces[0]).count() + (pieces[1] ^ other.pieces[1]).count();
    }
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
          threat_row_(wire.threat_row),
          dux_sides_row_(wire.dux_sides_row),
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

    // What the net adds to the evaluation of the position in `units`, in centi-soldiers for the player to move.
    int value(const Inputs<S>& position, const i16* units, int men) const {
        const std::size_t bucket = bucket_[std::min(men, most_men)];
        const i16* output = numbers(outputs_) + bucket * 2 * static_cast<std::size_t>(hidden_);
        i64 sum = output_biases_[bucket];
        sum += product(units + position.side * hidden_, output);
        sum += product(units + (position.side ^ 1) * hidden_, output + hidden_);
        return static_cast<int>(std::clamp<i64>(sum * multiplier_ >> 32, 1 - TABLE_PROVEN, TABLE_PROVEN - 1));
    }

    int hidden() const { return hidden_; }
    bool has_threats() const { return threat_row_ >= 0; }

    // The rows of the inputs that are 1 in the view of a side.
    std::vector<u16> rows(const Inputs<S>& position, int side) const {
        Changes changes[2];
        if (side) collect<1, 1>(Inputs<S>::none(), position, changes);
        else collect<0, 0>(Inputs<S>::none(), position, changes);
        return {changes[side].row, changes[side].row + changes[side].adds};
    }

    // The symmetry of the view of a side; the units of two positions are comparable if it is the same.
    int turn(const Inputs<S>& position, int side) const { return turn_[side][position.dux[side] + 1]; }
    static constexpr int symmetries = 8;  // at most
    const i16* biases() const { return numbers(biases_); }

    // The units of a view in an earlier position, or the biases and no inputs.
    struct Base {
        const Inputs<S>* inputs;
        const i16* units;
    };
    // Sets the hidden units of both views, White's first: those of an earlier position plus what has changed since.
    void update(const Base (&from)[2], const Inputs<S>& position, i16* units) const {
        Changes changes[2];
        if (from[0].inputs == from[1].inputs) {
            collect<0, 1>(*from[0].inputs, position, changes);
        } else {
            collect<0, 0>(*from[0].inputs, position, changes);
            collect<1, 1>(*from[1].inputs, position, changes);
        }
        for (const int side : {0, 1}) {
            const i16* const base = from[side].units;
            i16* const sums = units + side * hidden_;
            int unit = 0;
            for (; unit + 2 * unit_block <= hidden_; unit += 2 * unit_block)
                sum_up<2 * unit_block>(changes[side], unit, base + unit, sums + unit);
            for (; unit < hidden_; unit += unit_block)
                sum_up<unit_block>(changes[side], unit, base + unit, sums + unit);
        }
    }

   private:
    static constexpr int unit_block = 32, most_hidden = 256, most_clip = 255, most_in_hand = 99, most_men = 512;
    static constexpr int side_counts = 5;  // a dux has 0 to 4 open sides
    static constexpr std::size_t most_buckets = 16;
    // Slots are the inputs of one owner before a symmetry: soldiers, duces and bound soldiers by cell, and threats by the
    // bit of the landing in a wide set.
    static constexpr int dux_slot = S::cells, bound_slot = 2 * S::cells, threat_slot = 3 * S::cells,
                         slots = 7 * S::cells;

    // Numbers in separate cache lines.
    struct alignas(64) Line {
        i16 number[unit_block];
    };
    using Numbers = std::vector<Line>;
    static const i16* numbers(const Numbers& lines) { return lines.data()->number; }

    // Rows to be added to the units of a view, from the front, and to be subtracted, from the back.
    struct Changes {
        static constexpr int most = 12 * S::cells + 16;
        int adds = 0, drops = 0;
        u16 row[most];
        // Without a branch, which would be mispredicted half of the time.
        void note(bool add, int number) {
            row[adds] = row[most - 1 - drops] = static_cast<u16>(number);
            adds += add;
            drops += !add;
        }
    };

    // Adds the differences between two positions in the views from `First` to `Last`.
    template <int First, int Last>
    void collect(const Inputs<S>& from, const Inputs<S>& to, Changes (&changes)[2]) const {
        const int turns[] = {turn(to, 0), turn(to, 1)};
        const auto note = [&](bool added, int colour, int slot) {
            for (int view = First; view <= Last; ++view)
                changes[view].note(added, row_[turns[view]][colour ^ view][slot]);
        };
        // The words of the sets that differ: one loop visits their bits, as no processor foresees where the loop over a
        // word ends.
        struct Word {
            u64 changed, now;
            int colour, slot;
        } words[2 * (2 * S::limbs + Wide<S>::words) + 1];
        int count = 0;
        for (const int colour : {0, 1}) {
            const auto compare = [&](u64 then, u64 now, int slot) {
                words[count] = {then ^ now, now, colour, slot};
                count += then != now;
            };
            const Set then = from.soldiers(colour), now = to.soldiers(colour);
            for (int i = 0; i < S::limbs; ++i) {
                const u64 bound_then = bound_row_ < 0 ? 0 : from.bound.limb[i];
                const u64 bound_now = bound_row_ < 0 ? 0 : to.bound.limb[i];
                compare(then.limb[i] & ~bound_then, now.limb[i] & ~bound_now, 64 * i);
                if (bound_row_ >= 0) compare(then.limb[i] & bound_then, now.limb[i] & bound_now, bound_slot + 64 * i);
            }
            if (threat_row_ >= 0)
                for (int i = 0; i < Wide<S>::words; ++i)
                    compare(from.threats[colour][i], to.threats[colour][i], threat_slot + 64 * i);
            if (dux_row_ >= 0 && from.dux[colour] != to.dux[colour]) {
                if (from.dux[colour] >= 0) note(false, colour, dux_slot + from.dux[colour]);
                if (to.dux[colour] >= 0) note(true, colour, dux_slot + to.dux[colour]);
            }
            if (from.hand != to.hand)
                for (int view = First; view <= Last; ++view) {
                    hand(from.hand, colour, colour ^ view, [&](int row) { changes[view].note(false, row); });
                    hand(to.hand, colour, colour ^ view, [&](int row) { changes[view].note(true, row); });
                }
            if (dux_sides_row_ >= 0 && from.dux_sides[colour] != to.dux_sides[colour])
                for (int view = First; view <= Last; ++view) {
                    const int none = dux_sides_row_ + (colour ^ view) * side_counts;
                    if (from.dux_sides[colour] >= 0) changes[view].note(false, none + from.dux_sides[colour]);
                    if (to.dux_sides[colour] >= 0) changes[view].note(true, none + to.dux_sides[colour]);
                }
        }
        for (int i = 0; i < count;) {
            Word& word = words[i];
            const int bit = std::countr_zero(word.changed);
            note(word.now >> bit & 1, word.colour, word.slot + bit);
            word.changed &= word.changed - 1;
            i += !word.changed;
        }
    }
    template <class Action>
    void hand(Hand hand, int colour, int owner, Action&& action) const {
        if (hand_row_ < 0) return;
        if (const int soldiers = std::min(hand.soldiers(colour), hand_)) action(hand_row_ + owner * hand_ + soldiers - 1);
        if (hand_dux_row_ >= 0 && hand.dux(colour)) action(hand_dux_row_ + owner);
    }

#ifdef __AVX2__
    static constexpr int width = 16;
#else
    static constexpr int width = 8;
#endif
    using Vector = i16 __attribute__((vector_size(2 * width), may_alias));

    template <int Units>
    void sum_up(const Changes& changes, int first, const i16* base, i16* units) const {
        constexpr int vectors = Units / width;
        Vector sum[vectors];
        for (int i = 0; i < vectors; ++i) sum[i] = reinterpret_cast<const Vector*>(base)[i];
        const auto row_of = [&](u16 row) {
            return reinterpret_cast<const Vector*>(numbers(weights_) + first +
                                                   static_cast<std::size_t>(row) * static_cast<std::size_t>(hidden_));
        };
        for (int k = 0; k < changes.adds; ++k) {
            const Vector* row = row_of(changes.row[k]);
            for (int i = 0; i < vectors; ++i) sum[i] += row[i];
        }
        for (int k = 0; k < changes.drops; ++k) {
            const Vector* row = row_of(changes.row[Changes::most - 1 - k]);
            for (int i = 0; i < vectors; ++i) sum[i] -= row[i];
        }
        for (int i = 0; i < vectors; ++i) reinterpret_cast<Vector*>(units)[i] = sum[i];
    }

    // The part of the output that a view contributes.
    i32 product(const i16* units, const i16* output) const {
        i32 sum = 0;
        for (int unit = 0; unit < hidden_; unit += unit_block) sum += product_of_block(units + unit, output + unit);
        return sum;
    }
    i32 product_of_block(const i16* units, const i16* output) const {
        alignas(64) i16 activation[unit_block];
        const i16 clip = static_cast<i16>(clip_);
        for (int i = 0; i < unit_block; ++i) {
            const i16 clipped = std::clamp<i16>(units[i], 0, clip);
            activation[i] = static_cast<i16>(static_cast<u16>(clipped * clipped) >> 1);
        }
        // Compilers turn a separate loop into multiply-and-add instructions.
        i32 total = 0;
        for (int i = 0; i < unit_block; ++i) total += activation[i] * output[i];
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
                                        std::pair{hand_row_, 2 * hand_}, std::pair{hand_dux_row_, 2},
                                        std::pair{threat_row_, 8 * squares_},
                                        std::pair{dux_sides_row_, 2 * side_counts}}) {
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
        expect(1 <= wire.places.size() && wire.places.size() <= std::size(row_), "number of symmetries");
        for (std::size_t symmetry = 0; symmetry < wire.places.size(); ++symmetry) {
            const std::string& places = wire.places[symmetry];
            expect(places.size() == squares, "symmetry");
            Bits<4> seen;
            u8 place[S::cells]{};
            for (std::size_t square = 0; square < squares; ++square) {
                const u8 image = static_cast<u8>(places[square]);
                expect(image < squares && !seen.test(image), "symmetry");
                seen.set(image);
                place[geometry.cell_of(static_cast<int>(square))] = image;
            }
            number_rows(geometry, place, row_[symmetry]);
        }
        expect(wire.turns.size() == 2 * (squares + 1), "turns");
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t i = 0; i <= squares; ++i) {
                const u8 turn = static_cast<u8>(wire.turns[side * (squares + 1) + i]);
                expect(turn < wire.places.size(), "turns");
                turn_[side][i ? geometry.cell_of(static_cast<int>(i) - 1) + 1 : 0] = turn;
            }
    }
    // Sets the numbers of inputs in a view that sees the cells at these places.
    void number_rows(const Geometry<S>& geometry, const u8 (&place)[S::cells], u16 (&rows)[2][slots]) const {
        const auto number = [](int row) { return static_cast<u16>(row); };
        for (const int owner : {0, 1})
            for (int square = 0; square < squares_; ++square) {
                const int cell = geometry.cell_of(square), at = owner * squares_ + place[cell];
                rows[owner][cell] = number(at);
                rows[owner][dux_slot + cell] = number(dux_row_ + at);
                rows[owner][bound_slot + cell] = number(bound_row_ + at);
                for (const Direction d : DIRECTIONS) {
                    if (!geometry.room(d, cell)) continue;
                    const int landing = cell + geometry.step(d), image = direction(place[cell], place[landing], geometry.files);
                    rows[owner][threat_slot + d * S::cells + geometry.bit_of(d, landing)] =
                        number(threat_row_ + (4 * owner + image) * squares_ + place[cell]);
                }
            }
    }
    // The direction from a square to a neighbour.
    static Direction direction(int from, int to, int files) {
        const bool along_rank = from / files == to / files;
        return along_rank ? (to > from ? EAST : WEST) : to > from ? NORTH : SOUTH;
    }
    // Whether all sums fit their types for any pieces on the board: at most one piece per square, with a threat from each
    // direction, and one dux per side.
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
                for (const int owner : {0, 1}) {
                    int threats_low = 0, threats_high = 0;
                    for (int direction = 0; threat_row_ >= 0 && direction < 4; ++direction) {
                        const int threat = weight(threat_row_ + (4 * (1 - owner) + direction) * squares_ + square, unit);
                        (threat < 0 ? threats_low : threats_high) += threat;
                    }
                    const auto widen_range = [&](int number) {
                        low = std::min(low, number + threats_low);
                        high = std::max(high, number + threats_high);
                    };
                    for (const int first : {0, bound_row_})
                        if (first >= 0) widen_range(weight(first + owner * squares_ + square, unit));
                    if (dux_row_ >= 0) widen_range(0);  // on a dux, whose rows are added below
                }
                least += low;
                greatest += high;
            }
            for (const int owner : {0, 1}) {
                if (dux_row_ >= 0) add(dux_row_ + owner * squares_, squares_);
                if (hand_row_ >= 0) add(hand_row_ + owner * hand_, hand_);
                if (hand_dux_row_ >= 0) add(hand_dux_row_ + owner, 1);
                if (dux_sides_row_ >= 0) add(dux_sides_row_ + owner * side_counts, side_counts);
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
    const int dux_row_, bound_row_, hand_row_, hand_, hand_dux_row_, threat_row_, dux_sides_row_, inputs_,
        least_men_;
    Numbers weights_, biases_, outputs_;
    std::vector<int> output_biases_;
    u8 bucket_[most_men + 1];
    u8 turn_[2][S::cells + 1]{};
    // Numbers of inputs: by symmetry, by owner (0: the side of the view), and by slot.
    u16 row_[symmetries][2][slots]{};
};

// The hidden units of the position evaluated last at each ply of a search. Most positions differ little from their
// predecessor, or from the one evaluated before at the same ply; after a change of its symmetry, a view differs less from
// the last one with the new symmetry than from nothing.
template <class S>
class Accumulators {
   public:
    // For evaluations at so many plies by this net; nullptr for none.
    Accumulators(const Net<S>* net, int plies) : net_(net) {
        if (!net) return;
        hidden_ = static_cast<std::size_t>(net->hidden());
        entries_.resize(static_cast<std::size_t>(plies));
        views_.resize(2 * static_cast<std::size_t>(Net<S>::symmetries), Inputs<S>::none());
        lines_.resize((2 * entries_.size() + views_.size()) * hidden_ / std::size(Line{}.number));
        for (std::size_t i = 0; i < views_.size(); ++i) std::copy_n(net->biases(), hidden_, view_units(i));
    }

    // The units of a position at a ply, White's view first.
    const i16* units(const Inputs<S>& position, int ply) {
        int nearest = -1, least = position.pieces[0].count() + position.pieces[1].count();
        for (const int at : {ply, ply - 1}) {
            if (at < 0 || !entries_[at].known) continue;
            if (const int difference = entries_[at].inputs.difference(position); difference < least) {
                nearest = at;
                least = difference;
            }
        }
        i16* const units = units_at(ply);
        typename Net<S>::Base from[2];
        bool turned[2];
        std::size_t view[2];
        for (const int side : {0, 1}) {
            const int turn = net_->turn(position, side);
            view[side] = static_cast<std::size_t>(2 * turn + side);
            turned[side] = nearest < 0 || net_->turn(entries_[nearest].inputs, side) != turn;
            if (turned[side]) from[side] = {&views_[view[side]], view_units(view[side])};
            else from[side] = {&entries_[nearest].inputs, units_at(nearest) + side * hidden_};
        }
        net_->update(from, position, units);
        for (const int side : {0, 1})
            if (turned[side]) {
                views_[view[side]] = position;
                std::copy_n(units + side * hidden_, hidden_, view_units(view[side]));
            }
        entries_[ply] = {position, true};
        return units;
    }

   private:
    struct alignas(64) Line {
        i16 number[32];
    };
    struct Entry {
        Inputs<S> inputs;
        bool known = false;
    };
    i16* units_at(int ply) { return lines_.data()->number + 2 * static_cast<std::size_t>(ply) * hidden_; }
    i16* view_units(std::size_t view) { return lines_.data()->number + (2 * entries_.size() + view) * hidden_; }

    const Net<S>* net_;
    std::size_t hidden_ = 0;
    std::vector<Line> lines_;
    std::vector<Entry> entries_;
    std::vector<Inputs<S>> views_;  // the last position of each view, by its symmetry and side
};

// The static evaluation of a search: the hand-written evaluation, corrected by a net if there is one.
template <class S>
class Evaluator {
    using Set = Bits<S::limbs>;

   public:
    Evaluator(const Rules<S>& rules, const Weights& weights) : rules_(rules), hand_written_(rules, weights) {}

    const Evaluation<S>& hand_written() const { return hand_written_; }
    void use(std::unique_ptr<const Net<S>> net) { net_ = std::move(net); }
    // For evaluations at so many plies by one thread.
    Accumulators<S> accumulators(int plies) const {
        return Accumulators<S>(net_.get(), plies);
    }

    // Sets `activity` as `Evaluation::terms` does.
    int value(const Board<S>& board, const Wide<S>& empty, std::array<Activity<S>, 2>& activity,
              Accumulators<S>& accumulators, int ply) const {
        const int value = hand_written_.terms(board, empty, activity).total();
        return corrected(value, board, activity, accumulators, ply);
    }
    // The value of a board with this hand-written evaluation, which set `activity`.
    int corrected(int value, const Board<S>& board, const std::array<Activity<S>, 2>& activity,
                  Accumulators<S>& accumulators, int ply) const {
        if (!net_) return value;
        const int men = Net<S>::men(board);
        if (!net_->corrects(men)) return value;
        const Inputs<S> position = inputs(board, activity);
        const int correction = net_->value(position, accumulators.units(position, ply), men);
        return std::clamp(value + correction, 1 - TABLE_PROVEN, TABLE_PROVEN - 1);
    }
    int value(const Board<S>& board, const Wide<S>& empty) const {
        std::array<Activity<S>, 2> activity;
        Accumulators<S> fresh = accumulators(1);
        return value(board, empty, activity, fresh, 0);
    }
    // The rows of the net's inputs that are 1, in the view of the player to move and in the other view.
    std::array<std::vector<u16>, 2> rows(const Board<S>& board, const Wide<S>& empty) const {
        if (!net_) throw std::invalid_argument("no net");
        std::array<Activity<S>, 2> activity;
        hand_written_.terms(board, empty, activity);
        const Inputs<S> position = inputs(board, activity);
        return {net_->rows(position, board.side), net_->rows(position, board.side ^ 1)};
    }

   private:
    Inputs<S> inputs(const Board<S>& board, const std::array<Activity<S>, 2>& activity) const {
        const int side = board.side, other = side ^ 1;
        Inputs<S> position;
        position.pieces[side] = board.own.plain();
        position.pieces[other] = board.opp.plain();
        position.bound = board.bound;
        position.dux[side] = board.own_dux;
        position.dux[other] = board.opp_dux;
        position.dux_sides[side] = activity[0].dux_sides;
        position.dux_sides[other] = activity[1].dux_sides;
        position.hand = board.hand;
        position.side = board.side;
        position.threats[side] = position.threats[other] = {};
        if (net_->has_threats()) {
            position.threats[side] = threats(activity[0]);
            position.threats[other] = threats(activity[1]);
        }
        return position;
    }
    // The landings that slides and steps reach.
    std::array<u64, Wide<S>::words> threats(const Activity<S>& activity) const {
        const Geometry<S>& geometry = rules_.geometry;
        std::array<u64, Wide<S>::words> found{};
        for (const Direction d : DIRECTIONS)
            for (int i = 0; i < S::limbs; ++i)
                for (u64 rest = activity.landings.word(d, i); rest; rest &= rest - 1) {
                    const int cell = geometry.cell_at(d, i * 64 + std::countr_zero(rest));
                    const bool reached = (geometry.wide(cell) & activity.reach).any();
                    found[d * S::limbs + i] |= reached ? rest & -rest : 0;
                }
        return found;
    }

    const Rules<S>& rules_;
    const Evaluation<S> hand_written_;
    std::unique_ptr<const Net<S>> net_;
};

}  // namespace latrones
