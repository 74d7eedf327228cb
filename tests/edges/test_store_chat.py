"""Chat on both databases: a turn per comment, one open proposal per thread, decided once."""

import asyncio
from datetime import UTC, datetime, timedelta

from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.casefile.review_learnings import Provenance, Rule, Scope
from caseworker.core.people.discussion import Side
from caseworker.core.runs.chat_modes import (
    NOTHING_PENDING,
    CarryOut,
    ChatTurn,
    Proposal,
    Propose,
    RunWorkflow,
    Say,
    SetLabel,
    Start,
    Withdraw,
)
from caseworker.ports import Thread
from caseworker.store.store import Store

ISSUE = Thread(surface="github", channel="acme/shop", anchor="42")
OTHER = ISSUE.model_copy(update={"anchor": "43"})
AT = datetime(2026, 11, 16, 9, 40, tzinfo=UTC)
PLAN = RunWorkflow(workflow=WorkflowName.PLAN)
LATE = Say(text=NOTHING_PENDING)


def turn(comment: str, act: Say | Start | Propose | CarryOut | Withdraw, *, hours: float = 0) -> ChatTurn:
    at = AT + timedelta(hours=hours)
    return ChatTurn(comment=comment, author="ann", side=Side.OWNER, said="words\x00", act=act, at=at)


async def propose(store: Store, comment: str = "1", hours: float = 0) -> Proposal:
    act = Propose(payload=PLAN, text="Shall I?")
    assert (await store.chat_threads.commit(ISSUE, turn(comment, act, hours=hours))).act == act
    found = await store.chat_threads.pending(ISSUE, AT + timedelta(hours=hours))
    assert found is not None
    return found


async def test_a_thread_remembers_its_newest_turns_in_order(store: Store) -> None:
    for number in range(12):
        await store.chat_threads.commit(ISSUE, turn(str(number), Say(text=f"reply {number}")))
    await store.chat_threads.commit(OTHER, turn("99", Say(text="elsewhere")))
    assert [one.comment for one in await store.chat_threads.turns(ISSUE)] == [str(number) for number in range(4, 12)]
    assert await store.chat_threads.count(ISSUE) == 12
    assert (await store.chat_threads.turns(OTHER))[0].said == "words\ufffd"


async def test_a_comment_delivered_twice_keeps_its_first_turn(store: Store) -> None:
    first = turn("1", Start(workflow=WorkflowName.PLAN, text="I begin."))
    given = await asyncio.gather(*(store.chat_threads.commit(ISSUE, first) for _ in range(5)))
    assert [one.act for one in given] == [first.act] * 5
    again = await store.chat_threads.commit(ISSUE, turn("1", Say(text="something else")))
    assert again.act == first.act
    assert await store.chat_threads.find(ISSUE, "2") is None
    assert await store.chat_threads.count(ISSUE) == 1


async def test_a_proposal_is_carried_out_once_however_many_approve_it(store: Store) -> None:
    proposal = await propose(store)
    act = CarryOut(proposal=proposal.id, payload=proposal.payload, text="Done.")
    given = await asyncio.gather(*(store.chat_threads.commit(ISSUE, turn(f"a{n}", act)) for n in range(6)))
    assert sorted(one.act.kind for one in given) == ["carry_out", *["say"] * 5]
    assert await store.chat_threads.pending(ISSUE, AT) is None
    winner = next(one for one in given if one.act == act)
    assert (await store.chat_threads.commit(ISSUE, winner)).act == act  # delivered again: the same answer


async def test_a_thread_has_one_open_proposal(store: Store) -> None:
    first = await propose(store)
    second = Propose(payload=SetLabel(name="bug"), text="Or this?")
    assert (await store.chat_threads.commit(ISSUE, turn("2", second))).act == LATE
    assert await store.chat_threads.pending(ISSUE, AT) == first
    assert (await store.chat_threads.commit(OTHER, turn("3", second))).act == second
    replacing = second.model_copy(update={"replaces": first.id})
    assert (await store.chat_threads.commit(ISSUE, turn("4", replacing))).act == replacing
    found = await store.chat_threads.pending(ISSUE, AT)
    assert found is not None
    assert found.payload == SetLabel(name="bug")
    assert (await store.chat_threads.commit(ISSUE, turn("5", replacing))).act == LATE  # the first is gone


async def test_a_declined_proposal_makes_room_for_another(store: Store) -> None:
    first = await propose(store)
    act = Withdraw(proposal=first.id, text="As you like.")
    assert (await store.chat_threads.commit(ISSUE, turn("2", act))).act == act
    assert (await propose(store, "3")).id != first.id


async def test_a_proposal_ends_after_24_hours(store: Store) -> None:
    first = await propose(store)
    assert first.expires_at == AT + timedelta(hours=24)
    assert await store.chat_threads.pending(ISSUE, AT + timedelta(hours=24)) is None
    act = CarryOut(proposal=first.id, payload=first.payload, text="Done.")
    assert (await store.chat_threads.commit(ISSUE, turn("2", act, hours=24))).act == LATE
    assert (await propose(store, "3", hours=25)).id != first.id


async def test_a_rule_is_kept_once_with_who_said_it_first(store: Store) -> None:
    shop = RepositoryId("acme/shop")
    rule = Rule(scope=Scope.PATHS, glob="src/api/**", text="Prices are cents.")
    said = [Provenance(author=name, source=f"https://github.com/acme/shop/issues/1#{name}") for name in ("ann", "bob")]
    first = await store.review_learnings.add(shop, rule, said[0])
    assert (first.author, first.glob, first.text) == ("ann", "src/api/**", "Prices are cents.")
    again = await store.review_learnings.add(shop, rule.model_copy(update={"text": "prices ARE cents."}), said[1])
    assert again == first
    other = await store.review_learnings.add(shop, Rule(scope=Scope.REPOSITORY, text="Prices are cents."), said[1])
    assert list(await store.review_learnings.of(shop)) == [first, other]
    assert list(await store.review_learnings.of(RepositoryId("acme/else"))) == []
    assert await store.review_learnings.forget(first.id)
    assert not await store.review_learnings.forget(first.id)
