"""Adds to an issue case's outbox the posts that belong to a move."""

from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase, cap_of
from caseworker.core.issue.posts import Draft, IssueAbout, IssuePost
from caseworker.core.issue.states import PARKED, WAITING
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.people.messages import Audience


def add_posts(
    before: IssueCase,
    after: IssueCase,
    draft: Draft | None,
    *,
    subject: Subject | None = None,
    waits_again: bool = False,
) -> IssueCase:
    """Adds the posts for the step from `before` to `after` to the outbox. A new wait keeps the post that asks for it.
    `waits_again`: the case returns to an earlier wait, which people know of."""
    news = None if waits_again or _tells_the_end(draft) else _news(before, after)
    told = [_post(after, news)] if news is not None else []
    if draft is not None:
        told.append(_post(after, draft, subject))
        wait = after.waiting.wait
        if after.state in WAITING and before.state is not after.state and wait is not None and not waits_again:
            after = after.updated(wait=wait.model_copy(update={"asked": told[-1]}))
    return after.updated(outbox=(*after.outbox, *told)) if told else after


def warn_of_budget(case: IssueCase, spent_micros: int, policy: Policy) -> IssueCase:
    """Adds a post, once for each budget, when four fifths of it are spent."""
    cap = cap_of(case, policy)
    if not cap or spent_micros < cap * 4 // 5 or case.people.warned_of_cap == cap:
        return case
    post = _post(case, Draft(about=IssueAbout.BUDGET_NEAR)).model_copy(update={"spent_micros": spent_micros})
    return case.updated(warned_of_cap=cap, outbox=(*case.outbox, post))


def without_post(case: IssueCase, post: IssuePost) -> IssueCase:
    """Removes a sent post."""
    return case.updated(outbox=tuple(other for other in case.outbox if other != post))


def _tells_the_end(draft: Draft | None) -> bool:
    return draft is not None and draft.about is IssueAbout.REJECTED


def _news(before: IssueCase, after: IssueCase) -> Draft | None:
    """The post about a move for chat threads. The record shows the move itself."""
    wait = after.waiting.wait
    if after.state is before.state:
        return None
    if after.state in WAITING and wait is not None:
        about = {WaitingFor.MERGE: IssueAbout.PULL_REQUEST, WaitingFor.MILESTONE: IssueAbout.MILESTONE}.get(wait.reason)
        return Draft(about=about) if about is not None else None
    if after.state in PARKED and not at_work(after):
        return Draft(about=IssueAbout.PARKED, note=after.reason)
    return Draft(about=IssueAbout.ENDED, note=after.reason) if after.is_over else None


def _post(case: IssueCase, draft: Draft, subject: Subject | None = None) -> IssuePost:
    return IssuePost(
        about=draft.about,
        audience=Audience.DEVELOPERS,
        epoch=case.epoch,
        number=case.progress.transitions,
        turn=case.progress.turns,
        subject=subject,
        role=draft.role,
        note=draft.note[:4_000],
        also=draft.also[:4_000],
        messages=draft.messages,
    )
