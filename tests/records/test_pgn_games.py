"""PGN for programs: what is written is read as it was, and what cannot be written is refused."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from latrones_uci import AnnotatedGame, Game, PgnError, PgnMove, Position, load_variants, read_pgn, write_pgn

SIGNS = ["$1", "$2", "$6", "$18", "$140"]
WORDS = st.text(
    st.characters(blacklist_characters="}", blacklist_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1
)
COMMENTS = st.just("") | st.lists(WORDS, max_size=30).map(" ".join)
TAGS = st.dictionaries(
    st.sampled_from(["Event", "White", "Black", "Site", "my_tag"]),
    st.text(st.characters(blacklist_categories=["Cs"])).filter(str.isprintable),
)


def annotated_moves(game: Game, first: int, chance: random.Random, comments: list[str], depth: int) -> list[PgnMove]:
    """Return the moves of a game from a ply on, with random annotations; variations are up to ``depth`` deep."""
    found = []
    for ply in range(first, len(game.moves)):
        move = PgnMove(str(game.moves[ply]), comment=chance.choice(comments), glyphs=chance.choices(SIGNS, k=2))
        if depth < 2 and ply == first:
            move.starting_comment = chance.choice(comments)
        for _ in range(chance.choice([0, 0, 1, 2]) if depth else 0):
            part = game.up_to(ply)
            play_at_random(part, chance, chance.randint(1, 3))
            move.variations.append(annotated_moves(part, ply, chance, comments, depth - 1))
        found.append(move)
    return found


def play_at_random(game: Game, chance: random.Random, plies: int) -> None:
    for _ in range(plies):
        if moves := game.legal_moves():
            game.push(chance.choice(moves))


def read_back(*games: AnnotatedGame | Game) -> list[AnnotatedGame]:
    file = io.StringIO()
    write_pgn(file, games)
    return list(read_pgn(io.StringIO(file.getvalue())))


@pytest.mark.long
@given(st.sampled_from([*cases.VARIANTS, "ludii-schadler-1994"]), st.integers(0, 2**32), TAGS,
       st.lists(COMMENTS, min_size=1), st.booleans())
def test_what_is_written_is_read(
    variant: str, seed: int, tags: dict[str, str], comments: list[str], moved: bool
) -> None:
    chance = random.Random(seed)
    game = Game(variant)
    play_at_random(game, chance, chance.randint(0, 12))
    if moved:
        game = Game(Position.from_fen(variant, game.position.fen()))
        play_at_random(game, chance, 4)
    written = AnnotatedGame(game, tags, annotated_moves(game, 0, chance, comments, 2), comments[0])
    plain = Game(game.start)
    assert read_back(written, plain) == [written, AnnotatedGame(plain)]


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path, game = tmp_path / "games.pgn", Game("latrones")
    game.push("d1d5")
    write_pgn(path, [game])
    before = path.read_text(encoding="utf-8")
    assert before == '[Variant "latrones"]\n[Result "*"]\n\n1. d1d5 *\n\n'
    with pytest.raises(PgnError, match="game 2: comment 'a}b': } would end it"):
        write_pgn(str(path), [game, AnnotatedGame(game, comment="a}b")])
    assert path.read_text(encoding="utf-8") == before
    with path.open("a", encoding="utf-8") as file:
        write_pgn(file, [AnnotatedGame(game, {"White": 'A "B" \\'})])
    assert [each.tags.get("White") for each in read_pgn(path)] == [None, 'A "B" \\']


def test_an_adjudicated_game_keeps_its_result() -> None:
    [read] = read_back(AnnotatedGame(Game("bell"), {"Result": "0-1", "Termination": "adjudication"}))
    assert (read.result, read.game.result()) == ("0-1", "*")


def test_the_result_after_the_moves_is_enough() -> None:
    [read] = read_pgn(io.StringIO('[Variant "latrones"]\n{a\ngame} {of one}\n1. d1d5 {two\nlines} 1-0\n'))
    assert (read.tags["Result"], read.comment) == ("1-0", "a game of one")
    assert read.moves == [PgnMove("d1d5", comment="two lines")]


def test_other_variants(tmp_path: Path) -> None:
    path = tmp_path / "variants.toml"
    path.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    variants = load_variants(path)
    text = io.StringIO()
    write_pgn(text, [Game(variants["mine"])])
    assert [each.game for each in read_pgn(io.StringIO(text.getvalue()), variants)] == [Game(variants["mine"])]
    with pytest.raises(PgnError, match="tag Variant is 'mine', but known variants are"):
        next(read_pgn(io.StringIO(text.getvalue())))


def nested(depth: int) -> list[PgnMove]:
    inner = [PgnMove("d1d5")]
    for _ in range(depth):
        inner = [PgnMove("d1d5", variations=[inner])]
    return inner


def with_moves(*moves: PgnMove, **tags: str) -> Callable[[], AnnotatedGame]:
    def make() -> AnnotatedGame:
        game = Game("latrones")
        game.push("d1d5")
        return AnnotatedGame(game, tags, list(moves))

    return make


@pytest.mark.parametrize(("make", "message"), [
    (with_moves(PgnMove("d1d4")), "its tags and moves are not those of <Game of latrones, 1 ply"),
    (with_moves(PgnMove("d1c5")), "move 'd1c5' is not legal in"),
    (with_moves(PgnMove("d1d5", comment="}")), "comment '}': } would end it"),
    (with_moves(PgnMove("d1d5", starting_comment="x")), "only the first move of a variation has a starting comment"),
    (with_moves(PgnMove("d1d5", glyphs=["!"])), r"glyph '!': expected one such as '\$1'"),
    (with_moves(PgnMove("d1d5", variations=[[]])), "move 'd1d5': a variation without moves"),
    (with_moves(PgnMove("d1d5", variations=[[PgnMove("d1c5")]])), "move 'd1c5' is not legal in"),
    (with_moves(*nested(101)), "variations nested deeper than 100"),
    (with_moves(**{"my tag": "1"}), "tag 'my tag': expected letters, digits and _"),
    (with_moves(white="A", White="B"), r"tag 'White': expected letters, digits and _\+#=:\.-, in any case only once"),
    (with_moves(White="a\nb"), r"tag White is 'a\\nb'; expected printable characters"),
    (with_moves(Result="2-0"), "tag Result is '2-0'; expected "),
    (with_moves(Variant="bell"), "tag Variant is 'bell', but known variants are latrones"),
    (with_moves(FEN="8/3d4/8/8/8/8/4D3/8 w 0 1"), "move 'd1d5' is not legal in"),
    (with_moves(PgnMove("d1d5", comment="\udcff")), "cannot be written in UTF-8"),
    (with_moves(PgnMove("d1d5", comment="x" * 2**20)), "a line longer than"),
])
def test_what_cannot_be_written(make: Callable[[], AnnotatedGame], message: str) -> None:
    file = io.StringIO()
    with pytest.raises(PgnError, match=f"game 1: .*{message}"):
        write_pgn(file, [make()])
    assert file.getvalue() == ""


def test_the_deepest_variations() -> None:
    annotated = with_moves(*nested(100))()
    assert read_back(annotated) == [annotated]


def test_wrong_types() -> None:
    file: Any = 5
    for call in (lambda: next(read_pgn(file)), lambda: write_pgn(file, [])):
        with pytest.raises(TypeError, match="file 5: wrong type; expected a path or an open text file"):
            call()
    game: Any = Game()
    with pytest.raises(TypeError, match="wrong type; expected a list of games"):
        write_pgn(io.StringIO(), game)
    game = "latrones"
    with pytest.raises(TypeError, match="game 'latrones': wrong type; expected a Game"):
        AnnotatedGame(game)
    binary: Any = io.BytesIO(b"[")
    with pytest.raises(TypeError, match="expected one that is open as text"):
        next(read_pgn(binary))
