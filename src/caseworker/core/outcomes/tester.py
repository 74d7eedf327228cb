"""The outcomes of the tester's turns: tests, the judgement of a red build, the validation of a solution."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from caseworker.core.outcomes.answers import Answer, Line, WorkOutcome


class TestsOutcome(WorkOutcome):
    __test__ = False

    kind: Literal["tests"] = "tests"
    status: Literal["TESTS_READY", "TESTS_NEED_WORK", "REQUIREMENT_GAP", "BLOCKED"]
    test_file: Annotated[str, Field(max_length=400)]
    test_command: Annotated[str, Field(max_length=1_000)] = Field(
        default="", description="Shell command that runs the new test alone, from the workspace's root."
    )
    summary: Line


class JudgeOutcome(WorkOutcome):
    """Judgement of a red build: is the code, the test, or chance to blame?"""

    kind: Literal["judge"] = "judge"
    status: Literal["FAIL", "FAIL_ESCALATE", "TESTS_NEED_WORK", "FLAKY", "BLOCKED"]
    summary: Line = Field(description="Which check failed, why, and what has to change.")


class Met(Answer):
    requirement: Line
    met: bool
    evidence: Line = Field(description="What was run or read that shows it.")


class ValidationOutcome(WorkOutcome):
    kind: Literal["validation"] = "validation"
    status: Literal["PASS", "FAIL", "PARTIAL", "TESTS_NEED_WORK", "BLOCKED"]
    checks: list[Met] = Field(max_length=60, description="Each must_do and must_not_do.")
    summary: Line

    @model_validator(mode="after")
    def _check_pass_has_no_unmet_requirement(self) -> "ValidationOutcome":
        unmet = [check.requirement for check in self.checks if not check.met]
        if self.status == "PASS" and unmet:
            raise ValueError(f"PASS with an unmet requirement: {unmet[0]}")
        return self
