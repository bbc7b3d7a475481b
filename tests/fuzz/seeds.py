"""What fuzzing begins with: inputs that are right, or nearly so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from folders import EXAMPLES, ROOT

DATA = ROOT / "tests" / "data"
LONG_SESSION = 5000


def sessions() -> Iterator[str]:
    """What is sent in the sessions of the tests and of the pages, several after each other: an engine costs more to
    make than many lines to serve.
    """
    together = ""
    for session in _sessions():
        if len(together) + len(session) > LONG_SESSION:
            yield together
            together = ""
        together += session + "\nucinewgame\n"
    yield together


def _sessions() -> Iterator[str]:
    yield from _transcripts("*.txt")
    yield from _sessions_of(ROOT / "protocol.md")
    yield from _sessions_of(ROOT / "docs" / "rules.md")
    lines = (DATA / "malformed.txt").read_text(encoding="utf-8").splitlines()
    malformed = [line.partition("\t")[2] for line in lines if "\t" in line]
    for start in range(0, len(malformed), 40):
        yield "\n".join(malformed[start : start + 40])


def _sent(session: str) -> str:
    return "\n".join(line[2:] for line in session.splitlines() if line.startswith("> "))


def _transcripts(pattern: str) -> Iterator[str]:
    for path in (ROOT / "tests" / "protocols" / "transcripts").glob(pattern):
        yield _sent(path.read_text(encoding="utf-8"))


def _sessions_of(page: Path) -> Iterator[str]:
    for session in re.findall(r"```session\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        yield _sent(session)


def gtp_sessions() -> Iterator[str]:
    """The transcripts in GTP."""
    return _transcripts("gtp-*.txt")


def xboard_sessions() -> Iterator[str]:
    """The session of the page, and games; what the moves mean is said in ``fuzz.cecp_target``."""
    yield from _sessions_of(ROOT / "docs" / "xboard.md")
    lines = (Path(__file__).parent / "corpus" / "cecp" / "seed").read_text(encoding="utf-8")
    for variant in ("latrones", "latrones-12x8", "petteia-xxi-10x8", "rota"):
        yield f"new\nvariant {variant}\n{lines}"


def fens() -> Iterator[str]:
    """The positions of the tests' data, a few a file."""
    entries = _perft_entries()
    for start in range(0, len(entries), 5):
        yield "\n".join(entry["fen"] for entry in entries[start : start + 5])


def games() -> Iterator[str]:
    """Games of the tests' data, and positions with all their moves."""
    for game in json.loads((DATA / "games.json").read_text(encoding="utf-8"))["games"][::10]:
        yield "\n".join([game["variant"], game["start"], *map(str, game["moves"][:100])])
    for entry in _perft_entries():
        yield "\n".join([entry["variant"], entry["fen"], *entry.get("moves", [])[:50]])


def _perft_entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((DATA / "perft.json").read_text(encoding="utf-8"))["perft"]
    return entries


def variants() -> Iterator[str]:
    """The games that come with the program under other names, one a file, and some that inherit."""
    text = (ROOT / "latrones_uci" / "game" / "variants.toml").read_text(encoding="utf-8")
    for entry in re.split(r"(?m)^(?=\[)", text)[1:]:
        yield entry.replace("[", "[my-", 1)
        yield f'[mine]\nparent = "{entry[1:entry.index("]")]}"\n'
    for path in EXAMPLES.glob("*.toml"):
        yield path.read_text(encoding="utf-8")


def keys() -> Iterator[str]:
    """The words of a file of games."""
    text = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
    return iter(sorted({word.strip("`\"") for word in re.findall(r"`[a-z_0-9\"]+`", text)} - {""}))


COMMANDS = """\
uci ugi isready ucinewgame uginewgame newgame debug on off setoption name value position startpos fen moves go perft
stop ponderhit query p1turn gameover result d eval bench help quit depth nodes mate movetime movestogo wtime btime winc
binc p1time p2time p1inc p2inc infinite ponder searchmoves UCI_Variant BoardSize VariantPath Hash MultiPV Threads
Backend python native auto Ponder UCI_AnalyseMode true false latrones latrunculi-classical latrunculi-xxi petteia-xxi
single-stone-xxi schaedler bell rota g.toml tiny hops chains fifo 16x16 default <empty> 0000 S@a1 D@b2 xd5 a1a2 d1d5
c3c5e5 core ludii all ssss/1d2/2D1/SSSS 8/8/8/8/8/8/8/8[8S8s] [-] w b 999999999999999999 -1
"""
GTP = "play w b white black pass genmove undo gg-undo latrones-fen latrones-variant bell latrones-why D1 A8 J5"
XBOARD = """\
xboard protover accepted rejected debug new variant quit random force go playother white black level st sd time otim
usermove ? ping draw result setboard edit hint bk undo remove hard easy post nopost analyze name rating ics computer
pause memory cores option lift hover put . exit latrones-12x8 rota tiny g.toml VariantPath= MultiPV=3 Hash=1
Backend=python *7 ~7 = S@a1 h1e5,e5f5,f5h5 d7d5,e5c5 a1a2 d1d5 [SSs] - w b 0:30 0.5 {x} -1 999999999
"""
