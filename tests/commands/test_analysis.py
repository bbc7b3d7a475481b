"""``latrones-uci analysis`` answers queries in JSON as docs/analysis.md says; the service runs in memory."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from folders import ROOT
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import main
from latrones_uci.engine.session import Session
from latrones_uci.game import Game
from latrones_uci.protocols import analysis, channel
from latrones_uci.protocols.analysis import AnalysisService
from latrones_uci.protocols.channel import Channel
from latrones_uci.text.streams import is_reader_gone

PAGE = ROOT / "docs" / "analysis.md"
WON = {"fen": "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1", "moves": ["c6c8"]}
DEPTH = {"depth": 2}
LONG = {"time": 1000}
SETTINGS = {"UCI_ShowWDL": "true", "Hash": "1"}
PATIENCE_S = 60.0
Answer = dict[str, Any]


class Client:
    """A service in a thread, and the other ends of its pipes."""

    def __init__(self, workers: int = 1, backend: str = "auto", settings: Mapping[str, str] = SETTINGS) -> None:
        input_fd, self._input = os.pipe()
        self._output, output_fd = os.pipe()
        self.failure: OSError | None = None
        service = AnalysisService(Channel(input_fd, output_fd), backend, workers, settings)

        def serve() -> None:
            try:
                service.run()
            except OSError as error:
                self.failure = error
            os.close(output_fd)

        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()
        self._answers = open(self._output, encoding="utf-8")  # noqa: SIM115 - closed by `finish` or `leave`

    def send(self, *lines: Answer | str | bytes) -> None:
        for line in lines:
            text = json.dumps(line) if isinstance(line, dict) else line
            os.write(self._input, (text.encode() if isinstance(text, str) else text) + b"\n")

    def begin(self, name: str, **fields: Any) -> Answer:
        """Begin a long search, and return its first partial result."""
        self.send(query(name, LONG, report_every_ms=5, **fields))
        first: Answer = json.loads(self._answers.readline())
        return first

    def read(self) -> Answer:
        """Return the next answer that is not a partial result."""
        while (answer := json.loads(self._answers.readline())).get("during_search"):
            pass
        return dict(answer)

    def finish(self) -> list[Answer]:
        """End the input; return the answers that are left, except for partial results."""
        os.close(self._input)
        answers = [answer for answer in map(json.loads, self._answers) if not answer.get("during_search")]
        self._answers.close()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return answers

    def leave(self) -> None:
        """Read no more."""
        self._answers.close()

    def ask(self, *lines: Answer | str | bytes) -> list[Answer]:
        """Return the answers to lines that end the input."""
        self.send(*lines)
        return self.finish()


def query(name: str = "a", limit: Mapping[str, float] = DEPTH, **fields: Any) -> Answer:
    return {"id": name, "limit": limit, **fields}


def stop(name: str = "a", **fields: Any) -> Answer:
    return {"id": name, "action": "terminate", **fields}


def timeless(result: Answer) -> Answer:
    """Return a result without times."""
    lines = [{name: value for name, value in line.items() if name not in ("time_ms", "nps")}
             for line in result["lines"]]
    return result | {"lines": lines}


def summary(answers: list[Answer]) -> list[tuple[Any, ...]]:
    """Return id, turn, and whether there is a move and it was terminated."""
    return [(each["id"], each["turn"], each["bestmove"] is not None, each.get("terminated", False))
            for each in answers]


SEARCHES: list[tuple[list[str], Answer]] = [
    (["--nodes", "500", "--multipv", "2"], query("a", {"nodes": 500}, multipv=2)),
    (["--variant", "rota", "--depth", "3"], query("b", {"depth": 3}, variant="rota")),
    (["--variant", "bell", "--board", "6x6", "--depth", "2"], query("c", variant="bell", board="6x6")),
    (["--nodes", "500", "--moves", "d1d5", "e8e4"], query("d", {"nodes": 500}, moves=["d1d5", "e8e4"], fen=None)),
    (["--fen", str(WON["fen"]), "--mate", "1"], query("e", {"mate": 1}, fen=WON["fen"])),
    (["--mate", "1"], query("g", {"mate": 1})),
    (["--variant", "ludii-piso", "--depth", "1"], query("f", {"depth": 1}, variant="ludii-piso")),
]


@pytest.mark.long
def test_results_are_those_of_go(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With one worker and with several: no search has anything from those before it."""
    expected = {}
    for words, each in SEARCHES:
        assert main(["--backend", backend, "go", *words, "--option", "UCI_ShowWDL=true", "--json"]) == 0
        expected[each["id"]] = timeless(json.loads(capsys.readouterr().out))
    for workers in (1, 3):
        client = Client(workers, backend, {"UCI_ShowWDL": "true"})
        found = {each["id"]: timeless(each) for each in client.ask(*(each for _, each in SEARCHES))}
        assert found == {
            name: {"id": name, "turn": 2 if name == "d" else 0, "during_search": False} | result
            for name, result in expected.items()
        }


def test_turns_of_a_game() -> None:
    """A repetition on the way counts as in the game."""
    moves = ["a1a2", "a8a7", "a2a1", "a7a8"] * 2
    found = Client().ask(query(moves=moves, analyze_turns=[8, 0, 3]), query("b", moves=moves[:3]))
    assert [each["turn"] for each in found] == [8, 0, 3, 3]
    assert found[0]["outcome"] == {"result": "1/2-1/2", "winner": None, "termination": "repetition", "details": ""}
    assert timeless(found[2]) == timeless(found[3]) | {"id": "a"}


def test_a_finished_game_says_how_it_ended() -> None:
    (found,) = Client().ask(query(**WON))
    assert found["lines"][0]["score"] == {"mate": 0}
    assert (found["bestmove"], found["outcome"]["winner"], found["outcome"]["details"]) == ("0000", 0, "dux captured")


def test_partial_results() -> None:
    client = Client()
    first = client.begin("a")
    assert (first["during_search"], first["bestmove"], first["lines"][0]["multipv"]) == (True, None, 1)
    assert json.loads(client._answers.readline())["during_search"]
    client.send(stop())
    (result,) = (each for each in client.finish() if "turn" in each)
    assert (result["during_search"], result["terminated"], bool(result["bestmove"])) == (False, True, True)


def test_the_highest_priority_is_first_then_the_first_to_arrive() -> None:
    client = Client()
    client.begin("first")
    client.send(query("low", priority=-1), query("b"), query("high", priority=5), query("c"))
    client.send(stop("first"))
    names = [each["id"] for each in client.finish() if "turn" in each]
    assert names == ["first", "high", "b", "c", "low"]


def test_termination() -> None:
    """Of searches that run, wait or are finished; the others go on."""
    client = Client()
    both: Answer = {"moves": ["d1d5"], "analyze_turns": [0, 1]}
    client.begin("a", **both)
    client.send(query("b", **both), query("c"), stop("b", turns=[1, 7]), stop("none"))
    assert summary([client.read()]) == [("b", 1, False, True)]
    assert [client.read() for _ in range(2)] == [
        {"id": "b", "action": "terminate", "terminated": 1}, {"id": "none", "action": "terminate", "terminated": 0}
    ]
    client.send(stop("a"))
    found = client.finish()
    assert {"id": "a", "action": "terminate", "terminated": 2} in found
    assert sorted(summary([each for each in found if "turn" in each])) == [
        ("a", 0, True, True), ("a", 1, False, True), ("b", 0, True, False), ("c", 0, True, False)
    ]


def test_terminating_everything_and_the_version() -> None:
    client = Client(2)
    client.send(*(query(str(number), LONG) for number in range(5)), {"id": "t", "action": "terminate_all"})
    client.send({"id": "v", "action": "query_version"})
    found = client.finish()
    assert {"id": "t", "action": "terminate_all", "terminated": 5} in found
    assert sorted(each["id"] for each in found if each.get("terminated") is True) == list("01234")
    (version,) = (each for each in found if "version" in each)
    assert (version["workers"], version["kernel"].partition(",")[0] in ("native", "python")) == (2, True)


def test_a_search_that_is_terminated_before_it_begins_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search was chosen, but the engine has not yet been told to begin."""
    begins, told, set_game = threading.Event(), threading.Event(), Session.set_game

    def wait(session: Session, game: Game) -> None:
        begins.set()
        told.wait(PATIENCE_S)
        set_game(session, game)

    monkeypatch.setattr(Session, "set_game", wait)
    client = Client()
    client.send(query(limit=LONG))
    assert begins.wait(PATIENCE_S)
    client.send(stop())
    assert client.read()["terminated"] == 1
    told.set()
    assert summary(client.finish()) == [("a", 0, True, True)]


def test_a_search_that_fails_is_an_error_of_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(session: Session, game: Game) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Session, "set_game", fail)
    found = Client().ask(query("a"), query("b"))
    assert [(each["id"], each["error"]) for each in found] == [
        (name, "internal: the search failed: RuntimeError: broken") for name in "ab"
    ]


def test_an_id_is_free_again_after_its_last_result() -> None:
    client = Client()
    client.send(query("a"))
    assert client.read()["turn"] == 0
    client.begin("a")
    client.send(query("a"), stop("a"))
    errors = [each["error"] for each in client.finish() if "line" in each]
    assert errors == ["syntax: id 'a': a query with this id is not finished; expected another id"]


def test_moves_to_search_and_to_avoid() -> None:
    moves = ["d1d5", "a8a4"]
    found = Client().ask(
        query("a", root_moves=["a1a3", "h1h2", "a1a3"], multipv=5, analyze_turns=[0, 2], moves=moves),
        query("b", avoid_moves=["d1d5"], multipv=256), query("c", multipv=256),
        query("d", root_moves=["d1d5", "a1a2"], avoid_moves=["d1d5"], multipv=2),
    )
    first = {(each["id"], each["turn"]): {line["pv"][0] for line in each["lines"]} for each in found}
    assert first["a", 0] == first["a", 2] == {"a1a3", "h1h2"}
    assert first["b", 0] == first["c", 0] - {"d1d5"} != first["c", 0]
    assert first["d", 0] == {"a1a2"}


def test_options_of_one_query() -> None:
    """The next one has the former values; the levels are those of the game of the query."""
    level = {"Skill Level": 0, "Skill Seed": 7}
    found = [timeless(each) for each in Client().ask(
        query("a"), query("b", options={"uci_showwdl": False, "Hash": 2e0}), query("c"),
        query("d", variant="bell", options=level), query("e", variant="bell", options=level), query("f"),
    )]
    assert "wdl" not in found[1]["lines"][0]
    assert [each | {"id": "a"} for each in (found[2], found[5])] == [found[0]] * 2
    assert found[3] | {"id": "e"} == found[4]


def test_an_option_that_cannot_be_set_is_an_error_of_the_result() -> None:
    found = Client().ask(query("a", options={"Hash": 1, "TablePath": "/no/such/folder"}), query("b"))
    assert [each.get("error", "").partition(":")[0] for each in found] == ["option", ""]
    assert found[0]["bestmove"] == "0000"


def test_integers_of_any_language() -> None:
    """Whatever writes 100000 as 1e5, and marks the encoding of each line."""
    whole = json.dumps(query(limit={"nodes": 500, "depth": 3}, multipv=2, priority=-1, analyze_turns=[0]))
    other = re.sub(r"(?<=[ \[])(-?[0-9]+)(?=[],}])", r"\1.0", whole).replace("500.0", "5e2")
    assert other.count(".0") == 4
    first, second = Client().ask(whole, "\ufeff" + other.replace('"a"', '"b"'))
    assert timeless(first) == timeless(second) | {"id": "a"}


OWN = '[mine]\nparent = "latrones"\n[other]\nparent = "bell"\n'


def test_a_ruleset_in_the_query() -> None:
    found = Client().ask(query("a", ruleset=OWN), query("b", ruleset=OWN, variant="other"), query("c"))
    assert [each["variant"] for each in found] == ["mine", "other", "latrones"]
    assert timeless(found[0]) == timeless(found[2]) | {"id": "a", "variant": "mine"}


BAD = [
    ('{"id": "x"', "syntax: '{\"id\": \"x\"': not JSON: Expecting ',' delimiter (column 11); expected an object such"),
    ("hello", "syntax: 'hello': not JSON: Expecting value (column 1)"),
    ("[]", "syntax: '[]': not an object; expected an object such as {"),
    ("3", "syntax: '3': not an object"),
    ("{}", "syntax: '{}': no id; expected an object such as {"),
    ('{"id": null}', "no id"),
    ('{"id": 3}', "syntax: id 3: expected a string of 1 to 200 characters"),
    ('{"id": ""}', 'syntax: id "": expected a string of 1 to 200'),
    (json.dumps({"id": "x" * 201}), "... (201 characters): expected a string of 1 to 200"),
    ('{"id": "x", "id": "y"}', "syntax: duplicate field 'id'; expected each field once"),
    ('{"id": "x", "limit": {"nodes": NaN}}', "syntax: NaN: not JSON; expected a number"),
    ('{"id": "x", "limit": {"time": 1e999}}', "syntax: limit.time inf: expected seconds from 0, less than 1e9"),
    (b'{"id": "\xff"}', r"""'{"id": "\xff"}': not UTF-8; expected an object"""),
    (b'{"id": "\0"}', "not JSON: Invalid control character at (column 9)"),
    ("[" * 100_000, "too many nested values; expected an object such as {"),
    ('{"id": "x", "limit": ' + '{"a":' * 100_000, "too many nested values"),
    ('{"id": "x' + "y" * channel.MAX_LINE_BYTES, "line too long; expected at most 4194304 bytes"),
    (query(limit={"nodes": int("9" * 4000)}), "syntax: limit.nodes inf: expected an integer from 1 to 999999999999"),
    (query(limit={"nodes": 10**18}), "syntax: limit.nodes 1000000000000000000: expected an integer from 1 to"),
    (query(limit={"nodes": 1.5}), "syntax: limit.nodes 1.5: expected an integer"),
    (query(limit={"depth": 0}), "syntax: limit.depth 0: expected an integer from 1"),
    (query(limit={"depth": True}), "syntax: limit.depth true: expected an integer"),
    (query(limit={"mate": "1"}), 'syntax: limit.mate "1": expected an integer'),
    (query(limit={"time": -1}), "syntax: limit.time -1: expected seconds from 0"),
    (query(limit={"movetime": 1}), "syntax: unknown field 'limit.movetime'; expected depth, nodes, mate, time"),
    (query(limit=[]), "syntax: limit []: expected an object such as {"),  # type: ignore[arg-type]
    (query(multipv=257), "syntax: multipv 257: expected an integer from 1 to 256"),
    (query(report_every_ms=0), "syntax: report_every_ms 0: expected an integer from 1"),
    (query(priority=0.5), "syntax: priority 0.5: expected an integer"),
    (query(mooves=[]), "syntax: unknown field 'mooves'; did you mean 'moves'?"),
    (query(colour=1), "syntax: unknown field 'colour'; expected id, action, variant, ruleset, board, fen, moves,"),
    (query(moves="d1d5"), 'syntax: moves "d1d5": expected a list of at most 10000 moves such as ["d1d5"]'),
    (query(moves=["d1d5", 3]), 'syntax: moves ["d1d5", 3]: expected a list'),
    (query(moves=["d1d5"] * 10_001), "expected a list of at most 10000 moves"),
    (query(moves=["d1d5", "d1d5"]), "illegal-move: move 'd1d5' is not legal in"),
    (query(moves=["d1d9"]), "illegal-move: move 'd1d9': d9 is not on the 8x8 board"),
    (query(moves=["zz"]), "malformed-move: "),
    (query(**{**WON, "moves": ["c6c8", "a1a2"]}), "illegal-move: move 'a1a2': the game is over"),
    (query(analyze_turns=[1]), "syntax: analyze_turns [1]: expected a list of different turns from 0 to 0"),
    (query(analyze_turns=[]), "syntax: analyze_turns []: expected"),
    (query(analyze_turns=[0, 0]), "syntax: analyze_turns [0, 0]: expected"),
    (query(analyze_turns=[0.5]), "syntax: analyze_turns [0.5]: expected"),
    (query(analyze_turns=[0, 0.0]), "syntax: analyze_turns [0, 0.0]: expected"),
    (query(limit={"nodes": 1e30}), "syntax: limit.nodes 1e+30: expected an integer from 1 to"),
    (query(root_moves=[]), 'syntax: root_moves []: expected a list of 1 to 10000 moves such as ["d1d5"]'),
    (query(root_moves=["d1c5"]), "illegal-move: move 'd1c5' is not legal in"),
    (query(root_moves=["d1d5"], moves=["d1d5"]), "illegal-move: move 'd1d5' is not legal in"),
    (query(root_moves=["d1d5"], moves=["d1d5"], analyze_turns=[0, 1]), "illegal-move: move 'd1d5' is not legal in"),
    (query(root_moves=["a1a2"], **WON), "8/4D3 b 0 1': the game is over (p1win, dux captured)"),
    (query(avoid_moves="d1d5"), 'syntax: avoid_moves "d1d5": expected a list of at most 10000 moves'),
    (query(avoid_moves=["zz"]), "malformed-move: "),
    (query(root_moves=["d1d5"], avoid_moves=["d1d5"]),
     'syntax: turn 0: avoid_moves ["d1d5"]: no move is left; expected at least one other'),
    (query(options=[]), 'syntax: options []: expected an object such as {"Skill Level": 5}'),
    (query(options={"Hash": 1.5}), "syntax: options 'Hash': value 1.5: expected a string, an"),
    (query(options={"Contempt": 1}), "option: unknown option 'Contempt'"),
    (query(options={"Hash": "much"}), "option: option Hash takes 1..65536, not 'much'"),
    (query(options={"multipv": 2}), "syntax: options 'multipv': cannot be set for one query; expected another option"),
    (query(options={"Clear Hash": ""}), "syntax: options 'Clear Hash': cannot be set for one query"),
    (query(options={"Hash": 1, "hash": 2}), "syntax: duplicate field 'Hash'; expected each field once"),
    (query(fen="8/8 w"), "fen: FEN '8/8 w': board size '8x2' is not allowed"),
    (query(fen=["x"]), 'syntax: fen ["x"]: expected a string'),
    (query(fen=WON["fen"], board="8x8"), "syntax: board '8x8': cannot be combined with a FEN"),
    (query(board="big"), "board-size: 'big' is not a board size"),
    (query(board="3x3"), "board-size: board size '3x3' is not allowed in latrones"),
    (query(variant="chess"), "variant: unknown variant 'chess'; expected one of latrones,"),
    (query(variant=""), "variant: unknown variant ''"),
    (query(ruleset="[mine"), "variant: not a TOML file: "),
    (query(ruleset="[mine]\nparent = 1"), "variant: variant 'mine': parent: "),
    (query(ruleset=OWN, variant="mien"), "variant: unknown variant 'mien'; expected one of mine, other"),
    (query(ruleset="#" * 131_073), "syntax: ruleset \"###"),
    (query(action="go"), "syntax: action \"go\": expected one of terminate, terminate_all, query_version"),
    (query(action=["terminate"]), 'syntax: action ["terminate"]: expected one of'),
    (stop(turns=[-1]), "syntax: turns [-1]: expected a list of different turns"),
    (stop(moves=[]), "syntax: unknown field 'moves'; expected id, action, turns"),
    ({"id": "a", "action": "terminate_all", "turns": [1]}, "syntax: unknown field 'turns'; expected id, action"),
]


def test_a_bad_line_is_an_error_and_changes_nothing() -> None:
    """It quotes the input and says what is expected; the queries before and after it have their results."""
    client = Client(workers=2)
    client.begin("before")
    for number, (line, expected) in enumerate(BAD, start=2):
        client.send(line)
        answer = client.read()
        assert expected in answer["error"], line
        assert len(json.dumps(answer)) < 1500
        assert answer["line"] == number
        assert answer["id"] == ("a" if isinstance(line, dict) else "x" if "limit.time" in expected else None)
    client.send(stop("before"), "", " \r", query("after"))
    assert sorted(each["id"] for each in client.finish() if "turn" in each) == ["after", "before"]


def test_a_byte_order_mark_carriage_returns_and_a_last_line_without_an_end_are_accepted() -> None:
    client = Client()
    client.send(b"\xef\xbb\xbf" + json.dumps(query()).encode() + b"\r")
    os.write(client._input, json.dumps(query("b")).encode())
    assert summary(client.finish()) == [("a", 0, True, False), ("b", 0, True, False)]


def test_reading_pauses_while_enough_queries_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the version is only read when the second query begins, after the result of the first."""
    monkeypatch.setattr(analysis, "MAX_WAITING_BYTES", 1)
    client = Client()
    client.send(query("a", {"time": 0.3}), query("b"), {"id": "v", "action": "query_version"})
    assert client.finish()[0]["id"] == "a"


@pytest.mark.long
def test_results_that_nobody_reads_stop_the_searches() -> None:
    """Far more than fits into a pipe is lost neither when the reader is slow nor when it begins late."""
    moves = list(played(40).moves)
    client = Client(workers=2)
    for name in range(20):
        client.send(query(str(name), {"depth": 1}, moves=moves, analyze_turns=list(range(len(moves)))))
    assert len(client.finish()) == 20 * len(moves)


def played(plies: int) -> Game:
    game = Game("latrones")
    while len(game.moves) < plies and game.outcome() is None:
        moves = game.legal_moves()
        game.push(moves[len(game.moves) * 7919 % len(moves)])
    return game


def test_a_reader_that_leaves_ends_all_searches() -> None:
    client = Client(workers=2)
    client.begin("a")
    client.send(query("b", LONG), query("c", LONG))
    client.leave()
    client.send({"id": "v", "action": "query_version"})
    client._thread.join(PATIENCE_S)
    os.close(client._input)
    assert client.failure is not None
    assert is_reader_gone(client.failure)


# ---------------------------------------------------------------- the page


def sessions() -> Iterator[tuple[str, str]]:
    """Yield the lines sent and the answers of the page."""
    text = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"^```analysis\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield from re.findall(r"^> (.*)\n((?:(?!> ).*\n)*)", block, re.MULTILINE)


def test_examples_of_the_page() -> None:
    client, found = Client(), list(sessions())
    assert len(found) == 4
    for sent, answers in found:
        client.send(sent)
        for expected in answers.splitlines():
            pattern = re.escape(expected).replace(re.escape("..."), "(?:[0-9]+|null)")
            assert re.fullmatch(pattern, json.dumps(client.read()))
    assert client.finish() == []


def test_the_page_lists_all_fields() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", "\n".join(line for line in text.splitlines() if line.startswith("| `"))))
    (finished,) = Client().ask(query(**WON))
    (found,) = Client().ask(query())
    names = {*finished, *found, *found["lines"][0], *analysis.ACTIONS, "terminated", "error"}
    (unknown,) = Client().ask(query(colour=1))
    names |= set(unknown["error"].partition("expected ")[2].split(", ")) - {"action"}
    assert names - listed == {"terminate", "terminate_all", "query_version"} - listed
    assert all(name in text for name in names)


# ---------------------------------------------------------------- the program


@pytest.mark.process
def test_the_program() -> None:
    """At the end of input all queries are finished."""
    lines = [json.dumps(query(str(number), {"nodes": 2000})) for number in range(8)]
    command = [*OWN_ENGINE, "analysis", "--workers", "2", "--hash", "1", "--option", "EvalFile=none"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(each["id"] for each in found) == list("01234567")
    assert len({json.dumps(timeless(each) | {"id": ""}) for each in found}) == 1
    assert sum(found[0]["lines"][0]["wdl"]) == 1000


@pytest.mark.process
@pytest.mark.linux  # /dev/full is Linux's
@pytest.mark.parametrize(("is_full", "error"), [
    (True, "latrones-uci analysis: standard output: No space left on device\n"), (False, ""),
])
def test_output_that_cannot_be_written(is_full: bool, error: str) -> None:
    """On a full disk, and after the reader is gone, the search is stopped although more input may follow."""
    unread, output = os.pipe()
    os.close(unread)
    if is_full:
        os.close(output)
        output = os.open("/dev/full", os.O_WRONLY)
    with subprocess.Popen([*OWN_ENGINE, "analysis"], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE,
                          text=True) as process:
        os.close(output)
        assert process.stdin is not None
        assert process.stderr is not None
        print(json.dumps(query(limit=LONG)), '{"id": "v", "action": "query_version"}', sep="\n", file=process.stdin,
              flush=True)
        assert (process.stderr.read(), process.wait(PATIENCE_S)) == (error, 1)


@pytest.mark.posix
@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_signal_terminates_what_runs_and_what_waits(number: signal.Signals, is_open: bool) -> None:
    """Each query has its result, also after the end of the input."""
    with subprocess.Popen([*OWN_ENGINE, "analysis", "--workers", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        queries = query("a", LONG, report_every_ms=5), query("b", LONG, moves=["d1d5"], analyze_turns=[1, 0])
        print(*map(json.dumps, queries), '{"id": "v", "action": "query_version"}', sep="\n", file=process.stdin,
              flush=True)
        if not is_open:
            process.stdin.close()
        assert "during_search" in process.stdout.readline() + process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(number)
        found = [each for each in map(json.loads, process.stdout) if each.get("during_search") is False]
        assert sorted(summary(found)) == [("a", 0, True, True), ("b", 0, False, True), ("b", 1, False, True)]
        assert (process.stderr.read(), process.wait(PATIENCE_S)) == ("latrones-uci analysis: interrupted\n", 130)
