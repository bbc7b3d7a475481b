"""The data files are unchanged, and the tests use all of their contents."""

import hashlib

import cases


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
