"""The OpenAPI description of the API, made from its table of operations and the pydantic models.

Thirteen operations are not worth a framework: Starlette's routes, the guard and the streams stay as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

import caseworker
from caseworker.core.casefile.learnings import Learning
from caseworker.dashboard.addresses import CASE_PATTERN
from caseworker.dashboard.api_models import (
    Buttons,
    DeliveryPage,
    HealthReport,
    LearningDone,
    LearningList,
    MessageReceipt,
    Needs,
    Problem,
    Promises,
    RecordPage,
    RepositoryList,
    SentLearningAct,
    SentMessage,
)
from caseworker.dashboard.api_routes import DeliveryQuery, NoQuery, RecordQuery
from caseworker.views.board import Board, BoardQuery
from caseworker.views.cost_tables import Costs
from caseworker.views.whole_cases import WholeCase

Json = dict[str, Any]  # an OpenAPI document is JSON of any shape
_PREFIX: Final = "/api/v1"
_REF: Final = "#/components/schemas/{model}"


@dataclass(frozen=True, kw_only=True)
class Operation:
    path: str
    handler: str
    """The name of its method in `Api`."""
    summary: str
    answer: type[BaseModel] | None
    """Null: a stream of events."""
    query: type[BaseModel] = NoQuery
    body: type[BaseModel] | None = None

    @property
    def method(self) -> str:
        return "get" if self.body is None else "post"

    @property
    def route(self) -> str:
        return f"{_PREFIX}{self.path}".replace("{case}", "{case:case}").replace("{learning}", "{learning:int}")


OPERATIONS: Final[Sequence[Operation]] = (
    Operation(path="/cases", handler="cases", summary="The board, in pages.", answer=Board, query=BoardQuery),
    Operation(path="/cases/{case}", handler="case", summary="One case, without its record.", answer=WholeCase),
    Operation(
        path="/cases/{case}/record", handler="record", summary="Its record.", answer=RecordPage, query=RecordQuery
    ),
    Operation(path="/cases/{case}/buttons", handler="buttons", summary="What you can do with it.", answer=Buttons),
    Operation(
        path="/cases/{case}/messages",
        handler="send",
        summary="Send it a message: words, or a button.",
        answer=MessageReceipt,
        body=SentMessage,
    ),
    Operation(path="/cases/{case}/events", handler="events", summary="Its record as a stream.", answer=None),
    Operation(path="/needs", handler="needs", summary="What waits for a person, oldest first.", answer=Needs),
    Operation(
        path="/deliveries",
        handler="deliveries",
        summary="What GitHub has sent.",
        answer=DeliveryPage,
        query=DeliveryQuery,
    ),
    Operation(path="/sla", handler="sla", summary="What was promised to reporters.", answer=Promises),
    Operation(path="/learnings", handler="learnings", summary="What cases have noted.", answer=LearningList),
    Operation(
        path="/learnings/{learning}",
        handler="change_learning",
        summary="Approve, edit or forget one, as an owner.",
        answer=LearningDone,
        body=SentLearningAct,
    ),
    Operation(path="/repositories", handler="repositories", summary="Repositories with cases.", answer=RepositoryList),
    Operation(path="/costs", handler="costs", summary="What was spent in the last 30 days.", answer=Costs),
    Operation(path="/health", handler="health", summary="Whether the deployment works.", answer=HealthReport),
)


def description() -> Json:
    used: list[tuple[type[BaseModel], JsonSchemaMode]] = [(Problem, "serialization"), (Learning, "serialization")]
    for one in OPERATIONS:
        used += [(one.answer, "serialization")] if one.answer is not None else []
        used += [(one.body, "validation")] if one.body is not None else []
    found, schemas = models_json_schema(list(dict.fromkeys(used)), ref_template=_REF)
    keys = {(model, mode): found[model, mode] for model, mode in used}
    paths: dict[str, Json] = {}
    for one in OPERATIONS:
        paths.setdefault(f"{_PREFIX}{one.path}", {})[one.method] = _operation(one, keys)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Caseworker", "version": caseworker.__version__},
        "paths": paths,
        "components": {
            "schemas": schemas.get("$defs", {}),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(one: Operation, keys: Mapping[tuple[type[BaseModel], JsonSchemaMode], Json]) -> Json:
    problem = {"application/problem+json": {"schema": keys[Problem, "serialization"]}}
    errors = {"401": "No valid token.", "422": "The request can't be understood."}
    if "{" in one.path:
        errors["404"] = "There is no such thing, or you may not see it."
    if one.handler == "health":
        errors["403"] = "It is about all repositories, and you may see only some."
    if one.body is not None:
        errors |= {"409": "Not done.", "413": "Too long.", "415": "No JSON."}
    made: Json = {
        "operationId": one.handler,
        "summary": one.summary,
        "parameters": _parameters(one),
        "responses": {code: {"description": text, "content": problem} for code, text in errors.items()},
    }
    if one.body is not None:
        made["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": keys[one.body, "validation"]}},
        }
    if one.answer is None:
        made["responses"]["200"] = {"description": "Events.", "content": {"text/event-stream": {}}}
        return made
    content = {"application/json": {"schema": keys[one.answer, "serialization"]}}
    made["responses"]["200"] = {"description": one.summary, "content": content}
    if one.body is not None:
        made["responses"]["201"] = {"description": "Sent.", "content": content}
    else:
        made["responses"]["304"] = {"description": "You have it already: its ETag is the same."}
    return made


def _parameters(one: Operation) -> list[Json]:
    found: list[Json] = []
    if "{case}" in one.path:
        pattern = {"type": "string", "pattern": f"^(?:{CASE_PATTERN})$", "examples": ["acme/shop~7", "bug-7F3K"]}
        found.append({"name": "case", "in": "path", "required": True, "schema": pattern})
    if "{learning}" in one.path:
        number = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
        found.append({"name": "learning", "in": "path", "required": True, "schema": number})
    schema = one.query.model_json_schema(ref_template=_REF)
    defined = schema.get("$defs", {})
    for name, given in schema.get("properties", {}).items():
        found.append({"name": name, "in": "query", "required": False, "schema": _inlined(given, defined)})
    return found


def _inlined(given: Json, defined: Mapping[str, Json]) -> Json:
    """The schema of a query's field. An enum that may be missing is just the enum: `null` can't be written there."""
    options = [one for one in given.get("anyOf", [given]) if one.get("type") != "null"]
    first = options[0]
    name = first.get("$ref", "").rpartition("/")[2]
    return {key: value for key, value in (defined.get(name) or first).items() if key not in ("default", "title")}
