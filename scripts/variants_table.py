#!/usr/bin/env python3
"""Writes the tables of docs/variants.md anew from the code: the keys of a ruleset, and what does not combine."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from latrones_uci.game.combinations import CONDITIONS  # noqa: E402
from latrones_uci.game.ruleset import documentation  # noqa: E402

PAGE = ROOT / "docs" / "variants.md"


def keys_table() -> str:
    rows = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    rows += [f"| `{key}` | {values} | {default if default == 'required' else f'`{default}`'} | {meaning} |"
             for key, values, default, meaning in documentation()]
    return "\n".join(rows)


def combinations_table() -> str:
    rows = ["| keys | what must hold |", "| --- | --- |"]
    rows += [f"| {', '.join(f'`{key}`' for key in keys.split(', '))} | {words} |" for keys, words, _ in CONDITIONS]
    return "\n".join(rows)


def with_tables(page: str) -> str:
    """The page with both tables between their marks written anew."""
    for name, table in (("keys", keys_table()), ("combinations", combinations_table())):
        head, mark, rest = page.partition(f"<!-- {name}: made by scripts/variants_table.py -->\n")
        _, end, tail = rest.partition(f"<!-- end of {name} -->")
        if not mark or not end:
            raise ValueError(f"{PAGE} lacks the marks of the table '{name}'")
        page = f"{head}{mark}{table}\n{end}{tail}"
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
