"""``latrones-uci analyse``: the comments on the moves of a game; ``suite``: test positions, which are proven."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from folders import EXAMPLES
from latrones_uci.commands.main import main
from latrones_uci.commands.main import match_main as match_main
from latrones_uci.game import Game, Position, builtin_variants, find_variant
from latrones_uci.records.annotation import AnalysedMove, Evaluation, Judgement, render_analysis, render_judgement
from latrones_uci.records.pgn_read import read_games
from latrones_uci.records.suite import SuitePosition, is_solution, parse_suite
from latrones_uci.text.protocol import Score, SearchInfo
from search_help.prover import shortest_win, winning_moves

WON = "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"  # c6c8 wins at once


def pgn(variant: str, fen: str, moves: list[str], result: str = "1/2-1/2", termination: str = "adjudication") -> str:
    tags = {"Event": "a test", "Annotator": "nobody", "White": "A", "Result": result, "Variant": variant, "FEN": fen,
            "Termination": termination}
    lines = [f'[{name} "{value}"]\n' for name, value in tags.items()]
    return "".join(lines) + f"\n1. {' '.join(f'{move} {{old}} $4' for move in moves)} {result}\n\n"


def first_moves(variant: str, plies: int) -> tuple[str, list[str]]:
    """Return a start position and the first legal move, ``plies`` times."""
    game = Game(Position.start(find_variant(variant)))
    texts = []
    for _ in range(plies):
        texts.append(game.legal_moves()[0])
        game.push(game.legal_moves()[0])
    return game.start.fen(), texts


@pytest.mark.long
def test_an_annotated_file_can_be_read_and_verified(
    tmp_path: Path, backend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "games.pgn", tmp_path / "annotated.pgn"
    bell, rota = first_moves("bell", 7), first_moves("rota", 3)
    source.write_text(
        pgn("latrones", WON, ["e1e2", "e8e7", "c6c8"]) + pgn("bell", *bell) + pgn("rota", *rota),
        encoding="utf-8",
    )
    words = ["--depth", "2", "--option", f"Backend={backend}"]
    assert main(["analyse", str(source), "--output", str(target), *words]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("game 1/3: 3 plies, ")
    assert match_main(["verify", str(target)]) == 0
    assert "3 games" in capsys.readouterr().out

    annotated = list(read_games(target.read_text(encoding="utf-8").splitlines(keepends=True)))
    won = annotated[0]
    assert [move.text for move in won.moves] == ["e1e2", "e8e7", "c6c8"]
    assert won.tags["Annotator"].startswith("latrones-uci ")
    assert won.tags["Event"] == "a test"
    assert re.fullmatch(r"\[%eval \S+,\d+\] best c6c8 \+M1/.* pv c6c8", won.moves[0].comment)
    assert [[move.text for move in game.moves] for game in annotated[1:]] == [bell[1], rota[1]]
    assert all("best " in move.comment and "old" not in move.comment for game in annotated for move in game.moves)


@pytest.mark.long
def test_a_review_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, page = tmp_path / "games.pgn", tmp_path / "review.html"
    text = pgn("latrones", WON, ["e1e2", "e8e7", "c6c8"]) + pgn("rota", *first_moves("rota", 3))
    source.write_text(text.replace('White "A"', 'White "A <b>"'), encoding="utf-8")
    assert main(["analyse", str(source), "--html", str(page), "--depth", "2"]) == 0
    assert capsys.readouterr().out == "game 1/2: 3 plies, 1 marked\ngame 2/2: 3 plies, 0 marked\n"  # and no PGN
    html = page.read_text(encoding="utf-8")
    assert "<b>A" not in html
    assert "A &lt;b&gt;" in html
    assert "default-src 'none'" in html
    assert not re.search(r'(src|href)="(?!#)', html)  # it loads nothing
    assert "<h2>Game 1: A &lt;b&gt; \u2013 Black, \u00bd-\u00bd</h2>" in html
    white, black = re.findall(r"<tr><td><bdi>.*?</tr>", html)[:2]
    assert re.findall(r"<td class=number>([^<]*)</td>", white)[1:4] == ["0", "0", "1"]  # the win that was missed
    accuracy, *marked, loss = re.findall(r"<td class=number>([^<]*)</td>", black)
    assert marked == ["0", "0", "0"]
    assert int(accuracy.rstrip("%")) >= 95  # its only move, scored by two searches
    assert 0 <= float(loss) <= 0.1
    assert html.count("<figure>") == 1
    assert re.search(r"1\. De1-e2\+\?\? blunder \([^)]+\): loses a forced win\. Best was c6-c8xDd8#\.", html)
    assert "Best was c6-c8xDd8#." in html
    assert '<a href="#game=1&amp;ply=1"><path class="blunder"' in html
    assert '"mark":["??",null,null]' in html  # for the replay
    both = ["--html", str(page), "--output", str(tmp_path / "out.pgn")]
    bad = pgn("latrones", WON, ["a1a9"]) + pgn("chess", WON, ["e1e2"]) + pgn("latrones", WON, ["e1e2 ) "])
    source.write_text(bad + source.read_text(encoding="utf-8"), encoding="utf-8")  # the others are analysed
    assert main(["analyse", str(source), *both, "--depth", "1"]) == 0
    errors = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2].partition(":")[0] for line in errors] == [
        "game 1, line 9", "game 2, line 11", "game 3, line 29"]
    assert len(list(read_games((tmp_path / "out.pgn").read_text(encoding="utf-8").splitlines()))) == 2


def analysed(before: int, loss: int | None) -> AnalysedMove:
    info = SearchInfo(score=Score(before), depth=3, nodes=10, pv=("b1b2", "a8a7"))
    after = Evaluation() if loss is None else Evaluation(Score(before - loss))
    return AnalysedMove(0, 1, "a1a2", Judgement("b1b2", info, 20_000_000, after, 2))


def test_marks_by_loss() -> None:
    losses = None, 0, 49, 50, 99, 100, 299, 300, 2000
    assert [analysed(1000, loss).mark for loss in losses] == ["", "", "", "?!", "?!", "?", "?", "??", "??"]


def test_the_exact_text_of_a_marked_move() -> None:
    assert render_judgement(analysed(35, None).judgement) == "best b1b2 +0.35/3 0.020s n=10 pv b1b2 a8a7"
    text = render_analysis({"White": "A"}, [analysed(35, 300)], "*", "me")
    assert text == (
        '[White "A"]\n[Annotator "me"]\n\n1. a1a2 $4 {[%eval -2.65,2] best b1b2 +0.35/3 0.020s n=10 pv b1b2 a8a7} *\n\n'
    )


def test_evaluations_are_limited() -> None:
    scores = [Score(-20), Score(4000), Score(mate=2), Score(mate=-2), Score(mate=0), Score()]
    assert [Evaluation(score, 0).white_centi for score in scores] == [-20, 1000, 1000, -1000, -1000, None]
    assert [Evaluation(score, 1).white_centi for score in scores] == [20, -1000, -1000, 1000, 1000, None]


def test_a_blunder_is_marked_and_the_best_move_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """White can win at once, so any other move is a blunder, even if Black's reply is one, too."""
    path = tmp_path / "game.pgn"
    path.write_text(pgn("latrones", WON, ["d7d1"]) + pgn("latrones", WON, ["c6c8"], "1-0", "normal"), encoding="utf-8")
    assert main(["analyse", str(path), "--depth", "3"]) == 0
    blunder, win = capsys.readouterr().out.split("[Event ")[1:]
    assert re.search(r"1\. d7d1 \$4 {\[%eval \S+\] best c6c8 \+M1/", blunder)
    assert "1. c6c8 {best c6c8 +M1/" in win


# ---------------------------------------------------------------- suite

SUITE = EXAMPLES / "forced-wins.suite"
POSITIONS = parse_suite(SUITE.read_text(encoding="utf-8").splitlines(), str(SUITE), builtin_variants())
POSITIONS_TO_PROVE = [
    pytest.param(position, id=position.name, marks=pytest.mark.long if (position.mate_turns or 0) > 2 else ())
    for position in POSITIONS
]


def test_the_suite_covers_every_variant() -> None:
    assert len(POSITIONS) >= 20
    assert {position.game.position.ruleset.name for position in POSITIONS} == set(builtin_variants())
    assert len({position.name for position in POSITIONS}) == len(POSITIONS)


@pytest.mark.slow
@pytest.mark.parametrize("position", POSITIONS_TO_PROVE)
def test_the_suite_is_proven(position: SuitePosition) -> None:
    here, turns = position.game.position, position.mate_turns
    assert turns is not None
    assert shortest_win(here, turns) == turns
    assert winning_moves(here, turns) == set(position.best_moves)


@pytest.mark.long
@pytest.mark.parametrize("backend", ["native", pytest.param("python", marks=pytest.mark.slow)], indirect=True)
def test_our_engine_solves_it(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = {"native": "200000", "python": "20000"}[backend]  # the native search is the more selective one
    assert main(["suite", str(SUITE), "--nodes", nodes, "--option", f"Backend={backend}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(POSITIONS) + 2
    assert lines[0].startswith(f"1/{len(POSITIONS)} solved latrones 6x6, in 1, a: ")
    assert " from depth 1, " in lines[0]
    assert f": {len(POSITIONS)} of {len(POSITIONS)} solved, " in lines[-1]


def test_solutions_of_a_position() -> None:
    both, win, best = parse_suite(
        [f"{WON}; bm c6c8; dm 2", f"{WON}; dm 2", f"{WON}; bm c6c8 e1e2"], "x", builtin_variants()
    )
    assert is_solution(both, "c6c8", SearchInfo(score=Score(mate=1)))
    assert not is_solution(both, "e1e2", SearchInfo(score=Score(mate=1)))
    assert not is_solution(both, "c6c8", SearchInfo(score=Score(900)))
    assert not is_solution(win, "e1e2", SearchInfo(score=Score(mate=-1)))
    assert not is_solution(win, "e1e2", SearchInfo(score=Score(mate=3)))
    assert is_solution(best, "e1e2", SearchInfo())
    assert not is_solution(best, "hello", SearchInfo())
