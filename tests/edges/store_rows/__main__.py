"""Writes the data file of the newest revision: `python -m tests.edges.store_rows`."""

import asyncio
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from caseworker.core.base.budget import Usage
from caseworker.core.base.ids import CaseId, RepositoryId, effect_key, split_issue_case
from caseworker.core.base.pace import Pace
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.casefile.review_learnings import Provenance, Rule, Scope
from caseworker.core.outcomes.answers import Observation
from caseworker.core.people.caps import CapName
from caseworker.core.people.discussion import Side
from caseworker.core.people.messages import Audience, NewAttachment
from caseworker.core.runs.chat_modes import ChatTurn, Propose, RunWorkflow
from caseworker.core.runs.delivery_outcomes import Dispatched, Failed
from caseworker.core.runs.run import RunState
from caseworker.ports import CaseAccount, RepositoryAccount, SingleQuestion, Thread
from caseworker.store.migrations import HEAD
from caseworker.store.store import Store, open_store
from tests.edges.delivery_examples import BEGAN, delivery, dispatched
from tests.edges.store_examples import TRACE, begun, bug_report, build, complete, open_case, pull, reported, said
from tests.edges.store_rows import Rows, file_of, read

PICTURE = NewAttachment(title="shot.png", media_type="image/png", size=4, content=b"\x89PNG")
LOG = NewAttachment(title="log.txt", media_type="text/plain", size=12, source="https://files/F1")


async def fill(store: Store) -> None:
    """A bug that was reported in Slack, and the case that fixes it: one turn done, the second at work."""
    thread = Thread(surface="slack", channel="C1", anchor="17.5")
    await store.repositories.register(RemoteRepository(host="github.com", owner="acme", name="shop"))
    bug, _ = await store.bugs.open(bug_report(thread=thread), reported(id="report"))
    await store.threads.add(bug, Audience.DEVELOPERS, Thread(surface="slack", channel="C2", anchor="18.5"))
    await store.inbox.put(said(bug, "Here it is.", id="picture", reference="C1/19.5", attachments=(PICTURE, LOG)))
    fix = await open_case(store, parent=bug, id="open")
    await store.inbox.claim(fix, turn=1)
    await _do_first_turn(store, fix)
    await _deliver(store, fix)
    await store.inbox.put(said(fix, "Since 9:40.", id="late"))
    await _begin_second_turn(store, fix)
    await _ask(store, fix)
    await _chat(store)
    await _dispatch(store)


async def _do_first_turn(store: Store, case: CaseId) -> None:
    attempt = await begun(store, case, 1)
    call = await store.ledger.reserve(attempt, model="m", micros=4_000, cap_micros=9_000, rehearsed=True)
    assert call is not None
    await store.ledger.settle(call, Usage(input_tokens=100, output_tokens=20), 1_200)
    await store.transcripts.append(attempt.session, "", "shop", [{"type": "user", "uuid": "u1", "text": "go"}])
    assert await complete(store, attempt)
    stored = await store.cases.load(case)
    assert stored is not None
    await store.learnings.add(stored.repository, case, [Observation(type="pattern", content="Prices are cents.")])
    await store.caps.set(CapName.DAILY_BUDGET, 200_000_000, by="ann")


async def _deliver(store: Store, case: CaseId) -> None:
    await store.builds.save(case, build())
    pushed = effect_key(case, 1, "push", 1)
    await store.effects.intend(pushed, case, "push", {"branch": "agent/issue-1"})
    await store.effects.done(pushed, {"commit": "a" * 40})
    await store.effects.intend(effect_key(case, 1, "push", 2), case, "push", {"branch": "agent/issue-1"})
    await store.pulls.create(pull(case))
    await store.pulls.create(pull(None, head="their-branch"))


async def _begin_second_turn(store: Store, case: CaseId) -> None:
    attempt = await begun(store, case, 2)
    assert await store.ledger.reserve(attempt, model="m", micros=500, cap_micros=9_000, rehearsed=True)
    assert await store.places.ask(case, 2, most=1, queue=True)
    assert await store.write_budget.take("github.com app 7", "comment", pace=Pace()) == 0


async def _ask(store: Store, case: CaseId) -> None:
    """Two single questions: one paid by the case, one by its repository."""
    accounts = (CaseAccount(case=case, trace=TRACE), RepositoryAccount(repository=split_issue_case(case)[0]))
    for account in accounts:
        asked = SingleQuestion(purpose="classify", account=account)
        call = await store.ledger.reserve(asked, model="m", micros=300, cap_micros=9_000, rehearsed=True)
        assert call is not None
        await store.ledger.settle(call, Usage(input_tokens=10, output_tokens=2), 40)


async def _chat(store: Store) -> None:
    """A proposal on an issue, and a rule that an owner gave."""
    thread = Thread(surface="github", channel="acme/shop", anchor="42")
    act = Propose(payload=RunWorkflow(workflow=WorkflowName.PLAN), text="Shall I plan it?")
    at = datetime(2026, 11, 16, 9, 40, tzinfo=UTC)
    turn = ChatTurn(comment="7001", author="ann", side=Side.OWNER, said="What next?", act=act, at=at)
    await store.chat_threads.commit(thread, turn)
    rule = Rule(scope=Scope.PATHS, glob="src/api/**", text="Prices are cents.")
    where = Provenance(author="ann", source="https://github.com/acme/shop/issues/42#issuecomment-7002")
    await store.review_learnings.add(RepositoryId("acme/shop"), rule, where)


async def _dispatch(store: Store) -> None:
    """A run that a comment asked for, and the delivery of that comment."""
    asked = delivery("7", subject="acme/shop#7 comment:9 created")
    assert await store.deliveries.put(asked)
    claim = await store.deliveries.claim()
    assert claim is not None
    case = await dispatched(store, number=7, key=asked.subject)
    await store.deliveries.note_intent(claim, WorkflowName.TRIAGE)
    await store.deliveries.settle(claim, Dispatched(workflow=WorkflowName.TRIAGE, case=case))
    await store.dispatches.tell(asked.subject, RunState.SUCCEEDED)
    tracking = await store.tracking_comments.claim("github")
    assert tracking is not None
    assert await store.tracking_comments.reserve(tracking, 2**31 + 9, instead_of=None)
    await store.tracking_comments.wrote(tracking, "0123abcd", is_tidy=True, shows=None)
    await store.tracking_comments.release(tracking, again_in=3)
    assert await store.deliveries.put(delivery("8", subject="acme/shop#7 labeled bot:plan", at=BEGAN))
    second = await store.deliveries.claim()
    assert second is not None
    await store.deliveries.settle(second, Failed(error="GitHub is away"), again_in=60)
    assert await store.deliveries.put(delivery("9", lane="acme/shop#8"))
    assert await store.deliveries.claim() is not None


async def _rows() -> Rows:
    with tempfile.TemporaryDirectory() as folder:
        store = await open_store(f"sqlite:///{Path(folder) / 'caseworker.db'}")
        try:
            await fill(store)
            async with store.database.reading() as connection:
                return await connection.run_sync(read)
        finally:
            await store.close()


def _text(rows: Rows) -> str:
    """A line for each row."""
    tables = (
        f' "{name}": [\n  ' + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in found) + "\n ]"
        for name, found in rows.items()
    )
    return "{\n" + ",\n".join(tables) + "\n}\n"


if __name__ == "__main__":
    file_of(HEAD).write_text(_text(asyncio.run(_rows())), encoding="utf-8")
    sys.stdout.write(f"{file_of(HEAD)} is written.\n")
