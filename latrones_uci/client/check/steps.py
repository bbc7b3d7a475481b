"""The checks, each a function that decorators put into the table ``CHECKS``.

A function returns what it observed. It raises ``FaultError`` if that is wrong, ``NotOfferedError`` if the engine lacks
an optional feature, and an ``EngineError`` if the engine exits or stalls.
"""

import re
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from latrones_uci.client.check.engine import EngineUnderTest, FaultError, NotOfferedError, Probe, Reply, Workbench
from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_rules import Offence, judge_line, judge_search, option_problem, read_move
from latrones_uci.client.errors import EngineCrashError
from latrones_uci.client.output import option_fields, parse_id_name, parse_ranked_line
from latrones_uci.client.process import group_usage
from latrones_uci.game import Game, LatronesError, Move
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import NO_MOVE, Dialect


@dataclass(frozen=True)
class Check:
    """One requirement on an engine."""

    name: str
    """The name in tables and for ``--only``."""
    expected: str
    """What a correct engine does, one line."""
    run: Callable[[Workbench], str]
    """Runs the check and returns what was observed; see above for the errors."""


CHECKS: list[Check] = []


def _check(name: str, expected: str) -> Callable[[Callable[[Probe], str]], object]:
    """Declare a check of the process that such checks share, ready for a new game."""
    return lambda run: CHECKS.append(Check(name, expected, lambda bench: run(bench.shared())))


def _check_alone(name: str, expected: str) -> Callable[[Callable[[Workbench], str]], object]:
    """Declare a check that starts processes of its own."""
    return lambda run: CHECKS.append(Check(name, expected, run))


# ---------------------------------------------------------------- the handshake and the lines of a session


@_check_alone("silent-start", "prints nothing before the first command")
def _silent_start(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        start_s = engine.greet().elapsed_ms / 1000
    with bench.own(ready=False) as engine:
        seconds = max(2 * start_s, bench.target.quiet_s)  # long enough for the engine to have started
        reply = engine.collect(seconds)
    if reply.lines:
        raise FaultError(f"prints {quoted(reply.texts[0])} before the first command")
    return f"silent for {seconds:.1f} s"


@_check_alone("handshake", "answers the greeting, also a second one, with its name and uciok or ugiok")
def _handshake(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        reply, again = engine.greet(), engine.greet()
    names = [name for text in reply.texts if (name := parse_id_name(text)) is not None]
    if len(names) != 1:
        raise FaultError(f"{len(names)} lines 'id name'; expected 1")
    return f"{names[0]}, {reply.elapsed_ms:.0f} ms; again {again.elapsed_ms:.0f} ms"


@_check_alone("protocol-lines", "prints only lines of the protocol")
def _protocol_lines(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        replies = [engine.greet(), engine.ready()]
        replies += [engine.answer(bench.target.dialect.new_game, bench.target.position)]
        replies += [engine.go("go depth 1"), engine.ready()]
    texts = [line.written for reply in replies for line in reply.lines]
    found = [offence for text in texts for offence in judge_line(text, bench.target.dialect)]
    if offences := [offence for offence in found if offence.rule != "bestmove-form"]:  # which has a check of its own
        raise FaultError(f"{counted(len(offences), 'violation')}; the first is {offences[0]}")
    return counted(len(texts), "line")


@_check("isready", "answers each isready with one readyok")
def _isready(engine: Probe) -> str:
    engine.send("isready", "isready", "isready")
    reply = engine.expect("readyok")
    engine.expect("readyok")
    engine.expect("readyok")
    if "readyok" in engine.collect(engine.target.quiet_s).texts:
        raise FaultError("more than one readyok for an isready")
    return f"{reply.elapsed_ms:.1f} ms"


@_check("line-ends", "ignores carriage returns, extra blanks and blank lines")
def _line_ends(engine: Probe) -> str:
    engine.send("", "   ", "isready\r")
    engine.expect("readyok")
    engine.send("\t isready  ")
    engine.expect("readyok")
    board, rest = engine.target.start.fen().split(" ", 1)
    engine.search("go \t depth  1 \r", f"  position   fen  {board}   {rest}\t\r")
    return "carriage returns, blanks, blank lines"


# ---------------------------------------------------------------- options


@_check_alone("options", "declares its options completely: type, default, bounds, choices")
def _options(bench: Workbench) -> str:
    with bench.own(ready=False) as engine:
        lines = _option_lines(engine)
    names = []
    for text in lines:
        if problem := option_problem(text):
            raise FaultError(f"{quoted(text)} {problem}")
        names.append(option_fields(text)[0].lower())
    for name in names:
        if names.count(name) > 1:
            raise FaultError(f"option {quoted(name)} is declared {names.count(name)} times")
    return counted(len(names), "option")


@_check("game-option", "has an option UCI_Variant that accepts the variant")
def _game_option(engine: Probe) -> str:
    option = engine.options.get("uci_variant")
    if option is None:
        raise FaultError("no option UCI_Variant is declared")
    name, variant_set = engine.target.start.ruleset.name, engine.target.game_options().get("VariantSet")
    if option.kind != "combo":
        raise FaultError(f"UCI_Variant is declared as {option.kind}; expected combo")
    offers_set = variant_set is not None and "variantset" in engine.options
    if engine.target.variant_path is None and not offers_set and name not in option.choices:
        choices = ", ".join(option.choices) or "no choices"
        raise FaultError(f"UCI_Variant does not offer {quoted(name)}; it offers {choices}")
    if offers_set:
        _set(engine, "VariantSet", variant_set)
    _set(engine, "UCI_Variant", name)
    return counted(len(option.choices), "variant")


@_check("board-option", "has an option BoardSize that sets the board of startpos")
def _board_option(engine: Probe) -> str:
    if "boardsize" not in engine.options:
        raise FaultError("no option BoardSize is declared")
    board = engine.target.start.geometry.name
    _set(engine, "BoardSize", board)
    move = engine.search("go depth 1", "position startpos").best_moves()[0].move
    if move == NO_MOVE:
        raise FaultError(f"no move for 'position startpos' on {board}")
    return f"startpos on {board}: {move}"


@_check_alone("settable", "accepts the default of each option, and the minimum of each number")
def _settable(bench: Workbench) -> str:
    count = 0
    with bench.own(ready=True) as engine:
        chosen = {name.lower() for name in bench.target.game_options()}
        for text in _option_lines(engine):
            name, fields = option_fields(text)
            if name.lower() in chosen or option_problem(text):  # the check `options` reports it
                continue
            values = dict(fields)
            if values["type"] == "button":
                _set(engine, name, None)
            for key in ("min", "default"):
                if key in values:
                    _set(engine, name, values[key])
                    count += 1
    return counted(count, "value")


def _option_lines(engine: Probe) -> list[str]:
    return [text for text in engine.greet().texts if text.split()[:1] == ["option"]]


def _set(engine: Probe, name: str, value: str | None) -> None:
    line = f"setoption name {name}" if value is None else f"setoption name {name} value {value}"
    if errors := engine.answer(line).errors():
        raise FaultError(f"rejects {quoted(line)}: {errors[0]}")


# ---------------------------------------------------------------- searches with a limit


@_check("new-game", "starts new games between searches")
def _new_game(engine: Probe) -> str:
    engine.search("go depth 1")
    ready = engine.new_game()
    engine.search("go depth 1", render_position(Game(engine.target.start)))
    return f"ready after {ready.elapsed_ms:.1f} ms"


@_check("go-depth", "ends go depth without a stop")
def _go_depth(engine: Probe) -> str:
    engine.search("go depth 1")
    return f"depth 2 in {engine.search('go depth 2').elapsed_ms:.1f} ms"


@_check("go-nodes", "ends go nodes without a stop")
def _go_nodes(engine: Probe) -> str:
    return f"200 nodes in {engine.search('go nodes 200').elapsed_ms:.1f} ms"


@_check("go-movetime", "answers within movetime")
def _go_movetime(engine: Probe) -> str:
    elapsed_ms = engine.search("go movetime 100").elapsed_ms
    return _in_time(elapsed_ms, 100 + engine.target.latency_ms, "movetime 100")


@_check("go-clock", "answers before its time runs out, even with 1 ms left")
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


@_check("legal-moves", "plays only legal moves")
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


@_check("bestmove-form", "prints bestmove in the form of the dialect, with a legal ponder move")
def _bestmove_form(engine: Probe) -> str:
    reply = engine.search("go depth 3")
    line, best = reply.texts[-1], reply.best_moves()[0]
    _raise_first([*judge_line(line, engine.target.dialect), *judge_search(engine.target.game, (), best)])
    return quoted(line)


def _raise_first(offences: Iterable[Offence]) -> None:
    for offence in offences:
        raise FaultError(str(offence))


@_check("finished-game", "answers bestmove 0000 in a finished game, also to go infinite")
def _finished_game(engine: Probe) -> str:
    for reason, game in engine.target.finished.items():
        for go in ("go depth 1", "go infinite"):
            move = engine.best(game, go)
            if move != NO_MOVE:
                raise FaultError(f"bestmove {quoted(move)} after {go!r} in a game ended by {reason}; expected 0000")
    return f"ended by {', '.join(sorted(engine.target.finished))}"


@_check("one-bestmove", "answers each go with one bestmove, the last line of the search")
def _one_bestmove(engine: Probe) -> str:
    goes = ("go depth 1", "go nodes 50", "go movetime 30", "go depth 3")
    for go in goes:
        engine.search(go)
        later = engine.late(engine.target.quiet_s / 4).texts
        if late := [text for text in later if text.startswith(("bestmove", "info depth"))]:
            raise FaultError(f"prints {quoted(late[0])} after the bestmove of {go!r}")
    return f"{len(goes)} searches, {len(goes)} bestmoves"


@_check("info-lines", "prints correct info lines: numbers, scores, a legal pv that begins with the move played")
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


@_check("searchmoves", "searches only the moves of searchmoves")
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


@_check("multipv", "prints as many lines as MultiPV requests")
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


@_check("infinite", "prints no bestmove in an infinite search before stop")
def _infinite(engine: Probe) -> str:
    engine.begin("go infinite")
    reply = engine.collect(engine.target.quiet_s)
    if reply.errors():
        raise FaultError(f"reports an error in the search: {reply.errors()[0]}")
    if reply.best_moves():
        raise FaultError("bestmove before stop")
    engine.stop()
    return f"no bestmove for {engine.target.quiet_s:g} s, then one after stop"


@_check("ready-in-search", "answers isready during a search")
def _ready_in_search(engine: Probe) -> str:
    engine.begin("go infinite")
    reply = engine.ready()
    if not reply.best_moves():
        engine.stop()
    if reply.elapsed_ms > engine.target.latency_ms:
        raise FaultError(f"readyok after {reply.elapsed_ms:.0f} ms")
    return f"{reply.elapsed_ms:.1f} ms"


@_check("stop-latency", "answers stop at once")
def _stop_latency(engine: Probe) -> str:
    elapsed_ms = []
    for _ in range(10):
        engine.begin("go infinite")
        elapsed_ms.append(engine.stop().elapsed_ms)
    seen = f"10 stops: p50 {statistics.median(elapsed_ms):.1f} ms, max {max(elapsed_ms):.1f} ms"
    if max(elapsed_ms) > engine.target.latency_ms:
        raise FaultError(seen)
    return seen


@_check("one-stop", "prints one bestmove after stop, also after two of them")
def _one_stop(engine: Probe) -> str:
    for stops in (1, 2):
        engine.begin("go infinite")
        engine.send(*["stop"] * stops)
        engine.expect("bestmove")
        if engine.late(engine.target.quiet_s / 4).best_moves():
            raise FaultError(f"a second bestmove after {counted(stops, 'stop')}")
    return "1 bestmove after stop, 1 after two of them"


@_check("idle-stop", "ignores stop while not searching")
def _idle_stop(engine: Probe) -> str:
    if best := engine.answer("stop", "stop").best_moves():
        raise FaultError(f"{quoted(f'bestmove {best[0].move}')} without a search")
    return "ignored"


@_check("quick-commands", "executes commands sent right after stop")
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


@_check("busy", "survives go and position during a search")
def _busy(engine: Probe) -> str:
    engine.begin("go infinite")
    engine.send("go depth 1", engine.target.position, "stop")
    engine.expect("bestmove")
    if more := engine.late(engine.target.quiet_s).best_moves():
        raise FaultError(f"{1 + len(more)} bestmoves; a go during a search gets none")
    engine.search("go depth 1")
    return "1 bestmove, still plays"


@_check("ponder", "prints no bestmove while pondering, before ponderhit or stop")
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


# ---------------------------------------------------------------- bad input

_NONSENSE = (
    "hello", "UCI", "uciok", "bestmove a1a2", "position", "setoption", "setoption name", "debug", "go2", "0000",
    "\x00\x01\x02", "\u265f \u20ac \U0001f3b2", '"', "-1", "position fen", "position startpos moves moves", "isreadyy",
)
_BAD_GOES = ("go depth", "go depth zero", "go depth -1", "go movetime x", "go nodes 1e9", "go wtime", "go hello")
_LONG_BYTES = 200_000


@_check("nonsense", "survives unknown commands and does not answer them with a bestmove")
def _nonsense(engine: Probe) -> str:
    for line in _NONSENSE:
        if best := engine.answer(line).best_moves():
            raise FaultError(f"answers {quoted(line)} with {quoted(f'bestmove {best[0].move}')}")
    return _plays_on(engine, f"{len(_NONSENSE)} lines")


@_check("long-line", "survives a line of 200,000 characters")
def _long_line(engine: Probe) -> str:
    engine.answer("x" * _LONG_BYTES, "position fen " + "8/" * (_LONG_BYTES // 2))
    return _plays_on(engine, f"{_LONG_BYTES} characters")


@_check("long-game", "accepts a whole game in one line")
def _long_game(engine: Probe) -> str:
    game = max(engine.target.finished.values(), key=lambda game: len(game.moves), default=engine.target.game)
    game = game.up_to(max(len(game.moves) - 1, 0))
    engine.search("go depth 1", render_position(game))
    return counted(len(game.moves), "ply", "plies")


@_check("bad-position", "answers go after a rejected position with bestmove 0000")
def _bad_position(engine: Probe) -> str:
    bad = _bad_positions(engine.target)
    for line in bad:
        engine.answer(engine.target.position)
        engine.answer(line)
        move = engine.go("go depth 1").best_moves()[0].move
        if move != NO_MOVE:
            raise FaultError(f"bestmove {quoted(move)} after {quoted(line)}; expected 0000")
    return _plays_on(engine, f"{counted(len(bad), 'position')} rejected")


@_check("bad-go", "answers a malformed go with a bestmove without a stop")
def _bad_go(engine: Probe) -> str:
    for go in _BAD_GOES:
        engine.set_position(engine.target.position)
        engine.go(go)
    return _plays_on(engine, f"{len(_BAD_GOES)} lines")


@_check("bad-option", "survives unknown options and invalid values")
def _bad_option(engine: Probe) -> str:
    lines = ["setoption name NoSuchOption value 1", "setoption name UCI_Variant value no-such-game",
             "setoption name BoardSize value 1x1", "setoption name BoardSize value wide"]
    lines += [f"setoption name {option.name} value many" for option in engine.options.values()
              if option.kind in ("spin", "check", "combo")]
    for line in lines:
        if engine.answer(line).best_moves():
            raise FaultError(f"answers {quoted(line)} with a bestmove")
    return _plays_on(engine, counted(len(lines), "line"))


def _bad_positions(target: EngineUnderTest) -> list[str]:
    """Return ``position`` lines that every engine must reject: invalid boards, and malformed or illegal moves."""
    start = target.start
    board, rest = start.fen().split(" ", 1)
    texts = target.game.moves
    moves = target.position if texts else f"{target.position} moves"
    return [
        f"position fen {board}/9 {rest}",
        f"position fen {board.replace('S', 'x', 1)} {rest}",
        f"position fen {board} x 0 1",
        f"position fen {board} {rest} 7",
        f"{moves} a1-a2",
        f"{moves} p16p15",
        f"position fen {start.fen()} moves {' '.join([*texts, '0000'])}",
        f"position fen {start.fen()} moves {' '.join([*texts, 'a1a1', *texts])}",
    ]


def _plays_on(engine: Probe, seen: str) -> str:
    """Check that the engine still plays a move in a valid position."""
    if engine.best() == NO_MOVE:
        raise FaultError(f"{seen}, then no move in a valid position")
    return f"{seen}, still plays"


# ---------------------------------------------------------------- optional features

_CODED = re.compile(r"[a-z]+(-[a-z]+)*: \S.*")
_TOTAL = re.compile(r"Nodes searched: ([0-9]+)")
_QUIETS = 10
"""The wait for optional output, as a multiple of ``quiet_s``."""


@_check("errors", "answers each bad line with one 'info string error CODE: MESSAGE'")
def _errors(engine: Probe) -> str:
    lines = ["hello", "setoption name NoSuchOption value 1", *_bad_positions(engine.target)]
    answers = {line: engine.answer(line).errors() for line in lines}
    if not any(answers.values()):
        raise NotOfferedError("no 'info string error' for bad lines")
    for line, errors in answers.items():
        if len(errors) != 1:
            raise FaultError(f"{counted(len(errors), 'error line')} for {quoted(line)}")
        if not _CODED.fullmatch(errors[0]):
            raise FaultError(f"{quoted(errors[0])} is not 'CODE: MESSAGE'")
    return f"{len(lines)} bad lines, one error each"


@_check("query", "answers query p1turn, gameover and result")
def _query(engine: Probe) -> str:
    games = [engine.target.game, *engine.target.finished.values()]
    for game in games:
        engine.answer(render_position(game))
        outcome = game.outcome()
        wanted = {"gameover": str(outcome is not None).lower(), "result": outcome.name if outcome else "none"}
        if outcome is None:
            wanted["p1turn"] = str(game.position.side == 0).lower()
        for question, answer in wanted.items():
            responses = [text for text in engine.answer(f"query {question}").texts if text.startswith("response")]
            if not responses and engine.target.dialect is not Dialect.UGI:
                raise NotOfferedError("no response to query")
            if responses != [f"response {answer}"]:
                state = f"a game ended by {outcome.termination.value}" if outcome else "an unfinished game"
                seen = ", ".join(responses) or "no response"
                raise FaultError(f"query {question}: {seen} in {state}; expected {answer}")
    return counted(len(games), "game")


@_check("d", "prints the board on d, with the lines Fen and Moves")
def _display(engine: Probe) -> str:
    game = engine.target.game
    texts = engine.answer(engine.target.position, "d").texts
    printed = {key: value.strip() for key, _, value in (text.partition(":") for text in texts)}
    if "Fen" not in printed:
        raise NotOfferedError("no line 'Fen:' from d")
    wanted = {"Fen": game.position.fen(), "Moves": " ".join(sorted(game.legal_moves()))}
    for key, value in wanted.items():
        if printed.get(key) != value:
            raise FaultError(f"{key}: {quoted(printed.get(key, ''))}; expected {quoted(value)}")
    return "Fen and Moves"


@_check("perft", "counts moves on go perft")
def _perft(engine: Probe) -> str:
    counts = []
    for depth in (1, 2):
        engine.answer(engine.target.position)
        engine.send(f"go perft {depth}")
        reply = engine.listen(_is_total, engine.target.quiet_s * _QUIETS)
        if not reply.complete:
            if not reply.best_moves():
                engine.answer("stop")  # the search that an engine without `go perft` may have started
            raise NotOfferedError("no 'Nodes searched:' from go perft")
        counts.append(_total(reply))
        if counts[-1] != (wanted := engine.target.game.position.perft(depth)):
            raise FaultError(f"perft {depth} is {counts[-1]}; expected {wanted}")
        if reply.best_moves() or engine.ready().best_moves():
            raise FaultError("answers go perft with a bestmove")
    return f"{counts[0]}, {counts[1]}"


def _is_total(text: str) -> bool:
    return bool(_TOTAL.fullmatch(text))


def _total(reply: Reply) -> int:
    return int(reply.texts[-1].split()[-1])


@_check("eval", "prints its evaluation on eval")
def _eval(engine: Probe) -> str:
    texts = engine.answer(engine.target.position, "eval").texts
    line = next((text for text in texts if text.startswith("Evaluation:")), None)
    if line is None:
        raise NotOfferedError("no line 'Evaluation:' from eval")
    if not re.match(r"Evaluation: (-?[0-9]+|none)\b", line):
        raise FaultError(f"no number in {quoted(line)}")
    return quoted(line)


@_check("help", "lists its commands on help")
def _help(engine: Probe) -> str:
    texts = [text for text in engine.answer("help").texts[:-1] if not text.startswith("info string error")]
    if not texts:
        raise NotOfferedError("no answer to help")
    if not any("position" in text for text in texts):
        raise FaultError("help does not mention 'position'")
    return counted(len(texts), "line")


@_check("bench", "has a bench with the same total each time")
def _bench(engine: Probe) -> str:
    totals = []
    for _ in range(2):
        engine.send("bench 1")
        reply = engine.listen(lambda text: _is_total(text) or text.startswith("info string error"),
                              engine.target.quiet_s * _QUIETS)
        if not reply.lines or reply.errors():
            raise NotOfferedError(reply.errors()[0] if reply.errors() else "no answer to bench")
        if not reply.complete:
            reply = engine.listen(_is_total)
        if not reply.complete:
            raise FaultError("bench 1 does not end with a line 'Nodes searched:'")
        totals.append(_total(reply))
    if totals[0] != totals[1]:
        raise FaultError(f"bench 1 is {totals[0]}, then {totals[1]}")
    return f"{totals[0]}, twice"


@_check("debug", "accepts debug on and debug off")
def _debug(engine: Probe) -> str:
    reply = engine.answer("debug on")
    engine.search("go depth 1")
    engine.answer("debug off")
    if reply.errors():
        raise NotOfferedError(reply.errors()[0])
    return "on and off"


# ---------------------------------------------------------------- processor, memory and the end

_NOT_MEASURED = "not measured: the system has no /proc"
_IDLE_SHARE = 0.25
_IDLE_S = 0.4
_MB = 1 << 20


@_check("idle", "uses next to no processor time while idle")
def _idle(engine: Probe) -> str:
    engine.ready()
    before = group_usage(engine.process.process_id)
    engine.collect(_IDLE_S)
    after = group_usage(engine.process.process_id)
    if before is None or after is None:
        return _NOT_MEASURED
    share = (after.processor_s - before.processor_s) / _IDLE_S
    if share > _IDLE_SHARE:
        raise FaultError(f"uses {share:.0%} of a processor")
    return f"{share:.0%} of a processor"


@_check_alone("memory", "does not use more and more memory over many games")
def _memory(bench: Workbench) -> str:
    with bench.own(ready=True) as engine:
        games, growth_from = bench.target.games, max(bench.target.games // 5, 1)
        before = None
        for number in range(games):
            if number == growth_from:  # by now the engine has allocated what it needs permanently
                before = group_usage(engine.process.process_id)
            _play_a_little(engine)
        after = group_usage(engine.process.process_id)
    if after is None:
        return f"{counted(games, 'game')}; {_NOT_MEASURED}"
    if before is None:
        return f"{counted(games, 'game')}, too few to measure"
    growth_mb = (after.resident_bytes - before.resident_bytes) / _MB
    seen = f"{games} games: {growth_mb:+.1f} MB since game {growth_from}, now {after.resident_bytes / _MB:.0f} MB"
    if growth_mb > bench.target.growth_mb:
        raise FaultError(seen)
    return seen


def _play_a_little(engine: Probe) -> None:
    """Play the first plies of a new game; stop at an illegal move, which another check reports."""
    engine.new_game()
    game = Game(engine.target.start)
    for _ in range(8):
        text = engine.best(game, "go nodes 50")
        try:
            game.push(game.position.parse_move(text))
        except LatronesError:
            return
        if game.outcome() is not None:
            return


def _exits(bench: Workbench, end: Callable[[Probe], bool], *, searching: bool = False) -> str:
    """Check that the engine exits after ``end``, which returns whether it did so in time."""
    with bench.own(ready=True) as engine:
        if searching:
            engine.begin("go infinite")
        begun_ns = time.monotonic_ns()
        if not end(engine):
            raise FaultError(f"still running after {bench.target.timeout_s:g} s")
        return f"exited after {(time.monotonic_ns() - begun_ns) / 1e6:.0f} ms"


def _send_quit(engine: Probe) -> bool:
    deadline = time.monotonic() + engine.target.timeout_s
    engine.send("quit")
    try:
        engine.collect(engine.target.timeout_s)
    except EngineCrashError:  # its output has ended, but the process may still be exiting
        while engine.process.running and time.monotonic() < deadline:
            time.sleep(0.001)
    return not engine.process.running


def _close_input(engine: Probe) -> bool:
    begun = time.monotonic()
    engine.process.close(engine.target.timeout_s)  # waits for that long, then kills the process
    return time.monotonic() - begun < engine.target.timeout_s


CHECKS += (
    Check("quit", "exits on quit", lambda bench: _exits(bench, _send_quit)),
    Check("quit-in-search", "exits on quit during a search", lambda bench: _exits(bench, _send_quit, searching=True)),
    Check("end-of-input", "exits at the end of its input", lambda bench: _exits(bench, _close_input)),
    Check("end-in-search", "exits at the end of its input during a search",
          lambda bench: _exits(bench, _close_input, searching=True)),
)
