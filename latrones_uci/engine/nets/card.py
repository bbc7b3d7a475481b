"""The card of a net: from what it was made, and the match that decided about it; a TOML file beside the net.

``docs/nets.md`` describes the keys. What is not known is left out. A card names the checksum of its net, so that it
tells nothing about another net that takes its place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from latrones_uci.engine.nets.file import Net, NetError
from latrones_uci.text.files import beside, read_text_file, write_whole
from latrones_uci.text.messages import quoted, reason
from latrones_uci.text.toml import parse_toml, render_toml, shown_toml

CARD_SUFFIX = ".toml"
"""Added to the name of the net."""
_MAX_BYTES, _MAX_TABLES, _MAX_ITEMS = 1 << 16, 200, 2000
_MAX_TEXT = 200


@dataclass(frozen=True)
class Source:
    """Positions of one kind to which a net was fitted."""

    positions: int
    nodes: tuple[int, ...] = ()
    """Nodes of the searches that scored them: several, if their shares are not known."""
    endgames: int | None = None
    """Percentage of the games that began with few men; None if it is not known."""

    def __str__(self) -> str:
        nodes = f" of {' and '.join(f'{each:,}' for each in self.nodes)} nodes" if self.nodes else ""
        return f"{self.positions:,} positions{nodes}{f', {self.endgames}% endgames' if self.endgames else ''}"


@dataclass(frozen=True)
class CardMatch:
    """The match that decided whether a net is kept."""

    opponent: str
    limit: str
    """The limit of a move, such as ``3,000 nodes per move``."""
    counts: tuple[int, int, int]
    """Games won, drawn and lost by the net."""
    elo: str
    """The Elo difference with its 95% interval."""

    @property
    def score(self) -> str:
        return "-".join(map(str, self.counts))

    def __str__(self) -> str:
        return f"{self.score} against {self.opponent}, {self.limit}, Elo {self.elo}"


@dataclass(frozen=True)
class Card:
    """What is known about a net."""

    net: str
    """SHA-256 of the file of the net, in hexadecimal digits."""
    date: str = ""
    """The day on which it was made, or added to the package; such as ``2026-11-27``."""
    version: str = ""
    """The version of this program, or the commit, with which it came."""
    data: tuple[Source, ...] = ()
    match: CardMatch | None = None

    def __str__(self) -> str:
        fitted = f"fitted to {' and '.join(map(str, self.data))}" if self.data else ""
        return "; ".join(part for part in (self.date, self.version, fitted, str(self.match or "")) if part)

    def write(self, net: Path) -> None:
        """Write the card beside its net. Raises OSError: the file cannot be written; the message names it."""
        write_whole(card_path(net), render_toml(_known(self)))


def card_path(net: Path) -> Path:
    """Return the file of the card of a net."""
    return beside(net, CARD_SUFFIX)


def read_card(path: Path, net: Net) -> Card | None:
    """Return the card beside the file of a net, None if there is none.

    Raises:
        NetError: the card cannot be read, is invalid, or belongs to another net; the message names its file.
    """
    path = card_path(path)
    try:
        card = parse_card(read_text_file(path, _MAX_BYTES, regular=True))
        if card.net != net.digest:
            raise NetError(f"the card of net {quoted(card.net[:8])}; expected {quoted(net.digest[:8])}")
    except FileNotFoundError:
        return None
    except (NetError, OSError, ValueError) as error:
        problem = reason(error) if isinstance(error, OSError) else error
        raise NetError(f"{quoted(str(path))}: {problem}") from None
    return card


def parse_card(text: str) -> Card:
    """Read a card.

    Raises:
        NetError: not TOML, or an unknown, missing or invalid key; the message names the key.
    """
    try:
        values = parse_toml(text, _MAX_TABLES, _MAX_ITEMS)
    except ValueError as error:
        raise NetError(str(error)) from None
    return Card(**_read(values, _CARD, ("net",)))


# ---------------------------------------------------------------- keys and values

_Reader = Callable[[Any], Any]
"""Returns a value of a key; raises ValueError with what was expected."""


def _known(value: Any) -> Any:
    """Return a part of a card as data of TOML, without what is not known."""
    if isinstance(value, tuple):
        return [_known(each) for each in value]
    if not is_dataclass(value):
        return value
    parts = {each.name: getattr(value, each.name) for each in fields(value)}
    return {name: _known(part) for name, part in parts.items() if part not in (None, "", ())}


def _read(values: Mapping[str, Any], readers: Mapping[str, _Reader], required: tuple[str, ...]) -> dict[str, Any]:
    for key in required:
        if key not in values:
            raise NetError(f"no key {quoted(key)}")
    found = {}
    for key, value in values.items():
        if key not in readers:
            raise NetError(f"unknown key {quoted(key)}; expected one of {', '.join(readers)}")
        try:
            found[key] = readers[key](value)
        except ValueError as error:
            raise NetError(f"{key} = {shown_toml(value)}; expected {error}") from None
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_TEXT or not value.isprintable():
        raise ValueError(f"1 to {_MAX_TEXT} printable characters in quotes")
    return value


def _natural(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise ValueError("a natural number")
    return value


def _naturals(value: Any) -> tuple[int, ...]:
    return tuple(map(_natural, _list(value)))


def _counts(value: Any) -> tuple[int, ...]:
    if len(counts := _naturals(value)) != 3:
        raise ValueError("three numbers of games: won, drawn, lost")
    return counts


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("a list")
    return value


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("a table")
    return value


_SOURCE: dict[str, _Reader] = {"positions": _natural, "nodes": _naturals, "endgames": _natural}
_MATCH: dict[str, _Reader] = {"opponent": _text, "limit": _text, "counts": _counts, "elo": _text}
_CARD: dict[str, _Reader] = {
    "net": _text, "date": _text, "version": _text,
    "data": lambda value: tuple(Source(**_read(_table(each), _SOURCE, ("positions",))) for each in _list(value)),
    "match": lambda value: CardMatch(**_read(_table(value), _MATCH, tuple(_MATCH))),
}
