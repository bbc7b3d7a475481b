"""Wrong arguments anywhere in the public API: one clear error, which quotes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latrones_uci import (
    BoardSizeError,
    Engine,
    FenError,
    Game,
    IllegalMoveError,
    LatronesError,
    Limit,
    MalformedMoveError,
    PgnError,
    Position,
    SettingsError,
    Timeouts,
    VariantError,
    draw_board,
    find_variant,
    load_variants,
    read_pgn,
)
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.time_control import TimeControl

any_start: Any = Position.start
any_fen: Any = Position.from_fen
any_game: Any = Game
any_limit: Any = Limit
any_popen: Any = Engine.popen
NOT_STARTED = Engine(EngineSettings(("no-such-engine",), TimeControl()))
BLACK_TO_MOVE = Position.start().play("d1d5")
BOARD = "board .*: wrong type; expected two integers \\(files, ranks\\), or a text such as '12x8'"

CASES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: any_start("nope"), VariantError, "unknown variant 'nope'; expected one of latrones, "),
    (lambda: any_start(5), TypeError, "variant 5: wrong type; expected a name or a Ruleset"),
    (lambda: any_start("latrones", "wide"), BoardSizeError, "'wide' is not a board size; expected files x ranks"),
    (lambda: any_start("latrones", ""), BoardSizeError, "'' is not a board size"),
    (lambda: any_start("latrones", (3, 3)), BoardSizeError, "'3x3' is not allowed in latrones; expected 4x4 to 16x16"),
    (lambda: any_start("latrones", 5), TypeError, BOARD),
    (lambda: any_start("latrones", (8,)), TypeError, BOARD),
    (lambda: any_start("latrones", ("8", "8")), TypeError, BOARD),
    (lambda: any_fen("latrones", "8/8"), FenError, "FEN '8/8': "),
    (lambda: any_fen("latrones", 5), TypeError, "FEN 5: wrong type; expected a string"),
    (lambda: any_fen(None, "8/8 w"), TypeError, "variant None: wrong type; expected a name or a Ruleset"),
    (lambda: any_game(5), TypeError, "variant 5: wrong type; expected a name or a Ruleset"),
    (lambda: any_game(Position.start(), "8x8"), ValueError, "board '8x8': given with a position, which has its own"),
    (lambda: any_game().play("d1-d5"), MalformedMoveError, "move 'd1-d5': malformed; expected a form such as 'd1d5'"),
    (lambda: any_game().play("d1c5"), IllegalMoveError, "move 'd1c5' is not legal in 'ssssssss/3d4"),
    (lambda: any_game().play("d1d9"), IllegalMoveError, "move 'd1d9': d9 is not on the 8x8 board"),
    (lambda: any_game().play(None), TypeError, "move None: wrong type; expected a Move, or its text such as 'd1d5'"),
    (lambda: any_start().play(3.5), TypeError, "move 3.5: wrong type; expected a Move, or its text such as 'd1d5'"),
    (lambda: any_start().parse_move(5), TypeError, "move 5: wrong type; expected a string such as 'd1d5'"),
    (lambda: any_start().captures("zz"), MalformedMoveError, "move 'zz': malformed"),
    (lambda: any_start().piece_at(64), IndexError, "square 64: not on the 8x8 board"),
    (lambda: any_start().piece_at(-1), IndexError, "square -1: not on the 8x8 board"),
    (lambda: any_start().piece_at("z9"), LatronesError, "square 'z9': not on the 8x8 board"),
    (lambda: any_start().piece_at(None),
     TypeError, "square None: wrong type; expected a number or a name such as 'd1'"),
    (lambda: Engine("x"),  # type: ignore[arg-type]
     TypeError, "engine 'x': wrong type; expected EngineSettings; Engine.popen starts a command"),
    (lambda: any_start().perft("x"), ValueError, "perft depth 'x': expected an integer from 0"),
    (lambda: any_start().divide(0), ValueError, "perft depth 0: expected an integer from 1"),
    (lambda: any_game().pop(), IndexError, "pop: the game has no moves"),
    (lambda: any_game().up_to(1), ValueError, "plies: 1 is not an integer from 0 to 0"),
    (lambda: any_game().up_to(-1), ValueError, "plies: -1 is not an integer from 0 to 0"),
    (lambda: find_variant("Latrones"), VariantError, "unknown variant 'Latrones'"),
    (lambda: find_variant(5), TypeError, "variant 5: wrong type; expected a name"),  # type: ignore[arg-type]
    (lambda: load_variants("missing.toml"), VariantError, "'missing.toml': No such file"),
    (lambda: load_variants(Path("missing.toml")), VariantError, "'missing.toml': No such file"),
    (lambda: load_variants(5), TypeError, "path 5: wrong type; expected a string or a Path"),  # type: ignore[arg-type]
    (lambda: draw_board(any_game()), TypeError, "position <Game .*>: wrong type; expected a Position"),
    (lambda: draw_board(any_start(), last_move="d1d5"),  # type: ignore[arg-type]
     TypeError, "last_move 'd1d5': wrong type; expected a Move"),
    (lambda: any_limit(depth="x"), ValueError, "depth: 'x' is not an integer from 1"),
    (lambda: any_limit(time="x"), ValueError, "time: 'x' is not a number of seconds from 0"),
    (lambda: any_limit(time=-1), ValueError, "time: -1 is not a number of seconds from 0"),
    (lambda: any_limit(depth=10**18), ValueError, "depth: 1000000000000000000 is not an integer from 1 of at most 18"),
    (lambda: any_limit(nodes=True), ValueError, "nodes: True is not an integer from 1"),
    (lambda: any_limit(time=True), ValueError, "time: True is not a number of seconds from 0"),
    (lambda: any_limit(time=float("nan")), ValueError, "time: nan is not a number of seconds from 0 to 1,000,000,000"),
    (lambda: any_limit(white_inc=float("inf")), ValueError, "white_inc: inf is not a number of seconds"),
    (lambda: NOT_STARTED.play(any_game(), Limit(black_clock=60)), ValueError,
     "black_clock=60: without white_clock, the clock of the player to move; expected both"),
    (lambda: NOT_STARTED.analyse(any_game(), Limit(white_inc=1)), ValueError, "white_inc=1: without white_clock"),
    (lambda: NOT_STARTED.analysis(any_game(), Limit(depth=1, moves_to_go=3)), ValueError, "moves_to_go=3: without"),
    (lambda: NOT_STARTED.play(BLACK_TO_MOVE, Limit(white_clock=60)), ValueError, "white_clock=60: without black_clock"),
    (lambda: Timeouts(search_s=float("inf")), ValueError, "search_s: inf is not a number of seconds from 0 to 1,000"),
    (lambda: Timeouts(ready_s=True), ValueError, "ready_s: True is not a number of seconds from 0"),
    (lambda: Timeouts(start_s="x"), ValueError, "start_s: 'x' is not a number"),  # type: ignore[arg-type]
    (lambda: Timeouts(quit_s=-1), ValueError, "quit_s: -1 is not a number of seconds from 0"),
    (lambda: any_popen(5), TypeError, "command 5: wrong type; expected a string, or a sequence of strings"),
    (lambda: any_popen(["a", 5]), TypeError, "command \\['a', 5\\]: wrong type"),
    (lambda: any_popen(""), SettingsError, "command '': empty; expected a program"),
    (lambda: any_popen("a", variant="nope"), SettingsError, "unknown variant 'nope'"),
    (lambda: any_popen("a", variant=5), TypeError, "variant 5: wrong type; expected a name"),
    (lambda: any_popen("a", board="1x1"), SettingsError, "'1x1' is not allowed in latrones"),
    (lambda: any_popen("a", board=(1, 1)), SettingsError, "'1x1' is not allowed in latrones"),
    (lambda: any_popen("a", board=5), TypeError, BOARD),
    (lambda: any_popen("a", protocol="x"), SettingsError, "protocol 'x': unknown; expected uci, ugi, auto"),
    (lambda: any_popen("a", variant_path=5), TypeError, "variant_path 5: wrong type; expected a string or a Path"),
    (lambda: any_popen("a", directory=5), TypeError, "directory 5: wrong type; expected a string or a Path"),
    (lambda: any_popen("a", timeouts=5), TypeError, "timeouts 5: wrong type; expected Timeouts"),
    (lambda: any_popen("a", options=["A"]), TypeError, "options \\['A'\\]: wrong type; expected a dict"),
    (lambda: any_popen("a", options={5: 1}), TypeError, "option 5: wrong type; expected a name"),
    (lambda: any_popen("a", options={"A": None}), TypeError, "option 'A': value None: wrong type; expected a string"),
    (lambda: any_popen("a", options={"A": "x\nquit"}), SettingsError, "value 'x\\\\nquit': has a line break"),
]


@pytest.mark.parametrize(("call", "error", "message"), CASES, ids=range(len(CASES)))
def test_one_clear_error(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        call()
    assert type(raised.value) is error
    assert "\n" not in str(raised.value)


def test_a_rejected_move_changes_nothing() -> None:
    game = Game()
    for move in ("d1c5", "zz", None):
        with pytest.raises((LatronesError, TypeError)):
            game.play(move)  # type: ignore[arg-type]
    assert (len(game.positions), game.moves) == (1, [])


def test_faults_of_pgn_files(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    with pytest.raises(FileNotFoundError):
        next(read_pgn(path))
    head = '[Variant "latrones"]\n[FEN "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"]\n'
    for text, message in (
        ("[", "line 1: malformed tag: "), (f'{head}[Result "1-0"]\n1. c6d5 1-0\n', "line 4: move 'c6d5' is not legal"),
        (f'{head}[Result "0-1"]\n1. c6c8 0-1\n', "by the rules it is 1-0"),
        ('[Result "*"]\n*\n', "missing tag 'Variant'"),
    ):  # fmt: skip
        path.write_text(text, encoding="utf-8")
        with pytest.raises(PgnError, match=message):
            list(read_pgn(path))


@pytest.mark.process
def test_wrong_arguments_of_searches_leave_the_engine_usable() -> None:
    with Engine.popen(OWN_ENGINE, board="6x6") as engine:
        game, any_engine = Game("latrones", board="6x6"), engine
        calls: list[tuple[Callable[[], Any], type[Exception], str]] = [
            (lambda: any_engine.play("x", Limit(depth=1)), TypeError, "game 'x': wrong type; expected a Game or"),  # type: ignore[arg-type]
            (lambda: any_engine.play(game, 0.1), TypeError, "limit 0.1: wrong type; expected a Limit"),  # type: ignore[arg-type]
            (lambda: any_engine.analyse(game, None), TypeError, "limit None: wrong type"),  # type: ignore[arg-type]
            (lambda: any_engine.analysis(game, 3), TypeError, "limit 3: wrong type"),  # type: ignore[arg-type]
            (lambda: any_engine.analyse(game, Limit(depth=1), multipv=0), ValueError, "multipv: 0 is not an integer"),
            (lambda: any_engine.analyse(game, Limit(depth=1), multipv="3"), ValueError, "multipv: '3' is not an"),  # type: ignore[call-overload]
            (lambda: any_engine.new_game("x"), TypeError, "start 'x': wrong type"),  # type: ignore[arg-type]
            (lambda: any_engine.configure({"Hash": 2.5}), TypeError, "option 'Hash': value 2.5: wrong type"),  # type: ignore[dict-item]
        ]
        for call, error, message in calls:
            with pytest.raises(error, match=message):
                call()
        assert engine.play(game, Limit(depth=1)).move in game.legal_moves()
