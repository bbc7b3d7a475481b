"""Checks of searches: with limits, until ``stop`` or ``ponderhit``, and of commands meanwhile."""

import statistics
from collections.abc import Iterable

from latrones_uci.client.check.engine import Checks, FaultError, NotOfferedError, Probe
from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_rules import Offence, judge_line, judge_search, read_move
from latrones_uci.client.output import parse_ranked_line
from latrones_uci.game import Game, LatronesError, Move
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import NO_MOVE

CHECKS = Checks()

# ---------------------------------------------------------------- searches with a limit


@CHECKS.shared("new-game", "starts new games between searches")
def _new_game(engine: Probe) -> str:
    engine.search("go depth 1")
    ready = engine.new_game()
    engine.search("go depth 1", render_position(Game(engine.target.start)))
    return f"ready after {ready.elapsed_ms:.1f} ms"


@CHECKS.shared("go-depth", "ends go depth without a stop")
def _go_depth(engine: Probe) -> str:
    engine.search("go depth 1")
    return f"depth 2 in {engine.search('go depth 2').elapsed_ms:.1f} ms"


@CHECKS.shared("go-nodes", "ends go nodes without a stop")
def _go_nodes(engine: Probe) -> str:
    return f"200 nodes in {engine.search('go nodes 200').elapsed_ms:.1f} ms"


@CHECKS.shared("go-movetime", "answers within movetime")
def _go_movetime(engine: Probe) -> str:
    elapsed_ms = engine.search("go movetime 100").elapsed_ms
    return _in_time(elapsed_ms, 100 + engine.target.latency_ms, "movetime 100")


@CHECKS.shared("go-clock", "answers before its time runs out, even with 1 ms left")
def _go_clock(engine: Probe) -> str:
    dialect = engine.target.dialect
    seen = []
    for left_ms, limit_ms in ((2000, 2000), (1, 1 + engine.target.latency_ms)):
        words = [f"{word} {left_ms}" for word in dialect.clocks] + [f"{word} 0" for word in dialect.increments]
        reply = engine.search(" ".join(["go", *words]))
        seen.append(_in_time(reply.elapsed_ms, limit_ms, f"{left_ms} ms left"))
    return ", ".join(seen)


def _in_time(elapsed_ms: float, limit_ms: int, what: str) -> str:
    if elapsed_ms > limit_ms:
        raise FaultError(f"{what}: bestmove after {elapsed_ms:.0f} ms")
    return f"{what}: {elapsed_ms:.0f} ms"


@CHECKS.shared("legal-moves", "plays only legal moves")
def _legal_moves(engine: Probe) -> str:
    game = Game(engine.target.start)
    while len(game.moves) < 40 and game.outcome() is None:
        text = engine.best(game)
        move = _legal_move(game, text)
        if move != text:
            raise FaultError(f"bestmove {quoted(text)}: not the standard form {quoted(move)}")
        game.push(move)
    return counted(len(game.moves), "ply", "plies")


def _legal_move(game: Game, text: str) -> Move:
    try:
        return read_move(game.position, text)
    except LatronesError as error:
        raise FaultError(f"bestmove {quoted(text)}: {error}") from None


@CHECKS.shared("bestmove-form", "prints bestmove in the form of the dialect, with a legal ponder move")
def _bestmove_form(engine: Probe) -> str:
    reply = engine.search("go depth 3")
    line, best = reply.texts[-1], reply.best_moves()[0]
    _raise_first([*judge_line(line, engine.target.dialect), *judge_search(engine.target.game, (), best)])
    return quoted(line)


def _raise_first(offences: Iterable[Offence]) -> None:
    for offence in offences:
        raise FaultError(str(offence))


@CHECKS.shared("finished-game", "answers bestmove 0000 in a finished game, also to go infinite")
def _finished_game(engine: Probe) -> str:
    for reason, game in engine.target.finished.items():
        for go in ("go depth 1", "go infinite"):
            move = engine.best(game, go)
            if move != NO_MOVE:
                raise FaultError(f"bestmove {quoted(move)} after {go!r} in a game ended by {reason}; expected 0000")
    return f"ended by {', '.join(sorted(engine.target.finished))}"


@CHECKS.shared("one-bestmove", "answers each go with one bestmove, the last line of the search")
def _one_bestmove(engine: Probe) -> str:
    goes = ("go depth 1", "go nodes 50", "go movetime 30", "go depth 3")
    for go in goes:
        engine.search(go)
        later = engine.late(engine.target.quiet_s / 4).texts
        if late := [text for text in later if text.startswith(("bestmove", "info depth"))]:
            raise FaultError(f"prints {quoted(late[0])} after the bestmove of {go!r}")
    return f"{len(goes)} searches, {len(goes)} bestmoves"


@CHECKS.shared("info-lines", "prints correct info lines: numbers, scores, a legal pv that begins with the move played")
def _info_lines(engine: Probe) -> str:
    game, seen = engine.target.game.copy(), 0
    games = [each.up_to(len(each.moves) - 2) for each in engine.target.finished.values() if len(each.moves) > 1]
    for _ in range(6):
        games.append(game.copy())
        game.push(_legal_move(game, engine.best(game)))
        if game.outcome() is not None:
            break
    for each in games:
        reply = engine.search("go depth 3", render_position(each))
        _raise_first(judge_search(each, reply.texts[:-1], reply.best_moves()[0]))
        seen += sum(parse_ranked_line(text) is not None for text in reply.texts)
    if not seen:
        raise NotOfferedError("no info line with a pv")
    return f"{counted(seen, 'line')} in {counted(len(games), 'search', 'searches')}"


@CHECKS.shared("searchmoves", "searches only the moves of searchmoves")
def _searchmoves(engine: Probe) -> str:
    free = engine.best()
    others = [move for move in engine.target.game.legal_moves() if move != free]
    if not others:
        raise NotOfferedError("the position has only one legal move")
    engine.set_position(engine.target.position)
    reply = engine.go(f"go depth 1 searchmoves {others[0]}")
    move = reply.best_moves()[0].move
    if reply.errors() or move == NO_MOVE:
        raise NotOfferedError((reply.errors() or [f"bestmove {quoted(move)}"])[0])
    if move != others[0]:
        raise FaultError(f"bestmove {quoted(move)}; expected {others[0]}, the only move allowed")
    return f"{others[0]} instead of {free}"


@CHECKS.shared("multipv", "prints as many lines as MultiPV requests")
def _multipv(engine: Probe) -> str:
    if "multipv" not in engine.options:
        raise NotOfferedError("no option MultiPV")
    engine.send("setoption name MultiPV value 2")
    reply = engine.search("go depth 3")
    engine.answer("setoption name MultiPV value 1")
    lines = [info for text in reply.texts if (info := parse_ranked_line(text)) is not None]
    firsts = set({info.multipv: info.pv[0] for info in lines}.values())
    if len(engine.target.game.legal_moves()) > 1 and len(firsts) != 2:
        raise FaultError(f"MultiPV 2: {counted(len(firsts), 'different line')}; expected 2")
    _raise_first(judge_search(engine.target.game, reply.texts[:-1], reply.best_moves()[0], 2))
    return "2 lines"


# ---------------------------------------------------------------- stop, ponderhit, and commands during a search


@CHECKS.shared("infinite", "prints no bestmove in an infinite search before stop")
def _infinite(engine: Probe) -> str:
    engine.begin("go infinite")
    reply = engine.collect(engine.target.quiet_s)
    if reply.errors():
        raise FaultError(f"reports an error in the search: {reply.errors()[0]}")
    if reply.best_moves():
        raise FaultError("bestmove before stop")
    engine.stop()
    return f"no bestmove for {engine.target.quiet_s:g} s, then one after stop"


@CHECKS.shared("ready-in-search", "answers isready during a search")
def _ready_in_search(engine: Probe) -> str:
    engine.begin("go infinite")
    reply = engine.ready()
    if not reply.best_moves():
        engine.stop()
    if reply.elapsed_ms > engine.target.latency_ms:
        raise FaultError(f"readyok after {reply.elapsed_ms:.0f} ms")
    return f"{reply.elapsed_ms:.1f} ms"


@CHECKS.shared("stop-latency", "answers stop at once")
def _stop_latency(engine: Probe) -> str:
    elapsed_ms = []
    for _ in range(10):
        engine.begin("go infinite")
        elapsed_ms.append(engine.stop().elapsed_ms)
    seen = f"10 stops: p50 {statistics.median(elapsed_ms):.1f} ms, max {max(elapsed_ms):.1f} ms"
    if max(elapsed_ms) > engine.target.latency_ms:
        raise FaultError(seen)
    return seen


@CHECKS.shared("one-stop", "prints one bestmove after stop, also after two of them")
def _one_stop(engine: Probe) -> str:
    for stops in (1, 2):
        engine.begin("go infinite")
        engine.send(*["stop"] * stops)
        engine.expect("bestmove")
        if engine.late(engine.target.quiet_s / 4).best_moves():
            raise FaultError(f"a second bestmove after {counted(stops, 'stop')}")
    return "1 bestmove after stop, 1 after two of them"


@CHECKS.shared("idle-stop", "ignores stop while not searching")
def _idle_stop(engine: Probe) -> str:
    if best := engine.answer("stop", "stop").best_moves():
        raise FaultError(f"{quoted(f'bestmove {best[0].move}')} without a search")
    return "ignored"


@CHECKS.shared("quick-commands", "executes commands sent right after stop")
def _quick_commands(engine: Probe) -> str:
    seen = 0

    def is_second(text: str) -> bool:
        nonlocal seen
        seen += text.split()[:1] == ["bestmove"]
        return seen == 2

    engine.answer(engine.target.position)
    engine.send("go infinite", "stop", engine.target.dialect.new_game, engine.target.position, "go depth 1")
    reply = engine.listen(is_second)
    if not reply.complete:
        raise FaultError(f"{counted(len(reply.best_moves()), 'bestmove')} for two searches without a pause; expected 2")
    if more := engine.late(engine.target.quiet_s).best_moves():
        raise FaultError(f"{2 + len(more)} bestmoves for two searches without a pause; expected 2")
    return "2 searches without a pause, 2 bestmoves"


@CHECKS.shared("busy", "survives go and position during a search")
def _busy(engine: Probe) -> str:
    engine.begin("go infinite")
    engine.send("go depth 1", engine.target.position, "stop")
    engine.expect("bestmove")
    if more := engine.late(engine.target.quiet_s).best_moves():
        raise FaultError(f"{1 + len(more)} bestmoves; a go during a search gets none")
    engine.search("go depth 1")
    return "1 bestmove, still plays"


@CHECKS.shared("ponder", "prints no bestmove while pondering, before ponderhit or stop")
def _ponder(engine: Probe) -> str:
    if "ponder" not in engine.options:
        raise NotOfferedError("no option Ponder")
    seen = []
    engine.send("setoption name Ponder value true")
    for end in ("ponderhit", "stop"):
        engine.begin("go ponder movetime 50")
        if engine.collect(engine.target.quiet_s).best_moves():
            raise FaultError(f"bestmove before {end}")
        engine.send(end)
        elapsed_ms = engine.expect("bestmove").elapsed_ms
        if elapsed_ms > 50 + engine.target.latency_ms:
            raise FaultError(f"{end}: bestmove after {elapsed_ms:.0f} ms")
        seen.append(f"{end} {elapsed_ms:.1f} ms")
    return ", ".join(seen)
