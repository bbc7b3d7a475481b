"""Check the arguments of ``Engine``."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import TypeAlias

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import EngineOptionError, EngineStartError, SettingsError
from latrones_uci.client.output import option_text
from latrones_uci.client.process import parse_command
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, Move, Position
from latrones_uci.text.messages import quoted, wrong_type

_OWN_NAME = "latrones-uci"

_MANAGED = {
    "uci_variant": "from 'variant' and from each game", "boardsize": "from 'board' and from each game",
    "variantset": "for each game", "variantpath": "from 'variant_path' and from each game",
    "multipv": "from 'multipv' of each search", "ponder": "from 'ponder' of play",
}
"""The options that ``Engine`` sets, in lower case, with what it sets them from."""

RootMoves: TypeAlias = Iterable[str] | None
"""Moves to choose from, None for all legal moves."""
Options: TypeAlias = Mapping[str, str | int | bool]
"""Values of options by name."""


def checked_lines(multipv: int | None) -> int:
    if multipv is not None and (type(multipv) is not int or multipv < 1):
        raise ValueError(f"multipv: {multipv!r} is not an integer from 1")
    return multipv or 1


def checked_root_moves(position: Position, moves: RootMoves) -> tuple[Move, ...]:
    """Return the moves to choose from, empty for all."""
    if moves is None:
        return ()
    if isinstance(moves, str) or not isinstance(moves, Iterable):
        raise wrong_type("root_moves", moves, "a list of moves")
    if not (chosen := tuple(map(position.parse_move, moves))):
        raise ValueError("root_moves: empty; expected at least one move, or None for all")
    return chosen


def checked_search(game: Game | Position, limit: Limit, root_moves: RootMoves) -> tuple[Game, tuple[Move, ...]]:
    """Check what to search, and return it as a game and the moves to choose from, none for all."""
    if not isinstance(game, Game | Position):
        raise wrong_type("game", game, "a Game or a Position")
    if not isinstance(limit, Limit):
        raise wrong_type("limit", limit, "a Limit, such as Limit(time=0.1)")
    game = Game(game) if isinstance(game, Position) else game
    limit.check_mover(game.position.side)
    if (outcome := game.outcome()) is not None:
        raise ValueError(f"the game is over: {outcome}")
    return game, checked_root_moves(game.position, root_moves)


def checked_command(command: str | Sequence[str | PathLike[str]] | None) -> tuple[str, ...]:
    """Return the words of a command; None is that of the engine of this package."""
    if command is None:
        return OWN_ENGINE
    if not isinstance(command, Sequence) or not all(isinstance(word, str | PathLike) for word in command):
        raise wrong_type("command", command, "a string, or a sequence of strings")
    try:
        return parse_command(command if isinstance(command, str) else [fspath(word) for word in command])
    except ValueError as error:
        raise SettingsError(f"command {quoted(str(command))}: {error}") from error


def check_own_engine(program: str) -> None:
    """Check that the engine of this package is on the PATH if it is given by its name."""
    if program == _OWN_NAME and shutil.which(program) is None:
        hint = "without a command, Engine.popen() starts the engine of this package"
        raise EngineStartError(f"cannot start {quoted(program)}: not on the PATH, as in a virtual environment; {hint}")


def checked_board(board: tuple[int, int] | str | None) -> str | None:
    match board:
        case None | str():
            return board
        case (int(files), int(ranks)):
            return f"{files}x{ranks}"
    raise wrong_type("board", board, "two integers (files, ranks), or a text such as '12x8'")


def checked_path(what: str, path: str | PathLike[str] | None) -> str | None:
    if path is not None and not isinstance(path, str | PathLike):
        raise wrong_type(what, path, "a string or a Path")
    return None if path is None else fspath(path)


def checked_options(options: Options | None) -> dict[str, str]:
    """Return options as text, each on one line.

    Raises:
        EngineOptionError: ``Engine`` itself sets an option.
        SettingsError: a line break.
        TypeError: a name or a value has the wrong type.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise wrong_type("options", options, "a dict of names and values")
    texts: dict[str, str] = {}
    for name, value in options.items():
        if not isinstance(name, str):
            raise wrong_type("option", name, "a name")
        if not isinstance(value, str | int):
            raise wrong_type(f"option {quoted(name)}: value", value, "a string, an integer or a bool")
        text = option_text(value)
        if "\n" in name + text or "\r" in name + text:
            raise SettingsError(f"option {quoted(name)}: value {quoted(text)}: has a line break; expected one line")
        if source := _MANAGED.get(name.lower()):
            raise EngineOptionError(f"option {quoted(name)}: Engine sets it {source}; expected another option")
        texts[name] = text
    return texts
