"""The line protocol: text to commands, events to text, and the loop between. See protocol.md."""
