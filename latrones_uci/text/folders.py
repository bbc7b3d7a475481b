"""The folders of the user for what this program keeps."""

import os
import sys
from pathlib import Path
from typing import Literal

_XDG = {"data": ("XDG_DATA_HOME", ".local/share"), "cache": ("XDG_CACHE_HOME", ".cache")}


def user_folder(kind: Literal["data", "cache"], *, windows: bool = sys.platform == "win32") -> Path:
    """Return the folder for data that are worth keeping, or for those that can be made again; it may not exist."""
    if windows:
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        variable, default = _XDG[kind]
        base = os.environ.get(variable, "")
        if not os.path.isabs(base):  # the XDG Base Directory Specification says to ignore relative paths
            base = str(Path.home() / default)
    return Path(base, "latrones-uci")
