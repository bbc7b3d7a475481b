"""The engine under test, and how it is spoken to."""

from dataclasses import dataclass

from latrones_uci.game import Position


@dataclass(frozen=True)
class Dialect:
    """The words in which UCI and UGI differ.

    Attributes:
        greeting: what begins the conversation.
        greeted: the line that ends the answer to it.
        new_game: what begins a game.
        clocks: the words for the times of White and Black.
        increments: the words for their increments.
    """

    greeting: str
    greeted: str
    new_game: str
    clocks: tuple[str, str]
    increments: tuple[str, str]


UCI = Dialect("uci", "uciok", "ucinewgame", ("wtime", "btime"), ("winc", "binc"))
UGI = Dialect("ugi", "ugiok", "uginewgame", ("p1time", "p2time"), ("p1inc", "p2inc"))


@dataclass(frozen=True)
class Subject:
    """An engine to be checked, and by which measure.

    Attributes:
        command: program and arguments.
        start: the start of the game in which it is checked, on its board.
        dialect: ``UCI`` or ``UGI``.
        options: names and values that are set after the handshake, in this order.
        variant_path: a file with the game, for engines that load one; None for none.
        start_s: how long the answer to the greeting is waited for.
        timeout_s: how long any other answer is waited for.
        latency_ms: how late an answer to ``stop``, to ``isready`` in a search, or to a time limit may come.
        quiet_s: how long is listened for what must not be said.
        games: how many games are played while the memory is watched.
        growth_mb: by how many megabytes (of 2^20 bytes) the memory may grow meanwhile.
    """

    command: tuple[str, ...]
    start: Position
    dialect: Dialect = UCI
    options: tuple[tuple[str, str], ...] = ()
    variant_path: str | None = None
    start_s: float = 20.0
    timeout_s: float = 10.0
    latency_ms: int = 500
    quiet_s: float = 0.2
    games: int = 100
    growth_mb: int = 16

    def game_options(self) -> dict[str, str]:
        """The options that tell an engine the game, in the order in which they must be set."""
        path = {} if self.variant_path is None else {"VariantPath": self.variant_path}
        return path | {"UCI_Variant": self.start.ruleset.name, "BoardSize": self.start.geometry.name}
