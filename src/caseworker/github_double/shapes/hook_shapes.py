"""Webhooks and their deliveries as JSON."""

import json

from caseworker.github_double.entities.hook_records import Delivery, Hook
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.moments import wire_time
from caseworker.github_double.shapes.repository_shapes import repository_url
from caseworker.github_double.state import GitHub, Json


def hook_config_json(hook: Hook) -> Json:
    config: Json = {"url": hook.url, "content_type": "json", "insecure_ssl": "0"}
    return config | ({"secret": "********"} if hook.secret else {})


def hook_json(github: GitHub, repository: Repository, hook: Hook) -> Json:
    url = f"{repository_url(github, repository)}/hooks/{hook.id}"
    last = next((one for one in reversed(hook.deliveries) if one.status != "pending"), None)
    response: Json = {"code": None, "status": "unused", "message": None}
    if last is not None:
        response = {"code": last.status_code, "status": "active", "message": last.status}
    return {
        "type": "Repository",
        "id": hook.id,
        "name": "web",
        "active": hook.is_active,
        "events": list(hook.events),
        "config": hook_config_json(hook),
        "updated_at": wire_time(hook.updated_at),
        "created_at": wire_time(hook.created_at),
        "url": url,
        "test_url": f"{url}/test",
        "ping_url": f"{url}/pings",
        "deliveries_url": f"{url}/deliveries",
        "last_response": response,
    }


def delivery_json(delivery: Delivery) -> Json:
    """One entry of the list of deliveries."""
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": wire_time(delivery.delivered_at),
        "redelivery": delivery.is_redelivery,
        "duration": round(delivery.duration, 3),
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }


def full_delivery_json(hook: Hook, delivery: Delivery) -> Json:
    """With the request and the answer."""
    return {
        **delivery_json(delivery),
        "url": hook.url,
        "request": {"headers": dict(delivery.headers), "payload": json.loads(delivery.payload)},
        "response": {"headers": dict(delivery.answer_headers), "payload": delivery.answer},
    }
