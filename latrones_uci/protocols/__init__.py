"""The engine's side of the protocols; protocol.md has their text. Start reading at ``serve``, then ``uci.session``.

``serve`` reads the first line and picks the dialect: ``uci`` (with UGI), ``gtp`` or ``xboard``; ``channel`` and
``common`` are below them. Public: ``serve`` and ``SearchLimits`` of ``function_engine``. Never imports ``client``,
except for these.
"""
