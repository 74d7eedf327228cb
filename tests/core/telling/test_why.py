"""What `why` says about a case in every state, compared with `why_expected.md`."""

from pathlib import Path

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import MessageId, Sha, typed
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.bug.case import BugState
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.command_facts import fact_of
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.options import options, refuse_misfit
from caseworker.core.issue.states import TERMINAL, WAITING, IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import Approve, Command, MessageKind
from caseworker.core.people.messages import Claimed, Standing
from caseworker.core.telling.why import why
from tests.core.examples import a_build, a_case, a_proven_case, a_run
from tests.core.telling.why_examples import BUGS, ISSUES, a_wait, covers, page
from tests.world.commands import command_of

K = MessageKind
S = IssueState
GIVEN_BY_PEOPLE = [
    K.WORDS,
    K.ANSWER,
    K.APPROVE,
    K.REJECT,
    K.TAKEOVER,
    K.HAND_BACK,
    K.BUDGET,
    K.RETRY,
    K.CLOSE,
]
SAID = {K.REJECT: "keep the API", K.BUDGET: "+5"}


def test_why_says_what_the_expected_page_says() -> None:
    """After a change, regenerate the page as `why_examples.py` says, and read its diff."""
    assert f"{page()}\n" == Path(__file__).with_name("why_expected.md").read_text(encoding="utf-8")


def test_the_page_has_every_state_every_wait_and_every_subject() -> None:
    seen = [covers(case) for case in ISSUES.values()]
    assert {state for state, _, _ in seen} == set(IssueState)
    assert {reason for state, reason, _ in seen if state in WAITING} == {*WaitingFor}
    assert {subject for state, _, subject in seen if state in WAITING} == {*Subject, None}
    assert {bug.state for bug in BUGS.values()} == set(BugState)


@pytest.mark.parametrize("case", ISSUES.values(), ids=ISSUES)
def test_every_offered_command_is_possible(case: IssueCase) -> None:
    for option in options(case):
        if option.kind is not None:
            refuse_misfit(case, command_of(option.kind, SAID.get(option.kind, "please go on")), TerminalPhrasing())


@pytest.mark.parametrize("case", ISSUES.values(), ids=ISSUES)
@pytest.mark.parametrize("kind", [K.APPROVE, K.REJECT, K.TAKEOVER, K.HAND_BACK, K.RETRY, K.CLOSE])
def test_a_command_is_possible_exactly_where_it_is_offered(case: IssueCase, kind: MessageKind) -> None:
    """Words and a raised budget are also accepted where they are not offered."""
    offered = kind in [option.kind for option in options(case)]
    assert (_refusal(case, kind) is None) is offered
    if offered:
        fact = fact_of(Claimed(id=MessageId(1), command=command_of(kind), author="ann", standing=Standing.OWNER))
        assert fact is not None
        assert misfit_of(case, fact) is None


@pytest.mark.parametrize("case", ISSUES.values(), ids=ISSUES)
def test_a_person_can_always_move_an_open_case(case: IssueCase) -> None:
    told = why(case, Policy(), TerminalPhrasing())
    assert told.moves_it
    assert all(typed(told.case) in words or case.branch in words for words in told.moves_it)
    if case.state not in TERMINAL:
        assert K.CLOSE in [option.kind for option in options(case)]


@pytest.mark.parametrize("case", ISSUES.values(), ids=ISSUES)
@pytest.mark.parametrize("kind", GIVEN_BY_PEOPLE)
def test_a_refusal_names_the_command_and_what_fits_instead(case: IssueCase, kind: MessageKind) -> None:
    refused = _refusal(case, kind)
    if refused is not None:
        name = TerminalPhrasing().name(kind)
        assert refused.what.startswith(f"{name} does not fit owner/repo#42")
        assert refused.todo.startswith("What fits: `")
        assert name not in refused.todo


def _refusal(case: IssueCase, kind: MessageKind) -> Refused | None:
    try:
        refuse_misfit(case, command_of(kind, SAID.get(kind, "thanks")), TerminalPhrasing())
    except Refused as refused:
        return refused
    return None


REFUSED: list[tuple[str, IssueCase, Command, str]] = [
    (
        "approve",
        a_case(S.CREATING_TESTS),
        command_of(K.APPROVE),
        "`approve` does not fit owner/repo#42 (creating tests): nothing waits for an approval. "
        "What fits: `say`, `takeover`, `close`. `caseworker why owner/repo/42` says more.",
    ),
    (
        "approve a merge",
        a_proven_case(S.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.MERGE), pull_request=1),
        command_of(K.APPROVE),
        "`approve` does not fit owner/repo#42 (waiting for human input): nothing waits for an approval. "
        "What fits: `reject`, `say`, `takeover`, `close`. `caseworker why owner/repo/42` says more.",
    ),
    (
        "approve a milestone that was reached",
        a_case(S.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.MILESTONE)),
        Approve(milestone=Milestone.TRIAGE),
        "`approve` fits owner/repo#42, but not like this: it has come as far as the triage already. "
        "`caseworker approve owner/repo/42` goes on, all the way to a pull request; with `--until plan`, to the plan.",
    ),
    (
        "answer what was not asked",
        a_case(S.IMPLEMENTING),
        command_of(K.ANSWER, "blue"),
        "`answer` does not fit owner/repo#42 (implementing): nothing was asked. "
        "What fits: `say`, `takeover`, `close`. `caseworker why owner/repo/42` says more.",
    ),
    (
        "answer a request for approval",
        a_case(S.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.APPROVAL, Subject.PLAN)),
        command_of(K.ANSWER, "yes"),
        "`answer` does not fit owner/repo#42 (waiting for human input): it waits for something else than an "
        "answer. What fits: `approve`, `reject`, `say`, `takeover`, `close`. "
        "`caseworker why owner/repo/42` says more.",
    ),
    (
        "reject without a word",
        a_case(S.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.APPROVAL, Subject.PLAN)),
        command_of(K.REJECT, "Reject."),
        "`reject` fits owner/repo#42, but not like this: it does not say what should be different. "
        '`caseworker reject owner/repo/42 "what should be different"` has it planned anew, with your words.',
    ),
    (
        "a budget of nothing",
        a_case(S.IMPLEMENTING),
        command_of(K.BUDGET, "lots"),
        "`budget` fits owner/repo#42, but not like this: `lots` is no amount: `+5` or `+2.50` adds so many dollars.",
    ),
    (
        "a budget where an approval is waited for",
        a_case(S.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.APPROVAL, Subject.PLAN)),
        command_of(K.BUDGET, "+0"),
        "`budget` fits owner/repo#42, but not like this: `+0` is no amount: `+5` or `+2.50` adds so many dollars.",
    ),
    (
        "a budget for a case that is over",
        a_case(S.FAILED),
        command_of(K.BUDGET, "+5"),
        "`budget` does not fit owner/repo#42 (failed): the case is over. "
        "What fits: `retry`, `say`. `caseworker why owner/repo/42` says more.",
    ),
    (
        "hand back what nobody has",
        a_case(S.BLOCKED),
        command_of(K.HAND_BACK),
        "`handback` does not fit owner/repo#42 (blocked): nobody has taken it over. "
        "What fits: `say`, `retry`, `takeover`, `close`. `caseworker why owner/repo/42` says more.",
    ),
    (
        "close what is closed",
        a_case(S.CLOSED),
        command_of(K.CLOSE),
        "`close` does not fit owner/repo#42: it is closed already. "
        "What fits: `retry`, `say`. `caseworker why owner/repo/42` says more.",
    ),
    (
        "take over what is merged",
        a_case(S.COMPLETED),
        command_of(K.TAKEOVER),
        "`takeover` does not fit owner/repo#42: it is completed: trying it again opens another case for the same "
        "issue. What fits: `say`, `retry`. `caseworker why owner/repo/42` says more.",
    ),
]


@pytest.mark.parametrize(("case", "command", "words"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED])
def test_an_impossible_command_is_refused_in_these_words(case: IssueCase, command: Command, words: str) -> None:
    with pytest.raises(Refused) as refused:
        refuse_misfit(case, command, TerminalPhrasing())
    assert str(refused.value) == words


ACCEPTED: list[tuple[str, IssueCase, Command]] = [
    (
        "a part of an answer while the first part is read",
        a_case(S.REQUIREMENTS_CLARIFIED, asked=1),
        command_of(K.ANSWER, "blue"),
    ),
    ("an answer after the time-out", a_case(S.BLOCKED, **a_wait(WaitingFor.ANSWER)), command_of(K.ANSWER, "blue")),
    ("an answer when the case has gone on", a_case(S.IMPLEMENTING, asked=1), command_of(K.ANSWER, "blue")),
    ("an answer to who is stuck", a_case(S.REQUIRES_HUMAN_INTERVENTION), command_of(K.ANSWER, "take the other one")),
    (
        "an approval after the time-out",
        a_case(S.BLOCKED, **a_wait(WaitingFor.APPROVAL, Subject.PLAN)),
        command_of(K.APPROVE),
    ),
    (
        "a further milestone",
        a_case(S.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.MILESTONE)),
        Approve(milestone=Milestone.PLAN),
    ),
    ("thanks after the end", a_case(S.COMPLETED), command_of(K.WORDS, "thanks!")),
    ("another try of what is merged", a_case(S.COMPLETED), command_of(K.RETRY)),
    ("words that want more of what is merged", a_case(S.COMPLETED), command_of(K.WORDS, "it still fails")),
    ("words to a failed case", a_case(S.FAILED), command_of(K.WORDS, "look at the cache")),
    ("money before it is needed", a_case(S.IMPLEMENTING), command_of(K.BUDGET, "+5")),
    (
        "a change of the pull request",
        a_case(S.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.MERGE)),
        command_of(K.REJECT, "shorter names"),
    ),
    ("a close in the middle of a turn", a_case(S.REVIEWING_CODE), command_of(K.CLOSE)),
]


@pytest.mark.parametrize(("case", "command"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_a_possible_command_is_not_refused(case: IssueCase, command: Command) -> None:
    refuse_misfit(case, command, TerminalPhrasing())


def test_why_of_a_rehearsed_case_does_not_say_that_money_was_spent() -> None:
    told = why(ISSUES["received"], Policy(), TerminalPhrasing(), spent=420_000, rehearsed=True)
    assert told.evidence[-1].text == "Money: $0.00 (rehearsed; about $0.42 at list prices) of $5.00 are spent."


def test_why_says_that_tests_pass_only_if_they_do() -> None:
    case = a_proven_case(IssueState.REVIEWING_CODE)
    green = case.evidence.green or Sha("")
    built = f"Green: commit {green[:12]} was built, and"
    passes = a_build(a_run(), commit=green)
    fails = a_build(a_run(exit_code=2), commit=green)
    older = a_build(a_run(), commit=Sha("e" * 40))
    told = [why(case, Policy(), TerminalPhrasing(), head=head).evidence[2].text for head in (passes, fails, older)]
    assert told == [
        f"{built} its tests pass.",
        f"{built} `make test` fails no more than without the change; it does not pass.",
        f"{built} nothing fails there that passes without the change.",
    ]
