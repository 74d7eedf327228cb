"""A pull request of rita's on our own GitHub, with a pull case in the store whose turns are finished by hand."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from caseworker.activities.pull.pull_publish import PullPublisher, WordsPublished
from caseworker.core.base.ids import CaseId, Sha, pull_case
from caseworker.core.base.policy import Policy
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import parse_outcome
from caseworker.core.outcomes.pull_work import PullFinding
from caseworker.core.people.commands import StartWork
from caseworker.core.people.messages import NewMessage, Standing
from caseworker.core.pull.findings import Reproduction, finding_id
from caseworker.core.pull.thread_answers import given_threads
from caseworker.core.record.entries import TurnCompleted
from caseworker.core.record.pull_entries import TurnGiven
from caseworker.forges.github.thread_reads import GitHubPullThreads
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.review_acts import create_review_comment
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.entities.repository import PullRequest, ReviewThread
from caseworker.ports import Attempt, FinishedTurn, NewPullCase, StoredPull
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.github_stage import propose
from tests.edges.store_examples import TRACE

CODE = "".join(f"line_{number} = {number}\n" for number in range(1, 41))
CHANGED = CODE.replace("line_20 = 20", "line_20 = 21")


@dataclass(kw_only=True)
class ReviewDesk:
    shop: Shop
    pull: PullRequest
    case: CaseId
    turns: int = 0

    @property
    def head(self) -> Sha:
        return Sha(self.pull.head.sha)

    @property
    def threads(self) -> GitHubPullThreads:
        return GitHubPullThreads(self.shop.api, broker=self.shop.broker)

    async def stored(self) -> StoredPull:
        stored = await self.shop.store.pull_cases.load(self.case)
        assert stored is not None
        return stored

    def comments(self, login: str, text: str, line: int = 20) -> ReviewThread:
        draft = LineComment(path="code.py", body=text, line=line)
        return create_review_comment(self.shop.state, self.shop.people[login], self.pull, draft).thread

    async def reviews(self, *findings: Mapping[str, object], shown: Reproduction | None = None) -> int:
        """A finished review. `shown`: what came of every finding's command."""
        answer = {"status": "REVIEWED", "summary": "It counts.", "checked": ["all"], "findings": list(findings)}
        outcome = parse_outcome(Role.TECH_LEAD, Task.REVIEW_PULL, answer)
        found = {} if shown is None else {_id(one): shown for one in findings}
        return await self._finish(Role.TECH_LEAD, Task.REVIEW_PULL, outcome, {"reproductions": found})

    async def answers(self, *answers: Mapping[str, object]) -> int:
        """A finished resolve turn, which was given the threads that are open now, in their order."""
        talk = await self.threads.read(self.shop.ref, self.pull.number)
        answer = {"status": "RESOLVED", "summary": "Done.", "threads": list(answers)}
        outcome = parse_outcome(Role.DEVELOPER, Task.RESOLVE_PULL, answer)
        given = {"threads": given_threads(talk.open_threads)}
        return await self._finish(Role.DEVELOPER, Task.RESOLVE_PULL, outcome, given)

    async def publish(self, turn: int, pushed: Sha | None = None) -> WordsPublished:
        stored = await self.stored()
        publisher = PullPublisher(store=self.shop.store, threads=self.threads, redactor=Redactor())
        return await publisher.publish_words(stored, stored.case, turn, pushed)

    async def _finish(self, role: Role, task: Task, outcome: object, given: Mapping[str, object]) -> int:
        self.turns += 1
        store = self.shop.store
        attempt = await store.turns.begin(
            self.case, self.turns, role=role, task=task, worker="host", activity=b"token", trace=TRACE
        )
        assert isinstance(attempt, Attempt)
        numbers = {"turn": attempt.turn, "attempt": attempt.number, "calls": 1, "cost_micros": 1}
        what = {"role": role, "task": task, "checkpoint": self.head}
        turn = FinishedTurn.model_validate({**numbers, **what, "outcome": outcome, "session": attempt.session})
        entry = TurnCompleted.model_validate({**numbers, **what, "status": turn.outcome.status, "summary": "Done."})
        noted = TurnGiven.model_validate({"turn": self.turns, **given})
        assert await store.turns.complete(attempt, turn, None, entry, noted)
        return self.turns


@asynccontextmanager
async def opened_review_desk(folder: Path) -> AsyncIterator[ReviewDesk]:
    async with opened_shop(folder, {"code.py": CODE}) as shop:
        rita = shop.people["rita"]
        propose(shop.state, rita, shop.repository, "topic", "code.py", CHANGED.encode())
        pull = create_pull(
            shop.state, rita, shop.repository, title="Count on", head="topic", base="main", body="Counts."
        )
        repository = await shop.register()
        case = pull_case(repository, pull.number)
        new = NewPullCase(
            repository=repository,
            number=pull.number,
            title="Count on",
            url="https://github.example/acme/shop/pull/1",
            author="rita",
            policy=Policy(budget_micros=5_000_000),
            rehearsal=None,
            trace=TRACE,
        )
        first = NewMessage(
            case=case,
            surface="github",
            external_id="1",
            author="olga",
            standing=Standing.OWNER,
            command=StartWork(workflow="review"),
            text="bot:review",
            trace=TRACE,
        )
        assert await shop.store.pull_cases.open(new, "review", first)
        yield ReviewDesk(shop=shop, pull=pull, case=case)


def _id(finding: Mapping[str, object]) -> str:
    return finding_id(PullFinding.model_validate(finding))
