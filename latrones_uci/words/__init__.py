"""A position, a move and a ruleset in words."""
