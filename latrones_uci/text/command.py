"""Commands as text: words with quotation marks, by the rules of the system. No shell is ever run."""

import re
import shlex
import sys
from collections.abc import Iterable

PYTHON = "python" if sys.platform == "win32" else "python3"
"""The usual command that starts Python."""
_SPACES = " \t\r\n"
# What neither cmd nor PowerShell changes outside of quotation marks. PowerShell divides a word such as -a.b.
_SAFE = re.compile(r"-[\w-]*|[\w.:/\\+][\w.:/\\+=-]*")
_PIECE = re.compile(r'(\\*)"|(.)', re.DOTALL)
_BEFORE_QUOTE = re.compile(r'(\\*)("|$)')


def split_command(text: str, *, windows: bool = sys.platform == "win32") -> list[str]:
    r"""Return the words of a command.

    On POSIX they are divided as by its shells. On Windows, as by its programs (``CommandLineToArgvW``): a backslash is
    one of a path, unless a ``"`` follows; ``'`` is a letter.

    Raises:
        ValueError: a quotation mark is not closed.
    """
    return _split_for_windows(text) if windows else shlex.split(text)


def join_command(words: Iterable[str], *, windows: bool = sys.platform == "win32") -> str:
    """Return a text with these words, for ``split_command`` and to be pasted into a shell.

    On Windows this is cmd; PowerShell takes it, too, if no word has a ``"``. There is no way to quote ``%NAME%`` in cmd
    or ``$NAME`` in PowerShell for both.
    """
    return " ".join(map(_quote_for_windows, words)) if windows else shlex.join(words)


def _split_for_windows(text: str) -> list[str]:
    words: list[str] = []
    word: str | None = None
    inside, closed_at = False, -1
    for piece in _PIECE.finditer(text):
        backslashes, character = piece.groups()
        if character is None:  # a quotation mark
            word = (word or "") + "\\" * (len(backslashes) // 2)
            if len(backslashes) % 2 or piece.start() == closed_at and not backslashes:
                word += '"'  # escaped, or the second of two
            else:
                inside = not inside
                closed_at = -1 if inside else piece.end()
        elif inside or character not in _SPACES:
            word = (word or "") + character
        elif word is not None:
            words.append(word)
            word = None
    if inside:
        raise ValueError("No closing quotation")
    return words if word is None else [*words, word]


def _quote_for_windows(word: str) -> str:
    if _SAFE.fullmatch(word):
        return word
    return '"' + _BEFORE_QUOTE.sub(lambda found: 2 * found[1] + ('\\"' if found[2] else ""), word) + '"'
