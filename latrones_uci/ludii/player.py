"""Open Ludii's player on a ruleset, with this project's engine as the opponent."""

import json
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from latrones_uci.client.child import status_text
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import OperationError
from latrones_uci.client.programs import kill_group, start_group
from latrones_uci.game import Ruleset
from latrones_uci.ludii.java import Classes, last_line
from latrones_uci.text.files import read_text_file, write_whole
from latrones_uci.text.folders import user_folder
from latrones_uci.text.messages import quoted
from latrones_uci.text.signals import WAKE_S

# In the source of a ruleset, such as "Ludus Latrunculorum, ruleset 6x7 (Seega Rules)."
_ITEM = re.compile(r"ruleset (\w+(?: \w+)*(?: \(\w+ Rules\))?)")
_TRIAL = """\
game=/lud/board/war/custodial/Ludus Latrunculorum.lud
START GAME OPTIONS
{}
END GAME OPTIONS
RNG internal state=0,0,0,0,0,0,0,1
"""
_MAX_PREFERENCES_BYTES = 2**20
_END_WAIT_S = 5.0


def player_folder() -> Path:
    """Return the folder of the player's files: Ludii keeps them in its current directory."""
    return user_folder("data") / "ludii"


def item_of(ruleset: Ruleset) -> str:
    """Return the name that Ludii has for a ruleset of the set ``ludii``, such as ``Kowalski 8x12``."""
    found = _ITEM.search(ruleset.source)
    assert found is not None, ruleset.name
    return found[1]


def agent_name(level: int, levels: int) -> str:
    """Return the name of a level in Ludii's list of agents, which has room for so much; ``levels`` is full strength."""
    return "latrones-uci" if level == levels else f"level {level}"


def write_start(folder: Path, ruleset: Ruleset, agent: str, seconds: float) -> None:
    """Write the files with which Ludii begins a game of a ruleset, as White against an agent.

    What else Ludii keeps in its preferences, such as the size of the window, stays. ``seconds`` is the time for a move.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    options = [f"Suggested Variants/{item_of(ruleset)}", "Repetition of states/No"]
    write_whole(folder / "ludii.trl", _TRIAL.format("\n".join(options)))
    path = folder / "ludii_preferences.json"
    # Arrows, names of squares, and short names of players: the pieces in hand are to the right of them.
    preferences: dict[str, Any] = {"ShowAIDistribution": True, "ShowAxes": True, "Names_1": "White", "Names_2": "Black"}
    with suppress(OSError, ValueError):
        kept = json.loads(read_text_file(path, _MAX_PREFERENCES_BYTES))
        preferences |= kept if isinstance(kept, dict) else {}
    preferences |= {
        "LoadedFromMemory": True, "OptionStrings": options, "SelectedRuleset": -1,
        "AI_1": {"AI": {"algorithm": "Human"}}, "MenuNames_1": "Human",
        "AI_2": {"AI": {"algorithm": agent}}, "MenuNames_2": agent, "SearchTime_2": seconds,
    }
    write_whole(path, json.dumps(preferences, indent=1) + "\n")


def run_player(classes: Classes, folder: Path, names: Sequence[str]) -> None:
    """Run the player until its window is closed; what it prints goes to ``ludii.log`` in its folder.

    ``names`` are those of the levels of the engine, the last one full strength. An interrupt closes the player.

    Raises:
        OperationError: it cannot be started, or fails.
        OSError: the log cannot be written.
    """
    command = classes.command("Launcher", *names, options=["-Dlatrones.command=" + "\n".join(OWN_ENGINE)])
    log = folder / "ludii.log"
    with log.open("wb") as file:
        process = start_group(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
    try:
        status = None
        while status is None:
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(WAKE_S)
    except BaseException:
        process.terminate()  # it keeps its files, and closes its engines
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_WAIT_S)
        raise
    finally:
        kill_group(process)
        process.wait()
    if status:
        raise OperationError(f"Ludii: exit status {status_text(status)}: {_end_of(log)}; the rest is in"
                             f" {quoted(str(log))}")


def _end_of(log: Path) -> str:
    with suppress(OSError, ValueError):
        return last_line(read_text_file(log))
    return "no readable output"
