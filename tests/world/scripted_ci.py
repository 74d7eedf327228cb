"""CI that says what a test wants: jobs of GitHub Actions with times, logs and attempts, and checks of another App."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

import httpx

from caseworker.github_double.acts.account_acts import create_app, create_installation_token, install
from caseworker.github_double.acts.check_acts import CheckReport
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job, rerun_failed
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.ci.listener import actions_app
from caseworker.github_double.entities.accounts import Actor, App, Installation
from caseworker.github_double.entities.check_records import Annotation, Conclusion, WorkflowJob, WorkflowRun
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.state import GitHub

LOG = """\
##[group]Run pytest
##[endgroup]
FAILED tests/test_{name}.py::test_it - AssertionError: assert {number} == 0
##[error]Process completed with exit code 1.
"""


def long_log(size: int, *, name: str = "cart") -> str:
    """Of this many bytes at least, with the failure at its end."""
    line = "2026-01-05T09:00:00.0000000Z a line of ordinary output\n"
    return line * (size // len(line) + 1) + LOG.format(name=name, number=7)


@dataclass
class ScriptedCi:
    github: GitHub
    repository: Repository
    actor: Actor
    """Who pushed, and who asks for another attempt."""
    workflow: str = ".github/workflows/ci.yml"
    seconds: float = 90
    """How long a job takes by GitHub's clock, which then is that much ahead of ours."""
    _others: dict[str, Installation] = field(default_factory=dict)

    def runs(self, sha: str, jobs: dict[str, Conclusion], *, event: str = "pull_request", log: str = "") -> WorkflowRun:
        """A run of a workflow on a commit, with the result of each job."""
        run = self._begin(sha, event)
        self._report(run, jobs, log)
        return run

    def begins(self, sha: str, jobs: Iterable[str], *, event: str = "pull_request") -> WorkflowRun:
        """A run whose jobs are under way until `ends`."""
        run = self._begin(sha, event)
        for name in jobs:
            job = add_job(self.github, self.repository, run, name)
            report_job(self.github, self.repository, job, CheckReport(status="in_progress"))
        return run

    def ends(self, run: WorkflowRun, jobs: dict[str, Conclusion], *, log: str = "") -> None:
        self._end({job.check_run.name: job for job in run.jobs}, jobs, log)

    def _begin(self, sha: str, event: str) -> WorkflowRun:
        assert self.actor.user is not None
        return begin_run(
            self.github,
            actions_app(self.github),
            self.repository,
            name="CI",
            path=self.workflow,
            event=event,
            sha=sha,
            branch="fix",
            actor=self.actor.user,
        )

    def again(self, run: WorkflowRun, jobs: dict[str, Conclusion], *, log: str = "") -> None:
        """Another attempt of what failed, asked for and carried out."""
        rerun_failed(self.github, self.actor, self.repository, run)
        self._report(run, jobs, log)

    def finishes(self, run: WorkflowRun, jobs: dict[str, Conclusion], *, log: str = "") -> None:
        """What an attempt that somebody else asked for brings."""
        self._report(run, jobs, log)

    async def another_app(
        self, sha: str, name: str, conclusion: Conclusion, *, app: str = "Scanner", remarks: tuple[str, ...] = ()
    ) -> None:
        """A check run of another App, over REST as that App would."""
        installed = self._installed(app)
        token = create_installation_token(self.github, Actor(user=None, app=installed.app), installed.id)
        notes = [
            {"path": "calc.py", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": one}
            for one in remarks
        ]
        body = {
            "name": name,
            "head_sha": sha,
            "conclusion": conclusion,
            "output": {"title": name, "summary": "What it found", "annotations": notes},
        }
        url = f"{self.github.api_url}/repos/{self.repository.full_name}/check-runs"
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token.value}"}) as client:
            (await client.post(url, json=body)).raise_for_status()

    def _installed(self, app: str) -> Installation:
        if app not in self._others:
            _, public_key = new_key_pair()
            made: App = create_app(
                self.github, self.repository.owner, app, public_key=public_key, permissions={"checks": "write"}
            )
            self._others[app] = install(self.github, made, self.repository.owner)
        return self._others[app]

    def _report(self, run: WorkflowRun, jobs: dict[str, Conclusion], log: str) -> None:
        self._end({name: add_job(self.github, self.repository, run, name) for name in jobs}, jobs, log)

    def _end(self, begun: dict[str, WorkflowJob], jobs: dict[str, Conclusion], log: str) -> None:
        self.github.moments.advance(timedelta(seconds=self.seconds))
        for name, conclusion in jobs.items():
            attempt = begun[name].run.attempt
            said = log or (LOG.format(name=name, number=attempt) if conclusion == "failure" else "all well\n")
            remark = Annotation(
                path=".github", start_line=1, end_line=1, level="failure", message="Process completed with exit code 1."
            )
            report = CheckReport(conclusion=conclusion, annotations=(remark,) if conclusion == "failure" else ())
            report_job(self.github, self.repository, begun[name], report, log=said)
