"""Drive any engine as a subprocess: processes, the protocol, time controls, variants. Part of the public API.

Used by matches, analysis and the board in the browser. Imports neither ``engine`` nor ``search``.
"""
