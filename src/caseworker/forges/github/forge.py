"""GitHub as a `Forge`: makes all its parts from one connection."""

from collections.abc import Set
from dataclasses import dataclass
from functools import partial

from caseworker.core.base.pace import Pace
from caseworker.core.base.redaction import Redactor
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.discussions import GitHubChecks, GitHubComments, GitHubLabels
from caseworker.forges.github.failure_reads import GitHubFailures
from caseworker.forges.github.https_git import HttpsGit
from caseworker.forges.github.probe import GitHubProbe
from caseworker.forges.github.pull_reads import PullReader
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.remote_issues import GitHubIssues
from caseworker.forges.github.remote_pulls import GitHubPulls
from caseworker.forges.github.remote_source import GitHubSource
from caseworker.forges.github.state_tools import StateTools
from caseworker.forges.github.thread_reads import GitHubPullThreads
from caseworker.forges.github.verdict_reports import GitHubVerdicts
from caseworker.ports import Git, StateOf, Store


@dataclass(frozen=True, kw_only=True)
class GitHubForge:
    source: GitHubSource
    pulls: GitHubPulls
    comments: GitHubComments
    issues: GitHubIssues
    labels: GitHubLabels
    checks: GitHubChecks
    state: StateOf | None
    reader: GitHubReader
    broker: Broker
    probe: GitHubProbe
    failures: GitHubFailures
    verdicts: GitHubVerdicts
    threads: GitHubPullThreads
    redactor: Redactor


def make_github_forge(
    api: GitHubApi,
    store: Store,
    git: Git,
    *,
    pace: Pace | None = None,
    tools: bool = True,
    owners: Set[str] = frozenset(),
    redactor: Redactor | None = None,
) -> GitHubForge:
    """`tools`: whether agents may read the state of pull requests. `owners`: the setting `allowed_owners`."""
    reader, pulls = GitHubReader(api), PullReader(api)
    broker = Broker(api, budget=store.write_budget, git=git, pace=pace)
    return GitHubForge(
        source=GitHubSource(git=HttpsGit(git, api), reader=reader, broker=broker),
        pulls=GitHubPulls(
            repositories=store.repositories, records=store.pulls, broker=broker, reader=reader, pulls=pulls
        ),
        comments=GitHubComments(broker, reader),
        issues=GitHubIssues(broker, reader, redactor=redactor or Redactor()),
        labels=GitHubLabels(broker, reader),
        checks=GitHubChecks(CheckReader(api), reader),
        state=partial(StateTools, api) if tools else None,
        reader=reader,
        broker=broker,
        probe=GitHubProbe(api),
        failures=GitHubFailures(api, broker),
        verdicts=GitHubVerdicts(broker, reader, is_app=api.credentials.is_app),
        threads=GitHubPullThreads(api, broker=broker, owners=owners),
        redactor=redactor or Redactor(),
    )
