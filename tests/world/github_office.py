"""A repository on our own GitHub, served by Caseworker over HTTP as `caseworker serve` does it."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from temporalio.client import Client

from caseworker.activities.pull.pull_ports import PullPorts
from caseworker.agents.single_questions import SingleQuestions
from caseworker.app.github_mentions import model_settings
from caseworker.app.parts import github_access, make_discussions
from caseworker.app.settings import Settings
from caseworker.app.surface_port import IntakeDesk
from caseworker.app.surfaces.github import GitHub
from caseworker.app.wiring import make_reconciler
from caseworker.core.base.ids import CaseId
from caseworker.core.base.pace import Pace
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.forges.forge_choice import make_choice
from caseworker.forges.github.connect import connect
from caseworker.forges.github.forge import make_github_forge
from caseworker.github_double.acts.hook_acts import redeliver
from caseworker.github_double.double_server import listening
from caseworker.github_double.entities.accounts import Installation
from caseworker.github_double.entities.repository import Comment, Issue, PullRequest, Repository
from caseworker.intake.show_runs import Looks
from caseworker.workspaces.bisector import GitBisector
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.pull_trees import GitPullBranches
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.patience import LOOK, PATIENCE
from tests.world.github import GitHubWorld, Person
from tests.world.question_model import QuestionModel, serving_questions
from tests.world.slack import SlackDouble
from tests.world.world import CaseInWorld, World, open_world

FAST = Pace(per_minute=10_000, per_hour=10_000, gap_seconds=0)
QUICK = Looks(between=0.25, again=0.25, failed=0.2, refused=0.5)
SECRET = "a secret of webhooks"
BOT = "caseworker[bot]"
FILES = {
    "greeting.txt": "Hello wrold\n",
    "tests/hello.sh": "grep -q ^Hello greeting.txt\n",
    "Makefile": "test:\n\t@set -e; for t in tests/*.sh; do echo $$t; sh $$t; done\n",
}


@dataclass
class GitHubOffice:
    world: World
    github: GitHubWorld
    settings: Settings
    shop: Repository
    olga: Person
    """The owner."""
    sam: Person
    """A stranger."""
    installation: Installation
    questions: QuestionModel
    door: "Door"
    looks: Looks = QUICK
    """How often tracking comments are looked at, from the next start on."""
    _serving: AsyncExitStack = field(default_factory=AsyncExitStack)

    # --- what machines do

    async def serving_starts(self) -> None:
        world = self.world
        desk = IntakeDesk(
            store=world.store,
            conversation=world.conversation,
            new_cases=world.new_cases,
            doorbell=world.parts.doorbell,
        )
        heard = await GitHub(self.settings, pace=FAST, looks=self.looks).listen(desk)
        [self.door.route] = heard.routes
        tasks = [asyncio.create_task(run()) for run in heard.work.values()]
        self._serving.push_async_callback(_cancel, tasks)

    async def serving_stops(self) -> None:
        self.door.route = None
        await self._serving.aclose()

    async def redelivers(self, event: str) -> None:
        """GitHub sends every delivery of this event again, once each was taken. Waits until all are duplicates."""
        hook = self.installation.app.hook
        assert hook is not None
        again = [one for one in hook.deliveries if one.event == event]
        guids = {one.guid for one in again}
        await self._taken(guids, None)
        for one in again:
            redeliver(self.github.state, self.olga.user, hook, one)
        await self._taken(guids, OutcomeKind.DUPLICATE)

    async def _taken(self, guids: set[str], outcome: OutcomeKind | None) -> None:
        """Waits until these deliveries are in the store, with this outcome if one is given."""
        deadline = time.monotonic() + PATIENCE
        while missing := guids - {
            one.guid for one in await self.world.store.deliveries.list(outcome=outcome, limit=200)
        }:
            assert time.monotonic() < deadline, f"not taken as {outcome or 'anything'}: {missing}"
            await asyncio.sleep(LOOK)

    # --- what can be looked at

    def case(self, issue: Issue) -> CaseInWorld:
        case = CaseId(f"{self.shop.full_name}#{issue.number}")
        if case not in self.world.cases:
            self.world.cases.append(case)
        return CaseInWorld(self.world, case)

    def said(self, issue: Issue) -> list[str]:
        """Our comments that are no tracking comments, without their markers."""
        ours = [one.body for one in _ours(issue) if not one.body.startswith("<!-- workflow-run:")]
        return [body.rpartition("<!-- caseworker:")[0].rstrip() for body in ours]

    def tracking(self, issue: Issue) -> dict[str, str]:
        """Tracking comments by workflow. Two of one workflow are a failure."""
        bodies = [one.body for one in _ours(issue) if one.body.startswith("<!-- workflow-run:")]
        found = {body.partition("### Caseworker: ")[2].partition("\n")[0]: body for body in bodies}
        assert len(found) == len(bodies), bodies
        return found

    def pulls(self) -> list[PullRequest]:
        return list(self.shop.pulls.values())

    async def outcomes(self) -> list[str]:
        """What came of the deliveries, oldest first."""
        return [one.outcome.kind.value for one in reversed(await self.world.store.deliveries.list(limit=200))]

    # --- what we expect

    async def expect(self, is_so: Callable[[], bool], what: str, issue: Issue) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > deadline:
                story = await self.case(issue).story() if await self._has_case(issue) else "there is no case"
                talk = "\n---\n".join(f"{one.author.login}: {one.body}" for one in issue.comments)
                raise AssertionError(f"not seen: {what}; {await self.outcomes()}\n{story}\n\n{talk}")
            await asyncio.sleep(LOOK)

    async def expect_tracking(self, issue: Issue, workflow: str, state: str) -> str:
        """Waits until the run's comment shows this state, and returns the comment."""

        def is_shown() -> bool:
            """A second run posts its comment before that of the first is deleted."""
            bodies = [one.body for one in _ours(issue) if f"### Caseworker: {workflow}\n" in one.body]
            return len(bodies) == 1 and f"| {state} |" in bodies[0]

        await self.expect(is_shown, f"{workflow} {state}", issue)
        return self.tracking(issue)[workflow]

    async def expect_said(self, issue: Issue, words: str) -> None:
        await self.expect(lambda: any(words in one for one in self.said(issue)), words, issue)

    async def expect_outcome(self, kind: str) -> None:
        """Waits until a delivery has this outcome."""
        deadline = time.monotonic() + PATIENCE
        while kind not in (seen := await self.outcomes()):
            assert time.monotonic() < deadline, f"no delivery is {kind}: {seen}"
            await asyncio.sleep(LOOK)

    async def expect_receipt(self, issue: Issue, words: str) -> None:
        """Waits until the newest message of the case has a receipt with these words."""
        deadline, case = time.monotonic() + PATIENCE, self.case(issue)
        while words not in (seen := await case.receipts())[-1]:
            assert time.monotonic() < deadline, f"no receipt {words!r}: {seen}"
            await asyncio.sleep(LOOK)

    async def _has_case(self, issue: Issue) -> bool:
        return await self.world.store.cases.find(CaseId(f"{self.shop.full_name}#{issue.number}")) is not None


class Door:
    """Where GitHub sends its webhooks. Nobody is there while Caseworker does not serve."""

    def __init__(self) -> None:
        self.route: Route | None = None

    async def receive(self, request: Request) -> Response:
        if self.route is None:
            return PlainTextResponse("Nobody is here.", status_code=503)
        endpoint: Callable[[Request], Awaitable[Response]] = self.route.endpoint
        return await endpoint(request)


@asynccontextmanager
async def open_github_office(
    home: Path,
    client: Client,
    *,
    furnish: Callable[[World], None] = lambda _: None,
    slack: SlackDouble | None = None,
    **settings_too: object,
) -> AsyncIterator[GitHubOffice]:
    """`furnish` may exchange parts before the workers start; `settings_too` are further settings."""
    async with AsyncExitStack() as stack:
        github, door = GitHubWorld(home / "github"), Door()
        await stack.enter_async_context(github.double.serving())
        route = Route("/github/webhooks", door.receive, methods=["POST"])
        here = await stack.enter_async_context(listening(Starlette(routes=[route])))
        olga, sam = github.user("olga"), github.user("sam")
        shop = github.repository(olga, "shop", FILES)
        app, key = github.app(olga, url=f"{here}/github/webhooks", secret=SECRET)
        installation = github.installed(app, shop)
        questions, model_url = await stack.enter_async_context(serving_questions())
        settings = Settings.model_validate(
            {
                "home": home,
                "anthropic_api_key": SecretStr("a key"),
                "anthropic_base_url": model_url,
                "github_app_id": str(app.id),
                "github_app_private_key": SecretStr(key),
                "github_api_url": github.state.api_url,
                "github_webhook_secret": SecretStr(SECRET),
                "checks_settle_seconds": 1,
                **settings_too,
            }
        )

        def furnish_all(world: World) -> None:
            _furnish(world, settings)
            furnish(world)

        world = await stack.enter_async_context(open_world(home, client, slack=slack, furnish=furnish_all))
        office = GitHubOffice(
            world=world,
            github=github,
            settings=settings,
            shop=shop,
            olga=olga,
            sam=sam,
            installation=installation,
            questions=questions,
            door=door,
        )
        stack.push_async_callback(office.serving_stops)
        await office.serving_starts()
        yield office


def _furnish(world: World, settings: Settings) -> None:
    access, store = github_access(settings), world.store
    assert access is not None
    remote = make_github_forge(connect(access), store, SafeGit(), pace=FAST)
    forge = make_choice(local=world.parts.forge, remote=remote, repositories=store.repositories)
    chat = GitHub(settings).chat(forge)
    assert chat is not None
    workspaces = GitWorkspaces(world.home, source=forge.source)
    bisector = GitBisector(workspaces=workspaces, builder=world.parts.builder)
    model = SingleQuestions(ledger=store.ledger, record=store.record, model=model_settings(settings))
    world.parts = replace(
        world.parts,
        forge=forge,
        chats={**world.parts.chats, "github": chat},
        workspaces=workspaces,
        bisector=bisector,
        model=model,
        discussions=make_discussions(settings, remote),
        pulls=PullPorts(
            store=store,
            workspaces=workspaces,
            builder=world.parts.builder,
            branches=GitPullBranches(world.home, source=forge.source, workspaces=workspaces, git=SafeGit()),
            forge=remote,
        ),
    )
    world.reconciler = make_reconciler(world.parts)


def _ours(issue: Issue) -> list[Comment]:
    return [one for one in issue.comments if one.author.login == BOT]


async def _cancel(tasks: "list[asyncio.Task[Any]]") -> None:
    for task in tasks:
        task.cancel()
    for end in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(end, Exception):
            raise end
