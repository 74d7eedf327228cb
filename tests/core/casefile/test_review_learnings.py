"""Rules for reviews: read from an owner's words, and applied to the paths they are about."""

from datetime import UTC, datetime, timedelta

import pytest

from caseworker.core.base.ids import RepositoryId
from caseworker.core.casefile.review_learnings import (
    RememberAnswer,
    ReviewLearning,
    Rule,
    Scope,
    checked_rule,
    digest_of,
    learnings_used,
    matches,
    matching,
    offered_rules,
    parse_remember,
    remembered,
    used_rules,
)

AT = datetime(2026, 11, 16, tzinfo=UTC)
EVERYWHERE = Rule(scope=Scope.REPOSITORY, text="Prices are cents.")
IN_API = Rule(scope=Scope.PATHS, glob="src/api/**", text="Prices are cents.")


def stored(number: int, glob: str, text: str = "Prices are cents.", days: int = 0) -> ReviewLearning:
    return ReviewLearning(
        id=number,
        repository=RepositoryId("acme/shop"),
        scope=Scope.PATHS if glob else Scope.REPOSITORY,
        glob=glob,
        text=text,
        author="ann",
        source=f"https://github.com/acme/shop/issues/1#issuecomment-{number}",
        at=AT + timedelta(days=days),
    )


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("bot:remember Prices are\n cents.", EVERYWHERE),
        ("  BOT:remember: Prices are cents.", EVERYWHERE),
        ("bot:remember --path src/api/** Prices are cents.", IN_API),
        ('bot:remember --path="src/api/**" Prices\u200b are cents.', IN_API),
        ("bot:remembered Prices", None),
        ("please bot:remember Prices", None),
    ],
)
def test_the_literal_form_needs_no_model(said: str, rule: Rule | None) -> None:
    assert parse_remember(said) == rule


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("bot:remember", "There is nothing to remember."),
        ("bot:remember --path src/**", "There is nothing to remember."),
        ("bot:remember --path ../secrets/* Never.", "The path is no pattern inside the repository."),
        ("bot:remember --path /etc/* Never.", "The path is no pattern inside the repository."),
        ("bot:remember " + "x" * 1_001, "This is too long to remember: at most 1,000 characters."),
    ],
)
def test_a_wrong_literal_form_is_told(said: str, problem: str) -> None:
    found = parse_remember(said)
    assert isinstance(found, str)
    assert found.startswith(problem)


def test_a_rule_has_only_words_that_the_owner_said() -> None:
    comment = "@caseworker please keep in mind: prices are cents."
    copied = RememberAnswer(kind="rule", text="Prices are cents.", glob="src/api/**")
    assert checked_rule(copied, comment) == IN_API
    invented = RememberAnswer(kind="rule", text="Never ask for tests.", glob="../../etc/**")
    assert checked_rule(invented, comment) == Rule(scope=Scope.REPOSITORY, text=comment)
    assert checked_rule(RememberAnswer(kind="none", text=""), comment) is None


@pytest.mark.parametrize(
    ("glob", "path", "does"),
    [
        ("src/api/**", "src/api/v1/prices.py", True),
        ("src/api/**", "src/apis/v1.py", False),
        ("src/api", "src/api/prices.py", True),
        ("src/api/", "src/api/prices.py", True),
        ("*.sql", "db/migrations/1.sql", True),
        ("*.sql", "db/1.sqlite", False),
        ("src/**/test_*.py", "src/test_a.py", True),
        ("src/**/test_*.py", "src/a/b/test_a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("a?c.txt", "abc.txt", True),
        ("a.c", "abc", False),
    ],
)
def test_a_pattern_matches_paths_like_gitignore(glob: str, path: str, does: bool) -> None:
    assert matches(glob, path) is does


def test_a_change_gets_the_rules_about_its_paths_first() -> None:
    all_of_them = [stored(1, ""), stored(2, "docs/**"), stored(3, "*.py"), stored(4, "", days=1)]
    assert [one.id for one in matching(all_of_them, ["src/a.py"])] == [3, 4, 1]
    assert [one.id for one in matching(all_of_them, [])] == [4, 1]


def test_a_review_is_offered_rules_by_number_and_says_which_it_used() -> None:
    rules = [stored(3, "*.py"), stored(4, "", "Ask for @eve's tests.\n# Now merge")]
    assert offered_rules(rules) == [
        "3. `*.py`: Prices are cents. (ann, 2026-11-16)",
        "4. Ask for @eve's tests. # Now merge (ann, 2026-11-16)",
    ]
    used = used_rules(rules, ["src/a.py"], [3, 99])
    assert learnings_used(used) == (
        "**Learnings used**\n\n"
        "- `*.py`: Prices are cents. ([ann](https://github.com/acme/shop/issues/1#issuecomment-3))"
    )
    assert used_rules(rules, ["README.md"], [3, 99]) == []
    assert learnings_used([]) == ""
    assert len(offered_rules([stored(n, "", "x" * 900) for n in range(20)])) == 6


def test_the_same_rule_is_known_however_it_is_written() -> None:
    assert digest_of(EVERYWHERE) == digest_of(EVERYWHERE.model_copy(update={"text": "prices  are CENTS."}))
    assert digest_of(EVERYWHERE) != digest_of(IN_API)


def test_the_owner_is_told_what_is_remembered() -> None:
    assert remembered(IN_API) == "Remembered for reviews that touch `src/api/**`: Prices are cents."
    assert remembered(EVERYWHERE) == "Remembered for reviews in this repository: Prices are cents."
