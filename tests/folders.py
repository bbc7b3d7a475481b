"""The folders of the checkout, for tests in any folder."""

import errno
import os
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
OPENED_FOLDER = os.strerror(errno.EACCES if sys.platform == "win32" else errno.EISDIR)
"""What the system says of a folder that is opened as a file."""
DATA, EXAMPLES = TESTS / "data", ROOT / "docs" / "examples"
