"""The CECP dialect, the protocol of XBoard and WinBoard. See protocol.md."""
