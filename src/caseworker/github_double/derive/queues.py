"""The merge queue of a branch."""

from caseworker.github_double.entities.repository import PullRequest


def queue_of(pull: PullRequest) -> list[PullRequest]:
    """The pull requests that wait to be merged into the same branch, in their order."""
    waiting = [
        (one.queue_entry.enqueued_at, one.queue_entry.id, one)
        for one in pull.repository.pulls.values()
        if one.queue_entry is not None and one.base.ref == pull.base.ref
    ]
    return [one for _, _, one in sorted(waiting, key=lambda entry: entry[:2])]
