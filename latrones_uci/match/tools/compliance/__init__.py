"""A compliance test for anybody's engine of these games: checks, how they are run, and their table."""
