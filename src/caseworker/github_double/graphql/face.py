"""`POST /graphql`: reads the request and gives it to the schema."""

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caseworker.github_double.front import Answer, Front, Visit, Work
from caseworker.github_double.graphql.ask import Budget
from caseworker.github_double.graphql.costs import Cost
from caseworker.github_double.graphql.execution import Question, answer
from caseworker.github_double.limits import Limits
from caseworker.github_double.refusals import Refusal, Unauthorized


def graphql_work(limits: Limits) -> Work:
    """What the front does for a GraphQL request; the points count against `limits`."""

    def work(visit: Visit) -> Answer:
        if visit.actor.user is None:
            raise Unauthorized("This endpoint requires you to be authenticated.")

        def spend(cost: Cost) -> Budget:
            window = limits.window(visit.actor, "graphql", visit.github.now())
            return Budget(limit=window.limit, remaining=max(window.remaining - cost.points, 0), resets_at=window.reset)

        answered = answer(visit.github, visit.actor, _question(visit.body), spend)
        visit.points = answered.cost.points
        visit.is_write = answered.is_mutation
        visit.operation = " ".join(answered.fields)
        return Answer(answered.body)

    return work


def _question(body: bytes) -> Question:
    try:
        sent = json.loads(body)
    except ValueError as error:
        raise Refusal("Problems parsing JSON") from error
    if not isinstance(sent, Mapping) or not isinstance(sent.get("query"), str):
        raise Refusal("A query attribute must be specified and must be a string.")
    variables = sent.get("variables") or {}
    if not isinstance(variables, Mapping):
        raise Refusal("Variables must be an object.")
    operation = sent.get("operationName")
    return Question(
        query=str(sent["query"]),
        variables=variables,
        operation=operation if isinstance(operation, str) and operation else None,
    )


def graphql_routes(front: Front) -> list[Route]:
    """Where GraphQL is: `/graphql` as on github.com, `/api/graphql` as on an Enterprise Server."""
    work = graphql_work(front.limits)

    async def serve(request: Request) -> Response:
        return await front.serve(request, work, "graphql")

    return [Route(path, serve, methods=["POST"]) for path in ("/graphql", "/api/graphql")]
