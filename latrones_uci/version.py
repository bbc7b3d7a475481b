"""The version, in a module that imports nothing, so that every room can."""

__version__ = "0.1.0"
