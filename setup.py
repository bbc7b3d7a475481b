"""Build the compiled core with the package. Everything else is in pyproject.toml."""

import copy
import os
import re
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "scripts"))

import compiler  # noqa: E402

PACKAGE = "latrones_uci.native"
NOT_BUILT = "not_built.txt"  # `latrones_uci.native` reads it


def description() -> str:
    """Return the README without links and pictures of the checkout, which lead nowhere on the page of an index."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"<p>.*?</p>\n+", "", text, flags=re.DOTALL)
    return re.sub(r"\[([^\]]+)\]\((?!https?://)[^)]+\)", r"\1", text)


def relative(paths: list[Path]) -> list[str]:
    return [path.relative_to(HERE).as_posix() for path in paths]


class CoreDistribution(Distribution):
    """A distribution with a global option ``--cpu``, which every way to build can pass."""

    global_options: ClassVar = [
        *Distribution.global_options,
        ("cpu=", None, "compile the core for this processor; native: for this machine"),
    ]
    cpu: str | None = None


class BuildCore(build_ext):
    """Compile the sources in parallel: one after the other they take minutes."""

    def build_extension(self, ext: Extension) -> None:
        import pybind11  # imported here, so that a build without a compiler does not need it

        cxx = os.environ["CXX"]
        instructions = compiler.instruction_flags(self.distribution.cpu)
        built_by = f"{compiler.describe(cxx)}, {compiler.describe_instructions(instructions)}"
        print(f"latrones-uci: compiling the core with {built_by}", flush=True)
        flags = [*compiler.LANGUAGE, *compiler.OPTIMISED, *instructions, "-fvisibility=hidden"]
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

        with ThreadPoolExecutor(compiler.processors()) as pool:
            objects = [name for names in pool.map(compile_one, ext.sources) for name in names]
        linking = copy.copy(ext)
        linking.sources, linking.depends, linking.extra_objects = [], objects, objects
        super().build_extension(linking)


class BuildPython(build_py):
    """Write a note in place of a core that is not built, and remove the files of an earlier build."""

    def run(self) -> None:
        super().run()
        folder = self.get_package_dir(PACKAGE) if self.editable_mode else Path(self.build_lib, *PACKAGE.split("."))
        note = Path(folder, NOT_BUILT)
        if self.distribution.has_ext_modules():
            note.unlink(missing_ok=True)
            return
        for stale in note.parent.glob("_core.*.so"):
            stale.unlink()
        note.write_text(f"{WHY_NOT}\n", encoding="utf-8")
        print(f"{'*' * 100}\nlatrones-uci: NO COMPILED CORE: {WHY_NOT}.\nThe engine works without it, but is many times"
              f" slower. See docs/building.md.\n{'*' * 100}", file=sys.stderr, flush=True)  # fmt: skip


def core() -> Extension:
    # Large files first, so that the last one to finish is a small one.
    sources = sorted([compiler.BINDINGS, *compiler.LIBRARY], key=lambda path: path.stem == "table")
    headers = sorted((compiler.NATIVE / "core").glob("*.hpp"))
    return Extension(
        f"{PACKAGE}._core", relative(sources), depends=relative(headers), language="c++", extra_link_args=["-pthread"]
    )


if __name__ == "__main__":
    WHY_NOT = ""
    if os.name == "nt":
        WHY_NOT = "the core is not built on Windows"
    elif (found := compiler.find_compiler()) is None:
        WHY_NOT = "no C++ compiler was found when the package was built"
    else:
        os.environ["CXX"] = shlex.join(shlex.split(found))  # where setuptools reads it
    setup(
        long_description=description(),
        long_description_content_type="text/markdown",
        distclass=CoreDistribution,
        cmdclass={"build_ext": BuildCore, "build_py": BuildPython},
        ext_modules=[] if WHY_NOT else [core()],
    )
