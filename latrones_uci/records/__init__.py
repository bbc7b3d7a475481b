"""What is kept of a match: its settings, plan, game records, database and PGN. Start reading at ``record``.

Public: the reading and writing of PGN. Never imports ``match``: what is kept does not know how it was played.
"""
