"""`caseworker ship`, `review`, `resolve`: begin a session on a pull request and follow it, or say what it would do."""

from dataclasses import dataclass
from datetime import UTC, datetime

from rich.console import Console

from caseworker.app.desk import Desk, at_desk, reading
from caseworker.app.processes.own_name import person
from caseworker.app.processes.start_checks import check_ready
from caseworker.app.settings import Settings
from caseworker.app.terminal.follow_pull import follow_pull
from caseworker.app.terminal.live_view import open_view, print_json, print_json_line
from caseworker.app.terminal.look_at_pull import LookedAt, look_at_pull, rules_of_pull
from caseworker.app.terminal.pull_summary import exit_code, print_pull_summary
from caseworker.app.terminal.show_readiness import print_verdict
from caseworker.core.base.budget import dollars
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, pull_case, typed
from caseworker.core.base.policy import Policy
from caseworker.core.base.text import words_of
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import StartWork
from caseworker.core.people.registry import TargetKind
from caseworker.core.people.trigger import LiteralCommand, Option
from caseworker.core.pull.case import PullCase, new_pull_case
from caseworker.core.pull.preview import Preview, preview
from caseworker.core.runs.delivery_outcomes import Duplicate, NotDone
from caseworker.core.runs.dispatch import OpenPull, StartAgain, TargetFacts, decide
from caseworker.core.telling.delivery_words import reply_words
from caseworker.intake.conversation import TERMINAL, Words
from caseworker.intake.github_facts import case_facts, parent_facts
from caseworker.intake.new_cases import new_trace
from caseworker.ports import NewPullCase, Store
from caseworker.ports.github import thread_on
from caseworker.views.readiness import readiness


@dataclass(frozen=True, kw_only=True)
class SessionRequest:
    pull_request: str
    work: PullWork
    deadline: str | None = None
    """As it was typed."""
    rehearsal: str | None = None
    detach: bool = False
    resumes: bool = False
    """It takes up a session that has ended."""


@dataclass(frozen=True, kw_only=True)
class _Known:
    """What the records have of the pull request."""

    case: PullCase | None = None
    decision: StartWork | Duplicate
    policy: Policy
    rehearsal: str | None = None
    spent_micros: int = 0
    parent: CaseId | None = None


async def run_session(request: SessionRequest, settings: Settings, console: Console, *, as_json: bool) -> int:
    """Returns the exit code: 0 if the session did its part, 1 if people are needed or it ended otherwise."""
    seen = await look_at_pull(settings, request.pull_request)
    policy = await _policy(settings, seen)
    before = await _known_if_any(settings, request, seen, policy)  # what is refused anyway starts no host
    _check_rehearsal(request, before, console, as_json=as_json)
    await check_ready(request.rehearsal, settings)
    async with at_desk(settings) as desk:
        known = await _known(desk.store, request, seen, policy)
        case = await _begin(desk, request, seen, known)
        await desk.keep_host()  # the host that we rang may just have been ending
        if isinstance(known.decision, Duplicate) and not as_json:
            console.print(
                f"{case}: `{request.work}` is running already. Following it.", style="yellow", highlight=False
            )
        if request.detach:
            return _announce(case, console, resumes=request.resumes, as_json=as_json)
        with open_view(console, as_json=as_json) as view:
            stored = await follow_pull(desk, case, view)
        await print_pull_summary(desk.store, stored, console, as_json=as_json)
        return exit_code(stored.case)


def _check_rehearsal(request: SessionRequest, known: _Known, console: Console, *, as_json: bool) -> None:
    """A case keeps what it was begun with: all its turns are rehearsed, or none."""
    if known.case is None or request.rehearsal == known.rehearsal:
        return
    if request.rehearsal is not None:
        begun = "another script" if known.rehearsal is not None else "the real model"
        raise Refused(
            f"{known.case.id} was begun with {begun}, and keeps that: `--rehearse` is for a new case.",
            todo="Leave `--rehearse` out, or use another CASEWORKER_HOME for rehearsals.",
        )
    if not as_json:
        console.print(f"{known.case.id} is rehearsed: the script that it was begun with answers.", style="yellow")


async def preview_session(request: SessionRequest, settings: Settings, console: Console, *, as_json: bool) -> int:
    """For `--dry-run`: the verdict, the first act, and what it may cost. Writes nothing, here or on GitHub."""
    seen = await look_at_pull(settings, request.pull_request)
    policy = await _policy(settings, seen)
    known = await _known_if_any(settings, request, seen, policy)
    now = datetime.now(UTC)
    case = known.case or new_pull_case(CaseId(seen.name.replace("#", "!")), request.work)
    command = known.decision if isinstance(known.decision, StartWork) else StartWork(workflow=request.work)
    would = preview(case, command, seen.facts, known.policy, now, spent_micros=known.spent_micros, us=seen.us)
    found = readiness(seen.name, seen.facts, would.verdict)
    if as_json:
        act = would.model_dump(mode="json", exclude={"verdict"})
        print_json({"version": 1, "work": request.work, "readiness": found.model_dump(mode="json"), "act": act})
    else:
        print_verdict(console, found, would.verdict)
        console.print()
        console.print(_act_words(would))
    return 0


def _act_words(would: Preview) -> str:
    if would.end is not None:
        return f"Next: it would end at once, {words_of(would.end)}. {would.reason} Costs nothing."
    cost = f"Costs at most {dollars(would.most_micros)}." if would.most_micros else "Costs nothing."
    return f"Next: {words_of(would.state)}. {would.reason} {cost}"


async def _policy(settings: Settings, seen: LookedAt) -> Policy:
    return (await rules_of_pull(settings, seen.repository)).applied_to(settings.policy())


async def _known_if_any(settings: Settings, request: SessionRequest, seen: LookedAt, policy: Policy) -> _Known:
    """What the records have of it. Does not make records if there are none yet."""
    if not settings.database_url and not (settings.home / "caseworker.db").exists():
        return _Known(policy=policy, decision=_decided(request, seen))
    async with reading(settings) as store:
        return await _known(store, request, seen, policy)


async def _known(store: Store, request: SessionRequest, seen: LookedAt, policy: Policy) -> _Known:
    number, thread = seen.facts.subject.number, thread_on(seen.repository, seen.facts.subject.number)
    found = await store.threads.find(thread)
    stored = None if found is None else await store.pull_cases.load(found[0])
    opened = [pull for pull in await store.pulls.open_ones() if pull.number == number and pull.case is not None]
    parents = [pull.case for pull in opened if await store.repositories.ref(pull.repository) == seen.repository]
    parent = await store.cases.load(parents[0]) if parents and parents[0] is not None else None
    facts = None if stored is None else case_facts(stored, await store.runs.of(stored.case.id))
    command = _command(request)
    decision = decide(command, _target(seen), facts, parent_facts(parent))
    if isinstance(decision, NotDone):
        raise _refused(decision)
    spent = 0 if stored is None else (await store.ledger.spent(stored.case.id)).micros
    return _Known(
        case=None if stored is None else stored.case,
        decision=decision if isinstance(decision, Duplicate) else _start(decision.start),
        policy=policy if stored is None else stored.policy,
        rehearsal=None if stored is None else stored.rehearsal,
        spent_micros=spent,
        parent=None if parent is None else parent.case.id,
    )


def _decided(request: SessionRequest, seen: LookedAt) -> StartWork:
    """The decision for a pull request without a case."""
    decision = decide(_command(request), _target(seen), None)
    if isinstance(decision, NotDone):
        raise _refused(decision)
    assert not isinstance(decision, Duplicate), "without a case nothing is in flight"
    return _start(decision.start)


def _start(start: object) -> StartWork:
    assert isinstance(start, OpenPull | StartAgain), "these workflows are on pull requests"
    return start.command


def _command(request: SessionRequest) -> LiteralCommand:
    given = () if request.deadline is None else (Option(name="deadline", value=request.deadline),)
    return LiteralCommand(verb=request.work, options=given)


def _target(seen: LookedAt) -> TargetFacts:
    return TargetFacts(kind=TargetKind.PULL, is_open=seen.facts.subject.state == "open")


def _refused(refused: NotDone) -> Refused:
    return Refused(reply_words(refused).replace("`", ""))


async def _begin(desk: Desk, request: SessionRequest, seen: LookedAt, known: _Known) -> CaseId:
    subject = seen.facts.subject
    repository = await desk.store.repositories.register(seen.repository)
    if isinstance(known.decision, Duplicate):
        return pull_case(repository, subject.number)
    new = NewPullCase(
        repository=repository,
        number=subject.number,
        title=subject.title.replace("\0", ""),
        url=subject.url,
        author=subject.author,
        policy=known.policy,
        rehearsal=request.rehearsal,
        trace=new_trace(),
        parent=known.parent,
        thread=thread_on(seen.repository, subject.number),
    )
    command = known.decision.model_copy(update={"resumes": request.resumes})
    words = Words(
        surface=TERMINAL,
        external_id=f"start {pull_case(repository, subject.number)} {new.trace}",
        author=person(),
        text=f"Please {command.workflow} this pull request.",
    )
    return (await desk.new_cases.begin_session(new, command, words)).case


def _announce(case: CaseId, console: Console, *, resumes: bool, as_json: bool) -> int:
    begun = "goes on, from the head as it is now" if resumes else "is under way"
    if as_json:
        print_json_line({"kind": "case", "case": case})
    else:
        console.print(f"{case} {begun}. `caseworker show {typed(case)}` tells how it stands.", highlight=False)
    return 0
