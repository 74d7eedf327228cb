"""The case file: seed 001's document, loaded, dumped and refused."""

import json
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.casefile import (
    BuildSection,
    CaseFile,
    CommandReport,
    CommunicationSection,
    Escalation,
    IssueSection,
    LearningsSection,
    PipelineSection,
    Question,
    ReviewSection,
    RoleObservation,
    load_case_file,
    new_case_file,
)
from caseworker.core.errors import Refused
from tests.core.examples import MORNING, a_file

# Seed 001's own example; where it lists alternatives, one is chosen.
SEED: dict[str, Any] = {
    "version": "1.0",
    "issue": {
        "number": 42,
        "title": "Fix allocation slider not persisting values",
        "url": "https://github.com/owner/repo/issues/42",
        "type": "BUG_FIX",
        "original_body": "Original issue description...",
        "labels": ["bug", "frontend"],
    },
    "pipeline": {
        "started_at": "2024-01-15T10:30:00Z",
        "current_agent": "writer",
        "attempt": 1,
        "max_attempts": 3,
        "status": "in_progress",
    },
    "triage": {
        "completed": False,
        "scope": "SMALL",
        "complexity": "simple",
        "should_proceed": True,
        "rejection_reason": None,
    },
    "analysis": {
        "completed": False,
        "files": [{"path": "src/components/Slider.tsx", "purpose": "Main slider component", "action": "modify"}],
        "patterns": [
            "State management uses React useState hooks",
            "API calls use the useApi hook from hooks/useApi.ts",
        ],
        "test_requirement": {
            "required": True,
            "type": "regression",
            "location": "tests/components/Slider.test.tsx",
            "description": "Test that slider value persists after save",
        },
        "must_do": ["Fix the slider value persistence on save"],
        "must_not_do": ["Don't refactor the existing state management", "Don't modify the API response format"],
        "brief": "Full markdown brief for writer...",
    },
    "writer": {
        "completed": False,
        "attempt": 1,
        "changes": [{"file": "src/components/Slider.tsx", "description": "Added debounce to onChange handler"}],
        "test_written": True,
        "test_file": "tests/components/Slider.test.tsx",
        "summary": "Writer's summary of changes...",
        "previous_feedback": None,
    },
    "build": {
        "completed": False,
        "tests_passed": False,
        "lint_passed": False,
        "type_check_passed": False,
        "errors": [],
        "commands_run": [
            {"command": "npm test", "exit_code": 0, "output": "..."},
            {"command": "npm run lint", "exit_code": 0, "output": "..."},
        ],
    },
    "review": {
        "completed": False,
        "verdict": "APPROVED",
        "findings": {
            "good": ["Minimal change", "Follows existing patterns"],
            "issues": [
                {
                    "file": "src/components/Slider.tsx",
                    "line": 42,
                    "issue": "Missing null check",
                    "severity": "major",
                }
            ],
        },
        "feedback_for_writer": None,
    },
    "commit": {
        "completed": False,
        "hash": None,
        "message": None,
        "branch": "agent/issue-42",
        "pushed": False,
        "pr_created": False,
        "pr_url": None,
        "issue_closed": False,
    },
    "communication": {
        "questions": [
            {
                "from": "writer",
                "to": "analyst",
                "question": "Should the debounce time be configurable?",
                "answered": False,
                "answer": None,
            }
        ],
        "escalations": [
            {
                "agent": "reviewer",
                "reason": "Security-sensitive change detected",
                "requires_human": True,
                "resolved": False,
            }
        ],
    },
    "learnings": {
        "session_id": "2024-01-15-issue-42",
        "observations": [
            {
                "agent": "writer",
                "type": "pattern_discovered",
                "content": "This repo uses debounce from lodash, not custom implementation",
            }
        ],
        "outcome": None,
    },
}
ALTERNATIVES: list[tuple[str, str, list[str]]] = [
    ("issue", "type", ["BUG_FIX", "NEW_FEATURE", "REFACTOR_STYLE"]),
    ("pipeline", "status", ["in_progress", "completed", "failed", "blocked"]),
    ("triage", "scope", ["SMALL", "MEDIUM", "LARGE"]),
    ("triage", "complexity", ["simple", "moderate", "complex"]),
    ("review", "verdict", ["APPROVED", "REJECTED", "NEEDS_INFO"]),
]


def seed_with(section: str, **fields: object) -> dict[str, Any]:
    return {**SEED, section: {**SEED[section], **fields}}


def refusal(document: dict[str, Any]) -> str:
    with pytest.raises(Refused) as refused:
        load_case_file(document)
    return str(refused.value)


def test_the_seeds_own_document_loads_and_comes_back_the_same() -> None:
    back = json.loads(load_case_file(SEED).dump())
    ours = {"blocked_reason": None, "failure_reason": None}  # the seed has them in its error states only
    assert back == seed_with("pipeline", **ours)


@pytest.mark.parametrize(("section", "field", "values"), ALTERNATIVES)
def test_every_alternative_of_the_seed_loads_and_no_other(section: str, field: str, values: list[str]) -> None:
    for value in values:
        assert json.loads(load_case_file(seed_with(section, **{field: value})).dump())[section][field] == value
    assert refusal(seed_with(section, **{field: " | ".join(values)})).startswith(
        f"The case file is broken at `{section}.{field}`: Input should be "
    )


@pytest.mark.parametrize(
    "pipeline",
    [
        {"status": "blocked", "blocked_reason": "Analyst could not determine scope - unclear requirements"},
        {
            "status": "failed",
            "attempt": 3,
            "failure_reason": "Writer-Reviewer loop exhausted after 3 attempts",
        },
    ],
)
def test_the_seeds_error_states_load(pipeline: dict[str, object]) -> None:
    back = json.loads(load_case_file(seed_with("pipeline", **pipeline)).dump())["pipeline"]
    assert pipeline.items() <= back.items()


def test_a_new_file_has_chosen_nothing_yet() -> None:
    file = new_case_file(IssueSection(number=42, title="t", original_body="b"), MORNING, max_attempts=5)
    assert (file.pipeline.current_agent, file.pipeline.status, file.pipeline.max_attempts) == (
        "triage",
        "in_progress",
        5,
    )
    assert [file.issue.type, file.triage.scope, file.triage.complexity, file.triage.should_proceed] == [None] * 4
    assert file.review.verdict is None
    assert file.learnings.session_id == "2024-01-15-issue-42"


@pytest.mark.parametrize("version", ["1.1", "2.0", 1.0, 1, None, "", ["1.0"]])
def test_an_unknown_version_is_refused(version: object) -> None:
    sentence = f"This case file has version {version!r}; this program reads '1.0'."
    assert refusal({**SEED, "version": version}) == sentence


def test_a_file_without_a_version_is_refused() -> None:
    assert refusal({}) == "This case file has version None; this program reads '1.0'."


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"version": "1.0"}, "The case file is broken at `issue`: Field required."),
        (
            seed_with("issue", number="many"),
            "The case file is broken at `issue.number`: "
            "Input should be a valid integer, unable to parse string as an integer.",
        ),
        (
            seed_with("review", approved_by="me"),
            "The case file is broken at `review.approved_by`: Extra inputs are not permitted.",
        ),
        (
            {**SEED, "notes": "mine"},
            "The case file is broken at `notes`: Extra inputs are not permitted.",
        ),
        (
            seed_with("build", commands_run=[{"command": "make", "exit_code": 0}]),
            "The case file is broken at `build.commands_run.0.output`: Field required.",
        ),
        (
            seed_with("pipeline", current_agent="boss"),
            "The case file is broken at `pipeline.current_agent`: Input should be 'triage', 'analyst', 'writer', "
            "'build', 'reviewer' or 'committer'.",
        ),
        (
            {**SEED, "writer": None},
            "The case file is broken at `writer`: Input should be a valid dictionary or instance of WriterSection.",
        ),
    ],
)
def test_a_broken_file_is_refused_with_the_place(document: dict[str, Any], sentence: str) -> None:
    assert refusal(document) == sentence


TEXT = st.text(max_size=40)
FILES = st.builds(
    CaseFile,
    issue=st.builds(IssueSection, number=st.integers(1, 10**6), title=TEXT, original_body=TEXT, labels=st.lists(TEXT)),
    pipeline=st.builds(
        PipelineSection, started_at=st.datetimes(timezones=st.just(UTC)), blocked_reason=st.none() | TEXT
    ),
    build=st.builds(
        BuildSection,
        commands_run=st.lists(st.builds(CommandReport, command=TEXT, exit_code=st.integers(-64, 255), output=TEXT)),
    ),
    review=st.builds(ReviewSection, feedback_for_writer=st.none() | TEXT),
    communication=st.builds(
        CommunicationSection,
        questions=st.lists(
            st.builds(lambda who, text: Question(from_=who, to="analyst", question=text), TEXT, TEXT), max_size=3
        ),
        escalations=st.lists(st.builds(Escalation, agent=TEXT, reason=TEXT), max_size=3),
    ),
    learnings=st.builds(
        LearningsSection,
        session_id=TEXT,
        observations=st.lists(st.builds(RoleObservation, agent=TEXT, type=TEXT, content=TEXT), max_size=3),
    ),
)


@given(file=FILES)
def test_what_is_dumped_loads_again_as_it_was(file: CaseFile) -> None:
    assert load_case_file(json.loads(file.dump())) == file


def test_a_dump_is_readable_and_ends_with_a_line_end() -> None:
    text = a_file().dump()
    assert text.startswith('{\n  "version": "1.0",\n  "issue": {\n    "number": 42,\n')
    assert text.endswith("}\n")
