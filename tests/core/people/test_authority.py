"""Who may give which command, by kind of case and standing."""

import pytest

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.people.authority import MAY, may, refusal
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Standing
from caseworker.core.people.receipts import NOT_THE_REPORTER
from tests.world.commands import command_of

K = MessageKind
OWNER, DEVELOPER, REPORTER, OTHER = Standing.OWNER, Standing.DEVELOPER, Standing.REPORTER, Standing.OTHER
TEAM = {OWNER, DEVELOPER}
ALL = {*Standing}

WHO: list[tuple[MessageKind, set[Standing], set[Standing], set[Standing]]] = [
    # command, who may give it to a bug case, who to an issue case, who to a pull case
    (K.WORDS, {*TEAM, REPORTER}, ALL, ALL),
    (K.ANSWER, {*TEAM, REPORTER}, ALL, ALL),
    (K.EDIT, {*TEAM, REPORTER}, ALL, ALL),
    (K.DELETION, {*TEAM, REPORTER}, ALL, ALL),
    (K.CLOSE, {*TEAM, REPORTER}, TEAM, TEAM),
    (K.CLOSE_INCOMPLETE, TEAM, set(), set()),
    (K.STOP_FIX, TEAM, set(), set()),
    (K.TAKEOVER, TEAM, TEAM, TEAM),
    (K.HAND_BACK, TEAM, TEAM, TEAM),
    (K.APPROVE, set(), TEAM, set()),
    (K.REJECT, set(), TEAM, set()),
    (K.BUDGET, TEAM, TEAM, TEAM),
    (K.RETRY, TEAM, TEAM, TEAM),
    (K.RERUN, set(), TEAM, set()),
    (K.START, set(), set(), TEAM),
    (K.STOP, set(), set(), TEAM),
    (K.RESUME, set(), set(), TEAM),
    (K.ABORT, set(), set(), TEAM),
    (K.REBASE, set(), set(), {OWNER}),
    (K.MERGED, set(), set(), set()),
    (K.PULL_CLOSED, set(), set(), set()),
    (K.FIX_READY, set(), set(), set()),
    (K.FIX_WAITING, set(), set(), set()),
    (K.FIX_MERGED, set(), set(), set()),
    (K.FIX_ENDED, set(), set(), set()),
]


@pytest.mark.parametrize(("kind", "bug", "issue", "pull"), WHO, ids=[row[0] for row in WHO])
def test_who_may_give_which_command(
    kind: MessageKind, bug: set[Standing], issue: set[Standing], pull: set[Standing]
) -> None:
    command = command_of(kind)
    assert {standing for standing in Standing if may(CaseKind.BUG, standing, command)} == bug
    assert {standing for standing in Standing if may(CaseKind.ISSUE, standing, command)} == issue
    assert {standing for standing in Standing if may(CaseKind.PULL, standing, command)} == pull


def test_the_table_has_every_command_every_kind_of_case_and_every_standing() -> None:
    assert {row[0] for row in WHO} == {*MessageKind}
    assert set(MAY) == {*CaseKind}
    assert all(set(row) == {*Standing} for row in MAY.values())


@pytest.mark.parametrize(
    ("case", "standing", "kind", "receipt"),
    [
        ("bug", OTHER, K.WORDS, NOT_THE_REPORTER),
        ("bug", OTHER, K.CLOSE, NOT_THE_REPORTER),
        ("bug", REPORTER, K.TAKEOVER, "not for a reporter to decide"),
        ("bug", DEVELOPER, K.APPROVE, "not for a bug case"),
        ("issue", OWNER, K.CLOSE_INCOMPLETE, "not for an issue case"),
        ("issue", OTHER, K.APPROVE, "not for an outsider to decide"),
        ("issue", OTHER, K.WORDS, None),
        ("bug", REPORTER, K.CLOSE, None),
        ("issue", OWNER, K.STOP, "not for an issue case"),
        ("pull", OWNER, K.APPROVE, "not for a pull request"),
        ("pull", DEVELOPER, K.REBASE, "for an owner to decide"),
        ("pull", OTHER, K.STOP, "not for an outsider to decide"),
    ],
)
def test_the_receipt_of_a_refused_command_says_why(
    case: CaseKind, standing: Standing, kind: MessageKind, receipt: str | None
) -> None:
    assert refusal(case, standing, command_of(kind)) == receipt
