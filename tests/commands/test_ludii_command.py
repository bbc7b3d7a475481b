"""Ludii's player and its agents, as ``latrones-uci ludii`` starts them: by a Java that only notes what it is given."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import ludii
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import OperationError, SettingsError
from latrones_uci.commands.ludii import parse_ruleset
from latrones_uci.commands.main import main
from latrones_uci.game import ludii_variants
from latrones_uci.ludii.java import Java, compiled, find_jar, find_java
from latrones_uci.ludii.player import item_of, write_start

# Both are one program, which notes its arguments and its folder, and fails if a file of its name with "-fails" exists.
FAKE_JAVA = f"""#!{sys.executable}
import json, os, pathlib, sys, time
home, name, words = pathlib.Path(__file__).parent, pathlib.Path(__file__).name, sys.argv[1:]
with open(home / "calls", "a") as file:
    print(json.dumps([name, os.getcwd(), *words]), file=file)
if (home / f"{{name}}-fails").exists():
    sys.exit((home / f"{{name}}-fails").read_text())
if words == ["-version"]:
    print("javac 17.0.15")
elif name == "javac":
    folder = pathlib.Path(words[words.index("-d") + 1], "latrones")
    folder.mkdir()
    (folder / "Launcher.class").write_text("compiled")
elif "latrones.LudiiUgi" in words:
    print(sys.stdin.read().upper())
    sys.exit(7)
else:
    print("chatter")
    while (home / "java-waits").exists():
        time.sleep(0.01)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user who has a JDK, and Ludii's JAR among the downloads."""
    for variable, value in {"HOME": tmp_path, "USERPROFILE": tmp_path, "LOCALAPPDATA": tmp_path / "local",
                            "XDG_CACHE_HOME": tmp_path / "cache", "XDG_DATA_HOME": tmp_path / "data",
                            "JAVA_HOME": tmp_path / "jdk", "PATH": tmp_path / "empty"}.items():
        monkeypatch.setenv(variable, str(value))
    for name in ("java", "javac"):
        program = tmp_path / "jdk" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(FAKE_JAVA, encoding="utf-8")
        program.chmod(0o755)
    make_jar(tmp_path / "Downloads" / "Ludii-1.3.12.jar")
    return tmp_path


def make_jar(path: Path, player: str = "app/StartDesktopApp.class", age_s: float = 0) -> Path:
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr(player, "")
    os.utime(path, (2e9 - age_s, 2e9 - age_s))
    return path


def calls(home: Path) -> list[Any]:
    """Return the calls of the fake Java so far: program, folder and arguments."""
    return [json.loads(line) for line in (home / "jdk" / "bin" / "calls").read_text(encoding="utf-8").splitlines()]


def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*OWN_ENGINE, "ludii", *words], input=given, capture_output=True, text=True, timeout=60)


# ---------------------------------------------------------------- the player


@pytest.mark.process
@pytest.mark.posix
def test_the_player_opens_on_a_ruleset(home: Path) -> None:
    done = run("--ruleset", "bell-7x8", "--level", "5")
    folder = home / "data" / "latrones-uci" / "ludii"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"Compiling for {home}/Downloads/Ludii-1.3.12.jar, once ...\n"
        "Ludii opens ludii-bell-7x8: you are White, latrones-uci is Black, at level 5.\n"
        f"Its game, preferences and messages are in {folder}\n"
    )
    version, (compiler, _, *given), (player, current, *words) = calls(home)
    assert (version[0], version[2:], compiler, given[:2]) == ("javac", ["-version"], "javac", ["--release", "8"])
    assert {"Translation.java", "Launcher.java"} <= {Path(word).name for word in given}
    assert (player, current) == ("java", str(folder))
    assert words[0] == "-Dlatrones.command=" + "\n".join(OWN_ENGINE)
    assert words[3:] == ["latrones.Launcher", *(f"level {level}" for level in range(20)), "latrones-uci"]
    ludiis, ours = words[2].split(os.pathsep)
    assert ludiis == f"{home}/Downloads/Ludii-1.3.12.jar"
    with zipfile.ZipFile(ours) as jar:
        assert jar.namelist() == ["META-INF/MANIFEST.MF", "latrones/Launcher.class"]
    assert Path(ours).with_name("latrones-command.txt").read_text(encoding="utf-8") == "\n".join(OWN_ENGINE)
    assert (folder / "ludii.log").read_text(encoding="utf-8") == "chatter\n"
    assert "\nSuggested Variants/Bell 8x7\n" in (folder / "ludii.trl").read_text(encoding="utf-8")
    preferences = json.loads((folder / "ludii_preferences.json").read_text(encoding="utf-8"))
    assert preferences["AI_2"] == {"AI": {"algorithm": "level 5"}}
    assert preferences["MenuNames_2"] == "level 5"


@pytest.mark.process
@pytest.mark.posix
def test_sources_are_compiled_once_for_each_jar(home: Path) -> None:
    shutil.rmtree(home / "Downloads")
    jar = make_jar(home / "Ludii.jar")
    assert [("Compiling" in run().stdout) for _ in range(2)] == [True, False]
    os.utime(jar, (1e9, 1e9))  # another version of Ludii
    assert "Compiling" in run().stdout
    (home / "jdk" / "bin" / "javac").unlink()  # needed no more
    assert run().returncode == 0
    assert [call[0] for call in calls(home)] == 2 * ["javac", "javac", "java", "java"]


@pytest.mark.process
@pytest.mark.posix
def test_ctrl_c_closes_the_player(home: Path) -> None:
    waits = home / "jdk" / "bin" / "java-waits"
    waits.touch()
    with subprocess.Popen([*OWN_ENGINE, "ludii"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        log = home / "data" / "latrones-uci" / "ludii" / "ludii.log"
        deadline = time.monotonic() + 60
        while "java" not in [call[0] for call in calls(home)] if log.exists() else True:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors, out[-2:]) == (0, "", "\n\n")


@pytest.mark.process
@pytest.mark.posix
def test_a_player_that_fails(home: Path) -> None:
    (home / "jdk" / "bin" / "java-fails").write_text("Error\ncannot open a window: no display\n", encoding="utf-8")
    done = run()
    log = home / "data" / "latrones-uci" / "ludii" / "ludii.log"
    assert (done.returncode, done.stderr) == (1, "latrones-uci ludii: Ludii: exit status 1: cannot open a window: no"
                                                 f" display; the rest is in '{log}'\n")


def test_the_start_of_a_game_keeps_other_preferences(home: Path) -> None:
    path = home / "ludii_preferences.json"
    path.write_text('{"FrameWidth": 900, "ShowAxes": false, "AI_1": {"AI": {"algorithm": "UCT"}}}', encoding="utf-8")
    write_start(home, parse_ruleset("kowalski-12x8"), "latrones-uci", 2.5)
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert (kept["FrameWidth"], kept["ShowAxes"], kept["ShowAIDistribution"]) == (900, False, True)
    assert (kept["AI_1"], kept["SearchTime_2"]) == ({"AI": {"algorithm": "Human"}}, 2.5)
    assert kept["OptionStrings"] == ["Suggested Variants/Kowalski 8x12", "Repetition of states/No"]
    for broken in ("{", "[1]", "\0"):
        path.write_text(broken, encoding="utf-8")
        write_start(home, parse_ruleset("ludii-piso"), "latrones-uci", 1)
        assert json.loads(path.read_text(encoding="utf-8"))["MenuNames_1"] == "Human"


def test_names_of_rulesets() -> None:
    assert {item_of(ruleset): name for name, ruleset in ludii_variants().items()} == ludii.NAMES
    for name in ludii_variants():
        assert parse_ruleset(name) is parse_ruleset(name.removeprefix("ludii-")) is ludii_variants()[name]


# ---------------------------------------------------------------- agents


@pytest.mark.process
@pytest.mark.posix
def test_an_agent_has_the_streams_and_the_status(home: Path) -> None:
    done = run("--agent", "Alpha-Beta", given="uci\n")
    assert (done.returncode, done.stdout) == (7, "UCI\n\n")
    assert done.stderr == f"Compiling for {home}/Downloads/Ludii-1.3.12.jar, once ...\n"
    assert calls(home)[-1][-2:] == ["latrones.LudiiUgi", "Alpha-Beta"]
    assert not (home / "data").exists()


# ---------------------------------------------------------------- Java and Ludii


def test_the_newest_jar_of_the_usual_folders_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_jar() == home / "Downloads" / "Ludii-1.3.12.jar"
    make_jar(home / "Ludii" / "ludii.jar", age_s=60)
    assert find_jar() == home / "Downloads" / "Ludii-1.3.12.jar"
    (home / "here").mkdir()
    monkeypatch.chdir(home / "here")
    newest = make_jar(home / "here" / "Ludii.jar", age_s=-60)
    assert find_jar() == newest
    assert find_jar("../Ludii/ludii.jar").samefile(home / "Ludii" / "ludii.jar")


def test_without_a_jar(home: Path) -> None:
    shutil.rmtree(home / "Downloads")
    with pytest.raises(SettingsError, match=r"no Ludii\*.jar in this folder, .*Downloads.*; download it from"):
        find_jar()


@pytest.mark.parametrize(("jar", "problem"), [
    ("text", "not a zip file"), ("other.jar", "no app/StartDesktopApp.class in it"),
])
def test_a_file_that_is_no_jar_of_ludii(home: Path, jar: str, problem: str) -> None:
    (home / "text").write_text("Ludii", encoding="utf-8")
    make_jar(home / "other.jar", player="a.class")
    with pytest.raises(SettingsError, match=f"{jar}': not Ludii's JAR: .*{problem}; expected .* from ludii.games"):
        compiled(Java("java", "javac"), home / jar, lambda: None)
    assert not (home / "cache").exists()


@pytest.mark.posix
def test_java_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jdk = home / "jdk" / "bin"
    expected = Java(str(jdk / "java"), str(jdk / "javac"))
    assert find_java() == find_java(str(home / "jdk")) == find_java(str(jdk / "java")) == expected
    runtime = home / "jre" / "bin" / "java"
    runtime.parent.mkdir(parents=True)
    shutil.copy(jdk / "java", runtime)
    monkeypatch.setenv("PATH", str(runtime.parent))
    assert find_java() == expected, "a runtime does not compile"
    monkeypatch.delenv("JAVA_HOME")
    assert find_java() == Java(str(runtime), None)
    (home / "links").mkdir()
    (home / "links" / "java").symlink_to(jdk / "java")  # as of Debian's alternatives
    monkeypatch.setenv("PATH", str(home / "links"))
    assert find_java() == Java(str(home / "links" / "java"), str(jdk / "javac"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SettingsError, match="no Java: neither on the PATH nor in JAVA_HOME; install a JDK"):
        find_java()
    with pytest.raises(SettingsError, match="--java 'nowhere': no such program; expected java, or the folder of a JDK"):
        find_java("nowhere")


def test_a_runtime_cannot_compile(home: Path) -> None:
    with pytest.raises(SettingsError, match="'java': a Java runtime, which has no javac; expected a JDK"):
        compiled(Java("java", None), find_jar(), lambda: None)


@pytest.mark.process
@pytest.mark.posix
def test_a_compiler_that_fails(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "jdk" / "bin" / "javac-fails").write_text(
        "X.java:7: error: cannot find symbol\n  AI ai;\n1 error\n", encoding="utf-8")
    assert main(["ludii"]) == 1
    assert capsys.readouterr().err == (f"latrones-uci ludii: '{home}/jdk/bin/javac': exit status 1: X.java:7: error:"
                                       " cannot find symbol\n")
    with pytest.raises(OperationError, match="cannot start '.*nonesuch'"):
        compiled(Java("java", str(home / "nonesuch")), find_jar(), lambda: None)
