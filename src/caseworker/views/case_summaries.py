"""Summaries of cases, computed from their records."""

from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import status_of
from caseworker.core.kinds import KINDS
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.telling.moved_branch import moved_words
from caseworker.core.telling.summaries import BugSummary, Summary, standing_of_bug, summarise
from caseworker.core.telling.unseen import CLAIMS, unseen_claims
from caseworker.ports import Store, StoredBug
from caseworker.views.branch_tips import tip_of
from caseworker.views.requests import what_is_asked
from caseworker.views.targets import merged_into


async def summary_of(store: Store, case: CaseId, phrasing: Phrasing) -> Summary:
    """`phrasing` says how people do on their surface what the summary offers them."""
    stored = await store.cases.load(case)
    assert stored is not None
    finished = await store.turns.finished(case)
    parent = None if stored.parent is None else await store.cases.find(stored.parent)
    if parent is not None and KINDS[parent.kind].fixed_by_children:  # the bug's findings stand in for an analysis
        finished = [*await store.turns.finished(parent.case.id), *finished]
    spent = await store.ledger.spent(case)
    outcomes = [turn.outcome for turn in finished]
    return summarise(
        stored.case,
        stored.file,
        phrasing,
        outcomes=outcomes,
        builds=await store.builds.of(case),
        spent=(spent.spent_micros, spent.calls),
        rehearsed=stored.rehearsal is not None,
        seconds=(stored.changed_at - stored.opened_at).total_seconds(),
        asked=await what_is_asked(store, stored, outcomes),
        into=await merged_into(store, case),
        not_proven=moved_words(stored.case, await tip_of(store, stored), phrasing),
        unseen=unseen_claims(await store.record.whole(case, CLAIMS)),
    )


async def bug_summary(store: Store, stored: StoredBug) -> BugSummary:
    bug = stored.case
    spent = await store.ledger.spent(bug.id)
    return BugSummary(
        case=bug.id,
        title=stored.title,
        reporter=stored.reporter,
        status=status_of(bug),
        severity=bug.report.severity,
        services=bug.report.services,
        stands=standing_of_bug(bug),
        resolution=bug.ending.resolution,
        fix=bug.repair.fix,
        turns=bug.progress.turns,
        model_calls=spent.calls,
        cost_micros=spent.spent_micros,
        rehearsed=stored.rehearsal is not None,
        seconds=(stored.changed_at - stored.opened_at).total_seconds(),
    )
