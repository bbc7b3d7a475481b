"""scripts/simulate.py prints its tables."""

import subprocess
import sys

import pytest

from folders import ROOT

SCRIPT = ROOT / "scripts" / "simulate.py"


@pytest.mark.process
@pytest.mark.parametrize(("words", "rows"), [(["gate", "--games", "4", "--runs", "1"], 12),
                                             (["ratings", "--lists", "1"], 12),
                                             (["bisect", "--commits", "3", "--runs", "1"], 5)])
def test_a_small_table(words: list[str], rows: int) -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 2 + rows
