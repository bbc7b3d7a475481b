"""What fuzzing begins with: inputs that are right, or nearly so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
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
    for path in (ROOT / "tests" / "transcripts").glob("*.txt"):
        yield _sent(path.read_text(encoding="utf-8"))
    for page in (ROOT / "protocol.md", ROOT / "docs" / "rules.md"):
        for session in re.findall(r"```session\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            yield _sent(session)
    lines = (DATA / "malformed.txt").read_text(encoding="utf-8").splitlines()
    malformed = [line.partition("\t")[2] for line in lines if "\t" in line]
    for start in range(0, len(malformed), 40):
        yield "\n".join(malformed[start : start + 40])


def _sent(session: str) -> str:
    return "\n".join(line[2:] for line in session.splitlines() if line.startswith("> "))


def gtp_sessions() -> Iterator[str]:
    """The transcripts in GTP."""
    for path in (ROOT / "tests" / "transcripts").glob("gtp-*.txt"):
        yield _sent(path.read_text(encoding="utf-8"))


def xboard_sessions() -> Iterator[str]:
    """The session of the page, and games; what the moves mean is said in ``fuzz.cecp_target``."""
    for session in re.findall(r"```session\n(.*?)```", (ROOT / "protocol.md").read_text(encoding="utf-8"), re.DOTALL):
        if session.startswith("> xboard"):
            yield _sent(session)
    lines = XBOARD_LINES.splitlines()
    for variant in ("latrones", "latrones-12x8", "petteia-xxi-10x8", "rota"):
        yield "\n".join(["new", f"variant {variant}", *lines])


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
    for path in (ROOT / "docs" / "examples").glob("*.toml"):
        yield path.read_text(encoding="utf-8")


def keys() -> Iterator[str]:
    """The words of a file of games."""
    text = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
    return iter(sorted({word.strip("`\"") for word in re.findall(r"`[a-z_0-9\"]+`", text)}))


NETS = ("", "8 0200", "10 05", "12 01", "13 01", "14 40", "16 40", "18 ff00", "20 ffffff7f", "24 00", "26 00",
        "300 ff7f\n400 0080\n500 ff7fff7fff7f")  # fmt: skip
"""Changes of a net: none, of the header, of the sizes, and of the weights."""
SUITES = (
    '3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1; bm c6c8; dm 1; id "one; # two"  # remark\n',
    "8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1; variant schaedler; bm c3e3e1 c3e3\n",
    "d1d5 e8e4\nstartpos moves a1a2\nssssssss/3d4/8/8/8/8/4D3/SSSSSSSS b 0 1 moves a8a7 # x\n",
    "random:4",
)
"""Test positions, and openings."""
PGN = """\
[Event "latrones-match"]
[White "a \\"b\\""]
[FEN "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"]

% escaped
1. c6c8 {+M1/2 0.1s} a1a2 $3 2... S@d4 ; rest
xd5 {a
b} 1-0

"""
OUTPUT = """\
id name x y
id author z
option name UCI_Variant type combo default latrones var latrones var bell
option name Hash type spin default 16 min 1 max 65536
uciok
readyok
info depth 1 seldepth 2 multipv 1 score cp -12 lowerbound nodes 10 nps 3 hashfull 0 time 4 pv a1a2 b1b2
info depth 3 score mate -2 currmove a1a2 currmovenumber 3
info string error busy: x
bestmove a1a2 ponder b1b2
response p1win
registration checking
"""
XBOARD_LINES = """\
computer
hard
post
level 40 0:05 0.5
time 500
otim 480
usermove *3
ping 1
usermove =
usermove *14
force
setboard s3d3/8/8/2Sssss1/8/8/s3D3/7S w - - 0 1
lift h1
hover h5
usermove ~400
usermove *2
usermove ~6
usermove ~7
undo
remove
playother
usermove ~1
hint
?
easy
result 1-0 {x}
option MultiPV=3
analyze
.
usermove *9
undo
exit
new
st 2
sd 3
go
usermove =
option VariantPath=g.toml
memory 1
cores 2
go
"""
SETTINGS = """\
engines = [
    { command = ["a", "b"], name = "one", control = "tc=1+0.01 depth=6", options = { Hash = 16, Ponder = true } },
    { command = ["c"], control = "st=0.1 nodes=5" },
]
variants = ["latrones:8x8", "bell"]
games = 4
openings = "file:x"
seed = 3
concurrency = 2
format = "round-robin"
[limits]
margin_ms = 5
draw = { movenumber = 1, moves = 2, score_centi = 3 }
[sprt]
elo0 = 0.0
elo1 = 5.0
"""
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
