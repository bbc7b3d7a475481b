"""The match runner: one refereed game, openings, adjudication, tournaments, standings, settings.

Never imports ``engine`` or ``search``: this project's own engine is a subprocess like any other.
"""
