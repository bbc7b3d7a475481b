"""Files of tables: damage is found, other games are rejected, and an interrupted run is resumed."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from latrones_uci.engine.kernels import wire
from latrones_uci.engine.tables import NoTablesError, Tables, TablesError, maker
from latrones_uci.engine.tables.file import MANIFEST, TableFile, read_manifest
from latrones_uci.engine.tables.maker import Step, make_tables, plan_tables
from latrones_uci.engine.tables.material import check_possible, rules_digest, rules_text
from latrones_uci.game import Position, find_variant
from tables_help import core_of, make, position_on, small

pytestmark = pytest.mark.usefixtures("native_core")
GAME = small("petteia-xxi")
LIKE = position_on(GAME, 4, 3)
SMALLER, LARGER = "petteia-xxi-4x3-SSvSS.ltb", "petteia-xxi-4x3-SSSvSS.ltb"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "tables"
    make(LIKE, 5, folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of the tables."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_files_have_names_and_checksums(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {SMALLER, LARGER, MANIFEST}
    checksums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (SMALLER, LARGER)}
    assert read_manifest(folder) == checksums
    tables = Tables(folder, LIKE)
    assert (len(tables.files), tables.most_men) == (2, 5)
    assert {file.header.rules for file in tables.files} == {rules_digest(GAME)}


def test_damage_is_found(folder: Path) -> None:
    path, chance = folder / LARGER, Random(1)
    whole = path.read_bytes()
    places = [0, 9, 12, 17, 30, 60, 75, 80, 140, 150, 151, 300, -33, -1]
    for place in places + [chance.randrange(len(whole)) for _ in range(60)]:
        data = bytearray(whole)
        data[place] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        with pytest.raises(TablesError, match="ltb"):
            TableFile(path)
    for kept in (0, 5, 50, 76, 100, 200, -1):
        path.write_bytes(whole[:kept])
        with pytest.raises(TablesError, match=r"truncated|wrong size|not an endgame table"):
            TableFile(path)
        with pytest.raises(TablesError):
            Tables(folder, LIKE)


def resealed(data: bytes) -> bytes:
    """Return the contents of a file with the right checksum."""
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


def test_a_small_file_cannot_cost_much(folder: Path) -> None:
    """A split whose numbering would take hours, and blocks that expand to gigabytes."""
    path = folder / LARGER
    whole = path.read_bytes()
    (folder / MANIFEST).unlink()
    path.write_bytes(resealed(whole[:13] + b"\x06" + whole[14:15] + b"\x05" + whole[16:]))
    with pytest.raises(TablesError, match="codes do not fit SSSSSSvSSSSS on 4x3"):
        Tables(folder, LIKE)
    path.write_bytes(resealed(whole[:13] + b"\x09" + whole[14:15] + b"\x09" + whole[16:]))
    with pytest.raises(TablesError, match="the header is damaged"):
        TableFile(path)

    path.write_bytes(whole)
    file = TableFile(path)
    at = file._offsets[0]
    bomb = zlib.compress(bytes(1 << 26), 9)
    lengths = at - 4 * file.header.blocks
    bombed = whole[:lengths] + len(bomb).to_bytes(4, "little") + whole[lengths + 4 : at] + bomb
    path.write_bytes(resealed(bombed + whole[file._offsets[1] :]))
    tracemalloc.start()
    with pytest.raises(TablesError, match="block 0 does not have"):
        TableFile(path).codes(0, 0)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


@pytest.mark.posix
def test_a_pipe_in_place_of_a_file_is_refused(folder: Path) -> None:
    path = folder / LARGER
    (folder / MANIFEST).unlink()
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(TablesError, match="not a regular file"):
        Tables(folder, LIKE)


def test_a_file_must_be_the_one_in_the_manifest(folder: Path) -> None:
    """Not a valid file with other contents than when it was made."""
    sums = (folder / MANIFEST).read_bytes()
    other = b"0000" if sums[:4] != b"0000" else b"1111"
    for text in (other + sums[4:], b"x\n", b"0" * 64 + b"\n", b"\xff"):
        (folder / MANIFEST).write_bytes(text)
        with pytest.raises(TablesError, match="SHA256SUMS"):
            Tables(folder, LIKE)
    (folder / MANIFEST).unlink()
    Tables(folder, LIKE)


def test_other_games_and_boards_are_rejected(folder: Path) -> None:
    for like, problem in (
        (position_on(GAME, 3, 4), r"no tables of petteia-xxi 3x4; it has tables of petteia-xxi-4x3"),
        (position_on(small("petteia-xxi", nocapture_limit=50), 4, 3), "made with other rules under this name"),
        (Position.start("rota"), "solved without tables"),
    ):
        with pytest.raises(NoTablesError, match=problem):
            Tables(folder, like)
    with pytest.raises(TablesError, match="expected a directory of tables"):
        Tables(folder / "missing", LIKE)


def test_games_that_differ_only_in_their_start_share_tables(folder: Path) -> None:
    alike = position_on(small("single-stone-xxi"), 4, 3)
    assert Tables(folder, alike).most_men == 5
    make(alike, 4, folder)
    assert sorted(file.path.name for file in Tables(folder, alike).files) == [
        LARGER, "single-stone-xxi-4x3-SSvSS.ltb"]
    assert {file.path.name for file in Tables(folder, LIKE).files} == {SMALLER, LARGER}


def test_only_missing_and_damaged_tables_are_made(folder: Path) -> None:
    path = folder / LARGER
    whole = path.read_bytes()
    plan = plan_tables(core_of(LIKE), LIKE, 5, folder)
    assert (len(plan.tables), plan.missing, plan.invalid, plan.memory_bytes) == (2, (), (), 0)
    path.write_bytes(whole[:-1])
    kept = (folder / SMALLER).stat().st_mtime_ns
    core = core_of(LIKE)
    plan = plan_tables(core, LIKE, 5, folder)
    assert [str(table.split) for table in plan.missing] == ["SSSvSS"]
    assert "wrong size" in plan.invalid[0]
    made = [table for table, _, _, _ in make_tables(core, LIKE, plan, 2, lambda step: True)]
    assert [str(table.split) for table in made] == ["SSSvSS"]
    assert path.read_bytes() == whole, "with two threads as with one"
    assert (folder / SMALLER).stat().st_mtime_ns == kept


def test_an_interrupted_run_leaves_complete_files_only(tmp_path: Path) -> None:
    core = core_of(LIKE)
    plan = plan_tables(core, LIKE, 5, tmp_path)
    run = make_tables(core, LIKE, plan, 1, lambda step: str(step.table.split) != "SSSvSS" or step.level < 3)
    assert str(next(run)[0].split) == "SSvSS"
    with pytest.raises(KeyboardInterrupt):
        next(run)
    assert {path.name for path in tmp_path.iterdir()} == {SMALLER, MANIFEST}
    plan = plan_tables(core_of(LIKE), LIKE, 5, tmp_path)
    assert [str(table.split) for table in plan.missing] == ["SSSvSS"]


# ---------------------------------------------------------------- the compiled core


def test_the_core_checks_its_arguments() -> None:
    core, split = core_of(LIKE), (0, 2, 0, 2)
    size = core.ending_shape(split)[0]
    for call in (
        lambda: core.ending_codes(split, 0, 0, 1),  # not in memory
        lambda: core.load_ending(split, [b"\0" * (size - 1)]),
        lambda: core.load_ending(split, [b"\0" * size] * 2),
        lambda: core.solve_ending(split, 0, lambda *_: True),
        lambda: core.solve_ending(split, 1000, lambda *_: True),
    ):
        with pytest.raises(ValueError, match="invalid"):
            call()
    for impossible in ((2, 0, 0, 1), (0, -1, 0, 1), (0, 0, 0, 0), (0, 17, 0, 1), (0, 9, 0, 8)):
        with pytest.raises(ValueError, match=r"invalid|too many"):
            core.ending_shape(impossible)
        with pytest.raises(ValueError, match=r"invalid|too many"):
            core.load_ending(impossible, [b""])
        with pytest.raises(ValueError, match=r"invalid|too many"):
            core.solve_ending(impossible, 1, lambda *_: True)
    core.load_ending(split, [b"\0" * size])
    assert core.ending_codes(split, 0, 0, size) == b"\0" * size
    for begin, end, plane in ((1, 0, 0), (0, size + 1, 0), (0, 1, 1), (0, 1, -1)):
        with pytest.raises(ValueError, match="invalid"):
            core.ending_codes(split, plane, begin, end)
    board = wire(LIKE.geometry, Position.from_fen(GAME, "4/s2s/S2S w 0 1").board)
    assert core.ending_value(board) == (0, 0, False)
    core.drop_endings()
    assert core.ending_value(board) is None


def test_errors_end_the_run() -> None:
    def fail(*_: int) -> bool:
        raise ZeroDivisionError

    with pytest.raises(RuntimeError, match="a table with fewer men is missing"):
        core_of(LIKE).solve_ending((0, 3, 0, 3), 1, lambda *_: True)
    with pytest.raises(ZeroDivisionError):
        core_of(LIKE).solve_ending((0, 2, 0, 2), 2, fail)


@pytest.mark.parametrize("name", ["ludii-piso", "ludii-schadler-1994", "ludii-bell-8x8", "ludii-falkener"])
def test_games_without_tables_are_rejected(name: str) -> None:
    with pytest.raises(TablesError, match=f"{name}: there are no tables for games with repetition 'illegal': the value"
                       " of a position depends on earlier moves; expected another game"):
        check_possible(find_variant(name))
    other = replace(find_variant("latrones"), equal_men="black")
    with pytest.raises(TablesError, match="equal_men 'black': the table maker does not support it; expected another"):
        check_possible(other)


def test_younger_keys_do_not_change_the_names_of_the_rules() -> None:
    """The files of the first version stay valid."""
    text = rules_text(find_variant("bell"))
    assert "hostile_corners" not in text
    assert "repetition" in text


def test_the_time_left_falls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from the speed of the tables before; a table that takes longer than that shows none."""
    like = position_on(small("petteia-xxi"), 4, 4)
    core = core_of(LIKE)
    plan = plan_tables(core, like, 5, tmp_path)
    now = [0.0]
    monkeypatch.setattr(maker, "now_s", lambda: now[0])
    left: dict[str, list[float | None]] = {}

    def report(step: Step) -> bool:
        now[0] += 1
        left.setdefault(str(step.table.split), []).append(step.left_s)
        return True

    list(make_tables(core, like, plan, 1, report))
    first, *others = left.values()
    assert set(first) == {None}
    for times in others:
        shown = [each for each in times if each is not None]
        assert shown == sorted(shown, reverse=True)
        assert times == [*shown, *[None] * (len(times) - len(shown))]
    assert any(each for times in others for each in times)
