#!/usr/bin/env python3
"""Cross-compile the wheel for a Python for Windows, with the compiled core.

    windows_wheel.py PYTHON                 PYTHON is its folder, with python3XX.dll: the embeddable one is enough

It runs in the environment of the developers, which has setuptools and pybind11. The compiler is that of ``CXX``, else
the ``x86_64-w64-mingw32-g++-posix`` of Debian; if ``ccache`` is installed, it compiles no source twice. The headers are
those of the folder, or else those of a Python of the same version for this system: they differ in ``pyconfig.h`` alone.
The wheel must need no library but Python's and the system's. Its path is printed; nothing is run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

from release import copy_checkout

COMPILER = "x86_64-w64-mingw32-g++-posix"
PYCONFIG = """\
#define MS_WINDOWS
#define NT_THREADS
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL
#define HAVE_STDDEF_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_WCHAR_H 1
#define WITH_DOC_STRINGS 1
#define WITH_PYMALLOC 1
#define ALIGNOF_MAX_ALIGN_T 8
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_PID_T 4
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T 2
"""
"""What an extension sees of the ``pyconfig.h`` for 64-bit Windows."""
SYSTEM = re.compile(r"(kernel32|msvcrt|ucrtbase|api-ms-win-crt-[a-z0-9-]+)\.dll", re.IGNORECASE)
"""Libraries of every Windows."""


def headers(version: str) -> Path:
    """Return the folder of the headers of a Python of this version, such as ``3.12``.

    Raises:
        ValueError: there is none.
    """
    script = "import sysconfig; print(sysconfig.get_path('include'))"
    for program in (sys.executable, f"python{version}"):
        with suppress(FileNotFoundError):
            folder = Path(subprocess.run([program, "-c", script], capture_output=True, text=True).stdout.strip())
            if folder.name == f"python{version}" and (folder / "Python.h").is_file():
                return folder
    raise ValueError(f"no headers of Python {version}; expected an installed python{version} with its headers"
                     f" (Debian: python{version}-dev)")


def make(python: Path, output: Path) -> Path:
    """Make the wheel for the Python in a folder, and return its path.

    Raises:
        ValueError: there is no such Python, no headers of it, no compiler, or the build fails.
    """
    found = [match for path in python.glob("python3*.dll") if (match := re.fullmatch(r"python3(\d\d)\.dll", path.name))]
    if len(found) != 1:
        raise ValueError(f"'{python}': no Python for Windows; expected a folder with python3XX.dll")
    (library,) = found
    compiler = os.environ.get("CXX") or " ".join([*["ccache"] * bool(shutil.which("ccache")), COMPILER])
    with tempfile.TemporaryDirectory(prefix="latrones-windows-") as temporary:
        work = Path(temporary)
        if (python / "include").is_dir():
            target = python.resolve()
        else:
            target = work / "python"
            shutil.copytree(headers(f"3.{library[1]}"), target / "include")
            (target / "include" / "pyconfig.h").write_text(PYCONFIG, encoding="utf-8")
            shutil.copy(python / library[0], target)
        copy_checkout(work / "source")
        # The folders of the headers are named relatively, because ccache compares names.
        environment = {**os.environ, "CXX": compiler, "CCACHE_BASEDIR": tempfile.gettempdir()}
        if subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation",
             "--no-deps", "--wheel-dir", work / "wheels", f"--config-settings=--global-option=--windows={target}",
             work / "source"], env=environment,
        ).returncode:
            raise ValueError("the wheel was not built")
        (wheel,) = (work / "wheels").iterdir()
        check(wheel, library[0], work)
        output.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(wheel, output))


def check(wheel: Path, library: str, work: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".pyd"))
        listing = subprocess.run(["objdump", "-p", archive.extract(name, work)], capture_output=True, text=True).stdout
    imported = set(re.findall(r"DLL Name: (\S+)", listing))
    if library not in imported or not all(SYSTEM.fullmatch(each) for each in imported - {library}):
        raise ValueError(f"{wheel.name}: imports {', '.join(sorted(imported))}; expected {library} and the system's")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("python", metavar="PYTHON", type=Path, help="folder of a Python for Windows")
    add("--output", metavar="DIR", type=Path, default=Path("dist"), help="output folder (default: dist)")
    options = parser.parse_args()
    try:
        print(make(options.python, options.output))
    except ValueError as error:
        print(f"windows_wheel: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
