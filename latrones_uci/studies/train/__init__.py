"""Train a net for a ruleset: self-play, training, and a match against the current evaluation."""
