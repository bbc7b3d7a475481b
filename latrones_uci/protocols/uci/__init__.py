"""The UCI and UGI dialects: text to commands, events to text. See protocol.md."""
