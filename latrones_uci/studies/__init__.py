"""What is made of matches: versions compared, nets trained, rulesets measured, puzzles."""
