// Rulesets and weights by the names that their keys and values have outside: in Python, and in files.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "ruleset.hpp"

namespace latrones {

// What the values of a key are called.
template <class Value>
using Names = std::vector<std::pair<const char*, Value>>;

// `Fields` has take(key, value), which reads a number or a truth value, and take(key, value, names).
template <class Fields>
Ruleset take_ruleset(Fields& fields) {
    const Names<Square> squares{{"none", Square::NONE}, {"centre", Square::CENTRE}};
    const Names<Gait> gaits{{"none", Gait::NONE}, {"slide", Gait::SLIDE}, {"step", Gait::STEP}};
    const Names<Jump> jumps{
        {"none", Jump::NONE}, {"single", Jump::SINGLE}, {"chain", Jump::CHAIN}, {"line", Jump::LINE}};
    const Names<Ending> endings{{"draw", Ending::DRAW}, {"loss", Ending::LOSS}, {"most_men", Ending::MOST_MEN}};
    Ruleset r;
    fields.take("placement_turn", r.placement_turn);
    fields.take("barred", r.barred, squares);
    fields.take("soldier_move", r.soldier_move, gaits);
    fields.take("dux_move", r.dux_move, gaits);
    fields.take("soldier_jump", r.soldier_jump, jumps);
    fields.take("dux_jump", r.dux_jump, jumps);
    fields.take("jump_must_capture", r.jump_must_capture);
    fields.take("custodian", r.custodian,
                {{"none", Custodian::NONE}, {"one", Custodian::ONE}, {"line", Custodian::LINE}});
    fields.take("flanked_mover", r.flanked_mover,
                {{"free", FlankedMover::FREE}, {"void_axis", FlankedMover::VOID_AXIS}});
    fields.take("corner", r.corner);
    fields.take("enclosure", r.enclosure);
    fields.take("push_and_crush", r.push_and_crush);
    fields.take("flank_attack", r.flank_attack);
    fields.take("phalanx", r.phalanx);
    fields.take("capture_effect", r.capture_effect,
                {{"remove", CaptureEffect::REMOVE}, {"bind", CaptureEffect::BIND}});
    fields.take("capture_chain", r.capture_chain,
                {{"none", CaptureChain::NONE}, {"free", CaptureChain::FREE}, {"capturing", CaptureChain::CAPTURING}});
    fields.take("safe_square", r.safe_square, squares);
    fields.take("soldier_locks", r.soldier_locks,
                {{"none", SoldierLocks::NONE}, {"plain", SoldierLocks::PLAIN}, {"melee", SoldierLocks::MELEE}});
    fields.take("dux_locks", r.dux_locks, {{"none", DuxLocks::NONE}, {"sides", DuxLocks::SIDES}});
    fields.take("dux_fate", r.dux_fate,
                {{"none", DuxFate::NONE}, {"captured", DuxFate::CAPTURED}, {"immobilised", DuxFate::IMMOBILISED},
                 {"ordinary", DuxFate::ORDINARY}, {"safe", DuxFate::SAFE}});
    fields.take("blocking_own_dux", r.blocking_own_dux,
                {{"allowed", BlockingOwnDux::ALLOWED}, {"illegal", BlockingOwnDux::ILLEGAL}});
    fields.take("fewest_men", r.fewest_men);
    fields.take("men_counted", r.men_counted, {{"soldiers", MenCounted::SOLDIERS}, {"all", MenCounted::ALL}});
    fields.take("fewest_judged", r.fewest_judged,
                {{"always", FewestJudged::ALWAYS}, {"placed", FewestJudged::PLACED}});
    fields.take("no_move", r.no_move, endings);
    fields.take("repetition", r.repetition, endings);
    fields.take("nocapture_limit", r.nocapture_limit);
    fields.take("nocapture_result", r.nocapture_result, endings);
    return r;
}

template <class Fields>
Weights take_weights(Fields& fields) {
    Weights w{};
    fields.take("soldier", w.soldier);
    fields.take("ordinary_dux", w.ordinary_dux);
    fields.take("bound", w.bound);
    fields.take("slide", w.slide);
    fields.take("step", w.step);
    fields.take("threat", w.threat);
    std::array<int, 5> sides{};
    fields.take("dux_sides", sides);
    std::copy(sides.begin(), sides.end(), w.dux_sides);
    fields.take("edge", w.edge);
    fields.take("pursued_edge", w.pursued_edge);
    fields.take("pursuit", w.pursuit);
    return w;
}

}  // namespace latrones
