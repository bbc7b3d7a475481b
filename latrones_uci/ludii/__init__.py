"""Ludii, the program for all board games: our engine in its player, and its agents in our matches.

The Java sources beside this file are data of the package. They are compiled where they are used, with Ludii's JAR.
"""
