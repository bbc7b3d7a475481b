"""Hints in errors: what a word of fastchess or cutechess is called here, and which known word is nearly the same."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# Options of fastchess and cutechess that have another name here, without their dashes.
_OPTIONS: Mapping[str, str] = {
    "rounds": "--games N (two games for each round)",
    "pgnout": "--pgn FILE",
    "maxmoves": "--max-plies N (two plies for each move)",
    "srand": "--seed N",
    "tournament": "--format round-robin|gauntlet|swiss|knockout",
    "output": "--json, or --quiet",
    "debug": "--log FILE",
    "outcomeinterval": "--quiet",
    "force-concurrency": "--force",
    "startup-ms": "--start-timeout SECONDS",
    "book": "--openings file:PATH",
    "path": "--variant-path FILE",
    "variants": "--variant-path FILE",
    "tb": "--tables DIR",
}
_NOT_NEEDED: Mapping[str, str] = {
    "repeat": "each opening is played twice, with colours swapped",
    "recover": "an engine that crashes is started again",
    "autosaveinterval": "every game is saved at once",
    "ratinginterval": "the score is shown after each game",
    "scoreinterval": "the score is shown after each game",
    "wait": "there is no wait between games",
}
# Keys of engines, of adjudication and of tests.
_KEYS: Mapping[str, str] = {
    "env": "env.NAME=VALUE",
    "environment": "env.NAME=VALUE",
    "proto": "protocol=",
    "timemargin": "margin=",
    "arg": "cmd=\"PROGRAM ARGUMENTS\"",
    "args": "cmd=\"PROGRAM ARGUMENTS\"",
    "command": "cmd=",
    "movetime": "st=SECONDS",
    "plies": "depth=",
    "hash": "option.Hash=",
    "threads": "option.Threads=",
    "movecount": "moves=",
    "score": "score_centi=",
    "twosided": "two_sided=on",
}


SILENT_HINT = "; the engine runs, but has printed nothing: does it flush its output after each line?"
"""The end of an error about an engine that does not answer the greeting, and has not printed anything."""


def option_hint(word: str, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown option such as ``-rounds``: ``; did you mean ...?``, or empty.

    All options have their dashes.
    """
    given = word.partition("=")[0]
    name, options = given.lstrip("-").lower(), [option for option in known if option != given]
    if name in _NOT_NEEDED:
        return f"; not needed: {_NOT_NEEDED[name]}"
    meant = _OPTIONS.get(name)
    if meant is None and f"--{name}" in options:
        return _did_you_mean(f"--{name}")
    if meant is not None and meant.split()[0].rstrip(",") in options:
        return _did_you_mean(meant)
    return _nearest(f"--{name}", options)


def key_hint(key: str, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown key: ``; did you mean ...?``, or empty.

    Keys of other tables than that of the ``known`` keys have no hint.
    """
    keys = list(known)
    if key.lower() in keys:
        return _did_you_mean(f"{key.lower()}=")
    if key.lower() == "format" and "order" in keys:
        return "; not needed: the format of a book is recognised"
    meant = _KEYS.get(key.lower())
    if meant is None:
        return _nearest(key, keys, "=")
    table = meant.partition("=")[0].partition(".")[0]
    return _did_you_mean(meant) if table in keys or (meant.startswith("-") or "." in meant) and "cmd" in keys else ""


def word_hint(word: str, known: Iterable[str]) -> str:
    """Return the end of an error about a word without ``=`` where ``KEY=VALUE`` is expected."""
    keys = list(known)
    if word in keys:
        return _did_you_mean(f"{word}=...")
    return _did_you_mean(f"cmd={word}") if "cmd" in keys else ""


def _nearest(word: str, known: Iterable[str], ending: str = "") -> str:
    return "".join(_did_you_mean(found + ending) for found in get_close_matches(word, list(known), 1, 0.75))


def _did_you_mean(what: str) -> str:
    return f"; did you mean '{what}'?"
