"""Every page shows what it is for, and text of others only as text."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.bug.transitions import after_failed_turn
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.outcomes.answers import Observation
from caseworker.core.people.commands import Retry
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import AgentSaid, Entry, Noted, Posted, ToolCalled, ToolReturned
from caseworker.core.runs.delivery_outcomes import Dispatched, Ignored, IgnoreReason
from caseworker.dashboard.addresses import case_path
from caseworker.store.store import Store
from caseworker.workspaces.environment_mounts import Known
from caseworker.workspaces.environments.cache import EnvironmentCache
from caseworker.workspaces.kept_checks import KeptCheck, KeptChecks
from caseworker.workspaces.kept_recipes import KeptRecipes
from caseworker.workspaces.mirrors import mirror_name
from tests.dashboard.visitor import Visitor
from tests.edges.delivery_examples import delivery
from tests.edges.store_examples import TRACE, open_bug, open_case, said
from tests.intake.test_conversation_issue import Counter

PAGES = ("/", "/needs-you", "/deliveries", "/sla", "/learnings", "/repositories", "/costs", "/status")
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7*7 }}{% raw %}",
    "[x](javascript:alert(1))",
    "\u202eright to left\u202c",
    "</textarea></details></ol>",
    "data: x\n\nevent: evil\r\rid: 99",
)


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_of_an_empty_deployment_says_what_would_be_there(visitor: Visitor, path: str) -> None:
    assert "<main" in await visitor.sees(path)


async def test_what_waits_for_a_person_has_its_buttons(visitor: Visitor, store: Store) -> None:
    case = await Counter(store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL)
    page = await visitor.sees("/needs-you")
    assert case in page
    assert "Approve" in page
    assert "Reject" in page


async def test_a_case_that_waits_for_a_merge_says_so_and_leads_to_the_change(visitor: Visitor, store: Store) -> None:
    case = await Counter(store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE)
    page = await visitor.sees("/needs-you")
    assert "completes the case" in page
    assert f'href="{case_path(case)}/diff"' in page


async def test_a_delivery_leads_to_the_case_that_it_began(visitor: Visitor, store: Store) -> None:
    begun = Dispatched(workflow=WorkflowName.SHIP, case=CaseId("acme/shop!7"))
    await store.deliveries.put(delivery("g-1", outcome=begun))
    await store.deliveries.put(delivery("g-2", outcome=Ignored(reason=IgnoreReason.NOT_OUR_LABEL, detail="bug")))
    page = await visitor.sees("/deliveries")
    assert page.count('<a href="/cases/acme/shop!7">acme/shop#7</a>') == 1
    assert page.count("acme/shop#7</") == 2


async def test_lines_of_a_post_stay_lines(visitor: Visitor, store: Store) -> None:
    case = await Counter(store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE)
    post = Posted(
        audience=Audience.DEVELOPERS, about="news", text="bug-7F3K: checkout is broken\nNothing to go on yet."
    )
    await store.record.append(case, [post], trace=TRACE, key="post")
    assert "checkout is broken<br>" in (await visitor.sees(case_path(case))).replace("<br />", "<br>")


async def test_stars_and_backticks_of_posts_are_shown_as_they_were_meant(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    text = "This is **bug-7F3K**, `a ** b` and 2 ** 3"
    await store.record.append(case, [Noted(text=text), Noted(text="**a** and `b`")], trace=TRACE)
    page = await visitor.sees(case_path(case))
    assert "<b>a</b> and <code>b</code>" in page
    assert "This is <b>bug-7F3K</b>, <code>a ** b</code> and 2 ** 3" in page


async def test_an_open_bug_is_among_the_promises(visitor: Visitor, store: Store) -> None:
    bug = await open_bug(store)
    assert bug in await visitor.sees("/sla")


async def test_learnings_name_the_case_they_came_from(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    stored = await store.cases.load(case)
    assert stored is not None
    await store.learnings.add(stored.repository, case, [Observation(type="build", content="uses `make`")])
    page = await visitor.sees("/learnings")
    assert "<code>make</code>" in page
    assert "local/shop#1" in page


async def test_a_repository_tells_its_recipe_environment_and_last_check(
    visitor: Visitor, store: Store, tmp_path: Path
) -> None:
    stored = await store.cases.load(await open_case(store))
    assert stored is not None
    ref = await store.repositories.ref(stored.repository)
    assert "nothing installed" in await visitor.sees("/repositories")
    KeptRecipes(tmp_path).save(ref, 'test = "make check"')
    check = KeptCheck(
        at=datetime.now(UTC),
        commit="a" * 40,
        kind="could_not_run",
        sentence="The program just is not there.",
        source="recipe",
    )
    KeptChecks(tmp_path).save(ref, check)
    entry = EnvironmentCache(tmp_path).begin("key")
    known = Known(
        key="key",
        repository=mirror_name(ref).removesuffix(".git"),
        tree="/work",
        made=(),
        named=(),
        seconds=4,
        at=0.0,
        size=12_000_000,
        has_venv=False,
    )
    entry.write(known)
    page = await visitor.sees("/repositories")
    for told in ("make check", "The program just is not there.", "12 MB", "Jan 1, 00:00", "in 4 s"):
        assert told in page


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_text_everywhere(visitor: Visitor, store: Store, text: str) -> None:
    case = await open_case(store, f"title {text}")
    await store.inbox.put(said(case, text))
    stored = await store.cases.load(case)
    assert stored is not None
    await store.learnings.add(stored.repository, case, [Observation(type=text, content=text)])
    entries: list[Entry] = [
        Noted(text=text),
        Posted(audience=Audience.DEVELOPERS, about="question", text=text),
        AgentSaid(turn=1, text=text),
        ToolCalled(turn=1, call="1", tool=text, summary=text),
        ToolReturned(turn=1, call="1", ok=False, output=text),
    ]
    await store.record.append(case, entries, trace=TRACE)
    for path in ("/", "/learnings", "/repositories", "/cases/local/shop~1", "/?text=" + "%3Cscript%3E"):
        page = (await visitor.sees(path)).lower()
        for dangerous in ("<script>alert", "<img src=x", "<svg onload", 'javascript:alert(1)"', "\u202e"):
            assert dangerous not in page


async def test_a_line_of_100_kb_is_shown_and_does_not_break_the_page(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    await store.record.append(case, [Noted(text="x" * 100_000)], trace=TRACE)
    assert "xxx" in await visitor.sees("/cases/local/shop~1")


async def test_a_bug_whose_turn_failed_can_be_tried_again(visitor: Visitor, store: Store) -> None:
    case = await open_bug(store)
    assert "Try again" not in await visitor.sees(case_path(case))
    stored = await store.bugs.load(case)
    assert stored is not None
    failed = after_failed_turn(stored.case, "The key is wrong.", stored.policy, datetime.now(UTC))
    await store.bugs.save(failed, [], trace=TRACE)
    assert "Try again" in await visitor.sees(case_path(case))
    answer = await visitor.sends(case, "retry")
    assert answer.status_code == 303
    assert (await store.inbox.of(case))[-1].command == Retry()
