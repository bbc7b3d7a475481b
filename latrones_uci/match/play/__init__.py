"""One refereed game: clocks, moves, endings, and the record of it."""
