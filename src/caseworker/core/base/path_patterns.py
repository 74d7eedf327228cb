"""Patterns of paths as people write them: `src/api/**`, `*.sql`."""

from fnmatch import fnmatchcase


def pattern_covers(pattern: str, path: str) -> bool:
    """Whether a pattern matches: `*` stops at a slash, `**` does not. A matching folder covers what is in it.

    The time grows with the product of both lengths at most: patterns come from people."""
    parts = path.split("/")
    reached = {0}
    for piece in pattern.split("/"):
        if piece == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], piece)}
        if not reached:
            return False
    return True
