"""``client.engine.Engine``: any engine as a Python object, with our own engine and with fakes."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine_fixtures import QUICK, FakeSettings
from latrones_uci.client.connection import Connection
from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE, Timeouts
from latrones_uci.client.errors import (
    EngineCrashError,
    EngineError,
    EngineOptionError,
    EngineProtocolError,
    EngineStallError,
    EngineStartError,
    SettingsError,
    WaitInterruptedError,
)
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.client.time_control import Limit
from latrones_uci.client.variant_setup import setup_options, start_of
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.records.annotation import analyse_game
from latrones_uci.text.command import join_command
from latrones_uci.text.protocol import Dialect
from match_play import Listening
from memory_engine import ScriptedEngine, scripted
from processes import await_end, kill

Command = Callable[..., tuple[str, ...]]
StartFake = Callable[..., Engine]

SHALLOW = Limit(depth=2)
LATRONES = find_variant("latrones")
BLACK_TO_MOVE = Position.from_fen(LATRONES, "ssssss/2d3/6/6/3D2/SSSSSS b 0 1")


@pytest.fixture(scope="module")
def own() -> Iterator[Engine]:
    """Our own engine, shared by tests that leave it usable."""
    with Engine.popen(OWN_ENGINE, board="6x6", options={"Hash": 1}) as engine:
        yield engine


@pytest.fixture
def fake(fake_settings: FakeSettings) -> Iterator[StartFake]:
    """Starts a fake engine for games on a board of 6x6."""
    started: list[Engine] = []

    def start(behaviour: str = "good", after: int = 0, *, sent: list[str] | None = None,
              interrupted: Callable[[], bool] = lambda: False, timeouts: Timeouts = QUICK, **changes: object
              ) -> Engine:
        log = None if sent is None else Listening(sent.append)
        engine = Engine(fake_settings(behaviour, after, **changes), timeouts=timeouts, interrupted=interrupted, log=log)
        started.append(engine)
        engine.start(Position.start(LATRONES, (6, 6)))
        return engine

    yield start
    for engine in started:
        engine.kill()


def new_game() -> Game:
    return Game("latrones", "6x6")


# ---------------------------------------------------------------- our own engine


def test_a_game_is_played_with_its_information(own: Engine) -> None:
    game = new_game()
    for _ in range(6):
        result = own.play(game, SHALLOW)
        assert result.move in game.legal_moves()
        assert result.info.depth == 2
        assert result.info.nodes
        assert result.info.score.cp is not None
        assert result.info.pv[0] == result.move
        assert 0 <= result.elapsed < 20
        assert not result.resigned
        after = game.position.play(result.move)
        assert result.ponder is None or result.ponder in after.legal_moves()
        game.push(result.move)
    for limit in (Limit(time=0.05), Limit(nodes=200), Limit(mate=1, depth=2),
                  Limit(white_clock=1.0, black_clock=1.0, white_inc=0.01, black_inc=0.01)):
        assert own.play(BLACK_TO_MOVE, limit).move in BLACK_TO_MOVE.legal_moves()  # a position without history


def test_analysis_of_one_line_and_of_several(own: Engine) -> None:
    game = new_game()
    single = own.analyse(game, SHALLOW)
    assert (single.multipv, single.depth) == (1, 2)
    several = own.analyse(game, SHALLOW, multipv=3)
    assert [info.multipv for info in several] == [1, 2, 3]
    assert len({info.pv[0] for info in several}) == 3
    scores = [info.score.cp for info in several]
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert [info.multipv for info in own.analyse(game, SHALLOW, multipv=1)] == [1]
    assert own.analyse(game, SHALLOW).pv == single.pv
    assert len(own.analyse(game, SHALLOW, multipv=4)) == 4
    position = Position.from_fen(LATRONES, "1sssss/1sdD2/6/6/5S/SSSSS1 w 4 3")
    moves = len(position.legal_moves())
    assert len(own.analyse(position, SHALLOW, multipv=moves + 5)) == moves  # one line for each move
    with pytest.raises(EngineOptionError, match="option 'MultiPV': value '257': expected an integer from 1 to 256"):
        own.analyse(game, SHALLOW, multipv=257)
    assert len(own.analyse(game, SHALLOW, multipv=2)) == 2


@pytest.mark.parametrize("behaviour", ["upper-case", "hyphens"])
def test_moves_in_another_form_are_tolerated(fake: StartFake, behaviour: str) -> None:
    engine, game = fake(behaviour, strict=True), new_game()
    assert engine.play(game, SHALLOW).move in game.legal_moves()
    assert game.position.parse_move(engine.search(game, SHALLOW).best.move) in game.legal_moves()
    assert engine.analysis(game, SHALLOW).wait() in game.legal_moves()
    reviewed = game.copy()
    reviewed.push(game.legal_moves()[0])
    assert len(analyse_game(reviewed, engine, SHALLOW)) == 1
    assert {line.partition(":")[0] for line in engine.take_violations()} - {"blanks"} == {"move-form"}


def test_a_finished_game_cannot_be_searched(own: Engine) -> None:
    over = Position.from_fen(LATRONES, "ssssss/2d3/6/6/6/SSSSSS w 0 1")
    for search in (own.play, own.analyse):
        with pytest.raises(ValueError, match="the game is over: Black wins"):
            search(over, SHALLOW)
    with pytest.raises(ValueError, match="the game is over"):
        own.analysis(over)
    assert own.running


def test_an_endless_analysis_streams_until_it_is_stopped(own: Engine) -> None:
    depths, game = [], new_game()
    with own.analysis(game) as analysis:
        for info in analysis:
            depths.append(info.depth)
            if len(depths) == 4:
                game.push(game.legal_moves()[0])  # the analysis is of the game as it was
                analysis.stop()
    assert len(depths) >= 4
    assert depths == sorted(depths, key=lambda depth: depth or 0)
    assert analysis.wait() in new_game().legal_moves()
    assert list(analysis) == []
    assert own.running


def test_a_wait_for_an_analysis_with_a_timeout(own: Engine) -> None:
    with own.analysis(new_game()) as analysis:
        with pytest.raises(TimeoutError, match="the analysis has not ended within 0.01 s; it goes on"):
            analysis.wait(timeout=0.01)
        analysis.stop()
        assert analysis.wait(timeout=60) in new_game().legal_moves()


def test_a_search_for_a_win_ends_without_one(own: Engine) -> None:
    result = own.play(new_game(), Limit(mate=1))
    assert (result.info.depth, result.info.score.mate) == (2, None)


def test_an_analysis_with_a_limit_ends_by_itself(own: Engine) -> None:
    analysis = own.analysis(new_game(), SHALLOW, multipv=2)
    reports = list(analysis)
    assert {info.multipv for info in reports} == {1, 2}
    assert {rank: info.depth for rank, info in analysis.lines.items()} == {1: 2, 2: 2}
    best = analysis.wait()
    assert best is not None
    assert analysis.lines[1].pv[0] == best


@pytest.mark.parametrize("then", [
    lambda own: own.play(new_game(), SHALLOW), lambda own: own.analyse(new_game(), SHALLOW),
    lambda own: list(own.analysis(new_game(), SHALLOW)), lambda own: own.configure({"Hash": 2}), Engine.ping,
    Engine.new_game,
])
def test_any_other_call_stops_an_analysis(own: Engine, then: Callable[[Engine], object]) -> None:
    """As after a loop that is left with ``break``."""
    for _ in own.analysis(new_game()):
        break
    then(own)
    assert own.ping() < 10
    assert not [thread for thread in threading.enumerate() if thread.name == "analysis"]


@pytest.mark.parametrize("end", [Engine.close, Engine.kill])
def test_an_engine_is_ended_during_an_analysis(end: Callable[[Engine], None]) -> None:
    engine = Engine.popen(OWN_ENGINE)
    next(iter(engine.analysis(Game("latrones"))))
    end(engine)
    assert not engine.running
    assert not [thread for thread in threading.enumerate() if thread.name == "analysis"]
    assert engine.play(Game("latrones"), SHALLOW).move is not None  # starts it again
    engine.close()


def test_options_are_set_and_rejected_ones_leave_the_engine_usable(own: Engine) -> None:
    own.configure({"Hash": 3, "UCI_AnalyseMode": True})
    options = dict(own.settings.options)
    assert (options["Hash"], options["UCI_AnalyseMode"]) == ("3", "true")
    before, process_id = own.settings, own.process_id
    for rejected, message in (
        ({"Contempt": 1}, "no option 'Contempt'"), ({"Hash": "much"}, "'much'"), ({"Hash": -1}, "'-1'"),
        ({"UCI_Variant": "bell"}, "option 'UCI_Variant': Engine sets it"),
        ({"Hash": 4, "Contempt": 1}, "no option 'Contempt'"),
    ):
        with pytest.raises(EngineOptionError, match=message):
            own.configure(rejected)  # type: ignore[arg-type]
        assert own.settings == before
    assert own.play(new_game(), SHALLOW).move is not None
    assert own.process_id == process_id


MANAGED = ("UCI_Variant", "BoardSize", "VariantSet", "VariantPath", "MultiPV", "Ponder")


@pytest.mark.parametrize("name", [*MANAGED, "multipv"])
def test_options_that_the_engine_object_sets_are_refused(name: str, fake: StartFake) -> None:
    """Before anything is sent; the next search plays its game."""
    sent: list[str] = []
    engine = fake(sent=sent)
    sent.clear()
    for call in (lambda: engine.configure({"Skill": 2, name: "1"}),
                 lambda: Engine.popen(OWN_ENGINE, options={name: "1"}),
                 lambda: engine.play(new_game(), SHALLOW, options={name: "1"})):
        with pytest.raises(EngineOptionError, match=f"^option '{name}': Engine sets it .*; expected another option$"):
            call()
    assert (sent, engine.settings.options, engine.take_violations()) == ([], (), ())
    assert engine.play(new_game(), SHALLOW).move is not None


def test_all_options_that_the_engine_object_sets_are_known(own: Engine) -> None:
    """Each option that a search in any game and any way sets, and the option of this test."""
    sent: list[str] = []
    settings = replace(own.settings, options=(("Hash", "1"),))
    with Engine(settings, log=Listening(sent.append)) as engine:
        for variant in ("ludii-piso", replace(LATRONES, name="mine")):
            engine.analyse(Game(variant), SHALLOW, multipv=2)
            engine.play(Game(variant), Limit(depth=1), ponder=True)
    names = {line.split()[2] for line in sent if line.startswith("setoption name ")}
    assert names == {*MANAGED, "Hash"}


def test_options_of_one_search(fake: StartFake) -> None:
    """Afterwards they have their former values: those that were set, else the defaults."""
    sent: list[str] = []
    engine, game = fake(sent=sent), new_game()

    def set_in(call: Callable[[], object]) -> list[str]:
        """Return the values of Skill that a call sets, with the search as ``go``."""
        sent.clear()
        call()
        assert engine.settings == before
        return [line.split()[-1] if "Skill" in line else "go" for line in sent if "Skill" in line or "go " in line]

    before = engine.settings
    assert set_in(lambda: engine.play(game, SHALLOW, options={"Skill": 3})) == ["3", "go", "1"]
    engine.configure({"Skill": 5})
    before = engine.settings
    assert set_in(lambda: engine.analyse(game, SHALLOW, options={"skill": 3})) == ["3", "go", "5"]
    assert set_in(lambda: engine.play(game, SHALLOW)) == ["go"]
    engine.close()
    before = engine.settings
    assert set_in(lambda: engine.play(game, SHALLOW, options={"Skill": 4}))[-3:] == ["4", "go", "5"]


def test_options_of_one_search_are_put_back_after_an_error(fake: StartFake) -> None:
    sent: list[str] = []
    engine, game = fake(sent=sent), new_game()
    for options, message in (
        ({"Skill": 10}, "'Skill': value '10': expected an integer from 1 to 9"),
        ({"Contempt": 1}, "no option 'Contempt'"),
        ({"Clear Hash": ""}, "'Clear Hash': has no default to go back to; expected another option for one search"),
    ):
        sent.clear()
        with pytest.raises(EngineOptionError, match=message):
            engine.play(game, SHALLOW, options=options)
        assert [line for line in sent if line.startswith(("setoption name Skill", "go"))] == []
    with pytest.raises(EngineOptionError, match="rejects an option: option: value '9' of Skill"):
        engine.play(game, SHALLOW, options={"Skill": 9})
    assert sent[-2:] == ["setoption name Skill value 1", "isready"]

    def fail(info: object) -> None:
        raise KeyError("Skill")

    with pytest.raises(KeyError):
        engine.play(game, SHALLOW, options={"Skill": 2}, on_info=fail)
    assert engine.play(game, SHALLOW).move is not None  # in another process
    illegal = fake("illegal", sent=sent)
    with pytest.raises(EngineProtocolError):
        illegal.play(game, SHALLOW, options={"Skill": 2})
    assert sent[-2:] == ["setoption name Skill value 1", "isready"]


def test_a_default_that_the_engine_rejects_ends_the_process() -> None:
    """Its options would not be known; the next search starts it again."""
    script = ScriptedEngine().greet("name Skill type spin default 0").expect("isready", "readyok")
    script.expect("ucinewgame").expect("isready", "readyok")
    script.expect("setoption name Skill value 2").expect("isready", "readyok")
    script.expect("position ...").expect("isready", "readyok").expect("go depth 2", "bestmove a1a2")
    script.expect("setoption name Skill value 0").expect("isready", "info string error option: no", "readyok")
    Connection.connect = staticmethod(script.start)  # put back before the next test
    with Engine.popen("scripted", board="6x6") as engine:
        with pytest.raises(EngineOptionError, match="rejects an option: option: no"):
            engine.play(new_game(), SHALLOW, options={"Skill": 2})
        assert script.finished()
        assert not engine.running


def test_variants_and_boards_are_switched_in_the_running_process() -> None:
    with Engine.popen(OWN_ENGINE, variant="rota") as engine:
        process_id = engine.process_id
        for variant, board in [("rota", None), ("latrones", "12x8"), ("bell", "8x8"), ("ludii-piso", None)]:
            game = Game(variant, board)
            for _ in range(2):
                result = engine.play(game, SHALLOW)
                assert result.move in game.legal_moves()
                game.push(result.move)
        assert engine.process_id == process_id


def test_variants_of_a_file_and_of_other_sets(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[tiny]\nparent = "latrones"\ndefault_size = "5x5"\n', encoding="utf-8")
    with Engine.popen(OWN_ENGINE, variant="tiny", variant_path=str(path)) as engine:
        engine.new_game()
        assert engine.ping() < 10
        start = Position.start(LATRONES, (5, 5))
        assert engine.play(start, SHALLOW).move in start.legal_moves()  # a variant of the engine's own
    start = Position.start("ludii-piso")
    assert list(setup_options(start, None).items()) == [
        ("VariantSet", "all"), ("UCI_Variant", "ludii-piso"), ("BoardSize", "8x8")]
    assert "VariantSet" not in setup_options(Position.start("latrones"), None)
    assert start_of("ludii-piso").fen() == start.fen()


def test_a_ruleset_that_is_not_built_in_is_given_to_the_engine() -> None:
    """Under one name after another, and with another rule under the same name."""
    short = replace(LATRONES, name="short", nocapture_limit=7)
    with Engine.popen(OWN_ENGINE, variant=short, board="6x6") as engine:
        for ruleset, is_over in (
            (short, "true"), (replace(short, nocapture_limit=8), "false"), (replace(short, name="other"), "true"),
            (LATRONES, "false"), (short, "true"),
        ):
            start = Position.start(ruleset, (6, 6))
            assert engine.play(start, SHALLOW).move in start.legal_moves()
            claims = engine.controller.claims("position fen ssssss/2d3/6/6/3D2/SSSSSS w 7 9")
            assert claims is not None
            assert claims.game_over == is_over


def test_an_engine_never_plays_other_rules_than_those_of_the_game(fake: StartFake, own: Engine) -> None:
    changed = replace(LATRONES, nocapture_limit=7)
    for play in (lambda: own.play(Game(changed), SHALLOW), lambda: Engine.popen(OWN_ENGINE, variant=changed)):
        with pytest.raises(SettingsError, match="ruleset 'latrones': differs from the built-in variant of that name"):
            play()
    assert own.play(new_game(), SHALLOW).move is not None
    renamed, sent = replace(changed, name="short"), list[str]()
    engine = fake(sent=sent)
    with pytest.raises(EngineOptionError, match="engine 'Fake good' has no option 'VariantPath'; expected it, as"):
        engine.play(Game(renamed), SHALLOW)
    assert not engine.running
    assert not [line for line in sent if line.startswith("go")]
    for name in ("core", "startpos"):  # words of the protocol and of commands
        assert own.play(Game(replace(changed, name=name)), SHALLOW).move is not None


@pytest.mark.parametrize("protocol", ["uci", "ugi", "auto"])
def test_protocols(protocol: str) -> None:
    with Engine.popen(OWN_ENGINE, protocol=protocol) as engine:  # type: ignore[arg-type]
        assert engine.controller.dialect is (Dialect.UGI if protocol == "ugi" else Dialect.UCI)
        assert engine.controller.kernel.startswith(("native, the fastest", "python, because"))
        limit = Limit(white_clock=5.0, black_clock=5.0, white_inc=0.0, black_inc=0.0, depth=2)
        assert engine.play(Game("latrones"), limit).move is not None


# ---------------------------------------------------------------- lifecycle


def test_popen_takes_a_command_as_text(fake_command: Command, tmp_path: Path) -> None:
    command = join_command(fake_command("good"))
    with Engine.popen(command, board="6x6", options={"Skill": 3}, directory=str(tmp_path), timeouts=QUICK) as engine:
        assert engine.name == "Fake good"
        assert engine.running
        assert repr(engine) == "<Engine 'Fake good' running>"
        assert engine.process_id is not None
    assert not engine.running
    assert engine.process_id is None
    assert repr(engine) == "<Engine 'Fake good' not running>"
    engine.close()  # a second time does nothing


@pytest.mark.parametrize(("behaviour", "message", "line"), [
    ("dead", "ended with status 1", "the fake does not even start"),
    ("half-dead", "ended with status 1", "id name Half"),
    ("silent", "no ugiok within 0.3 s; the engine runs, but has printed nothing: does it flush", ""),
])
def test_an_engine_that_does_not_start(fake_command: Command, behaviour: str, message: str, line: str) -> None:
    with pytest.raises(EngineStartError, match=message) as raised:
        Engine.popen(fake_command(behaviour), timeouts=replace(QUICK, start_s=0.3 if behaviour == "silent" else 20.0))
    assert (line in raised.value.last_lines) == bool(line)
    if line:
        assert f"  {line}" in "\n".join(raised.value.__notes__)


def test_declared_options(fake_command: Command) -> None:
    with Engine.popen(fake_command("good")) as engine:
        variants = ("latrones", "latrunculi-classical", "rota")
        assert list(engine.options.values()) == [
            OptionDeclaration("UCI_Variant", "combo", variants, "latrones"),
            OptionDeclaration("BoardSize", "string", default="auto"), OptionDeclaration("Clear Hash", "button"),
            OptionDeclaration("Skill", "spin", default=1, minimum=1, maximum=9),
        ]
        assert engine.options["Skill"].name == "Skill"
    with pytest.raises(EngineError, match="is not running"):
        _ = engine.options


def test_bad_arguments_and_options_at_the_start(fake_command: Command) -> None:
    for words, error, message in (
        ({"command": '"unclosed'}, SettingsError, "unclosed"),
        ({"variant_path": "/no/such/file"}, SettingsError, "/no/such/file"),
        ({"command": ["/no/such/engine"]}, EngineStartError, "/no/such/engine"),
        ({"options": {"Contempt": 1}}, EngineOptionError, "no option 'Contempt'"),
        ({"options": {"Skill": "x"}}, EngineOptionError, "option 'Skill': value 'x': expected an integer from 1 to 9"),
        ({"variant": "bell"}, EngineOptionError, "option 'UCI_Variant': value 'bell': expected one of latrones, "),
        ({"command": fake_command("many-options"), "options": {"O1100": ""}}, EngineOptionError, "no option 'O1100'"),
    ):
        with pytest.raises(error, match=message):
            Engine.popen(**{"command": fake_command("good"), **words})  # type: ignore[arg-type]
    with pytest.raises(EngineOptionError, match="rejects its options: option: value '9' of Skill") as raised:
        Engine.popen(fake_command("good"), options={"Skill": 9})
    assert any("'9' of Skill" in line for line in raised.value.last_lines)
    with Engine.popen(fake_command("many-options"), options={"O900": "", "skill": 3, "Clear Hash": ""}) as engine:
        assert engine.controller.set_option("SKILL", "4")
        assert not engine.controller.set_option("MultiPV", "3")


def test_the_engine_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs without a command, in any directory and environment."""
    monkeypatch.setenv("PATH", "")
    with Engine.popen(board="6x6") as engine:
        assert engine.name.startswith("latrones-uci ")
    with pytest.raises(EngineStartError, match=r"cannot start 'latrones-uci': not on the PATH, .*; without a command,"):
        Engine.popen("latrones-uci")
    with pytest.raises(EngineStartError, match=r"cannot start './latrones-uci'|\./latrones-uci"):
        Engine.popen("./latrones-uci")


def test_nothing_runs_before_the_first_game(fake_settings: FakeSettings) -> None:
    engine = Engine(fake_settings("good", name="Mine"), timeouts=QUICK)
    assert (engine.name, engine.running, engine.process_id) == ("Mine", False, None)
    for call in (engine.ping, engine.new_game, engine.restart, lambda: engine.controller):
        with pytest.raises(EngineError, match="'Mine'"):
            call()
    engine.configure({"Skill": 2})
    engine.close()
    assert engine.play(new_game(), SHALLOW).move is not None
    assert engine.settings.options == (("Skill", "2"),)
    engine.close()


def test_one_announcement_for_each_game(fake: StartFake) -> None:
    """A game is known by its start; a position is a game of its own."""
    sent: list[str] = []
    engine, game = fake(sent=sent), new_game()
    for _ in range(3):
        move = engine.play(game, SHALLOW).move
        assert move is not None
        game.push(move)
    assert sent.count("ucinewgame") == 1
    assert sent[-1] == "go depth 2"
    moves = " ".join(game.moves)
    assert sent[-3] == f"position fen {game.start.fen()} moves {' '.join(moves.split()[:2])}"
    engine.play(game.position, SHALLOW)
    assert sent.count("ucinewgame") == 2
    assert sent[-3] == f"position fen {game.position.fen()}"
    engine.new_game(game)
    engine.new_game()
    assert sent.count("ucinewgame") == 4
    engine.play(game, SHALLOW)
    assert sent.count("ucinewgame") == 4


def test_restart_starts_the_same_game_in_another_process(fake: StartFake) -> None:
    sent: list[str] = []
    engine, game = fake(sent=sent, options=(("Skill", "5"),)), new_game()
    engine.restart()  # before the first game
    move = engine.play(game, SHALLOW).move
    assert move is not None
    engine.configure({"Skill": 7})
    before = engine.process_id
    sent.clear()
    engine.restart()
    assert engine.running
    assert engine.process_id != before
    assert "setoption name Skill value 7" in sent
    assert "setoption name BoardSize value 6x6" in sent
    assert sent.count("ucinewgame") == 1
    game.push(move)
    assert engine.play(game, SHALLOW).move in game.legal_moves()
    assert sent.count("ucinewgame") == 1


def test_the_setting_restart_gives_each_game_a_process(fake: StartFake) -> None:
    engine = fake(restart=True)
    processes = {engine.process_id}
    engine.new_game(new_game())
    assert processes == {engine.process_id}  # it has played nothing yet
    for position in (new_game().start, BLACK_TO_MOVE):
        engine.new_game(position)
        processes.add(engine.process_id)
    engine.play(BLACK_TO_MOVE, SHALLOW)
    processes.add(engine.process_id)
    assert len(processes) == 3


def test_switching_an_engine_that_takes_options_only_once(fake: StartFake) -> None:
    """It is started again."""
    engine = fake("set-once")
    engine.play(new_game(), SHALLOW)
    before = engine.process_id
    for game in (Game("latrones"), Game("latrunculi-classical")):
        assert engine.play(game, SHALLOW).move in game.legal_moves()
        assert engine.process_id != before
        before = engine.process_id
    engine.play(Game("latrunculi-classical"), SHALLOW)
    assert engine.process_id == before


def test_a_variant_that_the_engine_lacks(fake: StartFake) -> None:
    engine = fake()
    with pytest.raises(EngineOptionError, match="'UCI_Variant': value 'bell': expected one of"):
        engine.play(Game("bell"), SHALLOW)
    assert not engine.running
    assert engine.play(new_game(), SHALLOW).move is not None
    with pytest.raises(EngineOptionError, match="value 'latrones': expected one of ludus"):
        fake("own-names")


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize(("behaviour", "error", "message", "line"), [
    ("crash", EngineCrashError, "ended with status 3", "the fake falls over"),
    ("stall", EngineStallError, "no bestmove within", "readyok"),
    ("illegal", EngineProtocolError, "bestmove '.*' is not legal", "bestmove "),
    ("malformed", EngineProtocolError, "bestmove 'Hello'", "bestmove Hello"),
    ("empty", EngineProtocolError, "bestmove ''", "bestmove"),
    ("no-move", EngineProtocolError, "bestmove '0000'", "bestmove 0000"),
])
def test_failures_quote_the_last_lines(
    fake: StartFake, behaviour: str, error: type[EngineError], message: str, line: str
) -> None:
    engine = fake(behaviour, 1, timeouts=replace(QUICK, search_s=0.3))
    game = new_game()
    move = engine.play(game, SHALLOW).move
    assert move is not None
    process_id = engine.process_id
    game.push(move)
    with pytest.raises(error, match=message) as raised:
        engine.play(game, SHALLOW)
    assert any(each.startswith(line) for each in raised.value.last_lines), raised.value.last_lines
    assert "The engine's last lines:" in raised.value.__notes__[0]
    # What has answered still runs; what has not is started again.
    assert engine.running == (error is EngineProtocolError)
    engine.new_game()
    assert engine.play(new_game(), SHALLOW).move is not None
    assert (engine.process_id == process_id) == (error is EngineProtocolError)


def test_odd_answers(fake: StartFake) -> None:
    resigned = fake("resign").play(new_game(), SHALLOW)
    assert (resigned.move, resigned.ponder, resigned.resigned) == (None, None, True)
    odd = fake("carriage-returns").play(new_game(), SHALLOW)
    assert odd.move is not None
    assert (odd.ponder, odd.info.score.mate, odd.info.nodes) == (None, -3, 11)  # the reply is not possible
    engine = fake("report-errors")
    assert engine.play(new_game(), SHALLOW).move is not None
    assert engine.take_violations() == ("search-error: 'info string error internal: division by zero'",)
    assert engine.take_violations() == ()
    assert 1.0 < fake("late").play(new_game(), Limit(time=0.05)).elapsed < 1.1  # it is stopped


def test_an_answer_before_readyok_is_not_taken_for_the_next() -> None:
    script = ScriptedEngine().greet().expect("isready", "readyok").expect("position startpos")
    script.expect("isready", "bestmove 0000", "readyok").expect("go depth 1", "bestmove a1a2")
    engine = scripted(script)
    assert engine.search("position startpos", "go depth 1", None).best.move == "a1a2"
    assert engine.take_violations()[0].startswith("unexpected-bestmove: 'bestmove 0000'")
    assert script.finished()


@pytest.mark.parametrize("limit", [Limit(time=0.05), Limit(white_clock=0.05, black_clock=0.01)])
def test_an_engine_that_hangs_is_killed(fake: StartFake, limit: Limit) -> None:
    engine = fake("stall")
    with pytest.raises(EngineStallError) as raised:
        engine.play(new_game(), limit)
    assert 1.0e9 < raised.value.elapsed_ns < 2e9
    assert not engine.running


@pytest.mark.process
def test_a_killed_engine_is_started_again(fake: StartFake) -> None:
    engine = fake()
    process_id = engine.process_id
    assert process_id is not None
    kill(process_id)
    await_end(process_id)
    with pytest.raises(EngineCrashError, match="status 15" if sys.platform == "win32" else "signal 9"):
        engine.ping()
    assert engine.play(new_game(), SHALLOW).move is not None
    assert engine.process_id != process_id


def test_failures_of_an_analysis_are_raised_where_it_is_read(fake: StartFake) -> None:
    engine = fake("crash", 1)
    game = new_game()
    with engine.analysis(game, SHALLOW) as analysis:
        assert [info.nodes for info in analysis] == [7]
    analysis = engine.analysis(game, SHALLOW)
    with pytest.raises(EngineCrashError, match="status 3") as raised:
        list(analysis)
    assert "the fake falls over" in raised.value.last_lines
    with pytest.raises(EngineCrashError):
        analysis.wait()
    with fake("illegal").analysis(game, SHALLOW) as analysis:
        pass
    with pytest.raises(EngineProtocolError, match="is not legal"):
        analysis.wait()
    with fake("resign").analysis(game, SHALLOW) as analysis:
        assert analysis.wait() is None


def test_a_hanging_analysis_is_killed_at_once(fake: StartFake) -> None:
    engine = fake("stall", timeouts=replace(QUICK, stop_grace_s=60.0))
    analysis = engine.analysis(new_game())
    began = time.monotonic()
    engine.kill()
    assert time.monotonic() - began < 10
    with pytest.raises(WaitInterruptedError):
        analysis.wait()


def test_waits_can_be_interrupted(fake_settings: FakeSettings) -> None:
    interrupted = threading.Event()
    log = Listening(lambda text: interrupted.set() if text == "go infinite" else None)
    engine = Engine(fake_settings("late"), timeouts=QUICK, interrupted=interrupted.is_set, log=log)
    with pytest.raises(WaitInterruptedError):
        engine.play(new_game(), Limit())
    assert not engine.running
    interrupted.clear()
    assert engine.play(new_game(), Limit(time=0.01)).move is not None
