"""The public Python API of latrones-uci: positions and games, engines as subprocesses, and engines of your own.

Everything that is not listed in ``__all__`` is private. ``docs/api.md`` has examples. Names are imported when they are
first used, so that the engine itself starts without them. Not even ``typing`` is imported: what comes before
``commands.main.main`` is not protected from Ctrl+C.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from latrones_uci.client.analysis import Analysis
    from latrones_uci.client.async_engine import AsyncAnalysis, AsyncEngine
    from latrones_uci.client.engine import Engine, PlayResult
    from latrones_uci.client.engine_spec import Timeouts
    from latrones_uci.client.errors import (
        EngineBusyError,
        EngineCrashError,
        EngineError,
        EngineOptionError,
        EngineProtocolError,
        EngineStallError,
        EngineStartError,
        SettingsError,
    )
    from latrones_uci.client.output import OptionDeclaration
    from latrones_uci.client.time_control import Limit
    from latrones_uci.engine.playouts import Playouts, perft, playouts
    from latrones_uci.engine.tables import NoTablesError, Tables, TablesError, TableValue
    from latrones_uci.game import (
        BLACK,
        WHITE,
        BoardSizeError,
        FenError,
        Game,
        IllegalMoveError,
        LatronesError,
        MalformedMoveError,
        Move,
        Outcome,
        Position,
        Ruleset,
        Termination,
        VariantError,
        builtin_variants,
        draw_board,
        find_variant,
        load_variants,
        ludii_variants,
    )
    from latrones_uci.protocols.function_engine import SearchLimits, serve
    from latrones_uci.records.pgn_games import AnnotatedGame, read_pgn, write_pgn
    from latrones_uci.records.pgn_read import PgnError, PgnMove
    from latrones_uci.text.protocol import Score, SearchInfo
    from latrones_uci.version import __version__

_HOMES = {
    "client.analysis": ("Analysis",),
    "client.async_engine": ("AsyncAnalysis", "AsyncEngine"),
    "client.engine": ("Engine", "PlayResult"),
    "client.engine_spec": ("Timeouts",),
    "client.errors": ("EngineBusyError", "EngineCrashError", "EngineError", "EngineOptionError", "EngineProtocolError",
                      "EngineStallError", "EngineStartError", "SettingsError"),
    "client.output": ("OptionDeclaration",),
    "client.time_control": ("Limit",),
    "engine.playouts": ("Playouts", "perft", "playouts"),
    "game": ("BLACK", "WHITE", "BoardSizeError", "FenError", "Game", "IllegalMoveError", "LatronesError",
             "MalformedMoveError", "Move", "Outcome", "Position", "Ruleset", "Termination", "VariantError",
             "builtin_variants", "draw_board", "find_variant", "load_variants", "ludii_variants"),
    "records.pgn_games": ("AnnotatedGame", "read_pgn", "write_pgn"),
    "records.pgn_read": ("PgnError", "PgnMove"),
    "text.protocol": ("Score", "SearchInfo"),
    "protocols.function_engine": ("SearchLimits", "serve"),
    "engine.tables": ("NoTablesError", "TableValue", "Tables", "TablesError"),
    "version": ("__version__",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BLACK",
    "WHITE",
    "Analysis",
    "AnnotatedGame",
    "AsyncAnalysis",
    "AsyncEngine",
    "BoardSizeError",
    "Engine",
    "EngineBusyError",
    "EngineCrashError",
    "EngineError",
    "EngineOptionError",
    "EngineProtocolError",
    "EngineStallError",
    "EngineStartError",
    "FenError",
    "Game",
    "IllegalMoveError",
    "LatronesError",
    "Limit",
    "MalformedMoveError",
    "Move",
    "NoTablesError",
    "OptionDeclaration",
    "Outcome",
    "PgnError",
    "PgnMove",
    "PlayResult",
    "Playouts",
    "Position",
    "Ruleset",
    "Score",
    "SearchInfo",
    "SearchLimits",
    "SettingsError",
    "TableValue",
    "Tables",
    "TablesError",
    "Termination",
    "Timeouts",
    "VariantError",
    "__version__",
    "builtin_variants",
    "draw_board",
    "find_variant",
    "load_variants",
    "ludii_variants",
    "perft",
    "playouts",
    "read_pgn",
    "serve",
    "write_pgn",
]


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used."""
    from importlib import import_module

    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
