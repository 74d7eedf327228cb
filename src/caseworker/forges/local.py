"""A `Forge` that is this disk: git repositories in folders, and rows in the store for their pull requests."""

from dataclasses import dataclass

from caseworker.ports import Checks, Comments, Issues, Labels, Pulls, Source, StateOf


@dataclass(frozen=True, kw_only=True)
class LocalForge:
    source: Source
    pulls: Pulls
    comments: Comments | None = None
    issues: Issues | None = None
    labels: Labels | None = None
    checks: Checks | None = None
    state: StateOf | None = None
