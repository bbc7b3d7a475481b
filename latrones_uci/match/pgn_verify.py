"""Check the games of a PGN file against the rules."""

from collections.abc import Mapping, Sequence

from latrones_uci.game import (
    Game,
    LatronesError,
    Position,
    Ruleset,
    Termination,
    counted,
    names_in_words,
    quoted,
)
from latrones_uci.match.pgn_read import PgnError, PgnGame, PgnMove
from latrones_uci.match.record import NORMAL

# Section 9.8.1 of the PGN standard.
_STANDARD_TERMINATIONS = frozenset(
    {"abandoned", "adjudication", "death", "emergency", "normal", "rules infraction", "time forfeit", "unterminated"}
)
TERMINATIONS = _STANDARD_TERMINATIONS | {NORMAL, *(each.value for each in Termination if not each.by_rules)}
_UNFINISHED = frozenset({Termination.INTERRUPTED.value, "unterminated"})


class DisagreementError(PgnError):
    """A recorded game contradicts the rules; the message is one line and quotes the place."""


class UnknownVariantError(DisagreementError):
    """The variant of a recorded game is unknown."""

    def __init__(self, message: str, variant: str | None) -> None:
        """Store the message and the name."""
        super().__init__(message)
        self.variant = variant
        """Its name, None if the game has no such tag."""


def verify_game(recorded: PgnGame, variants: Mapping[str, Ruleset], default: Position | None = None) -> Game:
    """Replay a game and compare it with its tags.

    A game without the tag ``FEN`` begins from the usual start of its variant on the default board. Every move must be
    legal, in variations, too, and no move may follow the end of the game. With the termination ``normal`` the game must
    have ended by the rules with the recorded result (and for the reason in ``TerminationDetails``, if there is one).
    With any other termination it must not have ended. Without a ``Termination`` tag, the result must not contradict the
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
        raise DisagreementError(f"line {recorded.line}: {error}") from error
    try:
        for move in recorded.moves:
            play_recorded(game, move)
    except DisagreementError as error:
        if recorded.tag("Variant") is not None:
            raise
        name = game.start.ruleset.name
        raise DisagreementError(f"{error}; the game has no tag Variant and was read as {name}: is it chess, or another"
                                " game?") from error  # fmt: skip
    _check_variations(recorded.moves, game, 0)
    _compare_result(recorded, game)
    return game


def play_recorded(game: Game, move: PgnMove) -> None:
    """Play a move of a text.

    Raises:
        DisagreementError: it is not legal.
    """
    try:
        game.push(move.move_in(game.position))
    except LatronesError as error:
        raise DisagreementError(f"line {move.line}: {error}") from error


def _check_variations(moves: Sequence[PgnMove], game: Game, first: int) -> None:
    """Replay the variations of a line that begins after ``first`` plies of a game."""
    for plies, move in enumerate(moves, start=first):
        for variation in move.variations:
            part = game.up_to(plies)
            for other in variation:
                play_recorded(part, other)
            _check_variations(variation, part, plies)


def _start(recorded: PgnGame, variants: Mapping[str, Ruleset], default: Position | None) -> Position:
    variant = recorded.tag("Variant")
    if variant is None and default is None:
        raise UnknownVariantError(f"line {recorded.line}: missing tag 'Variant'", None)
    if variant is not None and variant not in variants:
        message = str(_disagreement(recorded, "Variant", f"known variants are {names_in_words(variants)}"))
        raise UnknownVariantError(message, variant)
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
    if termination is not None and termination not in TERMINATIONS:
        raise _disagreement(recorded, "Termination", f"known terminations are {', '.join(sorted(TERMINATIONS))}")
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
        raise DisagreementError(f"line {recorded.line}: missing tag {quoted(name)}")
    return value


def _disagreement(recorded: PgnGame, tag: str, but: str) -> DisagreementError:
    return DisagreementError(f"line {recorded.line}: tag {tag} is {quoted(recorded.tag(tag) or '')}, but {but}")
