"""The Slack client: posts, reads channels and threads, and fetches attached files. Events come in by `slack_app`."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from caseworker.chats.mrkdwn import fitting
from caseworker.chats.rate_limits import RateLimits
from caseworker.chats.slack_errors import retry_after, translated_errors
from caseworker.chats.surface_phrasing import ReplyPhrasing
from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.people.phrasing import Phrasing
from caseworker.ports import POST_MARK, Thread

API: Final = "https://slack.com/api/"
_SEEN: Final = "eyes"
_DONE: Final = "white_check_mark"
_REACTED: Final = ("already_reacted", "message_not_found")
"""Errors of a reaction that was added before, or whose message was deleted."""
_LINK_HOSTS: Final = ("github.com", "slack.com")
_PAGE: Final = 200
_PAGES: Final = 25
"""5,000 messages: a post that is further back is not found."""


def web_client(token: str | None, base_url: str, *, timeout: int = 30) -> AsyncWebClient:
    """A client that never repeats a call: after a lost connection the post may have arrived, and would be there twice;
    after a rate limit the caller waits, without holding a worker."""
    return AsyncWebClient(token=token, base_url=base_url, timeout=timeout, retry_handlers=[])


class SlackChat:
    def __init__(
        self,
        *,
        token: str,
        base_url: str = API,
        timeout: int = 30,
        link_hosts: Collection[str] = _LINK_HOSTS,
        limits: RateLimits | None = None,
    ) -> None:
        """`link_hosts`: only addresses on these become links in a post. Everything else is shown as code."""
        self._client = web_client(token, base_url, timeout=timeout)
        self._token = token
        self._api = urlsplit(base_url)
        self._link_hosts = (*link_hosts, self._api.hostname or "")
        self._limits = limits or RateLimits()
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=timeout, sock_read=timeout)

    @property
    def phrasing(self) -> Phrasing:
        return ReplyPhrasing()

    async def whoami(self) -> str:
        """The bot's own user id. Shows that the token is valid."""
        with translated_errors("Slack was not entered"):
            return str((await self._client.auth_test())["user_id"])

    async def check(self, channel: str) -> None:
        """Raises `Refused` if the bot is not in that channel."""
        with translated_errors(f"{channel} could not be read"):
            await self._client.conversations_history(channel=channel, limit=1)

    async def link(self, thread: Thread) -> str:
        try:
            with translated_errors(f"No link to a thread in {thread.channel}"):
                found = await self._client.chat_getPermalink(channel=thread.channel, message_ts=thread.anchor)
        except Refused:  # the thread was deleted, or this server makes no links
            return ""
        return str(found.get("permalink") or "")

    async def post(self, thread: Thread, text: str, *, key: str, folded: str = "") -> str:
        """Slack folds the text of an attachment behind "Show more" if it is long."""
        sending = translated_errors(f"A post to {thread.channel} was not sent")
        async with self._limits.respected("post", thread.channel):
            with sending:
                answer = await self._client.chat_postMessage(
                    channel=thread.channel,
                    thread_ts=thread.anchor or None,
                    text=fitting(text, self._link_hosts),
                    attachments=[
                        {"text": fitting(folded, self._link_hosts), "fallback": "The report", "mrkdwn_in": ["text"]}
                    ]
                    if folded
                    else None,
                    metadata={"event_type": POST_MARK, "event_payload": {"key": key}},
                    unfurl_links=False,
                    unfurl_media=False,
                )
        return str(answer["ts"])

    async def react(self, reference: str, *, done: bool = False) -> bool:
        channel, _, ts = reference.partition(":")
        with translated_errors(f"A message in {channel} got no reaction"):
            try:
                await self._client.reactions_add(channel=channel, timestamp=ts, name=_DONE if done else _SEEN)
            except SlackApiError as error:
                if error.response.get("error") not in _REACTED:
                    raise
        return True

    async def find(self, thread: Thread, key: str) -> str | None:
        async for name, found in self._posts(thread):
            if found == key:
                return name
        return None

    async def said_in(self, thread: Thread, *, since: float, most: int) -> Sequence[Mapping[str, object]]:
        """The messages after the moment `since`, in the form of events, newest last; of a thread also its first one.

        If there are more than `most`: the last of a channel, or the first of a thread.
        """
        said = []
        async for message in self._messages(thread, oldest=f"{since:.6f}"):
            said.append({**message, "channel": thread.channel})
            if len(said) == most:
                break
        return sorted(said, key=lambda message: str(message.get("ts", "")))

    async def _posts(self, thread: Thread) -> AsyncIterator[tuple[str, str]]:
        """Each of our posts with its key."""
        async for message in self._messages(thread):
            metadata = message.get("metadata") or {}
            if metadata.get("event_type") == POST_MARK:
                yield str(message["ts"]), str((metadata.get("event_payload") or {}).get("key"))

    async def _messages(self, thread: Thread, *, oldest: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """Messages in the only order that Slack offers: a channel from its newest on, a thread from its first on."""
        cursor: str | None = None
        for _ in range(_PAGES):
            reading = translated_errors(f"What was said in {thread.channel} could not be read")
            async with self._limits.respected("read", thread.channel):
                with reading:
                    page = await (
                        self._client.conversations_replies(
                            channel=thread.channel,
                            ts=thread.anchor,
                            include_all_metadata=True,
                            limit=_PAGE,
                            cursor=cursor,
                            oldest=oldest,
                        )
                        if thread.anchor
                        else self._client.conversations_history(
                            channel=thread.channel, include_all_metadata=True, limit=_PAGE, cursor=cursor, oldest=oldest
                        )
                    )
            for message in page.get("messages") or []:
                yield message
            cursor = (page.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return

    async def fetch(self, source: str, *, limit: int) -> bytes:
        self._check_host(source)
        async with self._limits.respected("file", urlsplit(source).hostname or ""):
            with translated_errors("A file could not be fetched"):
                return await self._download(source, limit)

    async def _download(self, source: str, limit: int) -> bytes:
        async with (
            aiohttp.ClientSession(timeout=self._timeout) as session,
            session.get(
                source,
                headers={"Authorization": f"Bearer {self._token}"},
                allow_redirects=False,  # the token must not be sent to another host
                proxy=self._client.proxy,
            ) as response,
        ):
            _check_answer(response, limit)
            content = bytearray()
            async for chunk in response.content.iter_chunked(64 * 1024):
                content += chunk
                if len(content) > limit:
                    raise _too_large(limit)
            return bytes(content)

    def _check_host(self, source: str) -> None:
        """Refuses addresses outside Slack: the token goes with the request, and anybody may have sent the address."""
        try:
            url = urlsplit(source)
            is_slack = url.scheme == "https" and url.port in (None, 443) and _is_slack(url.hostname or "")
            is_api = (url.scheme, url.hostname, url.port) == (self._api.scheme, self._api.hostname, self._api.port)
        except ValueError:
            is_slack = is_api = False
        if not (is_slack or is_api):
            raise Refused("The file does not lie with Slack.", todo="Ask its author to upload it.")


def _is_slack(host: str) -> bool:
    return host == "slack.com" or host.endswith(".slack.com")


def _check_answer(response: aiohttp.ClientResponse, limit: int) -> None:
    status = response.status
    page = response.content_type == "text/html" and "Content-Disposition" not in response.headers
    if status in (401, 403) or 300 <= status < 400 or (status == 200 and page):  # Slack asks us to log in
        raise Refused(
            "Slack does not let the bot read this file.",
            todo="The app needs the scope files:read, and the bot has to be in the channel where the file was shared.",
        )
    if status == 429:
        raise RateLimited("A file could not be fetched: Slack answered 429.", seconds=retry_after(response.headers))
    if status >= 500:
        raise Transient(f"A file could not be fetched: Slack answered {status}.")
    if status != 200:
        raise Refused(f"The file is gone: Slack answered {status}.", todo="Ask its author to upload it again.")
    if response.content_length is not None and response.content_length > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> Refused:
    return Refused(f"The file is larger than {limit / 1_000_000:g} MB.", todo="Ask for the part that matters.")
