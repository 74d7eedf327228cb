"""The evidence of an issue case, a line each with its source: proof, approvals, limits, costs."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import short_name
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import code
from caseworker.core.evidence.builds import Build, Stage
from caseworker.core.evidence.obstacle_words import stopped_words
from caseworker.core.investigation.iterations import MOST_ITERATIONS
from caseworker.core.issue.case import InvestigationProgress, IssueCase, cap_of, limit_of
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.posts import IssueAbout
from caseworker.core.issue.proof import is_green, needs_red, tests_fail_on_base, unexplained
from caseworker.core.issue.subjects import WAIVERS, Grant, Subject
from caseworker.core.people.phrasing import Page, Phrasing, begin
from caseworker.core.record.entries import (
    BranchPushed,
    BuildRan,
    CaseOpened,
    Entry,
    Posted,
    PullRequestOpened,
    Recorded,
    Transitioned,
    TurnCompleted,
    TurnFailed,
)
from caseworker.core.telling.fact_sources import Fact, Sources
from caseworker.core.telling.money import money_words


def evidence_of(
    case: IssueCase,
    policy: Policy,
    spent: int | None,
    phrasing: Phrasing,
    head: Build | None,
    *,
    rehearsed: bool,
    record: Sequence[Recorded] = (),
) -> list[Fact]:
    """`record`: where the sources are looked up, in its order."""
    found = Sources(record)
    lines = [*_tests(case, found), *_proof(case, phrasing, head, found)]

    def add(text: str, entry: int | None) -> None:
        lines.append(Fact(text=text, entry=entry))

    if case.requirements.planned:
        add("Plan: it is made.", found.turn(Role.PM, task=Task.PLAN))
    if case.investigation is not None:
        page = phrasing.page(case.id, Page.MATRIX)
        add(_investigated(case.investigation, page), _investigated_in(case.investigation, found))
    for grant in case.people.grants:
        add(_granted(grant), found.message(grant.message))
    if case.people.asked:
        asked = f"Questions: people were asked about the requirements {_times(case.people.asked)}."
        add(asked, found.newest(lambda entry: isinstance(entry, Posted) and entry.about == IssueAbout.QUESTIONS))
    if case.delivery.pull_request is not None:
        delivered = f"Delivered: {name_of(case)}, with commit {short_name(case.delivery.pushed)}{_remarks(case)}."
        add(delivered, _delivered_in(case, found))
    add(_attempts(case, policy), found.of_kind(Transitioned, CaseOpened))
    if limit_of(case, policy) is not Milestone.PR:
        add(f"Milestone: it goes as far as the {limit_of(case, policy)}.", _limited_in(case, found))
    if spent is not None:
        money = f"Money: {money_words(spent, rehearsed=rehearsed)} of {dollars(cap_of(case, policy))} are spent."
        add(money, found.of_kind(TurnCompleted, TurnFailed))
    return lines


def _investigated_in(investigation: InvestigationProgress, found: Sources) -> int | None:
    """What the tech lead made of its cause, or the newest iteration."""
    judged = found.turn(Role.TECH_LEAD, task=Task.VALIDATE_ROOT_CAUSE) if investigation.stands == "approved" else None
    return judged or found.turn(Role.INVESTIGATOR)


def _delivered_in(case: IssueCase, found: Sources) -> int | None:
    def pushed(entry: Entry) -> bool:
        return isinstance(entry, BranchPushed) and entry.commit == case.delivery.pushed

    return found.newest(pushed) or found.of_kind(PullRequestOpened)


def _limited_in(case: IssueCase, found: Sources) -> int | None:
    """The message that has set it; else the settings with which it was opened."""
    return found.message(case.people.limited_by) if case.people.until is not None else found.of_kind(CaseOpened)


def _tests(case: IssueCase, found: Sources) -> list[Fact]:
    """Whether its tests can be run, where that is known to be the problem."""
    obstacle = case.evidence.obstacle
    if obstacle is None:
        return []
    waived = " A person has waived that." if case.granted(Subject.NOT_RUN) else ""
    return [Fact(text=f"Tests: not run. {stopped_words(obstacle)}.{waived}", entry=found.build(*Stage))]


_WRITERS: Final = (Role.TESTER, Role.DEVELOPER, Role.SENIOR_DEVELOPER)
_UNCHANGED: Final = "Change: nothing is changed yet, so there is nothing to prove."


def _proof(case: IssueCase, phrasing: Phrasing, head: Build | None, found: Sources) -> list[Fact]:
    if case.delivery.checkpoint is None or case.delivery.checkpoint == case.delivery.base:
        return [Fact(text=_UNCHANGED)]
    shown = f"{phrasing.page(case.id, Page.DIFF)} shows it"
    change = (
        f"Change: commit {short_name(case.delivery.checkpoint)}, on top of {short_name(case.delivery.base)}; {shown}."
    )
    built = found.build(*Stage, commit=case.evidence.built) if case.evidence.built is not None else None
    return [
        Fact(text=change, entry=found.turn(*_WRITERS, commit=case.delivery.checkpoint)),
        Fact(text=_red(case), entry=_red_in(case, found)),
        Fact(text=_green(case, head), entry=built),
        Fact(text=_reviewed(case), entry=_reviewed_in(case, found)),
        *(Fact(text=one, entry=built) for one in _weakened(case)),
    ]


def _red_in(case: IssueCase, found: Sources) -> int | None:
    """The build that has shown it: of this commit's tests on the base's code, or of the test before the change."""

    def tried(entry: Entry) -> bool:
        return isinstance(entry, BuildRan) and entry.proves is not None and entry.commit == case.delivery.checkpoint

    waived = next((one for one in case.people.grants if one.subject is Subject.NO_RED_TEST), None)
    return (
        found.newest(tried)
        or (found.build(Stage.RED) if case.evidence.red else None)
        or (found.message(waived.message) if waived is not None else None)
    )


def _reviewed_in(case: IssueCase, found: Sources) -> int | None:
    if case.evidence.approved is None:
        return None
    return found.turn(Role.TECH_LEAD, task=Task.REVIEW, commit=case.evidence.approved)


def missing(case: IssueCase) -> list[str]:
    """What the case still lacks for a pull request."""
    if case.delivery.checkpoint is None or case.delivery.checkpoint == case.delivery.base:
        return [_UNCHANGED]
    red = tests_fail_on_base(case) or (case.evidence.red and not case.proof.unproved)
    has = {_red: red, _green: is_green(case), _reviewed: case.evidence.approved == case.delivery.checkpoint}
    lacks = [told(case) for told, there in has.items() if not there]
    return [*lacks, *(_weakened(case) if unexplained(case) else [])]


def _red(case: IssueCase) -> str:
    test = f"`{case.evidence.test_file}`" if case.evidence.test_file else "the new test"
    if case.proof.proved is not None and case.proof.proved == case.delivery.checkpoint:
        return f"Red first: {test} was run on the base's code as it is in this commit, and failed there."
    if case.proof.unproved and case.evidence.built == case.delivery.checkpoint:
        waived = ", and waived" if case.granted(Subject.NO_RED_TEST) else ""
        return f"Red first: not seen for this commit{waived}: {case.proof.unproved}."
    if case.evidence.red:
        return f"Red first: {test} was seen to fail without the change."
    if case.granted(Subject.NO_RED_TEST):
        return "Red first: not seen, and waived."
    if needs_red(case) or case.requirements.issue_type is None:
        return "Red first: no test was seen to fail without the change yet."
    return "Red first: not needed, as no new test is asked for."


def _green(case: IssueCase, head: Build | None = None) -> str:
    if case.evidence.green is not None and case.evidence.green == case.delivery.checkpoint:
        return f"Green: commit {short_name(case.evidence.green)} was built, and {_how_green(case, head)}."
    if case.evidence.built is None:
        return "Green: the change was not built yet."
    if is_green(case):
        return f"Green: not seen for commit {short_name(case.evidence.built)}, and waived."
    if case.evidence.built == case.delivery.checkpoint:
        return f"Green: not yet, the build of commit {short_name(case.evidence.built)} was not."
    return f"Green: not yet, the last build was of commit {short_name(case.evidence.built)}, and the work has moved on."


def _how_green(case: IssueCase, head: Build | None) -> str:
    """Tests that fail on the base as well are excused, but they don't pass."""
    if head is None or head.commit != case.evidence.green:
        return "nothing fails there that passes without the change"
    failed = next((run for run in head.runs if not run.passed), None)
    if failed is None:
        return "its tests pass"
    return f"{code(failed.command)} fails no more than without the change; it does not pass"


def _reviewed(case: IssueCase) -> str:
    if case.evidence.approved is None:
        return "Reviewed: not approved yet."
    if case.evidence.approved == case.delivery.checkpoint:
        return f"Reviewed: the tech lead approved commit {short_name(case.evidence.approved)}."
    return f"Reviewed: commit {short_name(case.evidence.approved)} was approved, and the work has moved on."


def _weakened(case: IssueCase) -> list[str]:
    """Tests that check less, and changes of what decides, with who let each stay."""
    left = unexplained(case)
    return [f"Weakened: {one} {_who_let_it(case, one, is_open=one in left)}" for one in case.proof.weakened]


def _who_let_it(case: IssueCase, finding: str, *, is_open: bool) -> str:
    if is_open:
        return "Nobody has given a reason yet."
    return "The review gives a reason." if finding in case.proof.explained else "A person has waived it."


def _investigated(investigation: InvestigationProgress, page: str) -> str:
    name = f"Investigation {investigation.number}" if investigation.number > 1 else "Investigation"
    done = f"{investigation.iteration} of {MOST_ITERATIONS} iterations"
    stands = {
        "open": f"{done} are done, and the cause is not proven yet",
        "found": f"after {done} a cause is named, and the tech lead has not accepted it yet",
        "incomplete": f"it ended after {done} without a proven cause",
        "approved": f"after {done} the tech lead accepted {investigation.hypothesis} as the cause",
        "given_up": f"after {done} the work goes on without a proven cause",
    }[investigation.stands]
    return f"{name}: {stands}. {begin(page)} shows it."


def _granted(grant: Grant) -> str:
    if grant.subject in WAIVERS:
        return f"Waived by {grant.by}: {grant.what}. Whoever merges is told so."
    return f"Agreed by {grant.by}: {grant.what}."


def _attempts(case: IssueCase, policy: Policy) -> str:
    extra = ", the last one with the tech lead's guidance" if case.limits.attempt > policy.attempts else ""
    moves = case.progress.transitions - case.limits.round_began
    attempt = min(case.limits.attempt, policy.attempts)
    return (
        f"Limits: attempt {attempt} of {policy.attempts} in round {case.limits.round}{extra}; "
        f"{moves} of {policy.transitions} moves."
    )


def _remarks(case: IssueCase) -> str:
    if not case.people.remarks:
        return ""
    return f"; {'1 remark' if len(case.people.remarks) == 1 else f'{len(case.people.remarks)} remarks'} to be answered"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
