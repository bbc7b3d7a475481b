"""Checks of how a conversation begins, and of what is said in it."""

from latrones_uci.game import quoted
from latrones_uci.match.engines.engine_output import parse_id_name
from latrones_uci.match.tools.compliance.faults import FaultError
from latrones_uci.match.tools.compliance.verdicts import Check
from latrones_uci.match.tools.compliance.workbench import Workbench
from latrones_uci.match.tools.position_text import render_position

_FIRST_WORDS = frozenset({"id", "option", "uciok", "ugiok", "readyok", "info", "bestmove"})


def check_silent_start(bench: Workbench) -> str:
    """Nothing is said before the first command."""
    with bench.own_client() as client:
        start_s = bench.greet(client).elapsed_ms / 1000
    with bench.own_client() as client:
        seconds = max(2 * start_s, bench.subject.quiet_s)  # so long that it has started, and might speak
        heard = client.overhear(seconds)
    if heard.lines:
        raise FaultError(f"says {quoted(heard.texts[0])} unasked")
    return f"silent for {seconds:.1f} s"


def check_handshake(bench: Workbench) -> str:
    """The greeting is answered, twice if it is sent twice, and the engine has a name."""
    with bench.own_client() as client:
        heard = bench.greet(client)
        again = bench.greet(client)
    names = [name for text in heard.texts if (name := parse_id_name(text)) is not None]
    if len(names) != 1:
        raise FaultError(f"{len(names)} lines 'id name', not 1")
    return f"{names[0]}, {heard.elapsed_ms:.0f} ms; again {again.elapsed_ms:.0f} ms"


def check_protocol_lines(bench: Workbench) -> str:
    """All that is said in an ordinary conversation are lines of the protocol."""
    with bench.own_client() as client:
        texts = [*bench.greet(client).texts, *client.ready().texts]
        texts += client.answer(bench.subject.dialect.new_game, render_position(bench.game)).texts
        texts += client.go("go depth 1").texts
        texts += client.ready().texts
    strange = [text for text in texts if text and text.split()[0] not in _FIRST_WORDS]
    if strange:
        raise FaultError(f"{len(strange)} other lines, the first {quoted(strange[0])}")
    return f"{len(texts)} lines"


def check_isready(bench: Workbench) -> str:
    """``isready`` is answered once each time."""
    client = bench.client()
    client.send("isready", "isready", "isready")
    heard = client.expect("readyok")
    client.expect("readyok")
    client.expect("readyok")
    if "readyok" in client.overhear(bench.subject.quiet_s).texts:
        raise FaultError("more than one readyok for an isready")
    return f"{heard.elapsed_ms:.1f} ms"


def check_line_ends(bench: Workbench) -> str:
    """A carriage return, blanks around and between words, and blank lines do not matter."""
    client = bench.client()
    client.send("", "   ", "isready\r")
    client.expect("readyok")
    client.send("\t isready  ")
    client.expect("readyok")
    board, rest = bench.subject.start.fen().split(" ", 1)
    client.search(f"  position   fen  {board}   {rest}\t\r", "go \t depth  1 \r")
    return "carriage returns, blanks, blank lines"


CHECKS = (
    Check("silent-start", "says nothing before the first command", check_silent_start),
    Check("handshake", "answers the greeting, also a second one, with its name and the closing word", check_handshake),
    Check("protocol-lines", "prints nothing but lines of the protocol", check_protocol_lines),
    Check("isready", "answers each isready with one readyok", check_isready),
    Check("line-ends", "does not mind carriage returns, further blanks and blank lines", check_line_ends),
)
