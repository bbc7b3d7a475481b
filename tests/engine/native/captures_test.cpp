// Tests of captures, one rule at a time, on drawn boards in every shape, rotated and mirrored.
#include <algorithm>
#include <initializer_list>

#include "boards.hpp"
#include "check.hpp"

using namespace latrones;

namespace {

// The rows of a board, from the top. M is our soldier that has moved here from o, or W our dux; S and D are our other
// pieces; s and d are enemies that stay, x and X the soldiers and the dux that are captured.
using Drawing = std::vector<std::string>;

Drawing turned(const Drawing& drawing) {
    Drawing to(drawing[0].size());
    for (std::size_t column = 0; column < drawing[0].size(); ++column)
        for (auto row = drawing.rbegin(); row != drawing.rend(); ++row) to[column] += (*row)[column];
    return to;
}
Drawing mirrored(Drawing drawing) {
    for (std::string& row : drawing) std::reverse(row.begin(), row.end());
    return drawing;
}

template <class S>
void check_drawing(const Ruleset& ruleset, const Drawing& drawing, int line) {
    const int files = static_cast<int>(drawing[0].size()), ranks = static_cast<int>(drawing.size());
    const auto rules = std::make_unique<Rules<S>>(ruleset, files, ranks);
    const auto& geometry = rules->geometry;
    Bits<S::limbs> own, opp, expected;
    int origin = -1, to = -1;
    short own_dux = -1, opp_dux = -1;
    std::string about;
    for (int rank = ranks - 1; rank >= 0; --rank) {
        const std::string& row = drawing[static_cast<std::size_t>(ranks - 1 - rank)];
        about += row + "\n    ";
        for (int file = 0; file < files; ++file) {
            const int cell = rank * S::most_files + file;
            const char piece = row[static_cast<std::size_t>(file)];
            if (piece == 'o') origin = cell;
            if (piece == 'M' || piece == 'W') to = cell;
            if (piece == 'D' || piece == 'W') own_dux = static_cast<short>(cell);
            if (piece == 'd' || piece == 'X') opp_dux = static_cast<short>(cell);
            if (piece == 'M' || piece == 'W' || piece == 'S' || piece == 'D') own.set(cell);
            if (piece == 's' || piece == 'd' || piece == 'x' || piece == 'X') opp.set(cell);
            if (piece == 'x' || piece == 'X') expected.set(cell);
        }
    }
    const auto found = rules->captures.victims(own, opp, opp_dux, origin, to);
    if (!(found == expected)) {
        about += "captured:";
        found.for_each([&](int cell) {
            about += ' ' + std::string(1, static_cast<char>('a' + geometry.file(cell))) +
                     std::to_string(geometry.rank(cell) + 1);
        });
        check::fail(__FILE__, line, about);
    }
    // Before the move, the target cell must be among those where a move may capture.
    Board<S> before{};
    own.reset(to);
    own.set(origin);
    if (own_dux == to) own_dux = static_cast<short>(origin);
    before.own = geometry.widen(own);
    before.opp = geometry.widen(opp);
    before.own_dux = own_dux;
    before.opp_dux = opp_dux;
    if (expected.any()) CHECK_ABOUT(rules->targets(before, rules->empty(before)).test(to), about);
}

void check_captures(const Ruleset& ruleset, Drawing drawing, int line) {
    for (int mirror = 0; mirror < 2; ++mirror, drawing = mirrored(drawing))
        for (int turn = 0; turn < 4; ++turn, drawing = turned(drawing))
            for_each_shape([&]<class S>(std::type_identity<S>) { check_drawing<S>(ruleset, drawing, line); });
}

Ruleset of(Custodian custodian, DuxFate fate = DuxFate::NONE) {
    Ruleset ruleset;
    ruleset.soldier_move = Gait::SLIDE;
    ruleset.custodian = custodian;
    ruleset.dux_fate = fate;
    return ruleset;
}

}  // namespace

#define CAPTURES(ruleset, ...) check_captures(ruleset, Drawing{__VA_ARGS__}, __LINE__)

TEST(captures_custodian_of_one) {
    const Ruleset one = of(Custodian::ONE);
    CAPTURES(one, "....", "oMxS", "....");
    CAPTURES(one, "..o.", "SxMs", "...S");  // a friend stands behind only one of them
    CAPTURES(one, "..o..", "SxMxS", "..x..", "..S..");
    CAPTURES(one, "oMssS", ".....");
    CAPTURES(one, "oMs..", ".....");
    CAPTURES(one, "....o", ".sM.s", "....s");
}

TEST(captures_custodian_of_a_line) {
    const Ruleset line = of(Custodian::LINE);
    CAPTURES(line, ".......", "oMxxxxS", ".......");
    CAPTURES(line, "oMss.", ".....");
    CAPTURES(line, "oMsss", ".....");
    CAPTURES(line, "oMss.S", "......");
    // A dux in the line neither breaks it nor is captured, unless it counts as an ordinary piece.
    CAPTURES(of(Custodian::LINE, DuxFate::CAPTURED), "......", "oMxdxS", "......");
    CAPTURES(of(Custodian::LINE, DuxFate::SAFE), "......", "oMxdxS", "......");
    CAPTURES(of(Custodian::LINE, DuxFate::ORDINARY), "......", "oMxXxS", "......");
}

TEST(captures_by_and_with_duces) {
    CAPTURES(of(Custodian::ONE, DuxFate::SAFE), "oWxS", "....");
    CAPTURES(of(Custodian::ONE, DuxFate::SAFE), "oMxD", "....");
    CAPTURES(of(Custodian::ONE, DuxFate::SAFE), "oMdS", "....");
    CAPTURES(of(Custodian::ONE, DuxFate::ORDINARY), "oMXS", "....");
}

TEST(captures_void_along_the_axis_of_a_flanked_mover) {
    Ruleset ruleset = of(Custodian::LINE);
    ruleset.flanked_mover = FlankedMover::VOID_AXIS;
    CAPTURES(ruleset, "..o..", "SsMsS", ".....");
    CAPTURES(ruleset, "..o..", "SsMsS", "..x..", "..S..");
    CAPTURES(ruleset, "..o..", "SxM.s", ".....");
}

TEST(captures_in_corners) {
    Ruleset ruleset = of(Custodian::NONE);
    ruleset.corner = true;
    CAPTURES(ruleset, "xMo.", "S...", "....");
    CAPTURES(ruleset, "sMo.", "....", "....");
    CAPTURES(ruleset, ".sMo", ".S..", "....");
    ruleset.dux_fate = DuxFate::SAFE;
    CAPTURES(ruleset, "dMo.", "S...", "....");
}

TEST(captures_of_enclosed_groups) {
    Ruleset ruleset = of(Custodian::NONE);
    ruleset.enclosure = true;
    CAPTURES(ruleset, "xxS..", "xMo..", "S....");
    CAPTURES(ruleset, "xxMo", "SSS.");
    CAPTURES(ruleset, "ssMo", "S.S.");
    CAPTURES(ruleset, "ssMo", ".SS.");  // only the far end of the group has an empty neighbour
    CAPTURES(ruleset, "xMxS", "SoSS");  // the cell that the mover left is not next to them
    ruleset.dux_fate = DuxFate::SAFE;
    CAPTURES(ruleset, "xdMo", "SSS.");  // a dux that cannot be captured stays
    ruleset.dux_fate = DuxFate::CAPTURED;
    CAPTURES(ruleset, "xXMo", "SSS.");
    // A group that the mover does not touch is not captured.
    CAPTURES(ruleset, "sS.SxM", "S...So", "......");
}

TEST(captures_of_a_dux_without_a_free_side) {
    const Ruleset ruleset = of(Custodian::NONE, DuxFate::CAPTURED);
    CAPTURES(ruleset, "..S..", ".sXMo", "..S..");
    CAPTURES(ruleset, "..S..", "..dMo", "..S..");
    CAPTURES(ruleset, "XMo", "S..");
    CAPTURES(of(Custodian::NONE, DuxFate::SAFE), "..S..", ".SdMo", "..S..");
    CAPTURES(of(Custodian::NONE, DuxFate::IMMOBILISED), "..S..", ".SdMo", "..S..");
}

TEST(captures_by_push_and_crush) {
    Ruleset ruleset = of(Custodian::NONE);
    ruleset.push_and_crush = true;
    CAPTURES(ruleset, ".....", "o.MSx", ".....");
    CAPTURES(ruleset, "......", "o.MSxS", "......");
    CAPTURES(ruleset, "......", "o.MSs.", "......");
    CAPTURES(ruleset, "......", "o.MSss", "......");
    CAPTURES(ruleset, "..o..", "..M..", ".SsS.");
    CAPTURES(ruleset, "..o..", "..MSs", ".....");  // not in the direction of travel
}

TEST(captures_by_flank_attack) {
    Ruleset ruleset = of(Custodian::NONE);
    ruleset.flank_attack = true;
    CAPTURES(ruleset, ".......", "o.MxssS", ".......");
    CAPTURES(ruleset, ".......", "o.MsS..", ".......");
    CAPTURES(ruleset, ".......", "o.Mss..", ".......");
    CAPTURES(ruleset, "...o...", "...MssS", ".......");  // not in the direction of travel
    ruleset.dux_fate = DuxFate::SAFE;
    CAPTURES(ruleset, ".......", "o.MdssS", ".......");
    CAPTURES(ruleset, ".......", "o.MxdsS", ".......");
}

TEST(captures_by_phalanx) {
    Ruleset ruleset = of(Custodian::NONE);
    ruleset.phalanx = true;
    CAPTURES(ruleset, "..SS..", "o.MSx.", "......");
    CAPTURES(ruleset, "..SSS.", "o.MSSx", "......");
    CAPTURES(ruleset, "..SS..", "o.MSSs", "......");
    CAPTURES(ruleset, "..S...", "o.MSs.", "...S..");
    CAPTURES(ruleset, "..SS..", "o.M.s.", "......");
}

TEST(captures_spare_the_safe_square) {
    Ruleset ruleset = of(Custodian::LINE);
    ruleset.safe_square = Square::CENTRE;
    CAPTURES(ruleset, ".o...", ".....", ".MsS.", ".....", ".....");
    CAPTURES(ruleset, "o....", ".....", "MxsxS", ".....", ".....");
}
