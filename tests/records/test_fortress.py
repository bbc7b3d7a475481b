"""What a review says of a game that was drawn although a side was far ahead."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from latrones_uci.game import Game, Position, find_variant
from latrones_uci.records.annotation import AnalysedMove, Evaluation, Judgement, fortress, judged_moves
from latrones_uci.text.protocol import Score, SearchInfo

# Won positions of tests/data/conversion.json, played with 1,500 nodes a move until the limit of turns without a
# capture: game, position, moves, and White's scores by searches of 3,000 nodes.
HUNT = """
schaedler
8/8/2S1S3/1S6/5Ss1/3S2s1/1s4S1/8[-] w 0 1
d3c3 b2a2 c3c2 a2a1 c2b2 g3g1 g2f2 g4g3 e6e5 g3g2 f4f3 g1h1 f3g3 g2e2 b5b4 h1g1 g3g2 e2d2 f2e2 d2f2h2 g2g3 h2g2 e2f2
g2e2 f2d2 e2e1 e5e4 g1h1 g3g2 e1f1 d2e2 h1h2 e2f2 h2h1 b4c4 a1b1 e4f4 b1a1 f4g4 f1g1 f2e2 g1g3g5 e2d2 g5g6 g4g5 g6g7
g5g6 g7f7 c6c7 f7g7 c4c3 g7h7 c7d7 h7h8 c3c4 h1h2 g6g7 h2h3 g2g3 h3h4 d7e7 h4h3 c4c5 h3h4 d2e2 h4h3 c5d5 h3h4 g3g4
h4h3 e2f2 h3h2 f2g2 h2h1 g4g3 a1b1 d5d4 b1c1 d4d3 c1d1 g3f3 d1c1 d3d4 c1c2 f3f2 c2a2 f2e2 h8g8 d4e4 a2a3 e2d2 a3a4
b2b3 g8h8 b3b4 a4a5 g2f2 a5a6 d2e2 a6b6
501 507 507 506 507 510 504 506 500 509 509 505 502 510 507 514 514 516 515 512 505 511 513 515 516 513 511 517 517
517 519 515 516 516 514 514 517 517 521 521 517 505 509 502 499 503 509 506 508 517 518 513 512 512 515 511 502 507
515 515 515 515 515 517 516 515 521 518 527 521 521 517 510 513 523 519 517 517 518 516 518 518 521 523 517 517 505
507 519 515 515 512 507 0 0 0 0 0 0 0 0
"""
LATE_CAPTURE = """
latrunculi-classical
S9/10/10/4S2d2/10/4s3S1/5D4/9S b 0 1
e3d3 i3h3 h5i5 e5d5 d3c3 a8b8 i5g5 j1g1 g5e5 d5c5 c3d3 c5d5 d3c3 d5c5 e5e6 b8b3 c3d3 c5d5 e6d6 d5i5 d3d4 h3d3 d4h4
f2f4 d6i6 i5i4 h4h7 d3d7 i6j6 i4h4 j6c6 b3c3 h7i7 h4i4 i7h7 i4h4 h7i7 h4i4 i7h7 c3h3 h7j7 d7h7 j7j8 g1g6 j8d8 g6d6
d8b8 d6e6 c6c4 h7c7 b8b2 e6e2 b2b1 f4f1 b1b3 c7c6 c4d4 c6d6 b3b7 e2e7 d4d5 f1f5 b7d7 i4d4 d5e5 h3e3 d7c7 d4c4 c7c6
e7e6 c6c7 e6e7 c7c6 c4c5 c6b6 c5b5 b6c6 b5c5 c6b6 c5b5 b6c6 e7e6 e5d5 e3c3 d5e5 c3c5 e5e4 b5b6 c6c7 e6e7 e4e6 f5f6
c7c8 e7e8 c8c7 f6f7 c7d7 b6d6 d7b7 d6b6 b7d7 c5d5 d7a7 b6a6 a7b7 a6b6 b7a7 b6a6 a7b7 a6b6 b7c7 b6c6 c7b7 d5b5 b7d7
b5d5 d7b7 d5b5 b7d7 b5d5 d7a7 d5a5 a7d7 c6d6 d7c7 d6c6 c7b7 c6b6 b7d7 b6d6 d7c7 a5c5 c7b7 d6b6 b7a7 c5a5 a7d7 a5d5
d7c7 b6c6 c7a7 d5g5 e6d6 c6a6 a7b7 a6b6 b7e7 g5e5 e7a7 e5a5 a7e7 a5e5 e7a7 b6a6 a7d7 e5g5 d7b7 g5b5 b7e7 b5b6 e7e2
b6c6 e2f2
558 536 520 563 539 553 528 554 563 575 575 592 574 571 571 585 595 566 558 567 571 577 551 578 554 577 577 607 585
640 570 600 604 603 602 602 582 605 582 578 590 611 571 569 590 572 560 570 569 575 589 584 576 592 569 581 620 586
592 592 549 562 461 491 448 483 453 459 444 479 459 455 449 431 428 441 447 440 465 441 426 459 457 465 441 499 456
472 449 508 484 502 495 491 471 498 490 477 477 455 432 481 459 459 459 481 481 487 481 481 481 481 455 455 483 483
491 481 481 481 481 481 481 481 481 481 481 481 481 481 478 468 481 481 481 465 453 442 450 450 438 428 420 462 467
477 414 448 448 467 458 467 440 467 467 467 473 469 0 0 0 0 0 0
"""
TOLD = ("White was 5.0 to 5.3 soldiers ahead for 93 turns without a capture: perhaps a fortress. No search of the"
        " review saw a win.")


def recorded(text: str) -> tuple[Game, list[int]]:
    """Return a game and its scores."""
    variant, fen, *rest = text.strip().split("\n")
    game, scores = Game(Position.from_fen(find_variant(variant), fen)), []
    for word in " ".join(rest).split():
        if word.lstrip("-").isdecimal():
            scores.append(int(word))
        else:
            game.push(word)
    return game, scores


GAME, SCORES = recorded(HUNT)


def reviewed(game: Game, scores: Sequence[int | Score]) -> list[AnalysedMove]:
    """Return the moves with White's scores of the positions."""
    found = []
    for each, position in zip(scores, game.positions, strict=True):
        score = Score(each) if isinstance(each, int) else each
        found.append(-score if position.side else score)
    after = [Evaluation(score, position.side) for score, position in zip(found, game.positions, strict=True)][1:]
    return judged_moves(game, [Judgement(str(move), SearchInfo(score=score), 0, following, 5)
                               for move, score, following in zip(game.moves, found[:-1], after, strict=True)])


def test_a_recorded_game() -> None:
    assert fortress(GAME, reviewed(GAME, SCORES)) == TOLD
    assert fortress(GAME, reviewed(GAME, [-score for score in SCORES])) == TOLD.replace("White", "Black")
    assert "Black was at least 9 soldiers ahead" in fortress(GAME, reviewed(GAME, [-2 * score for score in SCORES]))


@pytest.mark.parametrize("scores", [
    [score // 2 for score in SCORES],
    [score + 10 * (ply % 50) for ply, score in enumerate(SCORES)],
    [*SCORES[:40], Score(mate=9), *SCORES[41:]],
    [*SCORES[:29], *[0] * (len(SCORES) - 29)],
    [score * (1 if ply % 20 else -1) for ply, score in enumerate(SCORES)],
], ids=["little ahead", "not level", "a win was seen", "not long", "never one side for long"])
def test_other_scores_are_none(scores: Sequence[int | Score]) -> None:
    assert fortress(GAME, reviewed(GAME, scores)) == ""


def test_a_game_that_is_not_drawn_is_none() -> None:
    game = GAME.up_to(len(GAME.moves) - 1)
    assert fortress(game, reviewed(game, SCORES[:-1])) == ""


def test_only_turns_since_the_last_capture_count() -> None:
    game, scores = recorded(LATE_CAPTURE)
    quiet = len(game.moves) - game.position.nocapture
    assert quiet > 60
    assert "White was " in fortress(game, reviewed(game, scores))
    before = [500] * quiet + [100] * (len(scores) - quiet)
    assert fortress(game, reviewed(game, before)) == "", "level before it"
