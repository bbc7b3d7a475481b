"""Rulesets are written as TOML, and read back as they were."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given

from latrones_uci.game import (
    Ruleset,
    VariantError,
    all_variants,
    builtin_variants,
    find_variant,
    load_variants,
    parse_variants,
)
from naive.fields import Fields
from rulesets import as_toml, rulesets


@pytest.mark.parametrize("name", all_variants())
def test_built_in_rulesets(name: str, tmp_path: Path) -> None:
    ruleset = find_variant(name)
    if name in builtin_variants():  # which a file cannot define again
        ruleset = dataclasses.replace(ruleset, name=f"my.{name}")
    path = tmp_path / "variants.toml"
    path.write_text(ruleset.to_toml(), encoding="utf-8")
    assert load_variants(path)[ruleset.name] == ruleset


@pytest.mark.long
@given(rulesets())
def test_random_rulesets(fields: Fields) -> None:
    read = parse_variants(as_toml("drawn", fields))
    assert parse_variants(read["drawn"].to_toml()) == read


def changed(**values: str) -> Ruleset:
    return dataclasses.replace(find_variant("bell"), **values)  # type: ignore[arg-type]


def test_any_text() -> None:
    texts = changed(name="_x", title='"\\t\\" # ]', source="one\ntwo\t\u2029\x7f\x00")
    with pytest.raises(VariantError, match="'_x': invalid name"):
        parse_variants(texts.to_toml())
    texts = dataclasses.replace(texts, name="x.y_z")
    assert parse_variants(texts.to_toml()) == {"x.y_z": texts}
    with pytest.raises(VariantError, match="already exists"):
        parse_variants(changed().to_toml(), builtin_variants())
    with pytest.raises(VariantError, match="invalid name"):
        parse_variants(changed(name='a"]\n[b').to_toml())
