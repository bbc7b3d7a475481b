"""The openings of a tournament: generated or read when needed, and stored in its database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Self

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Position
from latrones_uci.match.openings import (
    ATTEMPTS,
    ListedOpenings,
    NoOpeningError,
    Opening,
    Openings,
    RandomOpenings,
    count_random_openings,
    opening_sequence,
    parse_openings,
    render_shortage,
)
from latrones_uci.match.screen import OpeningScreen
from latrones_uci.records.settings import AUTO, OWN_SCREEN, TournamentSettings
from latrones_uci.records.store import Store, StoredOpening
from latrones_uci.stats import Sprt
from latrones_uci.stats.sprt_forecast import USUAL_PAIRS, forecast_sprt
from latrones_uci.text.messages import counted, quoted

_LONGER_LIST = "use '--openings random:6', or make a longer book with 'latrones-uci book'"
_MORE_PLIES = "use random openings of more plies"
_NO_LIMIT = 10**9  # pairs
_MANY_REJECTED = 100


class OpeningBook:
    """The openings of each variant by number. A context manager that closes the engines of the opening screen."""

    def __init__(
        self,
        settings: TournamentSettings,
        store: Store,
        interrupted: Callable[[], bool],
        warn: Callable[[str], None],
    ) -> None:
        """Start with the openings in the database.

        ``interrupted`` is polled while an engine screens an opening; ``warn`` is called if there are too few openings.

        Raises:
            SettingsError: a variant does not exist, or the openings cannot be read or differ from those in the
                database.
            StoreError: the database is damaged.
        """
        self._settings, self._store, self._interrupted, self._warn = settings, store, interrupted, warn
        self._needed = settings.plan.openings
        self._warned: set[int] = set()
        self._closing = ExitStack()
        self._starts = [start_position(variant, settings.variant_file) for variant in settings.variants]
        self._found: list[list[Opening]] = [[] for _ in settings.variants]
        for stored in store.openings():
            with store.reading():
                position = Position.from_fen(self._starts[stored.variant].ruleset, stored.fen)
                self._found[stored.variant].append(Opening(position, stored.moves))
        self._more: list[Iterator[Opening] | None] = list(map(self._sequence, range(len(settings.variants))))

    def position(self, variant: int, number: int) -> Position:
        """Return the position of an opening; if there are too few, they are repeated from the first one.

        Raises:
            SettingsError: there is no opening.
            ScreenError: the engine of the opening screen failed.
            WaitInterruptedError: the search of the opening screen was interrupted.
        """
        self._needed = max(self._needed, number + 1)  # a knockout may need more than it is planned with
        found = self._found[variant]
        while len(found) <= number and (more := self._more[variant]) is not None:
            opening = next(more, None)
            if opening is None:
                self._more[variant] = None
                self._warn_of_shortage(variant, len(found))
            else:
                self._store.add_openings([StoredOpening(variant, len(found), opening.position.fen(), opening.moves)])
                found.append(opening)
        return found[number % len(found)].position

    def _warn_of_shortage(self, variant: int, openings: int) -> None:
        if openings < self._needed:
            self._warn_once(variant, f"{render_shortage(openings, self._needed)}; openings are repeated")

    def _warn_before_test(self, sprt: Sprt, variant: int, openings: int, remedy: str) -> None:
        likely = likely_pairs(sprt) / len(self._settings.variants)
        if self._needed <= likely:  # the games allowed probably end the match
            self._warn_of_shortage(variant, openings)
        elif openings < likely:
            self._warn_once(
                variant,
                f"only {counted(openings, 'opening')}, but the sequential test probably needs about"
                f" {float(f'{likely:.3g}'):.0f} pairs; repeated openings add little evidence: {remedy}",
            )

    def _warn_once(self, variant: int, text: str) -> None:
        if variant not in self._warned:
            self._warned.add(variant)
            self._warn(f"{self._settings.variants[variant].to_text()}: {text}")

    def _sequence(self, variant: int) -> Iterator[Opening]:
        settings, found, start = self._settings, self._found[variant], self._starts[variant]
        openings, sprt = parse_openings(settings.openings, start, settings.book), settings.sprt
        if isinstance(openings, ListedOpenings):
            for line in openings.left_out:
                self._warn(line)
            if openings.duplicates:
                self._warn(f"{settings.variants[variant].to_text()}: {openings.duplicates} of"
                           f" {counted(len(openings.positions), 'opening')} in {quoted(settings.openings)} have the"
                           " position of an earlier one")
            if sprt is None:
                self._warn_of_shortage(variant, len(openings.positions))
            else:
                self._warn_before_test(sprt, variant, len(openings.positions), _LONGER_LIST)
        elif sprt is not None and (count := count_random_openings(start, openings.plies)) is not None:
            self._warn_before_test(sprt, variant, count, _MORE_PLIES)
        return self._continued(openings, tuple(found), variant)

    def _continued(self, openings: Openings, known: tuple[Opening, ...], variant: int) -> Iterator[Opening]:
        settings, start = self._settings, self._starts[variant]
        screens: list[OpeningScreen] = []
        accepts = self._accepts(openings, variant, screens)
        try:
            for number, opening in enumerate(opening_sequence(start, openings, settings.seed, accepts, known)):
                if number >= len(known):
                    yield opening
                elif opening.position.fen() != known[number].position.fen():
                    raise SettingsError(
                        f"opening {number + 1} of {quoted(settings.openings)} differs from the database: the list has"
                        " changed since the match began; expected it as it was then, or another --database")
        except NoOpeningError as error:
            if not screens:
                raise
            other = "--openings auto" if settings.openings != AUTO else "--openings random:PLIES with other plies"
            raise SettingsError(f"{error}: {screens[0].rejections()}; expected {other}, or --screen-engine COMMAND"
                                " score=CENTI with scores in the units of that engine") from error

    def _accepts(
        self, openings: Openings, variant: int, screens: list[OpeningScreen]
    ) -> Callable[[Position], bool] | None:
        """Return the test of the opening screen, None without one.

        Its engine is started on the first call, and put into ``screens``.
        """
        settings, start = self._settings.screen, self._starts[variant]
        if isinstance(openings, RandomOpenings) and openings.score is not None:
            least, most = openings.score
            settings = replace(OWN_SCREEN, least_centi=least, most_centi=most)
        if settings is None:
            return None
        rejected = 0

        def accepts(position: Position) -> bool:
            nonlocal rejected
            if not screens:
                file = self._settings.variant_file
                screen = OpeningScreen(settings, start, None if file is None else file.local_path(),
                                       self._settings.timeouts, self._interrupted)
                screens.append(self._closing.enter_context(screen))
            accepted = screens[0].accepts(position)
            rejected = 0 if accepted else rejected + 1
            if rejected == _MANY_REJECTED:
                name = self._settings.variants[variant].to_text()
                self._warn(f"{name}: {screens[0].rejections()}; up to {ATTEMPTS:,} in a row are tried")
            return accepted

        return accepts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.close()


def likely_pairs(sprt: Sprt) -> float:
    """Return the expected number of pairs of a sequential test, under the hypothesis with the larger one."""
    return max(forecast_sprt(sprt, elo, USUAL_PAIRS, _NO_LIMIT).mean_pairs for elo in (sprt.elo0, sprt.elo1))
