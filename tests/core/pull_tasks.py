"""The tasks of turns on pull requests."""

from typing import Final

from caseworker.core.base.roles import Task
from caseworker.core.people.registry import REGISTRY

PULL_TASKS: Final = frozenset({Task.RESOLVE_PULL, *(row.reading.task for row in REGISTRY.values() if row.reading)})
