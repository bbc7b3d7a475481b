"""The readers of text that is not the protocol's: each may refuse with its own error and do nothing else."""

from __future__ import annotations

import functools
import hashlib
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from latrones_uci.client import output as engine_output
from latrones_uci.client.engine_rules import option_problem
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import LineSplitter
from latrones_uci.engine.kernels import make_core, wire
from latrones_uci.engine.native import is_compiled
from latrones_uci.engine.nets.card import card_path, parse_card
from latrones_uci.engine.nets.file import Net, NetError, parse_net
from latrones_uci.engine.nets.python import net_evaluator
from latrones_uci.engine.options import Settings
from latrones_uci.engine.python.evaluation import evaluator
from latrones_uci.engine.types import TABLE_PROVEN
from latrones_uci.game import (
    FenError,
    IllegalMoveError,
    LatronesError,
    MalformedMoveError,
    Position,
    Ruleset,
    builtin_variants,
    check_variants,
    find_variant,
)
from latrones_uci.match.openings import parse_openings
from latrones_uci.protocols.analysis import MAX_ID_CHARACTERS, parse_object, parse_query
from latrones_uci.protocols.channel import Line
from latrones_uci.records.pgn_read import PgnError, read_games
from latrones_uci.records.settings import read_configuration, write_configuration
from latrones_uci.records.suite import parse_suite
from latrones_uci.text.protocol import SearchInfo
from net_help import random_net

MAX_MESSAGE = 2000
MAX_MOVES = 16
MAX_GAMES = 3
LINE_LIMIT = 256
CORES = 64
OPTIONS = Settings()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def refused(error: Exception) -> None:
    """A refusal is one line of bearable length."""
    assert str(error).isprintable(), str(error)
    assert len(str(error)) < MAX_MESSAGE, str(error)


@functools.lru_cache(maxsize=CORES)
def _core_of(ruleset: Ruleset, files: int, ranks: int) -> object:
    return make_core(ruleset, files, ranks)


def look_through(position: Position) -> None:
    """A position that was accepted can be written and read, and both kernels know the same of it."""
    assert Position.from_fen(position.ruleset, position.fen()) == position
    moves = position.rules.moves(position.board) if not position.decided() else []
    if is_compiled() and position.ruleset.board == "grid":
        geometry = position.geometry
        core, board = _core_of(position.ruleset, geometry.files, geometry.ranks), wire(geometry, position.board)
        assert sorted(core.moves(board)) == sorted(moves), position  # type: ignore[attr-defined]
        for move in moves[:MAX_MOVES]:
            after = position.rules.play(position.board, move)
            assert core.play(board, move) == (wire(geometry, after), after[5]), position  # type: ignore[attr-defined]


def run_fen(data: bytes) -> int:
    """A FEN a line, each read for every game."""
    lines = _text(data).split("\n")
    for line in lines:
        for ruleset in builtin_variants().values():
            try:
                position = Position.from_fen(ruleset, line)
            except FenError as error:
                refused(error)
            else:
                look_through(position)
    return len(lines)


def run_move(data: bytes) -> int:
    """A game, a FEN of it or nothing, then a move a line; those that are legal are played."""
    game, fen, *texts = [*_text(data).split("\n"), ""]
    ruleset = builtin_variants().get(game) or find_variant("schaedler")
    try:
        position = Position.from_fen(ruleset, fen)
    except FenError:
        position = Position.start(ruleset)
    for text in texts:
        try:
            move = position.parse_move(text)
        except (MalformedMoveError, IllegalMoveError) as error:
            refused(error)
        else:
            assert move == text == position.named_move(move.packed)
            position = position.play(move)
    return len(texts)


def run_variants(data: bytes) -> int:
    """A file of games; those that are right can be played."""
    text = _text(data)
    rulesets, problems = check_variants(text, builtin_variants())
    assert rulesets or problems or not tomllib.loads(text)
    for problem in problems:
        assert len(str(problem)) < MAX_MESSAGE, problem
    for ruleset in list(rulesets.values())[:MAX_GAMES]:
        position = Position.start(ruleset)
        for ply in range(MAX_MOVES):
            look_through(position)
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(sorted(moves)[(ply * 7919 + len(text)) % len(moves)])
    return text.count("\n") + 1


def run_pgn(data: bytes) -> int:
    """A file of games as text."""
    lines = _text(data).splitlines(keepends=True)
    for number, game in enumerate(read_games(lines), start=1):
        if isinstance(game, PgnError):
            refused(game)
            assert game.game == number
        else:
            assert game.result
            assert game.number == number
    return len(lines)


def run_engine_output(data: bytes) -> int:
    """What an engine prints, cut into lines as it comes and read by every parser."""
    splitter, info, lines = LineSplitter(LINE_LIMIT), SearchInfo(), 0
    for start in range(0, len(data), LINE_LIMIT // 3):
        for line in splitter.feed(data[start : start + LINE_LIMIT // 3]):
            lines += 1
            assert len(line) <= LINE_LIMIT
            info = engine_output.update_info(info, line)
            for parse in PARSERS:
                parse(line)
    assert len(splitter.partial) <= LINE_LIMIT
    return lines


PARSERS: tuple[Callable[[str], object], ...] = (
    engine_output.parse_best_move, engine_output.parse_id_name, engine_output.parse_id_author,
    engine_output.parse_response, engine_output.is_protocol_line, engine_output.parse_error_line,
    engine_output.parse_option, option_problem,
)


@functools.cache
def _file() -> Path:
    return Path(tempfile.mkdtemp(prefix="latrones-fuzz-")) / "input"


def run_settings(data: bytes) -> int:
    """A file of a tournament's settings, read also as the card of a net; those accepted are written and read again."""
    path = _file()
    path.write_bytes(data)
    try:
        card = parse_card(_text(data))
    except NetError as error:
        refused(error)
    else:
        card.write(path)
        assert parse_card(card_path(path).read_text(encoding="utf-8")) == card
    try:
        settings, _ = read_configuration(path)
    except SettingsError as error:
        refused(error)
    else:
        write_configuration(settings, path)
        assert read_configuration(path)[0] == settings
    return data.count(b"\n") + 1


@functools.lru_cache(maxsize=1)
def _net() -> Net:
    return random_net(find_variant("schaedler"), (5, 5))


@functools.lru_cache(maxsize=1)
def _boards_of_net() -> list[Position]:
    position, found = Position.start("schaedler", "5x5"), []
    for ply in range(24):
        moves = position.legal_moves()
        position = position.play(sorted(moves)[ply * 7919 % len(moves)])
        found.append(position)
    return found


def run_net(data: bytes) -> int:
    """The file of a net with changes, a line each: place, and bytes in hexadecimal; its checksum is then put right."""
    body, lines = bytearray(_net().pack()[:-32]), _text(data).split("\n")
    for line in lines:
        place, _, text = line.partition(" ")
        with suppress(ValueError):
            new = bytes.fromhex(text)
            at = int(place) % (len(body) + 1) if place.isascii() else 0
            body[at : at + len(new)] = new
    boards = _boards_of_net()
    for file in (data, bytes(body), bytes(body) + hashlib.sha256(body).digest()):
        try:
            net = parse_net(file, boards[0].ruleset, 5, 5)
        except NetError as error:
            refused(error)
            continue
        evaluate = net_evaluator(boards[0].rules, net, evaluator(boards[0].rules))
        values = [evaluate(position.board) for position in boards]
        assert all(abs(value) < TABLE_PROVEN for value in values)
        if is_compiled():
            core = make_core(boards[0].ruleset, 5, 5)
            core.use_net(net.wire)
            assert [core.value(wire(each.geometry, each.board)) for each in boards] == values
    return len(lines)


def run_suite(data: bytes) -> int:
    """A file of test positions, read also as a file of openings."""
    path, text = _file(), _text(data)
    path.write_bytes(data)
    for read in (
        lambda: parse_suite(text.splitlines(), "suite", builtin_variants()),
        lambda: parse_openings(f"file:{path}", Position.start(find_variant("latrones"))),
        lambda: parse_openings(text, Position.start(find_variant("latrones"))),
    ):
        try:
            read()
        except (SettingsError, LatronesError) as error:
            refused(error)
    return text.count("\n") + 1


def run_analysis(data: bytes) -> int:
    """A query of the analysis service a line."""
    lines = _text(data).split("\n")
    for line in lines:
        try:
            fields = parse_object(Line(line, 0))
            query = parse_query(fields.text("id", MAX_ID_CHARACTERS) or "", fields, OPTIONS.find)
        except LatronesError as error:
            refused(error)
        else:
            assert all(query.game.up_to(turn) for turn in query.turns)
    return len(lines)
