"""The words that describe the screen of openings on the command line."""

from collections.abc import Sequence

from latrones_uci.game import quoted
from latrones_uci.match.engine_words import parse_engine
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.openings.screen import ScreenSettings
from latrones_uci.match.records.time_control import TIME_CONTROL_KEYS

_DEFAULT_LIMIT = "nodes=20000"
_MOST_CENTI = "score="


def parse_screen(words: Sequence[str]) -> ScreenSettings:
    """Reads ``COMMAND [st=...] [depth=...] [nodes=...] [score=CENTI] [option.X=...]``.

    The first word is the command, also as ``cmd=COMMAND``; the others are those of an engine, and the greatest score
    (see ``ScreenSettings``). Without a limit of the search it is 20000 nodes.

    Raises:
        SettingsError: what ``parse_engine`` raises; a clock; or a score that is none.
    """
    command = f"cmd={words[0].removeprefix('cmd=')}"
    scores = [word for word in words[1:] if word.startswith(_MOST_CENTI)]
    others = [word for word in words[1:] if word not in scores]
    limited = any(word.partition("=")[0] in TIME_CONTROL_KEYS for word in others)
    engine = parse_engine([command, *others], [] if limited else [_DEFAULT_LIMIT])
    if engine.control.base_ms is not None:
        raise SettingsError(f"{quoted(engine.control.to_text())}: an opening is screened with st=, depth= or nodes=")
    if len(scores) > 1:
        raise SettingsError(f"key 'score' is given twice, the second time as {quoted(scores[1])}")
    return ScreenSettings(engine, _most_centi(scores[0])) if scores else ScreenSettings(engine)


def _most_centi(word: str) -> int:
    text = word.removeprefix(_MOST_CENTI)
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise SettingsError(f"{quoted(word)} is not a score in centi-soldiers, a whole number from 0")
    return int(text)
