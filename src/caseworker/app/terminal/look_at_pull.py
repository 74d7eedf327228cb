"""Looks at a pull request that a person named, and judges it. Needs only access to GitHub."""

from dataclasses import dataclass

from caseworker.app.parts import github_access
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.evidence.repository_rules import SETTINGS_FILE, RepositoryRules
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.pull.verdict import Verdict
from caseworker.views.readiness import Readiness, look_and_judge, readiness


@dataclass(frozen=True, kw_only=True)
class LookedAt:
    repository: RemoteRepository
    facts: PullFacts
    verdict: Verdict

    @property
    def name(self) -> str:
        return f"{self.repository.owner}/{self.repository.name}#{self.facts.subject.number}"

    @property
    def readiness(self) -> Readiness:
        return readiness(self.name, self.facts, self.verdict)


async def look_at_pull(settings: Settings, name: str) -> LookedAt:
    """`name`: `owner/repo#57`, `owner/repo!57`, or the address of its page."""
    from caseworker.forges.github.connect import connect
    from caseworker.forges.github.issue_links import parse_pull_link
    from caseworker.forges.github.probe import GitHubProbe

    link = parse_pull_link(name)
    access = github_access(settings)
    if access is None:
        raise Refused(
            "GitHub is not set up.", todo="Set CASEWORKER_GITHUB_TOKEN to a token that may read pull requests."
        )
    api = connect(access)
    repository = link.on(api.address)
    facts, verdict = await look_and_judge(GitHubProbe(api), repository, link.number)
    return LookedAt(repository=repository, facts=facts, verdict=verdict)


async def rules_of_pull(settings: Settings, repository: RemoteRepository) -> RepositoryRules:
    """The rules that the repository's own settings file sets."""
    from caseworker.activities.shared.read_rules import rules_in
    from caseworker.forges.github.connect import connect
    from caseworker.forges.github.reads import GitHubReader

    access = github_access(settings)
    assert access is not None, "the pull request was read with it"
    return rules_in(await GitHubReader(connect(access)).file(repository, SETTINGS_FILE))
