"""Versions of this project as engines: find the source, build it, run its bench, and cache the result."""
