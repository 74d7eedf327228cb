"""git over HTTP by the real `git http-backend`: who may fetch and push, and what a push leads to."""

import asyncio
import gzip
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from caseworker.github_double import git_store
from caseworker.github_double.access import READ_CODE, require
from caseworker.github_double.acts.push_acts import (
    PushRule,
    RefChange,
    may_push,
    may_push_workflows,
    push_rules,
    receive,
)
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.faults import Faults
from caseworker.github_double.git_store import NO_COMMIT, git_environment
from caseworker.github_double.refusals import Moved, NotFound, Refusal, Unauthorized
from caseworker.github_double.request_log import Entry, RequestLog
from caseworker.github_double.state import GitHub
from caseworker.github_double.tokens import authenticate

_UPDATE_HOOK: Final = r"""#!/bin/sh
# Refuses what the rules forbid. The rules come in the environment, one a line: ref, when, message.
ref="$1" old="$2" new="$3" none=0000000000000000000000000000000000000000
refuse() {
  echo "error: GH006: Protected branch update failed for $ref." >&2
  echo "error: $1" >&2
  exit 1
}
tab="$(printf '\t')"
while IFS="$tab" read -r name when message; do
  [ "$name" = "$ref" ] || continue
  [ "$when" = always ] && refuse "$message"
  [ "$old" = "$none" ] || git merge-base --is-ancestor "$old" "$new" || refuse "$message"
done <<RULES
$DOUBLE_RULES
RULES
if [ "$DOUBLE_WORKFLOWS" = no ] && [ "$new" != "$none" ]; then
  from="$old"
  [ "$from" = "$none" ] && from="$DOUBLE_DEFAULT"
  [ -n "$from" ] || exit 0
  changed="$(git diff --name-only "$from" "$new" -- .github/workflows | head -n 1)"
  if [ -n "$changed" ]; then
    echo "refusing to allow this token to create or update workflow \`$changed\` without \`workflows\` permission" >&2
    exit 1
  fi
fi
"""


class GitHttp:
    """The git face of the double."""

    def __init__(self, github: GitHub, *, faults: Faults, log: RequestLog) -> None:
        self._github = github
        self._faults = faults
        self._log = log

    async def serve(self, request: Request) -> Response:
        path = request.url.path
        service = self._service(request)
        is_push = service == "git-receive-pack"
        self._faults.interrupt(request.method, path)
        fault = self._faults.take_request(request.method, path)
        actor: Actor | None = None
        try:
            actor = authenticate(self._github, request.headers.get("authorization"))
            repository = self._repository(request, actor, is_push=is_push)
        except Unauthorized:
            response = _challenge()
        except Moved as moved:
            response = Response(status_code=301, headers={"location": moved.location})
        except Refusal as refusal:
            response = _text(refusal.message, refusal.status)
        else:
            if fault is not None and fault.kind == "fails_before":
                response = _text("Server Error", fault.status)
            else:
                response = await self._carry_out(request, actor, repository, is_push=is_push)
                if fault is not None and fault.kind in ("fails_after", "lost"):
                    response = _text("Server Error", fault.status)
        self._note(request, actor, response.status_code, is_write=is_push and request.method == "POST")
        return response

    def _service(self, request: Request) -> str:
        last = request.url.path.rpartition("/")[2]
        return request.query_params.get("service", "") if last == "refs" else last

    def _repository(self, request: Request, actor: Actor, *, is_push: bool) -> Repository:
        name = str(request.path_params["repo"]).removesuffix(".git")
        try:
            repository = self._github.repository(str(request.path_params["owner"]), name)
            require(actor, repository, READ_CODE)
        except NotFound:
            if actor.user is None:
                raise Unauthorized("Authentication required") from None
            raise NotFound("Repository not found.") from None
        if is_push:
            if actor.user is None:
                raise Unauthorized("Authentication required")
            if not may_push(actor, repository):
                raise _denied(actor, repository)
        return repository

    async def _carry_out(self, request: Request, actor: Actor, repository: Repository, *, is_push: bool) -> Response:
        body = await request.body()
        if request.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if not is_push or request.method != "POST":
            return await self._backend(request, actor, repository, body, {})
        rules = [rule for change in read_changes(body) for rule in push_rules(actor, repository, change)]
        _install_hook(repository)
        before = git_store.refs(repository.path)
        extra = {
            "DOUBLE_RULES": "\n".join(_line(rule) for rule in rules),
            "DOUBLE_WORKFLOWS": "yes" if may_push_workflows(actor, repository) else "no",
            "DOUBLE_DEFAULT": before.get(f"refs/heads/{repository.default_branch}", ""),
        }
        response = await self._backend(request, actor, repository, body, extra)
        after = git_store.refs(repository.path)
        for name in sorted(before.keys() | after.keys()):
            change = RefChange(ref=name, old=before.get(name, NO_COMMIT), new=after.get(name, NO_COMMIT))
            if change.old != change.new:
                receive(self._github, actor, repository, change)
        return response

    async def _backend(
        self, request: Request, actor: Actor, repository: Repository, body: bytes, extra: dict[str, str]
    ) -> Response:
        rest = request.url.path.partition(str(request.path_params["repo"]))[2]
        environment = git_environment() | {
            "GIT_PROJECT_ROOT": str(repository.path.parent),
            "PATH_INFO": f"/{repository.path.name}{rest}",
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": request.method,
            "QUERY_STRING": request.url.query,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_USER": actor.name,
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            **extra,
        }
        process = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        written, _ = await process.communicate(body)
        head, _, content = written.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line)
        status = int(headers.pop("Status", "200").partition(" ")[0])
        return Response(content, status, headers)

    def _note(self, request: Request, actor: Actor | None, status: int, *, is_write: bool) -> None:
        self._log.add(
            Entry(
                face="git",
                method=request.method,
                path=request.url.path,
                query=request.url.query,
                actor=actor.name if actor is not None else "anonymous",
                status=status,
                is_write=is_write,
            )
        )


def read_changes(body: bytes) -> list[RefChange]:
    """The commands at the start of a push, in packet lines."""
    changes, place = [], 0
    while place + 4 <= len(body):
        length = int(body[place : place + 4], 16)
        if length == 0:
            break
        line = body[place + 4 : place + length].partition(b"\0")[0].decode().strip()
        place += length
        if line.startswith(("shallow ", "push-cert")):
            continue
        old, new, ref = line.split(" ", 2)
        changes.append(RefChange(ref=ref, old=old, new=new))
    return changes


def _line(rule: PushRule) -> str:
    return f"{rule.ref}\t{rule.when}\t{rule.message}"


def _install_hook(repository: Repository) -> None:
    hook = repository.path / "hooks" / "update"
    if not hook.exists():
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(_UPDATE_HOOK)
        hook.chmod(0o755)


def _challenge() -> Response:
    headers = {"www-authenticate": 'Basic realm="GitHub"'}
    return Response("Authentication required\n", 401, headers, "text/plain")


def _text(message: str, status: int) -> Response:
    """git shows plain text to the person, after `remote:`."""
    return Response(f"{message}\n", status, media_type="text/plain")


def _denied(actor: Actor, repository: Repository) -> Refusal:
    refusal = Refusal(f"Permission to {repository.full_name}.git denied to {actor.name}.")
    refusal.status = 403
    return refusal
