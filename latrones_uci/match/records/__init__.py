"""What is known of a game: who, how long, how it ended, every ply."""
