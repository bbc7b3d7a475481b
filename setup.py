"""Builds the compiled core with the package. All that is not about the core is in pyproject.toml."""

import copy
import os
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


def relative(paths: list[Path]) -> list[str]:
    return [path.relative_to(HERE).as_posix() for path in paths]


class CoreDistribution(Distribution):
    """With an option for all commands, so that every way to build can hand it over."""

    global_options: ClassVar = [
        *Distribution.global_options,
        ("cpu=", None, "use the instructions of this processor in the compiled core; native: of this machine"),
    ]
    cpu: str | None = None


class BuildCore(build_ext):
    """Compiles the sources in parallel, for together they take minutes."""

    def build_extension(self, ext: Extension) -> None:
        import pybind11  # only here, so that a build without a compiler does without it

        cxx = os.environ["CXX"]
        instructions = compiler.instruction_flags(self.distribution.cpu)
        built_by = f"{compiler.describe(cxx)}, {compiler.describe_instructions(instructions)}"
        print(f"latrones-uci: compiling the core with {built_by}", flush=True)
        flags = [*compiler.LANGUAGE, *compiler.OPTIMISED, *instructions, "-fvisibility=hidden"]
        flags.append("-fno-wrapv")  # Python's own flags ask for it, and the library does not need it
        if not self.debug:
            flags.append("-g0")  # Python's own flags ask for symbols, which make the module ten times as large
        # As the system's headers, so that only our own code is warned about.
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
    """Leaves a note in the place of a core that is not built, and takes away what an earlier build left there."""

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
        print(f"{'*' * 100}\nlatrones-uci: NO COMPILED CORE: {WHY_NOT}.\nThe engine will be complete, but many times"
              f" slower. See docs/building.md.\n{'*' * 100}", file=sys.stderr, flush=True)  # fmt: skip


def core() -> Extension:
    # The largest first, so that the last to end is a small one.
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
        os.environ["CXX"] = shlex.join(shlex.split(found))  # from where setuptools takes it
    setup(
        distclass=CoreDistribution,
        cmdclass={"build_ext": BuildCore, "build_py": BuildPython},
        ext_modules=[] if WHY_NOT else [core()],
    )
