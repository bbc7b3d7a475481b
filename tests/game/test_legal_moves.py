"""Legal moves and the positions after them, compared with perft.json."""

from typing import Any

import cases
import naive
from grouped import grouped


@grouped("entry", cases.entry_params("moves"))
def test_legal_moves(entry: dict[str, Any]) -> None:
    position = cases.position(entry["variant"], entry["fen"])
    assert sorted(map(position.move_text, position.legal_moves())) == entry["moves"]


@grouped("entry", cases.entry_params("after"))
def test_easily_misread_rules(entry: dict[str, Any]) -> None:
    """`tests` names a wrong reading of the rules, with which these moves are illegal or have other effects."""
    position = cases.position(entry["variant"], entry["fen"])
    before = naive.parse(entry["fen"])
    for text, fen in entry["after"].items():
        move = position.parse_move(text)
        after = naive.parse(fen)
        lifted = {
            square
            for square, piece in before.pieces.items()
            if naive.owner(piece) != before.side and not after.is_of(square, naive.owner(piece))
        }
        assert position.play(move).fen() == fen, f"{entry['tests']}: {text}"
        assert {position.geometry.square_name(square) for square in position.captures(move)} == set(
            map(naive.square_name, lifted)
        ), f"{entry['tests']}: {text}"


@grouped("entry", cases.entry_params("start"))
def test_start_positions(entry: dict[str, Any]) -> None:
    from_text = cases.position(entry["variant"], entry["fen"])
    size = (from_text.geometry.files, from_text.geometry.ranks)
    assert type(from_text).start(from_text.ruleset, size) == from_text
