"""Drive any engine as a subprocess. Start reading at ``engine``; below it ``controller``, ``connection``, ``process``.

Public: ``Engine``, ``AsyncEngine``, their results, limits, timeouts and errors. Never imports an engine, not even ours.
"""
