"""Reads the ways in which people name an issue on GitHub: its link, or `owner/repo#42`. Does no I/O."""

import re
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import ApiAddress

_NAMES: Final = r"(?P<owner>[\w.-]+)/(?P<name>[\w.-]+)"
_NUMBER: Final = r"(?P<number>[1-9][0-9]{0,17})"
_LINK: Final = re.compile(rf"https?://(?P<host>[^/\s@]+)/{_NAMES}/(?P<kind>issues|pull)/{_NUMBER}(?:[/?#].*)?")
_PULL_PATH: Final = re.compile(rf"{_NAMES}/pull/{_NUMBER}")
_SHORT: Final = re.compile(rf"{_NAMES}#{_NUMBER}")
_SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class IssueLink:
    host: str
    """Empty: the GitHub that Caseworker is set up for."""
    owner: str
    name: str
    number: int

    def on(self, address: ApiAddress) -> RemoteRepository:
        """Its repository on this GitHub. `Refused` if the link leads to another one."""
        host = self.host.lower()
        if host and host.removeprefix("www.") != address.host:
            api = "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"
            raise Refused(
                f"The issue is on {host}, and Caseworker is set up for {address.host}.",
                todo=f"Set CASEWORKER_GITHUB_API_URL={api}, with a token of that GitHub.",
            )
        return RemoteRepository(host=address.host, owner=self.owner, name=self.name)


def parse_issue_link(text: str) -> IssueLink | None:
    """Null: the text names no issue on GitHub. `Refused`: it is a link, but not of an issue."""
    found = _LINK.fullmatch(text) or _SHORT.fullmatch(text)
    if found is None:
        if _SCHEME.match(text):
            raise Refused(
                f"{text} is not the link of an issue.", todo="It looks like https://github.com/owner/repo/issues/42."
            )
        return None
    parts = found.groupdict()
    if parts.get("kind") == "pull":
        raise is_a_pull_request(text)
    return IssueLink(
        host=parts.get("host") or "", owner=parts["owner"], name=parts["name"], number=int(parts["number"])
    )


def parse_pull_link(text: str) -> IssueLink:
    """The same for a pull request: also `owner/repo/pull/7` and `owner/repo!7`. `owner/repo#7` may be an issue: GitHub
    says so."""
    found = _LINK.fullmatch(text) or _PULL_PATH.fullmatch(text) or _SHORT.fullmatch(text.replace("!", "#", 1))
    parts = found.groupdict() if found else {}
    if not parts or parts.get("kind") == "issues":
        raise Refused(
            f"{text} names no pull request.", todo="Write OWNER/REPO/pull/57, or https://github.com/owner/repo/pull/57."
        )
    return IssueLink(
        host=parts.get("host") or "", owner=parts["owner"], name=parts["name"], number=int(parts["number"])
    )


def is_a_pull_request(name: str) -> Refused:
    return Refused(f"{name} is a pull request.", todo="Name an issue: Caseworker opens the pull request itself.")


def parse_repository(text: str, address: ApiAddress) -> RemoteRepository:
    """`owner/name`, or the address of its page."""
    plain = text.removeprefix(f"{address.web}/").removesuffix("/").removesuffix(".git")
    found = re.fullmatch(_NAMES, plain)
    if found is None:
        raise Refused(f"{text} names no repository on {address.host}.", todo="Write it as owner/name.")
    return RemoteRepository(host=address.host, owner=found["owner"], name=found["name"])
