"""Answers of the API: models as JSON with an ETag, problems, and how a query is read."""

from collections.abc import Mapping
from hashlib import sha256
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from caseworker.dashboard.api_models import Problem

M = TypeVar("M", bound=BaseModel)


def document(request: Request, model: BaseModel, *, next_page: str = "") -> Response:
    """The model as JSON. 304 if the program has this very answer already."""
    body = model.model_dump_json().encode()
    headers = {"ETag": f'"{sha256(body).hexdigest()[:24]}"', "Cache-Control": "private, no-cache"}
    if next_page:
        headers["Link"] = f'<{next_page}>; rel="next"'
    known = {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}
    if headers["ETag"] in known:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


def problem(status: int, title: str, detail: str = "", *, headers: Mapping[str, str] | None = None) -> Response:
    body = Problem(title=title, status=status, detail=detail).model_dump_json()
    return Response(body, status_code=status, media_type="application/problem+json", headers=headers)


def read_query(request: Request, model: type[M]) -> M:
    """422 for a value that can't be understood, or a name that nobody knows."""
    given = request.query_params
    unknown = sorted(set(given) - set(model.model_fields))
    repeated = sorted(name for name in set(given) if len(given.getlist(name)) > 1)
    if unknown or repeated:
        raise HTTPException(422, f"Unknown or repeated: {', '.join(unknown or repeated)}.")
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise HTTPException(422, _words(error)) from error


async def read_body(request: Request, model: type[M], *, most: int) -> M:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send application/json.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, f"At most {most} bytes are taken.")
    try:
        return model.model_validate_json(bytes(body))
    except ValidationError as error:
        raise HTTPException(422, _words(error)) from error


def _words(error: ValidationError) -> str:
    told = [f"{'.'.join(map(str, one['loc'])) or 'body'}: {one['msg']}" for one in error.errors()[:5]]
    return f"{'; '.join(told)}."
