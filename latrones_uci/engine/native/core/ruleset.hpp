// A ruleset as data: the fields of `latrones_uci.game.ruleset.Ruleset`, which documents them, except fields that only
// matter for the start position. This code does not know any game by name.
#pragma once

#include <string_view>

namespace latrones {

// The values of the rules. Each enum is followed by the names of its values in files and in Python, in the same order.
enum class Square { NONE, CENTRE, MIDDLE };
constexpr std::string_view names(Square) { return "none centre middle"; }

enum class Directions { ORTHOGONAL, ALL };
constexpr std::string_view names(Directions) { return "orthogonal all"; }

enum class Gait { NONE, SLIDE, STEP };
constexpr std::string_view names(Gait) { return "none slide step"; }

enum class Jump { NONE, SINGLE, CHAIN, LINE };
constexpr std::string_view names(Jump) { return "none single chain line"; }

enum class JumpOver { ENEMIES, ALL };
constexpr std::string_view names(JumpOver) { return "enemies all"; }

enum class EnterBetween { ALLOWED, ILLEGAL };
constexpr std::string_view names(EnterBetween) { return "allowed illegal"; }

enum class Custodian { NONE, ONE, LINE };
constexpr std::string_view names(Custodian) { return "none one line"; }

enum class FlankedMover { FREE, VOID_AXIS };
constexpr std::string_view names(FlankedMover) { return "free void_axis"; }

enum class CaptureEffect { REMOVE, BIND };
constexpr std::string_view names(CaptureEffect) { return "remove bind"; }

enum class Marks { JUDGED, KEPT };
constexpr std::string_view names(Marks) { return "judged kept"; }

enum class CaptureChain { NONE, FREE, CAPTURING, FORCED };
constexpr std::string_view names(CaptureChain) { return "none free capturing forced"; }

enum class SoldierLocks { NONE, PLAIN, MELEE };
constexpr std::string_view names(SoldierLocks) { return "none plain melee"; }

enum class DuxLocks { NONE, SIDES };
constexpr std::string_view names(DuxLocks) { return "none sides"; }

enum class DuxFate { NONE, CAPTURED, IMMOBILISED, ORDINARY, SAFE };
constexpr std::string_view names(DuxFate) { return "none captured immobilised ordinary safe"; }

enum class BlockingOwnDux { ALLOWED, ILLEGAL };
constexpr std::string_view names(BlockingOwnDux) { return "allowed illegal"; }

enum class MenCounted { SOLDIERS, ALL };
constexpr std::string_view names(MenCounted) { return "soldiers all"; }

enum class FewestJudged { ALWAYS, PLACED };
constexpr std::string_view names(FewestJudged) { return "always placed"; }

enum class Ending { DRAW, LOSS, MOST_MEN, PASS };
constexpr std::string_view names(Ending) { return "draw loss most_men pass"; }

enum class Repetition { DRAW, LOSS, ILLEGAL };
constexpr std::string_view names(Repetition) { return "draw loss illegal"; }

enum class EqualMen { DRAW, BLACK };
constexpr std::string_view names(EqualMen) { return "draw black"; }

// Sets a value by its name; returns false if the name is unknown.
template <class Value>
constexpr bool parse_value(std::string_view text, Value& value) {
    std::string_view rest = names(Value{});
    for (int number = 0; !rest.empty(); ++number) {
        const std::string_view name = rest.substr(0, rest.find(' '));
        if (name == text) {
            value = static_cast<Value>(number);
            return true;
        }
        rest.remove_prefix(name.size() < rest.size() ? name.size() + 1 : name.size());
    }
    return false;
}

// The fields: type, name, default.
#define LATRONES_RULESET(FIELD)                                       \
    FIELD(int, hand, 0)                                               \
    FIELD(int, placement_turn, 1)                                     \
    FIELD(Square, barred, Square::NONE)                               \
    FIELD(Directions, directions, Directions::ORTHOGONAL)             \
    FIELD(Gait, soldier_move, Gait::STEP)                             \
    FIELD(Gait, dux_move, Gait::NONE)                                 \
    FIELD(Jump, soldier_jump, Jump::NONE)                             \
    FIELD(JumpOver, jump_over, JumpOver::ENEMIES)                     \
    FIELD(Jump, dux_jump, Jump::NONE)                                 \
    FIELD(bool, jump_must_capture, false)                             \
    FIELD(bool, jump_captures, false)                                 \
    FIELD(EnterBetween, enter_between, EnterBetween::ALLOWED)         \
    FIELD(Custodian, custodian, Custodian::NONE)                      \
    FIELD(bool, hostile_corners, false)                               \
    FIELD(FlankedMover, flanked_mover, FlankedMover::FREE)            \
    FIELD(bool, intervention, false)                                  \
    FIELD(bool, corner, false)                                        \
    FIELD(bool, enclosure, false)                                     \
    FIELD(bool, push_and_crush, false)                                \
    FIELD(bool, flank_attack, false)                                  \
    FIELD(bool, phalanx, false)                                       \
    FIELD(CaptureEffect, capture_effect, CaptureEffect::REMOVE)       \
    FIELD(Marks, marks, Marks::JUDGED)                                \
    FIELD(CaptureChain, capture_chain, CaptureChain::NONE)            \
    FIELD(Square, safe_square, Square::NONE)                          \
    FIELD(SoldierLocks, soldier_locks, SoldierLocks::NONE)            \
    FIELD(DuxLocks, dux_locks, DuxLocks::NONE)                        \
    FIELD(DuxFate, dux_fate, DuxFate::NONE)                           \
    FIELD(BlockingOwnDux, blocking_own_dux, BlockingOwnDux::ALLOWED)  \
    FIELD(int, fewest_men, 0)                                         \
    FIELD(MenCounted, men_counted, MenCounted::SOLDIERS)              \
    FIELD(FewestJudged, fewest_judged, FewestJudged::ALWAYS)          \
    FIELD(Ending, no_move, Ending::LOSS)                              \
    FIELD(Repetition, repetition, Repetition::DRAW)                   \
    FIELD(int, nocapture_limit, 0)                                    \
    FIELD(Ending, nocapture_result, Ending::DRAW)                     \
    FIELD(EqualMen, equal_men, EqualMen::DRAW)

struct Ruleset {
#define LATRONES_FIELD(type, name, initial) type name = initial;
    LATRONES_RULESET(LATRONES_FIELD)
#undef LATRONES_FIELD

    // Whether all men are soldiers, and on the board from the start.
    bool soldiers_only() const { return dux_move == Gait::NONE && !hand; }
    // Whether a dux is lost when it has no open side.
    bool dux_needs_open_side() const { return dux_fate == DuxFate::CAPTURED || dux_fate == DuxFate::IMMOBILISED; }
};

// Reads a ruleset. `source.take(key, value)` sets a number, a Boolean or an enum.
template <class Source>
Ruleset read_ruleset(Source& source) {
    Ruleset ruleset;
#define LATRONES_FIELD(type, name, initial) source.take(#name, ruleset.name);
    LATRONES_RULESET(LATRONES_FIELD)
#undef LATRONES_FIELD
    return ruleset;
}

}  // namespace latrones
