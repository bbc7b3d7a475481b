import pytest

from latrones_uci.game import Game, Position, builtin_variants, find_variant
from latrones_uci.match.pgn_read import PgnError, PgnGame, read_games
from latrones_uci.match.pgn_verify import DisagreementError, verify_game

FEN = "4/1d2/2D1/3S w 0 1"  # Black has no soldier left: White has won
OPEN_FEN = "ssss/1d2/2D1/SSSS w 0 1"


def read(text: str) -> list[PgnGame]:
    return list(read_games(text.splitlines(keepends=True)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[White "A]\n\n*', "line 1: malformed tag: '[White \"A]'"),
        ("[White A]\n", "line 1: malformed tag"),
        ('[White "A"]\n[White "B"]\n*', "line 2: duplicate tag: '[White \"B\"]'"),
        ('[White "A"]\n\n1. a1a2\n[White "B"]\n*', "line 4: missing result before a tag: '[White \"B\"]'"),
        ("1. a1a2\n a2a3", "line 2: missing result at the end of the text, after: 'a2a3'"),
        ("1. a1a2 {no end\nat all", "line 1: unterminated comment: '{no end at all'"),
        ("1. a1a2\n(1. b1b2 *", "line 2: unterminated variation before: '*'"),
        ("(1. b1b2) *", "line 1: variation without a move before it: '(1. b1b2) *'"),
        ("1. a1a2 ((1. b1b2) *", "line 1: variation without a move before it: '(1. b1b2) *'"),
        ("1. a1a2 () *", "line 1: unexpected text: ') *'"),
        ("1. a1a2 ) *", "line 1: unexpected text: ') *'"),
        ("1. a1a2 (b1b2" * 101, "line 1: variations nested deeper than 100: '(b1b2"),
        ("1. a1a2 } *", "line 1: unexpected text: '} *'"),
    ],
)
def test_bad_text_is_quoted_with_its_line(text: str, message: str) -> None:
    with pytest.raises(PgnError) as raised:
        read(text)
    assert str(raised.value).startswith(message)


def test_games_before_the_fault_are_given_out() -> None:
    games = read_games(["1. a1a2 *\n", "(\n"])
    assert next(games).result == "*"
    with pytest.raises(PgnError, match="line 2"):
        next(games)


def recorded(fen: str = OPEN_FEN, moves: str = "", result: str = "*", **tags: str) -> PgnGame:
    all_tags = {"Variant": "latrones", "FEN": fen, "Result": result, **tags}
    text = "".join(f'[{name} "{value}"]\n' for name, value in all_tags.items()) + f"\n{moves} {result}\n"
    [game] = read(text)
    return game


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (recorded(moves="1. a1a9"), "line 5: .*'a1a9'"),
        (recorded(moves="1. d1d9"), "line 5: .*'d1d9'"),
        (recorded(moves="1. Ke2"), "line 5: .*'Ke2'"),
        (recorded(moves="1. 0000"), "line 5: .*'0000'"),
        (recorded(fen="4/4/4/5 w 0 1"), "line 1: .*4/4/4/5"),
        (recorded(Variant="chess"), "line 1: .*'chess'"),
        (recorded(PlyCount="3"), "tag PlyCount is '3', but the moves are 0 plies"),
        (recorded(Termination="odd"), "tag Termination is 'odd'"),
        (recorded(Termination="normal", result="1-0"), "tag Termination is 'normal', but the game has not ended"),
        (recorded(Termination="unterminated", result="1-0"), "tag Result is '1-0', but the game is recorded as"),
        (recorded(fen=FEN, Termination="normal", result="0-1"), "tag Result is '0-1', but by the rules it is 1-0"),
        (recorded(fen=FEN, result="1/2-1/2"), "tag Result is '1/2-1/2', but by the rules it is 1-0"),
        (recorded(fen=FEN, Termination="crash", result="1-0"), "tag Termination is 'crash', but the game has ended"),
        (
            recorded(fen=FEN, Termination="normal", result="1-0", TerminationDetails="nomove"),
            "tag TerminationDetails is 'nomove', but by the rules it is 'too few pieces'",
        ),
        (recorded(fen=FEN, moves="1. d1d2", result="1-0"), "the game is over"),
    ],
)
def test_disagreements(game: PgnGame, message: str) -> None:
    with pytest.raises(DisagreementError, match=message) as raised:
        verify_game(game, builtin_variants())
    assert "\n" not in str(raised.value)


def test_result_token_and_tag_differ() -> None:
    game = recorded()
    game.result = "1-0"
    with pytest.raises(DisagreementError, match=r"tag Result is '\*', but the moves end with '1-0'"):
        verify_game(game, builtin_variants())


@pytest.mark.parametrize("tag", ["Variant", "Result"])
def test_a_tag_is_missing(tag: str) -> None:
    game = recorded()
    del game.tags[tag]
    with pytest.raises(DisagreementError, match=f"missing tag '{tag}'"):
        verify_game(game, builtin_variants())


@pytest.mark.parametrize(
    "game",
    [
        recorded(),
        recorded(Termination="unterminated"),
        recorded(Termination="time forfeit", result="0-1"),
        recorded(Termination="adjudication", result="1/2-1/2"),
        recorded(fen=FEN, result="1-0"),
        recorded(fen=FEN, result="1-0", Termination="normal", TerminationDetails="too few pieces", PlyCount="0"),
        recorded(fen=FEN, result="1-0", Termination="normal", TerminationDetails="decided"),  # of earlier versions
    ],
)
def test_agreements(game: PgnGame) -> None:
    replay = verify_game(game, builtin_variants())
    assert isinstance(replay, Game)
    assert replay.start == Position.from_fen(find_variant("latrones"), game.tags["FEN"])
