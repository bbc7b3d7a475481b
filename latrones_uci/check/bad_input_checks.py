"""Checks with bad input: the engine must survive it and do nothing that was not requested."""

from latrones_uci.check.raw_client import FaultError, RawClient
from latrones_uci.check.workbench import Check, Workbench
from latrones_uci.client.engine import move_texts, render_position
from latrones_uci.game import counted, quoted

NONSENSE = (
    "hello", "UCI", "uciok", "bestmove a1a2", "position", "setoption", "setoption name", "debug", "go2", "0000",
    "\x00\x01\x02", "\u265f \u20ac \U0001f3b2", '"', "-1", "position fen", "position startpos moves moves", "isreadyy",
)  # fmt: skip
BAD_GOES = ("go depth", "go depth zero", "go depth -1", "go movetime x", "go nodes 1e9", "go wtime", "go hello")
LONG_BYTES = 200_000


def check_nonsense(bench: Workbench) -> str:
    """Check that the engine survives lines that are not commands, and does not answer them with a ``bestmove``."""
    client = bench.client()
    for line in NONSENSE:
        if best := client.answer(line).best_moves():
            raise FaultError(f"answers {quoted(line)} with {quoted(f'bestmove {best[0].move}')}")
    return _plays_on(bench, client, f"{len(NONSENSE)} lines")


def check_long_line(bench: Workbench) -> str:
    """Check that the engine survives very long lines."""
    client = bench.client()
    client.answer("x" * LONG_BYTES, "position fen " + "8/" * (LONG_BYTES // 2))
    return _plays_on(bench, client, f"{LONG_BYTES} characters")


def check_long_game(bench: Workbench) -> str:
    """Check that the engine accepts a game of a few hundred plies in one line."""
    game = max(bench.finished.values(), key=lambda game: len(game.moves), default=bench.game)
    game = game.up_to(max(len(game.moves) - 1, 0))
    bench.client().search(render_position(game), "go depth 1")
    return counted(len(game.moves), "ply", "plies")


def check_bad_positions(bench: Workbench) -> str:
    """Check that the engine plays no move after it has rejected a position."""
    client, good = bench.client(), render_position(bench.game)
    bad = bad_positions(bench)
    for line in bad:
        client.answer(good)
        client.answer(line)
        move = client.go("go depth 1").best_moves()[0].move
        if move != "0000":
            raise FaultError(f"bestmove {quoted(move)} after {quoted(line)}; expected 0000")
    return _plays_on(bench, client, f"{counted(len(bad), 'position')} rejected")


def check_bad_go(bench: Workbench) -> str:
    """Check that a malformed ``go`` is answered with a ``bestmove`` without a ``stop``."""
    client = bench.client()
    for go in BAD_GOES:
        client.set_position(render_position(bench.game))
        client.go(go)
    return _plays_on(bench, client, f"{len(BAD_GOES)} lines")


def check_bad_options(bench: Workbench) -> str:
    """Check that the engine survives unknown options and invalid values."""
    client = bench.client()
    lines = ["setoption name NoSuchOption value 1", "setoption name UCI_Variant value no-such-game",
             "setoption name BoardSize value 1x1", "setoption name BoardSize value wide"]
    lines += [f"setoption name {option.name} value many" for option in bench.options().values()
              if option.kind in ("spin", "check", "combo")]
    for line in lines:
        if client.answer(line).best_moves():
            raise FaultError(f"answers {quoted(line)} with a bestmove")
    return _plays_on(bench, client, counted(len(lines), "line"))


def bad_positions(bench: Workbench) -> list[str]:
    """Return ``position`` lines that every engine must reject: invalid boards, and malformed or illegal moves."""
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
    """Check that the engine still plays a move in a valid position."""
    move = client.search(render_position(bench.game), "go depth 1").best_moves()[0].move
    if move == "0000":
        raise FaultError(f"{seen}, then no move in a valid position")
    return f"{seen}, still plays"


CHECKS = (
    Check("nonsense", "survives unknown commands and does not answer them with a bestmove", check_nonsense),
    Check("long-line", "survives a line of 200,000 characters", check_long_line),
    Check("long-game", "accepts a whole game in one line", check_long_game),
    Check("bad-position", "answers go after a rejected position with bestmove 0000", check_bad_positions),
    Check("bad-go", "answers a malformed go with a bestmove without a stop", check_bad_go),
    Check("bad-option", "survives unknown options and invalid values", check_bad_options),
)
