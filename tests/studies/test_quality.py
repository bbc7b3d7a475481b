"""The quality of games: facts of games that are counted by hand, rules that matter, and their sums."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from latrones_uci.game import Game, Outcome, Position, Ruleset, Termination, all_variants, find_variant
from latrones_uci.records.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.studies.quality import (
    MEASURES,
    QUIET_PLIES,
    UNFINISHED,
    GameFacts,
    facts_of,
    quality_to_data,
    remarks,
    render_idle,
    render_qualities,
    summarise,
)
from latrones_uci.studies.rule_use import (
    BOUND,
    SHUT_IN,
    TOGETHER,
    Change,
    changes_of,
    changes_that_matter,
    count_captures,
    kinds_of,
)
from latrones_uci.text.protocol import Score, SearchInfo
from match_records import fixture, played_record

LATRONES = find_variant("latrones")


def game(ruleset: Ruleset, fen: str, *texts: str, scores: tuple[int, ...] = ()) -> PlayedGame:
    """Return a game, with the scores of the players' searches, that ends as the rules say, or unfinished."""
    played, plies = Game(Position.from_fen(ruleset, fen)), []
    for number, text in enumerate(texts):
        position = played.position
        info = SearchInfo(score=Score(scores[number])) if scores else SearchInfo()
        plies.append(PlyRecord(position.side, position.movenumber, text, info=info))
        played.push(text)
    outcome = played.outcome() or Outcome(Termination.ADJUDICATION, None, "unfinished")
    return PlayedGame(played.start, plies, outcome)


def facts(played: PlayedGame, number: int = 1) -> GameFacts:
    of = fixture(number)
    return facts_of(GameRecord(of, ("", ""), (None, None), "", played))  # type: ignore[arg-type]


def one(number: int, winner: int | None, **changes: object) -> GameFacts:
    """Return the facts of a game of ten plies."""
    of = fixture(number)
    known = GameFacts(number, of.pair, int(of.white == 0), winner, "nomove", number, 10, 50, 0, (0, 1, 1, 8),
                      Counter({"corner": 2}), 1, 0.0, 0.0, 0.5)
    return replace(known, **changes)  # type: ignore[arg-type]


# ---------------------------------------------------------------- a game


def test_facts_of_a_game() -> None:
    # Seega's soldiers step. White captures b2 between a2 and c2, then Black, with one soldier, has lost.
    ruleset = replace(find_variant("ludii-seega-6x6"), repetition="draw", hand=3)
    played = game(ruleset, "6/6/6/6/Ss4/2S2s[-] w 25 1", "c1c2", scores=(40,))
    found = facts(played)
    assert (found.plies, found.winner, found.ending) == (1, 0, "fewer than two soldiers left")
    assert found.captures == {"custodian": 1}
    assert found.choices == len(played.start.packed_moves)
    assert found.stalled == 1  # the FEN has 25 plies without a capture
    assert [square for square, count in enumerate(found.landings) if count] == [8]
    assert (found.lead_changes, found.drama, found.behind, found.killer) == (0, 0, 0, 0)


def test_scores_are_those_of_the_players() -> None:
    fen = "8/8/3d4/s6s/S6S/3D4/8/8 w 0 1"
    texts = ("d3c3", "d6c6", "c3d3", "c6d6")
    # White expects to be far behind, then far ahead; Black agrees each time.
    found = facts(game(LATRONES, fen, *texts, scores=(-400, 400, 400, -400)))
    assert found.ending == UNFINISHED
    assert found.lead_changes == 1
    assert found.killer == pytest.approx(0.76, abs=0.01)  # what Black loses from +400 to -400: tanh(1)
    assert (found.drama, found.behind) == (0, 0)  # nobody has won
    assert facts(game(LATRONES, fen, *texts)).killer == 0  # without scores


def test_plies_without_progress_stall() -> None:
    texts = ("a4a5", "h5h4", "a5a4", "h4h5", "a4a5")
    fen = f"8/8/8/6ss/SS6/8/8/8 w {QUIET_PLIES - 3} 1"
    assert facts(game(find_variant("petteia-xxi"), fen, *texts)).stalled == len(texts) - 3


def test_a_turn_may_have_two_placements() -> None:
    ruleset = find_variant("bell")
    start = Position.start(ruleset)
    texts = []
    for _ in range(4):
        texts.append(start.named_move(start.packed_moves[0]))
        start = start.after(start.packed_moves[0])
    found = facts(game(ruleset, Position.start(ruleset).fen(), *texts))
    assert sum(found.landings) == 4


# ---------------------------------------------------------------- kinds of capture


@pytest.mark.parametrize(("variant", "fen", "move", "kinds"), [
    ("latrones", "8/8/3d4/8/S7/s1S5/S2D4/8 w 0 1", "c3b3", {"custodian": 0, "enclosure": 1}),
    ("latrones", "8/8/3d4/8/8/2sS4/3D4/1S6 w 0 1", "b1b3", {"custodian": 1}),
    ("latrones", "8/8/3d4/1S6/S7/s1S5/3D4/S7 w 0 1", "a1a2", {"custodian": 1}),
    ("latrones", "8/8/7s/7s/8/1S6/dSS5/S2D4 w 0 1", "b3a3", {SHUT_IN: 1, "enclosure": 1}),
    ("ludii-piso", "8/8/8/8/8/8/1S6/s1S4s[-] w 0 1", "b2a2", {}),
    ("ludii-piso", "8/8/8/8/8/8/S7/s1S4s[-] w 0 1", "c1b1", {"corner": 1}),
])
def test_kinds_of_capture(variant: str, fen: str, move: str, kinds: dict[str, int]) -> None:
    position = Position.from_fen(variant, fen)
    found = count_captures(position, position.parse_move(move), position.captures(move))
    assert found == Counter({kind: count for kind, count in kinds.items() if count})


def test_a_piece_that_no_kind_takes_alone() -> None:
    position = Position.from_fen("ludii-piso", "8/8/8/8/8/8/S7/s1S4s[-] w 0 1")
    taken = [position.geometry.parse_square(square) for square in ("a1", "h1")]
    found = count_captures(position, position.parse_move("c1b1"), taken)
    assert found == {"corner": 1, TOGETHER: 1}


def test_kinds_of_the_rulesets() -> None:
    assert kinds_of(LATRONES) == ["custodian", "enclosure", SHUT_IN]
    assert kinds_of(find_variant("ludii-piso")) == ["custodian", "corner"]
    assert kinds_of(find_variant("schaedler")) == [BOUND]
    assert kinds_of(find_variant("rota")) == []
    assert all(TOGETHER not in kinds_of(ruleset) for ruleset in all_variants().values())


# ---------------------------------------------------------------- rules


@pytest.mark.long
def test_changes_are_rules_that_can_be_lifted() -> None:
    for ruleset in all_variants().values():
        for (key, _), changed in changes_of(ruleset).items():
            assert getattr(changed, key) != getattr(ruleset, key)
    keys = [key for key, _ in changes_of(LATRONES)]
    assert {"custodian", "nocapture_limit", "dux_jump"} <= set(keys)  # the last with jump_must_capture
    assert keys.count("no_move") == 2
    assert "dux" not in keys
    assert list(changes_of(find_variant("rota"))) == []


def idle(played: PlayedGame) -> set[Change]:
    changes = changes_of(played.start.ruleset)
    return set(changes) - changes_that_matter(played, changes)


def test_rules_that_no_game_needs_are_idle() -> None:
    ruleset = replace(find_variant("ludii-piso"), nocapture_limit=4, repetition="draw")
    corner = ("corner", "false")
    captured = game(ruleset, "8/8/8/8/8/8/S7/s1S4s[-] w 0 1", "c1b1")
    assert corner not in idle(captured)
    assert ("nocapture_limit", "0") in idle(captured)
    ended = game(ruleset, "8/8/8/8/3s4/8/S7/4S2s[-] w 0 1", "a2a3", "d4d5", "a3a2", "d5d4")
    assert ended.outcome.termination is Termination.NO_CAPTURE
    assert corner in idle(ended)
    assert ("nocapture_limit", "0") not in idle(ended)
    assert {("repetition", '"loss"'), ("no_move", '"loss"')} <= idle(ended)
    assert ("repetition", '"illegal"') not in idle(ended)  # it makes moves illegal that repeat


def test_rules_without_which_the_first_move_or_the_start_is_impossible_matter() -> None:
    ruleset = find_variant("ludii-seega-6x6")
    assert ("placement_turn", "1") not in idle(game(ruleset, Position.start(ruleset).fen(), "S@a1", "S@a2"))
    schaedler = find_variant("schaedler")
    bound = game(schaedler, "8/8/8/8/ss6/8/SbS5/8[-] w 0 1", "xb2")
    assert ("capture_effect", '"remove"') not in idle(bound)


# ---------------------------------------------------------------- the whole


def test_sums_and_means() -> None:
    games = [one(1, 0, drama=0.5, behind=0.5), one(2, 1), one(3, None, ending=UNFINISHED, plies=20, stalled=15),
             one(4, None, lead_changes=3, moves=2)]
    found = summarise(LATRONES, games, [("no_move", '"pass"'), ("no_move", '"most_men"'), ("corner", "true")])
    assert (found.games, found.different, found.wins, found.unfinished) == (4, 3, (1, 1), 1)
    assert found.completion == 0.75
    assert found.endings == {"nomove": 3, UNFINISHED: 1}
    assert found.draws == {"nomove": 1}
    assert found.plies == (12.5, 10, 10, 20)
    assert (found.branching, found.stalling) == (4, 0.3)
    assert (found.lead_changes, found.drama, found.killer) == (1.5, 0.25, 0.5)
    assert found.board == 0.75
    assert found.landings == (0, 0.1, 0.1, 0.8)
    assert found.captures == {"custodian": 0, "enclosure": 0, SHUT_IN: 0, "corner": 2}
    assert found.unused_captures == ["custodian", "enclosure", SHUT_IN]
    assert found.dramatic == 1
    # Engine 1 is the stronger one: Black in the first game, which White won, and White in the second, which Black won.
    assert (found.stronger_wins, found.stronger_losses) == (0, 2)
    assert (found.stronger.paired, found.stronger.trials, found.stronger.score.value) == (True, 2, 0.25)
    assert found.white.score.value == 0.5
    assert render_idle(found.idle_rules) == 'no_move (also "pass" or "most_men"), corner (also true)'


def test_a_single_game_has_no_pair() -> None:
    found = summarise(LATRONES, [one(1, 0)], [])
    assert (found.white.paired, found.white.score.value, found.stronger.score.value) == (False, 1, 0)


def test_games_without_a_capture_or_ply() -> None:
    nothing = one(1, None, plies=0, choices=0, captures=Counter(), landings=(0,) * 9)
    found = summarise(find_variant("rota"), [nothing], [])
    assert (found.branching, found.captures, found.board) == (0, {}, 0)


def test_texts_and_json() -> None:
    found = summarise(LATRONES, [one(1, 0), one(2, 1, moves=1)], [("no_move", '"pass"')])
    narrow, wide = "\n".join(render_qualities([found])), "\n".join(render_qualities([found] * 5))
    assert "wins of the stronger side 0%" in " ".join(narrow.split())
    assert wide.splitlines()[0].split()[:3] == ["games", "ended", "plies"]
    assert wide.splitlines()[1].split()[:3] == ["latrones", "2", "100%"]
    assert dict(remarks(found))["different games"] == "1 of 2; the margins are too narrow"
    data = json.loads(json.dumps(quality_to_data(found), allow_nan=False))
    assert (data["game"], data["games"], data["idle_rules"]) == ("latrones", 2, [{"key": "no_move", "also": '"pass"'}])
    assert len({each.name for each in MEASURES}) == len(MEASURES)


def test_margins() -> None:
    texts = {each.name: each.text for each in MEASURES}
    won = [one(number, int(number % 2 == 1)) for number in (1, 2)]  # by the stronger engine
    data = quality_to_data(summarise(LATRONES, won, []))
    assert (texts["Elo x2"](data), texts["stronger"](data)) == ("+inf", "100%")
    even = [one(number, None) for number in range(1, 201)]
    data = quality_to_data(summarise(LATRONES, even, []))
    assert (texts["Elo x2"](data), texts["White"](data), texts["draws"](data)) == ("+0 \u00b14", "50% \u00b11", "100%")
    rare = quality_to_data(summarise(LATRONES, [*even, one(201, 0)], []))
    assert texts["stronger"](rare) == "0%"
    assert (texts["ended"](rare), texts["drama"](rare), texts["drama"](data)) == ("100%", "0.00", "-")
    assert texts["stronger"](data | {"stronger_wins": 1, "games": 500}) == "<1%"


def test_a_whole_game_of_latrones() -> None:
    record = played_record(1)
    found = facts_of(record)
    assert sum(found.captures.values()) >= sum(
        len(before.captures(ply.text)) for before, ply in zip(positions(record.game), record.game.plies, strict=False)
    )
    assert found.plies == len(record.game.plies)


def positions(played: PlayedGame) -> list[Position]:
    found = [played.start]
    for ply in played.plies:
        found.append(found[-1].play(ply.text))
    return found
