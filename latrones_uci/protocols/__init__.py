"""The engine's side of the protocols. See protocol.md.

The dialects ``uci`` (with UGI) and ``xboard`` are beside each other, ``channel`` and ``common`` below them; ``serve``
reads the first line and picks one. Function engines are served in the same way.
"""
