"""Checks of searches with a limit: when they end, which moves they return, and their ``info`` lines."""

from collections.abc import Sequence

from latrones_uci.check.raw_client import FaultError, NotOfferedError
from latrones_uci.check.workbench import Check, Workbench
from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_rules import Offence, judge_line, judge_search, read_move
from latrones_uci.client.output import parse_ranked_line
from latrones_uci.game import Game, LatronesError, Move, counted, quoted
from latrones_uci.protocol import NO_MOVE

_MOVETIME_MS = 100
_CLOCK_MS = 2000
_PLIES = 40
_INFO_PLIES = 6


def check_new_game(bench: Workbench) -> str:
    """Check that a new game can be started between searches."""
    client = bench.client()
    client.search(render_position(bench.game), "go depth 1")
    ready = client.answer(bench.target.dialect.new_game)
    client.search(render_position(Game(bench.target.start)), "go depth 1")
    return f"ready after {ready.elapsed_ms:.1f} ms"


def check_depth(bench: Workbench) -> str:
    """Check that ``go depth`` ends without a ``stop``."""
    client = bench.client()
    elapsed = [client.search(render_position(bench.game), f"go depth {depth}").elapsed_ms for depth in (1, 2)]
    return f"depth 2 in {elapsed[1]:.1f} ms"


def check_nodes(bench: Workbench) -> str:
    """Check that ``go nodes`` ends without a ``stop``."""
    reply = bench.client().search(render_position(bench.game), "go nodes 200")
    return f"200 nodes in {reply.elapsed_ms:.1f} ms"


def check_movetime(bench: Workbench) -> str:
    """Check that ``go movetime`` ends in time."""
    elapsed_ms = bench.client().search(render_position(bench.game), f"go movetime {_MOVETIME_MS}").elapsed_ms
    return _in_time(elapsed_ms, _MOVETIME_MS + bench.target.latency_ms, f"movetime {_MOVETIME_MS}")


def check_clock(bench: Workbench) -> str:
    """Check that the engine does not lose on time, even with 1 ms left."""
    dialect, client = bench.target.dialect, bench.client()
    seen = []
    for left_ms, limit_ms in ((_CLOCK_MS, _CLOCK_MS), (1, 1 + bench.target.latency_ms)):
        words = [f"{word} {left_ms}" for word in dialect.clocks] + [f"{word} 0" for word in dialect.increments]
        reply = client.search(render_position(bench.game), " ".join(["go", *words]))
        seen.append(_in_time(reply.elapsed_ms, limit_ms, f"{left_ms} ms left"))
    return ", ".join(seen)


def check_legal_moves(bench: Workbench) -> str:
    """Check that all moves of a game of the engine against itself are legal."""
    client, game = bench.client(), Game(bench.target.start)
    while len(game.moves) < _PLIES and game.outcome() is None:
        move_text = client.search(render_position(game), "go depth 1").best_moves()[0].move
        move = _legal_move(game, move_text)
        if str(move) != move_text:
            raise FaultError(f"bestmove {quoted(move_text)}: not the standard form {quoted(str(move))}")
        game.play(move)
    return counted(len(game.moves), "ply", "plies")


def _legal_move(game: Game, text: str) -> Move:
    try:
        return read_move(game.position, text)
    except LatronesError as error:
        raise FaultError(f"bestmove {quoted(text)}: {error}") from None


def check_best_move_form(bench: Workbench) -> str:
    """Check that the ``bestmove`` line has the form of the dialect, and that its ponder move is legal."""
    client = bench.client()
    reply = client.search(render_position(bench.game), "go depth 3")
    line, best = reply.texts[-1], reply.best_moves()[0]
    _raise_first([*judge_line(line, bench.target.dialect), *judge_search(bench.game, (), best)])
    return quoted(line)


def _raise_first(offences: Sequence[Offence]) -> None:
    """Raise a ``FaultError`` for the first offence, if there is one."""
    if offences:
        raise FaultError(str(offences[0]))


def check_finished_game(bench: Workbench) -> str:
    """Check that the engine answers ``bestmove 0000`` if the game is over, for every termination."""
    client = bench.client()
    for reason, game in bench.finished.items():
        for go in ("go depth 1", "go infinite"):
            move = client.search(render_position(game), go, bench.target.timeout_s).best_moves()[0].move
            if move != "0000":
                raise FaultError(f"bestmove {quoted(move)} after {go!r} in a game ended by {reason}; expected 0000")
    return f"ended by {', '.join(sorted(bench.finished))}"


def check_one_best_move(bench: Workbench) -> str:
    """Check that each ``go`` is answered with one ``bestmove``, and that no line of the search follows it."""
    client, goes = bench.client(), ("go depth 1", "go nodes 50", "go movetime 30", "go depth 3")
    for go in goes:
        client.search(render_position(bench.game), go)
        later = [*client.ready().texts[:-1], *client.collect(bench.target.quiet_s / 4).texts]
        if late := [text for text in later if text.startswith(("bestmove", "info depth"))]:
            raise FaultError(f"prints {quoted(late[0])} after the bestmove of {go!r}")
    return f"{len(goes)} searches, {len(goes)} bestmoves"


def check_info_lines(bench: Workbench) -> str:
    """Check the ``info`` lines of searches in the middle and shortly before the ends of games."""
    client, game, seen = bench.client(), bench.game.copy(), 0
    games = [each.up_to(len(each.moves) - 2) for each in bench.finished.values() if len(each.moves) > 1]
    for _ in range(_INFO_PLIES):
        games.append(game.copy())
        best = client.search(render_position(game), "go depth 1").best_moves()[0]
        game.play(_legal_move(game, best.move))
        if game.outcome() is not None:
            break
    for each in games:
        reply = client.search(render_position(each), "go depth 3")
        _raise_first(list(judge_search(each, reply.texts[:-1], reply.best_moves()[0])))
        seen += sum(parse_ranked_line(text) is not None for text in reply.texts)
    if not seen:
        raise NotOfferedError("no info line with a pv")
    return f"{counted(seen, 'line')} in {counted(len(games), 'search', 'searches')}"


def check_search_moves(bench: Workbench) -> str:
    """Check that ``searchmoves`` restricts the search to a move that the engine would not choose otherwise."""
    client, position = bench.client(), bench.game.position
    free = client.search(render_position(bench.game), "go depth 1").best_moves()[0].move
    others = [text for move in bench.game.legal_moves() if (text := position.move_text(move)) != free]
    if not others:
        raise NotOfferedError("the position has only one legal move")
    client.set_position(render_position(bench.game))
    reply = client.go(f"go depth 1 searchmoves {others[0]}")
    move = reply.best_moves()[0].move
    if reply.errors() or move == NO_MOVE:
        raise NotOfferedError((reply.errors() or [f"bestmove {quoted(move)}"])[0])
    if move != others[0]:
        raise FaultError(f"bestmove {quoted(move)}; expected {others[0]}, the only move allowed")
    return f"{others[0]} instead of {free}"


def check_multipv(bench: Workbench) -> str:
    """Check that ``MultiPV`` 2 gives two lines with different first moves."""
    if "multipv" not in bench.options():
        raise NotOfferedError("no option MultiPV")
    client = bench.client()
    client.send("setoption name MultiPV value 2")
    reply = client.search(render_position(bench.game), "go depth 3")
    client.answer("setoption name MultiPV value 1")
    lines = [info for text in reply.texts if (info := parse_ranked_line(text)) is not None]
    firsts = {info.multipv: info.pv[0] for info in lines}
    if len(bench.game.legal_moves()) > 1 and len(set(firsts.values())) != 2:
        raise FaultError(f"MultiPV 2: {counted(len(set(firsts.values())), 'different line')}; expected 2")
    _raise_first(list(judge_search(bench.game, reply.texts[:-1], reply.best_moves()[0], 2)))
    return "2 lines"


def _in_time(elapsed_ms: float, limit_ms: int, what: str) -> str:
    if elapsed_ms > limit_ms:
        raise FaultError(f"{what}: bestmove after {elapsed_ms:.0f} ms")
    return f"{what}: {elapsed_ms:.0f} ms"


CHECKS = (
    Check("new-game", "starts new games between searches", check_new_game),
    Check("go-depth", "ends go depth without a stop", check_depth),
    Check("go-nodes", "ends go nodes without a stop", check_nodes),
    Check("go-movetime", "answers within movetime", check_movetime),
    Check("go-clock", "answers before its time runs out, even with 1 ms left", check_clock),
    Check("legal-moves", "plays only legal moves", check_legal_moves),
    Check("bestmove-form", "prints bestmove in the form of the dialect, with a legal ponder move",
          check_best_move_form),
    Check("finished-game", "answers bestmove 0000 in a finished game, also to go infinite", check_finished_game),
    Check("one-bestmove", "answers each go with one bestmove, the last line of the search", check_one_best_move),
    Check("info-lines", "prints correct info lines: numbers, scores, a legal pv that begins with the move played",
          check_info_lines),
    Check("searchmoves", "searches only the moves of searchmoves", check_search_moves),
    Check("multipv", "prints as many lines as MultiPV requests", check_multipv),
)
