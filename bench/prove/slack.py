"""The tests' fake Slack, changed to hold tens of thousands of messages and to count the bot's posts by key."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from tests.world.slack import SlackDouble
from tests.world.slack_api import WebApi
from tests.world.slack_delivery import Delivery
from tests.world.slack_state import Json, Workspace

REPORTS, SUMMARIES = "C0REPORTS", "C0SUMMARY"


class IndexedWorkspace(Workspace):
    """Finds messages by an index instead of looking at each of them."""

    def __init__(self, channels: Sequence[str]) -> None:
        super().__init__(channels)
        self._by_name: dict[tuple[str, str], Json] = {}
        self._threads: dict[tuple[str, str], list[Json]] = defaultdict(list)
        self.keys: dict[str, list[str]] = defaultdict(list)
        """Key of a post -> the time stamps of all posts with it: one, if all is well."""
        self.case_of: dict[str, str] = {}
        """First message of a reports thread -> case."""
        self.summary_of: dict[str, asyncio.Future[str]] = {}
        """Case -> first message of its summary thread."""

    def find(self, channel: str, ts: str) -> Json | None:
        return self._by_name.get((channel, ts))

    def thread(self, channel: str, ts: str) -> list[Json]:
        return self._threads[channel, ts]

    def _add(self, channel: str, message: Json, thread: str | None) -> Json:
        added = super()._add(channel, message, thread)
        name = str(added["ts"])
        self._by_name[channel, name] = added
        self._threads[channel, thread or name].append(added)
        self._note(added, thread)
        return added

    def _note(self, message: Json, thread: str | None) -> None:
        metadata = message.get("metadata")
        if not isinstance(metadata, dict):
            return
        key, ts = str(metadata["event_payload"]["key"]), str(message["ts"])
        self.keys[key].append(ts)
        case, _, about, _ = key.rsplit("/", 3)
        if about.endswith(".reporter") and thread:
            self.case_of[thread] = case
        elif thread is None and not self.summary(case).done():
            self.summary(case).set_result(ts)

    def summary(self, case: str) -> "asyncio.Future[str]":
        if case not in self.summary_of:
            self.summary_of[case] = asyncio.get_running_loop().create_future()
        return self.summary_of[case]


class CountingSlack(SlackDouble):
    """Delivers events of the bot's own posts as Slack does; `people` sends those of people."""

    def __init__(self) -> None:
        super().__init__(channels=(REPORTS, SUMMARIES), patience=3.0)
        self.indexed = IndexedWorkspace((REPORTS, SUMMARIES))
        self.workspace = self.indexed
        self.delivery = Delivery(self.workspace, secret=self.signing_secret, patience=3.0)
        self._api = WebApi(self.workspace, self.delivery, self.trouble, tokens=(self.bot_token, self.app_token))
