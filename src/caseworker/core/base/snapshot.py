"""Base class of the snapshots of cases: a frozen model made of a few named parts."""

from abc import abstractmethod
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId, Sha

M = TypeVar("M", bound=BaseModel)


class Part(BaseModel):
    """A named part of a snapshot. The fields of all parts of one snapshot have different names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Stalled(BaseModel):
    """A turn can't begin, because a service can't be reached. It is tried again by itself."""

    model_config = ConfigDict(frozen=True)

    reason: str
    since: datetime
    next_try: datetime

    def words(self) -> str:
        return f"{self.reason.rstrip('.')}; the next try is at {self.next_try:%H:%M:%S} UTC"


class Snapshot(BaseModel):
    """What all kinds of snapshots have: the case's id, how often it was opened, what holds it up, and its end."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: CaseId
    epoch: int = 1
    stalled: Stalled | None = None

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether nothing is left to do, unless a person opens it again."""

    @property
    def held_up(self) -> str:
        """What holds it up, as a sentence to follow another one. Empty: nothing."""
        return f" It is held up: {self.stalled.words()}." if self.stalled is not None else ""

    @property
    def unmerged(self) -> Sha | None:
        """A commit that may be on no branch: it is kept when the workspace is removed."""
        return None

    @classmethod
    @cache
    def part_of(cls) -> Mapping[str, str]:
        """Maps each field of a part to the name of its part."""
        parts = {name: field.annotation for name, field in cls.model_fields.items()}
        return {
            field: name
            for name, part in parts.items()
            if isinstance(part, type) and issubclass(part, Part)
            for field in part.model_fields
        }

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Refuses names that are not its own fields: pydantic would accept them and drop them."""
        unknown = (update or {}).keys() - type(self).model_fields.keys()
        if unknown:
            raise Defect(f"{type(self).__name__} has no field {', '.join(sorted(unknown))} of its own")
        return super().model_copy(update=update, deep=deep)

    def updated(self, **changes: object) -> Self:
        """A copy with other values for some fields, each named without its part. Each value has to fit its field."""
        own = {name: value for name, value in changes.items() if name in type(self).model_fields}
        of_parts: dict[str, dict[str, object]] = {}
        for name in changes.keys() - own.keys():
            part = self.part_of().get(name)
            if part is None:
                raise Defect(f"{type(self).__name__} has no field {name}")
            of_parts.setdefault(part, {})[name] = changes[name]
        for part, values in of_parts.items():
            own[part] = _checked(getattr(self, part), values)
        return _checked(self, own)


def _checked(model: M, changes: Mapping[str, object]) -> M:
    """Like `model_copy`, which would take any value."""
    try:
        return type(model).model_validate({**dict(model), **changes})
    except ValidationError as error:
        raise Defect(f"{type(model).__name__} does not take {', '.join(sorted(changes))}: {error}") from error
