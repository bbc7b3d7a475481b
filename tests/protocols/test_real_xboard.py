"""The real XBoard, where it is installed. ``pytest -s`` prints what was played and how many leftovers were owed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from latrones_uci.game import Game, Position, builtin_variants
from latrones_uci.protocols.xboard.arguments import parse_xboard_move
from latrones_uci.protocols.xboard.game import Leftover, fen_of_xboard, find_offered, shown_men
from protocols.client import Client
from protocols.window import Window, what_is_missing

pytestmark = pytest.mark.gui
OWED = "<< # captured pieces still shown: "


@pytest.fixture
def open_window(tmp_path: Path) -> Iterator[Callable[..., Window]]:
    if missing := what_is_missing():
        pytest.skip(f"no XBoard: {', '.join(missing)} not installed")
    with ExitStack() as stack:

        def opened(*options: str, engines: int = 1) -> Window:
            window = Window(tmp_path, options, engines)
            stack.callback(window.close)
            return window

        yield opened


class Followed:
    """A game as an engine's log tells it: the moves of both sides, and the leftovers that the engine says it owes."""

    def __init__(self, lines: Sequence[str], variant: str) -> None:
        ruleset, size = find_offered(builtin_variants(), variant)
        self.game = Game(Position.start(ruleset, size))
        self.owed: tuple[Leftover, ...] = ()
        self.leftovers_seen = 0
        for number, line in enumerate(lines):
            arrow, word, rest = (*line.split(" ", 2), "", "")[:3]
            refused = lines[number + 1 : number + 2] == [f"<< Illegal move: {rest}"]
            if (arrow, word) == (">>", "setboard"):
                self.game = Game(Position.from_fen(ruleset, fen_of_xboard(rest)))
                self.owed = ()
            elif word in ("move", "usermove") and not refused:
                self._play(rest, lines[number + 1 : number + 2])

    def _play(self, text: str, following: Sequence[str]) -> None:
        before = self.game.position
        told = re.sub(r"(\d)(?:x[a-p]\d+)*-", r"\1", text) if "-" in text else parse_xboard_move(text).text
        self.game.push(before.parse_move(told))
        names = following[0].removeprefix(OWED).split() if following and following[0].startswith(OWED) else []
        letters = {leftover.square: leftover.man for leftover in self.owed}
        squares = [before.geometry.parse_square(name) for name in names]
        self.owed = tuple(Leftover(square, before.piece_at(square) or letters[square]) for square in squares)
        self.leftovers_seen += len(set(squares) - set(letters))

    def shown(self) -> tuple[list[str], str]:
        """What XBoard has to show, and whose turn it is."""
        return shown_men(self.game.position, self.owed), "wb"[self.game.position.side]


def men_of(fen: str) -> tuple[list[str], str]:
    board, side = fen.split()[:2]
    rows = [re.sub(r"\d+", lambda run: "." * int(run[0]), row) for row in board.split("/")]
    return [man.replace(".", "") for row in reversed(rows) for man in row], side


def games_of(lines: Sequence[str]) -> list[list[str]]:
    """The parts of a log from each ``variant`` to the ``result`` after it."""
    games: list[list[str]] = []
    for line in lines:
        if line.startswith(">> variant "):
            games.append([])
        if games:
            games[-1].append(line)
    return [game for game in games if any(line.startswith(">> result ") for line in game)]


def click_move(window: Window, text: str) -> None:
    """Makes a move with the mouse, and waits until XBoard has told it in its own words."""
    traffic = window.traffic[0]
    origin, target = re.findall(r"[a-h][1-8]", text)
    seen = len(traffic.lines())
    window.click(origin)
    seen = traffic.wait_for("<< highlight ", traffic.wait_for(f">> lift {origin}$", seen))
    window.click(target)
    seen = traffic.wait_for(rf">> usermove {text}$|>> usermove {origin}\S*{target}$", seen)
    if traffic.lines()[seen : seen + 1] and traffic.lines()[seen].startswith("<< Illegal move"):
        traffic.wait_for(rf">> usermove {origin}\S*,", seen)


@pytest.mark.slow
def test_a_person_plays_a_whole_game(open_window: Callable[..., Window], tmp_path: Path) -> None:
    """All of it by mouse clicks. The person follows the advice of a better player, who wins by captures alone."""
    variant = "petteia-xxi"
    window = open_window("-variant", variant, "-depth", "1")
    traffic, captures = window.traffic[0], 0
    with Client(tmp_path) as adviser:
        adviser.send(f"setoption name UCI_Variant value {variant}")
        while (now := Followed(traffic.lines(), variant)).game.outcome() is None:
            position, played = now.game.position, len(traffic.lines())
            assert position.side == 0
            adviser.send(f"position fen {position.fen()}")
            text = adviser.ask("go depth 4", until="bestmove")[-1].split()[1]
            captures += bool(position.captures(position.parse_move(text)))
            click_move(window, text)
            if Followed(traffic.lines(), variant).game.outcome() is None:
                traffic.wait_for("<< move ", played)
                assert men_of(window.position()) == Followed(traffic.lines(), variant).shown()
    traffic.wait_for(">> result ")
    end = Followed(traffic.lines(), variant)
    assert men_of(window.position()) == end.shown()
    assert captures >= 3
    print(f"\na person against the engine: {len(end.game.moves)} plies, {captures} captures by clicks,"
          f" {end.leftovers_seen} leftovers, {len(end.owed)} owed at the end, {end.game.outcome()}")


def test_a_person_captures_three(open_window: Callable[..., Window]) -> None:
    """Two go with the move; the third goes with the engine's answer."""
    window = open_window("-variant", "latrones", "-depth", "2")
    window.paste_position("s2d4/8/8/3Ssss1/8/8/s3D3/7S w - - 0 1")
    click_move(window, "h1h5")
    window.traffic[0].wait_for(OWED + "g5")
    assert window.position().split()[:2] == ["s2d4/8/8/3S2sS/8/8/s3D3/8", "b"]
    window.press("ctrl+b")
    window.traffic[0].wait_for("<< move ")
    end = Followed(window.traffic[0].lines(), "latrones")
    assert end.owed == ()
    assert men_of(window.position()) == end.shown()


@pytest.mark.slow
def test_engines_tell_each_other_what_goes(open_window: Callable[..., Window]) -> None:
    """Six are captured: two go with the move, the others with those of both sides. Then they play to the end."""
    window = open_window("-variant", "latrones-12x8", "-depth", "2", engines=2)
    window.paste_position("s3d7/12/12/4Sssssss1/12/s5SSS3/s3D7/s10S w - - 0 1")
    window.press("ctrl+t")
    for traffic in window.traffic:
        traffic.wait_for(">> result ")
        end = Followed(traffic.lines(), "latrones-12x8")
        assert (end.leftovers_seen, end.owed) == (4, ())
        assert men_of(window.position()) == end.shown()
    white, black = (traffic.lines() for traffic in window.traffic)
    assert "<< move l1xf5xg5-l5" in white
    assert ">> usermove l1f5,f5g5,g5l5" in black
    assert any(re.fullmatch(r">> usermove (\w+),(?:h5|i5|j5|k5)\w+", line) for line in white)  # their own side's man
    assert ">> hard" in white
    assert_no_errors(window)


SHORT = ("-timeControl", "0:01", "-timeIncrement", "0.01")


@pytest.mark.parametrize(
    ("variant", "count"),
    [
        ("latrones", 2),
        pytest.param("latrones", 10, marks=pytest.mark.slow),
        pytest.param("latrones-12x8", 10, marks=pytest.mark.slow),
    ],
)
def test_engines_play_games_in_a_row(variant: str, count: int, open_window: Callable[..., Window]) -> None:
    """After each game XBoard's own position is that of both engines and the leftovers that they owe."""
    window = open_window("-variant", variant, "-initialMode", "TwoMachines", *SHORT, engines=2)
    results, plies, leftovers, owed, seen = Counter[str](), 0, 0, 0, [0, 0]
    for number in range(count):
        seen = [traffic.wait_for(">> result ", after) for traffic, after in zip(window.traffic, seen, strict=True)]
        shown = men_of(window.position())
        for traffic in window.traffic:
            played = games_of(traffic.lines())
            assert len(played) == number + 1
            end = Followed(played[-1], variant)
            assert shown == end.shown()
            assert [line.split()[2] for line in played[-1] if line.startswith(">> result ")] == [score_of(end)]
        results[score_of(end)] += 1
        plies, leftovers, owed = plies + len(end.game.moves), leftovers + end.leftovers_seen, owed + len(end.owed)
        if number < count - 1:
            window.press("ctrl+n")
            for traffic, after in zip(window.traffic, seen, strict=True):
                traffic.wait_for("<< pong ", after)
            window.press("ctrl+t")
    assert_no_errors(window)
    print(f"\n{variant}: {count} games, {plies} plies, {leftovers} leftovers, {owed} owed at ends, {dict(results)}")


def score_of(end: Followed) -> str:
    result = end.game.outcome()
    assert result is not None
    return {None: "1/2-1/2", 0: "1-0", 1: "0-1"}[result.winner]


def assert_no_errors(window: Window) -> None:
    log = [line for traffic in window.traffic for line in traffic.lines()]
    assert not [line for line in log if line.startswith(("<< Illegal", "<< Error"))]
