"""What the tracking comment of a run on a pull request tells: the verdict, who must move, and the story so far."""

from typing import Final

from caseworker.core.people.phrasing import Phrasing
from caseworker.core.pull.case import PullState
from caseworker.core.record.entries import Recorded
from caseworker.core.runs.run import Run, RunState
from caseworker.core.telling.pull_notes import awaited_by_pull, pull_notes
from caseworker.core.telling.story import tell
from caseworker.core.telling.tracking_comment import RunArtifact, RunFailure, Tracked
from caseworker.ports import Store, StoredPull
from caseworker.views.pull_pages import pull_run_page

_NO_END: Final = 10**9
_STEPS: Final = frozenset(
    {
        "turn_started",
        "turn_completed",
        "build_ran",
        "pull_judged",
        "pull_published",
        "unpushed_kept",
        "checks_rerun",
        "pull_moved",
    }
)


async def tracked_pull(store: Store, stored: StoredPull, run: Run, phrasing: Phrasing) -> Tracked:
    case = stored.case
    later = [other.turns_before for other in await store.runs.of(case.id) if other.id > run.id]
    own = range(run.turns_before + 1, min(later, default=_NO_END) + 1)
    recorded = [one for one in await store.record.whole(case.id, _STEPS) if one.at >= run.began_at]
    text = await pull_run_page(store, stored, run)
    failed = run.state is RunState.FAILED
    return Tracked(
        rehearsed=stored.rehearsal is not None,
        messages_read=sum(one.turn is not None and one.turn in own for one in await store.inbox.of(case.id)),
        steps=_steps(recorded),
        awaited=awaited_by_pull(case, phrasing) if run.ended_at is None else None,
        failure=RunFailure(sentence=case.reason, error_id=stored.trace) if failed else None,
        artifact=RunArtifact(text=text) if text else None,
        notes=pull_notes(case),
        is_whole=not case.has_work_to_keep,
        looked_at=case.sight.looked_at if case.state is PullState.WAITING else None,
    )


def _steps(recorded: list[Recorded]) -> tuple[str, ...]:
    return tuple(line.text for one in recorded for line in tell(one.entry)[:1])
