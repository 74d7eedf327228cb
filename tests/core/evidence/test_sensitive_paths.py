"""Which paths touch a sensitive topic, and how a case then waits for an approval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.evidence.builds import Stage
from caseworker.core.evidence.sensitive_paths import Touched, topic_lines, topic_words, touched
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Agreed, BuildEnded, Declined, Fact, TurnEnded
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import automatic_move
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.outcomes.pm import Topic
from tests.core.examples import HEAD, MORNING, a_case, a_proven_case, reviewed, triaged

S = IssueState
AUTHENTICATION, CRYPTOGRAPHY, PERMISSIONS = Topic.AUTHENTICATION, Topic.CRYPTOGRAPHY, Topic.PERMISSIONS
API, SCHEMA, INFRASTRUCTURE = Topic.PUBLIC_API, Topic.DATABASE_SCHEMA, Topic.INFRASTRUCTURE

TOUCHING = [
    ("src/auth/tokens.py", AUTHENTICATION),
    ("app/login.py", AUTHENTICATION),
    ("web/LoginForm.tsx", AUTHENTICATION),
    ("lib/OAuthClient.java", AUTHENTICATION),
    ("server/oauth2/callback.go", AUTHENTICATION),
    ("shop/user_login.rb", AUTHENTICATION),
    ("shop/session.py", AUTHENTICATION),
    ("shop/sessions/store.py", AUTHENTICATION),
    ("lib/password-reset.js", AUTHENTICATION),
    ("src/crypto/keys.rs", CRYPTOGRAPHY),
    ("net/SSLContext.kt", CRYPTOGRAPHY),
    ("lib/encrypt.py", CRYPTOGRAPHY),
    ("api/permissions.py", PERMISSIONS),
    ("api/acl/rules.py", PERMISSIONS),
    ("core/rbac.py", PERMISSIONS),
    ("core/policy.py", PERMISSIONS),
    ("openapi.yaml", API),
    ("spec/openapi.v2.json", API),
    ("proto/shop.proto", API),
    ("shop/public_api/cart.py", API),
    ("shop/public_api.py", API),
    ("shop/migrations/0002_discount.py", SCHEMA),
    ("alembic/versions/12ab.py", SCHEMA),
    ("db/schema.sql", SCHEMA),
    ("db/schema/users.sql", SCHEMA),
    ("sql/V2_1__discounts.sql", SCHEMA),
    ("prisma/schema.prisma", SCHEMA),
    ("db/migrate/20240101_add.rb", SCHEMA),
    ("Dockerfile", INFRASTRUCTURE),
    ("deploy/Dockerfile.dev", INFRASTRUCTURE),
    ("docker-compose.yml", INFRASTRUCTURE),
    (".github/workflows/test.yml", INFRASTRUCTURE),
    ("CLAUDE.md", INFRASTRUCTURE),
    ("docs/api/AGENTS.md", INFRASTRUCTURE),
    (".claude/settings.json", INFRASTRUCTURE),
    ("web/.cursor/rules/style.md", INFRASTRUCTURE),
    (".mcp.json", INFRASTRUCTURE),
    (".husky/pre-push", INFRASTRUCTURE),
    (".github/copilot-instructions.md", INFRASTRUCTURE),
    (".vscode/tasks.json", INFRASTRUCTURE),
    (".devcontainer/devcontainer.json", INFRASTRUCTURE),
    (".devcontainer/post-create.sh", INFRASTRUCTURE),
    ("api/.envrc", INFRASTRUCTURE),
    ("CODEOWNERS", INFRASTRUCTURE),
    (".github/CODEOWNERS", INFRASTRUCTURE),
    ("docs/CODEOWNERS", INFRASTRUCTURE),
    (".gitmodules", INFRASTRUCTURE),
    (".caseworker.toml", INFRASTRUCTURE),
    ("terraform/README.tf", INFRASTRUCTURE),
    ("infra/main.tf", INFRASTRUCTURE),
    ("k8s/deployment.yaml", INFRASTRUCTURE),
    ("helm/values.yaml", INFRASTRUCTURE),
    ("Jenkinsfile", INFRASTRUCTURE),
]


@pytest.mark.parametrize(("path", "topic"), TOUCHING, ids=[path for path, _ in TOUCHING])
def test_a_path_that_names_a_topic_touches_it(path: str, topic: Topic) -> None:
    assert touched([path]) == (Touched(topic=topic, paths=(path,)),)


@pytest.mark.parametrize(
    "path",
    [
        "greeting.txt",
        "Makefile",
        "shop/cart.py",
        "shop/author.py",
        "shop/authors/list.py",
        "blog/in_session_notes.py",
        "shop/cancellation_policy_page.py",
        "shop/obsession.py",
        "lib/loginfo.py",
        "lib/cryptic.py",
        "lib/immigration.py",
        "lib/session_report_totals.py",
        "reports/queries/orders.sql",
        "lib/helmet.py",
        "lib/protocol.py",
        "lib/transform.py",
        "tests/auth/test_login.py",
        "src/auth/login.test.ts",
        "spec/login_spec.rb",
        "src/auth/__tests__/helper.ts",
        "docs/auth/login.html",
        "auth/README.md",
        "migrations/README.md",
        "web/login.css",
        "web/images/login.png",
        "locales/en/login.json",
        "testdata/schema.sql",
        ".github/ISSUE_TEMPLATE/bug.md",
        "lib/codeowners",
        ".vscode/extensions.json",
    ],
)
def test_a_path_that_only_looks_sensitive_touches_nothing(path: str) -> None:
    assert touched([path]) == ()


def test_each_topic_is_named_once_with_its_paths() -> None:
    paths = [*(f"db/migrations/{number}.py" for number in range(7)), "shop/auth/acl.py", "shop/cart.py"]
    found = touched(paths)
    assert [one.topic for one in found] == [AUTHENTICATION, PERMISSIONS, SCHEMA]
    assert topic_words(found) == (
        "authentication (`shop/auth/acl.py`), permissions (`shop/auth/acl.py`), database schema "
        "(`db/migrations/0.py`, `db/migrations/1.py`, `db/migrations/2.py`, `db/migrations/3.py`, "
        "`db/migrations/4.py`, `db/migrations/5.py`, `db/migrations/6.py`)"
    )
    assert topic_lines(found) == topic_words(found)


def test_many_paths_are_listed_a_line_each() -> None:
    found = touched(["shop/acl.py", *(f"db/migrations/{number}.py" for number in range(102))])
    head, *lines = topic_lines(found).split("\n")
    assert head == "permissions, database schema:"
    assert lines[:3] == ["", "- permissions: `shop/acl.py`", "- database schema: `db/migrations/0.py`"]
    assert lines[-4:] == [
        "- database schema: `db/migrations/99.py`",
        "- database schema: 2 more, which are not named",
        "",
        "An approval covers all of these",
    ]


@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_path_can_be_read(paths: list[str]) -> None:
    for one in touched(paths):
        assert set(one.paths) <= set(paths)


# --- the case waits for approval -------------------------------------------------------------------------------------

SCHEMA_TOUCHED = Touched(topic=SCHEMA, paths=("db/schema.sql",))
LOGIN_TOUCHED = Touched(topic=AUTHENTICATION, paths=("login.py",))
APPROVES = TurnEnded(role=Role.TECH_LEAD, outcome=reviewed("APPROVED"), checkpoint=HEAD, session=SessionId("s"))


def after(case: IssueCase, fact: Fact) -> IssueCase:
    known = apply_fact(case, fact)
    return make_move(known, decide(known, fact, Policy()), Policy(), MORNING)


def a_built(*touches: Touched, **known: object) -> IssueCase:
    case = a_proven_case(S.RUNNING_TESTS, approved=None, **known)
    built = BuildEnded(stage=Stage.HEAD, commit=HEAD, verdict="green", reason="ok", touches=touches, unproved="")
    return after(case, built)


def test_a_reviewed_change_of_a_sensitive_topic_waits_for_approval() -> None:
    asks = after(a_built(SCHEMA_TOUCHED), APPROVES)
    assert (asks.state, asks.waits_for) == (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL)
    assert asks.reason == "A person has to agree to it first: it touches database schema (`db/schema.sql`)."
    agreed = after(asks, Agreed(by="ann"))
    automatic = automatic_move(agreed)
    assert automatic is not None
    assert automatic.to is S.CREATING_PR


def test_an_approval_covers_its_topic_and_no_other() -> None:
    agreed = after(after(a_built(SCHEMA_TOUCHED), APPROVES), Agreed(by="ann"))
    known = {"agreed": agreed.people.agreed, "grants": agreed.people.grants}
    assert after(a_built(SCHEMA_TOUCHED, **known), APPROVES).state is S.CREATING_PR
    more = after(a_built(SCHEMA_TOUCHED, LOGIN_TOUCHED, **known), APPROVES)
    assert more.reason == "A person has to agree to it first: it touches authentication (`login.py`)."


def begun(*topics: Topic) -> dict[str, object]:
    """Fields of a case whose sensitive topics were approved at triage."""
    triage = TurnEnded(
        role=Role.PM, outcome=triaged("NEEDS_APPROVAL", topics=topics), checkpoint=HEAD, session=SessionId("s")
    )
    case = after(after(a_case(), triage), Agreed(by="ann"))
    return {"topics": case.requirements.topics, "agreed": case.people.agreed, "grants": case.people.grants}


def test_topics_approved_at_triage_are_not_asked_about_again() -> None:
    known = begun(SCHEMA)
    assert after(a_built(SCHEMA_TOUCHED, **known), APPROVES).state is S.CREATING_PR
    assert known["grants"] == (Grant(subject=Subject.SENSITIVE, by="ann", about="database schema"),)


@pytest.mark.parametrize("topics", [(), (SCHEMA,)])
def test_approving_one_topic_at_triage_does_not_cover_another(topics: tuple[Topic, ...]) -> None:
    asked = after(a_built(SCHEMA_TOUCHED, LOGIN_TOUCHED, **begun(*topics)), APPROVES)
    assert asked.waits_for is WaitingFor.APPROVAL
    assert "authentication (`login.py`)" in asked.reason
    assert ("database schema" in asked.reason) == (not topics)


def test_the_pm_reads_the_rejection_of_a_sensitive_change() -> None:
    declined = after(after(a_built(SCHEMA_TOUCHED), APPROVES), Declined(by="ann"))
    assert (declined.state, declined.progress.go, declined.waiting.wait) == (S.HUMAN_INPUT_RECEIVED, None, None)


def test_resuming_does_not_skip_the_question_about_a_topic() -> None:
    case = a_built(SCHEMA_TOUCHED).updated(approved=HEAD, go=S.CREATING_PR)
    automatic = automatic_move(case)
    assert automatic is not None
    assert automatic.to is S.REVIEWING_CODE
