"""Paths to pipes, devices and endless files: setting an option must not be able to hang the engine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from latrones_uci.game import VariantError, load_variants


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
    with pytest.raises(VariantError, match="longer than 1048576 bytes"):
        load_variants(str(path))


def test_an_invalid_path_is_an_error() -> None:
    with pytest.raises(VariantError, match="not UTF-8|null"):
        load_variants("a\0b")
