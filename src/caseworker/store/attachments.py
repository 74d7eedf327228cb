"""Files that people attached to messages: stored with the message, filled when their bytes have been fetched."""

from sqlalchemy import insert, select, update

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.messages import Attachment, NewMessage
from caseworker.store.connection import Connection
from caseworker.store.message_tables import attachments
from caseworker.store.port import Port


class StoredAttachments(Port):
    async def of(self, case: CaseId) -> list[Attachment]:
        query = select(*attachments.c).where(attachments.c.case == case)
        async with self._database.reading() as connection:
            ordered = query.order_by(attachments.c.message, attachments.c.position)
            rows = (await connection.execute(ordered)).mappings().all()
        return [
            Attachment(
                id=row[attachments.c.id],
                message=MessageId(row[attachments.c.message]),
                title=row[attachments.c.title],
                media_type=row[attachments.c.media_type],
                size=row[attachments.c.size],
                source=row[attachments.c.source],
                content=row[attachments.c.content] or b"",
                problem=row[attachments.c.problem],
            )
            for row in rows
        ]

    async def fill(self, attachment: int, content: bytes, *, problem: str = "") -> None:
        """Stores the bytes, or the problem. Bytes that are stored already are never replaced."""
        values = {"problem": problem} if problem else {"content": content or None, "size": len(content), "problem": ""}
        found = attachments.c.id == attachment
        async with self._database.writing() as connection:
            await connection.execute(update(attachments).where(found, attachments.c.content.is_(None)).values(values))
            if await connection.scalar(select(attachments.c.id).where(found)) is None:
                raise Defect(f"There is no attachment {attachment} to fill.")


async def add_attachments(connection: Connection, message: NewMessage, number: MessageId) -> None:
    """Adds the attachments of a new message, whose number is `number`."""
    rows = [
        {
            "message": number,
            "case": message.case,
            "position": position,
            "title": attachment.title,
            "media_type": attachment.media_type,
            "size": attachment.size,
            "source": attachment.source,
            "content": attachment.content or None,
            "problem": attachment.problem,
        }
        for position, attachment in enumerate(message.attachments, start=1)
    ]
    if rows:
        await connection.execute(insert(attachments), rows)
