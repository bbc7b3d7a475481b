"""Engines as child processes, and the controller's side of the protocol."""
