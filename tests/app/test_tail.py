"""When a bug case counts as waiting: all posts after its last move are on the record."""

from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import About, BugCase, BugPost
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Posted
from caseworker.views.tail import is_all_said


def a_bug(*outbox: tuple[About, Audience]) -> BugCase:
    posts = tuple(BugPost(about=about, audience=to, epoch=1, number=n) for n, (about, to) in enumerate(outbox))
    return BugCase(id=CaseId("bug-7F3K"), outbox=posts)


def posted(about: About, audience: Audience) -> Posted:
    return Posted(about=about.value, audience=audience, text="x")


def test_posts_of_the_outbox_are_looked_for_on_the_record() -> None:
    bug = a_bug((About.FINDINGS, Audience.REPORTER), (About.FINDINGS, Audience.DEVELOPERS))
    first, second = posted(About.FINDINGS, Audience.REPORTER), posted(About.FINDINGS, Audience.DEVELOPERS)
    assert not is_all_said(bug, [])
    assert not is_all_said(bug, [first])
    assert not is_all_said(bug, [first, first])
    assert is_all_said(bug, [first, second])


def test_a_post_that_is_due_twice_must_be_recorded_twice() -> None:
    bug = a_bug((About.NOTED, Audience.REPORTER), (About.NOTED, Audience.REPORTER))
    noted = posted(About.NOTED, Audience.REPORTER)
    assert not is_all_said(bug, [noted])
    assert is_all_said(bug, [noted, noted])
    assert is_all_said(a_bug(), [])
