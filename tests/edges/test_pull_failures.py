"""What is known about red checks, read by the real client from our own GitHub."""

import tracemalloc
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import Sha
from caseworker.core.pull.ci_minutes import CiMinutes
from caseworker.core.pull.failure_signature import signature_lines, signature_of
from caseworker.core.pull.failures import FailedCheck, WorkflowAttempt, kind_of
from caseworker.forges.github.address import ApiAddress
from caseworker.forges.github.failure_reads import GitHubFailures
from caseworker.forges.github.probe import GitHubProbe
from caseworker.forges.github.transport import Transport
from caseworker.github_double.acts.check_acts import create_status
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.acts.workflow_acts import add_job
from caseworker.github_double.ci.listener import run_ci
from caseworker.github_double.entities.repository import PullRequest
from caseworker.github_double.git_store import branches
from caseworker.ports.pull_failures import PullFailures
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.github_stage import propose
from tests.world.scripted_ci import ScriptedCi, long_log


@dataclass
class Scene:
    """A pull request of rita's from `fix`, and CI that says what a test wants."""

    shop: Shop
    ci: ScriptedCi
    pull: PullRequest
    port: PullFailures

    @property
    def head(self) -> str:
        return self.pull.head.sha

    @property
    def base(self) -> str:
        return branches(self.shop.repository.path)["main"]

    def main_moves(self) -> None:
        propose(self.shop.state, self.shop.people["olga"], self.shop.repository, "main", "more.txt", b"more\n")

    async def failed(self) -> list[FailedCheck]:
        facts = await GitHubProbe(self.shop.api).look(self.shop.ref, self.pull.number)
        return list(await self.port.failed(self.shop.ref, facts))

    async def kinds(self) -> dict[str, str]:
        return {one.name: kind_of(one) for one in await self.failed()}

    def read(self, part: str) -> list[str]:
        """The requests whose path has this part."""
        return [entry.path for entry in self.shop.double.log.entries if part in entry.path]


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with opened_shop(tmp_path) as shop:
        rita = shop.people["rita"]
        propose(shop.state, rita, shop.repository, "fix", "calc.py", b"x = 2\n")
        pull = create_pull(shop.state, rita, shop.repository, title="Fix", head="fix", base="main", body="")
        ci = ScriptedCi(shop.state, shop.repository, rita)
        yield Scene(shop, ci, pull, GitHubFailures(shop.api, shop.broker))


async def test_a_failed_job_has_log_annotations_attempt_and_address(scene: Scene) -> None:
    run = scene.ci.runs(scene.head, {"unit": "failure", "lint": "success"})
    [check] = await scene.failed()
    assert (check.name, check.app, check.head) == ("unit", "github-actions", scene.head)
    assert check.newest.id == str(run.jobs[0].id)
    assert check.newest.of == WorkflowAttempt(
        run=run.id, attempt=1, workflow=".github/workflows/ci.yml", event="pull_request"
    )
    assert check.url.endswith(f"/actions/runs/{run.id}/job/{run.jobs[0].id}")
    assert check.since is not None
    assert [one.message for one in check.annotations] == ["Process completed with exit code 1."]
    assert check.log_tail == run.jobs[0].log
    assert check.unread == ()
    assert kind_of(check) == "ours"


async def test_nothing_is_read_where_nothing_failed(scene: Scene) -> None:
    scene.ci.runs(scene.head, {"unit": "success"})
    assert await scene.failed() == []
    assert scene.read("/check-runs") == []


async def test_two_results_on_one_commit_are_a_flake_with_both_attempts(scene: Scene) -> None:
    run = scene.ci.runs(scene.head, {"unit": "failure"})
    first = signature_of((await scene.failed())[0])
    scene.ci.again(run, {"unit": "success"})
    assert await scene.failed() == []
    scene.ci.runs(scene.head, {"unit": "failure"})
    [check] = await scene.failed()
    assert [(one.state, one.of.attempt if one.of else 0) for one in check.results] == [
        ("failed", 1),
        ("passed", 2),
        ("failed", 1),
    ]
    assert kind_of(check) == "flake"
    assert signature_of(check) == first


async def test_a_push_that_passed_does_not_make_the_trial_merge_flaky(scene: Scene) -> None:
    scene.ci.runs(scene.head, {"unit": "success"}, event="push")
    scene.ci.runs(scene.head, {"unit": "failure"}, event="pull_request")
    assert await scene.kinds() == {"unit": "ours"}


@pytest.mark.parametrize("where", ["base", "merge base"])
async def test_a_check_that_is_red_on_the_base_is_told_apart(scene: Scene, where: str) -> None:
    old = scene.base
    scene.main_moves()
    scene.ci.runs(scene.base, {"unit": "failure" if where == "base" else "success"}, event="push")
    scene.ci.runs(old, {"unit": "failure" if where == "merge base" else "success"}, event="push")
    scene.ci.runs(scene.head, {"unit": "failure"})
    [check] = await scene.failed()
    assert kind_of(check) == "red_on_base"
    assert (check.without_change.base, check.without_change.merge_base) == (scene.base, old)


async def test_a_job_of_that_name_in_another_workflow_says_nothing_of_the_base(scene: Scene) -> None:
    nightly = ScriptedCi(scene.shop.state, scene.shop.repository, scene.shop.people["rita"], workflow="nightly.yml")
    nightly.runs(scene.base, {"unit": "failure"}, event="schedule")
    scene.ci.runs(scene.head, {"unit": "failure"})
    assert await scene.kinds() == {"unit": "ours"}


@pytest.mark.parametrize("end", ["cancelled", "timed_out", "startup_failure", "stale"])
async def test_what_was_not_carried_to_its_end_is_infrastructure(scene: Scene, end: str) -> None:
    scene.ci.runs(scene.head, {"unit": end})  # type: ignore[dict-item]  # each is a conclusion
    assert await scene.kinds() == {"unit": "infrastructure"}


async def test_a_check_of_another_app_has_annotations_on_all_pages_and_no_log(scene: Scene) -> None:
    remarks = tuple(f"finding {chr(97 + one % 26)}{chr(97 + one // 26)}" for one in range(150))
    await scene.ci.another_app(scene.head, "scan", "failure", remarks=remarks)
    [check] = await scene.failed()
    assert (check.app, check.rerun, check.log_tail, check.unread) == ("scanner", None, "", ())
    assert [one.message for one in check.annotations] == list(remarks)
    assert check.summary == "scan\n\nWhat it found"
    assert scene.read("/logs") == []


async def test_a_commit_status_has_its_address_and_its_results(scene: Scene) -> None:
    shop, rita = scene.shop, scene.shop.people["rita"]
    for state in ("success", "failure"):
        create_status(
            shop.state,
            rita,
            shop.repository,
            sha=scene.head,
            state=state,
            context="ci/old",
            description="It broke",
            target_url="https://ci.example/7",
        )
    create_status(shop.state, rita, shop.repository, sha=scene.base, state="failure", context="ci/old")
    [check] = await scene.failed()
    assert (check.name, check.app, check.url, check.summary) == ("ci/old", "", "https://ci.example/7", "It broke")
    assert [one.state for one in check.results] == ["passed", "failed"]
    assert (kind_of(check), check.without_change.is_red, check.rerun) == ("flake", True, None)


async def test_of_a_log_of_20_megabytes_only_the_end_is_sent(scene: Scene) -> None:
    scene.ci.runs(scene.head, {"unit": "failure"}, log=long_log(20_000_000))
    [check] = await scene.failed()
    assert len(check.log_tail) == 100_000
    assert signature_lines(check) == ("FAILED tests/test_cart.py::test_it - AssertionError: assert # == #",)
    answers = [entry.status for entry in scene.shop.double.log.entries if "/_logs/" in entry.path]
    assert answers == [200, 206]  # the first was left after its headers


class _Endless(httpx.AsyncBaseTransport):
    """Storage that tells no length and knows no ranges."""

    def __init__(self, parts: int) -> None:
        self._parts = parts

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async def content() -> AsyncIterator[bytes]:
            part = b"a line of ordinary output\n" * 2_500
            for _ in range(self._parts):
                yield part
            yield b"the end"

        return httpx.Response(200, content=content(), request=request)


async def test_a_storage_without_ranges_costs_no_more_memory_for_a_longer_log() -> None:
    peaks = []
    for parts in (20, 300):  # 1.3 and 20 megabytes
        transport = Transport(ApiAddress(), inner=_Endless(parts))
        tracemalloc.start()
        text = await transport.open_text("https://logs.example/1")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert text.endswith("the end")
        assert len(text) == 100_000
    assert max(peaks) < 2_000_000


@pytest.mark.slow
async def test_required_checks_come_first_and_of_many_only_some_are_read_in_full(scene: Scene) -> None:
    protect(scene.shop.state, scene.shop.people["olga"], scene.shop.repository, "main", checks=["job 24"])
    scene.ci.runs(scene.head, {f"job {number}": "failure" for number in range(25)})
    found = await scene.failed()
    assert (len(found), found[0].name, found[0].is_required) == (25, "job 24", True)
    assert [one.unread for one in found] == [()] * 20 + [("annotations", "log")] * 5


async def test_a_log_that_is_gone_is_said_to_be_unread(scene: Scene) -> None:
    run = scene.ci.runs(scene.head, {"unit": "failure"})
    run.jobs[0].log = ""
    [check] = await scene.failed()
    assert (check.log_tail, check.unread) == ("", ("log",))


async def test_a_storage_that_fails_is_no_answer(scene: Scene) -> None:
    scene.ci.runs(scene.head, {"unit": "failure"})
    scene.shop.double.faults.request("fails_before", "/_logs", status=503)
    with pytest.raises(Transient):
        await scene.failed()


@pytest.mark.slow
async def test_failed_jobs_are_tried_again_once_per_attempt(scene: Scene) -> None:
    run = scene.ci.runs(scene.head, {"unit": "failure", "lint": "success"})
    [check] = await scene.failed()
    assert check.rerun is not None
    asked = [await scene.port.rerun(scene.shop.ref, check.rerun) for _ in range(2)]
    assert asked == ["begun", "begun_before"]
    scene.ci.finishes(run, {"unit": "failure"})
    [again] = await scene.failed()
    assert again.rerun == check.rerun.model_copy(update={"attempt": 2})
    assert [one.of.attempt for one in again.results if one.of] == [1, 2]
    assert await scene.kinds() == {"unit": "ours"}


async def test_a_rerun_is_not_possible_while_the_attempt_runs_or_when_the_run_is_gone(scene: Scene) -> None:
    run = scene.ci.runs(scene.head, {"unit": "failure"})
    add_job(scene.shop.state, scene.shop.repository, run, "slow")
    here = WorkflowAttempt(run=run.id)
    assert await scene.port.rerun(scene.shop.ref, here) == "still_running"
    assert await scene.port.rerun(scene.shop.ref, WorkflowAttempt(run=1)) == "refused"
    passed = scene.ci.runs(scene.base, {"unit": "success"})
    assert await scene.port.rerun(scene.shop.ref, WorkflowAttempt(run=passed.id)) == "refused"


async def test_minutes_of_all_attempts_are_added_up(scene: Scene) -> None:
    run = scene.ci.runs(scene.head, {"unit": "failure", "lint": "success"})
    scene.ci.again(run, {"unit": "success"})
    scene.ci.runs(scene.base, {"unit": "success"}, event="push")
    on_head = await scene.port.minutes(scene.shop.ref, [Sha(scene.head), Sha(scene.head)])
    assert (on_head.jobs, on_head.minutes, on_head.unfinished) == (3, 6, 0)
    assert 3 * 90 <= on_head.seconds < 3 * 120
    add_job(scene.shop.state, scene.shop.repository, run, "slow")
    both = await scene.port.minutes(scene.shop.ref, [Sha(scene.head), Sha(scene.base)])
    assert (both.jobs, both.unfinished) == (4, 1)
    assert await scene.port.minutes(scene.shop.ref, []) == CiMinutes()


WORKFLOW = """\
on: pull_request
jobs:
  unit:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          echo "made $(mktemp -d) at $(date)"
          echo "$(pwd)/calc.py:$RANDOM: AssertionError in process $$"
          exit 1
"""


@pytest.mark.slow
async def test_two_attempts_that_really_ran_have_one_signature(tmp_path: Path) -> None:
    async with opened_shop(tmp_path, {".github/workflows/ci.yml": WORKFLOW}) as shop, run_ci(shop.state) as ci:
        rita, port = shop.people["rita"], GitHubFailures(shop.api, shop.broker)
        propose(shop.state, rita, shop.repository, "fix", "calc.py", b"x = 2\n")
        pull = create_pull(shop.state, rita, shop.repository, title="Fix", head="fix", base="main", body="")
        scene = Scene(shop, ScriptedCi(shop.state, shop.repository, rita), pull, port)
        await ci.idle()
        [first] = await scene.failed()
        assert first.rerun is not None
        assert await port.rerun(shop.ref, first.rerun) == "begun"
        await ci.idle()
        [second] = await scene.failed()
    assert signature_lines(first) == ("<tmp>/calc.py:#: AssertionError in process #",)
    assert [one.of.attempt for one in second.results if one.of] == [1, 2]
    assert first.log_tail != second.log_tail
    assert signature_of(first) == signature_of(second)
