"""Text files as editors on Windows write them, with CRLF or a byte order mark, are read as the files without."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from folders import EXAMPLES, ROOT
from latrones_uci.client.variant_setup import load_variants, read_variant_file
from latrones_uci.commands.suite import read_suite
from latrones_uci.engine.nets.card import card_path, read_card
from latrones_uci.engine.nets.file import net_bytes, parse_net
from latrones_uci.game import Position, builtin_variants, find_variant
from latrones_uci.match.openings import parse_openings
from latrones_uci.records.pgn_games import read_pgn
from latrones_uci.records.settings import read_configuration
from latrones_uci.studies.revisions.recipe import read_recipe

SOURCE = ROOT / "latrones_uci"
START = Position.start(find_variant("latrones"), (6, 6))
OPENINGS = f"# Two openings\n\n{START.fen()} # the first\nstartpos moves a1a2 f6f5\n"
PGN = """\
; a comment
[Event "?"]
[White "A"]
[Black "B"]
[Variant "latrones"]
[Result "*"]

1. d1d5 {a comment
on two lines} e8e4 *

"""
SETTINGS = """\
games = 4
openings = "random:2"
[[engines]]
command = ["a", '''two
lines''']
control = "nodes=3"
[[engines]]
command = ["b"]
control = "nodes=3"
"""


def openings(path: Path) -> object:
    return parse_openings(str(path), START)


def openings_of_games(path: Path) -> object:
    return parse_openings(str(path), Position.start(find_variant("latrones")))


def variants(path: Path) -> object:
    return load_variants(str(path)), read_variant_file(str(path)).text


def games(path: Path) -> object:
    return [(game.tags, game.moves, game.comment) for game in read_pgn(path)]


def card(path: Path) -> object:
    """Read a file as the card of a net beside it."""
    card_path(path.parent / "net").write_bytes(path.read_bytes())
    return read_card(path.parent / "net", NET)


NET_FILE = ROOT / "latrones_uci" / "engine" / "nets" / "latrones-8x8.net"
NET = parse_net(net_bytes(NET_FILE), find_variant("latrones"), 8, 8)
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "match/openings.py": (OPENINGS, openings),
    "match/openings.py, PGN": (PGN, openings_of_games),
    "records/pgn_read.py": (PGN, games),
    "commands/suite.py": ((EXAMPLES / "forced-wins.suite").read_text(encoding="utf-8"),
                          lambda path: read_suite(str(path), builtin_variants())),
    "game/variants.py": ((EXAMPLES / "dablot.toml").read_text(encoding="utf-8"), variants),
    "records/settings.py": (SETTINGS, read_configuration),
    "engine/nets/card.py": (card_path(NET_FILE).read_text(encoding="utf-8"), card),
    "studies/revisions/recipe.py": ((ROOT / "revs.toml").read_text(encoding="utf-8"), read_recipe),
}
ELSEWHERE = {
    "commands/book.py": "test_book_command.py",
    "commands/gui.py": "a file that only this program writes",
    "ludii/java.py": "this package's sources, and a file that only this program writes",
    "ludii/player.py": "files of Ludii in its own format",
    "text/files.py": "the reader itself",
}


@pytest.mark.parametrize("name", READERS)
def test_line_ends_and_byte_order_marks_change_nothing(name: str, tmp_path: Path) -> None:
    text, read = READERS[name]
    found = []
    for number, written in enumerate((text, text.replace("\n", "\r\n"), f"\ufeff{text}",
                                      "\ufeff" + text.replace("\n", "\r\n"))):
        path = tmp_path / str(number) / "file"
        path.parent.mkdir()
        path.write_bytes(written.encode())
        found.append(read(path))
    assert found[0]
    assert found[1:] == [found[0]] * 3


def test_all_readers_of_text_are_here() -> None:
    calls = re.compile(r"read_text_file\(|open\([^()]*errors=")
    reading = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")
               if calls.search(path.read_text(encoding="utf-8"))}
    assert reading == {name.partition(",")[0] for name in READERS} | set(ELSEWHERE)
