"""The checkout as it is built from: without what a build or a check leaves behind, so that nothing stale gets in."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "*.so", "*.pyd",
    "not_built.txt",
)  # fmt: skip


def copy_checkout(target: Path) -> None:
    """Copies the checkout to a folder that is not there yet."""
    shutil.copytree(ROOT, target, ignore=_NOT_COPIED)
