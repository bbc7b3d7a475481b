"""What fuzzing has found stays mended: the corpus is run again, each input as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.targets import CORPUS, TARGETS
from latrones_uci import native

FUZZ = Path(__file__).parent


@pytest.mark.process
def test_corpus() -> None:
    """In a process of its own, for the targets change what they run in."""
    targets = [name for name in TARGETS if name != "binding" or native.is_compiled()]
    done = subprocess.run([sys.executable, FUZZ, *targets, "--replay"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-1000:]
    inputs = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert len(inputs) == sum(1 for name in targets for _ in (CORPUS / name).iterdir())


def test_each_target_begins_with_something_that_works() -> None:
    for name, target in TARGETS.items():
        texts = list(target.seeds())
        assert texts, name
        assert all(len(word.encode()) < 64 for word in target.words), name
        assert any((CORPUS / name).iterdir()), name
