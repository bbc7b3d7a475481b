"""The cards beside nets; ``studies/test_trainer.py`` has those that a training writes."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.listener import Listener
from latrones_uci.engine.nets import find as nets
from latrones_uci.engine.nets.card import Card, CardMatch, Source, card_path, parse_card, read_card
from latrones_uci.engine.nets.file import NetError
from latrones_uci.engine.nets.python import NetEvaluation
from latrones_uci.engine.session import Session
from latrones_uci.game import find_variant
from latrones_uci.text.messages import quoted
from net_help import random_net

NET = random_net(find_variant("latrones"))
CARD = Card(
    NET.digest, "2026-11-27", "0.3.0", (Source(2_243_000, (700, 1000)), Source(45_000, (2000,), 15), Source(10)),
    CardMatch("net 2 (a2fa48cc)", "50 ms per move", (18, 275, 7), "+13.0 (+2.0 to +23.0)"),
)
TOLD = ("2026-11-27; 0.3.0; fitted to 2,243,000 positions of 700 and 1,000 nodes and 45,000 positions of 2,000 nodes,"
        " 15% endgames and 10 positions; 18-275-7 against net 2 (a2fa48cc), 50 ms per move, Elo +13.0 (+2.0 to +23.0)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    NET.write(tmp_path / "mine.net")
    return tmp_path / "mine.net"


@pytest.mark.long
def test_each_net_of_the_package_has_a_card() -> None:
    """It is that of the file, with the match that decided; no card is left of a net that is gone."""
    folder = Path(nets.__file__).parent
    paths = sorted(folder.glob("*.net"))
    assert {card_path(path) for path in paths} == set(folder.glob("*.toml"))
    for path in paths:
        card = parse_card(card_path(path).read_text(encoding="utf-8"))
        assert card.net == hashlib.sha256(path.read_bytes()).hexdigest()
        assert re.fullmatch(r"2026-\d\d-\d\d", card.date)
        assert card.version.startswith("commit ")
        assert card.data
        assert card.match is not None
        assert card.match.counts[0] > card.match.counts[2]
        assert re.match(r"\+\d+ \(\+\d+ ", card.match.elo), "the lower end of the interval is above 0"


def test_a_card_that_was_written_is_read(path: Path) -> None:
    assert NET.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    for card in (CARD, Card(NET.digest), replace(CARD, data=(), date="")):
        card.write(path)
        assert read_card(path, NET) == card
    assert str(CARD) == TOLD
    assert str(Card(NET.digest)) == ""


@pytest.mark.parametrize(("text", "problem"), [
    ("", "no key 'net'"),
    ("net = 5", "net = 5; expected 1 to 200 printable characters in quotes"),
    ('net = "a"\ndate = 2026-11-27', "date = 2026-11-27; expected 1 to 200 printable characters in quotes"),
    ('net = "a"\ncolour = "red"', "unknown key 'colour'; expected one of net, date, version, data, match"),
    ('net = "a"\n[[data]]\nnodes = [5]', "no key 'positions'"),
    ('net = "a"\n[[data]]\npositions = -1', "positions = -1; expected a natural number"),
    ('net = "a"\ndata = 3', "data = 3; expected a list"),
    ('net = "a"\nmatch = 3', "match = 3; expected a table"),
    ('net = "a"\n[match]\nopponent = "b"\nlimit = "c"\nelo = "d"\ncounts = [1, 2]',
     "counts = [1, 2]; expected three numbers of games: won, drawn, lost"),
    ('net = "a"\n[match]\nopponent = "b"', "no key 'limit'"),
])
def test_invalid_cards(text: str, problem: str) -> None:
    with pytest.raises(NetError, match=re.escape(problem)):
        parse_card(text)


def test_a_session_tells_the_net_and_its_card(session: Session, path: Path) -> None:
    """A card that cannot be used does not keep its net from playing, and a net without a card plays as one with it."""
    session.set_option("EvalFile", str(path))

    def told() -> str:
        found, evaluation = session.net, session.evaluate()
        assert found is not None
        assert found.net == NET
        assert isinstance(evaluation, NetEvaluation)
        assert evaluation.title == str(NET)
        assert NET.digest[:8] in str(NET)
        assert evaluation.card == found.card
        return found.card

    assert told() == ""
    CARD.write(path)
    assert told() == TOLD
    replace(CARD, net="0" * 64).write(path)
    where = f"not used: {quoted(str(card_path(path)))}: "
    assert told() == f"{where}the card of net '00000000'; expected '{NET.digest[:8]}'"
    card_path(path).write_text("net = ", encoding="utf-8")
    assert told().startswith(f"{where}not a TOML file: ")
    session.set_option("Skill Level", "0")
    assert session.net == nets.Found(None), "levels below full strength use no net"


def test_sessions_without_nets(listener: Listener) -> None:
    session = Session(listener)
    session.set_option("UCI_Variant", "rota")
    assert session.net is None, "the game is solved"
    session.close()
