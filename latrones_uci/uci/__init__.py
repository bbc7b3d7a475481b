"""The UCI and UGI dialects: text to commands, events to text, and the loop between them. See protocol.md."""
