"""Which comment on a thread is the tracking comment of a run, and which of ours are too many.

A post whose answer was lost, or a worker that was killed before it stored the id, leaves comments that only the
marker connects with their run."""

from collections.abc import Iterable, Set
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import RunId
from caseworker.core.base.outgoing_text import marker_of
from caseworker.core.telling.tracking_comment import marker


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class PostedComment(_Part):
    id: int
    body: str
    is_ours: bool
    """Written under our login. A marker in another's comment means nothing."""
    created_at: datetime


class Keep(_Part):
    """The stored comment is there: change it."""

    kind: Literal["keep"] = "keep"
    comment: int


class Adopt(_Part):
    """Store this id instead of the stored one, by compare-and-set, and change the comment."""

    kind: Literal["adopt"] = "adopt"
    comment: int
    instead_of: int | None


class Create(_Part):
    """Post it, then look again: somebody else may have done the same."""

    kind: Literal["create"] = "create"
    instead_of: int | None
    """The stored comment, which is gone."""


class Reconciled(_Part):
    step: Annotated[Keep | Adopt | Create, Field(discriminator="kind")]
    delete: tuple[int, ...] = ()
    """Ours to delete afterwards: duplicates, and the comments of earlier runs. Empty before this run's own is there."""


def reconcile(
    run: RunId, comments: Iterable[PostedComment], *, stored: int | None, earlier: Set[RunId] = frozenset()
) -> Reconciled:
    """`stored`: the id of the run's comment as far as we know. `earlier`: runs of the same workflow on this target."""
    ours = sorted((one for one in comments if one.is_ours), key=lambda one: (one.created_at, one.id))
    of_this = [one.id for one in ours if marker_of(one.body) == marker(run)]
    if not of_this:
        return Reconciled(step=Create(instead_of=stored))
    marks = {marker(one) for one in earlier if one != run}
    replaced = [one.id for one in ours if marker_of(one.body) in marks]
    first, *others = of_this
    step = Keep(comment=first) if first == stored else Adopt(comment=first, instead_of=stored)
    return Reconciled(step=step, delete=(*others, *replaced))
