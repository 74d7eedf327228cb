"""The real GitHub intake on the real store, with a small GitHub in memory at the port and a bell that records."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.issue.case import Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.forge_roles import RepositoryRole
from caseworker.core.people.registry import TargetKind
from caseworker.intake.conversation import Conversation
from caseworker.intake.github import GitHubIntake
from caseworker.intake.github_door import GitHubDoor
from caseworker.intake.github_facts import GitHubPlace, GitHubPorts
from caseworker.intake.github_work import DeliveryWork
from caseworker.ports import PullRequest, StoredPull
from caseworker.ports.github import Body, Mentioned, Reaction, Target, Unclear, Wants
from caseworker.store.store import Store
from tests.intake.bell import RecordingBell

SHOP = RemoteRepository(host="github.com", owner="acme", name="shop")
PULL_HEAD = Sha("a" * 40)
BEGAN = datetime(2026, 11, 16, 9, 40, tzinfo=UTC)
BOT = "caseworker[bot]"
ROLES = {"ann": RepositoryRole.ADMIN, "ben": RepositoryRole.WRITE, "rita": RepositoryRole.READ}


@dataclass
class SmallGitHub:
    """Implements the ports that intake uses. Targets are numbered; what was written is recorded."""

    targets: dict[int, Target] = field(default_factory=dict)
    reactions: list[tuple[str, str]] = field(default_factory=list)
    replies: dict[str, tuple[int, str]] = field(default_factory=dict)
    removed: list[tuple[int, str]] = field(default_factory=list)
    verdict: Wants | Unclear = field(default_factory=Unclear)
    classified: list[str] = field(default_factory=list)
    dies_at: int | None = None
    """The number of the call at which the process is killed."""
    calls: int = 0

    def call(self) -> None:
        self.calls += 1
        if self.dies_at == self.calls:
            raise Killed

    def add(self, number: int, *labels: str, kind: TargetKind = TargetKind.ISSUE) -> None:
        self.targets[number] = Target(
            kind=kind,
            is_open=True,
            labels=labels,
            title="Checkout says 500",
            body="Since 9:40.",
            author="rita",
            url=f"https://github.com/acme/shop/issues/{number}",
            created_at=BEGAN,
        )

    def change(self, number: int, **changes: object) -> None:
        self.targets[number] = self.targets[number].model_copy(update=changes)

    async def target(self, repository: RemoteRepository, number: int) -> Target | None:
        self.call()
        return self.targets.get(number) if repository == SHOP else None

    async def role(self, repository: RemoteRepository, login: str) -> RepositoryRole:
        self.call()
        return ROLES.get(login, RepositoryRole.NONE)

    async def react(self, reference: str, reaction: Reaction) -> None:
        self.call()
        if (reference, reaction.name) not in self.reactions:
            self.reactions.append((reference, reaction.name))
        self.call()

    async def reply(self, repository: RemoteRepository, number: int, text: str, *, key: str) -> None:
        self.call()
        self.replies.setdefault(key, (number, text))
        self.call()

    async def remove_label(self, repository: RemoteRepository, number: int, label: str) -> None:
        self.call()
        target = self.targets[number]
        if label in target.labels:
            self.removed.append((number, label))
            self.change(number, labels=tuple(one for one in target.labels if one != label))
        self.call()

    async def classify(self, said: Mentioned) -> Wants | Unclear:
        self.classified.append(said.text)
        self.call()
        return self.verdict


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it."""


class Desk:
    """People's acts on GitHub, as the webhooks that they cause."""

    def __init__(
        self, store: Store, github: SmallGitHub | None = None, owners: Sequence[str] = (), token_of: str = ""
    ) -> None:
        """`token_of`: we write with a token of this person, not as an App."""
        self.store = store
        self.github = github or SmallGitHub()
        self.bell = RecordingBell()
        self.door = GitHubDoor(store=store)
        self._guids = count(1)
        self._ids = count(2**31)
        place = GitHubPlace(
            bot=token_of or BOT,
            is_person=bool(token_of),
            policy=self._policy,
            owners=frozenset(owners),
            serves=lambda ref: ref == SHOP,
        )
        self.intake = GitHubIntake(
            store=store,
            conversation=Conversation(store=store, doorbell=self.bell),
            doorbell=self.bell,
            ports=GitHubPorts(reads=self.github, writes=self.github, classifier=self.github),
            place=place,
        )
        self.work = DeliveryWork(store=store, intake=self.intake)

    async def _policy(self, _: RemoteRepository) -> Policy:
        return Policy()

    # --- what people do

    async def labels(self, who: str, number: int, label: str, *, guid: str = "", seconds: int = 0) -> str:
        """Add the label to the issue, and deliver the webhook. Returns the outcome in words: its kind and reason."""
        target = self.github.targets.get(number)
        if target is not None and label not in target.labels:
            self.github.change(number, labels=(*target.labels, label))
        event = "pull_request" if target is not None and target.kind is TargetKind.PULL else "issues"
        await self.deliver(event, self.labeled(who, number, label, seconds=seconds), guid=guid)
        return await self.outcome()

    def labeled(self, who: str, number: int, label: str, *, seconds: int = 0) -> dict[str, object]:
        moment = (BEGAN + timedelta(seconds=seconds)).isoformat()
        target = self.github.targets.get(number)
        key = "pull_request" if target is not None and target.kind is TargetKind.PULL else "issue"
        about = {key: {"number": number, "updated_at": moment}}
        return _body({"action": "labeled", **about, "label": {"name": label}}, who)

    async def comments(self, who: str, number: int, text: str, *, guid: str = "", id: int = 0) -> str:
        await self.deliver("issue_comment", self.commented(who, number, text, id=id), guid=guid)
        return await self.outcome()

    def commented(
        self, who: str, number: int, text: str, *, id: int = 0, action: str = "created", before: str | None = None
    ) -> dict[str, object]:
        written = datetime.now(UTC).isoformat()
        user = {"login": who, "type": "Bot" if who.endswith("[bot]") else "User"}
        comment = {
            "id": id or next(self._ids),
            "body": text,
            "user": user,
            "created_at": written,
            "updated_at": written,
        }
        issue: dict[str, object] = {"number": number}
        if self.github.targets.get(number) and self.github.targets[number].kind is TargetKind.PULL:
            issue["pull_request"] = {}
        changes = {} if before is None else {"changes": {"body": {"from": before}}}
        return _body({"action": action, "issue": issue, "comment": comment, **changes}, who)

    async def deliver(self, event: str, body: Body, *, guid: str = "") -> None:
        raw = json.dumps(body).encode()
        await self.door.take(guid or f"guid-{next(self._guids)}", event, raw, source="webhook")
        await self.work.process_all()

    async def changes_pull(self, action: str, number: int = 9, who: str = "ann") -> str:
        pull = {"number": number, "head": {"sha": "a" * 40}}
        await self.deliver("pull_request", _body({"action": action, "pull_request": pull}, who))
        return await self.outcome()

    async def reviews(self, who: str, number: int, text: str, *, id: int = 5) -> str:
        user = {"login": who, "type": "Bot" if who.endswith("[bot]") else "User"}
        review = {"id": id, "state": "commented", "body": text, "user": user, "submitted_at": BEGAN.isoformat()}
        parts: dict[str, object] = {"action": "submitted", "review": review, "pull_request": {"number": number}}
        await self.deliver("pull_request_review", _body(parts, who))
        return await self.outcome()

    # --- what came of it

    async def outcome(self) -> str:
        newest = (await self.store.deliveries.list(limit=1))[0].outcome
        reason = getattr(newest, "reason", None) or getattr(newest, "workflow", None)
        return f"{newest.kind.value}: {reason.value}" if reason is not None else newest.kind.value

    async def runs(self, number: int = 7) -> list[str]:
        return [run.workflow.value for run in await self.store.runs.of(CaseId(f"acme/shop#{number}"))]

    async def messages(self, number: int = 7) -> list[tuple[str, str, str]]:
        found = await self.store.inbox.of(CaseId(f"acme/shop#{number}"))
        return [(message.author, message.kind.value, message.text) for message in found]

    async def pull(self, number: int = 9) -> StoredPull:
        stored = await self.store.pull_cases.load(CaseId(f"acme/shop!{number}"))
        assert stored is not None
        return stored

    async def pull_runs(self, number: int = 9) -> list[tuple[str, str]]:
        runs = await self.store.runs.of(CaseId(f"acme/shop!{number}"))
        return [(run.workflow.value, "in flight" if run.ended_at is None else run.state.value) for run in runs]

    async def pull_messages(self, number: int = 9) -> list[tuple[str, str, str]]:
        found = await self.store.inbox.of(CaseId(f"acme/shop!{number}"))
        return [(message.author, message.kind.value, message.outcome or "") for message in found]

    async def pull_becomes(self, number: int = 9, **changes: object) -> None:
        """The pull case moves, as its flow would tell."""
        stored = await self.pull(number)
        moved = stored.case.updated(transitions=stored.case.progress.transitions + 1, **changes)
        await self.store.pull_cases.save(moved, trace=stored.trace)

    async def finishes(self, milestone: Milestone, number: int = 7) -> None:
        """The case reaches the milestone, as its flow would tell."""
        stored = await self.store.cases.load(CaseId(f"acme/shop#{number}"))
        assert stored is not None
        waiting = stored.case.updated(
            state=IssueState.WAITING_FOR_HUMAN_INPUT,
            wait=Wait(reason=WaitingFor.MILESTONE),
            until=milestone,
            transitions=stored.case.progress.transitions + 1,
        )
        await self.store.cases.move(waiting, [], stored.file, trace=stored.trace)

    async def ends(self, state: IssueState, number: int = 7) -> None:
        stored = await self.store.cases.load(CaseId(f"acme/shop#{number}"))
        assert stored is not None
        over = stored.case.updated(state=state, transitions=stored.case.progress.transitions + 1)
        await self.store.cases.move(over, [], stored.file, trace=stored.trace)


def _body(parts: dict[str, object], who: str) -> dict[str, object]:
    repository = {"full_name": "acme/shop", "html_url": "https://github.com/acme/shop"}
    return {**parts, "repository": repository, "sender": {"login": who}}


async def keep_open_pull(store: Store, case: CaseId, number: int) -> None:
    """The row of an open pull request that a case of the shop has made, with the commit PULL_HEAD."""
    pull = PullRequest(
        repository=await store.repositories.register(SHOP),
        number=number,
        case=case,
        title="Repair the checkout",
        body="",
        base="main",
        head="agent/issue-7",
        head_sha=PULL_HEAD,
        state="open",
        url=f"https://github.com/acme/shop/pull/{number}",
    )
    await store.pulls.keep(pull)
