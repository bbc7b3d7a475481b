"""Settings and games on the disk."""
