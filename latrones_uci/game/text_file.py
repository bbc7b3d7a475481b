"""Files of text, of which only so much is read."""

from pathlib import Path

MOST_BYTES = 64 * 2**20


def read_text_file(path: str | Path, most_bytes: int = MOST_BYTES) -> str:
    """The whole text of a file in UTF-8.

    Args:
        path: of the file.
        most_bytes: the length from which on nothing is made of it; no more is read, whatever the file is.

    Raises:
        OSError: it cannot be read.
        ValueError: it is longer, or not UTF-8, or the path is none.
    """
    with open(path, "rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise ValueError(f"longer than {most_bytes} bytes")
    return data.decode("utf-8")
