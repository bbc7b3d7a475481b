"""docs/examples/board.py plays whole games with simulated clicks, and a move in a real window."""

from __future__ import annotations

import importlib.util
import random
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from browser import pieces_of
from folders import EXAMPLES
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import Game, Position, find_variant
from screen import Screen, what_is_missing
from serving import waited

pytestmark = pytest.mark.process

PROGRAM = (EXAMPLES / "board.py").read_text(encoding="utf-8")
ENGINE = list(OWN_ENGINE)
SIZE = 64


@pytest.fixture
def program() -> str:
    assert PROGRAM.count("movetime 500") == 1
    return PROGRAM.replace("movetime 500", "nodes 300")


class Canvas:
    """The part of ``tkinter.Canvas`` that the board needs, and a user who makes random legal moves."""

    engine: Any  # the board of the example sets these three attributes
    legal: list[str]
    moves: list[str]

    def __init__(self, **options: object) -> None:
        self.master = SimpleNamespace(title=self.show)
        self.title = ""
        self.later: list[Callable[[], None]] = []
        self.drawn: dict[str, str] = {}
        self.height = 0

    def show(self, title: str) -> None:
        self.title = title

    def bind(self, event: str, action: Callable[[SimpleNamespace], None]) -> None:
        assert event == "<Button-1>"
        self.action = action

    def pack(self) -> None: ...

    def config(self, width: int, height: int) -> None:
        self.height = height

    def delete(self, what: str) -> None:
        self.drawn.clear()

    def create_rectangle(self, *corners: int, fill: str) -> None: ...

    def create_oval(self, x: int, y: int, right: int, bottom: int, fill: str) -> None:
        self.drawn[f"{chr(97 + x // SIZE)}{(self.height - y) // SIZE + 1}"] = fill

    def create_text(self, x: float, y: float, text: str) -> None:
        assert text in ("", "dux", "bound")

    def after(self, milliseconds: int, action: Callable[[], None]) -> None:
        self.later.append(action)

    def click_on(self, square: str) -> None:
        middle = SIZE // 2
        self.action(SimpleNamespace(x=SIZE * (ord(square[0]) - 97) + middle,
                                    y=self.height - SIZE * int(square[1:]) + middle))

    def mainloop(self) -> None:
        chance = random.Random(1)
        while self.later or self.legal:
            if self.later:
                self.later.pop()()
            else:
                move, played = chance.choice(self.legal), len(self.moves)
                squares = re.findall(r"[a-p]\d+", move)
                for square in squares:
                    self.click_on(square)
                if len(self.moves) == played:
                    self.click_on(squares[-1])
                assert self.moves[played:] == [move]
        Canvas.at_the_end = self
        self.engine.process.communicate()  # as when the program ends

    at_the_end: Canvas


@pytest.mark.parametrize("game", ["latrones", "schaedler", "bell", "rota"])
def test_whole_games_by_clicks(program: str, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tkinter = ModuleType("tkinter")
    tkinter.Canvas = Canvas  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tkinter", tkinter)
    monkeypatch.setattr(sys, "argv", ["board.py", game, *ENGINE])
    exec(compile(program, "board.py", "exec"), {"__name__": "__main__"})
    board = Canvas.at_the_end
    played = Game(Position.start(find_variant(game)))
    for move in board.moves:
        played.push(played.position.parse_move(move))
    result = played.outcome()
    assert result is not None
    assert f" result: {result.name} {result.termination.value} " in board.title
    name = played.position.geometry.square_name
    expected = {name(square): "white" if piece.isupper() else "tomato"
                for square, piece in pieces_of(played.position).items()}
    assert board.drawn == expected
    assert board.engine.process.returncode == 0


@pytest.mark.gui
def test_a_move_in_a_real_window(program: str, tmp_path: Path) -> None:
    missing = what_is_missing() + ["tkinter"] * (importlib.util.find_spec("tkinter") is None)
    if missing:
        pytest.skip(f"no screen: {', '.join(missing)} not installed")
    (tmp_path / "board.py").write_text(program, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "board.py"), "latrones", *ENGINE]
    with closing(Screen()) as screen, subprocess.Popen(command, env=screen.environment) as window:
        search = ("xdotool", "search", "--onlyvisible", "--name", "result:")
        found = waited(lambda: screen.run(*search).split(), "no window")[0]

        def title() -> str:
            return screen.run("xdotool", "getwindowname", found)

        for x, y in ((96, 480), (96, 288)):  # b1, b4
            screen.run("xdotool", "mousemove", "--window", found, str(x), str(y), "click", "1")
        waited(lambda: re.match(r"[a-h]\d[a-h]\d  result: none", title()) and not title().startswith("b1b4"),
               "no answer of the engine's")
        window.terminate()
