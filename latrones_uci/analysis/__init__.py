"""Engine analysis: annotate games (``latrones-uci analyse``) and solve test positions (``latrones-uci suite``).

Imports ``client``, ``records`` and ``game``, but neither ``engine`` nor ``match``: any engine can do the analysis.
"""
