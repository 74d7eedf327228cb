"""Checks that all who tell of a case's investigations say the same: counter, log, matrix, page and pull request."""

from caseworker.core.base.ids import CaseId
from caseworker.core.investigation.iterations import MOST_ITERATIONS
from caseworker.core.record.investigation import CauseProven, MatrixRevised
from caseworker.core.telling.investigation import investigation_page
from caseworker.core.telling.investigation_state import investigation_state
from caseworker.ports import Store, StoredCase
from caseworker.views.investigations import known_investigations

_STATUSES = {
    "open": {"in_progress", "blocked", "exhausted"},
    "found": {"root_cause_found"},
    "incomplete": {"incomplete"},
    "approved": {"approved"},
    "given_up": {"given_up"},
}


async def investigations_agree(store: Store, case: CaseId) -> None:
    stored = await store.cases.find(case)
    if not isinstance(stored, StoredCase) or stored.case.investigation is None:
        return
    counted, known = stored.case.investigation, await known_investigations(store, stored)
    assert len(known) == counted.number
    newest = known[-1]
    assert len(newest.iterations) == counted.iteration
    assert [one.number for one in newest.iterations] == list(range(1, counted.iteration + 1))
    state = investigation_state(stored.case, newest)
    assert (state.current_iteration, len(state.iterations_log)) == (counted.iteration, counted.iteration)
    assert state.status in _STATUSES[counted.stands]
    page = investigation_page(stored.title, known)
    for investigation in known:
        done = len(investigation.iterations)
        assert not done or f"### Iterations ({done} of {MOST_ITERATIONS})" in page
        assert all(f"- Iteration {one.number}, {one.status}" in page for one in investigation.iterations)
    await _record_agrees(store, case, [len(investigation.iterations) for investigation in known])
    for pull in await store.pulls.of(case) if counted.stands == "approved" else ():
        assert f"{counted.iteration} of at most {MOST_ITERATIONS} iterations" in pull.body


async def _record_agrees(store: Store, case: CaseId, counted: list[int]) -> None:
    """No entry of the record names an iteration or an investigation that is not counted."""
    entries = [one.entry for one in await store.record.whole(case, {"matrix_revised", "cause_proven"})]
    for entry in entries:
        if isinstance(entry, MatrixRevised):
            assert entry.investigation <= len(counted)
            assert entry.iteration <= counted[entry.investigation - 1]
        elif isinstance(entry, CauseProven):
            assert entry.iteration <= max(counted)
