"""In a folder of this machine a branch is delivered: no text about such a case speaks of a pull request."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.facts import RerunAsked, RetryAsked
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import Move, make_move
from caseworker.core.issue.moves_by_people import return_to_merge
from caseworker.core.issue.post_words import PostContext, Remark, news, words_for
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject
from caseworker.core.people.messages import Audience
from caseworker.core.telling.pull_request import pull_request_body, pull_request_updated
from caseworker.core.telling.why import why
from tests.core.examples import MORNING, a_build, a_file, a_run
from tests.core.telling.why_examples import ISSUES

POLICY, TYPED = Policy(), TerminalPhrasing()
LOCAL = {name: case.model_copy(update={"id": CaseId("local/shop#42")}) for name, case in ISSUES.items()}
READY = LOCAL["waiting_for_human_input, merge"]


@pytest.mark.parametrize("name", LOCAL)
def test_why_never_names_a_pull_request_of_a_folder(name: str) -> None:
    assert "pull request" not in why(LOCAL[name], POLICY, TYPED, spent=0).model_dump_json().lower()


@pytest.mark.parametrize("about", IssueAbout)
def test_no_post_names_a_pull_request_of_a_folder(about: IssueAbout) -> None:
    subject = Subject.NO_RED_TEST
    post = IssuePost(
        about=about, audience=Audience.DEVELOPERS, epoch=1, number=1, role=Role.PM, note="That.", subject=subject
    )
    remark = Remark(author="olga", text="Rename it.", answer="Done.")
    for case in LOCAL.values():
        context = PostContext(case=case, policy=POLICY, remarks=(remark,))
        assert "pull request" not in words_for(post, context, TYPED).lower()


def test_texts_call_a_local_delivery_a_branch() -> None:
    told = why(READY, POLICY, TYPED)
    assert told.waits_for == "For a person to merge branch `agent/issue-42`."
    named = why(READY, POLICY, TYPED, into="main")
    assert named.waits_for == "For a person to merge branch `agent/issue-42` into `main`."
    assert "Delivered: branch `agent/issue-42`, with commit cccccccccccc." in [fact.text for fact in told.evidence]
    assert news(READY, TYPED) == (
        "Branch `agent/issue-42` is ready, from local/shop#42. `caseworker show shop/42 --pull-request` has its text "
        "and its proof. A person merges it."
    )
    assert news(LOCAL["completed"], TYPED) == "Branch `agent/issue-42` was merged."
    assert pull_request_updated(READY) == "branch `agent/issue-42` was updated"


def test_refusals_and_reasons_name_the_branch() -> None:
    assert misfit_of(READY, RerunAsked(by="ann", milestone=Milestone.PLAN)) == (
        "branch `agent/issue-42` is there already: say what should be different"
    )
    assert (misfit_of(READY, RetryAsked(by="ann")) or "").startswith(
        "it is not stuck, branch `agent/issue-42` waits for a"
    )
    assert return_to_merge(READY).reason == (
        "Nobody has answered; branch `agent/issue-42` waits for a merge, as before."
    )
    working = LOCAL["addressing_feedback"]
    parked = make_move(working, Move(to=IssueState.FAILED, reason="It is over."), POLICY, MORNING)
    assert parked.reason == (
        "It is over. Branch `agent/issue-42` stays as it is: merging or closing it ends the case, another try or a "
        "word on how to go on moves it."
    )


def test_the_text_of_a_branch_speaks_of_the_branch() -> None:
    body = pull_request_body(
        a_file(), READY, [a_build(a_run("make test"))], cost="$0.00", changed=["cart.py"], test_was_changed=True
    )
    assert "pull request" not in body.lower()
    assert "the commit of this branch" in body
