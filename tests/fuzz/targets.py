"""What can be fuzzed: for each target what it runs, what it begins with, and the words that mutations put in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from fuzz import seeds

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Target:
    """Something that reads what strangers write."""

    name: str
    """Also that of its folder in the corpus."""
    module: str
    function: str
    """What it runs: given the input, returns how many lines were executed, and raises when something is not as
    promised. The module's ``install()`` is called once, where it has one."""
    longest: int
    """Bytes of an input."""
    seeds: Callable[[], Iterable[str]] = tuple
    """What it begins with, beside the corpus."""
    words: Sequence[str] = ()
    """For the dictionary."""

    def load(self) -> Callable[[bytes], int]:
        """Imports the target, and returns what it runs."""
        module = import_module(self.module)
        if hasattr(module, "install"):
            module.install()
        run: Callable[[bytes], int] = getattr(module, self.function)
        return run


def words_of(target: str) -> list[str]:
    return (CORPUS / target / "seed").read_text(encoding="utf-8").split()


LOOP, CECP, GTP = "fuzz.loop_target", "fuzz.cecp_target", "fuzz.gtp_target"
TEXT, BINDING = "fuzz.text_targets", "fuzz.binding_target"
COMMANDS = (*seeds.COMMANDS.split(), "Clear Hash", "Move Overhead", "\n")
HANDS = ("[8S8s]", "[-]", "[16S1D16s1d]", "16", "w 0 1", "b 9999 9999", "/8")
MOVES = ("S@a1", "D@b2", "xd5", "0000", "a10p16", "c3c5e5", "\n")
TAGS = ('[A "b"]', "1-0", "1/2-1/2", "*", "{", "}", ";", "%", "$1", "1.")
ASKED = ("; bm ", "; dm 3", '; id "a"', "variant bell", " moves ", "#")

TARGETS = {
    target.name: target
    for target in (
        Target("loop", LOOP, "run", 8192, seeds.sessions, COMMANDS),
        Target("cecp", CECP, "run", 4096, seeds.xboard_sessions, (*seeds.XBOARD.split(), "\n")),
        Target("gtp", GTP, "run", 4096, seeds.gtp_sessions, (*seeds.GTP.split(), "\n")),
        Target("binding", BINDING, "run", 600),
        Target("fen", TEXT, "run_fen", 1200, seeds.fens, HANDS),
        Target("move", TEXT, "run_move", 2000, seeds.games, MOVES),
        Target("variants", TEXT, "run_variants", 4000, seeds.variants, tuple(seeds.keys())),
        Target("pgn", TEXT, "run_pgn", 4000, words=TAGS),
        Target("output", TEXT, "run_engine_output", 4000, words=words_of("output")),
        Target("settings", TEXT, "run_settings", 4000, words=words_of("settings")),
        Target("net", TEXT, "run_net", 600),
        Target("suite", TEXT, "run_suite", 4000, words=ASKED),
        Target("analysis", TEXT, "run_analysis", 4000, words=words_of("analysis")),
    )
}
