"""Nets: their files, the arithmetic in Python, and the nets of the package."""
