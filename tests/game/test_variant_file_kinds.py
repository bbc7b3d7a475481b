"""Files of variants that must not hang the engine, and names in them that options could not tell apart."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from latrones_uci.game import VariantError, builtin_variants, load_variants, parse_variants


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(VariantError, match="not a regular file"):
            load_variants(str(path))


def test_an_endless_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "games.toml"
    with path.open("wb") as file:
        file.truncate(2**40)  # a sparse file, which needs no disk space
    with pytest.raises(VariantError, match="longer than 131072 bytes"):
        load_variants(str(path))


def test_an_invalid_path_is_an_error() -> None:
    with pytest.raises(VariantError, match="not UTF-8|null"):
        load_variants("a\0b")


def test_names_that_differ_in_case_only_are_rejected() -> None:
    """Options are compared without case, so that one of them could not be chosen."""
    entry = '[{}]\nparent = "latrones"\ntitle = "T"\nsource = "S"\n'
    for names in (("Mine", "mine"), ("mine", "MINE", "other")):
        with pytest.raises(VariantError, match="case"):
            parse_variants("".join(entry.format(name) for name in names), builtin_variants())
    assert list(parse_variants(entry.format("Mine"), builtin_variants())) == ["Mine"]
