"""Check the games of a PGN file against the rules."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from latrones_uci.game import Game, LatronesError, Position, Ruleset, Termination, names_in_words
from latrones_uci.records.pgn_read import PgnError, PgnGame, PgnMove
from latrones_uci.records.record import NORMAL
from latrones_uci.text.messages import counted, quoted

# Section 9.8.1 of the PGN standard.
_STANDARD_TERMINATIONS = frozenset(
    {"abandoned", "adjudication", "death", "emergency", "normal", "rules infraction", "time forfeit", "unterminated"}
)
TERMINATIONS = _STANDARD_TERMINATIONS | {NORMAL, *(each.value for each in Termination if not each.by_rules)}
_UNFINISHED = frozenset({Termination.INTERRUPTED.value, "unterminated"})


class DisagreementError(PgnError):
    pass


class UnknownVariantError(DisagreementError):
    def __init__(self, what: str, recorded: PgnGame, variant: str | None) -> None:
        super().__init__(what, recorded.number, recorded.line)
        self.variant = variant
        """Its name, None if the game has no such tag."""


_MAX_SHOWN = 5


class LeftOut:
    """Reports the games of files that are left out because they are bad: the first of them, then how many more."""

    def __init__(self, report: Callable[[str], None], consequence: str = "left out") -> None:
        """Call ``report`` with each line; ``consequence`` is what becomes of the games."""
        self._report, self._consequence, self._counts = report, consequence, Counter[str]()

    def of(self, path: str | Path) -> Callable[[PgnError], None]:
        return partial(self._add, str(path))

    def _add(self, path: str, error: PgnError) -> None:
        self._counts[path] += 1
        if self._counts[path] <= _MAX_SHOWN:
            self._report(f"{path}: {error}; {self._consequence}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for path, count in self._counts.items():
            if count > _MAX_SHOWN:
                more = counted(count - _MAX_SHOWN, "more game")
                self._report(f"{path}: {more} {self._consequence}; 'latrones-uci verify' names all")


def verified_games(
    recorded: Iterable[PgnGame | PgnError], variants: Mapping[str, Ruleset], on_error: Callable[[PgnError], None],
    default: Position | None = None,
) -> Iterator[tuple[PgnGame, Game]]:
    """Yield the games that pass ``verify_game``, each as it was recorded and replayed; call ``on_error`` for others.

    A missing tag ``Result`` is added.
    """
    for each in recorded:
        if isinstance(each, PgnError):
            on_error(each)
            continue
        each.add_result()
        try:
            game = verify_game(each, variants, default)
        except DisagreementError as error:
            on_error(error)
        else:
            yield each, game


def verify_game(recorded: PgnGame, variants: Mapping[str, Ruleset], default: Position | None = None) -> Game:
    """Replay a game, number its moves, and compare it with its tags.

    A game without the tag ``FEN`` begins from the usual start of its variant on the default board. Every move must be
    legal, in variations, too, and no move may follow the end of the game. With the termination ``normal`` the game must
    have ended by the rules with the recorded result (and for the reason in ``TerminationDetails``, if there is one).
    With any other of the ``TERMINATIONS`` it must not have ended. Without one, the result must not contradict the
    rules. ``default`` is a start position for games without the tags ``Variant`` and ``FEN``; without it, games without
    the tag ``Variant`` are rejected.

    Returns:
        The game after its last move.

    Raises:
        UnknownVariantError: the variant is unknown, or the game does not name it.
        DisagreementError: the tags or moves contradict the rules.
    """
    try:
        game = Game(_start(recorded, variants, default))
    except LatronesError as error:
        raise _fault(recorded, str(error)) from error
    known = recorded.tag("Variant") is not None
    hint = f"; the game has no tag Variant and was read as {game.start.ruleset.name}: is it chess, or another game?"
    for move in recorded.moves:
        _play(recorded, game, move, "" if known else hint)
    _check_variations(recorded, recorded.moves, game, 0)
    _compare_result(recorded, game)
    return game


def _play(recorded: PgnGame, game: Game, move: PgnMove, hint: str = "") -> None:
    position = game.position
    try:
        game.push(move.move_in(position))
    except LatronesError as error:
        raise DisagreementError(f"{error}{hint}", recorded.number, move.line) from error
    move.side, move.movenumber = position.side, position.movenumber


def _check_variations(recorded: PgnGame, moves: Sequence[PgnMove], game: Game, first: int) -> None:
    for plies, move in enumerate(moves, start=first):
        for variation in move.variations:
            part = game.up_to(plies)
            for other in variation:
                _play(recorded, part, other)
            _check_variations(recorded, variation, part, plies)


def _start(recorded: PgnGame, variants: Mapping[str, Ruleset], default: Position | None) -> Position:
    variant = recorded.tag("Variant")
    if variant is None and default is None:
        raise UnknownVariantError("missing tag 'Variant'", recorded, None)
    if variant is not None and variant not in variants:
        what = f"tag Variant is {quoted(variant)}, but known variants are {names_in_words(variants)}"
        raise UnknownVariantError(what, recorded, variant)
    fen = recorded.tag("FEN")
    if variant is None and default is not None:
        return default if fen in (None, "startpos") else Position.from_fen(default.ruleset, fen)
    ruleset = variants[str(variant)]
    return Position.start(ruleset) if fen in (None, "startpos") else Position.from_fen(ruleset, fen)


def _compare_result(recorded: PgnGame, game: Game) -> None:
    if _tag(recorded, "Result") != recorded.result:
        raise _disagreement(recorded, "Result", f"the moves end with {quoted(recorded.result)}")
    if recorded.tag("PlyCount") not in (None, str(len(recorded.moves))):
        plies = len(recorded.moves)
        raise _disagreement(recorded, "PlyCount", f"the moves are {counted(plies, 'ply', 'plies')}")
    termination = recorded.tag("Termination")
    if termination not in TERMINATIONS:
        termination = None  # the words of another program, which say nothing that could be checked
    outcome = game.outcome()
    if outcome is None:
        if termination == NORMAL:
            raise _disagreement(recorded, "Termination", "the game has not ended by the rules")
        if termination in _UNFINISHED and recorded.result != "*":
            raise _disagreement(recorded, "Result", f"the game is recorded as {termination}")
        return
    if termination not in (None, NORMAL):
        raise _disagreement(recorded, "Termination", f"the game has ended by the rules ({outcome.reason})")
    if recorded.result != outcome.result:
        raise _disagreement(recorded, "Result", f"by the rules it is {outcome.result} ({outcome.reason})")
    # Earlier versions wrote `decided` for every win on the board.
    if recorded.tag("TerminationDetails") not in (None, outcome.reason, outcome.termination.value):
        raise _disagreement(recorded, "TerminationDetails", f"by the rules it is {quoted(outcome.reason)}")


def _tag(recorded: PgnGame, name: str) -> str:
    value = recorded.tag(name)
    if value is None:
        raise _fault(recorded, f"missing tag {quoted(name)}")
    return value


def _fault(recorded: PgnGame, what: str) -> DisagreementError:
    return DisagreementError(what, recorded.number, recorded.line)


def _disagreement(recorded: PgnGame, tag: str, but: str) -> DisagreementError:
    return _fault(recorded, f"tag {tag} is {quoted(recorded.tag(tag) or '')}, but {but}")
