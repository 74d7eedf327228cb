"""The buttons of a pull request's session: what ends a pause comes first, and only one button is the main one."""

from datetime import UTC, datetime

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Standing
from caseworker.core.pull.case import PauseCause, PullState
from caseworker.dashboard.buttons import Button, buttons_for
from caseworker.ports import StoredPull
from caseworker.store.store import Store
from caseworker.views.board_groups import Group, group_of
from tests.dashboard.test_session_buttons import waits_for_merge
from tests.dashboard.visitor import Visitor

PULL = CaseId("acme/shop!9")


async def session(visitor: Visitor, store: Store, **known: object) -> StoredPull:
    """That ships pull request 9."""
    await visitor.sends(await waits_for_merge(store), "ship")
    stored = await store.pull_cases.load(PULL)
    assert stored is not None
    return stored.model_copy(update={"case": stored.case.updated(**known)})


async def buttons(visitor: Visitor, store: Store, **known: object) -> list[Button]:
    return buttons_for(await session(visitor, store, **known), Standing.OWNER)


@pytest.mark.parametrize(
    ("cause", "first", "does"),
    [
        (PauseCause.STOPPED, "resume", "Goes on from the head as it is then."),
        (PauseCause.BUDGET, "budget", "Goes on with more money."),
        (PauseCause.TAKEN, "handback", "Lets it go on, from the head as it is then."),
    ],
)
async def test_one_main_button_ends_the_pause(
    visitor: Visitor, store: Store, cause: PauseCause, first: str, does: str
) -> None:
    shown = await buttons(visitor, store, state=PullState.PAUSED, pause=cause)
    assert [(one.action, one.does) for one in shown if one.tone == "main"] == [(first, does)]
    assert shown[0].action == first
    assert {"resume", "handback"} & {one.action for one in shown} <= {first}
    assert shown[-1].action == "abort"


async def test_a_session_at_work_has_no_main_button(visitor: Visitor, store: Store) -> None:
    shown = await buttons(visitor, store, state=PullState.RESOLVING)
    assert [one.action for one in shown] == ["rebase", "stop", "budget", "takeover", "abort"]
    assert [one.action for one in shown if one.tone == "main"] == []
    assert next(one.does for one in shown if one.action == "budget") == "Lets it spend more."


async def test_a_start_says_that_it_ends_the_paused_session(visitor: Visitor, store: Store) -> None:
    shown = await buttons(visitor, store, state=PullState.PAUSED, pause=PauseCause.STOPPED)
    assert next(one.does for one in shown if one.action == "review") == "Begins review anew; the paused session ends."


async def test_a_paused_session_needs_a_person_unless_it_goes_on_by_itself(visitor: Visitor, store: Store) -> None:
    stopped = await session(visitor, store, state=PullState.PAUSED, pause=PauseCause.STOPPED)
    assert group_of(stopped) is Group.NEEDS_YOU
    limited = stopped.case.updated(pause=PauseCause.QUOTA, resume_at=datetime(2026, 11, 18, tzinfo=UTC))
    assert group_of(stopped.model_copy(update={"case": limited})) is Group.WAITING
