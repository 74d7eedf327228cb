"""Begins the sections of an attempt anew when it starts, and says what feedback its writer gets."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.roles import Role
from caseworker.core.casefile.model import BuildSection, CaseFile, ReviewSection, WriterSection
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import ROWS, IssueState
from caseworker.core.people.messages import Message

S = IssueState

DEVELOPING: Final = frozenset(
    state for state, row in ROWS.items() if row.turn is not None and row.turn[0] is Role.DEVELOPER
)
"""States in which a developer writes."""
_WRITING: Final = DEVELOPING | {S.CREATING_TESTS, S.UPDATING_TESTS}
"""States in which a developer or the tester writes."""


def begin_anew(file: CaseFile, case: IssueCase, before: IssueCase) -> CaseFile:
    """The file at the start of an attempt. Build and review are about an older commit then. The writer's section begins
    anew when a developer starts; the test stays written. A branch that was pushed stays pushed."""
    if not _begins(case, before):
        return file
    anew: dict[str, object] = {
        "build": BuildSection(),
        "review": ReviewSection(),
        "commit": file.commit.model_copy(update={"completed": False}),
    }
    if case.state in DEVELOPING:
        test = {"test_written": file.writer.test_written, "test_file": file.writer.test_file}
        anew["writer"] = WriterSection(attempt=case.limits.attempt).model_copy(update=test)
    return file.model_copy(update=anew)


def writer_feedback(feedback: str, said: Sequence[Message]) -> str | None:
    """What a writer is given: judgement, validation or review, then people's words with their names."""
    parts = [feedback.strip(), *(f"{message.author}: {message.text.strip()}" for message in said)]
    return "\n\n".join(part for part in parts if part) or None


def _begins(case: IssueCase, before: IssueCase) -> bool:
    """Whether somebody starts to write, or a commit is built that was not written just before."""
    if case.state is S.RUNNING_TESTS:
        return before.state is not S.RUNNING_TESTS
    return case.state in _WRITING and (before.state not in _WRITING or _number(before) != _number(case))


def _number(case: IssueCase) -> tuple[int, int, int]:
    return case.epoch, case.limits.round, case.limits.attempt
