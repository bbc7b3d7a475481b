"""Checks with input that is wrong: an engine lives on, and does nothing that it was not asked for."""

from latrones_uci.client.engine import move_texts, render_position
from latrones_uci.compliance.raw_client import FaultError, RawClient
from latrones_uci.compliance.workbench import Check, Workbench
from latrones_uci.game import quoted

NONSENSE = (
    "hello", "UCI", "uciok", "bestmove a1a2", "position", "setoption", "setoption name", "debug", "go2", "0000",
    "\x00\x01\x02", "\u265f \u20ac \U0001f3b2", '"', "-1", "position fen", "position startpos moves moves", "isreadyy",
)  # fmt: skip
BAD_GOES = ("go depth", "go depth zero", "go depth -1", "go movetime x", "go nodes 1e9", "go wtime", "go hello")
LONG_BYTES = 200_000


def check_nonsense(bench: Workbench) -> str:
    """Lines that are no commands do no harm."""
    client = bench.client()
    for line in NONSENSE:
        if (reply := client.answer(line)).best_moves():
            raise FaultError(f"{quoted(line)} is answered by {quoted(reply.texts[0])}")
    return _plays_on(bench, client, f"{len(NONSENSE)} lines")


def check_long_line(bench: Workbench) -> str:
    """A long line does no harm."""
    client = bench.client()
    client.answer("x" * LONG_BYTES, "position fen " + "8/" * (LONG_BYTES // 2))
    return _plays_on(bench, client, f"{LONG_BYTES} characters")


def check_long_game(bench: Workbench) -> str:
    """A game of some hundred plies can be sent in a line."""
    game = max(bench.finished.values(), key=lambda game: len(game.moves), default=bench.game)
    game = game.up_to(max(len(game.moves) - 1, 0))
    bench.client().search(render_position(game), "go depth 1")
    return f"{len(game.moves)} plies"


def check_bad_positions(bench: Workbench) -> str:
    """A rejected position is not replaced by another one."""
    client, good = bench.client(), render_position(bench.game)
    bad = bad_positions(bench)
    for line in bad:
        client.answer(good)
        client.answer(line)
        move = client.go("go depth 1").best_moves()[0].move
        if move != "0000":
            raise FaultError(f"bestmove {quoted(move)} after {quoted(line)}, not 0000")
    return _plays_on(bench, client, f"{len(bad)} positions rejected")


def check_bad_go(bench: Workbench) -> str:
    """A malformed ``go`` gets a ``bestmove`` without a ``stop``."""
    client = bench.client()
    for go in BAD_GOES:
        client.search(render_position(bench.game), go)
    return _plays_on(bench, client, f"{len(BAD_GOES)} lines")


def check_bad_options(bench: Workbench) -> str:
    """Options that there are not, and values that cannot be, do no harm."""
    client = bench.client()
    lines = ["setoption name NoSuchOption value 1", "setoption name UCI_Variant value no-such-game",
             "setoption name BoardSize value 1x1", "setoption name BoardSize value wide"]
    lines += [f"setoption name {option.name} value many" for option in bench.options().values()
              if option.kind in ("spin", "check", "combo")]
    for line in lines:
        if client.answer(line).best_moves():
            raise FaultError(f"{quoted(line)} is answered by a bestmove")
    return _plays_on(bench, client, f"{len(lines)} lines")


def bad_positions(bench: Workbench) -> list[str]:
    """``position`` lines that no engine may take: bad boards, and moves that cannot be."""
    start, good = bench.target.start, render_position(bench.game)
    board, rest = start.fen().split(" ", 1)
    texts = move_texts(bench.game)
    return [
        f"position fen {board}/9 {rest}",
        f"position fen {board.replace('S', 'x', 1)} {rest}",
        f"position fen {board} x 0 1",
        f"position fen {board} {rest} 7",
        f"{good if texts else good + ' moves'} a1-a2",
        f"{good if texts else good + ' moves'} p16p15",
        f"position fen {start.fen()} moves {' '.join([*texts, '0000'])}",
        f"position fen {start.fen()} moves {' '.join([*texts, 'a1a1', *texts])}",
    ]  # fmt: skip


def _plays_on(bench: Workbench, client: RawClient, seen: str) -> str:
    """After all that, a good position is played."""
    move = client.search(render_position(bench.game), "go depth 1").best_moves()[0].move
    if move == "0000":
        raise FaultError(f"{seen}, and then no move in a good position")
    return f"{seen}, and it plays on"


CHECKS = (
    Check("nonsense", "survives lines that are no commands, without a bestmove for them", check_nonsense),
    Check("long-line", "survives a line of 200,000 characters", check_long_line),
    Check("long-game", "takes a whole game in one line", check_long_game),
    Check("bad-position", "answers go after a rejected position by bestmove 0000", check_bad_positions),
    Check("bad-go", "gives a malformed go a bestmove without a stop", check_bad_go),
    Check("bad-option", "survives unknown options and values", check_bad_options),
)
