// Tables of small endings: the exact value of every position with few pieces. docs/endings.md defines the values and
// the numbering of positions.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rules.hpp"
#include "types.hpp"

namespace latrones {

// ---------------------------------------------------------------- numbering

// The symmetries of a board: for each symmetry, the image of each square.
using Symmetries = std::vector<std::array<u8, 256>>;

inline Symmetries symmetries_of(int files, int ranks) {
    Symmetries all;
    for (const bool turned : {false, true}) {
        if (turned && files != ranks) break;
        for (int flips = 0; flips < 4; ++flips) {
            auto& images = all.emplace_back();
            for (int square = 0; square < files * ranks; ++square) {
                int file = square % files, rank = square / files;
                if (turned) std::swap(file, rank);
                if (flips & 1) file = files - 1 - file;
                if (flips & 2) rank = ranks - 1 - rank;
                images[static_cast<std::size_t>(square)] = static_cast<u8>(rank * files + file);
            }
        }
    }
    return all;
}

// Binomial coefficients of n up to 256 and k up to MAX_MEN; larger values are capped at `most_positions` + 1.
inline constexpr u64 most_positions = u64{1} << 40;
inline constexpr auto binomials = [] {
    std::array<std::array<u64, MAX_MEN + 1>, 257> rows{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i][0] = 1;
        for (std::size_t j = 1; i && j <= MAX_MEN; ++j)
            rows[i][j] = std::min(rows[i - 1][j - 1] + rows[i - 1][j], most_positions + 1);
    }
    return rows;
}();
inline u64 choose(int n, int k) {
    return n < 0 ? 0 : binomials[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
}

// Squares in ascending order, and whether the piece on each is bound.
struct Group {
    int size = 0;
    u8 square[MAX_MEN];
    bool bound[MAX_MEN];

    void insert(int at, bool is_bound) {
        int i = size++;
        for (; i > 0 && square[i - 1] > at; --i) {
            square[i] = square[i - 1];
            bound[i] = bound[i - 1];
        }
        square[i] = static_cast<u8>(at);
        bound[i] = is_bound;
    }
};

// Numbers the positions of a split. A number is unused if the position it decodes to has a different number.
template <class S>
class EndingIndex {
   public:
    EndingIndex(const Geometry<S>& geometry, const Symmetries& symmetries, const Split& split, bool marks)
        : geometry_(geometry), symmetries_(symmetries), split_(split) {
        const int counts[] = {split.own.dux, split.opp.dux, split.own.soldiers, split.opp.soldiers};
        std::copy(std::begin(counts), std::end(counts), counts_);
        int lead = counts[0] ? 0 : counts[1] ? 1 : 2;
        if (lead == 2 && (!counts[2] || (counts[3] && counts[3] < counts[2]))) lead = 3;
        order_[groups_++] = lead;
        for (int group = 0; group < 4; ++group)
            if (group != lead && counts[group]) order_[groups_++] = group;
        read_lead(counts[lead]);
        size_ = representatives_.size();
        int free = geometry.squares() - counts[lead];
        for (int i = 1; i < groups_; ++i) {
            sizes_[i] = choose(free, counts[order_[i]]);
            check(sizes_[i] <= most_positions / size_);
            size_ *= sizes_[i];
            free -= counts[order_[i]];
        }
        marks_ = marks ? split.own.soldiers + split.opp.soldiers : 0;
        check(size_ <= most_positions >> marks_);
        size_ <<= marks_;
    }

    const Split& split() const { return split_; }
    u64 size() const { return size_; }

    // The number of a position with the pieces of this split.
    u64 of(const Board<S>& board) const {
        Group groups[4];
        const auto add = [&](const Bits<S::limbs>& pieces, int dux, int side) {
            pieces.for_each([&](int cell) {
                groups[cell == dux ? side : 2 + side].insert(geometry_.square_of(cell), board.bound.test(cell));
            });
        };
        add(board.own.plain(), board.own_dux, 0);
        add(board.opp.plain(), board.opp_dux, 1);
        const Lead& lead = leads_[rank(groups[order_[0]])];
        u64 least = ~u64{0};
        for (unsigned rest = lead.symmetries; rest; rest &= rest - 1)
            least = std::min(least, number(groups, lead.orbit, symmetries_[static_cast<unsigned>(std::countr_zero(rest))]));
        return least;
    }

    // The position with a number.
    Board<S> board(u64 index) const {
        const u64 marks = index & ((u64{1} << marks_) - 1);
        index >>= marks_;
        u64 ranks[4];
        for (int i = groups_ - 1; i > 0; --i) {
            ranks[i] = index % sizes_[i];
            index /= sizes_[i];
        }
        ranks[0] = representatives_[index];
        Board<S> board;
        board.own = board.opp = Wide<S>::empty();
        board.bound = {};
        board.key = 0;
        board.nocapture = 0;
        board.own_dux = board.opp_dux = -1;
        board.side = WHITE;
        Group placed;
        for (int i = 0; i < groups_; ++i) place(order_[i], ranks[i], marks, placed, board);
        return board;
    }

   private:
    struct Lead {
        u32 orbit;
        u8 symmetries;  // the symmetries that map the set to the first set of its orbit
    };

    static void check(bool few) {
        if (!few) throw std::length_error("too many positions to number");
    }

    // Numbers the orbits of the sets of `count` squares.
    void read_lead(int count) {
        const int squares = geometry_.squares();
        check(choose(squares, count) <= most_leads);
        const std::size_t sets = static_cast<std::size_t>(choose(squares, count));
        leads_.resize(sets);
        for (std::size_t set = 0; set < sets; ++set) {
            Group group;
            unrank(set, count, squares, [&](int square) { group.insert(square, false); });
            u64 first = ~u64{0};
            unsigned mask = 0;
            for (std::size_t i = 0; i < symmetries_.size(); ++i) {
                const u64 image = rank(mapped(group, symmetries_[i]));
                if (image < first) mask = 0;
                first = std::min(first, image);
                if (image == first) mask |= 1U << i;
            }
            if (first == set) representatives_.push_back(static_cast<u32>(set));
            const u32 orbit = first == set ? static_cast<u32>(representatives_.size() - 1) : leads_[first].orbit;
            leads_[set] = {orbit, static_cast<u8>(mask)};
        }
    }

    static Group mapped(const Group& group, const std::array<u8, 256>& images) {
        Group image;
        for (int i = 0; i < group.size; ++i) image.insert(images[group.square[i]], group.bound[i]);
        return image;
    }

    static u64 rank(const Group& group) {
        u64 rank = 0;
        for (int i = 0; i < group.size; ++i) rank += choose(group.square[i], i + 1);
        return rank;
    }

    // Calls `action` with the members of a set, largest first.
    template <class Action>
    static void unrank(u64 rank, int count, int squares, Action&& action) {
        for (int i = count, below = squares; i > 0; --i) {
            int low = i - 1, high = below;  // the largest number whose coefficient is at most `rank` is in [low, high)
            while (high - low > 1) {
                const int middle = (low + high) / 2;
                if (choose(middle, i) <= rank) low = middle;
                else high = middle;
            }
            rank -= choose(low, i);
            below = low;
            action(low);
        }
    }

    u64 number(const Group (&groups)[4], u64 orbit, const std::array<u8, 256>& images) const {
        Group placed;
        u64 index = orbit, marks = 0;
        for (int i = 0; i < groups_; ++i) {
            const int group = order_[i];
            const Group image = mapped(groups[group], images);
            if (i) {
                u64 rank = 0;
                for (int j = 0; j < image.size; ++j) {
                    int before = 0;
                    while (before < placed.size && placed.square[before] < image.square[j]) ++before;
                    rank += choose(image.square[j] - before, j + 1);
                }
                index = index * sizes_[i] + rank;
            }
            if (i + 1 < groups_)
                for (int j = 0; j < image.size; ++j) placed.insert(image.square[j], false);
            if (marks_)
                for (int j = 0; j < image.size; ++j) marks |= u64{image.bound[j]} << (first_mark(group) + j);
        }
        return index << marks_ | marks;
    }

    void place(int group, u64 rank, u64 marks, Group& placed, Board<S>& board) const {
        Group added;
        unrank(rank, counts_[group], geometry_.squares() - placed.size, [&](int square) {
            for (int i = 0; i < placed.size && square >= placed.square[i]; ++i) ++square;
            added.insert(square, false);
        });
        for (int i = 0; i < added.size; ++i) {
            const int cell = geometry_.cell_of(added.square[i]);
            (group % 2 ? board.opp : board.own) |= geometry_.wide(cell);
            if (group < 2) (group ? board.opp_dux : board.own_dux) = static_cast<short>(cell);
            else if (marks_ && marks >> (first_mark(group) + i) & 1) board.bound.set(cell);
            placed.insert(added.square[i], false);
        }
    }

    int first_mark(int group) const { return group == 3 ? split_.own.soldiers : 0; }

    static constexpr u64 most_leads = u64{1} << 26;

    const Geometry<S>& geometry_;
    const Symmetries& symmetries_;
    const Split split_;
    // The groups: own dux, enemy dux, own soldiers, enemy soldiers; `order_` has the non-empty groups, the lead first.
    int counts_[4], order_[4], groups_ = 0, marks_ = 0;
    u64 sizes_[4]{}, size_ = 0;
    std::vector<Lead> leads_;
    std::vector<u32> representatives_;
};

// ---------------------------------------------------------------- values

// Codes of positions: 0 if neither player attains its goal; else twice the distance, plus 1 if the player to move
// attains it, plus 2 if the opponent does. The largest code of a width marks unused numbers.
constexpr unsigned code_of(bool mover, int plies) { return static_cast<unsigned>(2 * plies + (mover ? 1 : 2)); }
constexpr int plies_of(unsigned code) { return static_cast<int>(code - 1) / 2; }
constexpr bool mover_attains(unsigned code) { return code & 1; }

// Codes of one or two bytes each. Threads may read and write them at the same time.
class Codes {
   public:
    Codes() = default;
    Codes(u64 size, int width) {
        if (width == 1) bytes_.resize(static_cast<std::size_t>(size));
        else words_.resize(static_cast<std::size_t>(size));
    }
    bool empty() const { return bytes_.empty() && words_.empty(); }
    unsigned operator[](u64 i) const {
        return words_.empty() ? __atomic_load_n(&bytes_[i], __ATOMIC_RELAXED)
                              : __atomic_load_n(&words_[i], __ATOMIC_RELAXED);
    }
    void set(u64 i, unsigned code) {
        if (words_.empty()) __atomic_store_n(&bytes_[i], static_cast<u8>(code), __ATOMIC_RELAXED);
        else __atomic_store_n(&words_[i], static_cast<u16>(code), __ATOMIC_RELAXED);
    }
    unsigned unused() const { return words_.empty() ? 0xFF : 0xFFFF; }

    // The codes as bytes, little-endian, and back. Unused numbers repeat the code before them.
    std::string bytes(u64 begin, u64 end) const {
        std::string text;
        unsigned code = 0;
        for (u64 i = begin; i < end; ++i) {
            if (const unsigned next = (*this)[i]; next != unused()) code = next;
            text.push_back(static_cast<char>(code & 0xFF));
            if (!words_.empty()) text.push_back(static_cast<char>(code >> 8));
        }
        return text;
    }
    void read(u64 begin, const std::string& text) {
        const u64 width = words_.empty() ? 1 : 2;
        for (u64 i = 0; i < text.size() / width; ++i) {
            unsigned code = static_cast<u8>(text[width * i]);
            if (width == 2) code |= static_cast<unsigned>(static_cast<u8>(text[2 * i + 1])) << 8;
            set(begin + i, code);
        }
    }

    EndingCounts counts() const {
        EndingCounts counts{};
        for (u64 i = 0, size = std::max(bytes_.size(), words_.size()); i < size; ++i) {
            const unsigned code = (*this)[i];
            if (code == unused()) continue;
            ++counts.positions;
            if (!code) continue;
            ++(mover_attains(code) ? counts.mover : counts.opponent);
            int& longest = mover_attains(code) ? counts.longest_mover : counts.longest_opponent;
            longest = std::max(longest, plies_of(code));
        }
        return counts;
    }

   private:
    std::vector<u8> bytes_;
    std::vector<u16> words_;
};

// The positions of a split with their codes. If the no-capture limit is a draw, or the sides are equal, there is one
// plane, in which the goal of both players is to win. Otherwise, the side with more pieces wins at the limit, and the
// planes are about the other side: in the first plane its goal is a draw or better, in the second plane a win.
template <class S>
struct EndingTable {
    EndingIndex<S> index;
    int limit_outcome;  // for the player to move
    std::vector<Codes> planes;
};

// The tables of a ruleset on a board that are in memory.
template <class S>
class EndingTables {
   public:
    explicit EndingTables(const Rules<S>& rules)
        : rules_(rules),
          limit_(rules.ruleset.nocapture_limit),
          symmetries_(symmetries_of(rules.geometry.files, rules.geometry.ranks)) {}

    // The bytes per code: enough for the longest distance within the limit.
    int width() const { return limit_ && 2 * limit_ + 2 < 0xFF ? 1 : 2; }
    int longest() const { return limit_ ? limit_ : (0xFFFF - 3) / 2; }

    // A table of a split, without codes.
    std::unique_ptr<EndingTable<S>> make(const Split& split) const {
        if (split.men() < 1 || split.men() > MAX_MEN || split.men() > rules_.geometry.squares())
            throw std::invalid_argument("invalid number of men");
        const bool binds = rules_.ruleset.capture_effect == CaptureEffect::BIND;
        EndingIndex<S> index(rules_.geometry, symmetries_, split, binds);
        const int outcome = limit_outcome(split);
        const std::size_t planes = outcome ? 2 : 1;
        return std::make_unique<EndingTable<S>>(EndingTable<S>{std::move(index), outcome, std::vector<Codes>(planes)});
    }
    void allocate(EndingTable<S>& table) const {
        for (Codes& codes : table.planes) codes = Codes(table.index.size(), width());
    }

    void add(std::unique_ptr<EndingTable<S>> table) {
        const Split split = table->index.split();
        most_men_ = std::max(most_men_, split.men());
        slot(split) = std::move(table);
    }
    void clear() {
        for (auto& table : tables_) table = nullptr;
        most_men_ = 0;
    }
    EndingTable<S>* find(const Split& split) { return slot(split).get(); }
    const EndingTable<S>* find(const Split& split) const { return tables_[key(split)].get(); }

    // The largest number of pieces in a table; 0 if there is none.
    int most_men() const { return most_men_; }

    // The value of an undecided board below the no-capture limit, at its counter; nothing if it is in no table.
    std::optional<EndingValue> value(const Board<S>& board) const {
        if (!most_men_ || board.hand.any()) return std::nullopt;
        const int own = board.own.plain().count(), opp = board.opp.plain().count();
        if (own + opp > most_men_) return std::nullopt;
        const int own_dux = board.own_dux >= 0, opp_dux = board.opp_dux >= 0;
        const EndingTable<S>* table = find({{own_dux, own - own_dux}, {opp_dux, opp - opp_dux}});
        if (!table) return std::nullopt;
        const u64 index = table->index.of(board);
        const int rest = limit_ ? limit_ - board.nocapture : 1 << 30;
        const auto attained = [&](std::size_t plane) {
            const unsigned code = table->planes[plane][index];
            return code && plies_of(code) <= rest ? code : 0;
        };
        const int limit_outcome = table->limit_outcome;
        const unsigned won = attained(limit_outcome ? 1 : 0);
        if (won) return EndingValue{mover_attains(won) ? 1 : -1, plies_of(won), false};
        if (!limit_outcome || attained(0)) return EndingValue{0, 0, false};
        return EndingValue{limit_outcome, rest, true};
    }

   private:
    // The result of the no-capture limit for the player to move.
    int limit_outcome(const Split& split) const {
        if (!limit_ || rules_.ruleset.nocapture_result != Ending::MOST_MEN) return 0;
        const bool duces = rules_.ruleset.men_counted == MenCounted::ALL;
        const int own = split.own.soldiers + duces * split.own.dux, opp = split.opp.soldiers + duces * split.opp.dux;
        return (own > opp) - (own < opp);
    }

    static constexpr std::size_t side_keys = 2 * (MAX_MEN + 1);
    static std::size_t key(const Split& split) {
        const auto of = [](const Men& men) { return static_cast<std::size_t>(men.dux * (MAX_MEN + 1) + men.soldiers); };
        return of(split.own) * side_keys + of(split.opp);
    }
    std::unique_ptr<EndingTable<S>>& slot(const Split& split) { return tables_[key(split)]; }

    const Rules<S>& rules_;
    const int limit_;
    const Symmetries symmetries_;
    int most_men_ = 0;
    std::array<std::unique_ptr<EndingTable<S>>, side_keys * side_keys> tables_;
};

}  // namespace latrones
