"""Build the compiled core with the package. Everything else is in pyproject.toml."""

import copy
import gzip
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

from setuptools import Distribution, Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
NATIVE = HERE / "latrones_uci" / "engine" / "native"
BINDINGS = NATIVE / "bindings.cpp"
LIBRARY = sorted((NATIVE / "core").glob("*.cpp"))
FLAGS = ["-std=c++20", "-pthread", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-O3", "-DNDEBUG"]
CLANG_FLAGS = ["-mllvm", "-inline-threshold=1000"]  # 2 to 4% more nodes a second; g++ gains nothing by inlining more
ON_WINDOWS = os.name == "nt"
MINGW = re.compile(r"x86_64-.*(mingw32|windows-gnu)")  # what its compilers print for -dumpmachine

OLDEST_S = 315_532_800  # 1980, before which no file of a wheel can be
PACKAGE = "latrones_uci.engine.native"
NOT_BUILT = "not_built.txt"  # `latrones_uci.engine.native` reads it


class BuildError(Exception):
    """The requested compiler was not found, or it failed."""


def output_of(command: Sequence[str]) -> str:
    """Run a compiler, and return what it prints.

    Raises:
        BuildError: it failed.
    """
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        raise BuildError(f"exit status {done.returncode}: {shlex.join(command)}\n{done.stdout}")
    return done.stdout


def find_compiler() -> str | None:
    """Return the command of the C++ compiler, quoted as for a POSIX shell; None if there is none.

    It is the value of ``CXX``, otherwise the compiler that built Python, otherwise one with a common name; on Windows,
    one of MinGW-w64.

    Raises:
        BuildError: ``CXX`` is set to a program that does not exist.
    """
    if named := os.environ.get("CXX"):
        words = [word.strip('"') for word in shlex.split(named, posix=not ON_WINDOWS)]  # \ is a part of paths there
        if shutil.which(words[0]) is None:
            raise BuildError(f"CXX='{named}': program not found")
        return shlex.join(words)
    for command in (sysconfig.get_config_var("CXX"), "c++", "g++", "clang++"):
        if command and shutil.which(shlex.split(command)[0]) is not None and (not ON_WINDOWS or is_mingw(command)):
            return str(command)
    return None


def fastest(compiler: str) -> str:
    """Return clang++, whose code is faster, in place of g++, if it understands the sources; this takes a second or two.

    One that is too old or has no library does not.
    """
    if ON_WINDOWS or "CXX" in os.environ or shlex.split(compiler)[0] not in ("c++", "g++"):
        return compiler
    try:
        output_of(["clang++", *FLAGS, "-fsyntax-only", str(NATIVE / "core" / "kernel_small.cpp")])
    except (BuildError, OSError):
        return compiler
    return "clang++"


def is_mingw(compiler: str) -> bool:
    """Return whether a compiler is of MinGW-w64 for x86-64: MSVC has neither ``__int128`` nor vector types."""
    try:
        return MINGW.fullmatch(output_of([*shlex.split(compiler), "-dumpmachine"]).strip()) is not None
    except BuildError:
        return False


def windows_library(folder: Path) -> Path:
    """Return the library of the Python for Windows in a folder, such as ``python312.dll``.

    Raises:
        BuildError: there is no such library, or no headers.
    """
    found = [path for path in folder.glob("python3*.dll") if re.fullmatch(r"python3\d\d\.dll", path.name)]
    if len(found) != 1 or not (folder / "include" / "Python.h").is_file():
        raise BuildError(f"'{folder}': no Python for Windows; expected a folder with python3XX.dll and include")
    return found[0]


def describe(compiler: str) -> str:
    """Return the kind and version of a compiler, such as ``g++ 12.2.0``.

    Raises:
        BuildError: ``--version`` failed.
    """
    first_line = output_of([*shlex.split(compiler), "--version"]).partition("\n")[0]
    version = re.search(r"(?<![\w.])\d+(\.\d+)*(?=\s|-posix|-win32|$)", re.sub(r"\(.*?\)", "", first_line))
    kind = "clang++" if "clang" in first_line.lower() else "g++"
    return f"{kind} {version.group()}" if version else first_line


def instruction_flags(cpu: str | None = None, platform_name: str | None = None) -> list[str]:
    """Return the flags that select the instruction set.

    ``cpu`` is a name that the compiler knows, such as ``native`` for this machine. The default is x86-64-v2 (processors
    since 2009) on x86-64, and the compiler's own default on other platforms. ``platform_name`` is that of Python.
    """
    target = (platform_name or sysconfig.get_platform()).rpartition("-")[2].lower()  # not of the machine
    if cpu is None:
        return ["-march=x86-64-v2"] if target in ("x86_64", "amd64") else []
    return [f"-mcpu={cpu}" if target in ("aarch64", "arm64") else f"-march={cpu}"]


def describe_instructions(flags: Sequence[str]) -> str:
    """Describe the result of ``instruction_flags``."""
    return " ".join(flags) or f"{platform.machine()}, default instructions"


def processors() -> int:
    """Return the number of compilers to run in parallel."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


def description() -> str:
    """Return the README for the page of an index, where links of the checkout lead nowhere.

    They become links to the repository if pyproject.toml has its address; otherwise the README goes without them.
    """
    text = (HERE / "README.md").read_text(encoding="utf-8")
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if address := project.get("urls", {}).get("Source"):
        version = re.findall(r'"(.+)"$', (HERE / "latrones_uci" / "version.py").read_text(encoding="utf-8"), re.M)[-1]
        text = re.sub(r'src="(?!https?://)', rf'src="{address}/raw/v{version}/', text)
        return re.sub(r'(\]\(|href=")(?!https?://)', rf"\g<1>{address}/blob/v{version}/", text)
    text = re.sub(r"<p>.*?</p>\n+", "", text, flags=re.DOTALL)
    return re.sub(r"\[([^\]]+)\]\((?!https?://)[^)]+\)", r"\1", text)


def relative(paths: list[Path]) -> list[str]:
    return [path.relative_to(HERE).as_posix() for path in paths]


class CoreDistribution(Distribution):
    """A distribution with a global option ``--cpu``, which every way to build can pass."""

    global_options: ClassVar = [
        *Distribution.global_options,
        ("cpu=", None, "compile the core for this processor; native: for this machine"),
        ("windows=", None, "compile for the Python for Windows in this folder, by the MinGW-w64 compiler in CXX"),
    ]
    cpu: str | None = None
    windows: str | None = sys.base_prefix if ON_WINDOWS else None

    def windows_tag(self) -> str | None:
        """Return the tag of the Python for Windows, such as ``cp312``; None if this is no build for Windows."""
        return None if self.windows is None else f"cp{windows_library(Path(self.windows)).stem.removeprefix('python')}"


class BuildCore(build_ext):
    """Compile the sources in parallel: one after the other they take minutes."""

    def run(self) -> None:
        if self.extensions and (found := find_compiler()) is not None:
            os.environ["CXX"] = fastest(found)  # where setuptools reads it
        super().run()

    def build_extension(self, ext: Extension) -> None:
        import pybind11  # here, since a build without a compiler and without isolation does not need it

        cxx, windows = os.environ["CXX"], self.distribution.windows
        instructions = instruction_flags(self.distribution.cpu, windows and "win-amd64")
        compiler = describe(cxx)
        built_by = f"{compiler}, {describe_instructions(instructions)}"
        print(f"latrones-uci: compiling the core with {built_by}", flush=True)
        flags = [*FLAGS, *instructions, "-fvisibility=hidden", *(CLANG_FLAGS if "clang" in compiler else ())]
        if windows is not None:
            flags += [f'-DLATRONES_BUILD="{built_by}"', "-isystem", pybind11.get_include()]
            self.build_for_windows(ext, cxx, flags, Path(windows))
            return
        flags.append("-fno-wrapv")  # set by Python's own flags; the library does not need it
        if not self.debug:
            flags.append("-g0")  # Python's own flags add symbols, which make the module ten times as large
        # As system headers, so that only our own code gets warnings.
        for folder in (pybind11.get_include(), *self.include_dirs):
            flags += ["-isystem", folder]

        def compile_one(source: str) -> list[str]:
            macros = [("LATRONES_BUILD", f'"{built_by}"')]
            return self.compiler.compile(
                [source], output_dir=self.build_temp, macros=macros, extra_postargs=flags, debug=self.debug
            )

        with ThreadPoolExecutor(processors()) as pool:
            objects = [name for names in pool.map(compile_one, ext.sources) for name in names]
        linking = copy.copy(ext)
        linking.sources, linking.depends, linking.extra_objects = [], objects, objects
        super().build_extension(linking)

    def build_for_windows(self, ext: Extension, cxx: str, flags: list[str], python: Path) -> None:
        """Compile and link without setuptools, which does not cross-compile, and knows only MSVC on Windows.

        The C++ libraries become part of the module, which needs only the libraries of Python and of the system.
        """
        if not is_mingw(cxx):
            raise BuildError(f"CXX='{cxx}': not a compiler of MinGW-w64 for x86-64; expected its g++ or clang++")
        compiler = shlex.split(cxx)
        flags = [*flags, "-DMS_WIN64=", "-isystem", str(python / "include")]  # older headers set it for MSVC alone
        Path(self.build_temp).mkdir(parents=True, exist_ok=True)

        def compile_one(source: str) -> str:
            target = os.path.join(self.build_temp, f"{Path(source).stem}.o")
            print(output_of([*compiler, *flags, "-c", source, "-o", target]), end="", flush=True)
            return target

        with ThreadPoolExecutor(processors()) as pool:
            objects = list(pool.map(compile_one, ext.sources))
        module = Path(self.get_ext_fullpath(ext.name))
        module.parent.mkdir(parents=True, exist_ok=True)
        output_of([*compiler, "-shared", "-static", "-s", *objects, str(windows_library(python)), "-o", str(module)])

    def get_ext_filename(self, name: str) -> str:
        tag = self.distribution.windows_tag()
        return f"{os.path.join(*name.split('.'))}.{tag}-win_amd64.pyd" if tag else str(super().get_ext_filename(name))


class BuildWheel(bdist_wheel):
    """Name the wheel after the Python that it is for."""

    def get_tag(self) -> tuple[str, str, str]:
        tag = self.distribution.windows_tag() if self.distribution.has_ext_modules() else None
        return (tag, tag, "win_amd64") if tag else super().get_tag()


class BuildPython(build_py):
    """Write a note in place of a core that is not built, and remove the files of an earlier build."""

    def run(self) -> None:
        super().run()
        folder = self.get_package_dir(PACKAGE) if self.editable_mode else Path(self.build_lib, *PACKAGE.split("."))
        note = Path(folder, NOT_BUILT)
        if self.distribution.has_ext_modules():
            note.unlink(missing_ok=True)
            return
        for stale in (*note.parent.glob("_core.*.so"), *note.parent.glob("_core.*.pyd")):
            stale.unlink()
        note.write_text(f"{WHY_NOT}\n", encoding="utf-8")
        print(f"{'*' * 100}\nlatrones-uci: NO COMPILED CORE: {WHY_NOT}.\nThe engine works without it, but is many times"
              f" slower. See CONTRIBUTING.md.\n{'*' * 100}", file=sys.stderr, flush=True)


class BuildSource(sdist):
    """Write an archive that depends on the contents of the files alone: one checkout gives one checksum."""

    def make_archive(self, *arguments: object, **settings: object) -> str:
        path = str(super().make_archive(*arguments, **settings))
        if path.endswith(".tar.gz"):
            reproducible(Path(path), int(os.environ.get("SOURCE_DATE_EPOCH", OLDEST_S)))
        return path


def reproducible(path: Path, time_s: int) -> None:
    """Rewrite a compressed archive: sorted, with this time for all files, and without owners and the umask's modes."""
    with tarfile.open(path) as archive:
        members = {each.name: (each, archive.extractfile(each)) for each in archive}
        with open(path.with_suffix(".new"), "wb") as file, gzip.GzipFile("", "wb", 9, file, time_s) as packed, \
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as written:
            for _, (member, contents) in sorted(members.items()):
                member.mtime, member.uid, member.gid, member.uname, member.gname = time_s, 0, 0, "", ""
                member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
                member.pax_headers = {}
                written.addfile(member, contents)
    path.with_suffix(".new").replace(path)


def core() -> Extension:
    # Large files first, so that the last one to finish is a small one.
    sources = sorted([BINDINGS, *LIBRARY], key=lambda path: path.stem == "table")
    headers = sorted((NATIVE / "core").glob("*.hpp"))
    return Extension(
        f"{PACKAGE}._core", relative(sources), depends=relative(headers), language="c++", extra_link_args=["-pthread"]
    )


if __name__ == "__main__":
    WHY_NOT = ""
    if ON_WINDOWS and (sysconfig.get_platform() != "win-amd64" or sysconfig.get_config_var("Py_GIL_DISABLED")):
        WHY_NOT = "on Windows, the core is built for x86-64 and a Python with the GIL only"
    elif find_compiler() is None:
        WHY_NOT = "no C++ compiler was found when the package was built"
        if ON_WINDOWS:
            WHY_NOT = ("no C++ compiler of MinGW-w64 was found when the package was built, and MSVC cannot compile the"
                       " core; a wheel for win_amd64 contains it")
    setup(
        long_description=description(),
        long_description_content_type="text/markdown",
        distclass=CoreDistribution,
        cmdclass={"bdist_wheel": BuildWheel, "build_ext": BuildCore, "build_py": BuildPython, "sdist": BuildSource},
        ext_modules=[] if WHY_NOT else [core()],
    )
