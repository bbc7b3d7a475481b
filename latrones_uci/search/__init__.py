"""A complete engine in plain Python over ``game``: alpha-beta search and evaluation."""
