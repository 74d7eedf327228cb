"""Finds what no bell announced: unread messages, and pull requests that a person merged or closed."""

import structlog

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, MessageId, Sha
from caseworker.core.base.repositories import RemoteRepository, is_local_address
from caseworker.core.casefile.pipeline import note_closed
from caseworker.core.people.commands import Merged, MessageKind, PullClosed
from caseworker.core.people.messages import INTERRUPTING, NO_MESSAGE, NewMessage, Standing
from caseworker.ports import Forge, PullRequest, Store, StoredCase, Switchboard

log = structlog.get_logger()

FORGE_SURFACE = "forge"


class Reconciler:
    def __init__(self, *, store: Store, doorbell: Switchboard, forge: Forge) -> None:
        self._store = store
        self._doorbell = doorbell
        self._forge = forge

    async def ring_unclaimed(self) -> None:
        """Ring once per case, however many messages wait: the flow reads them all at one look."""
        waiting: dict[CaseId, tuple[MessageId, MessageKind]] = {}
        for case, message, kind in await self._store.inbox.unclaimed():
            if case not in waiting or kind in INTERRUPTING:
                waiting[case] = (message, kind)
        for case, (message, kind) in waiting.items():
            await self._ring(case, message, kind)

    async def wake_the_silent(self) -> None:
        """Restart cases that are not over and have no workflow: the engine's data was lost or set aside, the case moved
        to a cluster, or somebody ended the workflow by hand or put another one in its place."""
        displaced = await self._doorbell.make_way()
        listening = await self._doorbell.listening() - displaced
        silent = set(await self._store.cases.unfinished()) - listening
        for case in sorted(silent):
            log.info("case has no workflow: woken", case=case)
            await self._ring(case, NO_MESSAGE, MessageKind.WORDS)

    async def _ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        try:
            await self._doorbell.ring(case, message, kind)
        except (Transient, Refused) as error:
            log.warning("bell not rung", case=case, error=str(error))

    async def look_at_pull_requests(self) -> None:
        try:
            settled = await self._forge.pulls.settled()
        except (Transient, Refused) as error:
            log.warning("pull requests not read", error=str(error))
            return
        for pull in settled:
            await self._report(pull)

    async def _report(self, pull: PullRequest) -> None:
        """Report a merge like a person's message: committed under the forge's own id, then rung."""
        stored = await self._store.cases.load(pull.case) if pull.case is not None else None
        if stored is None:
            return  # no case of ours waits for it
        message = await self._store.inbox.put(
            NewMessage(
                case=stored.case.id,
                surface=FORGE_SURFACE,
                external_id=f"{pull.repository}!{pull.number} {pull.state}",
                author="a person",
                standing=Standing.OWNER,
                command=Merged(commit=_other_commit(pull, stored)) if pull.state == "merged" else PullClosed(),
                text=_seen_words(pull),
                trace=stored.trace,
            )
        )
        await self._look_at_issue(stored)
        await self._store.pulls.set_state(pull.repository, pull.number, pull.state)
        if message is not None:
            await self._ring(stored.case.id, message.id, message.kind)

    async def _look_at_issue(self, stored: StoredCase) -> None:
        """Note in the case file whether the merge has closed the issue, where the forge keeps it. If it can't be read
        now, an event that closes it tells it later."""
        repository = await self._store.repositories.ref(stored.repository)
        if self._forge.issues is None or not stored.file.issue.url or not isinstance(repository, RemoteRepository):
            return
        try:
            closed = await self._forge.issues.is_closed(repository, stored.number)
        except (Transient, Refused) as error:
            log.warning("issue not read", case=stored.case.id, error=str(error))
            return
        await self._store.cases.edit_file(stored.case.id, lambda file: note_closed(file, closed=closed))


def _other_commit(pull: PullRequest, stored: StoredCase) -> Sha | None:
    """What was merged in a folder of this machine, if that is not what we delivered: a person committed on top of it or
    amended it. A forge has checks of its own for what is pushed there."""
    delivered = stored.case.delivery.pushed
    if delivered is None or not is_local_address(pull.url) or pull.head_sha == delivered:
        return None
    return pull.head_sha


def _seen_words(pull: PullRequest) -> str:
    """A folder of this machine has branches, and no pull requests."""
    named = f"Branch {pull.head}" if is_local_address(pull.url) else f"Pull request {pull.number}"
    return f"{named} was {pull.state}."
