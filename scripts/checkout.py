"""Copy the checkout without files that builds and checks leave behind, so that nothing stale is built."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "*.so", "*.pyd",
    "not_built.txt",
)  # fmt: skip


def copy_checkout(target: Path) -> None:
    """Copy the checkout to a new folder."""
    shutil.copytree(ROOT, target, ignore=_NOT_COPIED)
