"""A command line whose mistakes are one line each, and the types of its words."""

import argparse
from typing import NoReturn

from latrones_uci.game import quoted
from latrones_uci.match.errors import SettingsError


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that raises ``SettingsError`` instead of leaving the program."""

    def error(self, message: str) -> NoReturn:
        """Raises the error."""
        raise SettingsError(message)


def parse_natural(text: str) -> int:
    """A whole number from 0."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number")
    return int(text)


def parse_positive(text: str) -> int:
    """A whole number from 1."""
    if (number := parse_natural(text)) < 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number from 1")
    return number


def parse_seconds(text: str) -> float:
    """A time above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a time in seconds")
    return seconds


def parse_option_word(word: str) -> tuple[str, str]:
    """Name and value of ``NAME=VALUE``.

    Raises:
        SettingsError: it is something else.
    """
    name, equals, value = word.partition("=")
    if not equals or not name.strip() or "\n" in word or "\r" in word:
        raise SettingsError(f"{quoted(word)} is not NAME=VALUE")
    return name, value
