"""Tools that drive one engine: a check of its protocol, annotated games, test positions."""
