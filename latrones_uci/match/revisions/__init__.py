"""Versions of this project, built and ready to play."""
