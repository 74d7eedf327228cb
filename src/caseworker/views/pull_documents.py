"""All that a program may want to know of a pull case, as one JSON document."""

from typing import TypedDict

from caseworker.core.people.messages import receipt
from caseworker.core.pull.case import cap_of
from caseworker.core.record.entries import Recorded
from caseworker.core.telling.pull_why import standing_of_pull
from caseworker.ports import Store, StoredPull
from caseworker.views.documents import run_json


class PullLedger(TypedDict):
    """What was spent, in millionths of a dollar, and what may be."""

    spent_micros: int
    cap_micros: int
    calls: int
    rehearsed: bool


async def ledger_of(store: Store, stored: StoredPull) -> PullLedger:
    spent = await store.ledger.spent(stored.case.id)
    return PullLedger(
        spent_micros=spent.spent_micros,
        cap_micros=cap_of(stored.case, stored.policy),
        calls=spent.calls,
        rehearsed=stored.rehearsal is not None,
    )


async def pull_document(store: Store, stored: StoredPull, record: list[Recorded] | None = None) -> dict[str, object]:
    """With its record, if it is given."""
    case, turns = stored.case, stored.case.progress.turns
    verdict = case.sight.verdict
    document: dict[str, object] = {
        "case": case.id,
        "kind": stored.kind.value,
        "title": stored.title,
        "url": stored.url,
        "author": stored.author,
        "parent": stored.parent,
        "state": case.state.value,
        "stands": standing_of_pull(case),
        "reason": case.reason,
        "opened_at": stored.opened_at.isoformat(),
        "changed_at": stored.changed_at.isoformat(),
        "pull_request": stored.number,
        "trace": stored.trace,
        "verdict": None if verdict is None else verdict.model_dump(mode="json"),
        "session": case.session.model_dump(mode="json"),
        "fixes": case.fixes.model_dump(mode="json"),
        "unpushed": case.rest.model_dump(mode="json"),
        "turns": turns,
        "runs": [run_json(run, rehearsed=stored.rehearsal is not None) for run in await store.runs.of(case.id)],
        "ledger": await ledger_of(store, stored),
        "messages": [
            {**message.model_dump(mode="json"), "kind": message.kind, "receipt": receipt(message, turns)}
            for message in await store.inbox.of(case.id)
        ],
    }
    if record is not None:
        document["record"] = [recorded.model_dump(mode="json") for recorded in record]
    return document
