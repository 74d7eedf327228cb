"""Leaves Caseworker's own virtual environment out of a search path.

The README tells people to activate it. A repository's tests must not find its interpreter there: they would pass with
our packages and fail everywhere else.
"""

import os
import sys
from pathlib import Path


def without_our_own(search_path: str) -> str:
    if sys.prefix == sys.base_prefix:
        return search_path
    ours = Path(sys.prefix) / "bin"
    return os.pathsep.join(folder for folder in search_path.split(os.pathsep) if Path(folder) != ours)
