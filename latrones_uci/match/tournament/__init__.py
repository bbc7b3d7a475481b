"""Many games: who plays whom, where they are played, and what they add up to."""
