"""The settings of a case: defaults, choice of models, storage."""

import pytest
from pydantic import ValidationError

from caseworker.core.base.policy import DEFAULT_MODEL, PLAIN_REVIEW, STRONGER_MODEL, Policy, chosen_models


@pytest.mark.parametrize(
    ("role", "task", "model"),
    [
        ("developer", "fix", "role-and-task"),
        ("developer", "implement", "role-only"),
        ("analyst", "analyze", "for-all"),
    ],
)
def test_a_model_is_chosen_by_role_and_task_then_role_then_default(role: str, task: str, model: str) -> None:
    policy = Policy(models={"default": "for-all", "developer": "role-only", "developer.fix": "role-and-task"})
    assert policy.model_for(role, task) == model


def test_an_empty_model_name_falls_back_to_the_default() -> None:
    assert Policy(models={"developer": "", "default": "for-all"}).model_for("developer", "fix") == "for-all"
    assert Policy(models={}).model_for("developer", "fix") == DEFAULT_MODEL


def test_by_default_the_senior_and_the_tech_lead_have_the_stronger_model() -> None:
    policy = Policy()
    assert policy.model_for("senior_developer", "fix") == policy.model_for("tech_lead", "review") == STRONGER_MODEL
    assert policy.model_for("pm", "triage") == policy.model_for("developer", "fix") == DEFAULT_MODEL


@pytest.mark.parametrize(
    ("settings", "plain", "other"),
    [
        ({}, DEFAULT_MODEL, STRONGER_MODEL),
        ({"default": "claude-x"}, "claude-x", STRONGER_MODEL),
        ({"tech_lead": "mine"}, "mine", "mine"),
        ({"tech_lead.review": "mine"}, "mine", "mine"),
        ({"tech_lead": "mine", PLAIN_REVIEW: "less"}, "less", "mine"),
        ({"default": "qwen"}, "qwen", "qwen"),
    ],
)
def test_the_models_of_reviews_follow_the_settings(settings: dict[str, str], plain: str, other: str) -> None:
    policy = Policy(models=chosen_models(settings))
    assert policy.model_for("tech_lead", "review", plain=True) == plain
    assert policy.model_for("tech_lead", "review") == other


def test_a_default_that_is_no_claude_stands_for_every_model_that_is_not_set() -> None:
    policy = Policy(models=chosen_models({"default": "qwen", "developer": "large"}))
    assert {policy.model_for("pm", "classify"), policy.model_for("senior_developer", "fix")} == {"qwen"}
    assert policy.model_for("developer", "fix", plain=True) == "large"


def test_the_defaults_are_the_specs_numbers() -> None:
    policy = Policy()
    assert (policy.budget_micros, policy.calls_per_turn, policy.turn_seconds) == (5_000_000, 100, 3_600)
    assert (policy.attempts, policy.transitions, policy.history_events) == (3, 60, 1_500)


def test_a_policy_is_the_same_after_being_stored() -> None:
    assert Policy.model_validate_json(Policy().model_dump_json()) == Policy()


@pytest.mark.parametrize(
    "wrong",
    [{"attempts": 0}, {"transitions": 0}, {"budget_micros": -1}, {"turn_seconds": 0}, {"attempt": 3}],
)
def test_an_invalid_setting_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        Policy.model_validate(wrong)
