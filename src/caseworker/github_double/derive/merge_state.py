"""Whether a pull request can be merged, and why not, as GitHub computes it."""

from typing import Literal

from caseworker.github_double import git_store
from caseworker.github_double.access import role_of
from caseworker.github_double.derive.check_results import required_results, rollup
from caseworker.github_double.derive.effective_rules import rules_of
from caseworker.github_double.entities.accounts import Role, User
from caseworker.github_double.entities.details import TrialMerge
from caseworker.github_double.entities.repository import PullRequest, Review

Mergeable = Literal["UNKNOWN", "MERGEABLE", "CONFLICTING"]
MergeState = Literal["UNKNOWN", "DIRTY", "DRAFT", "BLOCKED", "BEHIND", "UNSTABLE", "CLEAN"]
Decision = Literal["APPROVED", "CHANGES_REQUESTED", "REVIEW_REQUIRED"]


def base_sha(pull: PullRequest) -> str | None:
    """The newest commit of the base branch, None if it was deleted."""
    return git_store.branch_head(pull.repository.path, pull.base.ref)


def known_mergeable(pull: PullRequest) -> Mergeable:
    """What is known without starting the computation."""
    trial = pull.trial_merge
    if trial is None or not pull.is_open or (trial.base, trial.head) != (base_sha(pull), pull.head.sha):
        return "UNKNOWN"
    return "MERGEABLE" if trial.is_clean else "CONFLICTING"


def look_trial(pull: PullRequest) -> TrialMerge | None:
    """The trial merge as it is known. The first look at a pair of commits starts a new one and does not see it yet.

    A new head is unknown at first. After the base has moved, the first look still gets the trial with the old base.
    """
    trial = pull.trial_merge
    if known_mergeable(pull) == "UNKNOWN":
        try_merge(pull)
    if trial is None or not pull.is_open or trial.head != pull.head.sha:
        return None
    return trial


def answer_of(trial: TrialMerge | None) -> Mergeable:
    if trial is None:
        return "UNKNOWN"
    return "MERGEABLE" if trial.is_clean else "CONFLICTING"


def look_mergeable(pull: PullRequest) -> Mergeable:
    return answer_of(look_trial(pull))


def try_merge(pull: PullRequest) -> None:
    """Makes the trial merge for the commits as they are now."""
    base = base_sha(pull)
    if base is None or not pull.is_open:
        return
    path = pull.repository.path
    tree = git_store.trial_merge(path, base, pull.head.sha)
    commit = None
    if tree is not None:
        message = f"Merge {pull.head.sha} into {base}"
        commit = git_store.commit_tree(path, tree, (base, pull.head.sha), message)
        git_store.update_ref(path, f"refs/pull/{pull.number}/merge", commit)
    pull.trial_merge = TrialMerge(base=base, head=pull.head.sha, is_clean=tree is not None, commit=commit)


def is_behind(pull: PullRequest) -> bool:
    base = base_sha(pull)
    return base is not None and not git_store.is_ancestor(pull.repository.path, base, pull.head.sha)


def opinions(pull: PullRequest, *, writers_only: bool = True) -> dict[User, Review]:
    """The newest review of each person that approves or requests changes and was not dismissed."""
    latest: dict[User, Review] = {}
    for review in pull.reviews:
        if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            latest[review.author] = review
    return {
        author: review
        for author, review in latest.items()
        if review.state != "DISMISSED" and not (writers_only and role_of(author, pull.repository) < Role.WRITE)
    }


def review_decision(pull: PullRequest) -> Decision | None:
    rules = rules_of(pull.repository, pull.base.ref)
    counted = opinions(pull)
    if any(review.state == "CHANGES_REQUESTED" for review in counted.values()):
        return "CHANGES_REQUESTED"
    approvals = [review for review in counted.values() if review.state == "APPROVED"]
    if rules.needs_last_push_approval:
        last = pull.last_push
        if last is None or not any(one.commit in last.heads and one.author is not last.by for one in approvals):
            return "REVIEW_REQUIRED"
    if len(approvals) >= max(rules.approvals, 1):
        return "APPROVED"
    return "REVIEW_REQUIRED" if rules.approvals else None


def blockers(pull: PullRequest) -> list[str]:
    """Rules of the base branch that are not met, each in a sentence of GitHub's kind."""
    rules = rules_of(pull.repository, pull.base.ref)
    unmet = [
        f'Required status check "{check.context}" is {_words(result)}.'
        for check, result in required_results(pull).items()
        if result != "success"
    ]
    decision = review_decision(pull)
    if decision == "CHANGES_REQUESTED" and rules.needs_pull:
        unmet.append("Changes must be addressed before merging.")
    if decision == "REVIEW_REQUIRED":
        needed = max(rules.approvals, 1)
        reviews = "reviews are" if needed > 1 else "review is"
        unmet.append(f"At least {needed} approving {reviews} required by reviewers with write access.")
    if rules.needs_resolved_threads and any(thread.resolved_by is None for thread in pull.threads):
        unmet.append("A conversation must be resolved before this pull request can be merged.")
    if rules.needs_signatures:
        unmet.append("Commits must have verified signatures.")
    if rules.is_locked:
        unmet.append("The base branch is locked.")
    return unmet


def merge_state(pull: PullRequest, mergeable: Mergeable) -> MergeState:
    if not pull.is_open or mergeable == "UNKNOWN":
        return "UNKNOWN"
    if mergeable == "CONFLICTING":
        return "DIRTY"
    if pull.is_draft:
        return "DRAFT"
    if blockers(pull):
        return "BLOCKED"
    if rules_of(pull.repository, pull.base.ref).is_strict and is_behind(pull):
        return "BEHIND"
    return "UNSTABLE" if rollup(pull.repository, pull.head.sha) in ("FAILURE", "PENDING") else "CLEAN"


def _words(result: str) -> str:
    return {"failure": "failing", "pending": "pending", "missing": "expected"}[result]
