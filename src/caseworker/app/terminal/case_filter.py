"""Which cases `caseworker cases` lists: by repository, state and age; those of demos only on request."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from caseworker.app.parts import look_at
from caseworker.app.settings import Settings
from caseworker.app.terminal.view_of_kind import STATES, view_of
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import LocalRepository, RepositoryRef
from caseworker.core.base.toml_lines import likely
from caseworker.core.kinds import KINDS
from caseworker.ports import Store, StoredAny
from caseworker.ports.boards import BoardEntry, BoardFilter

_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MOST: Final = 10_000
"""The newest cases, among which is chosen."""
_SPAN: Final = re.compile(r"(\d{1,5})\s*([mhdw])")


@dataclass(frozen=True, kw_only=True)
class CaseFilter:
    repository: str | None = None
    """A folder, or a repository's name."""
    state: str | None = None
    since: str | None = None
    before: str | None = None
    demos: bool = False

    @property
    def is_set(self) -> bool:
        return any((self.repository, self.state, self.since, self.before))


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A case, and where its code is."""

    entry: BoardEntry
    place: RepositoryRef
    is_demo: bool

    @property
    def stored(self) -> StoredAny:
        return self.entry.stored


async def listed(store: Store, settings: Settings) -> list[Listed]:
    """The cases, the newest change first."""
    demos = (settings.home / "demo").resolve()
    found = []
    for entry in (await store.boards.page(BoardFilter(), offset=0, limit=_MOST)).entries:
        place = await store.repositories.ref(entry.stored.repository)
        is_demo = isinstance(place, LocalRepository) and place.path.is_relative_to(demos)
        found.append(Listed(entry=entry, place=place, is_demo=is_demo))
    return found


async def chosen(cases: list[Listed], wanted: CaseFilter) -> list[Listed]:
    """The cases that match the filter. A repository that is named may be one of a demo."""
    if wanted.repository is not None:
        cases = await _of_repository(cases, wanted.repository)
    elif not wanted.demos:
        cases = [one for one in cases if not one.is_demo]
    if wanted.state is not None:
        cases = _in_state(cases, wanted.state)
    now = datetime.now(UTC)
    if wanted.since is not None:
        since = now - span_of("--since", wanted.since)
        cases = [one for one in cases if one.stored.changed_at >= since]
    if wanted.before is not None:
        before = now - span_of("--before", wanted.before)
        cases = [one for one in cases if one.stored.changed_at < before]
    return cases


async def _of_repository(cases: list[Listed], named: str) -> list[Listed]:
    if (folder := _folder(named)) is not None:
        ref: RepositoryRef = (await look_at(folder)).ref
        return [one for one in cases if one.place == ref]
    known = {one.stored.repository for one in cases}
    meant = {name for name in known if named in (name, name.rpartition("/")[2])}
    if not meant:
        there = f"There are cases of {', '.join(sorted(known))}." if known else "There are no cases yet."
        raise Refused(f"No case is about `{named}`.", todo=there)
    return [one for one in cases if one.stored.repository in meant]


def _folder(named: str) -> Path | None:
    folder = Path(named).expanduser()
    return folder if folder.is_dir() else None


def _in_state(cases: list[Listed], named: str) -> list[Listed]:
    """By a state's name or its first words, or by `open`, `working` or `over`."""
    name = re.sub(r"[ -]+", "_", named.strip().lower())
    groups = {"open": lambda one: not one.case.is_over, "over": lambda one: one.case.is_over, "working": _is_working}
    if name in groups:
        return [one for one in cases if groups[name](one.stored)]
    if not any(state.startswith(name) for state in STATES):
        meant = likely(name, {*STATES, *groups})
        todo = f"Did you mean `{meant}`?" if meant else "Write open, working, over, or a state that `cases` shows."
        raise Refused(f"`{named}` is not a state of a case.", todo=todo.replace("_", " "))
    return [one for one in cases if view_of(one.stored).state.startswith(name)]


def _is_working(stored: StoredAny) -> bool:
    return stored.case.state in KINDS[stored.kind].working


def span_of(option: str, text: str) -> timedelta:
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        raise Refused(f"{option} {text} is no time span.", todo="Write a number and m, h, d or w: 90m, 12h, 7d, 2w.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
