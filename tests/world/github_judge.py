"""Judges by GitHub's published descriptions: of REST answers and of webhook bodies."""

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from jsonschema import Draft4Validator
from jsonschema.exceptions import best_match

DATA = Path(sys.prefix) / "github-data"

Document = dict[str, Any]  # the published description: JSON of any form


class Misfit(AssertionError):
    """A body that GitHub's description doesn't allow; the text says where and why."""


def judge_answer(response: httpx.Response) -> None:
    """Raises if the answer's status is not described for its path, or its body doesn't fit the description."""
    if response.status_code == 304:
        return  # the description names it for some paths only, and it has no body
    path = response.request.url.path.removeprefix("/api/v3")
    operation = _operation(response.request.method, path)
    described = operation["responses"].get(str(response.status_code))
    if described is None:
        if response.status_code in (401, 403, 404, 410, 301, 405, 409, 422):
            _fit(_rest(), {"$ref": "#/components/schemas/basic-error"}, response.json(), path)
            return
        raise Misfit(f"{response.request.method} {path}: {response.status_code} is not described")
    content = _resolved(_rest(), described).get("content", {}).get("application/json")
    is_json = response.headers.get("content-type", "").startswith("application/json")
    if content is not None and is_json:
        _fit(_rest(), content["schema"], response.json(), f"{response.request.method} {path}")


def judge_webhook(event: str, body: Document) -> None:
    """Raises if the body doesn't fit the description of its event and action."""
    action = body.get("action")
    names = [f"{event}-{action}".replace("_", "-") if action else event.replace("_", "-")]
    found = next((_webhooks()["webhooks"][name] for name in names if name in _webhooks()["webhooks"]), None)
    if found is None:
        raise Misfit(f"GitHub has no webhook {names[0]}")
    schema = found["post"]["requestBody"]["content"]["application/json"]["schema"]
    _fit(_webhooks(), schema, body, f"webhook {names[0]}")


def described_paths() -> list[str]:
    return list(_rest()["paths"])


def _operation(method: str, path: str) -> Document:
    matches = [template for template, pattern in _patterns() if pattern.fullmatch(path)]
    if not matches:
        raise Misfit(f"GitHub has no path {path}")
    # Of several the one with the most literal text is meant, as `/issues/comments` before `/issues/{number}`.
    for template in sorted(matches, key=lambda one: len(re.sub(r"{\w+}", "", one)), reverse=True):
        found: Document | None = _rest()["paths"][template].get(method.lower())
        if found is not None:
            return found
    raise Misfit(f"GitHub has no {method} {path}")


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    open_ended = ("path", "ref", "branch", "basehead")

    def pattern(template: str) -> re.Pattern[str]:
        parts = re.split(r"\{(\w+)\}", template)
        texts = [
            re.escape(part) if place % 2 == 0 else (".+" if part in open_ended else "[^/]+")
            for place, part in enumerate(parts)
        ]
        return re.compile("".join(texts))

    return [(template, pattern(template)) for template in _rest()["paths"]]


def _fit(document: Document, schema: Document, body: object, what: str) -> None:
    validator = Draft4Validator({**_plain(schema), "components": document["components"]})
    worst = best_match(validator.iter_errors(body))
    if worst is not None:
        place = "/".join(str(part) for part in worst.absolute_path)
        raise Misfit(f"{what}: at {place or 'the top'}: {worst.message[:400]}")


def _resolved(document: Document, described: Document) -> Document:
    if "$ref" not in described:
        return described
    found: Any = document
    for part in described["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return dict(found)


@cache
def _rest() -> Document:
    return _load("openapi.json")


@cache
def _webhooks() -> Document:
    return _load("webhooks.json")


def _load(name: str) -> Document:
    file = DATA / name
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing. Install it with: .venv/bin/python -m scripts.github_data")
    document: Document = json.loads(file.read_text())
    components = document["components"]
    schemas = {key: _plain(value) for key, value in components["schemas"].items()}
    document["components"] = {**components, "schemas": schemas}
    return document


def _plain(schema: Any) -> Any:
    """OpenAPI's `nullable` in the words of JSON schema."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {key: value if key in ("example", "enum") else _plain(value) for key, value in schema.items()}
    if rest.pop("nullable", None) is True:
        return {"anyOf": [rest, {"type": "null"}]}
    return rest
