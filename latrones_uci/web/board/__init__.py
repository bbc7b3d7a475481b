"""The board in the browser: ``latrones-uci gui``.

The server knows the rules and drives the engines; the page receives positions and legal moves as JSON. Its modules
import each other in this direction:

    engine_catalog <- config, clocks <- engine_thread, analyst, review <- live_game <- state, game_store <- kept_games
    <- registry <- requests <- server
"""
