"""Analyse positions for programs: queries and results are lines of JSON, and several searches run at a time."""

import heapq
import itertools
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.events import EngineEvent, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.options import Option
from latrones_uci.engine.session import STOP_PATIENCE_S, Session
from latrones_uci.game import Game, LatronesError, Position, Ruleset, find_variant, parse_file
from latrones_uci.game.variants import MAX_FILE_BYTES
from latrones_uci.protocols.channel import MAX_WAITING_BYTES, Channel, ChannelClosedError, Line
from latrones_uci.protocols.common import CommandError
from latrones_uci.text.clock import now_ns
from latrones_uci.text.messages import nearest_name, quoted
from latrones_uci.text.protocol import BestMove, SearchInfo
from latrones_uci.text.toml import shown_toml
from latrones_uci.version import __version__

DEFAULT_MOVETIME_MS = 1000
"""Time of a search without limits."""
MAX_ID_CHARACTERS = 200
MAX_MOVES = 10_000
MAX_COUNT = 10**12 - 1
MAX_MULTIPV = 256
OF_QUERIES = ("UCI_Variant", "BoardSize", "VariantSet", "VariantPath", "MultiPV", "Backend")
"""Options that the fields of queries, or other arguments, set."""
ACTIONS = ("terminate", "terminate_all", "query_version")
_POSITION_BYTES = 1000  # memory of a position of a game
_EXAMPLE = '{"id": "a", "moves": ["d1d5"], "limit": {"nodes": 10000}}'


def render_line(info: SearchInfo) -> dict[str, Any]:
    """Return a line of a search as JSON has it: the fields that it has, with the score as in ``info``."""
    fields = {name: value for name, value in vars(info).items() if value is not None and name != "reported_nps"}
    score = {name: getattr(info.score, name) for name in ("cp", "mate", "bound")}
    score = {name: value for name, value in score.items() if value not in (None, "")}
    return {**fields, "score": score, "nps": info.nps}


# ---------------------------------------------------------------- queries


@dataclass(frozen=True)
class Query:
    """The searches that a line asks for."""

    id: str
    game: Game
    turns: tuple[int, ...]
    """The positions to search, as numbers of moves before them."""
    limits: Limits
    """Limits of each search."""
    multipv: int
    report_every_ms: int | None
    """Time between partial results, None for none."""
    priority: int
    root_moves: tuple[str, ...] = ()
    """The moves to search in each turn, empty for all."""
    avoid_moves: tuple[str, ...] = ()
    """The moves not to search in any turn."""
    options: tuple[tuple[str, str], ...] = ()
    """Names and values of options for these searches."""

    def search_moves(self, turn: int) -> tuple[str, ...]:
        """Return the moves to search in a turn, empty for all.

        Raises:
            LatronesError: one of the moves is not legal there, or none is left.
        """
        game = self.game.up_to(turn)
        root, avoided = ([game.position.parse_move(text) for text in texts]
                         for texts in (self.root_moves, self.avoid_moves))
        if not root and not avoided:
            return ()
        left = [move for move in root or game.legal_moves() if move not in avoided]
        if not left:
            raise CommandError(f"turn {turn}: avoid_moves {shown_toml(list(self.avoid_moves))}: no move is left;"
                               " expected at least one other")
        return tuple(left)


class Fields:
    """The fields of a JSON object; null is no value. The methods raise a CommandError that quotes a wrong value."""

    def __init__(self, values: Mapping[str, Any], where: str = "") -> None:
        """Begin with all fields; ``where`` is the prefix of their names in errors."""
        self._values, self._where, self._known = dict(values), where, list[str]()

    def take(self, name: str, expected: str, is_valid: Callable[[Any], bool], default: Any = None) -> Any:
        """Return a value, or the default if there is none; ``expected`` describes the valid ones."""
        self._known.append(name)
        value = self._values.pop(name, None)
        if value is None:
            return default
        if not is_valid(value):
            raise CommandError(f"{self._where}{name} {shown_toml(value)}: expected {expected}")
        return value

    def integer(self, name: str, least: int, most: int, default: int | None = None) -> Any:
        """Return an integer, or the default. Some languages write it as ``1e5`` or ``100000.0``."""
        value = self.take(name, f"an integer from {least} to {most}",
                          lambda value: _is_integer(value) and least <= value <= most, default)
        return value if value is None else int(value)

    def text(self, name: str, most: int = 0) -> Any:
        """Return a string, of 1 to ``most`` characters if that is given, or None."""
        return self.take(name, f"a string of 1 to {most} characters" if most else "a string",
                         lambda value: isinstance(value, str) and (not most or 1 <= len(value) <= most))

    def turns(self, name: str, most: int = MAX_MOVES) -> list[int]:
        def is_valid(value: Any) -> bool:
            return (isinstance(value, list) and all(_is_integer(each) and 0 <= each <= most for each in value)
                    and 0 < len(value) == len(set(value)))

        return list(map(int, self.take(name, f"a list of different turns from 0 to {most}", is_valid, [])))

    def moves(self, name: str, least: int = 0) -> list[str]:
        def is_valid(value: Any) -> bool:
            return (isinstance(value, list) and least <= len(value) <= MAX_MOVES
                    and all(isinstance(each, str) for each in value))

        bounds = f"{least} to {MAX_MOVES}" if least else f"at most {MAX_MOVES}"
        return list(self.take(name, f'a list of {bounds} moves such as ["d1d5"]', is_valid, []))

    def options(self, name: str, find: Callable[[str], Option]) -> dict[str, str]:
        """Return the values of options by name, empty without a value.

        Raises:
            LatronesError: an option is unknown, cannot be set here, or cannot have the value.
        """
        found: dict[str, str] = {}
        expected = 'an object such as {"Skill Level": 5}'
        for word, value in self.take(name, expected, lambda value: isinstance(value, dict), {}).items():
            option = find(word)
            if not isinstance(value, str | bool) and not _is_integer(value):
                raise CommandError(f"{name} {quoted(word)}: value {shown_toml(value)}: expected a string, an integer,"
                                   " true or false")
            if option.name in OF_QUERIES or option.kind == "button":
                raise CommandError(f"{name} {quoted(word)}: cannot be set for one query; expected another option")
            if option.name in found:
                raise CommandError(f"duplicate field {quoted(option.name)}; expected each field once")
            text = str(int(value)) if _is_integer(value) else value if isinstance(value, str) else str(value).lower()
            option.parse(text)
            found[option.name] = text
        return found

    def end(self) -> None:
        for name in self._values:
            hint = nearest_name(name, self._known) or f"; expected {', '.join(self._known)}"
            raise CommandError(f"unknown field {quoted(self._where + name)}{hint}")


def _is_integer(value: Any) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


def parse_object(line: Line) -> Fields:
    """Return the fields of the JSON object of a line.

    Raises:
        CommandError: the line is too long, is not JSON, or has a field twice.
    """
    if line.problem:
        raise CommandError(line.problem)
    problem, text = "not an object", line.text.removeprefix("\ufeff")  # files that were joined have it inside
    try:
        text.encode()
        found = json.loads(text, parse_int=_number, parse_constant=_refuse_constant, object_pairs_hook=_fields)
    except json.JSONDecodeError as error:
        problem = f"not JSON: {error.msg} (column {error.colno})"
    except UnicodeEncodeError:
        problem = "not UTF-8"
    except RecursionError:
        problem = "too many nested values"
    else:
        if isinstance(found, dict):
            return Fields(found)
    raise CommandError(f"{quoted(line.text)}: {problem}; expected an object such as {_EXAMPLE}")


def _number(text: str) -> int | float:
    """Return an integer; one out of all ranges as a float, because the time to convert many digits is quadratic."""
    return int(text) if len(text) <= 20 else float(text)


def _refuse_constant(text: str) -> NoReturn:
    raise CommandError(f"{text}: not JSON; expected a number")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise CommandError(f"duplicate field {quoted(name)}; expected each field once")
    return fields


def parse_query(id_: str, fields: Fields, find_option: Callable[[str], Option]) -> Query:
    """Return the query of the remaining fields of a line; ``find_option`` returns an option by its name.

    Raises:
        LatronesError: a field is wrong, or unknown.
    """
    variant, ruleset = fields.text("variant"), fields.text("ruleset", MAX_FILE_BYTES)
    board, fen = fields.text("board"), fields.text("fen")
    moves, root_moves, avoid_moves = fields.moves("moves"), fields.moves("root_moves", 1), fields.moves("avoid_moves")
    limit = fields.take("limit", 'an object such as {"nodes": 10000}', lambda value: isinstance(value, dict), {})
    limits, multipv = _limits(Fields(limit, "limit.")), fields.integer("multipv", 1, MAX_MULTIPV, 1)
    turns = fields.turns("analyze_turns", len(moves)) or [len(moves)]
    report_every_ms = fields.integer("report_every_ms", 1, MAX_COUNT)
    priority = fields.integer("priority", -MAX_COUNT, MAX_COUNT, 0)
    options = fields.options("options", find_option)
    fields.end()
    if fen is not None and board is not None:
        raise CommandError(f"board {quoted(board)}: cannot be combined with a FEN")
    rules = find_variant("latrones" if variant is None else variant) if ruleset is None else _ruleset(ruleset, variant)
    game = Game(Position.start(rules, board) if fen is None else Position.from_fen(rules, fen))
    for text in moves:
        game.push(text)
    query = Query(id_, game, tuple(turns), limits, multipv, report_every_ms, priority, tuple(root_moves),
                  tuple(avoid_moves), tuple(options.items()))
    for turn in turns if root_moves or avoid_moves else ():
        query.search_moves(turn)
    return query


def _limits(fields: Fields) -> Limits:
    depth, nodes, mate = (fields.integer(name, 1, MAX_COUNT) for name in ("depth", "nodes", "mate"))
    seconds = fields.take("time", "seconds from 0, less than 1e9",
                          lambda value: type(value) in (int, float) and 0 <= value < 1e9)
    fields.end()
    if all(each is None for each in (depth, nodes, mate, seconds)):
        return Limits(movetime_ms=DEFAULT_MOVETIME_MS)
    return Limits(depth, nodes, None if seconds is None else round(1000 * seconds), mate=mate)


@lru_cache(maxsize=16)
def _ruleset(text: str, name: str | None) -> Ruleset:
    """Return a variant of a TOML text, by default its first."""
    rulesets = parse_file(text)
    return find_variant(next(iter(rulesets)) if name is None else name, rulesets)


# ---------------------------------------------------------------- searches


@dataclass(eq=False)
class _Search:
    """A search of one turn of a query."""

    query: Query
    turn: int
    size: int
    """Its share of the memory of the query, in bytes."""
    terminated: bool = False

    @cached_property
    def game(self) -> Game:
        return self.query.game.up_to(self.turn)

    def result(
        self, lines: Mapping[int, SearchInfo], best: BestMove | None = None, error: str = "", during: bool = False
    ) -> dict[str, Any]:
        """Return a result as JSON has it, with the fields of ``latrones-uci go --json`` where both have them."""
        game = self.game
        result = {
            "id": self.query.id, "turn": self.turn, "during_search": during, "variant": game.start.ruleset.name,
            "fen": game.position.fen(), "lines": [render_line(info) for info in list(lines.values())],
            "bestmove": best and best.move, "ponder": best and best.ponder,
        }
        if outcome := game.outcome():
            result["outcome"] = {"result": outcome.result, "winner": outcome.winner,
                                 "termination": outcome.termination.value, "details": outcome.details}
        if self.terminated and not during:
            result["terminated"] = True
        if error:
            result["error"] = error
        return result


class _Worker:
    """Runs one search at a time."""

    def __init__(self, backend: str, settings: Mapping[str, str]) -> None:
        self.session = Session(self._take, backend)
        for name, value in settings.items():
            self.session.set_option(name, value)
        self._lines: dict[int, SearchInfo] = {}
        self._best, self._error = BestMove(), ""
        self._ended = threading.Event()

    def _take(self, event: EngineEvent) -> None:
        match event:
            case SearchInfo():
                self._lines[event.multipv] = event
            case Refusal():
                self._error = f"{event.code}: {event.message}"
            case BestMove():
                self._best = event
                self._ended.set()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, OptionError):
            self._take(Refusal(error.code, str(error)))
        else:
            self._take(Refusal.of_failure("the search failed", error))

    def run(self, search: _Search) -> Iterator[dict[str, Any]]:
        """Run a search; yield the partial results, then the result."""
        query = search.query
        every_s = None if query.report_every_ms is None else query.report_every_ms / 1000
        self._lines, self._error = {}, ""
        self._ended.clear()
        before: dict[str, str] = {}
        try:
            self.session.set_game(search.game)
            self.session.set_option("MultiPV", str(query.multipv))
            for name, value in query.options:
                before.setdefault(name, self.session.option_value(name))
                self.session.set_option(name, value)
            limits = replace(query.limits, search_moves=query.search_moves(search.turn))
            self.session.go(limits, now_ns())
        except Exception as error:  # the controller waits for a result even after a failure
            self._fail(error)
            self._take(BestMove())
        if search.terminated:  # before the search began
            self.session.stop()
        while not self._ended.wait(every_s):
            if self._lines:
                yield search.result(self._lines, during=True)
        try:
            for name, value in before.items():
                self.session.set_option(name, value)
        except Exception as error:  # such as no memory for the table
            self._fail(error)
        yield search.result(self._lines, self._best, self._error)


class AnalysisService:
    """Answers queries until the end of input."""

    def __init__(
        self, channel: Channel, backend: str = "auto", workers: int = 1, settings: Mapping[str, str] | None = None
    ) -> None:
        """Create the workers.

        Args:
            channel: the controller.
            backend: the option ``Backend``.
            workers: the number of searches at a time, each with a kernel of its own.
            settings: options of each worker, by their names.

        Raises:
            LatronesError: there is no such kernel, or an option cannot be set.
            MemoryError: not enough memory.
        """
        self._channel, self._number = channel, 0
        self._workers = [_Worker(backend, settings or {}) for _ in range(workers)]
        self._kernel = self._workers[0].session.kernel_text
        # The condition protects all of the following.
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int, _Search]] = []  # a heap, by priority and arrival
        self._waiting_bytes, self._arrivals = 0, itertools.count()
        self._running: dict[_Search, _Worker] = {}
        self._unfinished: Counter[str] = Counter()  # searches of each id
        self._ended = False  # whether no more queries follow
        self._working = 0  # threads of workers

    def run(self) -> None:
        """Read and answer; at the end of input, finish all queries. An interruption terminates them: each has a result.

        Raises:
            OSError: nothing more can be written; the queries that are left are dropped.
        """
        for worker in self._workers:
            self._working += 1
            threading.Thread(target=self._work, args=(worker,), daemon=True).start()
        try:
            self._read()
            with self._changed:
                self._ended = True
                self._changed.notify_all()
            self._await_workers()
        finally:
            self._end_terminated(self._drop())
            self._await_workers(STOP_PATIENCE_S)
            for worker in self._workers:
                worker.session.close()
        if self._channel.failure is not None:
            raise self._channel.failure

    def _await_workers(self, timeout_s: float | None = None) -> None:
        """Wait until all workers have ended. After an interrupted ``Thread.join``, another one would not wait."""
        with self._changed:
            self._changed.wait_for(lambda: not self._working, timeout_s)

    def _read(self) -> None:
        """Obey lines until the end of input; pause while too much waits."""
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._waiting_bytes < MAX_WAITING_BYTES or self._ended)
                if self._ended:  # nothing more can be written
                    return
                self._obey(self._channel.receive())
        except ChannelClosedError:
            return

    def _obey(self, line: Line) -> None:
        self._number += 1
        if not line.text.strip():
            return
        id_ = None
        try:
            fields = parse_object(line)
            id_ = fields.text("id", MAX_ID_CHARACTERS)
            if id_ is None:
                raise CommandError(f"{quoted(line.text)}: no id; expected an object such as {_EXAMPLE}")
            action = fields.take("action", f"one of {', '.join(ACTIONS)}", ACTIONS.__contains__)
            if action is None:
                self._add(parse_query(id_, fields, self._workers[0].session.find_option), line.size)
            else:
                self._send(self._act(id_, action, fields))
        except LatronesError as error:
            self._send({"id": id_, "line": self._number, "error": f"{error.code}: {error}"})

    def _add(self, query: Query, line_bytes: int) -> None:
        size = (line_bytes + _POSITION_BYTES * len(query.game.positions)) // len(query.turns)
        with self._changed:
            if query.id in self._unfinished:
                raise CommandError(f"id {quoted(query.id)}: a query with this id is not finished; expected another id")
            self._unfinished[query.id] = len(query.turns)
            for turn in query.turns:
                heapq.heappush(self._waiting, (-query.priority, next(self._arrivals), _Search(query, turn, size)))
            self._waiting_bytes += size * len(query.turns)
            self._changed.notify_all()

    def _act(self, id_: str, action: str, fields: Fields) -> dict[str, Any]:
        turns = fields.turns("turns") if action == "terminate" else []
        fields.end()
        answer = {"id": id_, "action": action}
        if action == "query_version":
            return {**answer, "version": __version__, "kernel": self._kernel, "workers": len(self._workers)}
        waiting, running = self._terminate(lambda search: action == "terminate_all" or (
            search.query.id == id_ and (not turns or search.turn in turns)))
        self._end_terminated(waiting)
        return {**answer, "terminated": len(waiting) + running}

    def _end_terminated(self, waiting: Iterable[_Search]) -> None:
        """Send the results of searches that were terminated before they began."""
        for search in waiting:
            self._finish(search)
            self._send(search.result({}))

    def _terminate(self, is_meant: Callable[[_Search], bool]) -> tuple[list[_Search], int]:
        """Stop searches; return those that waited, in their order, and the number of those that ran."""
        with self._changed:
            entries = [(is_meant(entry[-1]), entry) for entry in sorted(self._waiting)]
            self._waiting = [entry for meant, entry in entries if not meant]  # sorted, and so a heap
            waiting = [entry[-1] for meant, entry in entries if meant]
            running = [search for search in self._running if is_meant(search) and not search.terminated]
            for search in (*waiting, *running):
                search.terminated = True
            for search in running:
                self._running[search].session.stop()
            self._waiting_bytes -= sum(search.size for search in waiting)
            self._changed.notify_all()
        return waiting, len(running)

    def _drop(self) -> list[_Search]:
        """Stop all searches, and begin no more; return those that waited."""
        self._ended = True
        return self._terminate(lambda search: True)[0]

    def _work(self, worker: _Worker) -> None:
        try:
            while (search := self._next(worker)) is not None:
                for result in worker.run(search):
                    if not result["during_search"]:
                        self._finish(search)  # first: the controller may use the id again once it has read the result
                    self._send(result)
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def _next(self, worker: _Worker) -> _Search | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended)
            if not self._waiting:
                return None
            search = heapq.heappop(self._waiting)[-1]
            self._waiting_bytes -= search.size
            self._running[search] = worker
            self._changed.notify_all()
        return search

    def _finish(self, search: _Search) -> None:
        with self._changed:
            self._running.pop(search, None)
            self._unfinished[search.query.id] -= 1
            if not self._unfinished[search.query.id]:
                del self._unfinished[search.query.id]

    def _send(self, answer: Mapping[str, Any]) -> None:
        """Write a line, however slowly it is read; if the reader is gone, nothing more is done."""
        self._channel.send([json.dumps(answer)])
        if self._channel.failure is not None:
            self._drop()
