"""The match runner and its statistics, tried with public reports about other runners, bots and libraries."""

from collections.abc import Callable
from math import isfinite

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import parse_engine
from latrones_uci.client.output import update_info
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position, Termination
from latrones_uci.match.adjudication import DrawRule, GameLimits, ResignRule, adjudicate
from latrones_uci.match.game import Player, play_game
from latrones_uci.match.pgn_read import read_games
from latrones_uci.match.plan import Format, Plan
from latrones_uci.match.record import PlyRecord
from latrones_uci.match.schedule import Schedule
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.stats import Sprt, Verdict, estimate_from_pairs, log_likelihood_ratio, sprt_verdict
from latrones_uci.stats.bradley_terry import Encounter, rate

LIMITS = GameLimits(margin_ms=50, max_plies=6)
NODES = TimeControl(nodes=5000)
MOVETIME = TimeControl(movetime_ms=100)

# The thread with its fault in our words, what the engine does, its limit, and how its game ends.
GAMES = {
    "Disservin/fastchess#377: an illegal move ended the runner": ("illegal", NODES, Termination.ILLEGAL_MOVE),
    "Disservin/fastchess#486: 'no move' in a game that goes on": ("no-move", NODES, Termination.STALL),
    "Disservin/fastchess#1029: a crash was not noticed with a limit of nodes": ("crash", NODES, Termination.CRASH),
    "Disservin/fastchess#908: an engine that is gone ended the match": ("answer-and-exit", NODES, Termination.CRASH),
    "cutechess/cutechess#677: an engine without time left ended the runner": ("stall", MOVETIME, Termination.STALL),
    "niklasf/python-chess#400: carriage returns": ("carriage-returns", NODES, Termination.ADJUDICATION),
    "niklasf/python-chess#596: a variation with an illegal move": ("good", NODES, Termination.ADJUDICATION),
    "Disservin/fastchess#524: lines outside the protocol": ("junk", NODES, Termination.ADJUDICATION),
    "jromang/picochess#230: a move of the other side": ("wrong-side", NODES, Termination.ILLEGAL_MOVE),
}


@pytest.mark.parametrize(("behaviour", "control", "termination"), GAMES.values(), ids=GAMES)
def test_game(
    behaviour: str,
    control: TimeControl,
    termination: Termination,
    start: Position,
    fake_controller: Callable[..., EngineController],
) -> None:
    engines = fake_controller("good"), fake_controller(behaviour)
    game = play_game(start, (Player(engines[0], NODES), Player(engines[1], control)), LIMITS)
    assert (game.outcome.termination, engines[0].usable) == (termination, True), game.outcome.details


def test_lichess_bot_46_unknown_fields() -> None:
    """A field unknown to the library broke the parser of the score."""
    line = "info depth 2 seldepth 4 score cp 21 ebf 1.75 time 4 nodes 138 pv a1a2"
    info = update_info(SearchInfo(), line)
    assert (info.score, info.nodes, info.pv) == (Score(cp=21), 138, ("a1a2",))


def test_cutechess_465_space_in_a_path() -> None:
    """An engine whose path has a space was taken for another one."""
    assert parse_engine(["cmd='/opt/my engines/latrones 2' --quiet"], ["nodes=1"]).command == (
        "/opt/my engines/latrones 2", "--quiet",
    )  # fmt: skip


def test_cutechess_34_sides_alternate() -> None:
    """An opening was played twice with the same sides."""
    schedule = Schedule(Plan(Format.SWISS, 2, 1, 4))
    games = [schedule.take(), schedule.take()]
    assert [(game.white, game.black) for game in games if game] == [(0, 1), (1, 0)]
    assert len({game.opening for game in games if game}) == 1


@pytest.mark.parametrize("pairs", [(10, 0, 0, 0, 0), (0, 0, 0, 0, 10), (0, 0, 10, 0, 0), (1, 0, 0, 0, 0)])
def test_fastchess_877_one_sided_sprt(pairs: tuple[int, int, int, int, int]) -> None:
    """The likelihood ratio of a match with losses only was computed without end."""
    sprt = Sprt(-1500, -500)
    assert isfinite(log_likelihood_ratio(sprt, pairs))
    assert sprt_verdict(sprt, pairs) in Verdict


def test_fastchess_757_one_pair() -> None:
    """After one pair the error was 0 and other figures were not numbers."""
    estimate = estimate_from_pairs((0, 0, 0, 1, 0))
    assert estimate.elo.low < estimate.elo.value < estimate.elo.high
    assert 0 < estimate.los < 1


def test_tabarena_494_a_player_without_a_win() -> None:
    """The infinite rating of one player made all ratings not a number."""
    won = Encounter(pairs=(0, 0, 0, 0, 10))
    ratings = rate(["A", "B", "C"], {(0, 1): Encounter(pairs=(1, 2, 4, 2, 1)), (0, 2): won, (1, 2): won})
    assert [rating.name for rating in ratings.ratings][-1] == "C"
    assert all(isfinite(rating.elo) and rating.margin > 0 for rating in ratings.ratings)


def plies_of(*scores: Score) -> list[PlyRecord]:
    """Return the plies of a game from its first move on, White's first, with these scores."""
    return [
        PlyRecord(index % 2, 1 + index // 2, "a1a2", 1, None, None, SearchInfo(score=score))
        for index, score in enumerate(scores)
    ]


def test_fastchess_382_a_mate_for_the_player() -> None:
    """A player that reported its own forced win was taken to resign."""
    limits = GameLimits(resign=ResignRule(1, 100, two_sided=False))
    assert adjudicate(plies_of(Score(mate=9), Score(cp=0)), limits) is None
    lost = adjudicate(plies_of(Score(cp=0), Score(mate=-9)), limits)
    assert lost is not None
    assert (lost.termination, lost.winner) == (Termination.RESIGNATION, 0)


def test_fastchess_335_scores_of_one_side() -> None:
    """Scores of different moves were compared when the count began with Black."""
    limits = GameLimits(draw=DrawRule(0, 1, 10))
    assert adjudicate(plies_of(Score(cp=0)), limits) is None
    assert adjudicate(plies_of(Score(cp=90), Score(cp=0), Score(cp=0)), limits) is not None


def test_fastchess_1009_the_first_move_counts() -> None:
    """A draw by score was declared later than its rule says."""
    limits = GameLimits(draw=DrawRule(0, 2, 1000))
    scores = [Score(cp=5)] * 4
    assert adjudicate(plies_of(*scores[:3]), limits) is None
    assert adjudicate(plies_of(*scores), limits) is not None


def moves_read(*texts: str) -> list[list[str]]:
    return [[move.text for move in game.moves] for game in read_games("\n".join(texts).splitlines())]


TAGS = '[Variant "latrones"]\n[FEN "8/8/3d4/8/8/3D4/8/S6s w 0 1"]\n[Result "*"]\n'


@pytest.mark.parametrize(
    "movetext",
    [
        "1. a1a2 *",
        "{a word first} 1. a1a2 *",
        "; a word first\n1. a1a2 *",
        "1. a1a2 { [%eval +0.16] } *",
        "1.a1a2 $2 *",
    ],
    ids=[
        "niklasf/python-chess#773: no blank line after the tags",
        "niklasf/python-chess#1138: a comment before the first move",
        "jhlywa/chess.js#364: a comment line before the first move",
        "mliebelt/pgn-parser#55: commands in a comment",
        "kevinludwig/pgn-parser#26: a glyph after a move",
    ],
)
def test_pgn_of_other_programs(movetext: str) -> None:
    assert moves_read(TAGS + movetext, TAGS + "\n" + movetext) == [["a1a2"], ["a1a2"]]
