"""The command of this project's engine runs the package of the program that starts it, wherever that is."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import latrones_uci
from latrones_uci import Engine, Game, Limit
from latrones_uci.client.engine_spec import OWN_ENGINE

PACKAGE = Path(latrones_uci.__file__).parent
CHECKOUT = Path(__file__).resolve().parents[2]
OWN_COMMAND = re.compile(r"""['"]-m['"], ['"]latrones_uci['"]|executable\S* -m latrones_uci""")


@pytest.fixture
def decoy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with a package of the same name, as a checkout has it."""
    folder = tmp_path / "checkout"
    (folder / "latrones_uci").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py"):
        (folder / "latrones_uci" / name).write_text("raise SystemExit('the decoy was imported')\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.process
def test_the_current_directory_is_not_imported(decoy: Path) -> None:
    with Engine.popen(OWN_ENGINE, variant="rota") as engine:
        assert engine.play(Game("rota"), Limit(depth=1)).move is not None
    decoyed = subprocess.run([sys.executable, "-m", "latrones_uci", "--version"], capture_output=True, text=True)
    assert decoyed.stderr == "the decoy was imported\n"


@pytest.mark.process
@pytest.mark.parametrize("reached", ["PYTHONPATH", "sys.path", "relative"])
def test_the_engine_is_of_the_package_that_starts_it(decoy: Path, tmp_path: Path, reached: str) -> None:
    """Even if the engine's Python finds another package, or none."""
    site = tmp_path / "a b" / "site"
    site.mkdir(parents=True)
    (site / "latrones_uci").symlink_to(PACKAGE)
    environment = {**os.environ, "PYTHONPATH": str(site if reached == "PYTHONPATH" else decoy)}
    folder = os.path.relpath(site) if reached == "relative" else str(site)
    program = "\n".join([
        "import subprocess, sys",
        *([] if reached == "PYTHONPATH" else [f"sys.path.insert(0, {folder!r})"]),
        "from latrones_uci.client.engine_spec import OWN_ENGINE",
        "print(OWN_ENGINE[-1], flush=True)",
        "subprocess.run([*OWN_ENGINE, '--version'], cwd='/', check=True)",
    ])  # fmt: skip
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    path, version = done.stdout.splitlines()
    assert Path(os.path.abspath(path)).is_relative_to(site)
    assert version.startswith(f"latrones-uci {latrones_uci.__version__} ")


def test_everything_starts_the_engine_by_this_command() -> None:
    """Because ``-m latrones_uci`` runs whatever the current directory contains."""
    files = [path for folder in ("latrones_uci", "scripts", "tests", "docs/examples")
             for path in (CHECKOUT / folder).rglob("*.py")]  # fmt: skip
    found = [path.name for path in files if OWN_COMMAND.search(path.read_text(encoding="utf-8"))]
    # The environments of `revs` are isolated by -I.
    assert sorted(found) == ["revision.py", Path(__file__).name]
