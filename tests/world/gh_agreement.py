"""Holds the verdict at the end of a scenario against GitHub's own `gh`: what it shows, and whether it merges."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.pull.reasons import ReasonKind
from caseworker.forges.github.connect import connect
from caseworker.forges.github.github_access import GitHubAccess
from caseworker.forges.github.probe import GitHubProbe
from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.double_server import listening
from caseworker.github_double.entities.repository import PullRequest
from caseworker.views.readiness import look_and_judge
from tests.world.gh_command import GH, checks_exit, gh_environment
from tests.world.github_office import GitHubOffice


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """One row: our verdict, what `gh` should do by it, and what it did."""

    outcome: str
    reasons: tuple[ReasonKind, ...]
    expected: tuple[str, str, int]
    """Merge state, review decision, and the exit code of `gh pr checks`."""
    shown: tuple[str, str, int]
    merged: bool
    """Whether `gh pr merge` merged it."""
    told: str
    """What `gh pr merge` wrote."""


async def hold_against_gh(office: GitHubOffice, pull: PullRequest) -> Agreement:
    """Asks `gh` as somebody who may write and is no admin. It really tries to merge: call it last."""
    state = office.github.state
    gina = office.github.user("gina", role="write", on=office.shop)
    token = create_token(state, gina.user, scopes=("repo", "workflow", "read:org")).value
    was_merged = pull.merged is not None

    def later() -> datetime:
        """The checks of the head have settled."""
        return state.now() + timedelta(hours=1)

    api = connect(GitHubAccess(api_url=state.api_url, token=token))
    shop = RemoteRepository(host=api.address.host, owner=office.shop.owner.login, name=office.shop.name)
    facts, verdict = await look_and_judge(GitHubProbe(api), shop, pull.number, clock=later)
    with TemporaryDirectory() as name:
        folder = Path(name)
        environment = gh_environment(folder, folder / "s.sock", token, office.shop.full_name)
        async with listening(office.github.double.application(), uds=folder / "s.sock"):
            _, view = await _gh(environment, "view", pull, "--json", "mergeStateStatus,reviewDecision")
            checks, _ = await _gh(environment, "checks", pull)
            _, told = await _gh(environment, "merge", pull, "--merge")
    seen = json.loads(view)
    return Agreement(
        outcome=verdict.outcome,
        reasons=tuple(reason.kind for reason in verdict.reasons),
        expected=(
            (facts.mergeability.state or "").upper(),
            (facts.reviews.decision or "").upper(),
            checks_exit(facts),
        ),
        shown=(seen["mergeStateStatus"], seen["reviewDecision"], checks),
        merged=pull.merged is not None and not was_merged,
        told=told,
    )


async def _gh(environment: dict[str, str], verb: str, pull: PullRequest, *more: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        GH,
        "pr",
        verb,
        str(pull.number),
        *more,
        env=environment,
        cwd=environment["HOME"],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    written, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, written.decode()
