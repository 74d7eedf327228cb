"""A repository's rules in `.caseworker.toml`, and the messages about mistakes in it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.evidence.repository_rules import RepositoryRules, read_rules

FULL = """
until = "plan"

[commands]
test = "make check"

[approvals]
plan = true

[budget]
usd = 2.5
"""


def test_a_repository_can_set_approvals_a_budget_and_a_milestone() -> None:
    rules = read_rules(FULL)
    assert rules == RepositoryRules(approve_plan=True, budget_micros=2_500_000, until=Milestone.PLAN)
    policy = rules.applied_to(Policy())
    assert (policy.approve_plan, policy.budget_micros, policy.until) == (True, 2_500_000, Milestone.PLAN)


def test_a_repository_can_turn_sensitive_paths_off_and_on() -> None:
    off = read_rules("[approvals]\nsensitive_paths = false\n")
    assert (off.approve_sensitive_paths, off.applied_to(Policy()).approve_sensitive_paths) == (False, False)
    careless = Policy(approve_sensitive_paths=False)
    assert read_rules("").applied_to(careless) == careless
    assert read_rules("[approvals]\nsensitive_paths = true\n").applied_to(careless).approve_sensitive_paths
    with pytest.raises(Refused, match="`sensitive_paths` must be true or false"):
        read_rules("[approvals]\nsensitive_paths = 1\n")


@pytest.mark.parametrize("text", ["", "# nothing\n", '[commands]\ntest = "make check"\n'])
def test_a_repository_without_rules_changes_nothing(text: str) -> None:
    assert read_rules(text) == RepositoryRules()
    assert read_rules(text).applied_to(Policy()) == Policy()


def test_a_repository_never_gets_more_money_or_fewer_approvals() -> None:
    strict = Policy(budget_micros=1_000_000, approve_plan=True, until=Milestone.TRIAGE)
    rules = read_rules('until = "pr"\n[approvals]\nplan = false\n[budget]\nusd = 100\n')
    assert rules.applied_to(strict) == strict


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("until = [", ".caseworker.toml is not valid TOML: "),
        (
            '\nuntill = "plan"',
            ".caseworker.toml, line 2: `untill` is not known. Did you mean until?",
        ),
        (
            "[approval]\nplan = true",
            ".caseworker.toml, line 1: `approval` is not known. Did you mean approvals?",
        ),
        (
            'until = "merge"',
            '.caseworker.toml, line 1: `until` must be one of "triage", "plan", "pr". For example: until = "plan".',
        ),
        (
            '[commands]\nplan = "x"\n[approvals]\nplan = "yes"\n',
            ".caseworker.toml, line 4: `plan` must be true or false. For example: plan = true.",
        ),
        (
            "[approvals]\n\nplans = true\n",
            ".caseworker.toml, line 3: `plans` is not known in [approvals]. Did you mean plan? Write plan = true.",
        ),
        (
            'approvals = "plan"\n',
            ".caseworker.toml, line 1: `approvals` must be a table. Write [approvals], and below it plan = true.",
        ),
        (
            "[budget]\nusd = -1\n",
            ".caseworker.toml, line 2: `usd` must be an amount of dollars. For example: usd = 2.5.",
        ),
        (
            'budget.usd = "5"\n',
            ".caseworker.toml, line 1: `usd` must be an amount of dollars. For example: usd = 2.5.",
        ),
        ("[budget]\nusd = nan\n", ".caseworker.toml, line 2: `usd` must be an amount of dollars."),
        ("[budget]\nusd = true\n", ".caseworker.toml, line 2: `usd` must be an amount of dollars."),
        (
            '[budget]\nusd = 1\nuntil = "plan"\n',
            ".caseworker.toml, line 3: `until` does not belong into [budget]. Write it above the first [table].",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_what_to_do(text: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        read_rules(text)
    assert str(refused.value).startswith(words)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(Refused):
        assert read_rules(text).applied_to(Policy()).budget_micros <= Policy().budget_micros
