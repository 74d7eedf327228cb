"""The tables of repositories, their issues and their pull requests."""

from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Named,
    String,
    Table,
    TypedColumns,
    UniqueConstraint,
    text,
)

from caseworker.store.columns import Document, UtcTime, Words
from caseworker.store.tables import metadata


class _Repositories(TypedColumns):
    id: Named[str] = Column(String, primary_key=True)
    kind: Named[str] = Column(String)
    path: Named[str | None] = Column(String, nullable=True, unique=True)
    """Of a local one; a remote one has the other three."""
    host: Named[str | None] = Column(String, nullable=True)
    owner: Named[str | None] = Column(String, nullable=True)
    name: Named[str | None] = Column(String, nullable=True)
    registered_at: Named[datetime] = Column(UtcTime, nullable=False)


repositories = Table(
    "repositories",
    metadata,
    _Repositories,
    CheckConstraint("kind IN ('local', 'remote')", name="kind"),
    UniqueConstraint("host", "owner", "name"),  # local ones don't collide: NULLs differ
)


class _Issues(TypedColumns):
    repository: Named[str] = Column(String, ForeignKey("repositories.id"), primary_key=True)
    number: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    digest: Named[str] = Column(String)
    title: Named[str] = Column(Words, nullable=False)
    body: Named[str] = Column(Words, nullable=False)
    labels: Named[list[str]] = Column(Document, nullable=False)
    url: Named[str] = Column(String)
    created_at: Named[datetime] = Column(UtcTime, nullable=False)


issues = Table("issues", metadata, _Issues, UniqueConstraint("repository", "digest"))


class _Pulls(TypedColumns):
    repository: Named[str] = Column(String, ForeignKey("repositories.id"), primary_key=True)
    number: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    case: Named[str | None] = Column("case_id", String, ForeignKey("cases.id"), key="case", index=True, nullable=True)
    """Null: it is of no case of ours."""
    title: Named[str] = Column(Words, nullable=False)
    body: Named[str] = Column(Words, nullable=False)
    base: Named[str] = Column(String)
    head: Named[str] = Column(String)
    head_sha: Named[str] = Column(String)
    state: Named[str] = Column(String)
    url: Named[str] = Column(String)


pulls = Table(
    "pulls",
    metadata,
    _Pulls,
    CheckConstraint("state IN ('open', 'merged', 'closed')", name="state"),
    Index(
        "uq_pulls_open_head",
        "repository",
        "head",
        unique=True,
        sqlite_where=text("state = 'open'"),
        postgresql_where=text("state = 'open'"),
    ),
)
