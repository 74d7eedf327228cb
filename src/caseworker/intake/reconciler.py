"""Finds what nobody rang for: messages still in the inbox, and pull requests that a person merged or closed."""

import structlog

from caseworker.core.errors import Refused, Transient
from caseworker.core.ids import MessageId
from caseworker.core.messages import MessageKind, NewMessage, Standing
from caseworker.core.states import TERMINAL
from caseworker.ports import Doorbell, Forge, PullRequest, Store

log = structlog.get_logger()

FORGE_SURFACE = "forge"
NOBODY = MessageId(0)
"""Rings a case without a message: look for yourself."""


class Reconciler:
    def __init__(self, *, store: Store, doorbell: Doorbell, forge: Forge) -> None:
        self._store = store
        self._doorbell = doorbell
        self._forge = forge

    async def ring_unclaimed(self) -> None:
        for case, message, kind in await self._store.inbox.unclaimed():
            try:
                await self._doorbell.ring(case, message, kind)
            except Transient as error:
                log.warning("bell not rung", case=case, error=str(error))
                return

    async def ring_open_cases(self) -> int:
        """After the engine started empty: every case that is not over takes up its record again."""
        open_cases = [stored for stored in await self._store.cases.list() if stored.case.state not in TERMINAL]
        for stored in open_cases:
            await self._doorbell.ring(stored.case.id, NOBODY, MessageKind.WORDS)
        return len(open_cases)

    async def look_at_pull_requests(self) -> None:
        try:
            settled = await self._forge.settled_pull_requests()
        except (Transient, Refused) as error:
            log.warning("pull requests not read", error=str(error))
            return
        for pull in settled:
            await self._report(pull)

    async def _report(self, pull: PullRequest) -> None:
        """A merge is told like anything a person does: committed under the forge's own id, then rung."""
        stored = await self._store.cases.load(pull.case)
        if stored is None:
            return
        message = await self._store.inbox.put(
            NewMessage(
                case=pull.case,
                surface=FORGE_SURFACE,
                external_id=f"{pull.repository}!{pull.number} {pull.state}",
                author="a person",
                standing=Standing.OWNER,
                kind=MessageKind.MERGED if pull.state == "merged" else MessageKind.PULL_CLOSED,
                text=f"Pull request {pull.number} was {pull.state}.",
                trace=stored.trace,
            )
        )
        await self._store.pulls.set_state(pull.repository, pull.number, pull.state)
        if message is not None:
            await self._doorbell.ring(pull.case, message.id, message.kind)
