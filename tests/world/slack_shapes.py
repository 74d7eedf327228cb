"""Field names and types of what Slack sends, to check the stand-in against.

They were copied by hand from the vendor's published samples: the recorded answers and events of its Java SDK
(json-logs/samples) and the event bodies in the tests of its Python framework. Only fields that are always there; a
tuple with `type(None)` may be null. The stand-in must send at least these fields, with these types.
"""

from typing import Final

Shape = dict[str, object]
"""A type, a tuple of types, a nested shape, or a list with the shape of its items."""

AUTH_TEST: Final[Shape] = {
    "ok": bool,
    "url": str,
    "team": str,
    "user": str,
    "team_id": str,
    "user_id": str,
    "bot_id": str,
    "is_enterprise_install": bool,
}
CONNECTION: Final[Shape] = {"ok": bool, "url": str}
FAILURE: Final[Shape] = {"ok": bool, "error": str}
BOT_PROFILE: Final[Shape] = {
    "id": str,
    "deleted": bool,
    "name": str,
    "updated": int,
    "app_id": str,
    "icons": {"image_36": str, "image_48": str, "image_72": str},
    "team_id": str,
}
BOT_MESSAGE: Final[Shape] = {
    "type": str,
    "text": str,
    "ts": str,
    "user": str,
    "bot_id": str,
    "app_id": str,
    "team": str,
    "bot_profile": BOT_PROFILE,
    "blocks": [{"type": str, "block_id": str}],
}
POSTED: Final[Shape] = {"ok": bool, "channel": str, "ts": str, "message": BOT_MESSAGE}
THREAD_ROOT: Final[Shape] = {
    "type": str,
    "text": str,
    "user": str,
    "ts": str,
    "team": str,
    "thread_ts": str,
    "reply_count": int,
    "reply_users_count": int,
    "latest_reply": str,
    "reply_users": [str],
    "is_locked": bool,
    "subscribed": bool,
}
PAGE: Final[Shape] = {
    "ok": bool,
    "messages": [THREAD_ROOT],
    "has_more": bool,
    "response_metadata": {"next_cursor": str},
}

CALLBACK: Final[Shape] = {
    "token": str,
    "team_id": str,
    "api_app_id": str,
    "type": str,
    "event_id": str,
    "event_time": int,
    "event_context": str,
    "is_ext_shared_channel": bool,
    "authorizations": [
        {
            "enterprise_id": (str, type(None)),
            "team_id": str,
            "user_id": str,
            "is_bot": bool,
            "is_enterprise_install": bool,
        }
    ],
    "event": {"type": str},
}
_IN_CHANNEL: Final[Shape] = {"type": str, "channel": str, "ts": str, "event_ts": str, "channel_type": str}
_SAID: Final[Shape] = {
    "type": str,
    "user": str,
    "text": str,
    "ts": str,
    "team": str,
    "client_msg_id": str,
    "blocks": [{"type": str, "block_id": str, "elements": [{"type": str, "elements": [{"type": str, "text": str}]}]}],
}
MESSAGE: Final[Shape] = _SAID | _IN_CHANNEL
REPLY: Final[Shape] = MESSAGE | {"thread_ts": str, "parent_user_id": str}
BROADCAST: Final[Shape] = MESSAGE | {"subtype": str, "thread_ts": str, "root": {"user": str, "text": str, "ts": str}}
CHANGED: Final[Shape] = _IN_CHANNEL | {
    "subtype": str,
    "hidden": bool,
    "message": _SAID | {"edited": {"user": str, "ts": str}},
    "previous_message": _SAID,
}
TOMBSTONE: Final[Shape] = _IN_CHANNEL | {
    "subtype": str,
    "hidden": bool,
    "message": {"subtype": str, "text": str, "user": str, "hidden": bool, "type": str, "ts": str, "thread_ts": str},
    "previous_message": _SAID,
}
DELETED: Final[Shape] = _IN_CHANNEL | {"subtype": str, "hidden": bool, "deleted_ts": str, "previous_message": _SAID}
FILE: Final[Shape] = {
    "id": str,
    "created": int,
    "timestamp": int,
    "name": str,
    "title": str,
    "mimetype": str,
    "filetype": str,
    "pretty_type": str,
    "user": str,
    "editable": bool,
    "size": int,
    "mode": str,
    "is_external": bool,
    "external_type": str,
    "is_public": bool,
    "public_url_shared": bool,
    "display_as_bot": bool,
    "username": str,
    "url_private": str,
    "url_private_download": str,
    "permalink": str,
    "has_rich_preview": bool,
}
FILE_SHARE: Final[Shape] = MESSAGE | {"subtype": str, "upload": bool, "display_as_bot": bool, "files": [FILE]}
ENVELOPE: Final[Shape] = {
    "envelope_id": str,
    "type": str,
    "accepts_response_payload": bool,
    "retry_attempt": int,
    "retry_reason": str,
    "payload": CALLBACK,
}
HELLO: Final[Shape] = {
    "type": str,
    "num_connections": int,
    "connection_info": {"app_id": str},
    "debug_info": {"host": str, "build_number": int, "approximate_connection_time": int},
}


def missing(value: object, shape: object, where: str = "it") -> list[str]:
    """Lists every field that is missing or has another type."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{where} is no object"]
        return [
            problem
            for name, inner in shape.items()
            for problem in (
                missing(value[name], inner, f"{where}.{name}") if name in value else [f"{where}.{name} is missing"]
            )
        ]
    if isinstance(shape, list):
        if not isinstance(value, list) or not value:
            return [f"{where} is no list, or empty"]
        return missing(value[0], shape[0], f"{where}[0]")
    assert isinstance(shape, (type, tuple))
    wrong = not isinstance(value, shape) or (shape is int and isinstance(value, bool))
    return [f"{where} is {type(value).__name__}"] if wrong else []
