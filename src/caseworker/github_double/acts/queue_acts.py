"""The merge queue: people put pull requests in. What it merges is left to tests."""

from caseworker.github_double.access import PUSH, require
from caseworker.github_double.acts.announce import author_of
from caseworker.github_double.acts.pull_acts import tell_pull
from caseworker.github_double.derive.effective_rules import rules_of
from caseworker.github_double.derive.merge_state import blockers
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.details import QueueEntry
from caseworker.github_double.entities.repository import PullRequest
from caseworker.github_double.refusals import Unprocessable
from caseworker.github_double.state import GitHub


def enqueue(github: GitHub, actor: Actor, pull: PullRequest) -> QueueEntry:
    require(actor, pull.repository, PUSH)
    if not rules_of(pull.repository, pull.base.ref).uses_queue:
        raise Unprocessable("The base branch has no merge queue.")
    unmet = blockers(pull)
    if unmet or pull.is_draft or not pull.is_open:
        raise Unprocessable(" ".join(unmet) or "Pull Request is not mergeable")
    if pull.queue_entry is None:
        key, user = github.new_key("MQE"), author_of(actor)
        pull.queue_entry = QueueEntry(id=key.id, node_id=key.node_id, enqueued_by=user, enqueued_at=github.now())
        tell_pull(github, user, pull, "enqueued")
    return pull.queue_entry
