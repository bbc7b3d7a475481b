"""Find Java and Ludii's JAR, and compile the Java sources of this package for that JAR, once."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from latrones_uci.client.child import status_text
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import OperationError, SettingsError
from latrones_uci.client.programs import kill_group, start_group
from latrones_uci.text.files import exclusive_lock, read_text_file, whole_file, write_whole
from latrones_uci.text.folders import user_folder
from latrones_uci.text.messages import quoted, reason

SITE = "ludii.games"
"""The site that has Ludii's JAR."""
JAR_NAME = "latrones-ludii.jar"
_PLAYER = "app/StartDesktopApp.class"
_FOLDERS = ("", "~/Downloads", "~/Ludii", "~")
USUAL_FOLDERS = f"this folder, {', '.join(_FOLDERS[1:-1])} or {_FOLDERS[-1]}"
"""Where the JAR is looked for, in words."""
_MAX_COMMAND_BYTES = 2**16
_LAST_CHARACTERS = 300


class Java(NamedTuple):
    """An installed Java."""

    program: str
    compiler: str | None
    """Its ``javac``; None for a runtime, which cannot compile."""


class Classes(NamedTuple):
    """What runs Ludii with the classes of this package."""

    java: Java
    path: Sequence[Path]
    """Ludii's JAR, and that of this package."""

    def command(self, main: str, *words: str, options: Sequence[str] = ()) -> list[str]:
        """Return the command that runs a class of this package; ``options`` are those of Java."""
        return [self.java.program, *options, "-cp", os.pathsep.join(map(str, self.path)), f"latrones.{main}", *words]


def find_java(given: str | None = None) -> Java:
    """Return the Java of a program or a folder; by default that of the PATH or JAVA_HOME, preferably a JDK.

    Raises:
        SettingsError: there is none.
    """
    places = [shutil.which("java"), _in_folder(os.environ.get("JAVA_HOME"))]
    if given is not None:
        places = [shutil.which(given) or _in_folder(given)]
    found = [Java(os.path.abspath(program), _compiler_of(program)) for program in places if program]
    if not found and given is not None:
        raise SettingsError(f"--java {quoted(given)}: no such program; expected java, or the folder of a JDK")
    if not found:
        raise SettingsError("no Java: neither on the PATH nor in JAVA_HOME; install a JDK of version 8 or newer, or"
                            " give its folder: --java DIR")
    return next((java for java in found if java.compiler), found[0])


def _in_folder(folder: str | None) -> str | None:
    return shutil.which("java", path=str(Path(folder, "bin"))) if folder else None


def _compiler_of(program: str) -> str | None:
    """Return the compiler beside ``java``, also if that is a link, as on Debian."""
    folders = [str(Path(program).parent), str(Path(program).resolve().parent)]
    return shutil.which("javac", path=os.pathsep.join(folders))


def find_jar(given: str | None = None) -> Path:
    """Return the absolute path of Ludii's JAR; by default of the newest one in the usual folders.

    Raises:
        SettingsError: there is no such file.
    """
    if given is not None:
        if not Path(given).is_file():
            raise SettingsError(f"--jar {quoted(given)}: no such file; expected Ludii's JAR, from {SITE}")
        return Path(given).absolute()
    folders = [Path(folder or ".").expanduser() for folder in _FOLDERS]
    found = [jar for folder in folders for jar in folder.glob("[Ll]udii*.jar") if jar.is_file()]
    if not found:
        raise SettingsError(f"no Ludii*.jar in {USUAL_FOLDERS}; download it from {SITE}, or give its path: --jar FILE")
    return max(found, key=lambda jar: jar.stat().st_mtime_ns).absolute()


def compiled(java: Java, ludii: Path, on_compile: Callable[[], None]) -> Classes:
    """Return the classes for a JAR of Ludii; they are compiled unless the cache has them.

    ``on_compile`` is called before that takes its seconds. Beside the compiled JAR is a file with the command of this
    program's engine, for a player that is not started by this program.

    Raises:
        SettingsError: the file is no JAR of Ludii, or there is no compiler.
        OperationError: the compiler fails.
        OSError: the cache cannot be written.
    """
    sources = sorted(Path(__file__).parent.glob("*.java"))
    hashed, status = hashlib.sha256(), ludii.stat()
    for source in sources:
        hashed.update(read_text_file(source).encode())
    hashed.update(f"{status.st_size} {status.st_mtime_ns}".encode())
    jar = user_folder("cache") / "ludii" / hashed.hexdigest()[:16] / JAR_NAME
    if not jar.exists():
        _check_jar(ludii)
        if java.compiler is None:
            raise SettingsError(f"{quoted(java.program)}: a Java runtime, which has no javac; expected a JDK, which is"
                                " needed once: install one, or give its folder: --java DIR")
        jar.parent.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(jar.with_suffix(".lock"), lambda: None, temporary=True):
            if not jar.exists():
                on_compile()
                _compile(java.compiler, sources, ludii, jar)
    command, words, kept = jar.with_name("latrones-command.txt"), "\n".join(OWN_ENGINE), ""
    with suppress(OSError, ValueError):
        kept = read_text_file(command, _MAX_COMMAND_BYTES)
    if kept != words:
        write_whole(command, words)
    return Classes(java, (ludii, jar))


def _check_jar(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as jar:
            if _PLAYER in jar.namelist():
                return
        problem = f"no {_PLAYER} in it"
    except (zipfile.BadZipFile, OSError) as error:
        problem = reason(error)
    raise SettingsError(f"{quoted(str(path))}: not Ludii's JAR: {problem}; expected the JAR of its player, from {SITE}")


def _compile(compiler: str, sources: Sequence[Path], ludii: Path, jar: Path) -> None:
    """Compile sources to a JAR that Java 8 and newer run."""
    with tempfile.TemporaryDirectory(prefix="latrones-ludii-") as name:
        folder = Path(name, "classes")
        folder.mkdir()
        # The compiler of Java 8 calls itself 1.8, and has no --release.
        release = () if "javac 1." in _run([compiler, "-version"]) else ("--release", "8")
        _run([compiler, *release, "-encoding", "UTF-8", "-proc:none", "-nowarn", "-Xlint:-options", "-cp", str(ludii),
              "-d", str(folder), *map(str, sources)])
        with whole_file(jar) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n\n")
            for path in sorted(folder.rglob("*.class")):
                archive.write(path, path.relative_to(folder).as_posix())


def last_line(output: str) -> str:
    """Return the last line of a program's output that is not blank, or that there is none."""
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no output")


def _run(command: Sequence[str]) -> str:
    """Run a compiler, and return what it prints. Raises OperationError: it cannot be started, or it fails."""
    try:
        process = start_group(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise OperationError(f"cannot start {quoted(command[0])}: {reason(error)}") from None
    try:
        output = str(process.communicate()[0], errors="replace")
    except BaseException:  # also an interrupt
        kill_group(process)
        process.communicate()
        raise
    if process.returncode:
        shown = next((line.strip() for line in output.splitlines() if "error:" in line), last_line(output))
        raise OperationError(f"{quoted(command[0])}: exit status {status_text(process.returncode)}:"
                             f" {shown[-_LAST_CHARACTERS:]}")
    return output
