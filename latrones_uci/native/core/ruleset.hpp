// A ruleset as data, field by field what `latrones_uci.game.ruleset.Ruleset` documents, but for what only the start
// position depends on; no game is known by name here.
#pragma once

namespace latrones {

enum class Square { NONE, CENTRE };
enum class Gait { NONE, SLIDE, STEP };
enum class Jump { NONE, SINGLE, CHAIN, LINE };
enum class Custodian { NONE, ONE, LINE };
enum class FlankedMover { FREE, VOID_AXIS };
enum class CaptureEffect { REMOVE, BIND };
enum class CaptureChain { NONE, FREE, CAPTURING };
enum class SoldierLocks { NONE, PLAIN, MELEE };
enum class DuxLocks { NONE, SIDES };
enum class DuxFate { NONE, CAPTURED, IMMOBILISED, ORDINARY, SAFE };
enum class BlockingOwnDux { ALLOWED, ILLEGAL };
enum class MenCounted { SOLDIERS, ALL };
enum class FewestJudged { ALWAYS, PLACED };
enum class Ending { DRAW, LOSS, MOST_MEN };

struct Ruleset {
    int placement_turn = 1;
    Square barred = Square::NONE;
    Gait soldier_move = Gait::STEP;
    Gait dux_move = Gait::NONE;
    Jump soldier_jump = Jump::NONE;
    Jump dux_jump = Jump::NONE;
    bool jump_must_capture = false;
    Custodian custodian = Custodian::NONE;
    FlankedMover flanked_mover = FlankedMover::FREE;
    bool corner = false;
    bool enclosure = false;
    bool push_and_crush = false;
    bool flank_attack = false;
    bool phalanx = false;
    CaptureEffect capture_effect = CaptureEffect::REMOVE;
    CaptureChain capture_chain = CaptureChain::NONE;
    Square safe_square = Square::NONE;
    SoldierLocks soldier_locks = SoldierLocks::NONE;
    DuxLocks dux_locks = DuxLocks::NONE;
    DuxFate dux_fate = DuxFate::NONE;
    BlockingOwnDux blocking_own_dux = BlockingOwnDux::ALLOWED;
    int fewest_men = 0;
    MenCounted men_counted = MenCounted::SOLDIERS;
    FewestJudged fewest_judged = FewestJudged::ALWAYS;
    Ending no_move = Ending::LOSS;
    Ending repetition = Ending::DRAW;
    int nocapture_limit = 0;
    Ending nocapture_result = Ending::DRAW;

    // A dux is lost when it has no empty neighbour.
    bool dux_breathes() const { return dux_fate == DuxFate::CAPTURED || dux_fate == DuxFate::IMMOBILISED; }
};

}  // namespace latrones
