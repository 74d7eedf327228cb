"""The state of Slack's stand-in: channels, messages and files, and the events that describe changes. No network."""

import time
import uuid
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import count

Json = dict[str, object]
TEAM, APP, BOT, BOT_USER = "T0TEAM", "A0APP", "B0BOT", "U0BOTUSER"


@dataclass(frozen=True, kw_only=True)
class UploadedFile:
    name: str
    content: bytes
    media_type: str = "text/plain"


class Workspace:
    def __init__(self, channels: Sequence[str]) -> None:
        self.channels: dict[str, list[Json]] = {channel: [] for channel in channels}
        self.without_bot: set[str] = set()
        """Channels that the bot was not invited to."""
        self.marks_bots = True
        """Whether messages of bots say so (`bot_id`, `app_id`, `bot_profile`). Not every server does."""
        self.reactions: dict[tuple[str, str], list[str]] = {}
        """Names of the bot's reactions, by channel and timestamp of the message."""
        self.files: dict[str, UploadedFile] = {}
        self.home = ""
        self._last = 0
        self._numbers = count(1)

    def next_ts(self) -> str:
        """Returns a unique and increasing timestamp, as Slack does within a channel."""
        self._last = max(self._last + 1, int(time.time() * 1_000_000))
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def find(self, channel: str, ts: str) -> Json | None:
        return next((message for message in self.channels.get(channel, []) if message["ts"] == ts), None)

    def thread(self, channel: str, ts: str) -> list[Json]:
        """The first message of a thread and its replies, oldest first."""
        return [message for message in self.channels[channel] if ts in (message["ts"], message.get("thread_ts"))]

    # --- new messages

    def say(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread: str | None = None,
        files: Sequence[UploadedFile] = (),
        blocks: Sequence[Json] | None = None,
        subtype: str = "",
    ) -> Json:
        message: Json = {
            "user": user,
            "type": "message",
            "ts": self.next_ts(),
            "client_msg_id": str(uuid.uuid4()),
            "text": text,
            "team": TEAM,
            "blocks": list(blocks) if blocks is not None else [_rich_text(text)],
        }
        if subtype:
            message["subtype"] = subtype
        if files:
            message |= {"files": [self._upload(user, file) for file in files], "upload": False, "display_as_bot": False}
        return self._add(channel, message, thread)

    def say_as_bot(
        self,
        channel: str,
        text: str,
        *,
        thread: str | None = None,
        metadata: object = None,
        bot: str = BOT,
        user: str = BOT_USER,
    ) -> Json:
        profile = {"id": bot, "deleted": False, "name": "caseworker", "updated": 1, "app_id": APP, "team_id": TEAM}
        profile["icons"] = dict.fromkeys(("image_36", "image_48", "image_72"), f"{self.home}/icon.png")
        message: Json = {
            "user": user,
            "type": "message",
            "ts": self.next_ts(),
            "bot_id": bot,
            "app_id": APP,
            "text": text,
            "team": TEAM,
            "bot_profile": profile,
            "blocks": [_rich_text(text)],
        }
        if not self.marks_bots:
            for name in ("bot_id", "app_id", "bot_profile"):
                del message[name]
        if metadata is not None:
            message["metadata"] = metadata
        return self._add(channel, message, thread)

    def _add(self, channel: str, message: Json, thread: str | None) -> Json:
        if thread is not None:
            root = self.find(channel, thread)
            message["thread_ts"] = thread
            message["parent_user_id"] = str(root["user"]) if root is not None else "U0UNKNOWN"
            if root is not None:
                _count_reply(root, message)
        self.channels[channel].append(message)
        return message

    def _upload(self, user: str, file: UploadedFile) -> Json:
        name = f"F{next(self._numbers):08d}"
        self.files[name] = file
        address = f"{self.home}/files-pri/{TEAM}-{name}"
        return {
            "id": name,
            "created": int(time.time()),
            "timestamp": int(time.time()),
            "name": file.name,
            "title": file.name,
            "mimetype": file.media_type,
            "filetype": "text",
            "pretty_type": "Plain Text",
            "user": user,
            "editable": False,
            "size": len(file.content),
            "mode": "hosted",
            "is_external": False,
            "external_type": "",
            "is_public": True,
            "public_url_shared": False,
            "display_as_bot": False,
            "username": "",
            "url_private": f"{address}/file",
            "url_private_download": f"{address}/download/file",
            "permalink": f"{self.home}/files/{user}/{name}",
            "has_rich_preview": False,
        }

    # --- changes of messages

    def change(self, channel: str, ts: str, text: str, *, user: str | None = None) -> tuple[Json, Json]:
        message = self._existing(channel, ts)
        before = deepcopy(message)
        editor = user or str(message["user"])
        message |= {"text": text, "blocks": [_rich_text(text)], "edited": {"user": editor, "ts": self.next_ts()}}
        return before, deepcopy(message)

    def unfurl(self, channel: str, ts: str, url: str) -> tuple[Json, Json]:
        message = self._existing(channel, ts)
        before = deepcopy(message)
        message["attachments"] = [
            {
                "from_url": url,
                "service_name": "A site",
                "id": 1,
                "original_url": url,
                "fallback": "A title",
                "text": "Words",
            }
        ]
        return before, deepcopy(message)

    def delete(self, channel: str, ts: str) -> Json:
        """Deletes a message. The first message of a thread is replaced by a tombstone."""
        message = self._existing(channel, ts)
        before = deepcopy(message)
        if message.get("reply_count"):
            for name in ("client_msg_id", "blocks", "files", "edited"):
                message.pop(name, None)
            text = "This message was deleted."
            message |= {"subtype": "tombstone", "text": text, "user": "USLACKBOT", "hidden": True}
            return self.changed(channel, before, deepcopy(message))
        self.channels[channel].remove(message)
        when = self.next_ts()
        return {
            "type": "message",
            "subtype": "message_deleted",
            "previous_message": before,
            "channel": channel,
            "hidden": True,
            "deleted_ts": ts,
            "event_ts": when,
            "ts": when,
            "channel_type": _channel_type(channel),
        }

    def changed(self, channel: str, before: Json, after: Json) -> Json:
        when = self.next_ts()
        return {
            "type": "message",
            "subtype": "message_changed",
            "message": after,
            "previous_message": before,
            "channel": channel,
            "hidden": True,
            "ts": when,
            "event_ts": when,
            "channel_type": _channel_type(channel),
        }

    def _existing(self, channel: str, ts: str) -> Json:
        message = self.find(channel, ts)
        assert message is not None, f"there is no message {ts} in {channel}"
        return message

    # --- events

    def event_of(self, message: Json, channel: str) -> Json:
        message = {name: value for name, value in message.items() if name != "metadata"}  # only reading shows it
        told: Json = {"channel": channel, "event_ts": message["ts"], "channel_type": _channel_type(channel)}
        if message.get("subtype") == "thread_broadcast":
            told["root"] = deepcopy(self.find(channel, str(message["thread_ts"])))
        return deepcopy(message) | told

    def callback(self, event: Json) -> Json:
        return {
            "token": "verification-token",
            "team_id": TEAM,
            "api_app_id": APP,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev{next(self._numbers):010d}",
            "event_time": int(time.time()),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": TEAM,
                    "user_id": BOT_USER,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": False,
            "event_context": "4-context",
        }


def _rich_text(text: str) -> Json:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "block_id": "b0", "elements": [section]}


def _count_reply(root: Json, reply: Json) -> None:
    before = root.get("reply_count")
    root |= {
        "thread_ts": root["ts"],
        "reply_count": (before if isinstance(before, int) else 0) + 1,
        "reply_users_count": 1,
        "latest_reply": reply["ts"],
        "reply_users": [reply["user"]],
        "is_locked": False,
        "subscribed": False,
    }


def _channel_type(channel: str) -> str:
    return "group" if channel.startswith("G") else "channel"
