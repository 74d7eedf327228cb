"""Words for a delivered branch that is at another commit than the one that was built and reviewed."""

from caseworker.core.base.ids import Sha, short_name
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.turns import at_work
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Phrasing, begin


def may_be_merged(case: IssueCase) -> bool:
    """Whether its branch is there for people to merge, with a commit that is proven."""
    return not case.is_over and case.delivery.pull_request is not None and case.delivery.pushed is not None


def moved_words(case: IssueCase, tip: Sha | None, phrasing: Phrasing | None = None) -> str:
    """A sentence if the delivered branch is at another commit than the proven one. `phrasing`: adds the commands that
    have the new commit built and reviewed; null: not added, as in a list. Empty: the branch did not move, or its
    commit is not known (`tip` is null)."""
    if tip is None or not may_be_merged(case) or tip == case.delivery.pushed:
        return ""
    if at_work(case) and tip == case.delivery.checkpoint:
        return ""  # it is just being delivered
    proven = short_name(case.delivery.pushed)
    told = f"`{case.branch}` is at {short_name(tip)}, which is not proven: the proof is of {proven}."
    return f"{told}{_how(case, phrasing)}" if phrasing is not None else told


def _how(case: IssueCase, phrasing: Phrasing) -> str:
    """The hand-back takes in what people have pushed. A case at work does so by itself before it pushes again."""
    if at_work(case):
        return ""
    back = phrasing.command(case.id, MessageKind.HAND_BACK)
    if case.people.taken_by:
        return f" {begin(back)} has it built and reviewed."
    return f" {begin(phrasing.command(case.id, MessageKind.TAKEOVER))}, then {back} have it built and reviewed."
