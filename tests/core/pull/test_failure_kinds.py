"""What kind of failure a red check is, as a table."""

import pytest

from caseworker.core.pull.failures import (
    Annotation,
    CheckResult,
    FailureKind,
    ResultState,
    WithoutChange,
    kind_of,
    state_of,
)
from tests.core.pull.failure_examples import attempt, failed, result

RED, GREEN = result("failed"), result("passed")
PULL_5, PULL_5_AGAIN, PULL_6 = (attempt(run, number, event="pull_request") for run, number in ((5, 1), (5, 2), (6, 1)))


@pytest.mark.parametrize(
    ("results", "kind"),
    [
        ((RED,), "ours"),
        ((RED, RED), "ours"),
        ((GREEN, RED), "flake"),
        ((RED, GREEN, RED), "flake"),
        ((result("other"), RED), "ours"),
        ((result("pending"), RED), "ours"),
        ((result("broken"), RED), "ours"),
        ((result("passed", PULL_5), result("failed", PULL_5_AGAIN)), "flake"),
        # Another run may have tested another trial merge, until this one has failed twice.
        ((result("passed", PULL_6), result("failed", PULL_5)), "flake"),
        ((result("passed", PULL_6), result("failed", PULL_5), result("failed", PULL_5_AGAIN)), "ours"),
        ((result("passed", attempt(6)), result("failed", attempt(5)), result("failed", attempt(5, 2))), "flake"),
        ((result("broken", word="cancelled"),), "infrastructure"),
        ((result("broken", word="timed_out"),), "infrastructure"),
        ((result("broken", word="startup_failure"),), "infrastructure"),
        ((result("broken", word="stale"),), "infrastructure"),
        ((GREEN, result("broken")), "infrastructure"),
    ],
)
def test_results_on_one_commit_tell_the_kind(results: tuple[CheckResult, ...], kind: FailureKind) -> None:
    assert kind_of(failed(results=results)) == kind


@pytest.mark.parametrize(
    ("base", "merge_base", "kind"),
    [
        (None, None, "ours"),
        (GREEN, GREEN, "ours"),
        (RED, None, "red_on_base"),
        (None, RED, "red_on_base"),
        (RED, GREEN, "red_on_base"),
        (GREEN, RED, "red_on_base"),
        (result("broken"), result("other"), "ours"),
    ],
)
def test_a_check_that_is_red_without_the_change_is_not_ours(
    base: CheckResult | None, merge_base: CheckResult | None, kind: FailureKind
) -> None:
    assert kind_of(failed(without=WithoutChange(on_base=base, on_merge_base=merge_base))) == kind


def test_a_flake_that_is_red_on_the_base_stays_a_flake() -> None:
    assert kind_of(failed(results=(GREEN, RED), without=WithoutChange(on_base=RED))) == "flake"


@pytest.mark.parametrize(
    ("app", "level", "kind"),
    [
        ("github-actions", "failure", "infrastructure"),
        ("github-actions", "warning", "ours"),
        ("scanner", "failure", "ours"),
    ],
)
def test_a_runner_that_was_lost_is_infrastructure(app: str, level: str, kind: FailureKind) -> None:
    said = "The hosted runner: GitHub Actions 4 lost communication with the server."
    remark = Annotation.model_validate({"path": ".github", "line": 1, "level": level, "message": said})
    assert kind_of(failed(app=app).model_copy(update={"annotations": (remark,)})) == kind


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("success", "passed"),
        ("failure", "failed"),
        ("error", "broken"),
        ("action_required", "broken"),
        ("neutral", "other"),
        ("skipped", "other"),
        ("pending", "pending"),
        ("", "pending"),
    ],
)
def test_the_forges_word_has_one_meaning(word: str, state: ResultState) -> None:
    assert state_of(word) == state


def test_only_jobs_of_github_actions_can_be_run_again() -> None:
    assert failed().rerun == attempt()
    assert failed(app="scanner").rerun is None
    assert failed(app="").rerun is None
