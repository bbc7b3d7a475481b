"""The compliance checks of ``latrones-uci check``: does an engine follow the protocol?

Imports ``client``, ``game`` and ``protocol``, but not ``engine``: this project's engine is checked as a subprocess like
any other. The checks see raw lines, so they do not use the ``Engine`` of ``client``.
"""
