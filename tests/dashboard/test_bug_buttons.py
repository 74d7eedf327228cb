"""The buttons of a bug case: what its posts tell people to press is there, and what lets it go on comes first."""

import pytest

from caseworker.chats.button_words import ButtonPhrasing
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import About, BugPost, BugState
from caseworker.core.bug.words import PostContext, words_for
from caseworker.core.people.messages import Audience, Standing
from caseworker.dashboard.buttons import Button, buttons_for
from caseworker.ports import StoredBug
from caseworker.store.store import Store
from tests.edges.store_examples import open_bug


async def bug_with(store: Store, **known: object) -> StoredBug:
    stored = await store.bugs.load(await open_bug(store))
    assert stored is not None
    return stored.model_copy(update={"case": stored.case.updated(**{"state": BugState.AWAITING_DEV, **known})})


def buttons(stored: StoredBug) -> list[Button]:
    return buttons_for(stored, Standing.OWNER)


def posted(stored: StoredBug, about: About) -> str:
    post = BugPost(about=about, audience=Audience.DEVELOPERS, epoch=1, number=2, note="It stopped.")
    matter = PostContext(case=stored.case, title="500", reporter="rita", policy=Policy())
    return words_for(post, matter, ButtonPhrasing())


@pytest.mark.parametrize(
    ("known", "label", "does"),
    [
        ({"out_of_money": True}, "Raise budget", "Goes on with 5 dollars more."),
        ({"cure": True}, "Try again", "Tries again at once."),
    ],
)
async def test_the_button_that_a_failed_turn_names_comes_first(
    store: Store, known: dict[str, object], label: str, does: str
) -> None:
    stored = await bug_with(store, **known)
    assert f"“{label}” " in posted(stored, About.FAILED_TURN)
    assert (buttons(stored)[0].label, buttons(stored)[0].does) == (label, does)


async def test_a_bug_near_the_end_of_its_budget_has_the_button_that_its_post_names(store: Store) -> None:
    stored = await bug_with(store, warned_of_cap=5_000_000)
    assert "“Raise budget” lets it spend more." in posted(stored, About.BUDGET_NEAR)
    assert ("Raise budget", "Lets it spend more.") in [(one.label, one.does) for one in buttons(stored)]


@pytest.mark.parametrize(
    ("known", "labels"),
    [
        ({}, ["Take over", "Close case"]),
        ({"state": BugState.AWAITING_REPORTER}, ["Take over", "Close case"]),
        ({"state": BugState.DEV_TAKEOVER, "taken_by": "grace"}, ["Hand back", "Close case"]),
        ({"state": BugState.RESOLVED}, []),
    ],
)
async def test_other_bugs_have_the_buttons_of_their_state(
    store: Store, known: dict[str, object], labels: list[str]
) -> None:
    assert [one.label for one in buttons(await bug_with(store, **known))] == labels
