"""Game records for tests of the match runner."""

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.process import EngineFault
from latrones_uci.client.time_control import Clock, TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.game import Game, Outcome, Position, Termination, find_variant
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.text.protocol import Score, SearchInfo

MS = 1_000_000
NAMES = ("A", "B")
MOVETIME = TimeControl(movetime_ms=100)
CLOCK = TimeControl(base_ms=1000, increment_ms=10)
START = Position.start(find_variant("latrones"), (6, 6))
SETTINGS = TournamentSettings(
    (EngineSettings(("a",), MOVETIME, "A"), EngineSettings(("b",), CLOCK, "B")),
    (VariantSettings("latrones", "6x6"),),
    games=10,
)


def fixture(number: int) -> Fixture:
    """Return game ``number`` of a match of two engines in one variant."""
    pair, leg = divmod(number - 1, 2)
    return Fixture(number, pair, pair, 0, pair, leg, 1 - leg)


def record(number: int, winner: int | None = None, termination: Termination = Termination.DECIDED, *plies: PlyRecord,
           offence: PlyRecord | None = None, details: str = "", fault: EngineFault | None = None,
           violations: tuple[str, ...] = ()) -> GameRecord:
    """Return the record of a game; A is White in odd games."""
    of = fixture(number)
    controls = (MOVETIME, CLOCK)
    game = PlayedGame(START, plies, Outcome(termination, winner, details), offence, fault, violations)
    return GameRecord(
        of, (NAMES[of.white], NAMES[of.black]), (controls[of.white], controls[of.black]), "2024-05-31T12:00:00Z", game
    )


def ply(side: int, elapsed_ms: int, allowed_ms: int, left_ms: int | None, depth: int | None) -> PlyRecord:
    """Return a ply with times in milliseconds."""
    left_ns = None if left_ms is None else left_ms * MS
    return PlyRecord(side, 1, "a1a2", elapsed_ms * MS, allowed_ms * MS, left_ns, SearchInfo(depth=depth, nodes=depth))


def played_record(number: int) -> GameRecord:
    """Return a whole game that prefers captures, with all search information that an engine can report."""
    game, plies = Game(START), []
    clock = Clock(CLOCK)
    while (outcome := game.outcome()) is None:
        position, moves = game.position, game.legal_moves()
        text = next((move for move in moves if position.captures(move)), moves[len(plies) % len(moves)])
        clock.spend(MS)
        info = SearchInfo(3, score=Score(-5 * len(plies)), nodes=1000 + len(plies), time_ms=1, pv=(text, "a1a2"))
        plies.append(PlyRecord(position.side, position.movenumber, text, MS, 1000 * MS, clock.left_ns, info))
        game.push(text)
    return record(number, outcome.winner, outcome.termination, *plies)
