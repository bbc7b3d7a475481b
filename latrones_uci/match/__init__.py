"""The match runner: one refereed game, openings, adjudication, tournaments, standings, settings.

And what is kept of matches: the plan of the games, game records, the SQLite database, PGN files. Never imports
``engine`` or ``search``: this project's own engine is a subprocess like any other.
"""
