"""The compliance checks of ``latrones-uci check``: does an engine follow the protocol? Start reading at ``searches``.

They see raw lines, so they use the ``Connection`` below ``Engine``. Nothing here is public.
"""
