"""Which sections of the case file each role may change, and the name it speaks under there."""

from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.base.errors import Defect
from caseworker.core.base.roles import Role
from caseworker.core.casefile.model import CaseFile, Escalation, Question, RoleObservation

SPEAKER: Final[dict[Role, str]] = {
    Role.PM: "triage",
    Role.ANALYST: "analyst",
    Role.TESTER: "tester",
    Role.DEVELOPER: "writer",
    Role.SENIOR_DEVELOPER: "writer",
    Role.TECH_LEAD: "reviewer",
    Role.INVESTIGATOR: "investigator",
}
"""The names of the roles in the case file."""

_WRITERS: Final = frozenset({"writer"})
_OWNED: Final[dict[Role, frozenset[str]]] = {
    Role.PM: frozenset({"triage", "issue.type", "analysis"}),  # the triage of a plain small bug brings its analysis
    Role.ANALYST: frozenset({"analysis"}),
    Role.TESTER: frozenset({"writer.test_written", "writer.test_file"}),
    Role.DEVELOPER: _WRITERS,
    Role.SENIOR_DEVELOPER: _WRITERS,
    Role.TECH_LEAD: frozenset({"review"}),
    Role.INVESTIGATOR: frozenset(),
}
"""Whole sections and single fields. Code fills those that no role owns."""
_SHARED: Final = frozenset({"communication.questions", "communication.escalations", "learnings.observations"})
"""Lists that every role may add to, under its own name."""
_TAKES_UP: Final[dict[Role, str]] = {
    Role.SENIOR_DEVELOPER: "writer",
    Role.TECH_LEAD: "tester",
    Role.INVESTIGATOR: "reviewer",
}
"""Whose escalations a role takes up, by the name in the case file."""


def check_owned(before: CaseFile, after: CaseFile, role: Role) -> None:
    """Raises `Defect` if a role changed what it does not own: only a bug in our code can cause it."""
    mine = _OWNED[role] | _SHARED
    foreign = [place for place in _changed(before, after) if place not in mine and place.partition(".")[0] not in mine]
    if foreign:
        raise Defect(f"the {role.value} has changed what is not its own in the case file: {', '.join(foreign)}")
    if not _speaks_for_itself(before, after, role):
        raise Defect(f"the {role.value} has changed what others said in the case file, or spoken in their name")


def is_open_to(question: Question, role: Role) -> bool:
    return question.to == SPEAKER[role] and not question.answered


def take_up(escalations: Sequence[Escalation], role: Role) -> list[Escalation]:
    """Resolves what was passed on to this role, since it has finished a turn. People's escalations stay as they are."""
    return [
        escalation.model_copy(update={"resolved": True}) if _is_passed_to(escalation, role) else escalation
        for escalation in escalations
    ]


def _is_passed_to(escalation: Escalation, role: Role) -> bool:
    return not escalation.requires_human and escalation.agent == _TAKES_UP.get(role)


def _changed(before: CaseFile, after: CaseFile) -> Iterator[str]:
    for section in CaseFile.model_fields:
        was, now = getattr(before, section), getattr(after, section)
        fields = getattr(type(was), "model_fields", None)
        if fields is None and was != now:
            yield section  # the version
        yield from (f"{section}.{field}" for field in fields or () if getattr(was, field) != getattr(now, field))


def _speaks_for_itself(before: CaseFile, after: CaseFile, role: Role) -> bool:
    """Whether the role only added entries under its own name and answered questions to it."""
    name = SPEAKER[role]
    asked, now = before.communication.questions, after.communication.questions
    kept = [_before_its_answer(question, was, role) for question, was in zip(now, asked, strict=False)]
    return (
        kept == asked
        and all(question.from_ == name for question in now[len(asked) :])
        and _only_adds(take_up(before.communication.escalations, role), after.communication.escalations, name)
        and _only_adds(before.learnings.observations, after.learnings.observations, name)
    )


def _before_its_answer(question: Question, was: Question, role: Role) -> Question:
    if not is_open_to(was, role):
        return question
    return question.model_copy(update={"answered": was.answered, "answer": was.answer})


def _only_adds(
    before: Sequence[Escalation] | Sequence[RoleObservation],
    after: Sequence[Escalation] | Sequence[RoleObservation],
    name: str,
) -> bool:
    return after[: len(before)] == before and all(added.agent == name for added in after[len(before) :])
