"""Says where the work of a stopped session is that was not pushed, and how to take it."""

from caseworker.core.base.text import code
from caseworker.core.pull.case import PullCase


def unpushed_words(case: PullCase) -> str:
    """A sentence on where the work is. Empty: there is none, or it is still to be put on a branch."""
    rest = case.rest
    if rest.unpushed is None:
        return ""
    if rest.kept_on:
        take = code(f"git fetch origin {rest.kept_on} && git merge FETCH_HEAD")
        return (
            f"Work that was not pushed to {code(case.sight.head_branch)} is on {code(rest.kept_on)}. "
            f"To take it, on your copy of the branch: {take}"
        )
    if rest.not_kept:
        reason = rest.not_kept.rstrip(".")
        commit = code(rest.unpushed[:12])
        return f"Work that was not pushed could not be put on a branch: {reason}. Caseworker keeps it as {commit}."
    return ""
