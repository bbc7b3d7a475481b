"""The workflows in .github run only the code that their commits name, and without the credentials of the repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from folders import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_those_of_a_commit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+(; .*)?", each) for each in used)
    checkouts = re.findall(r"uses: actions/checkout@.*\n((?: {8,}.*\n)+)", text)
    assert len(checkouts) == sum(each.startswith("actions/checkout@") for each in used)
    assert all("persist-credentials: false" in each for each in checkouts)
