"""The data files are unchanged; the conversion suite has won positions, and its script plays and counts them."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import calibrate as conversion
import cases
from latrones_uci import Position

SCRIPTS = Path(__file__).parent.parent / "scripts"
PER_VARIANT = 100


def test_checksums() -> None:
    lines = (cases.DATA / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = dict(reversed(line.split()) for line in lines)
    names = ("conversion", "games", "hunted", "lone_dux", "ludii", "perft")
    assert sorted(listed) == [f"{name}.json" for name in names]
    for name, checksum in listed.items():
        assert hashlib.sha256((cases.DATA / name).read_bytes()).hexdigest() == checksum, name


def test_every_variant_has_data() -> None:
    assert {entry["variant"] for entry in cases.perft_entries()} == set(cases.VARIANTS)
    assert {game["variant"] for game in cases.games()} == set(cases.VARIANTS)


@pytest.mark.parametrize("name", ["conversion", "lone_dux", "hunted"])
def test_one_side_is_decisively_ahead_in_every_position(name: str) -> None:
    for case in conversion.read_suite(cases.DATA / f"{name}.json"):
        position = Position.from_fen(conversion.ruleset(case.variant, case.file), case.fen)
        assert position.fen() == case.fen
        assert position.outcome() is None
        assert conversion.ahead(position) == case.ahead
        more, fewer = (conversion.count(position, side) for side in (case.ahead, 1 - case.ahead))
        if name == "conversion":
            assert position.nocapture == 0
        elif name == "lone_dux":
            assert (case.ahead, more - 1, fewer) in {(0, 6, 1), (0, 7, 1), (0, 8, 1)}
        else:
            assert more >= 30
            assert 2 <= fewer <= 8


def test_the_suite_has_as_many_different_positions_of_each_game() -> None:
    suite = json.loads(conversion.SUITE.read_text(encoding="utf-8"))
    assert [(entry["variant"], entry["board"], entry["file"]) for entry in suite] == list(conversion.GAMES)
    for entry in suite:
        assert len({fen for fen, _ in entry["positions"]}) == len(entry["positions"]) == PER_VARIANT


@pytest.mark.parametrize(("variant", "fen", "side"), [
    ("latrones", "8/3d4/s7/8/SSSS4/8/3D4/8 w 0 1", 0),
    ("latrones", "8/3d4/ss6/8/SSSS4/8/3D4/8 w 0 1", None),
    ("latrones", "8/3d4/ssss4/8/S7/8/3D4/8 w 0 1", 1),
    ("schaedler", "8/8/8/8/sss5/8/SSSSSS2/8[-] b 0 1", 0),
    ("kowalski-12x8", "12/12/6D5/5d6/9S2/12/12/12 w 0 1", 0),  # a lone dux is behind
])  # fmt: skip
def test_three_pieces_are_decisive(variant: str, fen: str, side: int | None) -> None:
    ruleset = conversion.ruleset(variant, "kowalski.toml" if variant == "kowalski-12x8" else None)
    assert conversion.ahead(Position.from_fen(ruleset, fen)) is side


def test_lone_duces_are_made_by_the_script(tmp_path: Path) -> None:
    conversion.make_lone_dux(tmp_path / "made.json", PER_VARIANT)
    assert (tmp_path / "made.json").read_bytes() == (cases.DATA / "lone_dux.json").read_bytes()


@pytest.mark.process
@pytest.mark.long
def test_the_script_counts_wins(tmp_path: Path) -> None:
    suite = tmp_path / "suite.json"
    positions = [["8/8/8/8/SSSS4/SSSS4/8/s5s1 w 0 1", "w"], ["ssss4/ssss4/8/8/8/8/S7/S7 w 0 1", "w"]]
    suite.write_text(json.dumps([{"variant": "petteia-xxi", "board": "8x8", "file": None, "positions": positions}]))
    done = subprocess.run(
        [sys.executable, SCRIPTS / "calibrate.py", "conversion", "--suite", suite, "--nodes", "100",
         "--concurrency", "1"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1].startswith("| petteia-xxi 8x8 | 1-0-1 | 50% (9% to 91%) |")
