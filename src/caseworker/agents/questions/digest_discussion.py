"""Sums a discussion up with as many questions as it needs. A failure leaves the owners' comments as they are."""

from collections.abc import Sequence
from typing import Final

from caseworker.agents.questions.asker import Asker
from caseworker.agents.quotes import new_fence
from caseworker.core.base.roles import Task
from caseworker.core.people.digest import (
    Digest,
    DigestAnswer,
    Verbatim,
    checked,
    fallback,
    halves,
    joined,
    lines_to_reduce,
    reduced,
    size_of,
)
from caseworker.core.people.discussion import ThreadComment, packed, pieces_of, quoted_pieces
from caseworker.ports import CaseAccount, Failed, RepositoryAccount

AS_WRITTEN: Final = 12_000
"""A shorter thread goes into the prompt as it was written: no question is asked."""
CHUNK: Final = 24_000
_LONGEST: Final = 16_000
"""Characters of a digest that is not summed up again."""


class DiscussionDigest:
    def __init__(self, *, asker: Asker) -> None:
        self._asker = asker

    async def of(
        self, comments: Sequence[ThreadComment], *, account: CaseAccount | RepositoryAccount
    ) -> Digest | Verbatim:
        """`comments`: all of the thread, oldest first."""
        pieces = list(pieces_of(comments, CHUNK - 1_000))
        if sum(piece.size for piece in pieces) <= AS_WRITTEN:
            return Verbatim(comments=tuple(comments))
        parts: list[Digest] = []
        for nth, chunk in enumerate(packed(pieces, CHUNK), 1):
            text = quoted_pieces(chunk, new_fence())
            answer = await self._asker.ask(Task.DIGEST, text, DigestAnswer, account=account, nth=nth)
            if isinstance(answer, Failed):
                return fallback(comments, answer.reason)
            parts.append(checked(answer.value, chunk))
        digest = joined(parts).model_copy(update={"comments": len(comments)})
        return await self._reduce(digest, len(parts), account)

    async def _reduce(self, digest: Digest, asked: int, account: CaseAccount | RepositoryAccount) -> Digest:
        """Sums it up again until it is short, or no longer gets shorter. A failure leaves it as it is."""
        while size_of(digest) > _LONGEST:
            parts: list[Digest] = []
            for part in halves(digest, CHUNK):
                asked += 1
                text = lines_to_reduce(part, new_fence())
                answer = await self._asker.ask(Task.DIGEST, text, DigestAnswer, account=account, nth=asked)
                parts.append(part if isinstance(answer, Failed) else reduced(answer.value, part))
            shorter = joined(parts)
            if size_of(shorter) >= size_of(digest):
                break
            digest = shorter
        return digest
