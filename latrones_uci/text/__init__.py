"""The ground floor: messages, TOML, files, locks, SQLite, and the terms of the protocol. Start reading at ``messages``.

Public: ``Score`` and ``SearchInfo`` of ``protocol``. Never imports another room.
"""
