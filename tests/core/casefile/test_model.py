"""The case file: the example document of seed 001 loads and dumps; invalid ones are refused."""

import json
from datetime import UTC
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from caseworker.core.base.errors import Refused
from caseworker.core.casefile.model import (
    AnalysisSection,
    BuildSection,
    CaseFile,
    CommandReport,
    CommitSection,
    CommunicationSection,
    Escalation,
    FileEntry,
    Findings,
    IssueSection,
    LearningsSection,
    PipelineSection,
    Question,
    ReviewSection,
    RoleObservation,
    TestEntry,
    TriageSection,
    WriterSection,
    load_case_file,
    new_case_file,
    schema,
)
from caseworker.core.issue.state_row import Agent
from caseworker.core.outcomes.developer import Change
from caseworker.core.outcomes.pm import IssueType
from caseworker.core.outcomes.tech_lead import Finding
from tests.core.examples import MORNING, a_file

DOCS = Path(__file__).parents[3] / "docs"
CORRECT = "Correct it there: docs/issue-state.schema.json says how."

# The example of seed 001; if it lists alternatives, one is chosen.
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


def test_the_seed_document_loads_with_any_choice_of_alternatives() -> None:
    for choice in product(*(values for _, _, values in ALTERNATIVES)):
        document = SEED
        for (section, field, _), value in zip(ALTERNATIVES, choice, strict=True):
            document = {**document, section: {**document[section], field: value}}
        assert load_case_file(json.loads(load_case_file(document).dump())) == load_case_file(document)


def test_the_seed_document_is_dumped_as_it_was_loaded() -> None:
    back = json.loads(load_case_file(SEED).dump())
    ours = {"blocked_reason": None, "failure_reason": None}  # the seed only has them in its error states
    assert back == seed_with("pipeline", **ours)


@pytest.mark.parametrize(("section", "field", "values"), ALTERNATIVES)
def test_only_the_alternatives_of_the_seed_load(section: str, field: str, values: list[str]) -> None:
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


def test_a_new_file_has_null_for_every_choice() -> None:
    file = new_case_file(IssueSection(number=42, title="t", original_body="b"), MORNING, max_attempts=5)
    assert (file.pipeline.current_agent, file.pipeline.status, file.pipeline.max_attempts) == (
        "triage",
        "in_progress",
        5,
    )
    assert [file.issue.type, file.triage.scope, file.triage.complexity, file.triage.should_proceed] == [None] * 4
    assert file.review.verdict is None
    assert file.learnings.session_id == "2024-01-15-issue-42"


def test_other_words_for_a_files_action_and_a_tests_type_load() -> None:
    files = [{"path": "a.py", "purpose": "the cart", "action": "rename"}]
    document = seed_with("analysis", files=files, test_requirement={"required": True, "type": "integration"})
    analysis = load_case_file(document).analysis
    assert analysis.test_requirement is not None
    assert (analysis.files[0].action, analysis.test_requirement.type) == ("rename", "integration")


@pytest.mark.parametrize("version", ["1.1", "2.0", 1.0, 1, None, "", ["1.0"]])
def test_an_unknown_version_is_refused(version: object) -> None:
    sentence = f"This case file has version {version!r}; this program reads '1.0'."
    assert refusal({**SEED, "version": version}) == f"{sentence} Write one as docs/issue-state.schema.json says."


def test_a_file_without_a_version_is_refused() -> None:
    assert refusal({}).startswith("This case file has version None; this program reads '1.0'.")


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
            "The case file is broken at `pipeline.current_agent`: Input should be 'triage', 'analyst', 'tester', "
            "'writer', 'build', 'reviewer', 'investigator' or 'committer'.",
        ),
        (
            {**SEED, "writer": None},
            "The case file is broken at `writer`: Input should be a valid dictionary or instance of WriterSection.",
        ),
    ],
)
def test_an_invalid_file_is_refused_with_the_place(document: dict[str, Any], sentence: str) -> None:
    assert refusal(document) == f"{sentence} {CORRECT}"


TEXT = st.text(max_size=20)
SAID = TEXT | st.none()
YES = st.booleans()


def any_of(*values: str) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, *values])


def some(model: type[object], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.builds(model, **fields), max_size=2)


def question(asker: str, to: str, text: str, answered: bool, answer: str | None) -> Question:
    return Question(from_=asker, to=to, question=text, answered=answered, answer=answer)


FILES = st.builds(
    CaseFile,
    issue=st.builds(
        IssueSection,
        number=st.integers(1, 10**6),
        title=TEXT,
        url=TEXT,
        type=st.sampled_from([None, *IssueType]),
        original_body=TEXT,
        labels=st.lists(TEXT, max_size=2),
    ),
    pipeline=st.builds(
        PipelineSection,
        started_at=st.datetimes(timezones=st.just(UTC)),
        current_agent=any_of(*get_args(Agent)),
        attempt=st.integers(1, 9),
        max_attempts=st.integers(1, 9),
        status=st.sampled_from(["in_progress", "completed", "failed", "blocked"]),
        blocked_reason=SAID,
        failure_reason=SAID,
    ),
    triage=st.builds(
        TriageSection,
        completed=YES,
        scope=any_of("SMALL", "MEDIUM", "LARGE"),
        complexity=any_of("simple", "moderate", "complex"),
        should_proceed=YES | st.none(),
        rejection_reason=SAID,
    ),
    analysis=st.builds(
        AnalysisSection,
        completed=YES,
        files=some(FileEntry, path=TEXT, purpose=TEXT, action=TEXT),
        patterns=st.lists(TEXT, max_size=2),
        test_requirement=st.none()
        | st.builds(
            TestEntry,
            required=YES,
            type=TEXT,
            location=TEXT,
            description=TEXT,
        ),
        must_do=st.lists(TEXT, max_size=2),
        must_not_do=st.lists(TEXT, max_size=2),
        brief=TEXT,
    ),
    writer=st.builds(
        WriterSection,
        completed=YES,
        attempt=st.integers(1, 9),
        changes=some(Change, file=TEXT, description=TEXT),
        test_written=YES,
        test_file=SAID,
        summary=TEXT,
        previous_feedback=SAID,
    ),
    build=st.builds(
        BuildSection,
        completed=YES,
        tests_passed=YES | st.none(),
        lint_passed=YES | st.none(),
        type_check_passed=YES | st.none(),
        errors=st.lists(TEXT, max_size=2),
        commands_run=some(CommandReport, command=TEXT, exit_code=st.integers(-64, 255), output=TEXT),
    ),
    review=st.builds(
        ReviewSection,
        completed=YES,
        verdict=any_of("APPROVED", "REJECTED", "NEEDS_INFO"),
        findings=st.builds(
            Findings,
            good=st.lists(TEXT, max_size=2),
            issues=some(
                Finding,
                file=TEXT,
                line=st.integers(0, 10**6),
                issue=TEXT,
                severity=st.sampled_from(["critical", "major", "minor"]),
            ),
        ),
        feedback_for_writer=SAID,
    ),
    commit=st.builds(
        CommitSection,
        completed=YES,
        hash=SAID,
        message=SAID,
        branch=SAID,
        pushed=YES,
        pr_created=YES,
        pr_url=SAID,
        issue_closed=YES,
    ),
    communication=st.builds(
        CommunicationSection,
        questions=st.lists(st.builds(question, TEXT, TEXT, TEXT, YES, SAID), max_size=2),
        escalations=some(Escalation, agent=TEXT, reason=TEXT, requires_human=YES, resolved=YES),
    ),
    learnings=st.builds(
        LearningsSection,
        session_id=TEXT,
        observations=some(RoleObservation, agent=TEXT, type=TEXT, content=TEXT),
        outcome=SAID,
    ),
)
PUBLISHED = json.loads((DOCS / "issue-state.schema.json").read_text())
VALIDATOR = Draft202012Validator(PUBLISHED)


@given(file=FILES)
def test_a_dumped_file_loads_again_and_matches_the_schema(file: CaseFile) -> None:
    document = json.loads(file.dump())
    assert load_case_file(document) == file
    VALIDATOR.validate(document)


@given(file=FILES, data=st.data())
def test_an_unknown_key_is_refused_in_any_section(file: CaseFile, data: st.DataObject) -> None:
    document = json.loads(file.dump())
    section = data.draw(st.sampled_from(["", *(name for name, part in document.items() if isinstance(part, dict))]))
    (document[section] if section else document)["surprise"] = data.draw(TEXT)
    place = f"{section}.surprise".lstrip(".")
    assert refusal(document) == f"The case file is broken at `{place}`: Extra inputs are not permitted. {CORRECT}"
    with pytest.raises(ValidationError):
        VALIDATOR.validate(document)


@given(file=FILES, data=st.data())
def test_a_value_of_the_wrong_type_is_refused_with_its_place(file: CaseFile, data: st.DataObject) -> None:
    document = json.loads(file.dump())
    section = data.draw(st.sampled_from([name for name, part in document.items() if isinstance(part, dict)]))
    field = data.draw(st.sampled_from(sorted(document[section])))
    document[section][field] = {"of": {"another": "kind"}} if field != "findings" else ["of another kind"]
    assert refusal(document).startswith(f"The case file is broken at `{section}.{field}")
    with pytest.raises(ValidationError):
        VALIDATOR.validate(document)


def test_the_published_schema_is_current_and_valid() -> None:
    written = (DOCS / "issue-state.schema.json").read_text()
    assert written == schema(), "make it anew, as docs/case-file.md says"
    Draft202012Validator.check_schema(PUBLISHED)
    assert PUBLISHED["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (PUBLISHED["title"], PUBLISHED["description"][:9]) == ("Issue Agent State", "One issue")
    assert "make pages" in (DOCS / "case-file.md").read_text()


def test_the_seed_document_matches_the_schema() -> None:
    VALIDATOR.validate(SEED)
    with pytest.raises(ValidationError):
        VALIDATOR.validate({key: part for key, part in SEED.items() if key != "version"})


def test_a_dump_is_readable_and_ends_with_a_line_end() -> None:
    text = a_file().dump()
    assert text.startswith('{\n  "version": "1.0",\n  "issue": {\n    "number": 42,\n')
    assert text.endswith("}\n")
