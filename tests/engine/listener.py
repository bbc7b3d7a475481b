"""A listener that keeps the events of a session."""

from __future__ import annotations

from latrones_uci.engine.events import Event
from latrones_uci.protocol import BestMove


class Listener:
    """Keeps the events of a session."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def take(self, kind: type[Event] | None = None) -> list[Event]:
        """Return and forget the events so far, or those of one kind."""
        taken, self.events = self.events, []
        return [event for event in taken if kind is None or isinstance(event, kind)]

    def best_moves(self) -> list[Event]:
        return self.take(BestMove)
