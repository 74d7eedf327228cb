"""The probe: one look at a pull request, by one query with pages. All of it is read, or there is no answer."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, JsonValue, ValidationError

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.pull_facts import PullFacts, Unread
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi, GraphAnswer, GraphProblem
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.payloads import RuleData
from caseworker.forges.github.probe_demands import demands_of, rule_of_rest
from caseworker.forges.github.probe_facts import facts_of
from caseworker.forges.github.probe_payloads import Connection, PageInfo, ProbeData, PullNode, RuleNode
from caseworker.forges.github.probe_query import PROBE, PROBE_WITHOUT_STATE, lacks_state

_MOST_ROUNDS: Final = 100
_HIDDEN: Final = {
    "branchProtectionRule": "branch protection",
    "refUpdateRule": "branch protection",
    "rules": "rulesets",
}
"""Parts that a token may be refused, with what is missing then. Any other missing part makes the look worthless."""
_FORBIDDEN: Final = ("FORBIDDEN", "INSUFFICIENT_SCOPES")
_CHECK_RUNS: Final = {"rollup", "statusCheckRollup", "checkSuites"}
_PERMISSIONS: Final = {"branch protection": "administration: read", "rulesets": "metadata: read"}


class GitHubProbe:
    """The `PullProbe` port."""

    def __init__(self, api: GitHubApi) -> None:
        self._api = api
        self._query = PROBE

    async def look(self, repository: RepositoryRef, number: int) -> PullFacts:
        here = self._api.address.ours(repository)
        names: dict[str, JsonValue] = {"owner": here.owner, "name": here.name, "number": number}
        pages: list[PullNode] = []
        hidden: set[str] = set()
        cursors: dict[str, str | None] = {}
        for _ in range(_MOST_ROUNDS):
            answer = await self._ask(repository, {**names, **cursors})
            hidden |= _hidden_parts(answer.problems, number)
            pages.append(_pull(answer.data, number))
            ahead = {name: info for name, info in _places(pages[-1]).items() if info.hasNextPage}
            if pages[0].subject.headRefOid != pages[-1].subject.headRefOid:
                raise Transient(f"Somebody pushed to pull request {number} while it was read.")
            if not ahead:
                break
            cursors |= {name: info.endCursor for name, info in _places(pages[-1]).items() if info.endCursor}
        else:
            raise Transient(f"Pull request {number} has more pages than are read.")
        pull = _joined(pages)
        if pull.talk.commits.nodes and pull.talk.commits.nodes[-1].commit.oid != pull.subject.headRefOid:
            raise Transient(f"Pull request {number} has just been pushed to: GitHub does not show its checks yet.")
        rules, unread = await self._rules(repository, pull, hidden)
        demands = demands_of(pull.subject.baseRef, rules, uses_queue=pull.merge.isMergeQueueEnabled, unread=unread)
        return facts_of(pull, demands)

    async def _ask(self, repository: RepositoryRef, variables: dict[str, JsonValue]) -> GraphAnswer:
        here = self._api.address.ours(repository)
        answer = await self._api.graphql(here, self._query, variables)
        if answer.data is None and self._query is PROBE and any(lacks_state(one) for one in answer.errors):
            self._query = PROBE_WITHOUT_STATE
            answer = await self._api.graphql(here, self._query, variables)
        return answer

    async def _rules(
        self, repository: RepositoryRef, pull: PullNode, hidden: set[str]
    ) -> tuple[list[RuleNode], list[Unread]]:
        """Rules of rulesets; over REST where the query showed none and GitHub does not say that all is well."""
        found = list(pull.subject.baseRef.rules.nodes) if pull.subject.baseRef and pull.subject.baseRef.rules else []
        is_bare = not found and (pull.subject.baseRef is None or pull.subject.baseRef.refUpdateRule is None)
        if "rulesets" in hidden or (is_bare and pull.merge.mergeStateStatus in (None, "BLOCKED")):
            here = self._api.address.ours(repository)
            try:
                path = repository_path(here, "rules", "branches", pull.subject.baseRefName)
                found = [rule_of_rest(one) for one in await self._api.pages(here, path, RuleData)]
                hidden = hidden - {"rulesets"}
            except GitHubRefused:
                hidden = hidden | {"rulesets"}
        return found, [Unread(what=what, permission=_PERMISSIONS[what]) for what in sorted(hidden)]


def _hidden_parts(problems: Sequence[GraphProblem], number: int) -> set[str]:
    """The parts that the token may not see. `Transient`: another part is missing, so that there is no answer."""
    found = set()
    for problem in problems:
        what = next((_HIDDEN[name] for name in problem.fields if name in _HIDDEN), None)
        if problem.kind == "NOT_FOUND" and set(problem.fields) <= {"repository", "pullRequest"}:
            raise Refused(
                f"GitHub has no pull request {number} there, or does not show it to Caseworker.",
                todo="Check the name and the number, and that the token or App has access to the repository.",
            )
        if problem.kind in _FORBIDDEN and _CHECK_RUNS & set(problem.fields):
            raise Refused(
                f"This token may not read check runs, so that nothing can be said about pull request {number}.",
                todo="GitHub offers fine-grained tokens no permission for them: in a private repository use a GitHub "
                "App (`caseworker init github --app`) or a classic token with the scope `repo`.",
            )
        if what is None or problem.kind not in _FORBIDDEN:
            raise Transient(f"Pull request {number} could only be read in part: {problem.message}")
        found.add(what)
    return found


def _pull(data: JsonValue, number: int) -> PullNode:
    try:
        repository = ProbeData.model_validate(data).repository
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise Transient(f"GitHub's answer about pull request {number} could not be read: {where}.") from None
    if repository is None or repository.pullRequest is None:
        raise Transient(f"GitHub's answer says nothing about pull request {number}.")
    return repository.pullRequest


def _lists(pull: PullNode) -> dict[str, Connection[BaseModel] | None]:
    """The paged parts by the variable that holds their cursor."""
    commit = pull.talk.commits.nodes[-1].commit if pull.talk.commits.nodes else None
    found: dict[str, object] = {
        "checks": pull.merge.rollup.contexts if pull.merge.rollup else None,
        "suites": commit.checkSuites if commit else None,
        "threads": pull.talk.reviewThreads,
        "reviews": pull.talk.latestReviews,
        "opinions": pull.talk.latestOpinionatedReviews,
        "rules": pull.subject.baseRef.rules if pull.subject.baseRef else None,
    }
    return {name: part if isinstance(part, Connection) else None for name, part in found.items()}


def _places(pull: PullNode) -> dict[str, PageInfo]:
    return {name: part.pageInfo for name, part in _lists(pull).items() if part is not None}


def _joined(pages: Sequence[PullNode]) -> PullNode:
    """The newest page with the nodes of all pages in its lists."""
    last = pages[-1]
    for name, part in _lists(last).items():
        if part is not None:
            earlier = [_lists(page)[name] for page in pages[:-1]]
            part.nodes[:0] = [node for one in earlier if one is not None for node in one.nodes]
    return last
