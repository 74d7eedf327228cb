"""Reads the body of an HTTP request up to a limit: its signature is not checked yet, so anybody may have sent it."""

from starlette.requests import Request


async def read_body(request: Request, *, most: int) -> bytes | None:
    """Null: there is more than `most` bytes. Counted as they come: the announced length may be missing or wrong."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)
