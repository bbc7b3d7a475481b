"""What is kept of matches: plan, game records, the database, PGN."""
