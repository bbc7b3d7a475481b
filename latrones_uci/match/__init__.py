"""What is played: one refereed game, openings, the tournament, and where games run. Start reading at ``run``.

Public: nothing. Never imports an engine, not even ours, which is a subprocess like any other; only ``engine.tables``,
by which the referee ends games.
"""
