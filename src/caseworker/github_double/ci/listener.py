"""Starts workflow runs when something happens, and turns their output into jobs and check runs."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from caseworker.github_double import git_store
from caseworker.github_double.acts.account_acts import create_app, create_user
from caseworker.github_double.acts.workflow_acts import begin_run
from caseworker.github_double.ci.act_output import ActOutput
from caseworker.github_double.ci.act_process import Plan, act_lines
from caseworker.github_double.ci.job_reports import JobReports
from caseworker.github_double.ci.workflow_files import Workflow, read_workflow, workflows_at
from caseworker.github_double.derive.merge_state import base_sha
from caseworker.github_double.entities.accounts import App, Permissions
from caseworker.github_double.entities.check_records import WorkflowRun
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.shapes.issue_shapes import association
from caseworker.github_double.state import Event, GitHub

_SKIP_WORDS: Final = ("[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]")
_PULL_ACTIONS: Final = ("opened", "synchronize", "reopened", "ready_for_review", "labeled", "edited")


@dataclass
class ContinuousIntegration:
    """Listens to one GitHub. Runs at most `at_once` workflows at a time, each for at most `seconds`."""

    github: GitHub
    seconds: float = 600.0
    at_once: int = 2
    _plans: dict[int, Plan] = field(default_factory=dict)
    _tasks: dict[asyncio.Task[None], WorkflowRun] = field(default_factory=dict)
    _begins: bool = False

    def __post_init__(self) -> None:
        self._room = asyncio.Semaphore(self.at_once)
        self._app = actions_app(self.github)

    # --- what others call

    async def idle(self) -> None:
        """Waits until nothing runs. An error of ours in a run is raised here."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    def cancel(self, run: WorkflowRun) -> None:
        """Stops a run; its unfinished jobs end as cancelled."""
        for task, running in self._tasks.items():
            if running is run:
                task.cancel()

    async def stop(self) -> None:
        """Cancels what runs."""
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    # --- listening

    def hear(self, event: Event) -> None:
        repository = event.repository
        if repository is None:
            return
        if event.name == "push":
            self._pushed(repository, event)
        elif event.name == "pull_request" and event.action in _PULL_ACTIONS:
            self._proposed(repository, event)
        elif event.name == "workflow_run" and event.action == "requested" and not self._begins:
            self._asked_again(repository, event)

    def _pushed(self, repository: Repository, event: Event) -> None:
        ref, sha = str(event.body["ref"]), str(event.body["after"])
        if not ref.startswith("refs/heads/") or sha == git_store.NO_COMMIT:
            return
        branch = ref.removeprefix("refs/heads/")
        if _is_skipped(repository, sha):
            return
        changed = _changed(repository, str(event.body["before"]), sha)
        for workflow in workflows_at(repository.path, sha):
            if workflow.starts_on("push", branch, None, changed):
                plan = self._plan(repository, workflow, event, commit=sha, branch=branch)
                self._begin(plan, workflow, event, sha=sha, pulls=())

    def _proposed(self, repository: Repository, event: Event) -> None:
        pull = repository.pulls[_number(event)]
        if _is_skipped(repository, pull.head.sha):
            return
        merged = _trial_commit(pull)
        if merged is None:  # GitHub starts nothing for a pull request that conflicts
            return
        changed = _changed(repository, base_sha(pull) or pull.base.sha, merged)
        for workflow in workflows_at(repository.path, merged):
            if workflow.starts_on("pull_request", pull.base.ref, event.action, changed):
                plan = self._plan(repository, workflow, event, commit=merged, branch=pull.head.ref)
                waits = pull.is_cross_repository and repository.needs_ci_approval and _is_newcomer(pull)
                self._begin(plan, workflow, event, sha=pull.head.sha, pulls=(pull.number,), waits=waits)

    def _asked_again(self, repository: Repository, event: Event) -> None:
        """A new attempt, or a fork's run that a maintainer has approved."""
        body = event.body["workflow_run"]
        assert isinstance(body, dict)
        run = next((one for one in repository.records.workflow_runs if one.id == body["id"]), None)
        if run is not None and run.id in self._plans:
            self._start(run)

    # --- running

    def _plan(self, repository: Repository, workflow: Workflow, event: Event, *, commit: str, branch: str) -> Plan:
        return Plan(
            repository=repository,
            path=workflow.path,
            event=event.name,
            commit=commit,
            branch=branch,
            body=event.body,
            login=event.sender.login,
        )

    def _begin(
        self, plan: Plan, workflow: Workflow, event: Event, *, sha: str, pulls: tuple[int, ...], waits: bool = False
    ) -> None:
        self._begins = True
        try:
            run = begin_run(
                self.github,
                self._app,
                plan.repository,
                name=workflow.name,
                path=plan.path,
                event=plan.event,
                sha=sha,
                branch=plan.branch,
                actor=event.sender,
                pull_numbers=pulls,
            )
        finally:
            self._begins = False
        self._plans[run.id] = plan
        run.suite.awaits_approval = waits
        if not waits:
            self._start(run)

    def _start(self, run: WorkflowRun) -> None:
        task = asyncio.get_running_loop().create_task(self._run(run), name=f"CI run {run.number}")
        self._tasks[task] = run
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        # A failed task stays in the list, so that `idle` raises its error.
        if task.cancelled() or task.exception() is None:
            self._tasks.pop(task, None)

    async def _run(self, run: WorkflowRun) -> None:
        plan = self._plans[run.id]
        text = await asyncio.to_thread(git_store.run_git, plan.repository.path, "show", f"{plan.commit}:{plan.path}")
        workflow = read_workflow(plan.path, text)
        report = JobReports(self.github, plan.repository, run, ActOutput(workflow))
        if workflow.problem is not None:
            report.not_started(workflow.problem)
            return
        async with self._room:
            folder = Path(tempfile.mkdtemp(prefix="caseworker-ci-"))
            try:
                async with asyncio.timeout(self.seconds), aclosing(act_lines(plan, folder)) as lines:
                    async for line in lines:
                        report.hear(line)
                report.finish("failure")
            except TimeoutError:
                report.finish("timed_out")
            except asyncio.CancelledError:
                report.finish("cancelled")
                raise
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, True)


@asynccontextmanager
async def run_ci(github: GitHub, *, seconds: float = 600.0) -> AsyncIterator[ContinuousIntegration]:
    """CI for as long as the context lasts; what still runs at its end is cancelled."""
    ci = ContinuousIntegration(github, seconds=seconds)
    github.listeners.append(ci.hear)
    try:
        yield ci
    finally:
        github.listeners.remove(ci.hear)
        await ci.stop()


def actions_app(github: GitHub) -> App:
    """The App that reports for workflows, made at first use."""
    found = next((app for app in github.apps.values() if app.slug == "github-actions"), None)
    if found is not None:
        return found
    owner = github.users.get("github") or create_user(github, "github", kind="Organization")
    permissions: Permissions = {"actions": "write", "checks": "write", "contents": "read"}
    return create_app(github, owner, "GitHub Actions", public_key="", permissions=permissions)


def _trial_commit(pull: PullRequest) -> str | None:
    """The merge of head and base, None if they conflict. It leaves what the API says of mergeability as it is."""
    base, path = base_sha(pull), pull.repository.path
    tree = git_store.trial_merge(path, base, pull.head.sha) if base is not None else None
    if base is None or tree is None:
        return None
    return git_store.commit_tree(path, tree, (base, pull.head.sha), f"Merge {pull.head.sha} into {base}")


def _changed(repository: Repository, before: str, after: str) -> list[str]:
    """Paths that differ; all paths where there was nothing before."""
    if before == git_store.NO_COMMIT or git_store.resolve(repository.path, before) is None:
        return git_store.run_git(repository.path, "ls-tree", "-r", "--name-only", after).splitlines()
    return git_store.run_git(repository.path, "diff", "--name-only", before, after).splitlines()


def _is_newcomer(pull: PullRequest) -> bool:
    return association(pull.author, pull.repository) == "NONE"


def _is_skipped(repository: Repository, sha: str) -> bool:
    message = git_store.commit(repository.path, sha).message.lower()
    return any(words in message for words in _SKIP_WORDS)


def _number(event: Event) -> int:
    number = event.body["number"]
    assert isinstance(number, int)
    return number
