CREATE TABLE match (id INTEGER PRIMARY KEY CHECK (id = 1), created TEXT NOT NULL, program TEXT NOT NULL,
    settings TEXT NOT NULL, verdict TEXT NOT NULL, run TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE engine (id INTEGER PRIMARY KEY, name TEXT NOT NULL, id_name TEXT NOT NULL, id_author TEXT NOT NULL,
    command TEXT NOT NULL, command_hash TEXT NOT NULL, signature TEXT NOT NULL) STRICT;
CREATE TABLE opening (variant INTEGER NOT NULL, number INTEGER NOT NULL, fen TEXT NOT NULL, moves TEXT,
    PRIMARY KEY (variant, number)) STRICT;
CREATE TABLE game (number INTEGER PRIMARY KEY, pair INTEGER NOT NULL, round INTEGER NOT NULL,
    variant INTEGER NOT NULL, opening INTEGER NOT NULL, white INTEGER NOT NULL, black INTEGER NOT NULL,
    started TEXT NOT NULL, result TEXT NOT NULL, winner INTEGER, termination TEXT NOT NULL, details TEXT NOT NULL,
    fault TEXT, violations TEXT NOT NULL) STRICT;
CREATE TABLE ply (game INTEGER NOT NULL REFERENCES game, ply INTEGER NOT NULL, offence INTEGER NOT NULL,
    side INTEGER NOT NULL, movenumber INTEGER NOT NULL, move TEXT NOT NULL, elapsed_ns INTEGER NOT NULL,
    allowed_ns INTEGER, clock_left_ns INTEGER, score_centi INTEGER, mate INTEGER, depth INTEGER, nodes INTEGER,
    time_ms INTEGER, pv TEXT NOT NULL, PRIMARY KEY (game, ply)) STRICT, WITHOUT ROWID;
PRAGMA application_id = 1281455218;
PRAGMA user_version = 1;

CREATE TABLE games (record TEXT PRIMARY KEY, created REAL NOT NULL, updated REAL NOT NULL, name TEXT NOT NULL, variant TEXT NOT NULL, result TEXT NOT NULL, plies INTEGER NOT NULL, data TEXT NOT NULL, words TEXT NOT NULL);
CREATE INDEX games_by_words ON games (updated DESC, record, name, words)
