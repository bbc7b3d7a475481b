"""Commands as text, by the rules of both systems on every system."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latrones_uci.text.command import join_command, split_command

WORDS = st.lists(st.text("ab \t\r\n\\\"'&|<>^%$(),;`é=:./-", max_size=6))


@given(WORDS, st.booleans())
def test_what_is_joined_is_split(words: list[str], windows: bool) -> None:
    assert split_command(join_command(words, windows=windows), windows=windows) == words


@given(WORDS)
def test_windows_words_are_those_of_its_programs(words: list[str]) -> None:
    """``list2cmdline`` writes words as the runtime of C reads them; it does not know that we divide lines, too."""
    words = [word.replace("\r", "").replace("\n", "") for word in words]
    assert split_command(subprocess.list2cmdline(words), windows=True) == words


@pytest.mark.parametrize(("text", "words"), [
    (r"C:\e\x.exe", [r"C:\e\x.exe"]),
    (r'"C:\Program Files\x.exe" -n "D:\my nets\n.bin"', [r"C:\Program Files\x.exe", "-n", r"D:\my nets\n.bin"]),
    (r'--dir="C:\my dir\\" next', ["--dir=C:\\my dir\\", "next"]),
    (r"\\server\share\x.exe", [r"\\server\share\x.exe"]),
    (r"it's 'one two'", ["it's", "'one", "two'"]),
    (r'a\"b "c \" d"', ['a"b', 'c " d']),
    (r'"a""b c"', None),
    ('"a""b" c', None),
    ('"a"" b', ['a"', "b"]),
    ('"""', ['"']),
    (r'"a"\\"b"', ["a\\b"]),
    ('""  "" x', ["", "", "x"]),
    (" \t\n", []),
    ('"C:\\e', None),
])
def test_words_on_windows(text: str, words: list[str] | None) -> None:
    if words is None:
        with pytest.raises(ValueError, match="No closing quotation"):
            split_command(text, windows=True)
    else:
        assert split_command(text, windows=True) == words


@pytest.mark.parametrize(("word", "written"), [
    (r"C:\e\x.exe", r"C:\e\x.exe"),
    ("--games", "--games"),
    ("tc=10+0.1", "tc=10+0.1"),
    ("été", "été"),
    ("", '""'),
    ("a b\\", r'"a b\\"'),
    ("one,two", '"one,two"'),  # a list in PowerShell
    ("-x.y", '"-x.y"'),  # two words in PowerShell
    ("a&b", '"a&b"'),
    (r'cmd="C:\my e\x.exe" -q', r'"cmd=\"C:\my e\x.exe\" -q"'),
])
def test_what_a_shell_of_windows_changes_is_quoted(word: str, written: str) -> None:
    assert join_command([word], windows=True) == written


def test_words_of_posix() -> None:
    assert split_command(r"'a b' c\ d", windows=False) == ["a b", "c d"]
    assert join_command(["a b", "c"], windows=False) == "'a b' c"


def test_the_system_decides() -> None:
    program = r"C:\e\x.exe"
    assert split_command(program) == [program if sys.platform == "win32" else "C:ex.exe"]


if sys.platform == "win32":
    import ctypes

    @given(st.text('ab \t\\"', max_size=12))
    def test_windows_divides_in_the_same_way(text: str) -> None:
        divide = ctypes.windll.shell32.CommandLineToArgvW
        divide.argtypes, divide.restype = [ctypes.c_wchar_p, ctypes.c_void_p], ctypes.POINTER(ctypes.c_wchar_p)
        try:
            words = split_command(text)
        except ValueError:
            return
        count = ctypes.c_int()
        found = divide("program " + text, ctypes.byref(count))
        assert words == [found[number] for number in range(1, count.value)]
