"""Render what the engine reports as lines of text."""

from collections.abc import Collection, Sequence

from latrones_uci.engine.events import BenchComparison, BenchLine, BenchTotal, EngineEvent, Note, PerftCount, Refusal
from latrones_uci.engine.nets.find import Found
from latrones_uci.engine.nets.python import NetEvaluation
from latrones_uci.engine.options import Option, Value
from latrones_uci.engine.python.evaluation import Terms
from latrones_uci.engine.types import CurrentMove
from latrones_uci.game import Game, Outcome
from latrones_uci.protocols.common import AUTHOR, ENGINE_NAME, first_word
from latrones_uci.text.protocol import BestMove, Dialect, Score, SearchInfo


def render_event(event: EngineEvent, dialect: Dialect) -> list[str]:
    match event:
        case SearchInfo():
            return [_search_info(event)]
        case CurrentMove():
            return [f"info depth {event.depth} currmove {event.move} currmovenumber {event.number}"]
        case BestMove():
            ponder = f" ponder {event.ponder}" if event.ponder and dialect is Dialect.UCI else ""
            return [f"bestmove {event.move}{ponder}"]
        case Note():
            return [f"info string {_one_line(event.text)}"]
        case Refusal():
            return [f"info string error {event.code}: {_one_line(event.message)}"]
        case PerftCount():
            return [*(f"{move}: {count}" for move, count in event.counts), "", f"Nodes searched: {event.total}"]
        case BenchLine():
            return [f"{event.number}/{event.of} {event.board}: {event.fen}: {event.move}, {event.nodes} nodes,"
                    f" {event.time_us / 1000:.1f} ms, {event.nodes_per_second} nodes/s"]
        case BenchTotal():
            return [*(f"Median nodes/second, {each.board}: {each.nodes_per_second}" for each in event.boards),
                    *_bench_end(event)]
        case BenchComparison(first, second):
            return [*_comparison(first, second), *_bench_end(first), *_bench_end(second)]


def _bench_end(total: BenchTotal) -> list[str]:
    return [f"Kernel: {total.kernel}, depth {total.depth}",
            f"Nodes searched: {total.nodes}", f"Nodes/second: {total.nodes_per_second}"]


def _comparison(first: BenchTotal, second: BenchTotal) -> list[str]:
    """Return a table that compares two kernels by game and board: nodes, median nodes per second, and their ratio."""
    heads = [f"{total.kernel} {what}" for total in (first, second) for what in ("nodes", "nodes/s")]
    rows = [f"{'':<26}{''.join(f'{head:>16}' for head in heads)}{'ratio':>8}"]
    for one, other in zip(first.boards, second.boards, strict=True):
        numbers = (one.nodes, one.nodes_per_second, other.nodes, other.nodes_per_second)
        ratio = other.nodes_per_second / max(1, one.nodes_per_second)
        rows.append(f"{one.board:<26}{''.join(f'{number:>16}' for number in numbers)}{ratio:>8.1f}")
    return rows


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _search_info(info: SearchInfo) -> str:
    if not info.pv:  # the game is over
        return f"info depth {info.depth} score {_score(info.score)}"
    chances = "" if info.wdl is None else f" wdl {' '.join(map(str, info.wdl))}"
    speed = (info.nodes or 0) * 1000 // max(1, info.time_ms or 0)
    return (
        f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv} score {_score(info.score)}"
        f"{chances} nodes {info.nodes} nps {speed} hashfull {info.hashfull}"
        f"{'' if info.tbhits is None else f' tbhits {info.tbhits}'} time {info.time_ms} pv {' '.join(info.pv)}"
    )


def _score(score: Score) -> str:
    text = f"cp {score.cp}" if score.mate is None else f"mate {score.mate}"
    return f"{text} {score.bound}bound" if score.bound else text


def render_greeting(
    options: Sequence[Option], kernel: str, dialect: Dialect, name: str = ENGINE_NAME, author: str = AUTHOR
) -> list[str]:
    """Return the answer to ``uci`` or ``ugi``."""
    return [
        f"id name {_one_line(name)}",
        f"id author {_one_line(author)}",
        *([f"info string kernel {_one_line(kernel)}"] if kernel else []),
        *(render_option(option) for option in options),
        dialect.greeted,
    ]


def render_option(option: Option) -> str:
    line = f"option name {option.name} type {option.kind}"
    if option.default is not None:
        line += f" default {_value(option.default)}"
    if option.kind == "spin":
        line += f" min {option.minimum} max {option.maximum}"
    return line + "".join(f" var {choice}" for choice in option.choices)


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) or "<empty>"


def render_position(game: Game, kernel: str, net: Found | None) -> list[str]:
    """Return the answer to ``d``, with the kernel and the net that play."""
    position = game.position
    moves = sorted(game.legal_moves())
    outcome = game.outcome()
    return [
        position.diagram(),
        "",
        *([f"Kernel: {_one_line(kernel)}"] if kernel else []),
        *([_net_line(str(net.net) if net.net else "", net.card)] if net is not None else []),
        f"Fen: {position.fen()}",
        f"Key: {position.key:016x}",
        f"Moves: {' '.join(moves)}".rstrip(),
        f"Result: {render_result(outcome)}{f' {outcome.termination.value}' if outcome else ''}",
    ]


def render_result(outcome: Outcome | None) -> str:
    """Return ``none``, ``p1win``, ``p2win`` or ``draw``."""
    return outcome.name if outcome else "none"


def render_evaluation(found: Terms | NetEvaluation | None, outcome: Outcome | None = None) -> list[str]:
    """Return the answer to ``eval``: the evaluation is None if the game is solved, the outcome if it is not over."""
    if outcome is not None:
        return [f"Evaluation: none, the game is over ({render_result(outcome)} {outcome.reason})"]
    if found is None:
        return ["Evaluation: none, the game is solved; 'go' prints the exact value"]
    if isinstance(found, NetEvaluation):
        lines = [_net_line(found.title, found.card), "", *_shares(found), "",
                 f"Hand-written evaluation: {found.hand_written}", f"Correction by the net: {found.correction}"]
    else:
        lines = [
            _net_line("", ""),
            f"Material: {found.material}",
            f"Mobility: {found.mobility}",
            f"Threats: {found.threats}",
            f"Dux safety: {found.dux_safety}",
            f"Bound: {found.bound}",
            f"Pursuit: {found.pursuit}",
        ]
    return [*lines, f"Evaluation: {found.total} (centi-soldiers, from the player to move)"]


def _net_line(net: str, card: str) -> str:
    """Return the line about a net and what is known about it; both are empty for the hand-written evaluation alone."""
    return f"Net: {_one_line('; '.join(filter(None, (net, card)))) or 'none, hand-written evaluation'}"


def _shares(found: NetEvaluation) -> list[str]:
    """Return the board with the share of each piece below its letter: the evaluation with it, minus without it."""
    by_square = {square: (letter, "" if share is None else f"{share:+d}") for square, letter, share in found.shares}
    width = max((len(share) for _, share in by_square.values()), default=0) + 1
    lines = []
    for rank in reversed(range(found.ranks)):
        cells = [by_square.get(rank * found.files + file, (".", "")) for file in range(found.files)]
        lines += ["".join(f"{cell[part]:>{width}}" for cell in cells).rstrip() for part in (0, 1)]
    return lines


def render_ratings(measured: tuple[int, int] | None) -> str:
    """Return the answer to ``query ratings``."""
    return "none" if measured is None else f"{measured[0]}-{measured[1]}"


def render_response(word: str) -> str:
    """Return the answer to a ``query``: exactly two words."""
    return f"response {word}"


OWN_COMMANDS = ("eval", "bench")
"""Commands that only the engine of this project has; each begins its line of the help."""
HELP = """\
{engine} plays Latrones and related games. It reads commands from standard input; protocol.md has the details.
  uci | ugi                              choose the dialect UCI or UGI; list the options
  setoption name N [value V]             set an option, for example: setoption name UCI_Variant value latrones
  isready                                answer readyok, also during a search
  ucinewgame (newgame, uginewgame)       start a new game
  position startpos|fen F [moves M ...]  set up a position, for example: position startpos moves d1d5
  go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
     [mate N] [infinite] [ponder] [searchmoves M ...]
                                         search; ends with bestmove (p1time, p2time, p1inc, p2inc: same as
                                         wtime, btime, winc, binc)
  go perft N                             count the sequences of N plies by first move
  stop | ponderhit                       stop the search; the opponent played the expected move
  wait                                   read on when the search has ended
  query p1turn|gameover|result           ask whose turn it is, whether the game is over, who won
  query ratings                          ask for the range of UCI_Elo that was measured for this game and board
  d                                      print the position
  eval                                   print the evaluation of the position
  bench [depth] [core|ludii|all]         search fixed positions; the node count is a signature of the engine
  debug on|off                           print more information
  help | quit"""


def render_help(engine: str = "latrones-uci", without: Collection[str] = ()) -> list[str]:
    """Return the lines that ``help`` prints for an engine that lacks some of ``OWN_COMMANDS``."""
    return [line for line in HELP.format(engine=engine).splitlines() if first_word(line) not in without]
