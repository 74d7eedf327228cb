"""Looks at a pull request that a person named, and judges it. Needs only access to GitHub."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from caseworker.app.desk import reading
from caseworker.app.parts import github_access
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.evidence.repository_rules import SETTINGS_FILE, RepositoryRules
from caseworker.core.pull.own_check import CHECK_NAME, HeadWatch, watch_by_address, watch_in, watch_in_link
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.pull.session_verdict import head_watch
from caseworker.core.pull.verdict import Verdict
from caseworker.ports.github import thread_on
from caseworker.views.readiness import Readiness, look_and_judge, readiness

if TYPE_CHECKING:
    from caseworker.forges.github.api import GitHubApi


@dataclass(frozen=True, kw_only=True)
class LookedAt:
    repository: RemoteRepository
    facts: PullFacts
    verdict: Verdict
    us: str
    """The login of the person who looks after it. Empty: nobody does."""

    @property
    def name(self) -> str:
        return f"{self.repository.owner}/{self.repository.name}#{self.facts.subject.number}"

    @property
    def readiness(self) -> Readiness:
        return readiness(self.name, self.facts, self.verdict)


async def look_at_pull(settings: Settings, name: str) -> LookedAt:
    """`name`: in one of the forms of `named_pull`."""
    from caseworker.app.terminal.name_pull import check_pull_name, named_pull
    from caseworker.forges.github.connect import connect
    from caseworker.forges.github.probe import GitHubProbe

    check_pull_name(name)
    access = github_access(settings)
    if access is None:
        raise Refused(
            "GitHub is not set up.", todo="Set CASEWORKER_GITHUB_TOKEN to a token that may read pull requests."
        )
    api = connect(access)
    repository, number = await named_pull(settings, name, api.address)

    known: list[HeadWatch] = []

    async def knowing(facts: PullFacts) -> HeadWatch:
        recorded = await _on_record(settings, api, repository, facts)
        known.append(recorded or await _on_head(api, repository, facts) or watch_by_address(facts))
        return known[-1]

    try:
        facts, verdict = await look_and_judge(GitHubProbe(api), repository, number, knowing=knowing)
    except Refused as refused:
        await _refuse_issue(api, repository, number)
        raise refused
    return LookedAt(repository=repository, facts=facts, verdict=verdict, us=known[-1].watch.us)


async def _refuse_issue(api: "GitHubApi", repository: RemoteRepository, number: int) -> None:
    """`Refused` if the number is an issue's: that is said, and how to work on it."""
    from caseworker.forges.github.api_errors import GitHubRefused
    from caseworker.forges.github.reads import GitHubReader

    try:
        found = await GitHubReader(api).issue(repository, number)
    except GitHubRefused:
        return
    if found.pull_request is None:
        name = f"{repository.owner}/{repository.name}#{number}"
        raise Refused(
            f"{name} is an issue, not a pull request.", todo=f"`caseworker run --issue {found.html_url}` works on it."
        )


async def _on_record(
    settings: Settings, api: "GitHubApi", repository: RemoteRepository, facts: PullFacts
) -> HeadWatch | None:
    """What a session of this deployment knows of the head. Null: there is none."""
    from caseworker.forges.github.reads import GitHubReader

    if not settings.database_url and not (settings.home / "caseworker.db").exists():
        return None
    async with reading(settings) as store:
        found = await store.threads.find(thread_on(repository, facts.subject.number))
        stored = None if found is None else await store.pull_cases.load(found[0])
    if stored is None:
        return None
    return head_watch(stored.case, facts.subject.head, stored.policy, us=await GitHubReader(api).whoami())


async def _on_head(api: "GitHubApi", repository: RemoteRepository, facts: PullFacts) -> HeadWatch | None:
    """What a session of whatever deployment shows on the head. Null: nothing."""
    from caseworker.forges.github.check_reads import CheckReader

    head = facts.subject.head
    ours = [one for one in facts.checks if one.name == CHECK_NAME and not one.is_superseded]
    if runs := [one for one in ours if one.id]:
        run = await CheckReader(api).run(repository, int(runs[-1].id))
        return watch_in(run.output.summary or "", head)
    return watch_in_link(ours[-1].url, head) if ours else None


async def rules_of_pull(settings: Settings, repository: RemoteRepository) -> RepositoryRules:
    """The rules that the repository's own settings file sets."""
    from caseworker.activities.shared.read_rules import rules_in
    from caseworker.forges.github.connect import connect
    from caseworker.forges.github.reads import GitHubReader

    access = github_access(settings)
    assert access is not None, "the pull request was read with it"
    return rules_in(await GitHubReader(connect(access)).file(repository, SETTINGS_FILE))
