from dataclasses import replace

import pytest

from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Game, Outcome, Position, Termination, builtin_variants
from latrones_uci.match.pgn_read import PgnGame, read_games
from latrones_uci.match.pgn_verify import verify_game
from latrones_uci.match.pgn_write import WrittenMove, render_comment, render_game, render_pgn
from latrones_uci.match.plan import Fixture
from latrones_uci.match.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.protocol import Score, SearchInfo

DEPTH = TimeControl(depth=1)


def ply(side: int, movenumber: int, text: str, info: SearchInfo | None = None) -> PlyRecord:
    return PlyRecord(side, movenumber, text, 101_400_000, None, None, info or SearchInfo())


def record_of(game: PlayedGame, names: tuple[str, str] = ("A", "B")) -> GameRecord:
    return GameRecord(Fixture(3, 1, 1, 0, 1, 0, 1), names, (DEPTH, DEPTH), "2024-05-31T12:00:00Z", game)


@pytest.fixture
def played(start: Position) -> PlayedGame:
    """A whole game, captures preferred."""
    game = Game(start)
    plies = []
    while moves := game.legal_moves():
        position = game.position
        captures = [move for move in moves if position.captures(move)]
        move = (captures or moves)[len(game.moves) % len(captures or moves)]
        info = SearchInfo(score=Score(35), depth=6, nodes=12345)
        plies.append(ply(position.side, position.movenumber, position.move_text(move), info))
        game.play(move)
    outcome = game.outcome()
    assert outcome is not None
    return PlayedGame(start, tuple(plies), outcome)


def read(text: str) -> list[PgnGame]:
    return list(read_games(text.splitlines(keepends=True)))


@pytest.mark.parametrize(
    ("info", "comment"),
    [
        (SearchInfo(score=Score(35), depth=6, nodes=12345), "+0.35/6 0.101s n=12345"),
        (SearchInfo(score=Score(-1250), depth=12), "-12.50/12 0.101s"),
        (SearchInfo(score=Score(0), depth=1, nodes=0), "+0.00/1 0.101s n=0"),
        (SearchInfo(score=Score(mate=3), depth=9, nodes=1), "+M3/9 0.101s n=1"),
        (SearchInfo(score=Score(mate=-2), depth=9), "-M2/9 0.101s"),
        (SearchInfo(score=Score(7)), "+0.07 0.101s"),
        (SearchInfo(nodes=5), "0.101s n=5"),
        (SearchInfo(), "0.101s"),
    ],
)
def test_comments(info: SearchInfo, comment: str) -> None:
    assert render_comment(ply(0, 1, "a1a2", info)) == comment


def test_a_short_game_to_the_letter(start: Position) -> None:
    plies = (
        ply(0, 1, "a1a5", SearchInfo(score=Score(35), depth=6, nodes=12345)),
        ply(1, 1, "a6b5", SearchInfo(score=Score(mate=-3), depth=9, nodes=7)),
    )
    game = PlayedGame(start, plies, Outcome(Termination.TIME_LOSS, 0, "Black: 3.500 ms late"))
    controls = (TimeControl(movetime_ms=100), TimeControl(base_ms=1000, increment_ms=10))
    record = replace(record_of(game, ('the "A" \\ team', "B\n]")), controls=controls)
    assert render_game(record) == (
        '[Event "latrones-match"]\n'
        '[Site "?"]\n'
        '[Date "2024.05.31"]\n'
        '[Round "3"]\n'
        '[White "the \\"A\\" \\\\ team"]\n'
        '[Black "B ]"]\n'
        '[Result "1-0"]\n'
        '[Variant "latrones"]\n'
        '[SetUp "1"]\n'
        '[FEN "ssssss/2d3/6/6/3D2/SSSSSS w 0 1"]\n'
        '[PlyCount "2"]\n'
        '[TimeControl "?"]\n'
        '[Termination "time loss"]\n'
        '[TerminationDetails "Black: 3.500 ms late"]\n'
        '[WhiteTimeControl "st=0.1"]\n'
        '[BlackTimeControl "tc=1+0.01"]\n'
        "\n"
        "1. a1a5 {+0.35/6 0.101s n=12345} a6b5 {-M3/9 0.101s n=7} 1-0\n"
        "\n"
    )


def test_numbers_are_unambiguous_when_sides_do_not_alternate(start: Position) -> None:
    plies = (ply(1, 4, "S@a1"), ply(0, 5, "S@a2"), ply(0, 5, "S@a3"), ply(1, 5, "S@a4"), ply(1, 5, "S@b1"))
    text = render_game(record_of(PlayedGame(start, plies, Outcome(Termination.ADJUDICATION, None, "x"))))
    moves = text.split("\n\n")[1].replace("\n", " ").replace(" {0.101s}", "")
    assert moves == "4... S@a1 5. S@a2 5. S@a3 S@a4 5... S@b1 1/2-1/2"


def test_a_whole_game_is_read_back(played: PlayedGame) -> None:
    text = render_game(record_of(played)) * 2
    assert max(map(len, text.splitlines())) < 80
    games = read(text)
    assert len(games) == 2
    for game in games:
        assert [move.text for move in game.moves] == [ply.text for ply in played.plies]
        assert {move.comment for move in game.moves} == {"+0.35/6 0.101s n=12345"}
        assert (game.result, game.tags["FEN"]) == (played.outcome.result, played.start.fen())
        assert len(verify_game(game, builtin_variants()).moves) == len(played.plies)
    assert games[1].line > len(played.plies) // 4


def test_a_brace_does_not_end_a_comment() -> None:
    [game] = read(render_pgn({"Event": "test"}, [WrittenMove(0, 1, "a1a2", "one } two {three")], "1-0"))
    assert [(move.text, move.comment) for move in game.moves] == [("a1a2", "one two {three")]
    assert game.result == "1-0"


def test_tags_are_read_back_unescaped(played: PlayedGame) -> None:
    [game] = read(render_game(record_of(played, ('the "A" \\ team', "ludus [}"))))
    assert (game.tags["White"], game.tags["Black"]) == ('the "A" \\ team', "ludus [}")


def test_an_interrupted_game_without_moves(start: Position) -> None:
    game = PlayedGame(start, (), Outcome(Termination.INTERRUPTED, None, "the match was interrupted"))
    [recorded] = read(render_game(record_of(game)))
    assert (recorded.result, recorded.moves) == ("*", [])
    verify_game(recorded, builtin_variants())


def test_foreign_layout() -> None:
    [game] = read(
        '\ufeff[White "A"] [Black "B"]\n'
        "% a line to skip\n"
        "\n"
        "{before\n"
        "the first} 1.a1a2 $1 {one\n"
        "  two}{three} a6a5 ; the rest of the line\n"
        "2. b1b2 2...b6b5 3 c1c2\n"
        "*"
    )
    assert game.tags == {"White": "A", "Black": "B"}
    assert [move.text for move in game.moves] == ["a1a2", "a6a5", "b1b2", "b6b5", "c1c2"]
    assert game.moves[0].comment == "one two three"
    assert game.moves[2].line == 7
