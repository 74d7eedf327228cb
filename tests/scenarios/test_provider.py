"""A case with an API key: the model is called over HTTP at a fake provider, and the key stays in the gateway."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from caseworker.core.base.ids import CaseId, slug
from caseworker.core.base.roles import Role, Task
from tests.edges.agents_provider import Provider, provider, rehearsed
from tests.world.project import git, make_project
from tests.world.terminal import REHEARSAL, Terminal, open_terminal

STRAIGHT = [
    (Role.PM, Task.TRIAGE),
    (Role.ANALYST, Task.ANALYZE),
    (Role.TESTER, Task.CREATE_TESTS),
    (Role.DEVELOPER, Task.IMPLEMENT),
    (Role.TECH_LEAD, Task.REVIEW),
]
KEY = "sk-ant-api03-this-is-the-key-0123456789"
SIGNS = {
    "project manager:": Role.PM,
    "analyst:": Role.ANALYST,
    "tester:": Role.TESTER,
    "developer:": Role.DEVELOPER,
    "tech lead:": Role.TECH_LEAD,
}


PULL_TEXT = "{title: Greet the world, opening: The greeting named no world. Now it does.}"
QUESTIONS = f"{{version: 1, turns: [], questions: [{{purpose: pr_text, steps: [{{answer: {PULL_TEXT}}}]}}]}}"


class WholeCast(Provider):
    """A provider that answers each role from its part of the script. The role is read from the system prompt. The one
    single question, which has no role, is for the pull request's text."""

    def cast(self, script: str, workspace: Path) -> None:
        self.parts = {role: rehearsed(script, role, task, workspace=workspace) for role, task in STRAIGHT}

    async def answer(self, request: Request) -> Response:
        role = _role(await request.json())
        if role is None:
            self.answers(QUESTIONS, "pr_text")
        else:
            self.model = self.parts[role]
        return await super().answer(request)


def _role(document: dict[str, Any]) -> Role | None:
    system = json.dumps(document["system"])
    return next((role for sign, role in SIGNS.items() if f"You are the {sign}" in system or sign in system), None)


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[WholeCast]:
    async with provider(REHEARSAL.read_text(), kind=WholeCast) as api:
        assert isinstance(api, WholeCast)
        api.cast(REHEARSAL.read_text(), tmp_path / "home" / "workspaces" / slug(CaseId("local/project#1")) / "tree")
        yield api


@pytest.mark.slow
async def test_a_case_with_an_api_key_is_charged_and_never_stores_the_key(api: WholeCast, tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    issue = tmp_path / "issue.md"
    issue.write_text("# The greeting misspells the world\n")
    environment = {"ANTHROPIC_API_KEY": KEY, "CASEWORKER_ANTHROPIC_BASE_URL": api.url}
    with open_terminal(tmp_path / "home", **environment) as terminal:
        answer = await asyncio.to_thread(terminal.types, "run", "--repo", project, "--issue", issue)
        assert answer.code == 0, answer.err + terminal.host_log()
        assert git(project, "show", "agent/issue-1:greeting.txt") == "Hello world"
        assert "rehearsed" not in answer.out
        assert "agent/issue-1 is ready to merge into main: Greet the world" in answer.out
        shown = await asyncio.to_thread(terminal.reads_json, "show", "#1")
        await asyncio.to_thread(terminal.types, "host", "stop")
        assert_key_is_nowhere(terminal)
    summary = shown["summary"]
    assert isinstance(summary, dict)
    assert summary["cost_micros"] > 0
    assert summary["model_calls"] == len(api.requests)
    assert {headers["x-api-key"] for headers in api.headers} == {KEY}
    assert KEY not in answer.out + answer.err + json.dumps(shown)


def assert_key_is_nowhere(terminal: Terminal) -> None:
    files = [path for path in terminal.home.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
