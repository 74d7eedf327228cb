"""What intake reads and writes, on our own GitHub over HTTP with the real client."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.forge_roles import RepositoryRole
from caseworker.core.people.registry import TargetKind
from caseworker.core.pull.own_check import CHECK_NAME
from caseworker.forges.github.intake_reads import IntakeChanges, IntakeReads
from caseworker.forges.github.intake_writes import IntakeWrites
from caseworker.forges.github.served_repositories import ServedRepositories
from caseworker.github_double.acts.check_acts import create_status
from caseworker.github_double.acts.issue_acts import delete_issue
from caseworker.github_double.acts.label_acts import add_labels
from caseworker.github_double.acts.review_acts import create_review, resolve_thread, unresolve_thread
from caseworker.github_double.acts.review_records import LineComment
from caseworker.ports.github import Reaction
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.test_github_probe import proposed


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


async def test_a_target_is_read_as_it_is_now_and_a_deleted_one_is_absent(shop: Shop) -> None:
    issue, reads = shop.issue("Checkout says 500"), IntakeReads(shop.reader)
    add_labels(shop.state, shop.people["olga"], issue, ["bot:triage"])
    target = await reads.target(shop.ref, issue.number)
    assert target is not None
    told = (target.kind, target.is_open, target.labels, target.title, target.author)
    assert told == (TargetKind.ISSUE, True, ("bot:triage",), "Checkout says 500", "rita")
    delete_issue(shop.state, shop.people["olga"], issue)
    assert await reads.target(shop.ref, issue.number) is None


async def test_roles_are_those_of_the_repository(shop: Shop) -> None:
    reads = IntakeReads(shop.reader)
    roles = [await reads.role(shop.ref, login) for login in ("olga", "rita", "sam")]
    assert roles == [RepositoryRole.ADMIN, RepositoryRole.WRITE, RepositoryRole.NONE]


async def test_a_repeated_reply_is_one_comment_without_secrets(shop: Shop) -> None:
    issue, writes = shop.issue(), IntakeWrites(shop.broker, redactor=Redactor(["hunter2hunter2"]))
    for _ in range(2):
        await writes.reply(shop.ref, issue.number, "I can't read hunter2hunter2.", key="asked refused")
    [comment] = issue.comments
    assert comment.body.startswith("I can't read [redacted].\n")


async def test_reactions_and_labels_may_be_repeated_and_be_about_what_is_gone(shop: Shop) -> None:
    issue, writes = shop.issue(), IntakeWrites(shop.broker, redactor=Redactor())
    comment = shop.says("rita", issue, "@caseworker triage")
    for reaction in (Reaction.SEEN, Reaction.SEEN, Reaction.STARTED):
        await writes.react(f"{shop.ref} comment:{comment.id}", reaction)
    assert [one.content for one in comment.reactions] == ["eyes", "rocket"]
    await writes.react(f"{shop.ref} comment:1", Reaction.SEEN)
    await writes.remove_label(shop.ref, issue.number, "bot:plan")
    with pytest.raises(Refused, match="names no comment"):
        await writes.react("a label", Reaction.SEEN)


async def test_changes_since_a_time_are_comments_and_events_oldest_first(shop: Shop) -> None:
    changes, before = IntakeChanges(shop.api), shop.state.now() - timedelta(seconds=5)
    issue = shop.issue()
    shop.says("rita", issue, "First.")
    shop.says("olga", issue, "Second.")
    add_labels(shop.state, shop.people["olga"], issue, ["bot:triage"])
    add_labels(shop.state, shop.people["olga"], issue, ["bot:plan"])
    assert [one["body"] for one in await changes.comments_since(shop.ref, before)] == ["First.", "Second."]
    labels = [one["label"] for one in await changes.issue_events(shop.ref, before) if one["event"] == "labeled"]
    assert [label["name"] for label in labels if isinstance(label, dict)] == ["bot:triage", "bot:plan"]
    assert await changes.review_comments(shop.ref, before) == []
    later = shop.state.now() + timedelta(hours=1)
    assert await changes.comments_since(shop.ref, later) == []
    assert await changes.issue_events(shop.ref, later) == []


async def test_the_mark_of_a_pull_request_changes_with_what_a_verdict_depends_on(shop: Shop) -> None:
    pull, changes, olga = proposed(shop), IntakeChanges(shop.api), shop.people["olga"]
    marks = [await changes.pull_mark(shop.ref, pull.number)]  # the first look starts GitHub's trial merge
    marks = [await changes.pull_mark(shop.ref, pull.number)]

    async def differs() -> bool:
        marks.append(await changes.pull_mark(shop.ref, pull.number))
        return marks[-1] != marks[-2]

    assert not await differs()
    shop.says("rita", pull.issue, "A comment is no change.")
    assert not await differs()
    create_status(shop.state, olga, shop.repository, sha=pull.head.sha, state="pending", context=CHECK_NAME)
    assert not await differs()  # our own
    create_status(shop.state, olga, shop.repository, sha=pull.head.sha, state="pending", context="ci")
    assert await differs()
    create_status(shop.state, olga, shop.repository, sha=pull.head.sha, state="success", context="ci")
    assert await differs()
    add_labels(shop.state, olga, pull.issue, ["urgent"])
    assert await differs()
    create_review(shop.state, olga, pull, verdict="COMMENT", body="Use cents.")
    assert await differs()
    assert [one["body"] for one in await changes.reviews(shop.ref, pull.number)] == ["Use cents."]


async def test_an_app_serves_where_it_is_installed_and_a_token_what_is_named(shop: Shop) -> None:
    assert await IntakeChanges(shop.api).repositories() == [shop.ref]
    assert await IntakeChanges(shop.api).deliveries(shop.state.now() - timedelta(hours=1)) == []
    shop.token_of("olga")
    with pytest.raises(Refused, match="which repositories"):
        await IntakeChanges(shop.api).repositories()
    assert await IntakeChanges(shop.api, served=["acme/shop"]).repositories() == [shop.ref]
    assert await IntakeChanges(shop.api, served=["acme/shop"]).deliveries(shop.state.now()) == []


async def test_only_named_repositories_of_this_github_are_served(shop: Shop) -> None:
    served = ServedRepositories(shop.api, ["Acme/Shop"])
    assert served.serves(shop.ref)
    assert not served.serves(RemoteRepository(host=shop.ref.host, owner="acme", name="other"))
    assert not served.serves(RemoteRepository(host="github.com", owner="acme", name="shop"))


async def test_threads_that_are_begun_resolved_and_opened_again_change_their_mark(shop: Shop) -> None:
    pull, other, changes, rita = proposed(shop), proposed(shop, "other"), IntakeChanges(shop.api), shop.people["rita"]
    numbers = (pull.number, other.number)
    marks = [await changes.thread_marks(shop.ref, numbers)]

    async def changed() -> list[bool]:
        marks.append(await changes.thread_marks(shop.ref, numbers))
        return [marks[-1][number] != marks[-2][number] for number in numbers]

    assert await changed() == [False, False]
    words = [LineComment(path="calc.py", line=1, body=f"Remark {number}.") for number in range(120)]
    create_review(shop.state, rita, pull, verdict="COMMENT", comments=words)  # more than one page of threads
    assert await changed() == [True, False]
    resolve_thread(shop.state, rita, pull.threads[-1])
    assert await changed() == [True, False]
    unresolve_thread(shop.state, rita, pull.threads[-1])
    assert await changed() == [True, False]
    assert await changed() == [False, False]
