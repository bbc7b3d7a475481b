"""Fuzz targets, and the tests that keep them working; `python3 tests/fuzz` runs them."""
