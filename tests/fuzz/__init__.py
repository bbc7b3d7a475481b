"""Fuzz targets, and the tests that keep them working; `scripts/fuzz.py` runs them."""
