"""Games as PGN, written and read back."""
