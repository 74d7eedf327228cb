"""What to do with the branch of a pull request: leave it, rebase it, merge its base in, or ask its contributor. Pure.

A push restarts CI and may void approvals. So a branch that is only older than its base is left alone: it counts as
behind only where GitHub says so. Nothing is ever pushed to a fork, also where its contributor allows it to maintainers.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from caseworker.core.pull.branch_updates import BranchCommit
from caseworker.core.pull.pull_facts import Fact, PullFacts


class BranchPlan(StrEnum):
    LEAVE_ALONE = "leave_alone"
    REBASE = "rebase"
    """If an owner asked and there are commits of people, they are replaced by exact copies. In a conflict none can be
    made: then the base is merged in instead."""
    MERGE_IN = "merge_in"
    """Merge the base in: there are commits of people, or merges, which a rebase would drop with their solved
    conflicts."""
    ASK_CONTRIBUTOR = "ask_contributor"
    """It comes from a fork: only its contributor pushes there. We go on with the head as it is."""


class BranchFacts(Fact):
    """What the plan depends on."""

    is_open: bool = True
    is_decided: bool = False
    is_fork: bool = False
    standing: Literal["current", "behind", "conflicting", "unknown"] = "current"
    """As GitHub says it."""
    all_ours: bool = False
    has_merges: bool = False
    owner_asked: bool = False
    """An owner asked for an update from the base since the last one."""


def plan_branch(facts: BranchFacts) -> BranchPlan:
    if not _needs_update(facts):
        return BranchPlan.LEAVE_ALONE
    if facts.is_fork:
        return BranchPlan.ASK_CONTRIBUTOR
    may_rebase = facts.all_ours or facts.owner_asked
    return BranchPlan.REBASE if may_rebase and not facts.has_merges else BranchPlan.MERGE_IN


def branch_facts(pull: PullFacts, commits: Sequence[BranchCommit], *, owner_asked: bool) -> BranchFacts:
    """`commits`: of the branch since it left its base. None is known: then none counts as ours."""
    return BranchFacts(
        is_open=pull.subject.state == "open",
        is_decided=pull.decided is not None,
        is_fork=pull.subject.is_fork,
        standing=_standing(pull),
        all_ours=bool(commits) and all(one.is_ours for one in commits),
        has_merges=any(one.is_merge for one in commits),
        owner_asked=owner_asked,
    )


def _needs_update(facts: BranchFacts) -> bool:
    if not facts.is_open or facts.is_decided:
        return False
    return facts.owner_asked or facts.standing in ("behind", "conflicting")


def _standing(pull: PullFacts) -> Literal["current", "behind", "conflicting", "unknown"]:
    merge = pull.mergeability
    if merge.answer == "conflicting" or merge.state == "dirty":
        return "conflicting"
    if merge.state == "behind":
        return "behind"
    if merge.answer == "unknown" or merge.state == "unknown" or merge.is_stale:
        return "unknown"
    return "current"
