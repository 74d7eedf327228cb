"""Finds the sensitive topics that a change touches, from its paths alone; the reviewer judges the contents.

A wrong match costs a person one `approve`, so only whole words of a path count."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import code
from caseworker.core.evidence.test_places import is_in_a_test_place
from caseworker.core.outcomes.pm import Topic

_PATHS_KEPT: Final = 100
"""Paths kept per topic: they are stored with the case, and an approval is for those that are named."""
_LONGEST_LINE: Final = 300
"""Characters: longer words are listed, a line each."""
_PATH_LIMIT: Final = 200

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""Splits `OAuthLogin`, `login_form` and `user-login` into words; `author` stays one word and does not match `auth`."""

_WORDS_IN_NAMES: Final[dict[Topic, frozenset[str]]] = {
    Topic.AUTHENTICATION: frozenset(
        {"auth", "authn", "oauth", "oidc", "saml", "sso", "jwt", "mfa", "login", "signin", "authentication"}
        | {"authenticator", "password", "passwords"}
    ),
    Topic.CRYPTOGRAPHY: frozenset(
        {"crypto", "cryptography", "encryption", "decryption", "encrypt", "decrypt", "cipher", "ciphers", "tls", "ssl"}
    ),
    Topic.PERMISSIONS: frozenset(
        {"permission", "permissions", "acl", "acls", "rbac", "authz", "authorization", "authorisation"}
    ),
}
"""Matched against each word of a folder's or file's name."""
_WHOLE_NAMES: Final[dict[Topic, frozenset[str]]] = {
    Topic.AUTHENTICATION: frozenset({"session", "sessions"}),
    Topic.PERMISSIONS: frozenset({"policy", "policies"}),
    Topic.PUBLIC_API: frozenset({"public_api", "publicapi", "openapi", "swagger"}),
    Topic.DATABASE_SCHEMA: frozenset({"migrations", "alembic", "flyway", "liquibase"}),
    Topic.INFRASTRUCTURE: frozenset({"terraform", "kubernetes", "helm", "ansible", "jenkinsfile", ".circleci", "k8s"}),
}
"""Matched against the whole name of a folder, or of a file without its ending: in longer names these are ambiguous."""
_PATH_PATTERNS: Final[tuple[tuple[Topic, re.Pattern[str]], ...]] = (
    (Topic.DATABASE_SCHEMA, re.compile(r"(?:.*/)?db/migrate/.+")),
    (Topic.DATABASE_SCHEMA, re.compile(r".*\.prisma|(?:.*/)?db/schema\.rb")),
    (
        Topic.DATABASE_SCHEMA,
        re.compile(r"(?=.*\.sql\Z)(?:.*[/_.-])?(?:schema|ddl|structure|migration)(?:[/_.-].*)?\.sql"),
    ),
    (Topic.DATABASE_SCHEMA, re.compile(r"(?:.*/)?v\d+(?:[._]\d+)*__.+\.sql")),
    (Topic.INFRASTRUCTURE, re.compile(r"\.github/(?:workflows|actions)/.+|(?:.*/)?\.gitlab-ci\.ya?ml")),
    (Topic.INFRASTRUCTURE, re.compile(r"(?:.*/)?(?:azure|bitbucket)-pipelines\.ya?ml")),
    (Topic.INFRASTRUCTURE, re.compile(r".*\.tf(?:vars)?|.*\.dockerfile|(?:.*/)?dockerfile(?:\.[^/]+)?")),
    (Topic.INFRASTRUCTURE, re.compile(r"(?:.*/)?(?:docker-)?compose(?:[.-][^/]+)?\.ya?ml")),
    (Topic.PUBLIC_API, re.compile(r".*\.proto|.*\.graphqls|(?:.*/)?schema\.graphql")),
)
"""Matched against the whole path in lower case."""
_STEERING: Final = re.compile(
    r"(?:.*/)?(?:claude(?:\.local)?|agents|gemini)\.md|(?:.*/)?\.(?:cursor|windsurf)rules|(?:.*/)?\.mcp\.json"
    r"|(?:.*/)?\.(?:claude|cursor|husky|githooks)/.+|\.github/copilot-instructions\.md"
    r"|\.gitmodules|\.caseworker\.toml|(?:(?:\.github|\.gitlab|docs)/)?codeowners"
    r"|(?:.*/)?\.vscode/tasks\.json|(?:.*/)?\.devcontainer(?:/.+|\.json)|(?:.*/)?\.envrc"
)
"""Files that steer agents, git, editors, shells or us, or say who has to review.

They count also as documentation and in any folder."""

_IGNORED_ENDINGS: Final = frozenset(
    {"md", "mdx", "rst", "adoc", "txt", "po", "pot", "css", "scss", "less"}
    | {"png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "pdf", "woff", "woff2"}
)
_IGNORED_FOLDERS: Final = frozenset(
    {"doc", "docs", "documentation", "testdata", "fixtures", "examples", "locale", "locales", "i18n", "translations"}
)
"""Folders whose files never touch a topic."""
_INTERFACE_ENDINGS: Final = frozenset({"yaml", "yml", "json", "proto", "graphql", "graphqls"})
"""File endings that describe an interface in a folder `spec`, where code would be a test."""


class Touched(BaseModel):
    """A topic that a change touches, and the paths that show it, unless there are very many."""

    model_config = ConfigDict(frozen=True)
    topic: Topic
    paths: tuple[str, ...]
    more: int = 0


def touched(paths: Sequence[str]) -> tuple[Touched, ...]:
    """The topics that these paths touch, in a fixed order. Tests and documentation touch none."""
    found: dict[Topic, list[str]] = {}
    for path in paths:
        for topic in _topics(path):
            found.setdefault(topic, []).append(path[:_PATH_LIMIT])
    return tuple(
        Touched(topic=topic, paths=tuple(found[topic][:_PATHS_KEPT]), more=max(0, len(found[topic]) - _PATHS_KEPT))
        for topic in Topic
        if topic in found
    )


def topic_words(several: Sequence[Touched]) -> str:
    """The topics in a line: `database schema (`db/migrations/2.sql`), permissions (`acl.py` and 2 more)`."""
    return ", ".join(f"{_name(one)} ({_listed(one)})" for one in several)


def topic_lines(several: Sequence[Touched]) -> str:
    """The topics in a line, or if that is too long in a list with a line for each path, which ends in a sentence
    without its full stop."""
    line = topic_words(several)
    if len(line) <= _LONGEST_LINE:
        return line
    paths = [f"- {_name(one)}: {code(path)}" for one in several for path in one.paths]
    more = [f"- {_name(one)}: {one.more} more, which are not named" for one in several if one.more]
    topics = ", ".join(_name(one) for one in several)
    listed = "\n".join([*paths, *more])
    return f"{topics}:\n\n{listed}\n\nAn approval covers all of these"


def _name(one: Touched) -> str:
    return one.topic.value.replace("_", " ")


def _listed(one: Touched) -> str:
    named = ", ".join(code(path) for path in one.paths)
    return f"{named} and {one.more} more" if one.more else named


def _topics(path: str) -> set[Topic]:
    place, low = PurePosixPath(path), path.lower()[-1_000:]
    steering = {Topic.INFRASTRUCTURE} if _STEERING.fullmatch(low) else set()
    if not _is_relevant(place):
        return steering
    names = [*place.parts[:-1], place.name.removeprefix(".").partition(".")[0] or place.name]
    words = {word for name in names for word in _words(name)}
    whole = {name.lower().replace("-", "_") for name in names}
    by_shape = steering | {topic for topic, shape in _PATH_PATTERNS if shape.fullmatch(low)}
    return by_shape | set(_topics_named_by(_WORDS_IN_NAMES, words)) | set(_topics_named_by(_WHOLE_NAMES, whole))


def _is_relevant(place: PurePosixPath) -> bool:
    ending = place.suffix.lstrip(".").lower()
    folders = {part.lower() for part in place.parts[:-1]}
    if ending in _IGNORED_ENDINGS or not _IGNORED_FOLDERS.isdisjoint(folders):
        return False
    if ending in _INTERFACE_ENDINGS:
        return folders.isdisjoint({"test", "tests", "testing", "__tests__", "e2e"})
    return not is_in_a_test_place(str(place))


def _topics_named_by(meanings: dict[Topic, frozenset[str]], words: set[str]) -> Iterator[Topic]:
    return (topic for topic, known in meanings.items() if not known.isdisjoint(words))


def _words(name: str) -> Iterator[str]:
    """The words of a name, in lower case. Unsplit parts count too: the pattern splits `OAuth` into two."""
    yield from (word.lower() for word in _WORD.findall(name))
    yield from (part.lower() for part in re.split(r"[^A-Za-z]+", name) if part)
