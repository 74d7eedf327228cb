"""The roles of agents, and the tasks that narrow them."""

from enum import StrEnum


class Role(StrEnum):
    PM = "pm"
    ANALYST = "analyst"
    TESTER = "tester"
    DEVELOPER = "developer"
    SENIOR_DEVELOPER = "senior_developer"
    TECH_LEAD = "tech_lead"
    INVESTIGATOR = "investigator"

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return self.value.replace("_", " ")


class Task(StrEnum):
    TRIAGE = "triage"
    PLAN = "plan"
    QUESTIONS = "questions"
    INTERPRET = "interpret"
    ANALYZE = "analyze"
    ANSWER = "answer"
    CREATE_TESTS = "create_tests"
    UPDATE_TESTS = "update_tests"
    JUDGE = "judge"
    VALIDATE = "validate"
    IMPLEMENT = "implement"
    FIX = "fix"
    REFACTOR = "refactor"
    ADDRESS_FEEDBACK = "address_feedback"
    REVIEW = "review"
    REVIEW_ARCHITECTURE = "review_architecture"
    REVIEW_INTEGRATION = "review_integration"
    UNBLOCK = "unblock"
    ITERATE = "iterate"
    DIAGNOSTIC = "diagnostic"
    VALIDATE_ROOT_CAUSE = "validate_root_cause"
    BUG = "bug"
    REVIEW_PULL = "review_pull"
    RESOLVE_PULL = "resolve_pull"
    PR_TEXT = "pr_text"
    """This and the following are single questions, not turns."""
    CLASSIFY = "classify"
    DIGEST = "digest"
    CHAT = "chat"
    REMEMBER = "remember"
