"""Workflow files: which there are at a commit, and which of them an event starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import yaml

from caseworker.github_double.git_store import run_git

FOLDER: Final = ".github/workflows"
_DEFAULT_ACTIONS: Final = ("opened", "synchronize", "reopened")


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """One entry of `on`. Empty lists of patterns let everything through."""

    branches: tuple[str, ...] = ()
    ignored_branches: tuple[str, ...] = ()
    actions: tuple[str, ...] = _DEFAULT_ACTIONS
    paths: tuple[str, ...] = ()
    ignored_paths: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Workflow:
    path: str
    name: str
    triggers: Mapping[str, Trigger] = field(default_factory=dict)
    jobs: Mapping[str, str] = field(default_factory=dict)
    """The name of each job by its id."""
    problem: str | None = None
    """Why the file cannot be read."""

    def starts_on(self, event: str, branch: str, action: str | None, changed: Sequence[str]) -> bool:
        """`branch` is what was pushed to, or the base of the pull request. `changed`: paths."""
        trigger = self.triggers.get(event)
        if trigger is None or (event == "pull_request" and action not in trigger.actions):
            return False
        if trigger.branches and not any(fnmatchcase(branch, one) for one in trigger.branches):
            return False
        if any(fnmatchcase(branch, one) for one in trigger.ignored_branches):
            return False
        if trigger.paths:
            return any(_touches(path, trigger.paths) for path in changed)
        return not trigger.ignored_paths or any(not _touches(path, trigger.ignored_paths) for path in changed)


def _touches(path: str, patterns: Sequence[str]) -> bool:
    """The last pattern that fits decides; one with `!` takes out again. `*` also goes over folders here."""
    fits = False
    for pattern in patterns:
        if fnmatchcase(path, pattern.removeprefix("!").replace("**/", "*").replace("**", "*")):
            fits = not pattern.startswith("!")
    return fits


def workflows_at(repository: Path, commit: str) -> list[Workflow]:
    """The workflow files of a commit, in the order of their names."""
    listed = run_git(repository, "ls-tree", "--name-only", commit, f"{FOLDER}/").splitlines()
    paths = [path for path in listed if path.endswith((".yml", ".yaml"))]
    return [read_workflow(path, run_git(repository, "show", f"{commit}:{path}")) for path in paths]


def read_workflow(path: str, text: str) -> Workflow:
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        # GitHub starts and fails a run for a file that it can't read, whatever the event.
        both = {"push": Trigger(), "pull_request": Trigger()}
        return Workflow(path=path, name=path, triggers=both, problem=f"Invalid workflow file: {error}")
    if not isinstance(content, Mapping) or not isinstance(content.get("jobs"), Mapping):
        return Workflow(path=path, name=path, triggers={"push": Trigger()}, problem="Invalid workflow file: no jobs")
    jobs = {str(key): _job_name(str(key), job) for key, job in content["jobs"].items()}
    # YAML reads the key `on` as the boolean true.
    triggers = _triggers(content.get("on", content.get(True)))
    return Workflow(path=path, name=str(content.get("name") or path), triggers=triggers, jobs=jobs)


def _job_name(key: str, job: object) -> str:
    name = job.get("name") if isinstance(job, Mapping) else None
    return name if isinstance(name, str) and "${{" not in name else key


def _triggers(on: object) -> dict[str, Trigger]:
    if isinstance(on, str):
        return {on: Trigger()}
    if isinstance(on, list):
        return {str(event): Trigger() for event in on}
    if isinstance(on, Mapping):
        return {str(event): _trigger(narrowed) for event, narrowed in on.items()}
    return {}


def _trigger(narrowed: object) -> Trigger:
    if not isinstance(narrowed, Mapping):
        return Trigger()
    return Trigger(
        branches=_texts(narrowed.get("branches")),
        ignored_branches=_texts(narrowed.get("branches-ignore")),
        actions=_texts(narrowed.get("types")) or _DEFAULT_ACTIONS,
        paths=_texts(narrowed.get("paths")),
        ignored_paths=_texts(narrowed.get("paths-ignore")),
    )


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(one) for one in value) if isinstance(value, list) else ()
