"""Answers one GraphQL request: parse, validate, count its cost, execute, and write errors as GitHub does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graphql import DocumentNode, ExecutionResult, GraphQLError, execute_sync, parse, validate
from graphql.language import FieldNode, OperationDefinitionNode
from graphql.utilities import get_operation_ast
from graphql.validation import OverlappingFieldsCanBeMergedRule, specified_rules

from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.graphql.ask import Budget, Request
from caseworker.github_double.graphql.costs import MOST_NODES, Cost, cost_of
from caseworker.github_double.graphql.node_views import Root
from caseworker.github_double.graphql.schema import load_schema, resolve_field, resolve_type
from caseworker.github_double.refusals import FieldError, Refusal, Unprocessable
from caseworker.github_double.state import GitHub, Json

# `gh` sends queries that break this rule, and GitHub accepts them.
_RULES: Final = tuple(rule for rule in specified_rules if rule is not OverlappingFieldsCanBeMergedRule)


@dataclass(frozen=True, kw_only=True)
class Question:
    query: str
    variables: Mapping[str, object]
    operation: str | None = None


@dataclass(frozen=True, kw_only=True)
class Answered:
    body: Json
    cost: Cost
    is_mutation: bool = False
    fields: tuple[str, ...] = ()
    """The fields at the top of the operation, such as `addComment`."""


def answer(github: GitHub, actor: Actor, question: Question, spend: Callable[[Cost], Budget]) -> Answered:
    """`spend` takes the points from the asker's budget and says what is left, or raises."""
    free = Cost(points=1, nodes=0)
    try:
        document, errors = _checked(question.query)
        if errors:
            return Answered(body={"errors": [_error(error) for error in errors]}, cost=free)
        operation = _operation(document, question)
    except GraphQLError as error:
        return Answered(body={"errors": [_error(error)]}, cost=free)
    cost = cost_of(operation, document, question.variables)
    if cost.nodes > MOST_NODES:
        message = f"This query requests up to {cost.nodes:,} possible nodes, more than the limit of {MOST_NODES:,}."
        refused = {"type": "MAX_NODE_LIMIT_EXCEEDED", "message": message}
        return Answered(body={"data": None, "errors": [refused]}, cost=cost)
    request = Request(github=github, actor=actor, cost=cost, budget=spend(cost))
    return Answered(
        body=_execute(document, question, request),
        cost=cost,
        is_mutation=operation.operation.value == "mutation",
        fields=tuple(one.name.value for one in operation.selection_set.selections if isinstance(one, FieldNode)),
    )


@lru_cache(maxsize=64)
def _checked(query: str) -> tuple[DocumentNode, tuple[GraphQLError, ...]]:
    """The parsed query and what is wrong with it. Clients send the same few texts again and again."""
    document = parse(query)
    return document, tuple(validate(load_schema(), document, _RULES))


def _operation(document: DocumentNode, question: Question) -> OperationDefinitionNode:
    operation = get_operation_ast(document, question.operation)
    if operation is None:
        raise GraphQLError("An operation name is required: the document has none, or several.")
    return operation


def _execute(document: DocumentNode, question: Question, request: Request) -> Json:
    result = execute_sync(
        load_schema(),
        document,
        root_value=Root(),
        context_value=request,
        variable_values=dict(question.variables),
        operation_name=question.operation,
        field_resolver=resolve_field,
        type_resolver=resolve_type,
    )
    return _body(result)


def _body(result: ExecutionResult) -> Json:
    body: Json = {"data": result.data}
    if result.errors:
        for error in result.errors:
            original = error.original_error
            if original is not None and not isinstance(original, Refusal | GraphQLError):
                raise original  # a defect of ours, not an answer
        body["errors"] = [_error(error) for error in result.errors]
    return body


def _error(error: GraphQLError) -> Json:
    """One entry of `errors`: GitHub has the type beside the message, not under `extensions`."""
    found: Json = {}
    original = error.original_error
    if isinstance(original, Refusal):
        found["type"] = original.graphql_type
    if error.path:
        found["path"] = list(error.path)
    if error.locations:
        found["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    found["message"] = _sentence(original) if isinstance(original, Unprocessable) else error.message
    return found


def _sentence(refusal: Unprocessable) -> str:
    """The details of a REST 422 in one sentence, as GraphQL has them."""
    parts = [_detail(one) for one in refusal.errors]
    return ", ".join(parts) or refusal.message


def _detail(error: FieldError | str) -> str:
    if isinstance(error, str):
        return error
    return error.message or f"{error.field.capitalize()} is {error.code.replace('_', ' ')}"
