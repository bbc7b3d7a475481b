#!/usr/bin/env python3
"""Build and test the files of a release: a source distribution, a wheel for this platform, and the release notes.

    release.py                   build what the checkout is, and test it
    release.py --bump 0.2.0      first give the checkout that version: version.py, and a dated heading in CHANGELOG.md
    release.py --bump 0.2.0 --repository https://HOST/OWNER/NAME
                                 also write the address of the repository to pyproject.toml, for the page of an index
    release.py --windows         also cross-compile a wheel for a Python for Windows of the same version, load it under
                                 Wine and run bench
    release.py --check           only check that version, changelog, classifiers and README agree, and that no released
                                 section of the changelog was edited
    release.py --tables          make the endgame tables of the package anew, with the engine of this environment
    release.py --tag             check, and tag the commit of the release

The wheel is made from the source distribution, and a second one where there is no compiler. Each is installed in a
fresh environment, in which the engine, a match, the board page, ``train --help`` and ``check`` of the engine itself are
run. The engine of the wheel makes the endgame tables of the package anew, which must have the same checksums (a minute
of processor time; they depend on the version of zlib). The notes are the newest section of CHANGELOG.md, with the
SHA-256 of each file. Nothing is published.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PERFT = ("perft", "4")
PERFT_COUNT = "7645455"  # of the start position of latrones; see tests/data/perft.json
SHOW_CORE = """
from latrones_uci.engine import native
print("compiled core:", native.core().BUILD if native.is_compiled() else f"none: {native.why_not_compiled()}")
"""
SHOWN_LINES = 5  # of the output of a command
COMMANDS = "uci\nisready\nposition startpos\ngo depth 3\n"
VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
HEADING = re.compile(r"^## \[([^\]]+)\](?: - ([0-9]{4}-[0-9]{2}-[0-9]{2}))?$", re.MULTILINE)
UNRELEASED = "Unreleased"
NOTES = "RELEASE_NOTES.md"
SHIPPED = ROOT / "latrones_uci" / "engine" / "tables" / "shipped"
TABLE_GAMES = ("latrones", "latrunculi-classical", "latrunculi-xxi", "petteia-xxi", "single-stone-xxi", "schaedler",
               "bell")
TABLE_MEN = "4"
MANIFEST = "SHA256SUMS"
RELEASED = "released.sha256"
"""File beside this script with the SHA-256 of each released section of the changelog."""
REPOSITORY = re.compile(r"https://[\w.-]+(/[\w.-]+)+")
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
BETA = "Development Status :: 4 - Beta"
READ_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


class ReleaseError(ValueError):
    """The release cannot be made."""


# ---------------------------------------------------------------- version and changelog


def version_of(root: Path) -> str:
    found = READ_VERSION.search((root / "latrones_uci" / "version.py").read_text(encoding="utf-8"))
    if not found:
        raise ReleaseError("latrones_uci/version.py: no __version__")
    return found[1]


def sections(changelog: str) -> dict[str, str]:
    """Return the texts below the headings of the versions, the newest first."""
    found = list(HEADING.finditer(changelog))
    ends = [each.start() for each in found[1:]] + [len(changelog)]
    return {each[1]: changelog[each.end() : end].strip() for each, end in zip(found, ends, strict=True)}


def problems(root: Path) -> list[str]:
    """Return how version, changelog, classifiers and README of a checkout disagree."""
    version, found = version_of(root), []
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = next((name for name in sections(changelog) if name != UNRELEASED), None)
    if newest is not None and newest != version:
        found.append(f"CHANGELOG.md: the newest version is {newest}; expected {version}, as in version.py")
    for heading in HEADING.finditer(changelog):
        if heading[1] != UNRELEASED and heading[2] is None:
            found.append(f"CHANGELOG.md: version {heading[1]} has no date; expected '## [{heading[1]}] - YYYY-MM-DD'")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    status = [each for each in project["classifiers"] if each.startswith("Development Status")]
    if status != [BETA]:
        found.append(f"pyproject.toml: classifiers {status}; expected '{BETA}'")
    if "version" not in project["dynamic"]:
        found.append("pyproject.toml: a version of its own; expected that of version.py, by 'dynamic'")
    readme = (root / "README.md").read_text(encoding="utf-8")
    least = project["requires-python"].removeprefix(">=")
    if f"Python {least}" not in readme:
        found.append(f"README.md: no 'Python {least}', the oldest version that pyproject.toml allows")
    if other := set(re.findall(r"latrones-uci[ =v-]+([0-9]+\.[0-9]+\.[0-9]+)", readme)) - {version}:
        found.append(f"README.md: version {', '.join(sorted(other))}; expected {version}")
    return found


def section_sums(changelog: str) -> dict[str, str]:
    """Return the SHA-256 of each section with a version, its heading included."""
    texts, headings = sections(changelog), {each[1]: each[0] for each in HEADING.finditer(changelog)}
    return {version: hashlib.sha256(f"{headings[version]}\n{text}".encode()).hexdigest()
            for version, text in texts.items() if version != UNRELEASED}


def late_edits(root: Path) -> list[str]:
    """Return the sections of the changelog that are not as they were released, or are missing."""
    now = section_sums((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    lines = (root / "scripts" / RELEASED).read_text(encoding="utf-8").splitlines()
    released = {version: checksum for checksum, version in (line.split() for line in lines)}
    return [f"CHANGELOG.md: the section of {version} differs from its release; expected later changes under"
            f" '## [{UNRELEASED}]'" for version in released.keys() | now.keys()
            if now.get(version) != released.get(version)]


def tag(root: Path) -> str:
    """Tag the commit of a release, with its notes, and return the tag.

    Raises:
        ReleaseError: the checkout has changes, its last commit is no release, or git fails.
    """

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
        if done.returncode:
            raise ReleaseError(f"git {arguments[0]}: {done.stderr.strip()}")
        return done.stdout.strip()

    version = version_of(root)
    if changed := git("status", "--porcelain", "--untracked-files=no"):
        raise ReleaseError(f"--tag: uncommitted changes; expected none\n{changed}")
    if (subject := git("log", "-1", "--format=%s")) != f"Release {version}":
        raise ReleaseError(f"--tag: the last commit is '{subject}'; expected 'Release {version}'")
    changes = sections((root / "CHANGELOG.md").read_text(encoding="utf-8"))[version]
    git("tag", "--annotate", "--cleanup=verbatim", f"v{version}", "--message", f"latrones-uci {version}\n\n{changes}")
    return f"v{version}"


def bump(root: Path, version: str, date: str, repository: str | None = None) -> None:
    """Give a checkout a version: in version.py, and as the heading of what is unreleased in CHANGELOG.md.

    The checksum of the new section is kept, so that later edits are noticed. ``repository`` is its address, which
    replaces the links of the project in pyproject.toml.

    Raises:
        ReleaseError: the version is malformed or not newer, or nothing is unreleased; no file has been changed.
    """
    old = version_of(root)
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"--bump '{version}': not a version; expected MAJOR.MINOR.PATCH, such as 0.2.0")
    if tuple(map(int, version.split("."))) <= tuple(map(int, old.split("."))):
        raise ReleaseError(f"--bump '{version}': not newer than {old}")
    if repository is not None and not REPOSITORY.fullmatch(repository):
        raise ReleaseError(f"--repository '{repository}': not an address; expected https://HOST/OWNER/NAME")
    place = root / "CHANGELOG.md"
    text = place.read_text(encoding="utf-8")
    if not sections(text).get(UNRELEASED):
        raise ReleaseError(f"CHANGELOG.md: nothing below '## [{UNRELEASED}]'; expected the changes of the release")
    text = text.replace(f"## [{UNRELEASED}]\n", f"## [{UNRELEASED}]\n\n## [{version}] - {date}\n", 1)
    source = root / "latrones_uci" / "version.py"
    source.write_text(source.read_text(encoding="utf-8").replace(f'"{old}"', f'"{version}"', 1), encoding="utf-8")
    place.write_text(text, encoding="utf-8")
    released = root / "scripts" / RELEASED
    released.write_text(f"{section_sums(text)[version]}  {version}\n{released.read_text(encoding='utf-8')}", "utf-8")
    if repository is not None:
        project = root / "pyproject.toml"
        text = re.sub(r"\[project\.urls\]\n(?:.+\n)*\n", "", project.read_text(encoding="utf-8"))
        links = {"Source": "", "Documentation": f"/blob/v{version}/docs/README.md",
                 "Changelog": f"/blob/v{version}/CHANGELOG.md", "Issues": "/issues"}
        lines = "".join(f'{name} = "{repository}{path}"\n' for name, path in links.items())
        text = text.replace("[project.scripts]\n", f"[project.urls]\n{lines}\n[project.scripts]\n", 1)
        project.write_text(text, encoding="utf-8")


def notes(root: Path, files: Sequence[Path]) -> str:
    version = version_of(root)
    parts = sections((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    unreleased = parts.get(UNRELEASED)
    changes = unreleased or parts.get(version, "")
    draft = " (not released)" if unreleased or version not in parts else ""
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    return f"# latrones-uci {version}{draft}\n\n{changes}\n\n## Files\n\n```text\n{sums}```\n"


# ---------------------------------------------------------------- building


def run(*command: str | Path, stdin: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run a command outside the checkout, print the end of its output, and return all of it.

    Raises:
        ValueError: the command fails; the message is its output.
    """
    print("$", *command, flush=True)
    done = subprocess.run(
        [str(word) for word in command], cwd=tempfile.gettempdir(), input=stdin, text=True, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    lines = done.stdout.splitlines()
    if done.returncode:
        raise ValueError("\n".join([*lines, f"exit status {done.returncode}"]))
    print(*lines[-SHOWN_LINES:], sep="\n", flush=True)
    return done.stdout


def programs(environment: Path) -> Path:
    """Create a virtual environment; return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    return environment / PROGRAMS


def build(work: Path) -> list[Path]:
    """Build a source distribution from a clean copy, and a wheel from it, which shows that no file is missing."""
    bin_folder = programs(work / "build_environment")
    run(bin_folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build")
    copy_checkout(work / "source")
    run(bin_folder / "python", "-m", "build", "--outdir", work / "files", work / "source",
        environment=os.environ | dated(ROOT))
    return sorted((work / "files").iterdir())


def dependency_group(name: str, *packages: str) -> list[str]:
    """Return the requirements of a dependency group of the project, which pip knows only from version 25.1 on.

    With ``packages``, return those of these packages alone.
    """
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    parts = [[each] if isinstance(each, str) else dependency_group(each["include-group"]) for each in groups[name]]
    return [requirement for part in parts for requirement in part
            if not packages or requirement.partition(">")[0] in packages]


def dated(root: Path) -> dict[str, str]:
    """Return the environment in which one commit gives the same source distribution every time; empty without git."""
    done = subprocess.run(["git", "-C", str(root), "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return {} if done.returncode else {"SOURCE_DATE_EPOCH": done.stdout.strip()}


def copy_checkout(target: Path) -> None:
    """Copy the checkout without what builds and checks leave behind, so that nothing stale is built."""
    left_behind = (".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "*.so",
                   "*.pyd", "not_built.txt")
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*left_behind))


def wheel_without_core(python: Path, source: Path, folder: Path) -> Path:
    """Build a wheel into a new folder where there is no compiler, as pip does there, and return it."""
    environment = {key: value for key, value in os.environ.items() if key != "CXX"} | {"PATH": os.devnull}
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-deps", "--wheel-dir", folder,
        source, environment=environment)
    (wheel,) = folder.iterdir()
    if not wheel.name.endswith("-py3-none-any.whl"):
        raise ValueError(f"{wheel.name}: a wheel without the core is for every platform; expected -py3-none-any.whl")
    return wheel


# ---------------------------------------------------------------- endgame tables


def make_tables(program: Path, folder: Path) -> None:
    """Make the tables of the package in an empty folder."""
    for game in TABLE_GAMES:
        run(program, "tables", game, "--men", TABLE_MEN, "--path", folder)


def check_tables(made: Path, shipped: Path) -> None:
    """Compare the checksums of two folders of tables, and of their files.

    Raises:
        ReleaseError: they differ.
    """
    expected, found = ((folder / MANIFEST).read_text(encoding="utf-8").splitlines() for folder in (shipped, made))
    if differing := sorted({line.partition("  ")[2] for line in set(expected) ^ set(found)}):
        raise ReleaseError(f"{shipped}: {', '.join(differing)} differ from the tables made now; expected the same"
                           " checksums")
    files = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
             for path in sorted(shipped.iterdir()) if path.name != MANIFEST]
    if files != expected:
        raise ReleaseError(f"{shipped}: its files differ from its {MANIFEST}")


def replace_tables(program: Path, shipped: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "tables"
        make_tables(program, made)
        shutil.rmtree(shipped)
        shutil.copytree(made, shipped)


# ---------------------------------------------------------------- testing


def test_wheel(work: Path, wheel: Path, *, compiled: bool) -> None:
    """Install a wheel in an empty environment, and use every part of it."""
    bin_folder = programs(work)
    run(bin_folder / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", wheel)
    if ("none" not in run(bin_folder / "python", "-c", SHOW_CORE)) != compiled:
        raise ReleaseError(f"{wheel.name}: expected {'a' if compiled else 'no'} compiled core")
    program = bin_folder / "latrones-uci"
    if version_of(ROOT) not in run(program, "--version"):
        raise ReleaseError(f"{wheel.name}: another version than {version_of(ROOT)}")
    for backend in ("python", *(["native"] if compiled else [])):
        if PERFT_COUNT not in run(program, "--backend", backend, *PERFT):
            raise ReleaseError(f"{' '.join(PERFT)} of the {backend} kernel: wrong count; expected {PERFT_COUNT}")
        if "bestmove" not in run(program, "--backend", backend, stdin=COMMANDS):
            raise ReleaseError("the engine printed no bestmove")
    engine = ("--engine", f"cmd='{program}'")
    run(program, "match", *engine, "name=A", *engine, "name=B", "--each", "depth=1", "--games", "2", "--max-plies",
        "40", "--database", work / "match.db", "--quiet")
    run(program, "train", "--help")
    run(program, "check", "--timeout", "60", program)  # a busy machine takes its time for a bench
    check_page(program)


def check_page(program: Path) -> None:
    command = [str(program), "gui", "--no-browser", "--no-games"]
    print("$", *command, flush=True)
    with subprocess.Popen(command, cwd=tempfile.gettempdir(), text=True, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = re.search(r"http://\S+", line)
            if not address:
                raise ReleaseError(f"gui printed no address, but {line!r}")
            with urllib.request.urlopen(address[0], timeout=60) as answer:
                page = answer.read().decode()
            if "<title>" not in page:
                raise ReleaseError("the board page has no title")
            print(f"a page of {len(page)} characters")
        finally:
            server.terminate()


def windows_wheel(work: Path) -> Path:
    """Cross-compile the wheel for Windows, and load it in Wine.

    Raises:
        ValueError: a program is missing, or the wheel does not search what it should.
    """
    python = work / "build_environment" / PROGRAMS / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        *dependency_group("dev", "pybind11", "setuptools"))
    run(python, ROOT / "scripts" / "windows.py", "--wheel", work / "windows")
    (wheel,) = (work / "windows").iterdir()
    return wheel


def make(output: Path, *, windows: bool) -> None:
    # The temporary folder is inside the output folder, because files are renamed, which works within one file system.
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=output) as folder:
        work = Path(folder)
        files = build(work)
        (wheel,) = (path for path in files if path.suffix == ".whl")
        (source,) = (path for path in files if path.suffix == ".gz")
        pure = wheel.name.endswith("-none-any.whl")  # there is no compiler; one that fails ends the build
        test_wheel(work / "environment", wheel, compiled=not pure)
        if not pure:
            make_tables(work / "environment" / PROGRAMS / "latrones-uci", work / "tables")
            check_tables(work / "tables", SHIPPED)
            python = work / "build_environment" / PROGRAMS / "python"
            test_wheel(work / "pure_environment", wheel_without_core(python, source, work / "pure"), compiled=False)
            files = [source, wheel]
        else:
            files = [source]  # pip would prefer a wheel without the core even where it can compile the source
        if windows:
            files.append(windows_wheel(work))
        files = [file.replace(output / file.name) for file in files]
    text = notes(ROOT, files)
    (output / NOTES).write_text(text, encoding="utf-8")
    print(f"\nbuilt in {output}, with {NOTES}:")
    print(text[text.rindex("```text\n") + 8 :].removesuffix("```\n"), end="")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build and test a source distribution, a wheel and release notes.")
    parser.add_argument("--output", metavar="DIR", type=Path, default=ROOT / "dist",
                        help="output folder (default: dist)")
    parser.add_argument("--bump", metavar="VERSION", help="first give the checkout this version, such as 0.2.0")
    parser.add_argument("--repository", metavar="URL", help="with --bump: address of the repository")
    parser.add_argument("--check", action="store_true", help="only check that the texts agree; build nothing")
    parser.add_argument("--windows", action="store_true", help="also cross-compile a wheel for Windows, under Wine")
    parser.add_argument("--tables", action="store_true", help="make the endgame tables anew; build nothing")
    parser.add_argument("--tag", action="store_true", help="check, and tag the last commit; build nothing")
    options = parser.parse_args()
    try:
        if options.bump is not None:
            bump(ROOT, options.bump, datetime.datetime.now(datetime.UTC).date().isoformat(), options.repository)
            print(f"version {options.bump}: commit as 'Release {options.bump}', and run release.py --tag")
        elif options.repository is not None:
            raise ReleaseError("--repository: needs --bump VERSION")
        if found := [*problems(ROOT), *late_edits(ROOT)]:
            raise ReleaseError("\n".join(found))
        if options.tag:
            print(tag(ROOT))
        elif options.tables:
            replace_tables(Path(sys.executable).with_name("latrones-uci"), SHIPPED)
        elif not options.check:
            make(options.output.resolve(), windows=options.windows)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
