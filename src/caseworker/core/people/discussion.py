"""Comments of a thread on a forge, sorted by who wrote them, and packed into pieces that fit into one question."""

from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.untrusted_text import Fence, cleaned


class Side(StrEnum):
    """Whose word a comment is. Decided by code, from the login alone."""

    OWNER = "owner"
    OTHER = "other"
    BOT = "bot"


class ThreadComment(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: int
    author: str
    side: Side
    text: str
    at: datetime
    place: str = ""
    """`path:line` of a review comment."""


class Piece(BaseModel):
    """A comment, or a part of a long one, as it is shown to a model: cleaned."""

    model_config = ConfigDict(frozen=True)

    comment: ThreadComment
    text: str
    part: int = 1
    parts: int = 1

    @property
    def size(self) -> int:
        """In characters, with its label."""
        return len(self.text) + 200

    def quoted(self, fence: Fence) -> str:
        place = f", at {self.comment.place}" if self.comment.place else ""
        part = f", part {self.part} of {self.parts}" if self.parts > 1 else ""
        source = f"{self.comment.author}, {self.comment.side}"
        return fence.around(self.text, what=f"comment {self.comment.id}{part}{place}", source=source)


def side_of(login: str, *, owners: Set[str], ours: Set[str], is_bot: bool) -> Side:
    """`owners`: logins that may direct us. `ours`: logins that we write under, which are never an owner's."""
    name = login.casefold()
    if name in {one.casefold() for one in ours}:
        return Side.BOT
    if name in {one.casefold() for one in owners}:
        return Side.OWNER
    return Side.BOT if is_bot or name.endswith("[bot]") else Side.OTHER


def pieces_of(comments: Iterable[ThreadComment], limit: int) -> Iterator[Piece]:
    """Every comment, in parts of at most `limit` characters: nothing is left out."""
    for comment in comments:
        text = cleaned(comment.text).strip() or "(no visible words)"
        parts = [text[at : at + limit] for at in range(0, len(text), limit)]
        for number, part in enumerate(parts, 1):
            yield Piece(comment=comment, text=part, part=number, parts=len(parts))


def packed(pieces: Iterable[Piece], limit: int) -> list[list[Piece]]:
    """Chunks of at most `limit` characters, in order; each has at least one piece."""
    chunks: list[list[Piece]] = []
    room = 0
    for piece in pieces:
        if not chunks or piece.size > room:
            chunks.append([])
            room = limit
        chunks[-1].append(piece)
        room -= piece.size
    return chunks


def quoted_pieces(pieces: Sequence[Piece], fence: Fence) -> str:
    return "\n".join(piece.quoted(fence) for piece in pieces)
