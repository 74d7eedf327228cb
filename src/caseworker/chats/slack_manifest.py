"""The manifest of the Slack app: with exactly the scopes and events that we use."""

from typing import Final

import yaml

SCOPES: Final = ("channels:history", "chat:write", "files:read", "groups:history", "reactions:write")
"""Read the two channels (public or private), post and react there, fetch attached files. Nothing else is asked for."""
EVENTS: Final = ("message.channels", "message.groups")


def manifest(name: str, socket_mode: bool, request_url: str | None) -> str:
    """YAML for "Create an app from a manifest". Without Socket Mode, Slack sends events to `request_url`."""
    events: dict[str, object] = {"bot_events": list(EVENTS)}
    if not socket_mode and request_url:
        events = {"request_url": request_url, **events}
    app = {
        "display_information": {
            "name": name,
            "description": "Takes bug reports from this workspace and investigates them.",
        },
        "features": {"bot_user": {"display_name": name, "always_online": True}},
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": events,
            "org_deploy_enabled": False,
            "socket_mode_enabled": socket_mode,
            "token_rotation_enabled": False,
        },
    }
    return yaml.safe_dump(app, sort_keys=False, allow_unicode=True)
