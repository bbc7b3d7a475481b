"""The installed package: its metadata, data files and docstrings; how it is built."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from importlib import metadata, resources
from pathlib import Path

import pytest

import latrones_uci
import release
from folders import ROOT
from latrones_uci import __version__
from latrones_uci.engine import native

OF_OTHERS = ("posix_", "guard") if sys.platform == "win32" else ("windows_",)  # beginnings of modules of other systems
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(latrones_uci.__path__, "latrones_uci.")
    if not module.name.rpartition(".")[2].startswith(("__main__", *OF_OTHERS))
)


def test_version() -> None:
    assert metadata.version("latrones-uci") == latrones_uci.__version__


def test_there_are_no_runtime_dependencies() -> None:
    required = metadata.requires("latrones-uci") or []
    assert [requirement for requirement in required if "extra ==" not in requirement] == []


def test_console_scripts() -> None:
    scripts = {script.name: script.value for script in metadata.distribution("latrones-uci").entry_points}
    main = "latrones_uci.commands.main"
    assert scripts == {"latrones-uci": f"{main}:main", "latrones-match": f"{main}:match_main"}


@pytest.mark.parametrize(
    "name",
    ["__init__.pyi", "py.typed", "game/variants.toml", "engine/native/_core.pyi", "web/board/page.html",
     "web/board/page.js", "openings/latrones.fen", "puzzles/latrones.suite", "web/lib/base.css",
     "web/match/watch.html", "ludii/Translation.java", "engine/tables/shipped/SHA256SUMS",
     "engine/tables/shipped/latrones-8x8-DSvDS.ltb"],
)
def test_data_files(name: str) -> None:
    assert resources.files("latrones_uci").joinpath(name).is_file()


@pytest.mark.process
def test_examples_in_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples start the engine by its name, as in an activated environment."""
    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    assert len(MODULES) > 100
    results = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted for result in results.values()) > 0


# ---------------------------------------------------------------- the build

spec = importlib.util.spec_from_file_location("build_of_the_package", ROOT / "setup.py")
assert spec
assert spec.loader
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the whole PATH; the compiler that built Python does not exist."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(sysconfig, "get_config_var", {"CXX": "nonesuch -pthread"}.get)
    return tmp_path


def add(programs: Path, name: str, script: str = "exit 0") -> str:
    path = programs / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_compilers(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build.find_compiler() is None
    for name in ("clang++", "g++", "c++"):  # each one is preferred to those before it
        add(programs, name)
        assert build.find_compiler() == name
    add(programs, "nonesuch")
    assert build.find_compiler() == "nonesuch -pthread", "the one that built Python"
    monkeypatch.setenv("CXX", "mine++ -m64")
    with pytest.raises(build.BuildError, match="'mine\\+\\+.*': program not found"):
        build.find_compiler()
    add(programs, "mine++")
    assert build.find_compiler() == "mine++ -m64"


@pytest.mark.process
def test_clang_takes_the_place_of_the_usual_compiler(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build.fastest("g++") == "g++", "there is no clang++"
    add(programs, "clang++")
    assert [build.fastest(usual) for usual in ("g++", "c++ -pthread")] == ["clang++"] * 2, "its code is faster"
    assert build.fastest("nonesuch -pthread") == "nonesuch -pthread"
    add(programs, "clang++", "exit 1")
    assert build.fastest("g++") == "g++", "this clang++ cannot compile the core"
    add(programs, "clang++")
    monkeypatch.setenv("CXX", "g++")
    assert build.fastest("g++") == "g++", "as the user wants"


@pytest.mark.process
def test_compilers_on_windows(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ON_WINDOWS", True)
    monkeypatch.setattr(sysconfig, "get_config_var", {}.get)
    add(programs, "c++", "echo x86_64-pc-cygwin")
    add(programs, "g++", "echo i686-w64-mingw32")
    add(programs, "clang++", "echo x86_64-pc-windows-msvc")
    assert build.find_compiler() is None, "none is of MinGW-w64 for x86-64"
    add(programs, "clang++", "echo x86_64-w64-windows-gnu")
    assert build.find_compiler() == "clang++"
    add(programs, "g++", "echo x86_64-w64-mingw32")
    assert build.find_compiler() == "g++"
    add(programs, r"C:\Program Files\g++.exe")
    monkeypatch.setenv("CXX", r'"C:\Program Files\g++.exe" -m64')
    assert build.find_compiler() == r"'C:\Program Files\g++.exe' -m64"


def test_a_python_for_windows(tmp_path: Path) -> None:
    for name in ("python3.dll", "python312.dll"):
        (tmp_path / name).touch()
    with pytest.raises(build.BuildError, match="no Python for Windows; expected .* include"):
        build.windows_library(tmp_path)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "Python.h").touch()
    assert build.windows_library(tmp_path).name == "python312.dll"
    distribution = build.CoreDistribution()
    assert distribution.windows_tag() is None
    distribution.windows = str(tmp_path)
    assert distribution.windows_tag() == "cp312"
    assert build.BuildCore(distribution).get_ext_filename("a.b") == str(Path("a", "b.cp312-win_amd64.pyd"))


@pytest.mark.process
def test_description(programs: Path) -> None:
    for line, described in (
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "g++ 12.2.0"),
        ("x86_64-linux-gnu-g++ (GCC) 13.2.1 20230801", "g++ 13.2.1"),
        ("x86_64-w64-mingw32-g++-posix (GCC) 12-posix", "g++ 12"),
        ("g++.exe (x86_64-posix-seh-rev0, Built by MinGW-Builds project) 14.2.0", "g++ 14.2.0"),
        ("Debian clang version 14.0.6", "clang++ 14.0.6"),
        ("Apple clang version 15.0.0 (clang-1500.3.9.4)", "clang++ 15.0.0"),
        ("Ubuntu clang version 18.1.3 (1ubuntu1)", "clang++ 18.1.3"),
        ("another compiler", "another compiler"),
    ):
        assert build.describe(add(programs, "x++", f"echo '{line}'; echo more")) == described
    with pytest.raises(build.BuildError, match="exit status 3"):
        build.describe(add(programs, "x++", "echo broken >&2; exit 3"))


@pytest.mark.parametrize(("target", "cpu", "flags"), [
    ("linux-x86_64", None, ["-march=x86-64-v2"]),
    ("macosx-11.0-x86_64", None, ["-march=x86-64-v2"]),
    ("macosx-11.0-universal2", None, []),
    ("linux-aarch64", None, []),
    ("win-amd64", None, ["-march=x86-64-v2"]),
    ("linux-x86_64", "native", ["-march=native"]),
    ("macosx-11.0-arm64", "native", ["-mcpu=native"]),
])
def test_instructions(monkeypatch: pytest.MonkeyPatch, target: str, cpu: str | None, flags: list[str]) -> None:
    monkeypatch.setattr(sysconfig, "get_platform", lambda: target)
    assert build.instruction_flags(cpu) == flags


def test_core_or_the_reason_why_it_is_missing() -> None:
    if native.is_compiled():
        assert "++" in native.core().BUILD
    else:
        assert native.why_not_compiled()


def test_the_library_contains_no_names_of_variants() -> None:
    from latrones_uci.game import builtin_variants

    folders = (ROOT / "latrones_uci" / "engine" / "native", ROOT / "tests" / "engine" / "native")
    sources = [path for folder in folders for path in folder.rglob("*.[ch]pp")]
    assert sources
    # The name of the first variant is also that of the project and of the namespace.
    names = "|".join(set(builtin_variants()) - {"latrones"})
    found = {path.name: re.findall(rf"\b(?:{names})\b", path.read_text(encoding="utf-8")) for path in sources}
    assert not any(found.values()), found


def test_developers_have_what_builds_the_core_in_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["build-system"]["requires"]) <= set(release.dependency_group("dev"))


def test_groups_for_developers_are_not_published() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]) == {"cluster", "train"}
    assert "selenium>=4.10" in release.dependency_group("dev"), "of an included group"


def test_the_description_of_the_package_has_no_links_into_the_checkout() -> None:
    text = build.description()
    links = re.findall(r"\]\(([^)]*)\)|(?:href|src)=\"([^\"]*)\"", text)
    assert links
    assert all("".join(link).startswith("https://") for link in links)
    assert "CONTRIBUTING.md" in text


def test_the_description_links_to_the_repository_if_its_address_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("README.md", "pyproject.toml", "latrones_uci/version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    with (tmp_path / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write('[project.urls]\nSource = "https://example.org/a/b"\n')
    monkeypatch.setattr(build, "HERE", tmp_path)
    text = build.description()
    links = ["".join(link) for link in re.findall(r"\]\(([^)]*)\)|(?:href|src)=\"([^\"]*)\"", text)]
    assert all(link.startswith("https://") for link in links)
    tree = f"https://example.org/a/b/blob/v{__version__}/"
    assert f"{tree}docs/guis.md#gogui" in links
    assert f"https://example.org/a/b/raw/v{__version__}/docs/images/browser-desktop.png" in links
    ours = [link.removeprefix(tree).partition("#")[0] for link in links if link.startswith(tree)]
    assert ours
    assert all((ROOT / path).is_file() for path in ours)


def test_classifiers_name_every_version_that_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    versions = ["3.11", "3.12", "3.13", "3.14"]
    assert re.findall(r"Python :: (3\.[0-9]+)", str(project["project"]["classifiers"])) == versions
    assert project["tool"]["cibuildwheel"]["build"] == [f"cp{each.replace('.', '')}-*" for each in versions]
    assert str(versions).replace("'", '"') in (ROOT / ".github/workflows/checks.yml").read_text(encoding="utf-8")


@pytest.mark.process
def test_a_checkout_has_the_same_bytes_on_all_systems(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=true"]  # as on Windows
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    shutil.copy(ROOT / ".gitattributes", tmp_path)
    file = tmp_path / "file.txt"
    file.write_bytes(b"one\ntwo\n")
    git("add", "--all")
    git("commit", "--message", "first")
    file.unlink()
    git("checkout", "--", "file.txt")
    assert file.read_bytes() == b"one\ntwo\n"


@pytest.mark.process
@pytest.mark.slow
def test_tests_are_collected_without_the_core() -> None:
    """A missing core skips tests, and does not stop those that need none."""
    script = """
import sys
from pathlib import Path
from latrones_uci.engine import native
native.is_compiled = lambda: False
sys.modules[native._MODULE] = None  # the import fails
import pytest
raise SystemExit(pytest.main(sys.argv[1:]))
"""
    needing = ["engine", "match/test_adjudication.py", "studies"]
    arguments = ["--collect-only", "-q", *(str(ROOT / "tests" / name) for name in needing)]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, cwd=ROOT,
                          timeout=300)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("time_s", [build.OLDEST_S, 1_700_000_000])
def test_a_source_distribution_depends_on_its_contents_alone(tmp_path: Path, time_s: int) -> None:
    """Not on the time, the owner, the order and the umask."""
    archives = []
    for number, names in enumerate((("b/run", "b/text", "a"), ("a", "b/text", "b/run"))):
        path = tmp_path / f"{number}.tar.gz"
        with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT if number else tarfile.PAX_FORMAT) as archive:
            for name in names:
                member = tarfile.TarInfo(name)
                member.size, member.mtime, member.uid = len(name), 1e9 + number + 0.5, number
                member.mode = (0o775 if number else 0o755) if name == "b/run" else (0o664 if number else 0o644)
                archive.addfile(member, io.BytesIO(name.encode()))
        build.reproducible(path, time_s)
        archives.append(path.read_bytes())
        with tarfile.open(path) as archive:
            assert archive.getnames() == ["a", "b/run", "b/text"]
            assert {each.mtime for each in archive} == {time_s}
            assert [oct(each.mode) for each in archive] == ["0o644", "0o755", "0o644"]
            assert archive.extractfile("b/text").read() == b"b/text"  # type: ignore[union-attr]
    assert archives[0] == archives[1]


@pytest.mark.process
@pytest.mark.parametrize("function", ["main", "match_main"])
def test_one_line_says_that_a_zip_file_does_not_work(function: str, tmp_path: Path) -> None:
    package = Path(latrones_uci.__file__).parent
    with zipfile.ZipFile(tmp_path / "l.pyz", "w") as archive:
        for name in ("__init__", "commands/__init__", "commands/main", "commands/early_interrupts"):
            archive.write(package / f"{name}.py", f"latrones_uci/{name}.py")
        program = f"from latrones_uci.commands import main\nraise SystemExit(main.{function}())\n"
        archive.writestr("__main__.py", program)
    done = subprocess.run([sys.executable, tmp_path / "l.pyz", "variants"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "latrones-uci: cannot run from a zip file; expected an installation by pip, or a checkout\n"


@pytest.mark.process
def test_the_engine_starts_without_modules_that_it_rarely_needs() -> None:
    program = """
import sys
from latrones_uci.commands.main import main
sys.argv[1:] = []
status = main()
print(*sys.modules)
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", program], input="quit\n", capture_output=True, text=True, check=True)
    rarely = {"argparse", "difflib", "html", "importlib.resources", "shutil", "statistics", "tempfile"}
    assert not rarely & set(done.stdout.split())
