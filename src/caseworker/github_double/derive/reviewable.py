"""Whether a push is reviewable, as GitHub calls it: whether it changes the diff of the pull request.

A clean rebase or merge of the base is not: approvals outlive it.
"""

import re

from caseworker.github_double.entities.repository import PullRequest
from caseworker.github_double.git_diffs import diff_text
from caseworker.github_double.git_store import branch_head


def changes_diff(pull: PullRequest, before: str) -> bool:
    """`before`: the head that was replaced."""
    base = branch_head(pull.repository.path, pull.base.ref)
    return base is None or _change(pull, base, before) != _change(pull, base, pull.head.sha)


def _change(pull: PullRequest, base: str, head: str) -> list[str]:
    """The diff without line numbers and, where it shows all contents, without the names of blobs."""
    lines = diff_text(pull.repository.path, base, head).splitlines()
    is_shown = not any(line.startswith("Binary files ") for line in lines)
    return [re.sub(r"^@@ .* @@.*", "@@", line) for line in lines if not (is_shown and line.startswith("index "))]
