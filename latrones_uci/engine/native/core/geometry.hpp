// The geometry of a board: tables that only depend on its size.
//
// A *cell* is the bit of a square in the orientation east: rank * S::most_files + file. A *square* is its number in
// Python: rank * files + file. Squares are only used where values cross between Python and C++.
#pragma once

#include <algorithm>

#include "wide.hpp"

namespace latrones {

template <class S>
class Geometry {
   public:
    using Set = Bits<S::limbs>;
    static constexpr int row = S::most_files;

    const int files, ranks;

    // files <= S::most_files, ranks <= S::most_ranks.
    Geometry(int files_, int ranks_) : files(files_), ranks(ranks_) {
        for (int cell = 0; cell < S::cells; ++cell) wide_[cell] = Wide<S>::empty();
        full_wide_ = Wide<S>::empty();
        for (int square = 0; square < squares(); ++square) add_cell(cell_of(square));
        for (int square = 0; square < squares(); ++square) {
            const int cell = cell_of(square);
            for (Direction d : DIRECTIONS)
                if (room_[d][cell]) near_[cell].set(cell + step(d));
            for_each_diagonal(cell, [&](int step, int) { diagonal_[cell].set(cell + step); });
        }
        full_.for_each([&](int cell) {
            if (near_[cell].count() < 4) edges_.set(cell);
        });
        for (int file : {0, files - 1})
            for (int rank : {0, ranks - 1}) corners_.set(rank * row + file);
    }

    int squares() const { return files * ranks; }
    int cell_of(int square) const { return square / files * row + square % files; }
    int square_of(int cell) const { return rank(cell) * files + file(cell); }
    static constexpr int rank(int cell) { return cell / row; }
    static constexpr int file(int cell) { return cell % row; }

    static constexpr int step(Direction d) {
        constexpr int steps[] = {1, -1, row, -row};
        return steps[d];
    }
    // The number of cells from a cell to the edge.
    int room(Direction d, int cell) const { return room_[d][cell]; }
    // The cell of a bit in an orientation; unspecified for a bit without a cell.
    int cell_at(Direction d, int bit) const { return cell_at_[d][bit]; }
    // The bit of a cell in an orientation.
    int bit_of(Direction d, int cell) const {
        const int f = file(cell), r = rank(cell);
        const int bits[] = {cell, r * row + files - 1 - f, f * S::most_ranks + r, f * S::most_ranks + ranks - 1 - r};
        return bits[d];
    }

    const Wide<S>& wide(int cell) const { return wide_[cell]; }
    const Set& near(int cell) const { return near_[cell]; }
    const Set& full() const { return full_; }
    const Set& corners() const { return corners_; }
    const Set& edges() const { return edges_; }
    const Wide<S>& full_wide() const { return full_wide_; }
    // The centre cell, -1 if a side is even.
    int centre() const { return files % 2 && ranks % 2 ? ranks / 2 * row + files / 2 : -1; }
    // The centre cell, or the lower left of the middle cells.
    int middle() const { return (ranks - 1) / 2 * row + (files - 1) / 2; }

    // Calls `action` with the step of each diagonal direction and the number of cells to the edge, if there are any.
    template <class Action>
    void for_each_diagonal(int cell, Action&& action) const {
        for (Direction across : {EAST, WEST})
            for (Direction along : {NORTH, SOUTH})
                if (const int room = std::min(room_[across][cell], room_[along][cell]))
                    action(step(across) + step(along), room);
    }
    // The next cells along the diagonals.
    const Set& diagonal(int cell) const { return diagonal_[cell]; }

    // The set moved by one cell.
    Set east(const Set& s) const { return s.template up<1>() & east_ok_; }
    Set west(const Set& s) const { return s.template down<1>() & west_ok_; }
    Set north(const Set& s) const { return s.template up<row>() & full_; }
    Set south(const Set& s) const { return s.template down<row>(); }
    // Calls `action` with the function that moves a set by one cell along each diagonal.
    template <class Action>
    void for_each_diagonal_shift(Action&& action) const {
        action([this](const Set& s) { return north(east(s)); });
        action([this](const Set& s) { return north(west(s)); });
        action([this](const Set& s) { return south(east(s)); });
        action([this](const Set& s) { return south(west(s)); });
    }
    Set around(const Set& s) const { return east(s) | west(s) | north(s) | south(s); }
    // The cells with a member of the set on both sides along a rank or file.
    Set between(const Set& s) const { return (east(s) & west(s)) | (north(s) & south(s)); }

    Wide<S> widen(const Set& set) const {
        Wide<S> wide = Wide<S>::empty();
        set.for_each([&](int cell) { wide |= wide_[cell]; });
        return wide;
    }
    // The union of the orientations of a wide set, which may differ.
    Set flatten(const Wide<S>& wide) const {
        Set cells = wide.plain();
        for (Direction d : {WEST, NORTH, SOUTH})
            for (int i = 0; i < S::limbs; ++i)
                for (u64 rest = wide.word(d, i); rest; rest &= rest - 1)
                    cells.set(cell_at_[d][i * 64 + std::countr_zero(rest)]);
        return cells;
    }

   private:
    void add_cell(int cell) {
        const int f = file(cell), r = rank(cell);
        const int room[] = {files - 1 - f, f, ranks - 1 - r, r};
        full_.set(cell);
        if (f > 0) east_ok_.set(cell);
        if (f < files - 1) west_ok_.set(cell);
        for (Direction d : DIRECTIONS) {
            room_[d][cell] = static_cast<u8>(room[d]);
            cell_at_[d][bit_of(d, cell)] = static_cast<u8>(cell);
            wide_[cell].set_bit(d * S::cells + bit_of(d, cell));
        }
        full_wide_ |= wide_[cell];
    }

    Wide<S> wide_[S::cells];
    Wide<S> full_wide_;
    Set near_[S::cells], diagonal_[S::cells];
    Set full_, corners_, edges_, east_ok_, west_ok_;
    u8 room_[4][S::cells]{};
    u8 cell_at_[4][S::cells]{};
};

}  // namespace latrones
