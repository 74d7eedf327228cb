"""Requests for more work after a case is completed: the next case is opened once, also if a worker dies meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.issue.follow_ups import FollowUps
from caseworker.activities.shared.linked_cases import LinkedCases
from caseworker.contract.wire import FollowUpOpened, FollowUpReply, FollowUpRequest
from caseworker.core.base.errors import Transient
from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import IssueState
from caseworker.core.people.commands import MessageKind
from caseworker.core.record.entries import Noted
from caseworker.forges.local import LocalForge
from caseworker.forges.local_pulls import LocalPulls
from caseworker.forges.local_source import LocalSource
from caseworker.ports import NewIssue, StoredCase
from caseworker.store.store import Store
from caseworker.workspaces.git import SafeGit
from tests.edges.repositories import Repository, new_repository
from tests.edges.store_examples import TRACE, case_file, said


@dataclass
class Bell:
    """A doorbell that fails as often as `broken` says."""

    broken: int = 0
    rung: list[CaseId] = field(default_factory=list)

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        if self.broken:
            self.broken -= 1
            raise Transient("the bell is out of order")
        self.rung.append(case)


@dataclass(kw_only=True)
class Desk:
    store: Store
    repository: Repository
    bell: Bell
    case: CaseId

    async def hears(self, *texts: str, kind: MessageKind = MessageKind.WORDS) -> list[MessageId]:
        messages = [await self.store.inbox.put(said(self.case, text, kind=kind)) for text in texts]
        return [message.id for message in messages if message is not None]

    async def follows_up(self, messages: Sequence[MessageId]) -> FollowUpReply:
        pulls = LocalPulls(repositories=self.store.repositories, records=self.store.pulls, git=SafeGit())
        forge = LocalForge(source=LocalSource(SafeGit()), pulls=pulls)
        linked = LinkedCases(store=self.store, forge=forge)
        following = FollowUps(store=self.store, linked=linked, doorbell=self.bell)
        request = FollowUpRequest(case=self.case, messages=list(messages))
        return await ActivityEnvironment().run(following.open_follow_up, request)

    async def children(self) -> list[StoredCase]:
        return list(await self.store.cases.children(self.case))

    async def ends(self, child: StoredCase) -> None:
        over = child.case.updated(state=IssueState.CLOSED, transitions=1)
        await self.store.cases.move(over, [Noted(text="over")], child.file, trace=TRACE)


@pytest.fixture
def backend() -> str:
    return "sqlite"


@pytest.fixture
async def desk(store: Store, tmp_path: Path) -> Desk:
    repository = new_repository(tmp_path / "shop", {"shop.py": "total = 0\n"})
    issue = await store.repositories.new_issue(
        await store.repositories.register(repository.ref), NewIssue(title="Sum is wrong", body="It is 0.")
    )
    name = issue_case(issue.repository, issue.number)
    policy = Policy(attempts=2)
    await store.cases.open(issue, policy=policy, rehearsal="a script", trace=TRACE, first=said(name))
    done = IssueCase(id=name, state=IssueState.COMPLETED).updated(transitions=1)
    await store.cases.move(done, [Noted(text="merged")], await case_file(store, name), trace=TRACE)
    return Desk(store=store, repository=repository, bell=Bell(), case=name)


async def test_a_message_becomes_the_next_case_of_the_same_repository(desk: Desk) -> None:
    asked = await desk.hears("Round it.\nTo cents.", "And fast.")
    assert await desk.follows_up(asked) == FollowUpOpened(case=CaseId("local/shop#2"), new=True)
    (child,) = await desk.children()
    assert (child.title, child.rehearsal, child.policy.attempts) == ("Round it.", "a script", 2)
    assert child.file.issue.original_body == (
        "Round it.\nTo cents.\n\nFollows up on #1: Sum is wrong, whose pull request is merged.\n\n"
        f"## What #1 asked for\n\nIt is 0.\n\n(local/shop#1, message {asked[0]})"
    )
    inbox = [(message.author, message.text) for message in await desk.store.inbox.of(child.case.id)]
    assert inbox == [
        ("ann", "Please work on this issue: it follows up on local/shop#1."),
        ("ann", "And fast."),
    ]
    notes = [one.entry.text for one in await desk.store.record.whole(desk.case) if isinstance(one.entry, Noted)]
    assert notes == ["merged", "ann wants more: opened local/shop#2 for this"]


async def test_a_retry_after_a_failure_does_not_open_a_second_case(desk: Desk) -> None:
    asked = await desk.hears("Round it.")
    desk.bell.broken = 1
    with pytest.raises(Transient):
        await desk.follows_up(asked)
    asked += await desk.hears("To cents.")  # said before the retry
    for _ in range(2):
        assert await desk.follows_up(asked) == FollowUpOpened(case=CaseId("local/shop#2"), new=True)
    (child,) = await desk.children()
    assert [message.text for message in await desk.store.inbox.of(child.case.id)][1:] == ["To cents."]
    assert len(await desk.store.repositories.issues(child.repository)) == 2
    assert desk.bell.rung == [child.case.id] * 2


async def test_an_open_follow_up_gets_the_message_and_a_closed_one_gets_a_successor(desk: Desk) -> None:
    await desk.follows_up(await desk.hears("Round it."))
    more = await desk.hears("To cents.")
    told = FollowUpOpened(case=CaseId("local/shop#2"), new=False)
    assert await desk.follows_up(more) == told
    (child,) = await desk.children()
    await desk.ends(child)
    assert await desk.follows_up(more) == told  # the same messages again, after the worker died
    again = await desk.follows_up(await desk.hears("Round it."))
    assert again == FollowUpOpened(case=CaseId("local/shop#3"), new=True)


async def test_a_retry_command_opens_a_case_for_the_same_issue(desk: Desk) -> None:
    await desk.follows_up(await desk.hears("Please try again.", kind=MessageKind.RETRY))
    (child,) = await desk.children()
    assert child.title == "Once more: Sum is wrong"
    assert child.file.issue.original_body.startswith("What was merged is not enough: please look at it once more.")


async def test_invalid_repository_rules_are_reported_and_open_no_case(desk: Desk) -> None:
    desk.repository.commit({".caseworker.toml": "until = ["})
    reply = await desk.follows_up(await desk.hears("Round it."))
    assert isinstance(reply, EffectRefused)
    assert ".caseworker.toml is not valid TOML" in reply.reason
    assert await desk.children() == []
    assert len(await desk.store.repositories.issues(RepositoryId("local/shop"))) == 1
