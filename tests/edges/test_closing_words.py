"""What people are told of the reason that a bug case was closed with."""

import pytest

from caseworker.activities.bug.posts import BugPosts
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.bug.moves import resolve
from caseworker.core.people.commands import Resolution
from caseworker.core.people.grammar import InBug, parse
from caseworker.core.people.messages import Audience, Standing
from caseworker.store.store import Store
from tests.edges.store_examples import open_bug, said, stored_bug


@pytest.fixture
def backend() -> str:
    return "sqlite"


async def told(store: Store, text: str, standing: Standing) -> dict[Audience, str]:
    """The posts after a close with these words. A close without a type was completed with `duplicate`."""
    case = await open_bug(store)
    command = parse(text, standing, InBug(asked=False), None)
    closing = await store.inbox.put(said(case, text, standing=standing).model_copy(update={"command": command}))
    assert closing is not None
    stored = await stored_bug(store, case)
    closed = resolve(stored.case, Resolution.DUPLICATE, "closed by @ann", closed_by=closing.id)
    stored = stored.model_copy(update={"case": closed})
    return {
        post.audience: (await BugPosts(store=store).words(stored, post))(TerminalPhrasing()) for post in closed.outbox
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("close because coupons end in May", "coupons end in May"),
        ("close wontfix because coupons end in May", "coupons end in May"),
        ("close duplicate because coupons end in May", "coupons end in May"),
    ],
)
async def test_a_developers_reason_is_told_to_both(store: Store, text: str, reason: str) -> None:
    words = await told(store, text, Standing.DEVELOPER)
    assert f'The team says: "{reason}".' in words[Audience.REPORTER]
    assert f"closed by @ann: because {reason}." in words[Audience.DEVELOPERS]


async def test_the_reporters_own_reason_is_told_to_developers_only(store: Store) -> None:
    words = await told(store, "close duplicate because I wrote it twice", Standing.REPORTER)
    assert words[Audience.REPORTER] == "This is closed: this was reported before. If it still happens, just write here."
    assert "closed by @ann: because I wrote it twice." in words[Audience.DEVELOPERS]
