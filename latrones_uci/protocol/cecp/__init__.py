"""CECP, the protocol of XBoard and WinBoard, as a third dialect. See protocol.md."""
