"""Ports of this machine."""

import socket
import sys


def take_alone(server: socket.socket) -> None:
    """Let a socket, before it is bound, have its port for itself, also at once after another program has left it.

    Windows would let several programs have the same port, and SO_REUSEADDR is what allows it there.
    """
    if sys.platform == "win32":
        server.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
