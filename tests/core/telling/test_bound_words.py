"""What `why` says a case is bound to."""

from caseworker.core.base.policy import Policy
from caseworker.core.evidence.builds import Command, Purpose, Stage
from caseworker.core.telling.bound_words import bound_words
from caseworker.core.telling.fact_sources import Fact
from tests.core.examples import HEAD, a_build, a_run

SET_UP = a_run("npm ci", purpose=Purpose.SETUP)
SETTINGS = (
    "Settings that it keeps: at most $5.00, 3 attempts a round, the plan needs no approval. Models and limits of time "
    "are those of the settings of today; they are read again at the next step."
)


def test_a_case_that_was_built_names_base_environment_commands_and_settings() -> None:
    build = a_build(SET_UP, a_run("npm test"), a_run("npm test")).model_copy(
        update={"recipe": "a recipe (it says `x`)"}
    )
    assert _texts(bound_words(Policy(), base=HEAD, cap=5_000_000, builds=[build])) == [
        f"Base: commit {HEAD[:12]}.",
        "Environment: made by `npm ci`.",
        "Commands: `npm test`, from a recipe (it says `x`).",
        SETTINGS,
    ]


def test_a_set_up_that_failed_still_names_the_commands_that_were_found() -> None:
    found = Command(purpose=Purpose.TEST, command="npm test")
    build = a_build(SET_UP).model_copy(update={"not_run": (found,)})
    assert _texts(bound_words(Policy(), base=None, cap=5_000_000, builds=[build]))[:-1] == [
        "Environment: made by `npm ci`.",
        "Commands: `npm test`, from what the base says (`.caseworker.toml`, or the rules).",
    ]


def test_the_command_that_the_tester_chose_is_told_apart_from_those_of_the_base() -> None:
    base = a_build(a_run("npm test"), stage=Stage.BASE)
    red = a_build(a_run("npm test shipping", purpose=Purpose.NEW_TEST), stage=Stage.RED)
    head = a_build(a_run("npm test"), a_run("npm test shipping", purpose=Purpose.NEW_TEST), stage=Stage.HEAD)
    for builds in ([base, red], [base, red, head]):
        assert _texts(bound_words(Policy(), base=None, cap=5_000_000, builds=builds))[:-1] == [
            "Environment: the system's own; nothing is set up.",
            "Commands: `npm test`, from what the base says (`.caseworker.toml`, or the rules).",
            "Command of the new test: `npm test shipping`, as the tester chose it.",
        ]


def test_before_the_first_build_only_settings_count() -> None:
    assert _texts(bound_words(Policy(approve_plan=True), base=None, cap=5_000_000, builds=[])) == [
        SETTINGS.replace("needs no approval", "needs an approval")
    ]


def _texts(facts: list[Fact]) -> list[str]:
    return [fact.text for fact in facts]
