"""Reads which review threads of several pull requests are resolved, by one query for fifty of them.

GitHub has no REST route for it. One query costs a point of the limit, however many pull requests it asks for.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Final

from pydantic import TypeAdapter, ValidationError

from caseworker.core.base.errors import Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.payloads import Payload

_AT_ONCE: Final = 50


class _Thread(Payload):
    id: str
    isResolved: bool


class _PageInfo(Payload):
    hasNextPage: bool = False
    endCursor: str | None = None


class _Threads(Payload):
    pageInfo: _PageInfo = _PageInfo()
    nodes: list[_Thread] = []


class _Pull(Payload):
    reviewThreads: _Threads


class _Data(Payload):
    repository: dict[str, _Pull | None]


async def thread_marks(api: GitHubApi, repository: RemoteRepository, numbers: Sequence[int]) -> Mapping[int, str]:
    """For each pull request a text that is the same as long as no thread is begun, resolved or opened again."""
    found: dict[int, list[tuple[str, bool]]] = {number: [] for number in numbers}
    left: dict[int, str | None] = dict.fromkeys(numbers)
    while left:
        asked = dict(islice(left.items(), _AT_ONCE))
        for number, threads in (await _ask(api, repository, asked)).items():
            found[number] += [(one.id, one.isResolved) for one in threads.nodes]
            del left[number]
            if threads.pageInfo.hasNextPage and threads.pageInfo.endCursor is not None:
                left[number] = threads.pageInfo.endCursor
    return {number: sha256(json.dumps(sorted(seen)).encode()).hexdigest()[:16] for number, seen in found.items()}


async def _ask(api: GitHubApi, repository: RemoteRepository, asked: Mapping[int, str | None]) -> dict[int, _Threads]:
    """`asked`: numbers, each with the cursor after which to read."""
    fields = "\n".join(_field(number, after) for number, after in asked.items())
    text = f"query($owner: String!, $name: String!) {{ repository(owner: $owner, name: $name) {{\n{fields}\n}} }}"
    answer = await api.graphql(repository, text, {"owner": repository.owner, "name": repository.name})
    try:
        pulls = TypeAdapter(_Data).validate_python(answer.data).repository
    except ValidationError:
        why = "; ".join(answer.errors) or "an unknown answer"
        raise Transient(f"The threads of pull requests of {repository} could not be read: {why}") from None
    told = {number: pulls.get(f"p{number}") for number in asked}
    return {number: _Threads() if pull is None else pull.reviewThreads for number, pull in told.items()}


def _field(number: int, after: str | None) -> str:
    rest = "" if after is None else f", after: {json.dumps(after)}"
    threads = f"reviewThreads(first: 100{rest}) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ id isResolved }} }}"
    return f"p{number}: pullRequest(number: {number}) {{ {threads} }}"
