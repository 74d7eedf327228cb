"""Why a pull request is not ready: the closed list of reasons, in the order in which they lead, with their words."""

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

Mover = Literal["us", "author", "reviewer", "maintainer", "service", "nobody"]
"""`us`: Caseworker where it looks after the pull request, otherwise its author. `nobody`: only time has to pass."""
Act = Literal["resolve", "update_branch", "wait", "ask_person", "stop"]
"""What a session does about it: `resolve` costs money, the others don't."""


class ReasonKind(StrEnum):
    """In the order of leading: the first that holds is the one to tell first."""

    HUMAN_TOOK_OVER = "human_took_over"
    BEHIND_BASE = "behind_base"
    CI_AWAITING_APPROVAL = "ci_awaiting_approval"
    FAILING_CHECKS = "failing_checks"
    CHECK_MISSING = "check_missing"
    PENDING_CHECKS = "pending_checks"
    MERGEABLE_PENDING = "mergeable_pending"
    CHANGES_REQUESTED = "changes_requested"
    OPEN_THREADS = "open_threads"
    REVIEW_REQUIRED = "review_required"
    DRAFT = "draft"
    REVIEW_BARRIER = "review_barrier"
    BLOCKED_UNEXPLAINED = "blocked_unexplained"


class Evidence(BaseModel):
    """One thing that was seen."""

    model_config = ConfigDict(frozen=True)

    what: str
    url: str = ""
    id: str = ""


class Reason(BaseModel):
    model_config = ConfigDict(frozen=True)

    kind: ReasonKind
    mover: Mover
    names: tuple[str, ...] = ()
    """Who exactly, by login, where it is known."""
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    """When it passes by itself, where that is known."""
    title: str = ""
    """The reason in a few words, where those of its kind would not be true."""
    evidence: tuple[Evidence, ...] = ()
    act: Act
    help: str
    """What the one who must move can do."""

    @property
    def short(self) -> str:
        return self.title or EXPLANATIONS[self.kind].short


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The words of one reason."""

    short: str
    means: str
    moves: str
    helps: str


EXPLANATIONS: Final = MappingProxyType(
    {
        ReasonKind.HUMAN_TOOK_OVER: Explanation(
            short="a person has pushed",
            means="The head is a commit that Caseworker neither pushed nor was asked to look after.",
            moves="Whoever pushed has the pull request now.",
            helps="Go on yourself, or have it shipped again: then Caseworker continues from the new head.",
        ),
        ReasonKind.BEHIND_BASE: Explanation(
            short="behind its base, or in conflict with it",
            means="GitHub says that the branch conflicts with its base, or a rule wants it up to date and it is not. A "
            "branch that is only older than its base is left alone: an update would restart CI and may void approvals.",
            moves="Caseworker where it looks after the pull request, otherwise the author.",
            helps="Merge the base into the branch, or rebase the branch, and solve the conflicts.",
        ),
        ReasonKind.CI_AWAITING_APPROVAL: Explanation(
            short="CI waits for a maintainer's approval",
            means="The pull request comes from a fork, and its workflows don't start before a maintainer allows it.",
            moves="A maintainer.",
            helps='Look at the change, then press "Approve workflows to run" on the pull request.',
        ),
        ReasonKind.FAILING_CHECKS: Explanation(
            short="checks have failed",
            means="A required check has failed, was cancelled or went stale. Where no rule requires checks, all count.",
            moves="Caseworker where it looks after the pull request, otherwise the author.",
            helps="Read the check's log, and push a fix or run it again.",
        ),
        ReasonKind.CHECK_MISSING: Explanation(
            short="required checks were never reported",
            means="A rule requires a check that nobody has reported on this commit, and the checks had time to begin. "
            "It will not come by itself: no workflow starts while there is a conflict, a path filter leaves the change "
            "out, or the rule wants the check from another App.",
            moves="A maintainer; the author where a conflict is the cause.",
            helps="Start the check, let its workflow run for this change, or correct its name or App in the rule.",
        ),
        ReasonKind.PENDING_CHECKS: Explanation(
            short="checks are running",
            means="Checks that count have not ended, or have had no time yet to begin: no checks at all are not green "
            "before the set of checks has settled.",
            moves="CI.",
            helps="Wait. If a check stays queued, look whether its runner is there.",
        ),
        ReasonKind.MERGEABLE_PENDING: Explanation(
            short="GitHub has not computed the merge",
            means="GitHub has not answered yet whether the branch can be merged, or its answer is about an older base.",
            moves="GitHub.",
            helps="Wait a moment and look again.",
        ),
        ReasonKind.CHANGES_REQUESTED: Explanation(
            short="changes are requested",
            means="The newest review of somebody with write access requests changes.",
            moves="Caseworker or the author; the reviewer once there is a newer commit than the one reviewed.",
            helps="Make the changes, or answer why not, and ask for another review.",
        ),
        ReasonKind.OPEN_THREADS: Explanation(
            short="review threads are open",
            means="A review thread is not resolved, even if the code under it has changed since.",
            moves="Whoever did not speak last: Caseworker or the author, or else the reviewer.",
            helps="Answer in the thread, and resolve it when it is settled.",
        ),
        ReasonKind.REVIEW_REQUIRED: Explanation(
            short="a review is required",
            means="A rule of the base branch demands more approvals than there are.",
            moves="The reviewers who were asked, or anybody with write access.",
            helps="Review the pull request, or ask somebody to.",
        ),
        ReasonKind.DRAFT: Explanation(
            short="a draft",
            means="The pull request is marked as a draft.",
            moves="The author.",
            helps='Press "Ready for review" when it is.',
        ),
        ReasonKind.REVIEW_BARRIER: Explanation(
            short="people have had no time to look",
            means="Caseworker pushed less than 20 minutes ago, and no person has reviewed that commit.",
            moves="Nobody: it passes by itself. A review by a person with write access ends it at once.",
            helps="Wait, or review the commit.",
        ),
        ReasonKind.BLOCKED_UNEXPLAINED: Explanation(
            short="GitHub blocks the merge for a reason that it does not show",
            means="GitHub says that the merge is blocked, and nothing that Caseworker can read explains it. What could "
            "not be read is listed.",
            moves="A maintainer.",
            helps="Look at the merge box of the pull request, or give Caseworker the permission that is named.",
        ),
    }
)
