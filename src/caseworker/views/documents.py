"""All that a program may want to know of a case, as one JSON document."""

from datetime import UTC, datetime

from caseworker.core.casefile.pipeline import standing_in_file
from caseworker.core.people.messages import receipt
from caseworker.core.record.entries import Recorded
from caseworker.core.runs.run import Run
from caseworker.core.telling.summaries import BugSummary, Summary
from caseworker.ports import FinishedTurn, Store, StoredBug, StoredCase
from caseworker.views.conversations import conversation_json, lines_with_receipts
from caseworker.views.promises import sla_line
from caseworker.views.workflow_contexts import context_of


async def issue_document(
    store: Store, stored: StoredCase, summary: Summary, record: list[Recorded]
) -> dict[str, object]:
    """With its whole record."""
    case, turns = stored.case, stored.case.progress.turns
    return {
        "case": case.id,
        "kind": stored.kind.value,
        "title": stored.title,
        "state": case.state.value,
        "stands": standing_in_file(case, stored.file),
        "context": (await context_of(store, stored)).model_dump(mode="json"),
        "opened_at": stored.opened_at.isoformat(),
        "changed_at": stored.changed_at.isoformat(),
        "pull_request": case.delivery.pull_request,
        "trace": stored.trace,
        "runs": [run_json(run, rehearsed=stored.rehearsal is not None) for run in await store.runs.of(case.id)],
        "summary": summary.model_dump(mode="json"),
        "usage": (await store.ledger.spent(case.id)).usage.model_dump(mode="json"),
        "messages": [
            {**message.model_dump(mode="json"), "kind": message.kind, "receipt": receipt(message, turns)}
            for message in await store.inbox.of(case.id)
        ],
        "record": [recorded.model_dump(mode="json") for recorded in record],
    }


async def bug_document(
    store: Store, stored: StoredBug, summary: BugSummary, record: list[Recorded]
) -> dict[str, object]:
    """Without its record."""
    promises = sla_line(stored, record, datetime.now(UTC))
    attachments = await store.attachments.of(stored.case.id)
    return {
        **summary.model_dump(mode="json"),
        "state": summary.status.value,
        "report": stored.report,
        "surface": stored.surface,
        "repository": stored.repository,
        "opened_at": stored.opened_at.isoformat(),
        "changed_at": stored.changed_at.isoformat(),
        "trace": stored.trace,
        "conversation": conversation_json(await lines_with_receipts(store, stored, record)),
        "attachments": [file.model_dump(mode="json", exclude={"content"}) for file in attachments],
        "turns_taken": [_turn(turn) for turn in await store.turns.finished(stored.case.id)],
        "sla": promises.model_dump(mode="json"),
    }


def _turn(turn: FinishedTurn) -> dict[str, object]:
    return {
        "turn": turn.turn,
        "outcome": turn.outcome.model_dump(mode="json"),
        "calls": turn.calls,
        "cost_micros": turn.cost_micros,
    }


def run_json(run: Run, *, rehearsed: bool) -> dict[str, object]:
    """`rehearsed`: its cost was counted, and never paid."""
    return {
        "rehearsed": rehearsed,
        **run.model_dump(mode="json", exclude={"case", "turns_before"}),
        "artifact": run.artifact,
    }
