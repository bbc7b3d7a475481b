"""Checks of bad input and of optional features."""

import re

from latrones_uci.client.check.engine import Checks, EngineUnderTest, FaultError, NotOfferedError, Probe, Reply
from latrones_uci.client.engine import render_position
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import NO_MOVE, Dialect

CHECKS = Checks()

# ---------------------------------------------------------------- bad input

_NONSENSE = (
    "hello", "UCI", "uciok", "bestmove a1a2", "position", "setoption", "setoption name", "debug", "go2", "0000",
    "\x00\x01\x02", "\u265f \u20ac \U0001f3b2", '"', "-1", "position fen", "position startpos moves moves", "isreadyy",
)
_BAD_GOES = ("go depth", "go depth zero", "go depth -1", "go movetime x", "go nodes 1e9", "go wtime", "go hello")
_LONG_BYTES = 200_000


@CHECKS.shared("nonsense", "survives unknown commands and does not answer them with a bestmove")
def _nonsense(engine: Probe) -> str:
    for line in _NONSENSE:
        if best := engine.answer(line).best_moves():
            raise FaultError(f"answers {quoted(line)} with {quoted(f'bestmove {best[0].move}')}")
    return _plays_on(engine, f"{len(_NONSENSE)} lines")


@CHECKS.shared("long-line", "survives a line of 200,000 characters")
def _long_line(engine: Probe) -> str:
    engine.answer("x" * _LONG_BYTES, "position fen " + "8/" * (_LONG_BYTES // 2))
    return _plays_on(engine, f"{_LONG_BYTES} characters")


@CHECKS.shared("long-game", "accepts a whole game in one line")
def _long_game(engine: Probe) -> str:
    game = max(engine.target.finished.values(), key=lambda game: len(game.moves), default=engine.target.game)
    game = game.up_to(max(len(game.moves) - 1, 0))
    engine.search("go depth 1", render_position(game))
    return counted(len(game.moves), "ply", "plies")


@CHECKS.shared("bad-position", "answers go after a rejected position with bestmove 0000")
def _bad_position(engine: Probe) -> str:
    bad = _bad_positions(engine.target)
    for line in bad:
        engine.answer(engine.target.position)
        engine.answer(line)
        move = engine.go("go depth 1").best_moves()[0].move
        if move != NO_MOVE:
            raise FaultError(f"bestmove {quoted(move)} after {quoted(line)}; expected 0000")
    return _plays_on(engine, f"{counted(len(bad), 'position')} rejected")


@CHECKS.shared("bad-go", "answers a malformed go with a bestmove without a stop")
def _bad_go(engine: Probe) -> str:
    for go in _BAD_GOES:
        engine.set_position(engine.target.position)
        engine.go(go)
    return _plays_on(engine, f"{len(_BAD_GOES)} lines")


@CHECKS.shared("bad-option", "survives unknown options and invalid values")
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


@CHECKS.shared("errors", "answers each bad line with one 'info string error CODE: MESSAGE'")
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


@CHECKS.shared("query", "answers query p1turn, gameover and result")
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


@CHECKS.shared("d", "prints the board on d, with the lines Fen and Moves")
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


@CHECKS.shared("perft", "counts moves on go perft")
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


@CHECKS.shared("eval", "prints its evaluation on eval")
def _eval(engine: Probe) -> str:
    texts = engine.answer(engine.target.position, "eval").texts
    line = next((text for text in texts if text.startswith("Evaluation:")), None)
    if line is None:
        raise NotOfferedError("no line 'Evaluation:' from eval")
    if not re.match(r"Evaluation: (-?[0-9]+|none)\b", line):
        raise FaultError(f"no number in {quoted(line)}")
    return quoted(line)


@CHECKS.shared("help", "lists its commands on help")
def _help(engine: Probe) -> str:
    texts = [text for text in engine.answer("help").texts[:-1] if not text.startswith("info string error")]
    if not texts:
        raise NotOfferedError("no answer to help")
    if not any("position" in text for text in texts):
        raise FaultError("help does not mention 'position'")
    return counted(len(texts), "line")


@CHECKS.shared("bench", "has a bench with the same total each time")
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


@CHECKS.shared("debug", "accepts debug on and debug off")
def _debug(engine: Probe) -> str:
    reply = engine.answer("debug on")
    engine.search("go depth 1")
    engine.answer("debug off")
    if reply.errors():
        raise NotOfferedError(reply.errors()[0])
    return "on and off"
