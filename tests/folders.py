"""The folders of the checkout, for tests in any folder."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
DATA, EXAMPLES = TESTS / "data", ROOT / "docs" / "examples"
