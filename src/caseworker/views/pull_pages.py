"""What a run on a pull request shows below its figures: the verdict of a ship, the artifact of a review or resolve."""

from typing import Final

from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.casefile.review_learnings import ReviewLearning
from caseworker.core.outcomes.pull_work import PullResolveOutcome, PullReviewOutcome
from caseworker.core.pull.case import PullState
from caseworker.core.pull.verdict import Verdict
from caseworker.core.record.pull_entries import FindingPublished, ThreadAnswered
from caseworker.core.runs.run import Run
from caseworker.core.telling.pull_artifacts import resolve_page, review_page
from caseworker.core.telling.story import tell
from caseworker.core.telling.verdict_words import title_line, verdict_section
from caseworker.ports import Store, StoredPull

_POSTED: Final = frozenset({"finding_published", "thread_answered"})
"""The kinds of entries that a page is made from."""
_DONE: Final = frozenset({"turn_completed", "pull_published", "checks_rerun", "unpushed_kept"})
_MOST_DONE: Final = 30


async def pull_run_page(store: Store, stored: StoredPull, run: Run) -> str | None:
    """Null: there is nothing to show yet."""
    verdict = stored.case.sight.verdict
    if run.workflow is WorkflowName.SHIP:
        return None if verdict is None else await _ship_page(store, stored, run, verdict)
    case = stored.case.id
    later = [one.turns_before for one in await store.runs.of(case) if one.id > run.id]
    last = later[0] if later else stored.case.progress.turns
    finished = [turn for turn in await store.turns.finished(case) if run.turns_before < turn.turn <= last]
    outcome = finished[-1].outcome if finished else None
    recorded = [one.entry for one in await store.record.whole(case, _POSTED) if one.at >= run.began_at]
    match outcome:
        case PullReviewOutcome():
            found = [entry for entry in recorded if isinstance(entry, FindingPublished)]
            return review_page(outcome, found, await _used(store, stored, outcome))
        case PullResolveOutcome():
            answered = [entry for entry in recorded if isinstance(entry, ThreadAnswered)]
            left = [title_line(reason) for reason in verdict.reasons] if verdict is not None else []
            return resolve_page(outcome, answered, left, is_published=await _is_published(store, stored))
        case _:
            return None


async def _ship_page(store: Store, stored: StoredPull, run: Run, verdict: Verdict) -> str:
    """The verdict; after the end also what was done. While it works, the comment lists every step."""
    section = verdict_section(verdict, is_over=run.ended_at is not None)
    if run.ended_at is None:
        return section
    recorded = await store.record.whole(stored.case.id, _DONE)
    done = [one for one in recorded if run.began_at <= one.at <= run.ended_at]
    lines = [f"- {line.text}" for one in done for line in tell(one.entry)[:1]][-_MOST_DONE:]
    return "\n".join(["### What was done", "", *(lines or ["Nothing had to be changed."]), "", section])


async def _is_published(store: Store, stored: StoredPull) -> bool:
    """False: the session has stopped, and its last turn has brought nothing to the forge."""
    if stored.case.state not in (PullState.PAUSED, PullState.ENDED):
        return True
    entries = await store.record.whole(stored.case.id, frozenset({"turn_completed", "pull_published"}))
    return bool(entries) and entries[-1].entry.kind == "pull_published"


async def _used(store: Store, stored: StoredPull, review: PullReviewOutcome) -> list[ReviewLearning]:
    known = await store.review_learnings.of(stored.repository)
    return [one for one in known if one.id in review.learnings_used]
