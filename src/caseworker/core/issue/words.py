"""Texts of an issue case for people: reasons, receipts, and one-line standings."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.failed_steps import TurnGaveUp
from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Role
from caseworker.core.base.text import words_of
from caseworker.core.evidence.builds import VerdictKind
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.check_watch import check_words
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.states import PARKED, WAITING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.people.commands import FixEnded, FixMerged, FixReady, FixWaiting
from caseworker.core.people.receipts import NO_MONEY, NOT_REHEARSED, TURN_FAILED


def of_state(state: IssueState) -> str:
    return state.value.replace("_", " ")


def unclear(outcome: AnalysisOutcome) -> str:
    if outcome.questions:
        return f"The requirements are unclear. {' '.join(outcome.questions)}"
    return f"The requirements are unclear: the analyst is {outcome.confidence:.0%} sure of them."


def not_red(verdict: VerdictKind, reason: str) -> str:
    """Why a build that had to be red is not."""
    if verdict == "not_run":
        return f"The new test was not run, so it proves nothing: {reason}"
    return f"The new test does not fail without the fix: {reason}"


def outside(fact: TurnGaveUp) -> str:
    """Why a turn could not be made, for a cause that lies outside of the case."""
    away = fact.outside == "unreachable"
    todo = " Check the network, or correct `anthropic_base_url` in caseworker.toml." if away else ""
    return f"The {fact.role.words} can't work: {fact.reason.rstrip('.')}.{todo}"


def also_escalated(role: Role, reason: str) -> str:
    return f"And the {role.words} does not want to decide this alone: {reason}"


def held_back(asked: str, reason: str) -> str:
    """What a person is asked, with the reason of the move that waits for the answer."""
    return f"{asked} What waits for that: {reason}"


def closed_by(author: str) -> str:
    return f"Closed by {author}."


def merged_by(case: IssueCase, author: str, commit: Sha | None) -> str:
    """`commit`: what was merged, if that is not what was delivered."""
    if commit is None:
        return f"Merged by {author}."
    proof = f"the proof is of {case.delivery.pushed[:12]}" if case.delivery.pushed is not None else "there is no proof"
    return f"Merged by {author} at {commit[:12]}, which is not proven: {proof}."


def not_to_be_done(author: str) -> str:
    return f"{author} does not agree. It was not to be done."


def conflicts(files: Sequence[str]) -> str:
    listed = "\n".join(f"- `{file}`" for file in files)
    return (
        "A person has pushed to this branch. Their work was merged into yours, and these files contradict each other. "
        f"Keep what they meant, and remove the conflict marks:\n{listed}"
    )


def answered(remarks: Sequence[tuple[str, str, str]]) -> str:
    """The answers to remarks, each as author, text and answer."""
    parts = []
    for author, text, reply in remarks:
        first = text.strip().splitlines()[0] if text.strip() else ""
        parts.append(f"> {author}: {first}\n\n{reply}")
    return "\n\n".join(parts)


def read_meanwhile(summary: str) -> str:
    """The answer to a remark that the developer read but did not answer."""
    return f"It was read while the work was under way: {summary}"


def not_kept(branch: str, reason: str) -> str:
    """Note for the record, for people who look for the work of a stopped case."""
    return f"The work so far could not be put on `{branch}`: {reason} It is kept, and the case goes on with it."


# --- after the end ---------------------------------------------------------------------------------------------------


def where_the_work_is(case: IssueCase) -> str:
    """What a person who takes a case over has to know of its branch."""
    if case.delivery.pull_request is None and case.delivery.checkpoint in (None, case.delivery.base):
        where = f"nothing is written yet, and what you commit to `{case.branch}` is taken in"
    elif case.delivery.pull_request is None:
        where = f"the work so far is on `{case.branch}`, and what you commit there is taken in"
    else:
        where = f"the branch is `{case.branch}`, and what you commit there is taken in"
    return f"{where} when you hand it back"


def news_command(case: IssueCase) -> FixReady | FixWaiting | FixMerged | FixEnded | None:
    """What the bug case is told of its fix. None: nothing that a person would have to know."""
    match case.state:
        case IssueState.WAITING_FOR_HUMAN_INPUT if case.waits_for is WaitingFor.MERGE:
            return None if case.awaits_checks else FixReady()
        case IssueState.COMPLETED:
            return FixMerged()
        case IssueState.FAILED | IssueState.CLOSED:
            return FixEnded()
        case state:
            return FixWaiting() if state in WAITING | PARKED else None


def kept(case: IssueCase) -> str:
    """The receipt of words that wake nobody."""
    if case.people.taken_by:
        return f"kept: {case.people.taken_by} has the case, and it is read when the case is handed back"
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for in (None, WaitingFor.MERGE):
        return f"kept on the record; `{case.branch}` waits for a merge"
    if case.state in WAITING and case.waits_for is not None:
        return f"kept on the record; the case waits for {_DECIDED_BY.get(case.waits_for, _AWAITED[case.waits_for])}"
    return "kept on the record; the case waits for a person to say how it goes on, or to close it"


def not_read(fact: TurnGaveUp) -> str:
    """The receipt of words that were given to a failed turn."""
    if fact.unscripted:
        return NOT_REHEARSED
    return NO_MONEY if fact.out_of_money else TURN_FAILED


def not_stuck(case: IssueCase) -> str:
    """Why there is nothing to retry. The case learns of a merge only when the forge is checked."""
    if case.waits_for is not WaitingFor.MERGE:
        return "it is not stuck"
    return (
        f"it is not stuck, {name_of(case)} waits for a merge; if it was merged a moment ago, "
        "the case is completed as soon as it is told, and trying it again then opens another one"
    )


_AWAITED: Final = {
    WaitingFor.ANSWER: "an answer",
    WaitingFor.APPROVAL: "an approval",
    WaitingFor.BUDGET: "more money",
    WaitingFor.MILESTONE: "a word to go on",
    WaitingFor.CURE: "something to be put right",
}
_DECIDED_BY: Final = {WaitingFor.MILESTONE: "an approval to go on"}
"""For a person whose words decided nothing."""


def standing_of(case: IssueCase) -> str:
    """One line: the status of the case, and what would move it."""
    if case.stalled is not None:
        return f"held up: {case.stalled.words()}"
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for is WaitingFor.MERGE:
        if case.awaits_checks and case.delivery.checks is not None:
            return check_words(case.delivery.checks)
        return f"waits for a person to merge `{case.branch}`"
    if case.state in WAITING and case.waits_for is not None:
        return f"waits for {_AWAITED.get(case.waits_for, 'a person')}: {case.reason}"
    if at_work(case) and case.state in PARKED:
        return f"the pm sees to it: {case.reason}"
    if case.state in PARKED:
        return f"waits for a person: {case.reason}"
    if case.is_over:
        return case.reason
    return state_words(case.state)


def state_words(state: IssueState) -> str:
    return words_of(state)
