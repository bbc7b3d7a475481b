"""What an engine tells, kept for the tests."""

from __future__ import annotations

from latrones_uci.engine.events import BestMove, Event


class Listener:
    """Keeps the events of an engine."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def take(self, kind: type[Event] | None = None) -> list[Event]:
        """The events so far, those of a kind if one is given; they are forgotten."""
        taken, self.events = self.events, []
        return [event for event in taken if kind is None or isinstance(event, kind)]

    def best_moves(self) -> list[Event]:
        return self.take(BestMove)
