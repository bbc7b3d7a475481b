"""Bytes as they arrive, cut into lines of bounded length."""

LINE_LIMIT_BYTES = 65536


class LineSplitter:
    """Collects bytes and gives out complete lines.

    A line ends with a line feed, which is removed; a carriage return and blanks are kept. Of a line longer than the
    limit only the first ``limit_bytes`` bytes are kept, so that an engine cannot fill the memory. Bytes that are not
    UTF-8 become U+FFFD.
    """

    def __init__(self, limit_bytes: int = LINE_LIMIT_BYTES) -> None:
        """Begins with nothing collected."""
        self._limit_bytes = limit_bytes
        self._partial = b""

    @property
    def partial(self) -> str:
        """The line at the end that has no line feed yet, empty if there is none."""
        return self._partial.decode(errors="replace")

    def feed(self, data: bytes) -> list[str]:
        """The lines that ``data`` completes."""
        limit = self._limit_bytes
        if len(self._partial) >= limit:
            # Nothing is joined to a line that is full, or a flood without line feeds would cost a copy each time.
            full, self._partial = self._partial, b""
            if (end := data.find(b"\n")) < 0:
                self._partial = full
                return []
            data = full + data[end:]
        *complete, rest = (self._partial + data).split(b"\n")
        self._partial = rest[:limit]
        return [line[:limit].decode(errors="replace") for line in complete]
