"""A ruleset, a move and a position in words. Start reading at ``explain``.

Public: nothing. Never imports an engine: what it says follows from the rules alone.
"""
