"""A listener that keeps the events of a session."""

from __future__ import annotations

import threading
from typing import TypeVar

from latrones_uci.engine.events import EngineEvent, Note
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import BestMove, SearchInfo

Kind = TypeVar("Kind", bound=EngineEvent)


class Listener:
    def __init__(self) -> None:
        self.events: list[EngineEvent] = []
        self._heard = threading.Condition()

    def __call__(self, event: EngineEvent) -> None:
        with self._heard:
            self.events.append(event)
            self._heard.notify()

    def wait_for(self, kind: type[EngineEvent]) -> None:
        """Wait until there is an event of a kind that was not taken."""
        with self._heard:
            assert self._heard.wait_for(lambda: any(isinstance(event, kind) for event in self.events), timeout=60)

    def take(self) -> list[EngineEvent]:
        taken, self.events = self.events, []
        return taken

    def take_all(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.take() if isinstance(event, kind)]

    def notes(self) -> list[str]:
        return [note.text for note in self.take_all(Note)]

    def search(self, session: Session, **limits: object) -> tuple[str | None, list[SearchInfo]]:
        """Return the best move of a search, and its lines; forget the events before it."""
        self.take()
        session.go(Limits(**limits), now_ns())  # type: ignore[arg-type]
        session.wait()
        events = self.take()
        (best,) = (event for event in events if isinstance(event, BestMove))
        return best.move, [event for event in events if isinstance(event, SearchInfo)]
