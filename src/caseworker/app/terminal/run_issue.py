"""`caseworker run`: checks everything first, opens or finds the case, and follows it until a person is needed."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from rich.console import Console

from caseworker.app.desk import Desk, at_desk
from caseworker.app.processes.open_issue import ReadyIssue, RunRequest, check_issue
from caseworker.app.processes.own_name import person
from caseworker.app.run_subjects import Subject, find_subject
from caseworker.app.settings import Settings
from caseworker.app.terminal.check import tell_how_it_is_tested
from caseworker.app.terminal.give_command import approval_words
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.app.terminal.live_view import View, is_rehearsed, live_cost, open_view, print_json_line
from caseworker.app.terminal.send import Speaker, exit_code_of, send
from caseworker.app.terminal.show import await_outcome
from caseworker.app.terminal.summary import print_summary
from caseworker.app.unpriced_models import told_unpriced, unpriced
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, typed
from caseworker.core.base.policy import Milestone
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.base.text import printable
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.turns import at_work
from caseworker.core.issue.words import standing_of, state_words
from caseworker.core.people.commands import Approve
from caseworker.core.people.messages import Standing
from caseworker.core.telling.summaries import Summary
from caseworker.ports import Store, StoredCase
from caseworker.views.case_summaries import summary_of
from caseworker.views.requests import may_go_on_until

_LOOK_SECONDS = 0.1
_HOST_SECONDS = 2.0
_RECEIPT_SECONDS = 30.0


async def run(
    request: RunRequest, settings: Settings, console: Console, *, as_json: bool, opened: CaseId | None = None
) -> int:
    """Returns the exit code. `opened`: the case, if the host has opened it already."""
    if not request.detach:
        return exit_code(await run_to_rest(request, settings, console, as_json=as_json, opened=opened))
    async with _at_case(request, settings, console, opened, quiet=True) as (desk, case, _):
        await desk.keep_host()  # the host that we rang may just have been ending
        await announce(desk.store, case, console, as_json=as_json)
    return 0


async def run_to_rest(
    request: RunRequest, settings: Settings, console: Console, *, as_json: bool, opened: CaseId | None = None
) -> Summary:
    """Open or find the case, and follow it until nobody works on it."""
    async with _at_case(request, settings, console, opened, quiet=as_json) as (desk, case, subject):
        with open_view(console, as_json=as_json) as view, told_how_to_return(case):
            await follow(desk, case, view)
        summary = await summary_of(desk.store, case, TerminalPhrasing())
        print_summary(summary, subject.repository, console, as_json=as_json)
        return summary


@contextmanager
def told_how_to_return(case: CaseId) -> Iterator[None]:
    """Ctrl-C cancels the task that runs this, which only watches: say how to watch again and how to end the case."""
    try:
        yield
    except asyncio.CancelledError:
        name = typed(case)
        raise Interrupted(
            f"You no longer watch {name}; it goes on. `caseworker show {name} --follow` watches it again, "
            f"`caseworker close {name}` ends it."
        ) from None


@asynccontextmanager
async def _at_case(
    request: RunRequest, settings: Settings, console: Console, opened: CaseId | None, *, quiet: bool
) -> AsyncIterator[tuple[Desk, CaseId, Subject]]:
    known = opened or await check_issue(request, settings)
    if isinstance(known, ReadyIssue):
        subject = known.subject
    else:
        subject = await find_subject(request.repository, request.issue, settings)
    if not quiet and request.rehearsal is None and (unknown := unpriced(settings)):
        console.print(f"Note: {told_unpriced(unknown)}.", markup=False, highlight=False)
    if not quiet and isinstance(subject.repository, LocalRepository):
        await tell_how_it_is_tested(subject.repository, settings, console)
    async with at_desk(settings) as desk:
        if isinstance(known, ReadyIssue):
            known = await _open(desk, known, request, console, quiet=quiet)
        yield desk, known, subject


async def announce(store: Store, case: CaseId, console: Console, *, as_json: bool) -> None:
    """For `--detach`: say whether the case works by itself now, or what it waits for."""
    stored = await store.cases.load(case)
    assert stored is not None, "it was just opened"
    if as_json:
        stands = standing_of(stored.case)
        print_json_line({"kind": "case", "case": case, "state": stored.case.state.value, "stands": stands})
    else:
        console.print(printable(words_when_detached(stored.case)), markup=False, highlight=False)


def words_when_detached(case: IssueCase) -> str:
    if at_work(case):
        return f"{case.id} is under way. `caseworker show {typed(case.id)}` tells how it stands."
    if case.is_over:
        return f"{case.id} is {state_words(case.state)}. {_words_to_go_on(case)}"
    return f"{case.id} {standing_of(case).rstrip('.')}. `caseworker why {typed(case.id)}` says what would move it."


async def _open(desk: Desk, ready: ReadyIssue, request: RunRequest, console: Console, *, quiet: bool) -> CaseId:
    until = request.until
    opened = await ready.open(desk.store, desk.settings, desk.new_cases, author=person())
    if opened.new:
        return opened.case
    stored = await desk.store.cases.load(opened.case)
    assert stored is not None, "it was just opened"
    further = until is not None and may_go_on_until(stored, until)
    if not quiet:
        for line in (_words_when_known(stored, further=further), *_left_as_it_was(stored, request)):
            console.print(line, style="yellow", markup=False, highlight=False)
    if further and until is not None:
        await _approve_next_step(desk, opened.case, until)
    return opened.case


def _words_when_known(stored: StoredCase, *, further: bool) -> str:
    case = stored.case
    if case.is_over:
        return _words_when_over(case)
    known = f"{case.id} was opened before and is {state_words(case.state)}."
    return f"{known} {'It may go on.' if further else 'Following it.'}"


def _left_as_it_was(stored: StoredCase, request: RunRequest) -> list[str]:
    """The options of `run` that only count for a new case."""
    name, left = typed(stored.case.id), []
    if request.budget_usd is not None:
        left.append(f"Its budget stays as it is; `caseworker budget {name} +2` would raise it by $2.")
    if request.rehearsal is not None and request.rehearsal != stored.rehearsal:
        left.append(
            f"It keeps the model that it was opened with; to rehearse it with this script, end it with "
            f"`caseworker close {name}`, remove it with `caseworker purge {name}`, and run it again."
        )
    return left


def _words_when_over(case: IssueCase) -> str:
    return f"{case.id} was opened before and is {state_words(case.state)}. {_words_to_go_on(case)}"


def _words_to_go_on(case: IssueCase) -> str:
    if case.state is IssueState.COMPLETED:
        return "What is left is another issue: change the text, and this opens a new case."
    return f"`caseworker retry {typed(case.id)}` works on it again."


async def _approve_next_step(desk: Desk, case: CaseId, until: Milestone) -> None:
    """Wait until the case has heard the approval: until then it is at rest, and following it would end at once."""
    speaker = Speaker(case=case, name=person(), standing=Standing.OWNER)
    sent = await send(desk, speaker, approval_words(until), Approve(milestone=until))
    await desk.keep_host()
    heard = await await_outcome(desk.store, case, sent.id, seconds=_RECEIPT_SECONDS)
    if exit_code_of(heard) == 3:
        raise Transient(f"{case} has not heard yet that it may go on; that is recorded.")


async def follow(desk: Desk, case: CaseId, view: View) -> None:
    """Show the record as it grows, until nobody works on the case. A host that dies meanwhile is started again."""
    store = desk.store
    after = 0
    last_look = time.monotonic()
    rehearsed = await is_rehearsed(store, case)
    while True:
        news = await store.record.read(case, after=after)
        for recorded in news:
            view.show(recorded)
            after = recorded.sequence
        view.spent(await live_cost(store, case, rehearsed=rehearsed))
        if not news and await _is_at_rest(store, case, after):
            return
        if time.monotonic() - last_look > _HOST_SECONDS:
            await desk.keep_host()
            last_look = time.monotonic()
        if not news:
            await asyncio.sleep(_LOOK_SECONDS)


async def _is_at_rest(store: Store, case: CaseId, after: int) -> bool:
    """Whether nobody works on it, it has read all messages, its outbox is empty, and there is nothing more to read."""
    stored = await store.cases.load(case)
    if stored is None or at_work(stored.case) or stored.case.awaits_checks or stored.case.outbox:
        return False
    if any(message.turn is None and message.outcome is None for message in await store.inbox.of(case)):
        return False  # it was just sent, and moves the case
    return not await store.record.read(case, after=after)


def exit_code(summary: Summary) -> int:
    """0 if the case reached its goal: a pull request, a merge, or the milestone. 1 if it needs people or ended
    otherwise."""
    return 0 if summary.result in ("pull_request", "merged", "milestone") else 1
