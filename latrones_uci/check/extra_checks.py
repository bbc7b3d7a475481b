"""Checks of optional features: if the engine has them, they must be correct."""

import re

from latrones_uci.check.bad_input_checks import bad_positions
from latrones_uci.check.raw_client import FaultError, NotOfferedError, RawClient, Reply
from latrones_uci.check.workbench import Check, Workbench
from latrones_uci.client.engine import render_position
from latrones_uci.game import counted, quoted
from latrones_uci.protocol import Dialect

_CODED = re.compile(r"[a-z]+(-[a-z]+)*: \S.*")
_TOTAL = re.compile(r"Nodes searched: ([0-9]+)")
_QUIETS = 10
"""The wait for optional output, as a multiple of ``quiet_s``."""


def check_errors(bench: Workbench) -> str:
    """Check that each rejected line is answered with one ``info string error CODE: MESSAGE``."""
    client = bench.client()
    lines = ["hello", "setoption name NoSuchOption value 1", *bad_positions(bench)]
    answers = {line: client.answer(line).errors() for line in lines}
    if not any(answers.values()):
        raise NotOfferedError("no 'info string error' for bad lines")
    for line, errors in answers.items():
        if len(errors) != 1:
            raise FaultError(f"{counted(len(errors), 'error line')} for {quoted(line)}")
        if not _CODED.fullmatch(errors[0]):
            raise FaultError(f"{quoted(errors[0])} is not 'CODE: MESSAGE'")
    return f"{len(lines)} bad lines, one error each"


def check_query(bench: Workbench) -> str:
    """Check that ``query`` reports the side to move, the end of the game and the result. UGI requires it."""
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


def check_display(bench: Workbench) -> str:
    """Check that ``d`` prints the position and its legal moves."""
    client, game = bench.client(), bench.game
    texts = client.answer(render_position(game), "d").texts
    printed = {key: value.strip() for key, _, value in (text.partition(":") for text in texts)}
    if "Fen" not in printed:
        raise NotOfferedError("no line 'Fen:' from d")
    wanted = {"Fen": game.position.fen(), "Moves": " ".join(sorted(map(game.position.move_text, game.legal_moves())))}
    for key, value in wanted.items():
        if printed.get(key) != value:
            raise FaultError(f"{key}: {quoted(printed.get(key, ''))}; expected {quoted(value)}")
    return "Fen and Moves"


def check_perft(bench: Workbench) -> str:
    """Check that the counts of ``go perft`` are those of the referee, and that there is no ``bestmove``."""
    client, counts = bench.client(), []
    for depth in (1, 2):
        client.answer(render_position(bench.game))
        client.send(f"go perft {depth}")
        reply = client.listen(lambda text: bool(_TOTAL.fullmatch(text)), bench.target.quiet_s * _QUIETS)
        if not reply.complete:
            _end_stray_search(client, reply)
            raise NotOfferedError("no 'Nodes searched:' from go perft")
        counts.append(int(reply.texts[-1].split()[-1]))
        if counts[-1] != (wanted := bench.game.position.perft(depth)):
            raise FaultError(f"perft {depth} is {counts[-1]}; expected {wanted}")
        if reply.best_moves() or client.ready().best_moves():
            raise FaultError("answers go perft with a bestmove")
    return f"{counts[0]}, {counts[1]}"


def check_eval(bench: Workbench) -> str:
    """Check that ``eval`` prints a number, or ``none``, as for a game that is solved."""
    texts = bench.client().answer(render_position(bench.game), "eval").texts
    line = next((text for text in texts if text.startswith("Evaluation:")), None)
    if line is None:
        raise NotOfferedError("no line 'Evaluation:' from eval")
    if not re.match(r"Evaluation: (-?[0-9]+|none)\b", line):
        raise FaultError(f"no number in {quoted(line)}")
    return quoted(line)


def check_help(bench: Workbench) -> str:
    """Check that ``help`` lists the commands."""
    texts = [text for text in bench.client().answer("help").texts[:-1] if not text.startswith("info string error")]
    if not texts:
        raise NotOfferedError("no answer to help")
    if not any("position" in text for text in texts):
        raise FaultError("help does not mention 'position'")
    return counted(len(texts), "line")


def check_bench(bench: Workbench) -> str:
    """Check that ``bench 1`` ends with the same total each time."""
    client, totals = bench.client(), []
    for _ in range(2):
        client.send("bench 1")
        reply = client.listen(lambda text: bool(_TOTAL.fullmatch(text) or text.startswith("info string error")),
                              bench.target.quiet_s * _QUIETS)  # fmt: skip
        if not reply.lines or reply.errors():
            raise NotOfferedError(reply.errors()[0] if reply.errors() else "no answer to bench")
        if not reply.complete:
            reply = client.listen(lambda text: bool(_TOTAL.fullmatch(text)))
        if not reply.complete:
            raise FaultError("bench 1 does not end with a line 'Nodes searched:'")
        totals.append(int(reply.texts[-1].split()[-1]))
    if totals[0] != totals[1]:
        raise FaultError(f"bench 1 is {totals[0]}, then {totals[1]}")
    return f"{totals[0]}, twice"


def check_debug(bench: Workbench) -> str:
    """Check that the engine accepts ``debug`` and still searches."""
    client = bench.client()
    reply = client.answer("debug on")
    client.search(render_position(bench.game), "go depth 1")
    client.answer("debug off")
    if reply.errors():
        raise NotOfferedError(reply.errors()[0])
    return "on and off"


def _end_stray_search(client: RawClient, reply: Reply) -> None:
    """Stop the search that an engine without ``go perft`` may have started."""
    if not reply.best_moves():
        client.answer("stop")


CHECKS = (
    Check("errors", "answers each bad line with one 'info string error CODE: MESSAGE'", check_errors),
    Check("query", "answers query p1turn, gameover and result", check_query),
    Check("d", "prints the board on d, with the lines Fen and Moves", check_display),
    Check("perft", "counts moves on go perft", check_perft),
    Check("eval", "prints its evaluation on eval", check_eval),
    Check("help", "lists its commands on help", check_help),
    Check("bench", "has a bench with the same total each time", check_bench),
    Check("debug", "accepts debug on and debug off", check_debug),
)
