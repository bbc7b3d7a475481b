"""Bytes as they arrive, cut into lines of bounded length."""

LINE_LIMIT_BYTES = 65536


class LineSplitter:
    """Collects bytes and gives out complete lines.

    A line ends with a line feed; trailing blanks, carriage returns among them, are removed. Of a line longer than
    the limit only the first ``limit_bytes`` bytes are kept, so that an engine cannot fill the memory. An unfinished
    line at the end is never given out.
    """

    def __init__(self, limit_bytes: int = LINE_LIMIT_BYTES) -> None:
        """Begins with nothing collected."""
        self._limit_bytes = limit_bytes
        self._partial = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """The lines that ``data`` completes; bytes that are not UTF-8 become U+FFFD."""
        *complete, rest = data.split(b"\n")
        lines = []
        for piece in complete:
            self._append(piece)
            lines.append(self._partial.decode(errors="replace").rstrip())
            self._partial.clear()
        self._append(rest)
        return lines

    def _append(self, piece: bytes) -> None:
        self._partial += piece[: max(self._limit_bytes - len(self._partial), 0)]
