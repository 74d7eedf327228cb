"""The chat of cases that live in the terminal: the record is read there, so nothing has to be sent."""

from caseworker.core.errors import Refused
from caseworker.ports import Thread


class TerminalChat:
    async def post(self, thread: Thread, text: str, *, key: str) -> str:
        return ""

    async def find(self, thread: Thread, key: str) -> str | None:
        return None

    async def fetch(self, source: str, *, limit: int) -> bytes:
        raise Refused("In the terminal a file comes with its message.", todo="There is nothing to fetch.")
