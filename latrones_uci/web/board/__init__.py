"""The board in the browser: ``latrones-uci gui``.

The server knows the rules and drives the engines; the page receives positions and legal moves as JSON. Its modules
import each other in this direction:

    engine_catalog <- config, clocks, variations <- engine_thread, analyst <- live_game <- state, game_store
    <- kept_games <- registry <- server
"""
