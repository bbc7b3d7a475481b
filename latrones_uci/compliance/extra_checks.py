"""Checks of what an engine need not have; what it has must be right."""

import re

from latrones_uci.client.engine import render_position
from latrones_uci.compliance.bad_input_checks import bad_positions
from latrones_uci.compliance.raw_client import FaultError, NotOfferedError, RawClient, Reply
from latrones_uci.compliance.workbench import Check, Workbench
from latrones_uci.game import quoted
from latrones_uci.protocol import Dialect

_CODED = re.compile(r"[a-z]+(-[a-z]+)*: \S.*")
_TOTAL = re.compile(r"Nodes searched: ([0-9]+)")
_QUIETS = 10
"""How many times the quiet of other checks is waited for what an engine need not say."""


def check_errors(bench: Workbench) -> str:
    """Each rejected line gets one ``info string error CODE: MESSAGE``."""
    client = bench.client()
    lines = ["hello", "setoption name NoSuchOption value 1", *bad_positions(bench)]
    answers = {line: client.answer(line).errors() for line in lines}
    if not any(answers.values()):
        raise NotOfferedError("no 'info string error' for bad lines")
    for line, errors in answers.items():
        if len(errors) != 1:
            raise FaultError(f"{len(errors)} error lines for {quoted(line)}")
        if not _CODED.fullmatch(errors[0]):
            raise FaultError(f"{quoted(errors[0])} is not 'CODE: MESSAGE'")
    return f"{len(lines)} bad lines, an error each"


def check_query(bench: Workbench) -> str:
    """``query`` knows whose turn it is, whether the game is over, and who has won. In UGI it is no extra."""
    client = bench.client()
    games = [bench.game, *bench.finished.values()]
    for game in games:
        client.answer(render_position(game))
        outcome = game.outcome()
        wanted = {"gameover": str(outcome is not None).lower(), "result": outcome.name if outcome else "none"}
        if outcome is None:
            wanted["p1turn"] = str(game.position.side == 0).lower()
        for question, answer in wanted.items():
            said = [text for text in client.answer(f"query {question}").texts if text.startswith("response")]
            if not said and bench.target.dialect is not Dialect.UGI:
                raise NotOfferedError("no response to query")
            if said != [f"response {answer}"]:
                why = f"ended by {outcome.termination.value}" if outcome else "that goes on"
                raise FaultError(f"query {question}: {', '.join(said) or 'nothing'}, not {answer}, in a game {why}")
    return f"{len(games)} games"


def check_display(bench: Workbench) -> str:
    """``d`` tells the position and its legal moves."""
    client, game = bench.client(), bench.game
    texts = client.answer(render_position(game), "d").texts
    told = {key: value.strip() for key, _, value in (text.partition(":") for text in texts)}
    if "Fen" not in told:
        raise NotOfferedError("no line 'Fen:' from d")
    wanted = {"Fen": game.position.fen(), "Moves": " ".join(sorted(map(game.position.move_text, game.legal_moves())))}
    for key, value in wanted.items():
        if told.get(key) != value:
            raise FaultError(f"{key}: {quoted(told.get(key, ''))}, not {quoted(value)}")
    return "Fen and Moves"


def check_perft(bench: Workbench) -> str:
    """``go perft`` counts as the referee does, and gives no ``bestmove``."""
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
            raise FaultError(f"perft {depth} is {counts[-1]}, not {wanted}")
        if reply.best_moves() or client.ready().best_moves():
            raise FaultError("a bestmove for go perft")
    return f"{counts[0]}, {counts[1]}"


def check_eval(bench: Workbench) -> str:
    """``eval`` tells a number."""
    texts = bench.client().answer(render_position(bench.game), "eval").texts
    line = next((text for text in texts if text.startswith("Evaluation:")), None)
    if line is None:
        raise NotOfferedError("no line 'Evaluation:' from eval")
    if not re.match(r"Evaluation: -?[0-9]+\b", line):
        raise FaultError(f"{quoted(line)} has no number")
    return quoted(line)


def check_help(bench: Workbench) -> str:
    """``help`` tells the commands."""
    texts = [text for text in bench.client().answer("help").texts[:-1] if not text.startswith("info string error")]
    if not texts:
        raise NotOfferedError("no answer to help")
    if not any("position" in text for text in texts):
        raise FaultError("the answer to help does not tell of 'position'")
    return f"{len(texts)} lines"


def check_bench(bench: Workbench) -> str:
    """``bench 1`` ends with a total that is the same each time."""
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
            raise FaultError("bench 1 has no line 'Nodes searched:' in the end")
        totals.append(int(reply.texts[-1].split()[-1]))
    if totals[0] != totals[1]:
        raise FaultError(f"bench 1 is {totals[0]}, then {totals[1]}")
    return f"{totals[0]}, twice"


def check_debug(bench: Workbench) -> str:
    """``debug`` is taken, and searches go on as before."""
    client = bench.client()
    reply = client.answer("debug on")
    client.search(render_position(bench.game), "go depth 1")
    client.answer("debug off")
    if reply.errors():
        raise NotOfferedError(reply.errors()[0])
    return "on and off"


def _end_stray_search(client: RawClient, reply: Reply) -> None:
    """An engine that does not know ``go perft`` may have begun to search."""
    if not reply.best_moves():
        client.answer("stop")


CHECKS = (
    Check("errors", "answers each bad line by one 'info string error CODE: MESSAGE'", check_errors),
    Check("query", "answers query p1turn, gameover and result", check_query),
    Check("d", "draws the board for d, with the lines Fen and Moves", check_display),
    Check("perft", "counts moves for go perft", check_perft),
    Check("eval", "tells its evaluation for eval", check_eval),
    Check("help", "tells its commands for help", check_help),
    Check("bench", "has a bench that gives the same total each time", check_bench),
    Check("debug", "takes debug on and off", check_debug),
)
