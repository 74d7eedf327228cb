"""Commits, refs and comparisons in GraphQL, read from git."""

from typing import Final

from caseworker.github_double import git_store
from caseworker.github_double.access import READ_SETTINGS, may, require
from caseworker.github_double.derive.check_results import suites_of
from caseworker.github_double.derive.effective_rules import protection_of, rules_of, rulesets_of
from caseworker.github_double.entities.protection import Protection
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.node_views import (
    BranchRules,
    CommitView,
    Comparison,
    GitActorView,
    PullCommit,
    RefView,
    Rollup,
    RuleView,
    TreeView,
)
from caseworker.github_double.graphql.pages import Page, page
from caseworker.github_double.moments import node_id_of
from caseworker.github_double.shapes.repository_shapes import repository_page
from caseworker.github_double.state import GitHub


def find_ref(repository: Repository, name: str) -> RefView | None:
    """A branch by its short or full name."""
    short = name.removeprefix("refs/heads/")
    sha = git_store.branch_head(repository.path, short)
    return None if sha is None else RefView(repository=repository, name=short, sha=sha)


def rollup_of(repository: Repository, sha: str) -> Rollup | None:
    found = Rollup(repository=repository, sha=sha)
    return found if found.contexts() else None


def git_actor(github: GitHub, name: str, email: str, date: str) -> GitActorView:
    user = next((one for one in github.users.values() if git_store.email_of(one) == email), None)
    return GitActorView(name=name, email=email, date=date, user=user)


def _author(commit: CommitView, ask: Ask) -> GitActorView:
    data = commit.data
    return git_actor(ask.github, data.author_name, data.author_email, data.authored_at)


def _committer(commit: CommitView, ask: Ask) -> GitActorView:
    data = commit.data
    return git_actor(ask.github, data.committer_name, data.committer_email, data.committed_at)


def _pulls_of(commit: CommitView) -> list[PullRequest]:
    return [pull for pull in commit.repository.pulls.values() if pull.head.sha == commit.sha]


def _parents(commit: CommitView, ask: Ask) -> Page:
    return page(ask, [CommitView(repository=commit.repository, sha=sha) for sha in commit.data.parents])


def _history(commit: CommitView, ask: Ask) -> Page:
    found = git_store.log(commit.repository.path, commit.sha)
    return page(ask, [CommitView(repository=commit.repository, sha=one.sha) for one in found])


COMMIT: Final[Fields[CommitView]] = {
    "id": lambda commit, _: f"C_{commit.sha}",
    "oid": lambda commit, _: commit.sha,
    "abbreviatedOid": lambda commit, _: commit.sha[:7],
    "message": lambda commit, _: commit.data.message,
    "messageHeadline": lambda commit, _: commit.data.headline,
    "messageBody": lambda commit, _: commit.data.message.partition("\n")[2].strip(),
    "author": _author,
    "authors": lambda commit, ask: page(ask, [_author(commit, ask)]),
    "committer": _committer,
    "authoredDate": lambda commit, _: commit.data.authored_at,
    "committedDate": lambda commit, _: commit.data.committed_at,
    "parents": _parents,
    "history": _history,
    "tree": lambda commit, _: TreeView(repository=commit.repository, sha=commit.data.tree),
    "url": lambda commit, ask: f"{repository_page(ask.github, commit.repository)}/commit/{commit.sha}",
    "commitUrl": lambda commit, ask: f"{repository_page(ask.github, commit.repository)}/commit/{commit.sha}",
    "repository": lambda commit, _: commit.repository,
    "statusCheckRollup": lambda commit, _: rollup_of(commit.repository, commit.sha),
    "checkSuites": lambda commit, ask: page(ask, suites_of(commit.repository, commit.sha)),
    "associatedPullRequests": lambda commit, ask: page(ask, _pulls_of(commit)),
    "signature": lambda _, __: None,
}
TREE: Final[Fields[TreeView]] = {
    "id": lambda tree, _: f"T_{tree.sha}",
    "oid": lambda tree, _: tree.sha,
    "abbreviatedOid": lambda tree, _: tree.sha[:7],
    "repository": lambda tree, _: tree.repository,
}
GIT_ACTOR: Final[Fields[GitActorView]] = {
    "name": lambda actor, _: actor.name,
    "email": lambda actor, _: actor.email,
    "date": lambda actor, _: actor.date,
    "user": lambda actor, _: actor.user if actor.user is not None and actor.user.kind == "User" else None,
}
PULL_COMMIT: Final[Fields[PullCommit]] = {
    "id": lambda one, _: f"PURC_{one.pull.number}_{one.commit.sha}",
    "commit": lambda one, _: one.commit,
    "pullRequest": lambda one, _: one.pull,
    "url": lambda one, ask: (
        f"{repository_page(ask.github, one.pull.repository)}/pull/{one.pull.number}/commits/{one.commit.sha}"
    ),
}


def _protection(ref: RefView, ask: Ask) -> Protection | None:
    """People who are no admins see none; a token without the permission gets an error."""
    is_person = ask.actor.token is None or ask.actor.token.kind == "classic"
    if is_person and not may(ask.actor, ref.repository, READ_SETTINGS):
        return None
    require(ask.actor, ref.repository, READ_SETTINGS)
    return protection_of(ref.repository, ref.name)


def _update_rule(ref: RefView, _ask: Ask) -> BranchRules | None:
    """Classic protection only, as on GitHub: rulesets are in `rules`."""
    protection = protection_of(ref.repository, ref.name)
    return (
        None
        if protection is None
        else BranchRules(pattern=protection.pattern, rules=rules_of(ref.repository, ref.name))
    )


def _rules(ref: RefView, ask: Ask) -> Page:
    found = [
        RuleView(repository=ref.repository, ruleset=ruleset, rule=rule)
        for ruleset in rulesets_of(ref.repository, ref.name)
        for rule in ruleset.rules
    ]
    return page(ask, found)


def _pulls_from(ref: RefView, ask: Ask) -> Page:
    states = ask.texts("states")
    found = [
        pull for pull in ref.repository.pulls.values() if pull.head.ref == ref.name and not pull.is_cross_repository
    ]
    return page(ask, [pull for pull in found if states is None or pull_state(pull) in states])


def pull_state(pull: PullRequest) -> str:
    return "MERGED" if pull.merged is not None else pull.issue.state.upper()


def _compare(ref: RefView, ask: Ask) -> Comparison | None:
    other = git_store.resolve(ref.repository.path, ask.text("headRef").rpartition(":")[2])
    return None if other is None else Comparison(repository=ref.repository, base=ref.sha, head=other)


REF: Final[Fields[RefView]] = {
    "id": lambda ref, _: f"{node_id_of('REF', ref.repository.id)}:refs/heads/{ref.name}",
    "name": lambda ref, _: ref.name,
    "prefix": lambda _, __: "refs/heads/",
    "target": lambda ref, _: CommitView(repository=ref.repository, sha=ref.sha),
    "repository": lambda ref, _: ref.repository,
    "branchProtectionRule": _protection,
    "refUpdateRule": _update_rule,
    "rules": _rules,
    "compare": _compare,
    "associatedPullRequests": _pulls_from,
}


def _ahead(comparison: Comparison) -> int:
    return git_store.count(comparison.repository.path, comparison.base, comparison.head)


def _behind(comparison: Comparison) -> int:
    return git_store.count(comparison.repository.path, comparison.head, comparison.base)


def _comparison_status(comparison: Comparison, _ask: Ask) -> str:
    ahead, behind = _ahead(comparison), _behind(comparison)
    if ahead and behind:
        return "DIVERGED"
    if ahead or behind:
        return "AHEAD" if ahead else "BEHIND"
    return "IDENTICAL"


COMPARISON: Final[Fields[Comparison]] = {
    "id": lambda one, _: f"CMP_{one.base}_{one.head}",
    "aheadBy": lambda one, _: _ahead(one),
    "behindBy": lambda one, _: _behind(one),
    "status": _comparison_status,
    "baseTarget": lambda one, _: CommitView(repository=one.repository, sha=one.base),
    "headTarget": lambda one, _: CommitView(repository=one.repository, sha=one.head),
}
