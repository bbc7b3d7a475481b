"""Only so much is read of any file, and an error of one line says so; /dev/zero stands for one without an end."""

import subprocess
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import main as engine_main
from latrones_uci.commands.main import match_main as main
from latrones_uci.records.pgn_read import MAX_GAME_CHARACTERS, MAX_LINE_CHARACTERS, PgnGame, read_file, read_games
from latrones_uci.text.command import join_command
from latrones_uci.text.files import read_text_file, whole_file

ENDLESS = "/dev/zero"
linux = pytest.mark.linux  # /dev/zero is not everywhere


@linux
@pytest.mark.parametrize(("command", "words"), [
    (main, ["--config", ENDLESS]), (main, ["ENGINES", "--variant-path", ENDLESS]),
    (main, ["ENGINES", "--openings", f"file:{ENDLESS}"]), (main, ["verify", ENDLESS]), (main, ["report", ENDLESS]),
    (engine_main, ["suite", ENDLESS]), (engine_main, ["analyse", ENDLESS]),
    (engine_main, ["suite", ENDLESS, "--variant-path", ENDLESS]), (engine_main, ["variants", "check", ENDLESS]),
])
def test_files_without_an_end(
    command: Callable[[list[str]], int], words: list[str], fake_command: Callable[..., tuple[str, ...]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    import resource

    engine = ["--engine", f"cmd={join_command(fake_command('good'))}", "depth=1"]
    words = [part for word in words for part in ([*engine, *engine] if word == "ENGINES" else [word])]
    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert command(words) != 0
    captured = capsys.readouterr()
    assert ENDLESS in captured.out + captured.err
    assert "Traceback" not in captured.err
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_before < 600_000  # kB


@linux
@pytest.mark.process
def test_a_file_of_games_without_an_end_for_the_engine() -> None:
    commands = f"setoption name VariantPath value {ENDLESS}\nisready\n"
    done = subprocess.run(list(OWN_ENGINE), input=commands, capture_output=True, text=True,
                          timeout=60, check=False)
    error, ready = done.stdout.splitlines()
    assert error == f"info string error option: option VariantPath: '{ENDLESS}': not a regular file"
    assert ready == "readyok"


def test_text_files(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("ä\n".encode())
    assert read_text_file(path, 3) == "ä\n"
    with pytest.raises(ValueError, match="longer than 2 bytes"):
        read_text_file(path, 2)
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="utf-8"):
        read_text_file(path)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_of_a_file_that_was_not_finished(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def write() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        write()
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"before"


def test_lines_and_games_of_pgn(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("{" + "x" * MAX_LINE_CHARACTERS + "} *\n", encoding="utf-8")
    path.write_text(f"{path.read_text(encoding='utf-8')}[White \"A\"]\n*\n", encoding="utf-8")
    error, game_after = read_file(path)
    assert str(error).startswith("game 1, line 1: longer than 1048576 characters: '{xxx")
    assert isinstance(game_after, PgnGame)
    assert (game_after.tags, game_after.line) == ({"White": "A"}, 2)
    [error] = read_games(["1. a1a2 (b1b2" * 101])
    assert str(error).startswith("game 1, line 1: variations nested deeper than 100: '(b1b2")
    line = "{ " + "x" * 99_996 + " }\n"
    game, one_too_many = ["*\n"], MAX_GAME_CHARACTERS // len(line) + 1
    errors = list(read_games(chain(repeat(line, one_too_many), game)))
    assert [str(each) for each in errors] == [
        f"game 1, line {one_too_many}: the game is longer than 16777216 characters"]
    # Many games may be as long as they like together.
    assert len(list(read_games(chain.from_iterable(repeat([*repeat(line, 60), *game], 4))))) == 4
