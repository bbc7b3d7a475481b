"""The checks: one function each, and the table ``CHECKS``.

A function returns what it observed. It raises ``FaultError`` if that is wrong, ``NotOfferedError`` if the engine lacks
an optional feature, and an ``EngineError`` if the engine exits or stalls.
"""

import os
import re
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.client.check.engine import (
    FaultError,
    NotOfferedError,
    OptionLineError,
    RawClient,
    Reply,
    Workbench,
    parse_strict_option,
)
from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_rules import Offence, judge_line, judge_search, read_move
from latrones_uci.client.errors import EngineCrashError
from latrones_uci.client.output import parse_id_name, parse_ranked_line
from latrones_uci.game import Game, LatronesError, Move
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import NO_MOVE, Dialect

# ---------------------------------------------------------------- the handshake and the lines of a session


def _silent_start(bench: Workbench) -> str:
    with bench.own_client() as client:
        start_s = bench.greet(client).elapsed_ms / 1000
    with bench.own_client() as client:
        seconds = max(2 * start_s, bench.target.quiet_s)  # long enough for the engine to have started
        reply = client.collect(seconds)
    if reply.lines:
        raise FaultError(f"prints {quoted(reply.texts[0])} before the first command")
    return f"silent for {seconds:.1f} s"


def _handshake(bench: Workbench) -> str:
    with bench.own_client() as client:
        reply, again = bench.greet(client), bench.greet(client)
    names = [name for text in reply.texts if (name := parse_id_name(text)) is not None]
    if len(names) != 1:
        raise FaultError(f"{len(names)} lines 'id name'; expected 1")
    return f"{names[0]}, {reply.elapsed_ms:.0f} ms; again {again.elapsed_ms:.0f} ms"


def _protocol_lines(bench: Workbench) -> str:
    with bench.own_client() as client:
        replies = [bench.greet(client), client.ready()]
        replies += [client.answer(bench.target.dialect.new_game, bench.position)]
        replies += [client.go("go depth 1"), client.ready()]
    texts = [line.written for reply in replies for line in reply.lines]
    found = [offence for text in texts for offence in judge_line(text, bench.target.dialect)]
    if offences := [offence for offence in found if offence.rule != "bestmove-form"]:  # which has a check of its own
        raise FaultError(f"{counted(len(offences), 'violation')}; the first is {offences[0]}")
    return counted(len(texts), "line")


def _isready(bench: Workbench) -> str:
    client = bench.client()
    client.send("isready", "isready", "isready")
    reply = client.expect("readyok")
    client.expect("readyok")
    client.expect("readyok")
    if "readyok" in client.collect(bench.target.quiet_s).texts:
        raise FaultError("more than one readyok for an isready")
    return f"{reply.elapsed_ms:.1f} ms"


def _line_ends(bench: Workbench) -> str:
    client = bench.client()
    client.send("", "   ", "isready\r")
    client.expect("readyok")
    client.send("\t isready  ")
    client.expect("readyok")
    board, rest = bench.target.start.fen().split(" ", 1)
    client.search(f"  position   fen  {board}   {rest}\t\r", "go \t depth  1 \r")
    return "carriage returns, blanks, blank lines"


# ---------------------------------------------------------------- options


def _options(bench: Workbench) -> str:
    with bench.own_client() as client:
        lines = _option_lines(bench, client)
    names = []
    for text in lines:
        try:
            names.append(parse_strict_option(text).name.lower())
        except OptionLineError as error:
            raise FaultError(f"{quoted(text)} {error}") from None
    for name in names:
        if names.count(name) > 1:
            raise FaultError(f"option {quoted(name)} is declared {names.count(name)} times")
    return counted(len(names), "option")


def _game_option(bench: Workbench) -> str:
    option = bench.options().get("uci_variant")
    if option is None:
        raise FaultError("no option UCI_Variant is declared")
    name, variant_set = bench.target.start.ruleset.name, bench.target.game_options().get("VariantSet")
    if option.kind != "combo":
        raise FaultError(f"UCI_Variant is declared as {option.kind}; expected combo")
    offers_set = variant_set is not None and "variantset" in bench.options()
    if bench.target.variant_path is None and not offers_set and name not in option.choices:
        choices = ", ".join(option.choices) or "no choices"
        raise FaultError(f"UCI_Variant does not offer {quoted(name)}; it offers {choices}")
    client = bench.client()
    if offers_set:
        _set(client, "VariantSet", variant_set)
    _set(client, "UCI_Variant", name)
    return counted(len(option.choices), "variant")


def _board_option(bench: Workbench) -> str:
    if "boardsize" not in bench.options():
        raise FaultError("no option BoardSize is declared")
    client, board = bench.client(), bench.target.start.geometry.name
    _set(client, "BoardSize", board)
    move = client.best("position startpos")
    if move == NO_MOVE:
        raise FaultError(f"no move for 'position startpos' on {board}")
    return f"startpos on {board}: {move}"


def _settable(bench: Workbench) -> str:
    client, count = bench.client(), 0
    for text in _option_lines(bench, client):
        try:
            option = parse_strict_option(text)
        except OptionLineError:
            continue  # the check `options` reports it
        if option.name.lower() in map(str.lower, bench.target.game_options()):
            continue
        if option.kind == "button":
            _set(client, option.name, None)
        for key in ("min", "default"):
            if key in option.values:
                _set(client, option.name, option.values[key])
                count += 1
    bench.discard()  # because the options of the user are no longer set
    return counted(count, "value")


def _option_lines(bench: Workbench, client: RawClient) -> list[str]:
    return [text for text in bench.greet(client).texts if text.split()[:1] == ["option"]]


def _set(client: RawClient, name: str, value: str | None) -> None:
    line = f"setoption name {name}" if value is None else f"setoption name {name} value {value}"
    if errors := client.answer(line).errors():
        raise FaultError(f"rejects {quoted(line)}: {errors[0]}")


# ---------------------------------------------------------------- searches with a limit


def _new_game(bench: Workbench) -> str:
    client = bench.client()
    client.search(bench.position, "go depth 1")
    ready = client.answer(bench.target.dialect.new_game)
    client.search(render_position(Game(bench.target.start)), "go depth 1")
    return f"ready after {ready.elapsed_ms:.1f} ms"


def _go_depth(bench: Workbench) -> str:
    client = bench.client()
    client.search(bench.position, "go depth 1")
    return f"depth 2 in {client.search(bench.position, 'go depth 2').elapsed_ms:.1f} ms"


def _go_nodes(bench: Workbench) -> str:
    return f"200 nodes in {bench.client().search(bench.position, 'go nodes 200').elapsed_ms:.1f} ms"


def _go_movetime(bench: Workbench) -> str:
    elapsed_ms = bench.client().search(bench.position, "go movetime 100").elapsed_ms
    return _in_time(elapsed_ms, 100 + bench.target.latency_ms, "movetime 100")


def _go_clock(bench: Workbench) -> str:
    dialect, client = bench.target.dialect, bench.client()
    seen = []
    for left_ms, limit_ms in ((2000, 2000), (1, 1 + bench.target.latency_ms)):
        words = [f"{word} {left_ms}" for word in dialect.clocks] + [f"{word} 0" for word in dialect.increments]
        reply = client.search(bench.position, " ".join(["go", *words]))
        seen.append(_in_time(reply.elapsed_ms, limit_ms, f"{left_ms} ms left"))
    return ", ".join(seen)


def _in_time(elapsed_ms: float, limit_ms: int, what: str) -> str:
    if elapsed_ms > limit_ms:
        raise FaultError(f"{what}: bestmove after {elapsed_ms:.0f} ms")
    return f"{what}: {elapsed_ms:.0f} ms"


def _legal_moves(bench: Workbench) -> str:
    client, game = bench.client(), Game(bench.target.start)
    while len(game.moves) < 40 and game.outcome() is None:
        text = client.best(render_position(game))
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


def _bestmove_form(bench: Workbench) -> str:
    reply = bench.client().search(bench.position, "go depth 3")
    line, best = reply.texts[-1], reply.best_moves()[0]
    _raise_first([*judge_line(line, bench.target.dialect), *judge_search(bench.game, (), best)])
    return quoted(line)


def _raise_first(offences: Iterable[Offence]) -> None:
    for offence in offences:
        raise FaultError(str(offence))


def _finished_game(bench: Workbench) -> str:
    client = bench.client()
    for reason, game in bench.finished.items():
        for go in ("go depth 1", "go infinite"):
            move = client.best(render_position(game), go)
            if move != NO_MOVE:
                raise FaultError(f"bestmove {quoted(move)} after {go!r} in a game ended by {reason}; expected 0000")
    return f"ended by {', '.join(sorted(bench.finished))}"


def _one_bestmove(bench: Workbench) -> str:
    client, goes = bench.client(), ("go depth 1", "go nodes 50", "go movetime 30", "go depth 3")
    for go in goes:
        client.search(bench.position, go)
        later = client.late(bench.target.quiet_s / 4).texts
        if late := [text for text in later if text.startswith(("bestmove", "info depth"))]:
            raise FaultError(f"prints {quoted(late[0])} after the bestmove of {go!r}")
    return f"{len(goes)} searches, {len(goes)} bestmoves"


def _info_lines(bench: Workbench) -> str:
    client, game, seen = bench.client(), bench.game.copy(), 0
    games = [each.up_to(len(each.moves) - 2) for each in bench.finished.values() if len(each.moves) > 1]
    for _ in range(6):
        games.append(game.copy())
        game.push(_legal_move(game, client.best(render_position(game))))
        if game.outcome() is not None:
            break
    for each in games:
        reply = client.search(render_position(each), "go depth 3")
        _raise_first(judge_search(each, reply.texts[:-1], reply.best_moves()[0]))
        seen += sum(parse_ranked_line(text) is not None for text in reply.texts)
    if not seen:
        raise NotOfferedError("no info line with a pv")
    return f"{counted(seen, 'line')} in {counted(len(games), 'search', 'searches')}"


def _searchmoves(bench: Workbench) -> str:
    client = bench.client()
    free = client.best(bench.position)
    others = [move for move in bench.game.legal_moves() if move != free]
    if not others:
        raise NotOfferedError("the position has only one legal move")
    client.set_position(bench.position)
    reply = client.go(f"go depth 1 searchmoves {others[0]}")
    move = reply.best_moves()[0].move
    if reply.errors() or move == NO_MOVE:
        raise NotOfferedError((reply.errors() or [f"bestmove {quoted(move)}"])[0])
    if move != others[0]:
        raise FaultError(f"bestmove {quoted(move)}; expected {others[0]}, the only move allowed")
    return f"{others[0]} instead of {free}"


def _multipv(bench: Workbench) -> str:
    if "multipv" not in bench.options():
        raise NotOfferedError("no option MultiPV")
    client = bench.client()
    client.send("setoption name MultiPV value 2")
    reply = client.search(bench.position, "go depth 3")
    client.answer("setoption name MultiPV value 1")
    lines = [info for text in reply.texts if (info := parse_ranked_line(text)) is not None]
    firsts = set({info.multipv: info.pv[0] for info in lines}.values())
    if len(bench.game.legal_moves()) > 1 and len(firsts) != 2:
        raise FaultError(f"MultiPV 2: {counted(len(firsts), 'different line')}; expected 2")
    _raise_first(judge_search(bench.game, reply.texts[:-1], reply.best_moves()[0], 2))
    return "2 lines"


# ---------------------------------------------------------------- stop, ponderhit, and commands during a search


def _infinite(bench: Workbench) -> str:
    client = bench.client()
    client.begin(bench.position, "go infinite")
    reply = client.collect(bench.target.quiet_s)
    if reply.errors():
        raise FaultError(f"reports an error in the search: {reply.errors()[0]}")
    if reply.best_moves():
        raise FaultError("bestmove before stop")
    client.stop()
    return f"no bestmove for {bench.target.quiet_s:g} s, then one after stop"


def _ready_in_search(bench: Workbench) -> str:
    client = bench.client()
    client.begin(bench.position, "go infinite")
    reply = client.ready()
    if not reply.best_moves():
        client.stop()
    if reply.elapsed_ms > bench.target.latency_ms:
        raise FaultError(f"readyok after {reply.elapsed_ms:.0f} ms")
    return f"{reply.elapsed_ms:.1f} ms"


def _stop_latency(bench: Workbench) -> str:
    client, elapsed_ms = bench.client(), []
    for _ in range(10):
        client.begin(bench.position, "go infinite")
        elapsed_ms.append(client.stop().elapsed_ms)
    seen = f"10 stops: p50 {statistics.median(elapsed_ms):.1f} ms, max {max(elapsed_ms):.1f} ms"
    if max(elapsed_ms) > bench.target.latency_ms:
        raise FaultError(seen)
    return seen


def _one_stop(bench: Workbench) -> str:
    client = bench.client()
    for stops in (1, 2):
        client.begin(bench.position, "go infinite")
        client.send(*["stop"] * stops)
        client.expect("bestmove")
        if client.late(bench.target.quiet_s / 4).best_moves():
            raise FaultError(f"a second bestmove after {counted(stops, 'stop')}")
    return "1 bestmove after stop, 1 after two of them"


def _idle_stop(bench: Workbench) -> str:
    if best := bench.client().answer("stop", "stop").best_moves():
        raise FaultError(f"{quoted(f'bestmove {best[0].move}')} without a search")
    return "ignored"


def _quick_commands(bench: Workbench) -> str:
    client, seen = bench.client(), 0

    def is_second(text: str) -> bool:
        nonlocal seen
        seen += text.split()[:1] == ["bestmove"]
        return seen == 2

    client.answer(bench.position)
    client.send("go infinite", "stop", bench.target.dialect.new_game, bench.position, "go depth 1")
    reply = client.listen(is_second)
    if not reply.complete:
        raise FaultError(f"{counted(len(reply.best_moves()), 'bestmove')} for two searches without a pause; expected 2")
    if more := client.late(bench.target.quiet_s).best_moves():
        raise FaultError(f"{2 + len(more)} bestmoves for two searches without a pause; expected 2")
    return "2 searches without a pause, 2 bestmoves"


def _busy(bench: Workbench) -> str:
    client = bench.client()
    client.begin(bench.position, "go infinite")
    client.send("go depth 1", bench.position, "stop")
    client.expect("bestmove")
    if more := client.late(bench.target.quiet_s).best_moves():
        raise FaultError(f"{1 + len(more)} bestmoves; a go during a search gets none")
    client.search(bench.position, "go depth 1")
    return "1 bestmove, still plays"


def _ponder(bench: Workbench) -> str:
    if "ponder" not in bench.options():
        raise NotOfferedError("no option Ponder")
    client, seen = bench.client(), []
    client.send("setoption name Ponder value true")
    for end in ("ponderhit", "stop"):
        client.begin(bench.position, "go ponder movetime 50")
        if client.collect(bench.target.quiet_s).best_moves():
            raise FaultError(f"bestmove before {end}")
        client.send(end)
        elapsed_ms = client.expect("bestmove").elapsed_ms
        if elapsed_ms > 50 + bench.target.latency_ms:
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


def _nonsense(bench: Workbench) -> str:
    client = bench.client()
    for line in _NONSENSE:
        if best := client.answer(line).best_moves():
            raise FaultError(f"answers {quoted(line)} with {quoted(f'bestmove {best[0].move}')}")
    return _plays_on(bench, client, f"{len(_NONSENSE)} lines")


def _long_line(bench: Workbench) -> str:
    client = bench.client()
    client.answer("x" * _LONG_BYTES, "position fen " + "8/" * (_LONG_BYTES // 2))
    return _plays_on(bench, client, f"{_LONG_BYTES} characters")


def _long_game(bench: Workbench) -> str:
    game = max(bench.finished.values(), key=lambda game: len(game.moves), default=bench.game)
    game = game.up_to(max(len(game.moves) - 1, 0))
    bench.client().search(render_position(game), "go depth 1")
    return counted(len(game.moves), "ply", "plies")


def _bad_position(bench: Workbench) -> str:
    client, bad = bench.client(), _bad_positions(bench)
    for line in bad:
        client.answer(bench.position)
        client.answer(line)
        move = client.go("go depth 1").best_moves()[0].move
        if move != NO_MOVE:
            raise FaultError(f"bestmove {quoted(move)} after {quoted(line)}; expected 0000")
    return _plays_on(bench, client, f"{counted(len(bad), 'position')} rejected")


def _bad_go(bench: Workbench) -> str:
    client = bench.client()
    for go in _BAD_GOES:
        client.set_position(bench.position)
        client.go(go)
    return _plays_on(bench, client, f"{len(_BAD_GOES)} lines")


def _bad_option(bench: Workbench) -> str:
    client = bench.client()
    lines = ["setoption name NoSuchOption value 1", "setoption name UCI_Variant value no-such-game",
             "setoption name BoardSize value 1x1", "setoption name BoardSize value wide"]
    lines += [f"setoption name {option.name} value many" for option in bench.options().values()
              if option.kind in ("spin", "check", "combo")]
    for line in lines:
        if client.answer(line).best_moves():
            raise FaultError(f"answers {quoted(line)} with a bestmove")
    return _plays_on(bench, client, counted(len(lines), "line"))


def _bad_positions(bench: Workbench) -> list[str]:
    """Return ``position`` lines that every engine must reject: invalid boards, and malformed or illegal moves."""
    start = bench.target.start
    board, rest = start.fen().split(" ", 1)
    texts = bench.game.moves
    moves = bench.position if texts else f"{bench.position} moves"
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


def _plays_on(bench: Workbench, client: RawClient, seen: str) -> str:
    """Check that the engine still plays a move in a valid position."""
    if client.best(bench.position) == NO_MOVE:
        raise FaultError(f"{seen}, then no move in a valid position")
    return f"{seen}, still plays"


# ---------------------------------------------------------------- optional features

_CODED = re.compile(r"[a-z]+(-[a-z]+)*: \S.*")
_TOTAL = re.compile(r"Nodes searched: ([0-9]+)")
_QUIETS = 10
"""The wait for optional output, as a multiple of ``quiet_s``."""


def _errors(bench: Workbench) -> str:
    client = bench.client()
    lines = ["hello", "setoption name NoSuchOption value 1", *_bad_positions(bench)]
    answers = {line: client.answer(line).errors() for line in lines}
    if not any(answers.values()):
        raise NotOfferedError("no 'info string error' for bad lines")
    for line, errors in answers.items():
        if len(errors) != 1:
            raise FaultError(f"{counted(len(errors), 'error line')} for {quoted(line)}")
        if not _CODED.fullmatch(errors[0]):
            raise FaultError(f"{quoted(errors[0])} is not 'CODE: MESSAGE'")
    return f"{len(lines)} bad lines, one error each"


def _query(bench: Workbench) -> str:
    client = bench.client()
    games = [bench.game, *bench.finished.values()]
    for game in games:
        client.answer(render_position(game))
        outcome = game.outcome()
        wanted = {"gameover": str(outcome is not None).lower(), "result": outcome.name if outcome else "none"}
        if outcome is None:
            wanted["p1turn"] = str(game.position.side == 0).lower()
        for question, answer in wanted.items():
            responses = [text for text in client.answer(f"query {question}").texts if text.startswith("response")]
            if not responses and bench.target.dialect is not Dialect.UGI:
                raise NotOfferedError("no response to query")
            if responses != [f"response {answer}"]:
                state = f"a game ended by {outcome.termination.value}" if outcome else "an unfinished game"
                seen = ", ".join(responses) or "no response"
                raise FaultError(f"query {question}: {seen} in {state}; expected {answer}")
    return counted(len(games), "game")


def _display(bench: Workbench) -> str:
    game = bench.game
    texts = bench.client().answer(bench.position, "d").texts
    printed = {key: value.strip() for key, _, value in (text.partition(":") for text in texts)}
    if "Fen" not in printed:
        raise NotOfferedError("no line 'Fen:' from d")
    wanted = {"Fen": game.position.fen(), "Moves": " ".join(sorted(game.legal_moves()))}
    for key, value in wanted.items():
        if printed.get(key) != value:
            raise FaultError(f"{key}: {quoted(printed.get(key, ''))}; expected {quoted(value)}")
    return "Fen and Moves"


def _perft(bench: Workbench) -> str:
    client, counts = bench.client(), []
    for depth in (1, 2):
        client.answer(bench.position)
        client.send(f"go perft {depth}")
        reply = client.listen(_is_total, bench.target.quiet_s * _QUIETS)
        if not reply.complete:
            if not reply.best_moves():
                client.answer("stop")  # the search that an engine without `go perft` may have started
            raise NotOfferedError("no 'Nodes searched:' from go perft")
        counts.append(_total(reply))
        if counts[-1] != (wanted := bench.game.position.perft(depth)):
            raise FaultError(f"perft {depth} is {counts[-1]}; expected {wanted}")
        if reply.best_moves() or client.ready().best_moves():
            raise FaultError("answers go perft with a bestmove")
    return f"{counts[0]}, {counts[1]}"


def _is_total(text: str) -> bool:
    return bool(_TOTAL.fullmatch(text))


def _total(reply: Reply) -> int:
    return int(reply.texts[-1].split()[-1])


def _eval(bench: Workbench) -> str:
    texts = bench.client().answer(bench.position, "eval").texts
    line = next((text for text in texts if text.startswith("Evaluation:")), None)
    if line is None:
        raise NotOfferedError("no line 'Evaluation:' from eval")
    if not re.match(r"Evaluation: (-?[0-9]+|none)\b", line):
        raise FaultError(f"no number in {quoted(line)}")
    return quoted(line)


def _help(bench: Workbench) -> str:
    texts = [text for text in bench.client().answer("help").texts[:-1] if not text.startswith("info string error")]
    if not texts:
        raise NotOfferedError("no answer to help")
    if not any("position" in text for text in texts):
        raise FaultError("help does not mention 'position'")
    return counted(len(texts), "line")


def _bench(bench: Workbench) -> str:
    client, totals = bench.client(), []
    for _ in range(2):
        client.send("bench 1")
        reply = client.listen(lambda text: _is_total(text) or text.startswith("info string error"),
                              bench.target.quiet_s * _QUIETS)
        if not reply.lines or reply.errors():
            raise NotOfferedError(reply.errors()[0] if reply.errors() else "no answer to bench")
        if not reply.complete:
            reply = client.listen(_is_total)
        if not reply.complete:
            raise FaultError("bench 1 does not end with a line 'Nodes searched:'")
        totals.append(_total(reply))
    if totals[0] != totals[1]:
        raise FaultError(f"bench 1 is {totals[0]}, then {totals[1]}")
    return f"{totals[0]}, twice"


def _debug(bench: Workbench) -> str:
    client = bench.client()
    reply = client.answer("debug on")
    client.search(bench.position, "go depth 1")
    client.answer("debug off")
    if reply.errors():
        raise NotOfferedError(reply.errors()[0])
    return "on and off"


# ---------------------------------------------------------------- processor, memory and the end

_NOT_MEASURED = "not measured: the system has no /proc"
_IDLE_SHARE = 0.25
_IDLE_S = 0.4
_MB = 1 << 20


def _idle(bench: Workbench) -> str:
    client = bench.client()
    client.ready()
    before = _measure_group(client.process.process_id)
    client.collect(_IDLE_S)
    after = _measure_group(client.process.process_id)
    if before is None or after is None:
        return _NOT_MEASURED
    share = (after.processor_s - before.processor_s) / _IDLE_S
    if share > _IDLE_SHARE:
        raise FaultError(f"uses {share:.0%} of a processor")
    return f"{share:.0%} of a processor"


def _memory(bench: Workbench) -> str:
    with bench.own_ready_client() as client:
        games, growth_from = bench.target.games, max(bench.target.games // 5, 1)
        before = None
        for number in range(games):
            if number == growth_from:  # by now the engine has allocated what it needs permanently
                before = _measure_group(client.process.process_id)
            _play_a_little(bench, client)
        after = _measure_group(client.process.process_id)
    if after is None:
        return f"{counted(games, 'game')}; {_NOT_MEASURED}"
    if before is None:
        return f"{counted(games, 'game')}, too few to measure"
    growth_mb = (after.resident_bytes - before.resident_bytes) / _MB
    seen = f"{games} games: {growth_mb:+.1f} MB since game {growth_from}, now {after.resident_bytes / _MB:.0f} MB"
    if growth_mb > bench.target.growth_mb:
        raise FaultError(seen)
    return seen


def _play_a_little(bench: Workbench, client: RawClient) -> None:
    """Play the first plies of a new game; stop at an illegal move, which another check reports."""
    client.answer(bench.target.dialect.new_game)
    game = Game(bench.target.start)
    for _ in range(8):
        text = client.best(render_position(game), "go nodes 50")
        try:
            game.push(game.position.parse_move(text))
        except LatronesError:
            return
        if game.outcome() is not None:
            return


@dataclass(frozen=True)
class _Resources:
    """What a process group uses: resident memory, including shared memory, and processor time so far."""

    resident_bytes: int
    processor_s: float


def _measure_group(group_id: int) -> _Resources | None:
    """Return what the processes of a group use together; None if the system has no ``/proc``."""
    pages = ticks = found = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The program name, in brackets, may contain blanks and brackets: see proc(5).
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended in the meantime
        if len(fields) > 21 and int(fields[2]) == group_id:
            found += 1
            ticks += int(fields[11]) + int(fields[12])
            pages += int(fields[21])
    if not found:
        return None
    return _Resources(pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))


def _exits(end: Callable[[RawClient, float], bool], *, searching: bool = False) -> Callable[[Workbench], str]:
    """Return a check that the engine exits after ``end``, which returns whether it did so in time."""

    def run(bench: Workbench) -> str:
        with bench.own_ready_client() as client:
            if searching:
                client.begin(bench.position, "go infinite")
            begun_ns = time.monotonic_ns()
            if not end(client, bench.target.timeout_s):
                raise FaultError(f"still running after {bench.target.timeout_s:g} s")
            return f"exited after {(time.monotonic_ns() - begun_ns) / 1e6:.0f} ms"

    return run


def _send_quit(client: RawClient, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    client.send("quit")
    try:
        client.collect(timeout_s)
    except EngineCrashError:  # its output has ended, but the process may still be exiting
        while client.process.running and time.monotonic() < deadline:
            time.sleep(0.001)
    return not client.process.running


def _close_input(client: RawClient, timeout_s: float) -> bool:
    begun = time.monotonic()
    client.process.close(timeout_s)  # waits for that long, then kills the process
    return time.monotonic() - begun < timeout_s


# ---------------------------------------------------------------- the table


@dataclass(frozen=True)
class Check:
    """One requirement on an engine."""

    name: str
    """The name in tables and for ``--only``."""
    expected: str
    """What a correct engine does, one line."""
    run: Callable[[Workbench], str]
    """Runs the check and returns what was observed; see above for the errors."""


CHECKS = (
    Check("silent-start", "prints nothing before the first command", _silent_start),
    Check("handshake", "answers the greeting, also a second one, with its name and uciok or ugiok", _handshake),
    Check("protocol-lines", "prints only lines of the protocol", _protocol_lines),
    Check("isready", "answers each isready with one readyok", _isready),
    Check("line-ends", "ignores carriage returns, extra blanks and blank lines", _line_ends),
    Check("options", "declares its options completely: type, default, bounds, choices", _options),
    Check("game-option", "has an option UCI_Variant that accepts the variant", _game_option),
    Check("board-option", "has an option BoardSize that sets the board of startpos", _board_option),
    Check("settable", "accepts the default of each option, and the minimum of each number", _settable),
    Check("new-game", "starts new games between searches", _new_game),
    Check("go-depth", "ends go depth without a stop", _go_depth),
    Check("go-nodes", "ends go nodes without a stop", _go_nodes),
    Check("go-movetime", "answers within movetime", _go_movetime),
    Check("go-clock", "answers before its time runs out, even with 1 ms left", _go_clock),
    Check("legal-moves", "plays only legal moves", _legal_moves),
    Check("bestmove-form", "prints bestmove in the form of the dialect, with a legal ponder move", _bestmove_form),
    Check("finished-game", "answers bestmove 0000 in a finished game, also to go infinite", _finished_game),
    Check("one-bestmove", "answers each go with one bestmove, the last line of the search", _one_bestmove),
    Check("info-lines", "prints correct info lines: numbers, scores, a legal pv that begins with the move played",
          _info_lines),
    Check("searchmoves", "searches only the moves of searchmoves", _searchmoves),
    Check("multipv", "prints as many lines as MultiPV requests", _multipv),
    Check("infinite", "prints no bestmove in an infinite search before stop", _infinite),
    Check("ready-in-search", "answers isready during a search", _ready_in_search),
    Check("stop-latency", "answers stop at once", _stop_latency),
    Check("one-stop", "prints one bestmove after stop, also after two of them", _one_stop),
    Check("idle-stop", "ignores stop while not searching", _idle_stop),
    Check("quick-commands", "executes commands sent right after stop", _quick_commands),
    Check("busy", "survives go and position during a search", _busy),
    Check("ponder", "prints no bestmove while pondering, before ponderhit or stop", _ponder),
    Check("nonsense", "survives unknown commands and does not answer them with a bestmove", _nonsense),
    Check("long-line", "survives a line of 200,000 characters", _long_line),
    Check("long-game", "accepts a whole game in one line", _long_game),
    Check("bad-position", "answers go after a rejected position with bestmove 0000", _bad_position),
    Check("bad-go", "answers a malformed go with a bestmove without a stop", _bad_go),
    Check("bad-option", "survives unknown options and invalid values", _bad_option),
    Check("errors", "answers each bad line with one 'info string error CODE: MESSAGE'", _errors),
    Check("query", "answers query p1turn, gameover and result", _query),
    Check("d", "prints the board on d, with the lines Fen and Moves", _display),
    Check("perft", "counts moves on go perft", _perft),
    Check("eval", "prints its evaluation on eval", _eval),
    Check("help", "lists its commands on help", _help),
    Check("bench", "has a bench with the same total each time", _bench),
    Check("debug", "accepts debug on and debug off", _debug),
    Check("idle", "uses next to no processor time while idle", _idle),
    Check("memory", "does not use more and more memory over many games", _memory),
    Check("quit", "exits on quit", _exits(_send_quit)),
    Check("quit-in-search", "exits on quit during a search", _exits(_send_quit, searching=True)),
    Check("end-of-input", "exits at the end of its input", _exits(_close_input)),
    Check("end-in-search", "exits at the end of its input during a search", _exits(_close_input, searching=True)),
)
