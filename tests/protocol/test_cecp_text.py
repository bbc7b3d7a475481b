"""The games that XBoard is offered, and its positions; the pages that list them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from latrones_uci.game import Position, VariantError, builtin_variants, find_variant, load_variants
from latrones_uci.protocols.xboard.commands import COMMANDS
from latrones_uci.protocols.xboard.game import fen_of_xboard, find_offered, offered, xboard_fen
from protocol.test_contract import PAGE, table

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "docs" / "examples"


def test_protocol_page_names_every_command_and_the_flag() -> None:
    listed = [re.findall(r"`([^` ]+)[^`]*`", row.split(" | ")[0]) for row in table("cecp commands")]
    assert sorted(word for row in listed for word in row) == sorted(COMMANDS)
    assert "latrones-uci --xboard" in PAGE


def test_protocol_page_names_every_game() -> None:
    rows = {row.split("|")[1].strip().strip("`"): row for row in table("cecp games")}
    assert list(rows) == list(builtin_variants())
    names = offered(builtin_variants())
    for game, row in rows.items():
        shown = [f"`{name}`" for name, (ruleset, _) in names.items() if ruleset.name == game]
        assert row.split("|")[2].strip() == (", ".join(shown) or "-")


def test_games_from_a_file() -> None:
    names = {name for path in EXAMPLES.glob("*.toml") for name in offered(load_variants(str(path)))}
    assert names >= set(offered(builtin_variants()))
    assert not any("seega" in name for name in names)


def test_names_that_xboard_takes_for_chess() -> None:
    latrones = find_variant("latrones")
    names = ("great-losers", "Losers2", "super", "grand-8", "fairyland", "my-great", "superb", "wildest")
    games = {name: replace(latrones, name=name) for name in names}
    assert {ruleset.name for ruleset, _ in offered(games).values()} == {"fairyland", "my-great", "superb", "wildest"}
    with pytest.raises(VariantError, match="takes the name for chess"):
        find_offered(games, "great-losers")


@pytest.mark.parametrize(("game", "fen"), [("rota", "s2/3/2S[2S2s] w 0 2"), ("rota", "s1S/sS1/S1s[-] w 0 1"),
                                           ("latrones", "ssss/4/1D2/SSSS b 7 31")])  # fmt: skip
def test_fens_round_trip(game: str, fen: str) -> None:
    assert fen_of_xboard(xboard_fen(Position.from_fen(find_variant(game), fen))) == fen
