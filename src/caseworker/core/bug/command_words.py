"""Texts for developers of a bug case that name commands, in the surface's own phrasing."""

from caseworker.core.bug.case import About, BugCase, BugPost
from caseworker.core.bug.options import KINDS
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Page, Phrasing, begin


def limits(post: BugPost, bug: BugCase, phrasing: Phrasing) -> str:
    raises = begin(phrasing.command(bug.id, MessageKind.BUDGET, "+5"))
    if post.about is About.BUDGET_NEAR:
        return f"{with_full_stop(post.note)} {raises} lets it spend more."
    more = f"{phrasing.page(bug.id, Page.CASE)} has more."
    again = begin(phrasing.command(bug.id, MessageKind.RETRY))
    on = f"{raises} lets it go on." if bug.people.out_of_money else f"{again} tries again once that is put right."
    return f"Turn {post.number} failed: {with_full_stop(post.note)} Nothing is lost; {more} {on}"


def taken_over(bug: BugCase, phrasing: Phrasing) -> str:
    who = f"@{bug.people.taken_by}" if bug.people.taken_by else "A developer"
    back = phrasing.command(bug.id, MessageKind.HAND_BACK)
    return f"{who} has taken over {bug.id}. The agent has stopped; {back} lets it continue."


def stop_fix(bug: BugCase, phrasing: Phrasing) -> str:
    under_way = f"its fix {bug.repair.fix} is still under way. Shall it stop?"
    stop = phrasing.close_linked(bug.repair.fix) if bug.repair.fix else ""
    how = f"Answer `yes` or `no` here; {stop} stops it at any time. Without an answer it goes on."
    return f"The reporter has withdrawn the report, but {under_way} {how}"


def asked_to_close(bug: BugCase, phrasing: Phrasing) -> str:
    who = f"@{bug.people.asked_to_close}, how was it resolved"
    if bug.people.close_reason is None:
        return f"{who}, and why? {begin(phrasing.resolve(bug.id))} closes it. KIND: {KINDS}."
    nearest = "For what you decided not to fix, `not_a_bug` is the nearest."
    reply = phrasing.command(bug.id, MessageKind.WORDS)
    return f"{who}? Your reason is noted: {reply} with the KIND alone closes it. KIND: {KINDS}. {nearest}"


def with_full_stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
