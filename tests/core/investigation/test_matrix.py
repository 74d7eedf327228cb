"""The hypothesis matrix over time: every change is kept with its iteration, and no hypothesis is lost."""

from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.roles import Role
from caseworker.core.investigation.matrix import (
    MOST_INVESTIGATIONS,
    InvalidTurn,
    Investigation,
    changes_between,
    investigations,
)
from caseworker.core.outcomes.answers import RoleQuestion
from caseworker.core.outcomes.investigation import Hypothesis, InvestigationOutcome
from caseworker.core.outcomes.outcome import Outcome
from tests.core.examples import analysed, implemented, interpreted, planned, reviewed, triaged
from tests.core.investigation_examples import (
    HypothesisStatus,
    Turn,
    a_bundle,
    a_diagnostic,
    a_hypothesis,
    a_request,
    cause_reviewed,
    diagnosed,
    investigated,
    iterated,
    turns,
    unblocked,
    without_a_matrix,
)


def asked(*matrix: Hypothesis, new_problem: bool = False, problem: str = "It is wrong at times.") -> Outcome:
    request = a_request(problem, matrix=matrix, new_problem=new_problem)
    return reviewed("SPAWN_INVESTIGATOR").model_copy(update={"investigation": request})


def the_only(*outcomes: Outcome) -> Investigation:
    (found,) = investigated(turns(*outcomes))
    return found


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_each_revision_has_its_iteration_and_its_changes() -> None:
    investigation = the_only(
        triaged(),
        asked(a_hypothesis("H1"), a_hypothesis("H2", percent=60)),
        iterated(
            "NEED_DEVELOPER_DIAGNOSTIC",
            a_hypothesis("H1", "testing", 70, evidence_for=["fails with two threads"], next_test="log the reads"),
            a_hypothesis("H2", percent=30, evidence_against=["wrong without a discount"]),
        ),
        diagnosed(),
        iterated(
            "ROOT_CAUSE_FOUND",
            a_hypothesis("H1", "confirmed", 95, evidence_for=["fails with two threads", "two reads, one write"]),
            a_hypothesis("H2", "eliminated", 5),
        ),
        cause_reviewed(),
    )
    kept = [
        (one.version, one.investigation, one.iteration, one.turn, one.role, one.changes)
        for one in investigation.revisions
    ]
    assert kept == [
        (1, 1, 0, 2, Role.TECH_LEAD, ("H1: new, Medium 50 %, pending", "H2: new, Medium 60 %, pending")),
        (
            2,
            1,
            1,
            3,
            Role.INVESTIGATOR,
            (
                "H1: Medium 50 % -> High 70 %; pending -> testing; for: fails with two threads; next: log the reads",
                "H2: Medium 60 % -> Low 30 %; against: wrong without a discount",
            ),
        ),
        (
            3,
            1,
            2,
            5,
            Role.INVESTIGATOR,
            (
                "H1: High 70 % -> High 95 %; testing -> confirmed; for: two reads, one write; next: nothing",
                "H2: Low 30 % -> Low 5 %; pending -> eliminated; no longer holds: wrong without a discount",
            ),
        ),
    ]
    assert investigation.root_cause is not None
    assert investigation.root_cause.hypothesis == "H1"


def test_the_first_iteration_builds_a_matrix_if_the_request_has_none() -> None:
    investigation = the_only(implemented("BLOCKED").model_copy(update={"evidence": a_bundle()}), iterated())
    assert investigation.bundle == a_bundle()
    assert [(one.iteration, one.changes) for one in investigation.revisions] == [
        (1, ("H1: new, Medium 50 %, pending",))
    ]


def test_a_hypothesis_that_is_not_mentioned_stays_unchanged() -> None:
    investigation = the_only(
        asked(a_hypothesis("H1"), a_hypothesis("H2", "testing", 70)), iterated("SHRUG", a_hypothesis())
    )
    assert [one.id for one in investigation.hypotheses] == ["H1", "H2"]
    assert investigation.hypotheses[1] == a_hypothesis("H2", "testing", 70)


def test_an_empty_matrix_removes_no_hypothesis() -> None:
    investigation = the_only(asked(a_hypothesis("H1")), without_a_matrix())
    assert [one.id for one in investigation.hypotheses] == ["H1"]
    assert len(investigation.iterations) == 1


def test_an_iteration_without_changes_counts_but_makes_no_revision() -> None:
    investigation = the_only(iterated(), iterated("HYPOTHESIS_ELIMINATED"))
    assert (len(investigation.iterations), len(investigation.revisions)) == (2, 1)


def test_asking_another_role_does_not_finish_the_iteration() -> None:
    asks = iterated("SHRUG", a_hypothesis("H1", "testing")).model_copy(
        update={"ask": [RoleQuestion(to="tester", question="How often does it fail?")]}
    )
    investigation = the_only(asked(a_hypothesis("H1")), asks, iterated("SHRUG", a_hypothesis("H1", "testing", 80)))
    assert len(investigation.iterations) == 1
    assert [one.iteration for one in investigation.revisions] == [0, 1, 1]


def test_a_diagnostic_is_kept_with_its_request_and_iteration() -> None:
    investigation = the_only(
        iterated(), iterated("NEED_DEVELOPER_DIAGNOSTIC"), diagnosed(), iterated(), diagnosed("BLOCKED", "neither")
    )
    assert [(one.turn, one.iteration, one.request) for one in investigation.diagnostics] == [
        (3, 2, a_diagnostic()),
        (5, 3, None),
    ]


def test_a_review_is_kept_with_the_number_of_iterations_before_it() -> None:
    investigation = the_only(
        iterated("ROOT_CAUSE_FOUND"), cause_reviewed("CHANGES_REQUESTED"), iterated(), cause_reviewed("NEEDS_INFO")
    )
    assert [one.status for one in investigation.reviews] == ["CHANGES_REQUESTED", "NEEDS_INFO"]
    assert investigation.reviewed_after == (1, 2)


def test_only_an_unblocking_that_continues_adds_resources() -> None:
    investigation = the_only(iterated("BLOCKED"), unblocked("CONTINUE"), iterated("BLOCKED"), unblocked("PROCEED"))
    assert investigation.resources == ("The staging log is in logs/.",)


def test_an_iteration_without_a_valid_outcome_is_counted_in_its_place() -> None:
    invalid = InvalidTurn(turn=3, reason="its evidence does not hold")
    (investigation,) = investigated([one for one in turns(asked(), *[iterated()] * 3) if one.turn != 3], invalid)
    assert [(one.number, one.turn, one.status, one.said, one.summary) for one in investigation.iterations] == [
        (1, 2, "NEED_MORE_ANALYSIS", "NEED_MORE_ANALYSIS", "Looked."),
        (2, 3, "NEED_MORE_ANALYSIS", "", "its evidence does not hold"),
        (3, 4, "NEED_MORE_ANALYSIS", "NEED_MORE_ANALYSIS", "Looked."),
    ]


def test_the_fifth_iteration_is_incomplete_also_without_a_valid_outcome() -> None:
    (investigation,) = investigated(turns(asked(), *[iterated()] * 4), InvalidTurn(turn=6, reason="no outcome"))
    assert [one.status for one in investigation.iterations[3:]] == ["NEED_MORE_ANALYSIS", "INVESTIGATION_INCOMPLETE"]


# --- which investigation ---------------------------------------------------------------------------------------------


def test_a_case_without_an_investigation_has_none() -> None:
    assert investigated(turns(triaged(), analysed(), planned(), implemented(), reviewed(), interpreted())) == []


def test_a_requested_investigation_exists_before_its_first_iteration() -> None:
    investigation = the_only(asked(problem="It is slow."))
    assert (investigation.number, investigation.iterations, investigation.revisions) == (1, (), ())
    assert [(one.turn, one.role, one.request.problem_summary) for one in investigation.requests] == [
        (1, Role.TECH_LEAD, "It is slow.")
    ]


def test_a_request_with_another_status_is_ignored() -> None:
    done = reviewed("APPROVED").model_copy(update={"investigation": a_request()})
    assert investigated(turns(done, planned().model_copy(update={"investigation": a_request()}))) == []


def test_a_second_request_continues_with_the_same_hypotheses() -> None:
    investigation = the_only(asked(a_hypothesis("H1")), iterated(), asked(a_hypothesis("H2")))
    assert [one.id for one in investigation.hypotheses] == ["H1", "H2"]
    assert [one.iteration for one in investigation.revisions] == [0, 1, 1]


def test_a_new_problem_has_its_own_matrix_up_to_three() -> None:
    other = asked(a_hypothesis("H1"), new_problem=True, problem="It is slow.")
    found = investigated(turns(asked(), iterated(), *([other, iterated()] * MOST_INVESTIGATIONS)))
    assert [(one.number, len(one.iterations)) for one in found] == [(1, 1), (2, 1), (3, 2)]


def test_a_request_that_the_case_did_not_follow_begins_no_investigation() -> None:
    other = asked(a_hypothesis("H9"), new_problem=True)
    history = turns(asked(a_hypothesis("H1")), iterated(), other, iterated())
    (investigation,) = investigations(history, (), (1,))
    assert ([one.id for one in investigation.hypotheses], len(investigation.iterations)) == (["H1"], 2)
    assert investigations(history[:1], (), ()) == []


def test_a_request_belongs_to_the_investigation_that_begins_some_turns_later() -> None:
    wanted = interpreted("INVESTIGATION_NEEDED").model_copy(
        update={"investigation": a_request(matrix=[a_hypothesis()])}
    )
    (investigation,) = investigations(turns(wanted, planned("INVESTIGATION_NEEDED"), triaged(), iterated()), (), (3,))
    assert [one.role for one in investigation.requests] == [Role.PM]
    assert [(one.iteration, one.turn) for one in investigation.revisions] == [(0, 1), (1, 4)]


def test_requests_of_developers_and_of_the_pm_are_kept() -> None:
    brings = {"evidence": a_bundle(), "investigation": a_request("It hangs.")}
    stuck = implemented("BLOCKED").model_copy(update=brings)
    told = interpreted("INVESTIGATION_NEEDED").model_copy(update={"investigation": a_request("It hangs on Mondays.")})
    investigation = the_only(stuck, iterated(), told)
    assert [(one.role, one.request.problem_summary) for one in investigation.requests] == [
        (Role.DEVELOPER, "It hangs."),
        (Role.PM, "It hangs on Mondays."),
    ]
    assert investigation.bundle == a_bundle()


# --- proved over random turns ----------------------------------------------------------------------------------------

TEXTS = st.sampled_from(["a race", "the cache", "rounding"])
STATUSES: st.SearchStrategy[HypothesisStatus] = st.sampled_from(["pending", "testing", "confirmed", "eliminated"])
HYPOTHESES = st.builds(
    a_hypothesis,
    st.sampled_from(["H1", "H2", "H3"]),
    STATUSES,
    st.integers(0, 100),
    hypothesis=TEXTS,
    evidence_for=st.lists(TEXTS, max_size=2, unique=True),
    evidence_against=st.lists(TEXTS, max_size=2, unique=True),
    next_test=st.sampled_from(["", "run it", "read it"]),
)
MATRICES = st.lists(HYPOTHESES, max_size=3, unique_by=lambda one: one.id)
ITERATIONS = MATRICES.map(lambda matrix: InvestigationOutcome(status="SHRUG", hypothesis_matrix=matrix, summary="."))
REQUESTS = st.builds(lambda matrix, new: asked(*matrix, new_problem=new), MATRICES, st.booleans())
OTHERS: st.SearchStrategy[Outcome] = st.sampled_from(
    [triaged(), implemented(), diagnosed(), cause_reviewed(), unblocked(), reviewed()]
)
OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(ITERATIONS, ITERATIONS, REQUESTS, OTHERS)
HISTORIES = st.lists(OUTCOMES, max_size=12).map(lambda found: turns(*found))


@given(HISTORIES, st.integers(0, 12))
def test_later_turns_never_change_earlier_revisions(history: list[Turn], cut: int) -> None:
    before, after = investigated(history[:cut]), investigated(history)
    assert len(before) <= len(after)
    for early, late in zip(before, after, strict=False):
        assert early.number == late.number
        assert late.requests[: len(early.requests)] == early.requests
        assert late.revisions[: len(early.revisions)] == early.revisions
        assert late.iterations[: len(early.iterations)] == early.iterations
        assert late.diagnostics[: len(early.diagnostics)] == early.diagnostics
        assert late.reviews[: len(early.reviews)] == early.reviews


@given(HISTORIES)
def test_the_matrix_has_every_hypothesis_as_last_given(history: list[Turn]) -> None:
    for investigation in investigated(history):
        named: dict[str, Hypothesis] = {}
        for revision in investigation.revisions:
            names = [one.id for one in revision.hypotheses]
            assert names[: len(named)] == list(named)
            named = {one.id: one for one in revision.hypotheses}
        said = [one for it in investigation.iterations if it.outcome for one in it.outcome.hypothesis_matrix]
        assert {one.id for one in said} <= set(named)


@given(HISTORIES)
def test_versions_and_iterations_grow_and_each_revision_has_changes(history: list[Turn]) -> None:
    for investigation in investigated(history):
        assert [one.version for one in investigation.revisions] == list(range(1, len(investigation.revisions) + 1))
        iterations = [one.iteration for one in investigation.revisions]
        assert iterations == sorted(iterations)
        assert all(iteration <= len(investigation.iterations) for iteration in iterations)
        before: tuple[Hypothesis, ...] = ()
        for revision in investigation.revisions:
            assert revision.changes == changes_between(before, revision.hypotheses) != ()
            before = revision.hypotheses


@given(MATRICES, MATRICES)
def test_two_matrices_differ_exactly_if_there_are_changes(one: list[Hypothesis], other: list[Hypothesis]) -> None:
    told = changes_between(one, other)
    known = {hypothesis.id: hypothesis for hypothesis in one}
    different = [hypothesis.id for hypothesis in other if known.get(hypothesis.id) != hypothesis]
    assert [line.partition(":")[0] for line in told] == different
