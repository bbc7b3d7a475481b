"""``latrones-uci revs BASE A B ...``: a sequential test of each of several versions against one base."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.campaigns import (
    KEY_DIGITS,
    OTHER_OUTPUTS,
    check_campaign,
    folder_of,
    note_failed_games,
    open_campaign,
    until_interrupted,
)
from latrones_uci.commands.match import FAILED, PASSED, REJECTED, UNDECIDED
from latrones_uci.commands.match_arguments import Outputs, match_settings, parse_outputs
from latrones_uci.commands.versions import (
    cache_of,
    check_versions,
    recipe_of,
    report,
    same_play,
    screened,
    set_defaults,
)
from latrones_uci.match.summary import render_elo
from latrones_uci.records.settings import GAINER, MAX_TEST_GAMES, PRESETS
from latrones_uci.stats import (
    Pentanomial,
    Sprt,
    Verdict,
    estimate_from_pairs,
    is_below_h0,
    log_likelihood_ratio,
    next_test,
)
from latrones_uci.studies.revisions.build import BuiltRevision, build_revisions
from latrones_uci.studies.revisions.campaign import Campaign, batch_pairs
from latrones_uci.studies.revisions.source import RevisionError
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.option import options_of

_H0, _H1 = Verdict.ACCEPT_H0.value, Verdict.ACCEPT_H1.value


@dataclass
class _Candidate:
    """A version under test."""

    name: str
    """As given."""
    built: BuiltRevision | None = None
    """None if it cannot be built."""
    pairs: Pentanomial = (0, 0, 0, 0, 0)
    """Its pairs against the base."""
    verdict: str = ""
    """``H0``, ``H1`` or empty."""
    note: str = ""
    """Why there is a verdict without a game, or why it cannot play."""
    troubles: str = ""
    """The numbers of faults and violations in its games."""
    ended: bool = False
    """Whether no more games are to be played."""

    @property
    def key(self) -> str:
        return "" if self.built is None else self.built.commit[:KEY_DIGITS]

    @property
    def label(self) -> str:
        return self.name if self.built is None else self.built.label


def test_candidates(options: argparse.Namespace, program: str) -> int:
    """Test several versions.

    Returns:
        The exit status: 1 if one cannot be built or played, or for failures in ``--fail-on``; else 0 if one passes, 3
        if all fail, 4 if some have no verdict in the games allowed, both only if ``--fail-on`` has them; 130 if
        interrupted.
    """
    for name in OTHER_OUTPUTS:
        if getattr(options, name):
            raise SettingsError(f"{options_of(Outputs)[name].flag!r}: for one version under test; expected revs BASE"
                                " TEST, or another command with a database of --folder")
    return until_interrupted(partial(_test, options), options, program)


def _test(options: argparse.Namespace) -> int:
    preset = PRESETS[options.preset or GAINER.name]
    if preset.against_itself:
        raise SettingsError(f"preset '{preset.name}' plays one version against itself; expected revs BASE")
    for name in options.test:
        if options.test.count(name) > 1:
            raise SettingsError(f"version {quoted(name)}: given twice; expected different versions")
    candidates = [_Candidate(name) for name in options.test]
    recipe = recipe_of(options)
    if options.sprt is None:
        options.sprt = [preset.name]
    set_defaults(options, recipe)
    base = _build(options, recipe, candidates)
    engine = base.engine(f"base {base.label}", options.each)
    stand_in = replace(engine, name="test")
    settings = screened(match_settings(options, [stand_in, engine], MAX_TEST_GAMES), base)
    sprt, outputs, most_games = settings.sprt, parse_outputs(options), settings.games
    assert sprt is not None
    check_campaign(settings, outputs)
    by_key = {each.key: each.built for each in candidates if each.built is not None}
    for each in candidates:
        if each.built is not None:
            test = each.built.engine(f"test {each.label}", options.each)
            if same := same_play(base, each.built, replace(settings, engines=(test, engine))):
                each.verdict, each.note, each.ended = _H1 if sprt.elo1 <= 0 else _H0, same, True
    folder = folder_of(options, settings)

    def build(key: str) -> Any:
        return by_key[key].engine(f"test {by_key[key].label}", options.each)

    with open_campaign(folder, settings, outputs, build, common_openings=True) as campaign:
        shown = _Shown(sprt, outputs.json, outputs.quiet)
        for each in candidates:
            _read(each, campaign, most_games)
            if each.ended:
                shown.candidate(each)
        while running := _running(candidates, options.first):
            number = next_test(sprt, [each.pairs for each in candidates], running, first=options.first)
            chosen = candidates[number]
            pairs = min(batch_pairs(settings.concurrency, sum(chosen.pairs)), most_games // 2 - sum(chosen.pairs))
            campaign.play(chosen.key, pairs)
            _read(chosen, campaign, most_games)
            shown.candidate(chosen)
    shown.finished(candidates, folder)
    status = _status(candidates, sprt, options.first)
    if note_failed_games(campaign, outputs):
        return FAILED
    wanted = {REJECTED: "h0", UNDECIDED: "no-verdict"}.get(status)
    return PASSED if wanted is not None and wanted not in outputs.fail_on else status


def _build(options: argparse.Namespace, recipe: Any, candidates: Sequence[_Candidate]) -> BuiltRevision:
    """Build the base, and the candidates that can be built."""
    cache = cache_of(options)
    failures: dict[str, RevisionError] = {}
    built = build_revisions([options.base, *options.test], Path(options.repository), cache, report, recipe,
                            on_failure=failures.__setitem__, check=lambda sources: check_versions(
                                options.base, options.test, sources, options, recipe))
    for each in candidates:
        each.built = built.get(each.name)
        if each.name in failures:
            report(str(failures[each.name]))
            each.note, each.ended = str(failures[each.name]).partition("\n")[0], True
    if options.base in failures:
        raise failures[options.base]
    return built[str(options.base)]


def _read(each: _Candidate, campaign: Campaign, most_games: int) -> None:
    """Take over the games of a version that plays."""
    if each.ended:
        return
    result = campaign.result(each.key)
    each.pairs, each.verdict, each.troubles = result.pairs, result.verdict, result.troubles
    each.note = campaign.failures.get(each.key, "")
    each.ended = bool(each.verdict or each.note) or 2 * sum(each.pairs) + 1 >= most_games


def _running(candidates: Sequence[_Candidate], first: bool) -> list[int]:
    if first and any(each.verdict == _H1 for each in candidates):
        return []
    return [number for number, each in enumerate(candidates) if not each.ended]


def _status(candidates: Sequence[_Candidate], sprt: Sprt, first: bool) -> int:
    passed = any(each.verdict == _H1 for each in candidates)
    if any(each.note and not each.verdict for each in candidates) and not (first and passed):
        return FAILED
    if passed:
        return PASSED
    rejected = all(each.verdict == _H0 or is_below_h0(sprt, each.pairs) for each in candidates)
    return REJECTED if rejected else UNDECIDED


class _Shown:
    """What is printed."""

    def __init__(self, sprt: Sprt, as_json: bool, quiet: bool) -> None:
        self._sprt, self._json, self._quiet = sprt, as_json, quiet

    def candidate(self, each: _Candidate) -> None:
        """Print the state of a version after some of its games."""
        if self._json:
            print(json.dumps({"event": "candidate_progress", **self._data(each)}), flush=True)
        elif not self._quiet:
            print(self._line(each), flush=True)

    def finished(self, candidates: Sequence[_Candidate], folder: Path) -> None:
        """Print all results."""
        games = 2 * sum(sum(each.pairs) for each in candidates)
        if self._json:
            print(json.dumps({"event": "candidates_finished", "games": games,
                              "candidates": [self._data(each) for each in candidates]}), flush=True)
            return
        print("\n".join(["", *self._summary(candidates), f"{counted(games, 'game')}", f"Folder: {folder.resolve()}"]))

    def _summary(self, candidates: Sequence[_Candidate]) -> Iterator[str]:
        for each in candidates:
            yield self._line(each)
            if each.note:
                yield f"  {each.note}"

    def _line(self, each: _Candidate) -> str:
        outcome = {_H1: "passes", _H0: "fails"}.get(each.verdict, "cannot be played" if each.note else "no verdict")
        if not any(each.pairs):
            return f"{each.label}: {outcome}"
        elo = render_elo(estimate_from_pairs(each.pairs).normalized_elo)
        return (f"{each.label}: {outcome}, LLR {log_likelihood_ratio(self._sprt, each.pairs):.2f}"
                f" ({self._sprt.lower:.2f} to {self._sprt.upper:.2f}), {2 * sum(each.pairs)} games,"
                f" normalised Elo {elo}{f', {each.troubles}' if each.troubles else ''}")

    def _data(self, each: _Candidate) -> dict[str, Any]:
        commit = None if each.built is None else each.built.commit
        return {"name": each.name, "commit": commit, "pairs": each.pairs, "verdict": each.verdict or None,
                "llr": log_likelihood_ratio(self._sprt, each.pairs), "note": each.note,
                "troubles": each.troubles}
