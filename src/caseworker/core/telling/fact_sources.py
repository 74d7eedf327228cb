"""A line of an explanation, with the entry of the record that it comes from."""

from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId, Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.record.entries import BuildRan, Entry, MessageRecorded, Recorded, TurnCompleted


class Fact(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str
    entry: int | None = None
    """The number of the entry that says so. Null: none does (nothing has happened yet), or the record was not read."""

    def __str__(self) -> str:
        return self.text


class Sources:
    """Finds entries by what a fact is about: a commit, a message, a kind of entry."""

    def __init__(self, record: Sequence[Recorded] = ()) -> None:
        """`record`: in its order."""
        self._record = record

    def newest(self, says_so: Callable[[Entry], bool]) -> int | None:
        return next((one.sequence for one in reversed(self._record) if says_so(one.entry)), None)

    def of_kind(self, *kinds: type[Entry]) -> int | None:
        return self.newest(lambda entry: isinstance(entry, kinds))

    def turn(self, *roles: Role, task: Task | None = None, commit: Sha | None = None) -> int | None:
        """The newest turn of such a role that has left this commit, or any."""
        return self.newest(
            lambda entry: (
                isinstance(entry, TurnCompleted)
                and entry.role in roles
                and (task is None or entry.task is task)
                and (commit is None or entry.checkpoint == commit)
            )
        )

    def build(self, *stages: Stage, commit: Sha | None = None) -> int | None:
        return self.newest(
            lambda entry: (
                isinstance(entry, BuildRan) and entry.stage in stages and (commit is None or entry.commit == commit)
            )
        )

    def message(self, message: MessageId | None) -> int | None:
        return self.newest(lambda entry: isinstance(entry, MessageRecorded) and entry.message == message)
