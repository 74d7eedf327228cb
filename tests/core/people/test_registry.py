"""The registry: seven workflows with label, verb, targets, prerequisite and artifact; and the mutex of their labels."""

from caseworker.core.people.registry import REGISTRY, TargetKind, by_label, displaced

ISSUE, PULL = TargetKind.ISSUE, TargetKind.PULL


def test_the_registry_has_the_seven_workflows() -> None:
    table = {row.verb: (row.label, set(row.targets), row.after, row.artifact) for row in REGISTRY.values()}
    assert table == {
        "triage": ("bot:triage", {ISSUE}, None, "TRIAGE.md"),
        "plan": ("bot:plan", {ISSUE}, "triage", "PLAN.md"),
        "implement": ("bot:implement", {ISSUE}, "plan", "IMPLEMENT.md"),
        "review": ("bot:review", {PULL}, None, "REVIEW.md"),
        "resolve": ("bot:resolve", {PULL}, None, "RESOLVE.md"),
        "ship": ("bot:ship", {PULL}, None, None),
        "remember": ("bot:remember", {ISSUE, PULL}, None, None),
    }


def test_labels_are_found_in_any_case() -> None:
    assert by_label("Bot:Plan") is REGISTRY["plan"]
    assert by_label("plan") is None
    assert by_label("bot:deploy") is None
    assert by_label("bot:investigate") is None


def test_the_mutex_removes_the_labels_of_other_workflows_only() -> None:
    labels = ("bug", "bot:triage", "BOT:Implement", "bot:plan", "bot:friend")
    assert displaced(labels, REGISTRY["plan"]) == ("bot:triage", "BOT:Implement")
