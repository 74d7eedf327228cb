"""Explains why a pull case is in its state: the verdict's reasons, who must move, and what would move it."""

from collections.abc import Sequence
from typing import Final, assert_never

from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Phrasing, begin
from caseworker.core.pull.case import PauseCause, PullCase, PullState, SessionEnd
from caseworker.core.pull.unpushed_words import unpushed_words
from caseworker.core.record.entries import Recorded
from caseworker.core.record.pull_entries import PullJudged, UnpushedKept
from caseworker.core.telling.fact_sources import Fact, Sources
from caseworker.core.telling.verdict_words import headline, mover_words, shown_evidence, title_line, us_in
from caseworker.core.telling.why import Why

S = PullState
K = MessageKind

_ENDS: Final = {
    SessionEnd.READY: "Caseworker has done its part. A person merges.",
    SessionEnd.MERGED: "A person has merged it.",
    SessionEnd.CLOSED: "A person has closed the pull request.",
    SessionEnd.DEADLINE: "The session's time is over.",
    SessionEnd.TAKEN_OVER: "A person has it now.",
    SessionEnd.ABORTED: "A person has ended the session.",
    SessionEnd.BLOCKED: "Caseworker can't go on by itself.",
    SessionEnd.DONE: "What was asked for is done.",
    SessionEnd.INCOMPLETE: "Caseworker has done what it could; something is outstanding.",
}
_PAUSES: Final = {
    PauseCause.STOPPED: "It was stopped by a person.",
    PauseCause.TAKEN: "A person has taken it over.",
    PauseCause.BUDGET: "Its budget does not cover the next model call.",
    PauseCause.QUOTA: "The model's usage limit is reached.",
    PauseCause.TURN_FAILED: "A turn has failed.",
    PauseCause.NOT_RUN: "Its tests can't be run.",
}


def standing_of_pull(case: PullCase) -> str:
    """Where it stands, in a sentence or two, with what holds it up."""
    return f"{_stands(case)}{case.held_up}"


def _stands(case: PullCase) -> str:
    match case.state:
        case S.LOOKING:
            return "Caseworker looks at the pull request."
        case S.READING_FAILURES:
            return "Caseworker reads why checks have failed."
        case S.REVIEWING:
            assert case.reading is not None, "the state of a session that reads"
            return f"The {case.reading.role.words} reads the change."
        case S.RESOLVING:
            return "The developer works on threads, checks or conflicts."
        case S.BUILDING:
            return "The change is built and tested."
        case S.UPDATING:
            return "The branch is brought up to date."
        case S.PUBLISHING:
            return "The work is pushed and posted."
        case S.WAITING:
            verdict = case.sight.verdict
            return f"It waits. {headline(verdict)}" if verdict is not None else "It waits."
        case S.PAUSED:
            return _PAUSES[case.session.pause] if case.session.pause is not None else "It is paused."
        case S.ENDED:
            return _ENDS[case.session.end] if case.session.end is not None else "It has ended."
        case _:
            assert_never(case.state)


def why_pull(case: PullCase, phrasing: Phrasing, record: Sequence[Recorded] = ()) -> Why:
    """`record`: where the sources of its evidence are looked up, in its order."""
    verdict, found = case.sight.verdict, Sources(record)
    judged = found.of_kind(PullJudged)
    evidence = []
    for reason in verdict.reasons if verdict is not None else ():
        moves = f"{title_line(reason)}. {mover_words(reason, us_in(is_over=case.is_over))}"
        evidence += [Fact(text=line, entry=judged) for line in (moves, *(f"  {one}" for one in shown_evidence(reason)))]
    if unpushed := unpushed_words(case):
        evidence.append(Fact(text=unpushed, entry=found.of_kind(UnpushedKept)))
    return Why(
        case=case.id,
        state=case.state.value,
        stands=standing_of_pull(case),
        because=case.reason,
        evidence=evidence,
        waits_for=_waits_for(case),
        until=case.session.deadline if case.state is S.WAITING else case.session.resume_at,
        moves_it=_moves(case, phrasing),
        next=_next(case),
    )


def _waits_for(case: PullCase) -> str:
    """Empty: for nobody and nothing. A pause that ends by itself has its time in `until`."""
    session, verdict = case.session, case.sight.verdict
    if case.state is S.WAITING:
        return headline(verdict) if verdict is not None else ""
    if case.state is not S.PAUSED or session.resume_at is not None:
        return ""
    if session.pause is PauseCause.BUDGET:
        return "For more money."
    if session.pause is PauseCause.TAKEN:
        return f"For {session.paused_by or 'whoever has it'} to hand it back."
    return "For a person to let it go on."


def _moves(case: PullCase, phrasing: Phrasing) -> list[str]:
    def can(kind: MessageKind, does: str, given: str = "") -> str:
        return f"{begin(phrasing.command(case.id, kind, given))} {does}."

    abort = can(K.ABORT, "ends the session")
    match case.state:
        case S.ENDED:
            again = f"{begin(phrasing.start(case.id, case.session.workflow))} begins a new session."
            resumed = [can(K.RESUME, "goes on from the head as it is then")] if case.can_be_taken_up else []
            return [*resumed, again]
        case S.PAUSED if case.session.pause is PauseCause.BUDGET:
            return [can(K.BUDGET, "goes on with 5 dollars more", "+5"), abort]
        case S.PAUSED:
            return [can(K.RESUME, "lets it go on from the head as it is then"), abort]
        case _ if case.stalled is not None:
            return [can(K.RETRY, "tries again at once"), can(K.STOP, "pauses it"), abort]
        case _:
            return [can(K.WORDS, "is read by the next turn"), can(K.STOP, "pauses it"), abort]


def _next(case: PullCase) -> str:
    match case.state:
        case S.WAITING:
            return "It looks again when GitHub tells of a change, and from time to time."
        case S.PAUSED:
            at = case.session.resume_at
            return f"It goes on at {at:%Y-%m-%d %H:%M} UTC." if at is not None else "Nothing."
        case S.ENDED:
            return "Nothing."
        case _:
            return "It goes on by itself."
