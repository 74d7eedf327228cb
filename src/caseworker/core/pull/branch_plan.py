"""What to do with the branch of a pull request: leave it, rebase it, merge its base in, or ask its contributor. Pure.

A push restarts CI and may void approvals. So a branch that is only older than its base is left alone: it counts as
behind only where GitHub says so. Nothing is ever pushed to a fork, also where its contributor allows it to maintainers.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from caseworker.core.pull.approvals import VoidedApproval
from caseworker.core.pull.branch_updates import BranchCommit
from caseworker.core.pull.pull_facts import Fact, PullFacts


class Need(StrEnum):
    """Why a branch is updated from its base."""

    CONFLICTING = "conflicting"
    BEHIND = "behind"
    OWNER_ASKED = "owner_asked"


class Rest(StrEnum):
    """Why a branch is left alone."""

    NOT_OPEN = "not_open"
    DECIDED = "decided"
    """A person has put it into the merge queue or switched auto-merge on."""
    UNKNOWN = "unknown"
    """GitHub has not computed the merge, or on an older base."""
    APPROVED = "approved"
    """Approved and clean: an update would only put the approvals at risk."""
    NOT_BEHIND = "not_behind"


class MergeCause(StrEnum):
    """Why the base is merged in and the branch is not rebased."""

    PEOPLES_COMMITS = "peoples_commits"
    HAS_MERGES = "has_merges"
    """A rebase drops merge commits, and with them how their conflicts were solved."""


class LeaveAlone(Fact):
    kind: Literal["leave_alone"] = "leave_alone"
    reason: Rest


class Rebase(Fact):
    kind: Literal["rebase"] = "rebase"
    need: Need
    copies_peoples_commits: bool = False
    """An owner asked, and there are commits of people: they are replaced by exact copies. In a conflict none can be
    made: then the base is merged in instead."""
    voids: tuple[VoidedApproval, ...] = ()


class MergeIn(Fact):
    kind: Literal["merge_in"] = "merge_in"
    need: Need
    cause: MergeCause
    voids: tuple[VoidedApproval, ...] = ()


class AskContributor(Fact):
    """It comes from a fork: only its contributor pushes there. We go on with the head as it is."""

    kind: Literal["ask_contributor"] = "ask_contributor"
    need: Need
    contributor: str
    """Empty: the account was deleted."""


class BranchFacts(Fact):
    """What the plan depends on."""

    is_open: bool = True
    is_decided: bool = False
    is_fork: bool = False
    contributor: str = ""
    standing: Literal["current", "behind", "conflicting", "unknown"] = "current"
    """As GitHub says it."""
    all_ours: bool = False
    has_merges: bool = False
    owner_asked: bool = False
    """An owner asked for an update from the base since the last one."""
    is_approved: bool = False
    """Approved and clean: GitHub would let a person merge it."""
    voids: tuple[VoidedApproval, ...] = ()
    """Approvals that a push would void."""


def plan_branch(facts: BranchFacts) -> LeaveAlone | Rebase | MergeIn | AskContributor:
    need = _need(facts)
    if not isinstance(need, Need):
        return LeaveAlone(reason=need)
    if facts.is_fork:
        return AskContributor(need=need, contributor=facts.contributor)
    if facts.has_merges:
        return MergeIn(need=need, cause=MergeCause.HAS_MERGES, voids=facts.voids)
    if not facts.all_ours and not facts.owner_asked:
        return MergeIn(need=need, cause=MergeCause.PEOPLES_COMMITS, voids=facts.voids)
    return Rebase(need=need, copies_peoples_commits=not facts.all_ours, voids=facts.voids)


def branch_facts(
    pull: PullFacts, commits: Sequence[BranchCommit], *, owner_asked: bool, voids: Sequence[VoidedApproval]
) -> BranchFacts:
    """`commits`: of the branch since it left its base. None is known: then none counts as ours."""
    return BranchFacts(
        is_open=pull.subject.state == "open",
        is_decided=pull.decided is not None,
        is_fork=pull.subject.is_fork,
        contributor=pull.subject.author,
        standing=_standing(pull),
        all_ours=bool(commits) and all(one.is_ours for one in commits),
        has_merges=any(one.is_merge for one in commits),
        owner_asked=owner_asked,
        is_approved=pull.reviews.decision == "approved" and pull.mergeability.state in ("clean", "has_hooks"),
        voids=tuple(voids),
    )


def _need(facts: BranchFacts) -> Need | Rest:
    if not facts.is_open:
        return Rest.NOT_OPEN
    if facts.is_decided:
        return Rest.DECIDED
    match facts.standing:
        case "conflicting":
            return Need.CONFLICTING
        case "behind":
            return Need.BEHIND
        case "current" | "unknown":
            pass
    if facts.owner_asked:
        return Need.OWNER_ASKED
    if facts.standing == "unknown":
        return Rest.UNKNOWN
    return Rest.APPROVED if facts.is_approved else Rest.NOT_BEHIND


def _standing(pull: PullFacts) -> Literal["current", "behind", "conflicting", "unknown"]:
    merge = pull.mergeability
    if merge.answer == "conflicting" or merge.state == "dirty":
        return "conflicting"
    if merge.state == "behind":
        return "behind"
    if merge.answer == "unknown" or merge.state == "unknown" or merge.is_stale:
        return "unknown"
    return "current"
