"""What the report calls the endings by the rules, in databases of this version and of earlier ones."""

from pathlib import Path

from latrones_uci.game import Termination
from latrones_uci.match.serialize import serialize
from latrones_uci.match.store import Store, StoredEngine, StoredOpening
from latrones_uci.web.report.collect import report_data
from match_records import SETTINGS, START, record


def test_each_ending_has_a_name_of_its_own(tmp_path: Path) -> None:
    endings = [
        (Termination.DECIDED, "dux captured"), (Termination.DECIDED, "too few pieces"), (Termination.DECIDED, ""),
        (Termination.REPETITION, ""), (Termination.NO_CAPTURE, ""), (Termination.NO_MOVE, ""),
    ]  # fmt: skip
    with Store(tmp_path / "match.db", writing=True) as store:
        engines = [StoredEngine(name, name, "", ("x",), "", "") for name in "AB"]
        store.begin(serialize(SETTINGS), engines, "2024-05-31T12:00:00Z", "test")
        store.add_openings([StoredOpening(0, 0, START.fen())])
        for number, (termination, details) in enumerate(endings, start=1):
            store.add_game(record(number, 0, termination, details=details))
        names = [game.termination for game in report_data(store).games]
    assert names == [
        "dux captured", "no soldiers left", "decided on the board", "repetition", "100 turns without a capture",
        "no legal move"]  # fmt: skip
