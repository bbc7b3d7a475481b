"""Games of the browser board without a browser: moves, clocks, engines and their levels, undo."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cases import EXAMPLES, VARIANTS
from latrones_uci.client.engine_spec import parse_engine
from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.commands.gui import gui_config
from latrones_uci.game import Outcome, Position, Termination, find_variant, load_variants
from latrones_uci.records.pgn_read import read_games
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.board import analyst
from latrones_uci.web.board.config import game_data, parse_game
from latrones_uci.web.board.engine_catalog import LEVEL_NAMES, LevelRange
from latrones_uci.web.board.engine_thread import problem_text
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.lib.notation import render_notation
from latrones_uci.web.lib.page_server import RefusedError
from processes import kill
from serving import ENGINE, PEOPLE, PERSON, NewGame, fake_engine, fake_engine_words, fakes, waited


def wait_for_plies(live: LiveGame, plies: int) -> None:
    waited(lambda: len(live.plies) == plies, f"not {plies} plies")


def texts(live: LiveGame) -> list[str]:
    return [text for _, text in live.notices]


def test_two_humans_play_and_undo(new_game: NewGame) -> None:
    live = new_game()
    live.move("a1a3", 0)
    live.move("a6a4", 1)
    with pytest.raises(RefusedError, match="not legal"):
        live.move("a3a4", 2)
    with pytest.raises(RefusedError, match="changed in the meantime"):
        live.move("b1b2", 1)
    assert [note.notation for note in live.plies] == ["a1-a3", "a6-a4"]
    live.undo()
    assert [str(move) for move in live.game.moves] == ["a1a3"]
    live.undo()
    with pytest.raises(RefusedError, match="no move to undo"):
        live.undo()


def test_a_game_that_its_rules_need_not_end_is_a_draw_at_last(
    new_game: NewGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("latrones_uci.match.adjudication.ENDLESS_PLIES", 3)
    for variant, ended in (("ludii-kharebga-6x6", True), ("bell", False)):
        live = new_game(variant=variant)
        for ply in range(3):
            assert live.outcome is None
            live.move(str(live.game.legal_moves()[0]), ply)
        assert (live.outcome == Outcome(Termination.ADJUDICATION, None, "unfinished after 3 plies")) == ended


def test_moves_are_entered_in_the_notation_for_people(new_game: NewGame) -> None:
    live = new_game(variant="latrunculi-xxi", fen="9d/10/10/1Ss7/10/10/10/3S1D2s1 w 0 1")
    with pytest.raises(RefusedError, match="move 'd1-d5xc6': wrong captures; expected 'd1-d5xc5'"):
        live.move("d1-d5xc6", 0)
    live.move("d1-d5xc5", 0)
    assert [note.notation for note in live.plies] == ["d1-d5xc5"]
    assert live.add_line(["Dj8-j7", "Df1-f3"], 1, None)["node"] == 2


def test_the_human_who_plays_an_engine_has_a_name(new_game: NewGame) -> None:
    config = fakes()
    live = new_game({**PERSON, "name": "An\tna"}, {**ENGINE, "limit": "time"}, config)
    for name, shown in (("An na", "An na"), ("Bela", "Bela"), ("", "Human")):
        live.name_human(name)
        assert render_state(live, config)["players"][0]["name"] == shown
        assert f'[White "{shown}"]' in render_game_pgn(live, config)
    two = new_game()
    two.name_human("Bela")  # which of them?
    assert [player["name"] for player in render_state(two, config)["players"]] == ["Human", "Human"]


@pytest.mark.process  # the search takes its time
def test_a_searching_engine_moves_for_itself_and_at_once_if_asked(new_game: NewGame) -> None:
    """It leaves nothing to the human: neither legal moves nor a hint, which would be for the engine."""
    live = new_game(ENGINE, PERSON, fakes("late"))
    assert render_state(live, fakes())["legal"] == []
    with pytest.raises(RefusedError, match="^White is thinking; ask when it is your move$"):
        live.ask_hint()
    with pytest.raises(RefusedError, match="an engine plays White"):
        live.move("a1a3", 0)
    with pytest.raises(RefusedError, match="no move to undo"):
        live.undo()
    waited(live.process_ids)
    live.move_now()
    wait_for_plies(live, 1)


def test_two_engines_play_a_game_to_its_end_and_pause(new_game: NewGame) -> None:
    live = new_game(ENGINE, ENGINE)
    waited(lambda: len(live.plies) > 4)
    live.pause(True)
    plies = len(live.plies)
    live.undo()
    assert (len(live.plies), live.paused) == (plies - 1, True)
    live.pause(False)
    waited(lambda: live.outcome is not None)
    state = render_state(live, fakes())
    assert (state["outcome"]["result"] in ("1-0", "0-1", "1/2-1/2"), state["legal"]) == (True, [])
    game, = read_games(render_game_pgn(live, fakes()).splitlines())
    assert len(game.moves) == len(live.plies)


def test_resigning_is_for_the_human(new_game: NewGame) -> None:
    live = new_game(ENGINE, PERSON)
    wait_for_plies(live, 1)
    live.resign()
    assert live.outcome == Outcome(Termination.RESIGNATION, 0, "Black resigned")
    with pytest.raises(RefusedError, match="over"):
        live.resign()


@pytest.mark.parametrize(("black", "end"), [
    (ENGINE, LiveGame.resign), (PERSON, LiveGame.resign), (PERSON, LiveGame.offer_draw)])
@pytest.mark.parametrize("plies", [0, 2])
def test_undo_takes_back_only_what_the_players_declared(
    new_game: NewGame, black: dict[str, object], end: Callable[[LiveGame], object], plies: int
) -> None:
    live = new_game(PERSON, black)
    if plies:
        live.move("a1a3", 0)
        if black is PERSON:
            live.move("a6a4", 1)
        wait_for_plies(live, 2)
    moves = list(live.game.moves)
    end(live)
    assert live.outcome is not None
    live.undo()
    assert (live.outcome, list(live.game.moves)) == (None, moves)
    while moves and live.game.moves:
        live.undo()
    with pytest.raises(RefusedError, match="no move to undo"):
        live.undo()


def test_undo_after_the_resignation_of_an_engine_takes_back_the_last_move(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE, fakes("resign"))
    live.move("a1a3", 0)
    waited(lambda: live.outcome is not None)
    live.undo()
    assert (live.outcome, list(live.game.moves)) == (None, [])


# ---------------------------------------------------------------- clocks


@pytest.mark.parametrize("white", [
    {**PERSON, "base_s": 0.05},
    # Only a real engine lets the time pass.
    pytest.param({"kind": "engine", "limit": "clock", "base_s": 0.3}, marks=pytest.mark.process),
])
def test_running_out_of_time_ends_the_game(new_game: NewGame, white: dict[str, object]) -> None:
    live = new_game(white, {**PERSON, "base_s": 60, "increment_s": 2}, fakes("stall"))
    if white["kind"] == "person":
        assert live.clocks.running is None  # the clocks start with the first move
        live.move("a1a3", 0)
        live.move("a6a4", 1)
    waited(lambda: live.outcome is not None)
    assert live.outcome == Outcome(Termination.TIME_LOSS, 1, "White ran out of time")
    with pytest.raises(RefusedError, match="over"):
        live.move("a1a3", 0)


def test_clocks_add_the_increment_and_go_back_with_undo(new_game: NewGame) -> None:
    live = new_game({**PERSON, "base_s": 100, "increment_s": 5}, {**PERSON, "base_s": 100})
    live.move("a1a3", 0)
    left = live.clocks.left()[0] or 0
    assert 104e9 < left <= 105e9
    assert live.clocks.running == 1
    live.undo()
    assert 99e9 < (live.clocks.left()[0] or 0) <= 100e9
    assert live.clocks.running is None
    live.pause(True)
    assert live.clocks.running is None


@pytest.mark.parametrize("limit", ["clock", "depth", "time"])
def test_a_ugi_engine_receives_the_clocks_in_ugi(new_game: NewGame, limit: str) -> None:
    ugi = gui_config([replace(fake_engine("ugi"), protocol="ugi")])  # it crashes on the words for clocks of UCI
    live = new_game(PERSON, {**ENGINE, "limit": limit, "movetime_ms": 60, "base_s": 60}, ugi)
    live.move("a1a3", 0)
    wait_for_plies(live, 2)
    assert live.notices == []


def test_a_sleeping_game_has_no_engine_and_no_running_clock(new_game: NewGame) -> None:
    live = new_game({**PERSON, "base_s": 60}, {**ENGINE, "base_s": 60})
    live.move("a1a3", 0)
    wait_for_plies(live, 2)
    assert live.process_ids()
    live.sleep(wait=True)
    assert (live.process_ids(), live.clocks.running) == ([], None)
    live.wake()
    assert live.clocks.running == 0
    live.move("b1b2", 2)
    wait_for_plies(live, 4)


# ---------------------------------------------------------------- faults of engines


@pytest.mark.parametrize(("behaviour", "reason"), [
    ("illegal", "Black's engine made an illegal move"), ("malformed", "Black's engine sent a malformed move"),
    ("resign", "Black's engine resigned"), ("no-move", "Black's engine made no move"),
])
def test_an_engine_that_does_not_move_loses(new_game: NewGame, behaviour: str, reason: str) -> None:
    live = new_game(PERSON, ENGINE, fakes(behaviour))
    live.move("a1a3", 0)
    waited(lambda: live.outcome is not None)
    assert live.outcome is not None
    assert live.outcome.winner == 0
    assert live.outcome.details.startswith(reason)


@pytest.mark.process
def test_a_killed_engine_is_reported_and_restarted(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE)
    live.move("a1a3", 0)
    wait_for_plies(live, 2)
    first, = live.process_ids()
    kill(first)
    waited(lambda: any("has exited; restarted" in text for text in texts(live)))
    waited(lambda: live.process_ids() not in ([], [first]))
    live.move("b1b2", 2)
    wait_for_plies(live, 4)


def test_problems_of_engines_are_told_in_words() -> None:
    slow = EngineStallError("no bestmove within 4.003 s of 'go movetime 1000'", 4_003_000_000)
    assert problem_text("Slow", slow) == "Slow did not answer in time"
    assert problem_text("Slow", EngineCrashError("exited with status 1")) == "Slow: exited with status 1"
    assert problem_text("", EngineStartError("cannot start 'x'")) == "cannot start 'x'"


PAUSED = "the engine does not run, so the game is paused; Resume tries again"


@pytest.mark.parametrize(("words", "variant", "said"), [
    (fake_engine_words("crash"), "latrones", ["the fake falls over"] * 3),
    (("cmd=/no/such/engine", "depth=1"), "latrones", ["'/no/such/engine': No such file"]),
    (fake_engine_words(), "bell", ["option 'UCI_Variant': value 'bell': expected one of"]),
    (fake_engine_words("own-names"), "latrones", ["option 'UCI_Variant': value 'latrones': expected one of"]),
])
def test_an_engine_that_cannot_play_pauses_its_game(
    new_game: NewGame, words: tuple[str, ...], variant: str, said: list[str]
) -> None:
    live = new_game(ENGINE, PERSON, gui_config([parse_engine(words, ())]), variant=variant)
    waited(lambda: live.paused)
    once = texts(live)
    assert [part in text for part, text in zip([*said, PAUSED], once, strict=True)] == [True] * (len(said) + 1), once
    live.pause(False)
    waited(lambda: live.paused)
    assert texts(live) == once * 2
    live.restart(parse_game(PEOPLE, fakes()))
    assert live.notices == []  # they are of the game before


@pytest.mark.parametrize("engine", [
    pytest.param(fake_engine_words("long-line"), marks=pytest.mark.process),
    *map(fake_engine_words, ("junk", "carriage-returns", "upper-case", "stale-answer")),
    (*fake_engine_words("own-names"), "variant.latrones=ludus")])
def test_a_strange_engine_does_not_stop_the_game(new_game: NewGame, engine: tuple[str, ...]) -> None:
    live = new_game(PERSON, ENGINE, gui_config([parse_engine(engine, ())]))
    for ply, text in ((0, "a1a3"), (2, "b1b2")):
        live.move(text, ply)
        wait_for_plies(live, ply + 2)
    assert live.notices == []
    assert len(json.dumps(render_state(live, fakes()))) < 20_000


# ---------------------------------------------------------------- which engine plays


def test_engines_stay_where_they_play_on(new_game: NewGame) -> None:
    """One that plays in the next game, too, is not started again; another is closed."""
    offered = gui_config([fake_engine(), parse_engine([*fake_engine_words()[:1], "name=Other"], ("depth=1",))])
    live = new_game(PERSON, ENGINE, offered)
    live.move("a1a3", 0)
    wait_for_plies(live, 2)
    live.ask_hint()
    waited(lambda: live.hint is not None)
    first, adviser = live.process_ids()
    assert live.hint is not None
    live.move(live.hint.move, 2)
    assert live.hint is None
    wait_for_plies(live, 4)
    live.undo()
    assert len(live.plies) == 2  # that of the engine, too
    game = {"variant": "rota", "players": [ENGINE, PERSON]}
    live.restart(parse_game(game, offered))  # the same engine, for the other side of another game
    wait_for_plies(live, 1)
    live.ask_hint()
    waited(lambda: live.hint is not None)
    assert live.process_ids() == [first, adviser]
    live.restart(parse_game({**game, "players": [PERSON, {**ENGINE, "engine": 1}]}, offered))
    live.move("S@b2", 0)
    wait_for_plies(live, 2)
    assert first not in live.process_ids()
    assert adviser in live.process_ids()
    assert live.notices == []


def test_an_engine_that_cannot_change_its_variant_is_restarted(new_game: NewGame) -> None:
    offered = fakes("set-once")
    live = new_game(PERSON, ENGINE, offered)
    live.move("a1a3", 0)
    wait_for_plies(live, 2)
    first = live.process_ids()
    live.restart(parse_game({"variant": "rota", "players": [ENGINE, PERSON]}, offered))
    wait_for_plies(live, 1)
    assert live.process_ids() not in ([], first)
    assert live.notices == []


# ---------------------------------------------------------------- hints and analysis


@pytest.mark.process
def test_analysis_follows_the_game_and_stops_at_its_limit(
    new_game: NewGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyst, "ANALYSIS_S", 1)
    live = new_game(engines=gui_config([]), variant="latrones", size="8x8")
    live.analyse(2)
    waited(lambda: live.analysis.get("stopped"))
    assert (live.analysis["ply"], len(live.analysis["lines"]), live.analysis["limit"]) == (0, 2, 1)
    assert live.analysis["kernel"]
    live.analyse(2, longer=True)
    waited(lambda: live.analysis["limit"] == 5 and not live.analysis["stopped"])
    live.move("a1a3", 0)
    waited(lambda: live.analysis.get("ply") == 1 and len(live.analysis["lines"]) == 2)
    assert live.analysis["limit"] == 60  # another position has the usual limit
    live.analyse(2, 0)  # an earlier position, which it keeps to
    waited(lambda: live.analysis.get("ply") == 0 and len(live.analysis["lines"]) == 2)
    with pytest.raises(RefusedError, match=r"ply 9: expected 0\.\.1"):
        live.analyse(2, 9)
    live.analyse(0)
    assert live.analysis["lines"] == []
    with pytest.raises(RefusedError, match=r"99 lines: expected 0\.\.5"):
        live.analyse(99)


@pytest.mark.parametrize(
    ("file", "name"), [(path, name) for path in sorted(EXAMPLES.glob("*.toml")) for name in load_variants(path, {})],
    ids=lambda value: getattr(value, "stem", value),
)
def test_games_of_a_file_are_played(new_game: NewGame, file: Path, name: str) -> None:
    config, chance = gui_config([], str(file)), Random(name)
    live = new_game(engines=config, variant=name, size="")
    while live.outcome is None and len(live.plies) < 60:
        legal = [move["text"] for move in render_state(live, config)["legal"]]
        assert legal == [str(move) for move in live.game.legal_moves()]
        captures = [text for text in legal if live.game.position.captures(text)]
        live.move(chance.choice(captures or legal), len(live.plies))
    assert live.plies


@pytest.mark.process
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_lines_of_an_analysis_are_legal_and_in_notation(new_game: NewGame, variant: str) -> None:
    live = new_game(engines=gui_config([]), variant=variant, size="")
    live.move(live.game.legal_moves()[0], 0)
    live.analyse(3)
    waited(lambda: len(live.analysis["lines"]) == 3 and live.analysis["depth"] > 1)
    for line in live.analysis["lines"]:
        assert line["moves"]
        game = live.game.copy()
        for text in line["moves"]:
            game.push(game.position.parse_move(text))
        assert line["notes"] == [render_notation(game, ply) for ply in range(1, len(game.moves))]


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(("game", "message"), [
    (None, "two players"), ({"players": [PERSON]}, "two players"),
    ({"variant": "chess"}, "unknown variant 'chess'"), ({"variant": 5}, "variant '5'"), ({"size": "4x4"}, "4x4"),
    ({"fen": "x w"}, "'x w'"), ({"players": [PERSON, {"kind": "ghost"}]}, "kind 'ghost'"),
    *(({"players": [PERSON, {"kind": "engine", **player}]}, message) for player, message in (
        ({"engine": 7}, "engine '7'"), ({"movetime_ms": True}, "movetime_ms 'True'"),
        ({"movetime_ms": float("nan")}, "movetime_ms 'nan'"), ({"limit": "clock"}, "needs one"),
        *(({"level": level}, "level") for level in (-1, 8, "0", True)))),
])
def test_invalid_settings_are_rejected(game: dict[str, object] | None, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        parse_game(None if game is None else {"variant": "rota", "players": [PERSON, PERSON], **game}, fakes())


# ---------------------------------------------------------------- levels, and offers of a draw


def test_the_steps_are_equal() -> None:
    by_rating, by_skill = LevelRange(True, 60, 1460, measured=True), LevelRange(False, 0, 19)
    assert [by_rating.value(level) for level in range(8)] == list(range(60, 1461, 200))
    assert by_rating.options(2) == {"UCI_LimitStrength": "true", "UCI_Elo": "460"}
    assert by_rating.rating(7) == 1460
    assert [by_skill.value(level) for level in range(8)] == [0, 3, 5, 8, 11, 14, 16, 19]
    assert by_skill.options(0) == {"Skill Level": "0"}
    assert by_skill.rating(0) is None
    assert LevelRange(True, 60, 1460).rating(0) is None  # an engine's range that nobody has measured in this game


def test_ratings_are_shown_only_where_they_were_measured() -> None:
    catalog = gui_config([]).catalog

    def ratings(variant: str, size: tuple[int, int] | None = None) -> list[Any]:
        levels = catalog.levels(0, Position.start(find_variant(variant), size))
        assert [level["name"] for level in levels] == list(LEVEL_NAMES)
        return [level["elo"] for level in levels]

    latrones, petteia = ratings("latrones"), ratings("petteia-xxi")
    for measured in (latrones, petteia):
        assert measured == sorted(measured)
        assert 0 <= measured[0] < measured[-1] < 4000  # narrower than the range of the option
    assert latrones != petteia
    assert {*ratings("rota"), *ratings("latrunculi-xxi", (16, 16))} == {None}


def test_engines_without_levels(new_game: NewGame) -> None:
    """The page does not claim a level for what plays at its full strength."""
    missing = gui_config([parse_engine(("cmd=/nonexistent/engine", "depth=1"), ())])
    for config in (missing, fakes()):
        assert config.catalog.levels(0, Position.start("latrones")) == []
    live = new_game(PERSON, {**ENGINE, "level": 0}, config)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    black = render_state(live, config)["players"][1]
    assert (black["level"], black["rank"]) == ("depth 1", "")


def test_a_level_is_known_before_the_engine_moves_then_set_and_named(new_game: NewGame) -> None:
    """A page shows the rating and the kernel as soon as the engine has been asked, also after a restart."""
    config, shown = gui_config([]), list[Any]()
    level = {**ENGINE, "level": 1, "limit": "time", "movetime_ms": 100}
    live = new_game(PERSON, level, config, shown, size="8x8")
    rating = config.catalog.levels(0, live.game.start)[1]["elo"]
    named = f"Miles ({rating})"
    waited(lambda: render_state(live, config)["players"][1]["level"] == named)
    waited(lambda: [kind for kind, _ in shown].count("state") >= 2)
    assert render_state(live, config)["players"][1]["kernel"].startswith(("native", "python"))
    assert live.process_ids() == []
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    assert f'[Black "latrones-uci {named}"]' in render_game_pgn(live, config)
    assert ("UCI_Elo", str(rating)) in live.engine_settings(1).options
    process = live.process_ids()
    live.restart(parse_game({**game_data(live.settings), "players": [PERSON, {**level, "level": 2}]}, config))
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    assert live.process_ids() != process  # another level is another engine


def test_settings_survive_a_round_trip() -> None:
    player = {**ENGINE, "level": 3, "base_s": 300, "increment_s": 2.5, "movetime_ms": 700}
    game = {"variant": "bell", "size": "6x6", "fen": "", "players": [{**PERSON, "name": "Anna"}, player]}
    settings = parse_game(game, fakes())
    assert parse_game(game_data(settings), fakes()) == settings
    assert game_data(settings)["fen"] == ""
    placed = replace(settings, start=settings.start.play("S@a1"))
    assert parse_game(game_data(placed), fakes()).start == placed.start


@pytest.mark.parametrize(("score", "accepts"), [
    (Score(cp=0), True), (Score(cp=-300), True), (Score(cp=10), True), (Score(cp=11), False), (Score(mate=3), False),
    (Score(mate=-2), True), (Score(), False)])
def test_an_engine_accepts_a_draw_unless_it_is_better(
    new_game: NewGame, score: Score, accepts: bool
) -> None:
    live = new_game()
    for ply in range(20):  # before that, an engine declines
        live.move(str(live.game.legal_moves()[-1 - ply // 2]), ply)
    white, black = live.settings.players
    live.settings = replace(live.settings, players=(white, replace(black, kind="engine")))
    live.plies[-1] = replace(live.plies[-1], info=SearchInfo(score=score))
    answer = live.offer_draw()
    assert (live.outcome is not None) == accepts
    assert answer == "The draw is agreed." if accepts else "declines" in answer


def test_who_can_offer_a_draw(new_game: NewGame) -> None:
    live = new_game()
    live.move("a1a3", 0)
    assert live.offer_draw() == "The draw is agreed."
    assert live.outcome is not None
    assert live.outcome.winner is None
    with pytest.raises(RefusedError, match="the game is over"):
        live.offer_draw()
    engines = new_game(ENGINE, ENGINE)
    engines.pause(True)
    with pytest.raises(RefusedError, match="two engines play"):
        engines.offer_draw()
