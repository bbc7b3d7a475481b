"""The ground floor: messages, TOML, files, locks, SQLite, and the terms of the protocol."""
