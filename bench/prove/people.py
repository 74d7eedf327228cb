"""The people of a proof: who writes what and when, drawn from a seed, and sent as Slack sends it."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Final, Literal

import aiohttp
from tests.world.slack_state import Json

from bench.prove.slack import REPORTS, SUMMARIES, CountingSlack
from bench.prove.standin import mark

Author = Literal["reporter", "ada", "grace", "stranger"]
_AUTHORS: Final[tuple[Author, ...]] = ("reporter", "ada", "grace", "stranger")
NEVER_MIND: Final = "never mind"
_ANSWER_SECONDS: Final = 3.0
_READING: Final = 1.0
"""Seconds that a developer needs to read the summary before answering it."""
_CLOSE_AFTER: Final = 6.0
"""Seconds from a report to its close in a race: by then its turn is over."""
_PAUSES: Final = (0.2, 3.0, 15.0)
"""Seconds before each further try; Slack's are about 0, 60 and 300."""


@dataclass(kw_only=True)
class Mail:
    """One message on its way into a case."""

    number: int
    case: int
    author: Author
    text: str
    at: float
    """Seconds from the start at which it is sent, if its author is free by then."""
    reference: str = ""
    """Slack's name for it: channel and time stamp. It comes as an event, or is read later by catching up."""
    acknowledged: bool = False
    tries: int = 0


@dataclass(kw_only=True)
class Conversation:
    """One case from outside: its thread, once its report is sent."""

    number: int
    mails: list[Mail]
    anchor: str = ""
    reported: asyncio.Event = field(default_factory=asyncio.Event)


def storm(messages: int, cases: int, seconds: float, lot: Random, *, first: int = 1) -> list[Conversation]:
    """Every case gets equally many messages. Reports come early, people write in bursts, most reporters close once."""
    conversations, numbers = [], count(first)
    for case, share in enumerate(_shares(messages, cases)):
        begun = lot.uniform(0, seconds * 0.3)
        times = _bursts(share - 1, begun + 0.5, seconds, lot)
        mails = [Mail(number=next(numbers), case=case, author="reporter", text=_report(), at=begun)]
        for at in times[:-1]:
            (author,) = lot.choices(_AUTHORS, weights=(45, 25, 20, 10))
            mails.append(_words(next(numbers), case, author, at))
        mails += [_words(next(numbers), case, "reporter", at) for at in times[-1:]]
        _change_minds(mails, lot)
        conversations.append(Conversation(number=case, mails=mails))
    return conversations


def races(cases: int, seconds: float, lot: Random) -> list[Conversation]:
    """Every case has one close, and developers' messages at the same moment. Nobody writes later, since that bell could
    make up for a lost one."""
    conversations, numbers = [], count(1)
    for case in range(cases):
        begun = lot.uniform(0, seconds - _CLOSE_AFTER)
        close = begun + _CLOSE_AFTER
        mails = [
            Mail(number=next(numbers), case=case, author="reporter", text=_report(), at=begun),
            Mail(number=next(numbers), case=case, author="reporter", text=NEVER_MIND, at=close),
            _words(next(numbers), case, "ada", close + lot.uniform(0, 0.3)),
            _words(next(numbers), case, "grace", close + lot.uniform(0.1, 0.8)),
        ]
        conversations.append(Conversation(number=case, mails=mails))
    return conversations


class Sender:
    """Sends as Slack does: signed, 3 s to answer, up to three more times under the same event id."""

    def __init__(self, slack: CountingSlack, url: str) -> None:
        self._slack = slack
        self._url = url
        self._begun = time.monotonic()
        self.sent: list[Mail] = []
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=_ANSWER_SECONDS),
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
        )

    async def close(self) -> None:
        await self._session.close()

    async def play(self, conversations: Sequence[Conversation]) -> None:
        """Each author sends the next message when the last one was acknowledged or given up."""
        self._begun = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for conversation in conversations:
                by_author: dict[Author, list[Mail]] = defaultdict(list)
                for mail in conversation.mails:
                    by_author[mail.author].append(mail)
                for author, mails in by_author.items():
                    group.create_task(self._speak(conversation, author, mails))

    async def _speak(self, conversation: Conversation, author: Author, mails: Sequence[Mail]) -> None:
        for mail in mails:
            await asyncio.sleep(mail.at - (time.monotonic() - self._begun))
            if mail is not conversation.mails[0]:
                await conversation.reported.wait()
            await self.say(conversation, mail)
            conversation.reported.set()

    async def say(self, conversation: Conversation, mail: Mail) -> None:
        channel, thread = REPORTS, conversation.anchor or None
        if mail.author in ("ada", "grace"):
            channel, thread = SUMMARIES, await self.summary(conversation)
        user = f"U{mail.author.upper()}{mail.case:04d}"
        message = self._slack.indexed.say(channel, user, mail.text, thread=thread)
        if not conversation.anchor:
            conversation.anchor = str(message["ts"])
        payload = self._slack.indexed.callback(self._slack.indexed.event_of(message, channel))
        mail.reference = f"{channel}:{message['ts']}"
        self.sent.append(mail)
        await self._with_retries(mail, payload)

    async def summary(self, conversation: Conversation) -> str:
        """The case's summary thread, where developers write. Waits until there is one."""
        while conversation.anchor not in self._slack.indexed.case_of:  # noqa: ASYNC110  # told by no event
            await asyncio.sleep(0.1)
        summary = self._slack.indexed.summary(self._slack.indexed.case_of[conversation.anchor])
        if not summary.done():
            await asyncio.shield(summary)  # others wait for it, too
            await asyncio.sleep(_READING)
        return summary.result()

    async def _with_retries(self, mail: Mail, payload: Json) -> None:
        body = json.dumps(payload)
        for pause in (0.0, *_PAUSES):
            await asyncio.sleep(pause)
            mail.tries += 1
            if await self.post(body):
                mail.acknowledged = True
                return

    async def post(self, body: str) -> bool:
        with suppress(TimeoutError, aiohttp.ClientError):
            headers = self._slack.delivery.signed(body)
            async with self._session.post(self._url, data=body, headers=headers) as answer:
                return answer.status == 200
        return False


def _shares(messages: int, cases: int) -> list[int]:
    return [messages // cases + (case < messages % cases) for case in range(cases)]


def _bursts(many: int, begin: float, end: float, lot: Random) -> list[float]:
    times: list[float] = []
    while len(times) < many:
        at = lot.uniform(begin, end)
        times += [at + lot.uniform(0, 0.4) for _ in range(lot.choice((1, 1, 1, 2, 3)))]
    return sorted(times[:many])


def _change_minds(mails: Sequence[Mail], lot: Random) -> None:
    """In two of three cases the reporter closes; any later message reopens the case."""
    theirs = [mail for mail in mails[1:-1] if mail.author == "reporter"]
    if theirs and lot.random() < 0.67:
        lot.choice(theirs).text = NEVER_MIND


def _report() -> str:
    return "since 9:40 order 1182 ends in Error 500 when I click pay"


def _words(number: int, case: int, author: Author, at: float) -> Mail:
    text = f"it happens with order {1000 + number}, too {mark(number)}"
    return Mail(number=number, case=case, author=author, text=text, at=at)
