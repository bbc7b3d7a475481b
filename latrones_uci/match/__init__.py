"""The match runner: engines as child processes, refereed games, records.

Referees with ``game`` and counts with ``stats``; never imports ``engine`` or ``search``: this project's own
engine is a subprocess like any other.
"""
