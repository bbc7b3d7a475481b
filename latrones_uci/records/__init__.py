"""What is kept of matches: the plan of the games, game records, the SQLite database, and PGN files.

Imports ``game`` and ``client``; plays no games.
"""
