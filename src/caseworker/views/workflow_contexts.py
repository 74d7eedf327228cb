"""The workflow context of an issue case, computed from its records."""

from caseworker.core.outcomes.tester import ValidationOutcome
from caseworker.core.telling.workflow_context import WorkflowContext, workflow_context
from caseworker.ports import Store, StoredCase


async def context_of(store: Store, stored: StoredCase) -> WorkflowContext:
    case = stored.case
    moves = await store.record.whole(case.id, {"transitioned"})
    judged = [turn for turn in await store.turns.finished(case.id) if isinstance(turn.outcome, ValidationOutcome)]
    validated = (
        bool(judged) and judged[-1].outcome.status == "PASS" and judged[-1].checkpoint == case.delivery.checkpoint
    )
    return workflow_context(case, stored.policy, moves, validated=validated)
