"""What an engine does against the protocol and is forgiven."""

from latrones_uci.game import quoted

_MOST_KINDS = 50


class Violations:
    """Counts violations by kind, with the first example of each; however many there are, the memory is bounded."""

    def __init__(self) -> None:
        """Begins with none."""
        self._counts: dict[str, int] = {}
        self._examples: dict[str, str] = {}

    def add(self, kind: str, example: str) -> None:
        """Counts one of a kind; ``example`` is what the engine said."""
        if kind not in self._counts and len(self._counts) < _MOST_KINDS:
            self._counts[kind], self._examples[kind] = 0, quoted(example)
        if kind in self._counts:
            self._counts[kind] += 1

    def take(self) -> tuple[str, ...]:
        """One line for each kind, ``KIND: 'EXAMPLE'`` with ``(N times)`` if it happened again; then begins anew."""
        lines = tuple(
            f"{kind}: {self._examples[kind]}" + (f" ({count} times)" if count > 1 else "")
            for kind, count in self._counts.items()
        )
        self._counts, self._examples = {}, {}
        return lines
