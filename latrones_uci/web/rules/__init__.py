"""The rules of a game in words and small diagrams, for any ruleset: in the browser board and as static pages.

Everything is made from the fields of the ruleset, and every diagram is checked by playing its move.
"""
