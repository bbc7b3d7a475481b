import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

import pytest

from latrones_uci.client.time_control import TimeControl
from latrones_uci.match.serialize import DeserializeError, deserialize, parse_words, serialize


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Inner:
    number: int
    share: float = 0.5

    def __post_init__(self) -> None:
        if self.number == 13:
            raise ValueError("13 is unlucky")


@dataclass(frozen=True)
class Outer:
    inner: Inner
    words: tuple[str, ...] = ()
    point: tuple[int, int] = (0, 0)
    options: tuple[tuple[str, str], ...] = ()
    colour: Colour = Colour.RED
    mode: Literal["slow", "fast"] = "slow"
    control: TimeControl | None = None
    inners: tuple[Inner, ...] = field(default_factory=tuple)
    flag: bool = False


FULL = Outer(
    Inner(3, 0.25), ("a", "b"), (1, 2), (("Hash", "16"), ("x y", "")), Colour.BLUE, "fast",
    TimeControl(base_ms=1000, increment_ms=10, depth=4), (Inner(1), Inner(2)), True,
)  # fmt: skip
PLAIN = {
    "inner": {"number": 3, "share": 0.25},
    "words": ["a", "b"],
    "point": [1, 2],
    "options": {"Hash": "16", "x y": ""},
    "colour": "blue",
    "mode": "fast",
    "control": "tc=1+0.01 depth=4",
    "inners": [{"number": 1}, {"number": 2}],
    "flag": True,
}


def test_there_and_back() -> None:
    assert serialize(FULL) == PLAIN
    assert deserialize(Outer, json.loads(json.dumps(PLAIN))) == FULL
    assert serialize(Outer(Inner(1))) == {"inner": {"number": 1}}
    assert deserialize(Outer, {"inner": {"number": 1, "share": 1}}) == Outer(Inner(1, 1.0))
    assert deserialize(Outer, PLAIN | {"options": {"Hash": 16, "Ponder": True}}).options == (
        ("Hash", "16"),
        ("Ponder", "true"),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inner": 3}, "inner: '3' is not a table"),
        ({"inner": {}}, "inner: number is missing"),
        ({"inner": {"number": "3"}}, "inner.number: '3' is not an integer"),
        ({"inner": {"number": True}}, "inner.number: 'True' is not an integer"),
        ({"inner": {"number": 10**18}}, "inner.number: '1000000000000000000' is not an integer"),
        ({"inner": {"number": 1, "share": float("nan")}}, "inner.share: 'nan' is not a number"),
        ({"inner": {"number": 13}}, "inner: 13 is unlucky"),
        ({"inners": [{"number": 1}, {"numbr": 1}]}, "inners[1]: unknown key 'numbr'; did you mean 'number='?"),
        ({"words": "ab"}, "words: 'ab' is not a list"),
        ({"words": ["a", 1]}, "words[1]: '1' is not a string"),
        ({"point": [1]}, "point: '[1]' is not a list of 2"),
        ({"options": ["a"]}, "options: \"['a']\" is not a table"),
        ({"options": {"a": 1.5}}, "options.a: '1.5' is not a string"),
        ({"colour": "green"}, "colour: 'green' is not one of red, blue"),
        ({"mode": "medium"}, "mode: 'medium' is not one of slow, fast"),
        ({"control": "tc=x"}, "control: 'tc=x'"),
        ({"control": 5}, "control: '5' is not a string"),
        ({"flag": 1}, "flag: '1' is not true or false"),
        ({"more": 1}, "unknown key 'more'"),
    ],
)
def test_what_does_not_fit_is_told_by_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DeserializeError) as raised:
        deserialize(Outer, PLAIN | change)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_words_of_the_command_line() -> None:
    assert parse_words(Inner, ["number=3", "share=0.25"], "--inner") == Inner(3, 0.25)
    for words, message in [
        (["number"], "--inner: 'number': expected KEY=VALUE"),
        (["number=1", "number=2"], "--inner: 'number=2': duplicate key 'number'"),
        (["number=x"], "--inner.number: 'x' is not an integer"),
        (["size=3"], "--inner: unknown key 'size'"),
    ]:
        with pytest.raises(DeserializeError) as raised:
            parse_words(Inner, words, "--inner")
        assert str(raised.value).startswith(message)
