"""What only the GitHub forge does: tokens of git, races with people, rules, templates, checks and tools."""

import base64
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import LocalRepository, RemoteRepository
from caseworker.forges.forge_choice import make_choice
from caseworker.forges.github.forge import make_github_forge
from caseworker.forges.github.state_tools import DIFF_BYTES, StateTools
from caseworker.forges.github.writes import AddComment, OpenPull, RerunFailedJobs
from caseworker.forges.local import LocalForge
from caseworker.forges.local_pulls import LocalPulls
from caseworker.forges.local_source import LocalSource
from caseworker.github_double.acts.check_acts import CheckReport, add_check_run, open_suite
from caseworker.github_double.acts.push_acts import write_file
from caseworker.github_double.acts.repository_acts import add_ruleset, create_repository, protect, rename_repository
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job
from caseworker.github_double.entities.protection import RequiredCheck, Rule
from caseworker.ports import BranchIsTheirs, GitAnswer, GitLogin, PullRequest
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.github_shop import BRANCH, CASE, FAST, Shop, opened_shop

TEMPLATE = "## Description\n<!-- say what -->\n\n## Checklist\n\n- [ ] tests\n"


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path, {".github/PULL_REQUEST_TEMPLATE.md": TEMPLATE}) as opened:
        yield opened


async def _open(shop: Shop, files: dict[str, str] | None = None) -> PullRequest:
    commit = await shop.work(files or {"calc.py": "x = 2\n"})
    await shop.push(commit)
    draft = PullRequest(
        repository=await shop.register(),
        number=0,
        case=None,
        title="Fix",
        body="## What\n\nSets x.",
        base="main",
        head=BRANCH,
        head_sha=commit,
        state="open",
        url="",
    )
    return await shop.forge.pulls.open(draft)


class RecordingGit(SafeGit):
    """The real git; keeps every argument that another process of this machine could see."""

    def __init__(self) -> None:
        super().__init__()
        self.arguments: list[str] = []

    async def __call__(
        self,
        *arguments: str,
        git_dir: Path | None = None,
        work_tree: Path | None = None,
        inside: Path | None = None,
        stdin: bytes = b"",
        accept: Sequence[int] = (0,),
        login: GitLogin | None = None,
        most: int | None = None,
    ) -> GitAnswer:
        self.arguments += [*arguments, repr(login)]
        return await super().__call__(
            *arguments,
            git_dir=git_dir,
            work_tree=work_tree,
            inside=inside,
            stdin=stdin,
            accept=accept,
            login=login,
            most=most,
        )


async def test_gits_token_is_in_no_argument_file_or_error(shop: Shop) -> None:
    git = RecordingGit()
    shop.forge = make_github_forge(shop.api, shop.store, git, pace=FAST)
    shop.workspaces = GitWorkspaces(shop.folder / "home", source=shop.forge.source, git=git, walls=False)
    await shop.push(await shop.work({"calc.py": "x = 2\n"}))
    other = await shop.work({"calc.py": "x = 3\n"}, name="turn-2")
    for issued in shop.state.tokens.values():
        issued.permissions["contents"] = "read"
    with pytest.raises(Refused, match="GitHub does not let Caseworker push to acme/shop") as refused:
        await shop.push(other, branch="agent/issue-2")
    assert any(argument.endswith("/acme/shop.git") for argument in git.arguments)
    shown = [*git.arguments, str(refused.value)]
    files = [path for path in (shop.folder / "home").rglob("*") if path.is_file()]
    for token in shop.state.tokens:
        secret = base64.b64encode(f"x-access-token:{token}".encode())
        assert not [one for one in shown if token in one or secret.decode() in one]
        assert not [path for path in files for held in [path.read_bytes()] if token.encode() in held or secret in held]


async def test_without_a_login_git_reaches_no_server(shop: Shop) -> None:
    with pytest.raises(Refused, match="transport 'http' not allowed"):
        await SafeGit()("ls-remote", shop.api.address.git_url(shop.ref), inside=shop.folder)


@pytest.mark.parametrize("moment", ["after our look", "while git pushes"])
async def test_a_person_who_pushes_between_look_and_push_wins(shop: Shop, moment: str) -> None:
    first = await shop.work({"calc.py": "x = 2\n"})
    await shop.push(first)
    second = await shop.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    olga = shop.people["olga"]

    def theirs() -> None:
        write_file(shop.state, olga, shop.repository, "t.txt", b"1", message="Theirs", branch=BRANCH)

    faults = shop.double.faults
    if moment == "after our look":  # the first question for refs is our look, the second one git's own
        faults.before("info/refs$", lambda: faults.before("info/refs$", theirs))
    else:
        faults.before("git-receive-pack$", theirs, method="POST")
    with pytest.raises(BranchIsTheirs, match="which Caseworker did not push"):
        await shop.push(second, expected=first)
    assert await shop.branch_head() not in (first, second)


async def test_a_push_whose_answer_was_lost_counts_as_done(shop: Shop) -> None:
    commit = await shop.work({"calc.py": "x = 2\n"})
    shop.double.faults.request("lost", "git-receive-pack$", method="POST")
    await shop.push(commit)
    assert await shop.branch_head() == commit


async def test_a_protected_branch_is_not_pushed_to(shop: Shop) -> None:
    first = await shop.work({"calc.py": "x = 2\n"})
    await shop.push(first)
    protect(shop.state, shop.people["olga"], shop.repository, "agent/*")
    second = await shop.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    with pytest.raises(Refused, match=f"{BRANCH} of acme/shop is protected; Caseworker does not push there"):
        await shop.push(second, expected=first)
    assert await shop.branch_head() == first


async def test_a_default_branch_under_our_prefix_is_refused(shop: Shop) -> None:
    commit = await shop.work({"calc.py": "x = 2\n"})
    shop.repository.default_branch = "agent/main"
    with pytest.raises(Refused, match="never pushes to the default branch"):
        await shop.push(commit, branch="agent/main")


async def test_an_empty_or_absent_repository_is_refused_with_what_to_do(shop: Shop) -> None:
    create_repository(shop.state, shop.acme, "empty")
    for name, words in (("empty", "has no commit yet"), ("absent", "not installed on acme/absent|has no repository")):
        ref = RemoteRepository(host=shop.ref.host, owner="acme", name=name)
        with pytest.raises(Refused, match=words):
            await shop.forge.source.head(ref)


@pytest.mark.slow
async def test_the_repositorys_template_is_filled_and_read_back(shop: Shop) -> None:
    opened = await _open(shop)
    assert opened.body == "## Description\n\nSets x.\n\n## Checklist\n\n- [ ] tests"
    assert shop.repository.pulls[1].issue.author.login == "caseworker[bot]"


@pytest.mark.slow
async def test_required_checks_are_told_from_protection_and_rulesets(shop: Shop) -> None:
    opened = await _open(shop)
    olga = shop.people["olga"]
    protect(shop.state, olga, shop.repository, "main", checks=["unit"])
    add_ruleset(
        shop.state,
        olga,
        shop.repository,
        "Checks",
        [Rule(type="required_status_checks", checks=(RequiredCheck(context="lint"),))],
    )
    suite = open_suite(shop.state, shop.repository, shop.installation.app, opened.head_sha)
    bot = shop.installation.app.bot
    add_check_run(
        shop.state, bot, shop.repository, suite, "unit", CheckReport(status="completed", conclusion="failure")
    )
    add_check_run(shop.state, bot, shop.repository, suite, "docs", CheckReport(status="in_progress"))
    checks = await shop.forge.checks.of(shop.ref, opened.head_sha, base="main")
    assert [(one.name, one.state, one.required) for one in checks] == [
        ("unit", "failed", True),
        ("docs", "pending", False),
        ("lint", "missing", True),
    ]
    tools = StateTools(shop.api, shop.ref, opened.number)
    rollup = await tools.get_pr_state_check_rollup()
    assert (rollup.state, [row.name for row in rollup.checks]) == ("failed", ["lint", "unit", "docs"])
    protection = await tools.get_branch_protection()
    assert (protection.protected, sorted(protection.required_checks)) == (True, ["lint", "unit"])
    assert (await tools.get_branch_protection("agent/issue-1")).protected is False


@pytest.mark.slow
async def test_the_tools_show_files_diff_comments_and_runs_within_caps(shop: Shop) -> None:
    opened = await _open(shop, {"calc.py": "x = 2\n", "notes.txt": "long line\n" * 9_000})
    pull = shop.repository.pulls[opened.number]
    for number in range(31):
        shop.says("rita", pull.issue, "y" * 5_000 if number == 0 else f"comment {number}")
    tools = StateTools(shop.api, shop.ref, opened.number)
    files = await tools.get_pr_files()
    assert [(one.path, one.status) for one in files.files] == [("calc.py", "modified"), ("notes.txt", "modified")]
    diff = await tools.get_pr_diff()
    assert diff.truncated
    assert len(diff.text) < DIFF_BYTES + 100
    assert diff.text.endswith("bytes]")
    first, second = await tools.list_pr_comments(), await tools.list_pr_comments(2)
    assert (len(first.comments), first.has_more, len(second.comments), second.has_more) == (30, True, 1, False)
    assert first.comments[0].body.endswith("[cut: 1,000 of 5,000 bytes]")
    run = begin_run(
        shop.state,
        shop.installation.app,
        shop.repository,
        name="CI",
        path=".github/workflows/ci.yml",
        event="push",
        sha=opened.head_sha,
        branch=BRANCH,
        actor=shop.state.user("rita"),
    )
    assert (await tools.get_workflow_run(run.id)).attempt == 1


async def test_comments_and_labels_through_their_ports(shop: Shop) -> None:
    issue = shop.issue()
    comments, labels = shop.forge.comments, shop.forge.labels
    made = [await comments.write(shop.ref, issue.number, "Seen.", key="one") for _ in range(2)]
    assert made[0] == made[1]
    await comments.change(shop.ref, made[0].id, "Done.")
    await comments.react(shop.ref, made[0].id, "rocket")
    await labels.add(shop.ref, issue.number, "bot:plan")
    assert await labels.of(shop.ref, issue.number) == ["bot:plan"]
    await labels.remove(shop.ref, issue.number, "bot:plan")
    assert [one.text.partition("\n")[0] for one in await comments.of(shop.ref, issue.number)] == ["Done."]
    await comments.remove(shop.ref, made[0].id)
    assert await comments.of(shop.ref, issue.number) == []


async def test_a_renamed_repository_is_told_and_no_token_follows(shop: Shop) -> None:
    await shop.reader.repository(shop.ref)
    rename_repository(shop.state, shop.people["olga"], shop.repository, "store")
    with pytest.raises(Refused, match="renamed or transferred"):
        await shop.reader.repository(shop.ref)


@pytest.mark.slow
async def test_failed_jobs_are_run_again_once(shop: Shop) -> None:
    opened = await _open(shop)
    run = begin_run(
        shop.state,
        shop.installation.app,
        shop.repository,
        name="CI",
        path=".github/workflows/ci.yml",
        event="push",
        sha=opened.head_sha,
        branch=BRANCH,
        actor=shop.state.user("rita"),
    )
    job = add_job(shop.state, shop.repository, run, "unit")
    report_job(shop.state, shop.repository, job, CheckReport(status="completed", conclusion="failure"))
    results = [await shop.broker.do(shop.ref, RerunFailedJobs(run=run.id, attempt=1)) for _ in range(2)]
    assert [one.new for one in results] == [True, False]


@pytest.mark.slow
async def test_calls_go_to_the_forge_of_the_repositorys_kind(shop: Shop) -> None:
    pulls = LocalPulls(repositories=shop.store.repositories, records=shop.store.pulls, git=SafeGit())
    local = LocalForge(source=LocalSource(SafeGit()), pulls=pulls)
    both = make_choice(local=local, remote=shop.forge, repositories=shop.store.repositories)
    here = LocalRepository(path=shop.origin.path)
    assert (await both.source.head(here)).commit == (await both.source.head(shop.ref)).commit
    opened = await _open(shop)
    assert await both.pulls.find(opened.repository, BRANCH) == opened
    alone = make_choice(local=local, remote=None, repositories=shop.store.repositories)
    with pytest.raises(Refused, match=r"no access to GitHub\. Set CASEWORKER_GITHUB_TOKEN"):
        await alone.source.head(shop.ref)
    with pytest.raises(Refused, match="Caseworker has no access to GitHub"):
        await alone.pulls.find(opened.repository, BRANCH)


async def test_nothing_that_we_send_is_outside_the_list_of_writes(shop: Shop) -> None:
    opened = await _open(shop)
    await shop.broker.do(shop.ref, AddComment(number=opened.number, text="Ready.", key="one"))
    await shop.broker.do(shop.ref, OpenPull(title="Fix", body="", head=BRANCH, base="main"))
    assert shop.written() == ["POST /pulls", "POST /issues/1/comments"]
    assert shop.repository.pulls[1].is_open
    assert Sha(opened.head_sha) == await shop.branch_head()
    assert shop.workspace.case == CASE
