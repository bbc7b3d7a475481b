"""What an engine prints, read into values. Nothing here fails on bad text: engines under test print anything."""

from dataclasses import dataclass, replace

_OPTION_KEYWORDS = frozenset({"name", "type", "default", "min", "max", "var"})
_INFO_STRING_ERROR = ("info", "string", "error")


@dataclass(frozen=True)
class SearchInfo:
    """The last that an engine said about its search; None where it said nothing.

    Attributes:
        score_centi: score in centi-soldiers, from the mover's point of view.
        mate: turns of the winner to the forced win, negative when the mover loses; excludes ``score_centi``.
        depth: nominal depth in plies.
        nodes: positions searched.
        time_ms: the engine's own time in milliseconds.
        pv: the expected line, as move texts.
    """

    score_centi: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None
    pv: tuple[str, ...] = ()


@dataclass(frozen=True)
class BestMove:
    """A ``bestmove`` line. ``move`` is empty if the line named none; ``ponder`` is None if there was none."""

    move: str
    ponder: str | None = None


@dataclass(frozen=True)
class OptionDeclaration:
    """An ``option`` line of the handshake.

    Attributes:
        name: as the engine writes it.
        kind: ``check``, ``spin``, ``combo``, ``button`` or ``string``.
        choices: the values of a combo.
    """

    name: str
    kind: str
    choices: tuple[str, ...] = ()


def parse_best_move(text: str) -> BestMove | None:
    """Reads a ``bestmove`` line; None if the line is another."""
    words = text.split()
    if not words or words[0] != "bestmove":
        return None
    move = words[1] if len(words) > 1 else ""
    return BestMove(move, words[3] if len(words) > 3 and words[2] == "ponder" else None)


def parse_id_name(text: str) -> str | None:
    """Reads ``id name ...``; None if the line is another."""
    words = text.split(maxsplit=2)
    return words[2] if len(words) == 3 and words[:2] == ["id", "name"] else None


def parse_error_line(text: str) -> str | None:
    """The message of an ``info string error ...`` line; None if the line is another."""
    words = text.split(maxsplit=3)
    return " ".join(words[3:]) if tuple(words[:3]) == _INFO_STRING_ERROR else None


def parse_option(text: str) -> OptionDeclaration | None:
    """Reads an ``option name ... type ...`` line, names and values with spaces included; None if it is none."""
    words = text.split()
    if words[:2] != ["option", "name"]:
        return None
    values: list[tuple[str, list[str]]] = []
    for word in words[1:]:
        if word in _OPTION_KEYWORDS:
            values.append((word, []))
        else:
            values[-1][1].append(word)
    fields = {key: " ".join(value) for key, value in values}
    choices = tuple(" ".join(value) for key, value in values if key == "var")
    return OptionDeclaration(fields["name"], fields.get("type", "string"), choices)


def update_info(info: SearchInfo, text: str) -> SearchInfo:
    """The info with what an ``info`` line adds.

    Unchanged by other lines, by the further lines of a MultiPV search, and by ``currmove`` lines, whose depth has
    no score yet.
    """
    words = text.split()
    if not words or words[0] != "info":
        return info
    updated = info
    for index, word in enumerate(words[1:], start=1):
        if word == "string":
            break
        following = words[index + 1 : index + 3]
        if word == "currmove" or (word == "multipv" and following[:1] != ["1"]):
            return info
        if word == "pv":
            updated = replace(updated, pv=tuple(words[index + 1 :]))
            break
        if word == "score" and len(following) == 2:
            updated = _with_score(updated, *following)
        elif (value := _integer(following)) is not None:
            match word:
                case "depth":
                    updated = replace(updated, depth=value)
                case "nodes":
                    updated = replace(updated, nodes=value)
                case "time":
                    updated = replace(updated, time_ms=value)
    return updated


def _with_score(info: SearchInfo, unit: str, number: str) -> SearchInfo:
    value = _integer([number])
    if value is not None and unit == "cp":
        return replace(info, score_centi=value, mate=None)
    if value is not None and unit == "mate":
        return replace(info, score_centi=None, mate=value)
    return info


def _integer(words: list[str]) -> int | None:
    try:
        return int(words[0])
    except (IndexError, ValueError):
        return None
