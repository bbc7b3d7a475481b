"""What a match adds up to."""

from collections import Counter
from dataclasses import dataclass, field

from latrones_uci.match.record import GameRecord, PlyRecord
from latrones_uci.match.termination import Termination


@dataclass
class EngineTally:
    """The plies of one engine, its offences included.

    Attributes:
        plies: answers in all.
        depth_sum: of the reported depths.
        depth_plies: answers that reported a depth.
        node_sum: of the reported nodes.
        node_plies: answers that reported nodes.
        elapsed_ns: time of all answers by the runner's clock.
        largest_overshoot_ns: the most by which an answer took longer than allowed, negative if none did;
            None if no answer was timed.
        smallest_clock_left_ns: the least that was left on its clock after a ply; None if it had no clock.
    """

    plies: int = 0
    depth_sum: int = 0
    depth_plies: int = 0
    node_sum: int = 0
    node_plies: int = 0
    elapsed_ns: int = 0
    largest_overshoot_ns: int | None = None
    smallest_clock_left_ns: int | None = None

    def add(self, ply: PlyRecord) -> None:
        """Counts an answer."""
        self.plies += 1
        self.elapsed_ns += ply.elapsed_ns
        if ply.info.depth is not None:
            self.depth_sum += ply.info.depth
            self.depth_plies += 1
        if ply.info.nodes is not None:
            self.node_sum += ply.info.nodes
            self.node_plies += 1
        if (overshoot := ply.overshoot_ns) is not None:
            known = self.largest_overshoot_ns
            self.largest_overshoot_ns = overshoot if known is None else max(known, overshoot)
        if (left := ply.clock_left_ns) is not None:
            known = self.smallest_clock_left_ns
            self.smallest_clock_left_ns = left if known is None else min(known, left)


@dataclass
class MatchTally:
    """The games of a match so far; wins and losses are the first engine's.

    Attributes:
        names: of the two engines.
        wins: games that the first engine won.
        draws: games drawn.
        losses: games that the first engine lost.
        unterminated: games that were interrupted and count for nothing.
        terminations: games by termination; for ``normal`` also by the ending of the rules, for offences
            also by the guilty engine.
        engines: the plies of each engine, those of interrupted games included.
    """

    names: tuple[str, str]
    wins: int = 0
    draws: int = 0
    losses: int = 0
    unterminated: int = 0
    terminations: Counter[str] = field(default_factory=Counter)
    engines: tuple[EngineTally, EngineTally] = field(default_factory=lambda: (EngineTally(), EngineTally()))

    @property
    def games(self) -> int:
        """The games that count."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The first engine's points."""
        return self.wins + self.draws / 2

    def add(self, record: GameRecord) -> None:
        """Counts a game."""
        game = record.game
        first_side = 0 if record.first_is_white else 1
        for ply in (*game.plies, *([game.offence] if game.offence else [])):
            self.engines[0 if ply.side == first_side else 1].add(ply)
        if game.termination is Termination.INTERRUPTED:
            self.unterminated += 1
            return
        if game.winner is None:
            self.draws += 1
        elif game.winner == first_side:
            self.wins += 1
        else:
            self.losses += 1
        self.terminations[self._termination_name(record)] += 1

    def _termination_name(self, record: GameRecord) -> str:
        game = record.game
        if game.termination is Termination.NORMAL:
            return f"{game.termination.value}: {game.details}"
        if game.termination is Termination.ADJUDICATION or game.winner is None:
            return str(game.termination.value)
        return f"{game.termination.value} of {record.names[1 - game.winner]}"
