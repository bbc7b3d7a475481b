"""Positions from which games begin: where they come from, and which are fair."""
