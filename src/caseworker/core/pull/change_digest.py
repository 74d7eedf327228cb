"""Names a change by its diff, so that the same change on another base gets the same name. Pure.

As `git patch-id`, but white space counts, and so does the content of binary files.
"""

import hashlib
import re
from typing import Final

_HUNK: Final = re.compile(rb"@@ -\d+(,\d+)? \+\d+(,\d+)? @@.*")
_FILE: Final = b"diff --git "
_BINARY: Final = b"Binary files "


def change_digest(diff: bytes) -> str:
    """`diff`: of git, with full object names. Line numbers and the names of text blobs are left out."""
    found = hashlib.sha256()
    index = b""
    is_header = True
    for line in diff.split(b"\n"):
        if line.startswith(_FILE):
            is_header, index = True, b""
        elif line.startswith(b"@@ "):
            is_header = False
            line = _HUNK.sub(rb"@@\1\2", line)
        elif is_header and line.startswith(b"index "):
            index = line
            continue
        elif is_header and line.startswith(_BINARY):
            line = line + index
        found.update(line + b"\n")
    return found.hexdigest()
