"""What the tracking comment of a run tells, read from the records."""

from typing import Final, assert_never

from caseworker.core.base.errors import Defect
from caseworker.core.people.digest import told
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.record.entries import Posted
from caseworker.core.runs.run import Run, RunState
from caseworker.core.telling.artifacts import artifact_page
from caseworker.core.telling.story import tell
from caseworker.core.telling.tracking_comment import RunArtifact, RunFailure, Tracked, awaited_by
from caseworker.ports import Store, StoredAny, StoredBug, StoredCase, StoredPull
from caseworker.views.case_summaries import summary_of
from caseworker.views.tracked_pulls import tracked_pull

_UNSAID: Final = 3
_NO_END: Final = 10**9
_STEPS: Final = frozenset({"turn_started", "turn_completed", "build_ran", "branch_pushed", "pull_request_opened"})


async def tracked_run(store: Store, stored: StoredAny, run: Run, phrasing: Phrasing) -> Tracked:
    """What the comment of a run tells, whatever the kind of its case."""
    match stored:
        case StoredCase():
            return await _tracked_issue(store, stored, run, phrasing)
        case StoredPull():
            return await tracked_pull(store, stored, run, phrasing)
        case StoredBug():
            raise Defect(f"{stored.case.id}: a bug case has no runs")
        case _:
            assert_never(stored)


async def _tracked_issue(store: Store, stored: StoredCase, run: Run, phrasing: Phrasing) -> Tracked:
    case = stored.case.id
    later = [other.turns_before for other in await store.runs.of(case) if other.id > run.id]
    own = range(run.turns_before + 1, min(later, default=_NO_END) + 1)
    failed, queued = run.state is RunState.FAILED, run.state is RunState.QUEUED
    return Tracked(
        rehearsed=stored.rehearsal is not None,
        messages_read=sum(message.turn is not None and message.turn in own for message in await store.inbox.of(case)),
        steps=await _steps(store, run),
        awaited=awaited_by(stored.case, phrasing, queued=queued) if run.ended_at is None else None,
        failure=RunFailure(sentence=stored.case.reason, error_id=stored.trace) if failed else None,
        artifact=await _artifact(store, run, own, phrasing),
        notes=await _notes(store, run),
    )


async def _notes(store: Store, run: Run) -> tuple[str, ...]:
    discussion = await store.runs.discussion(run.id)
    about_it = "" if discussion is None else told(discussion)
    posts = [one.entry for one in await store.record.whole(run.case, {"posted"}) if one.at >= run.began_at]
    unsaid = [one.text for one in posts if isinstance(one, Posted) and one.undelivered] if run.ended_at is None else []
    return (*filter(None, (about_it,)), *(f"It could not be posted: {text}" for text in unsaid[-_UNSAID:]))


async def _steps(store: Store, run: Run) -> tuple[str, ...]:
    recorded = await store.record.whole(run.case, _STEPS)
    return tuple(line.text for one in recorded if one.at >= run.began_at for line in tell(one.entry))


async def _artifact(store: Store, run: Run, own: range, phrasing: Phrasing) -> RunArtifact | None:
    outcomes = [turn.outcome for turn in await store.turns.finished(run.case) if turn.turn in own]
    text = artifact_page(run, await summary_of(store, run.case, phrasing), outcomes)
    return None if text is None else RunArtifact(text=text)
