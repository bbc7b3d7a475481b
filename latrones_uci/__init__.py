"""The public Python API of latrones-uci: positions and games, engines as subprocesses, and engines of your own.

Everything that is not listed in ``_HOMES`` is private. ``docs/api.md`` has examples. Names are imported when they are
first used, so that the engine itself starts without them. Not even ``typing`` is imported: what comes before
``commands.main.main`` is not protected from Ctrl+C. ``__init__.pyi`` has the same names for type checkers.
"""

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

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    from importlib import import_module

    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
