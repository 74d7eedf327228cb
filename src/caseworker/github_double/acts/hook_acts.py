"""Webhooks: ping, and delivering again."""

import json

from caseworker.github_double.entities.accounts import User
from caseworker.github_double.entities.hook_records import Delivery, Hook
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.refusals import NotFound
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.hook_shapes import hook_json
from caseworker.github_double.shapes.repository_shapes import repository_json
from caseworker.github_double.state import Event, GitHub, Json


def ping(github: GitHub, sender: User, repository: Repository, hook: Hook) -> None:
    """What a new hook is sent first."""
    body: Json = {
        "zen": "Design for failure.",
        "hook_id": hook.id,
        "hook": hook_json(github, repository, hook),
        "repository": repository_json(github, repository),
        "sender": user_json(github, sender),
    }
    github.publish(Event(name="ping", action=None, body=body, repository=repository, sender=sender, hook=hook))


def redeliver(github: GitHub, sender: User, hook: Hook, delivery: Delivery) -> None:
    """The same body under the same guid once more."""
    body: Json = json.loads(delivery.payload)
    github.publish(
        Event(
            name=delivery.event,
            action=delivery.action,
            body=body,
            repository=None,
            sender=sender,
            hook=hook,
            guid=delivery.guid,
        )
    )


def find_hook(repository: Repository, number: int) -> Hook:
    found = next((one for one in repository.records.hooks if one.id == number), None)
    if found is None:
        raise NotFound
    return found


def find_delivery(hook: Hook, number: int) -> Delivery:
    found = next((one for one in hook.deliveries if one.id == number), None)
    if found is None:
        raise NotFound
    return found
