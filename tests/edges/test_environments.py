"""The environments of repositories: made once, mounted read-only beside the worktree, never filled by a change."""

import shutil
from pathlib import Path

import pytest

from caseworker.app.parts import make_builder, make_cache
from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId
from caseworker.core.ecosystems.plan_parts import Wanted
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.ports import Workspace
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.environments.tool_versions import ask_versions
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.sandboxed_runs import SandboxedRuns
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, local_workspaces, new_repository

CASE = CaseId("local/calc#1")
OTHER = CaseId("local/calc#2")
SET_UP = (
    "mkdir -p $CASEWORKER_ENV/venv/bin node_modules/left && cp requirements.txt node_modules/left/index.js && "
    'printf "#!/bin/sh\\ncat %s/requirements.txt\\n" $PWD > $CASEWORKER_ENV/venv/bin/show && '
    "chmod +x $CASEWORKER_ENV/venv/bin/show && echo generated > generated.py"
)


class Bench:
    """A repository with a set-up, and the parts that run it."""

    def __init__(self, folder: Path) -> None:
        self.repository: Repository = new_repository(folder / "calc")
        self.repository.commit({"requirements.txt": "left==1\n"})
        self.workspaces: GitWorkspaces = local_workspaces(folder / "home")
        self.settings = Settings(home=folder / "home", setup_hosts=[])
        self.sandbox = Bubblewrap(folder / "sandbox")
        self.builder: SandboxedBuilder = make_builder(self.settings, self.sandbox, self.workspaces)

    async def worktree(self, case: CaseId = CASE) -> Workspace:
        return await self.workspaces.prepare(case, self.repository.ref, None)

    async def build(self, workspace: Workspace, test: str, *, set_up: str = SET_UP) -> list[CommandRun]:
        commands = [Command(purpose=Purpose.SETUP, command=set_up), Command(purpose=Purpose.TEST, command=test)]
        return await self.builder.run(workspace, commands, seconds=60)

    async def alone(self, workspace: Workspace, test: str) -> CommandRun:
        return (await self.builder.run(workspace, [Command(purpose=Purpose.TEST, command=test)], seconds=60))[0]

    @property
    def keys(self) -> list[str]:
        return [kept.known.key for kept in make_cache(self.settings).all()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_what_set_up_made_comes_first_on_the_path(bench: Bench) -> None:
    runs = await bench.build(await bench.worktree(), "show; cat node_modules/left/index.js generated.py")
    assert [run.passed for run in runs] == [True, True]
    assert runs[1].output == "left==1\nleft==1\ngenerated\n"


async def test_the_second_case_takes_it_from_the_cache(bench: Bench) -> None:
    await bench.build(await bench.worktree(), "true")
    workspace = await bench.worktree(OTHER)
    runs = await bench.build(workspace, "show && echo $PWD")
    assert runs[0].from_cache
    assert runs[1].output == f"left==1\n{workspace.path}\n"
    assert len(bench.keys) == 1


@pytest.mark.slow
async def test_a_worktree_keeps_its_environment_when_it_is_prepared_again(bench: Bench) -> None:
    await bench.build(await bench.worktree(), "true")
    assert (await bench.alone(await bench.worktree(), "show")).output == "left==1\n"


@pytest.mark.slow
async def test_a_side_tree_sees_the_environment_with_its_own_path(bench: Bench) -> None:
    first = await bench.worktree()
    await bench.build(first, "true")
    side = await bench.workspaces.branch_off(await bench.worktree(), "diagnostic-1", first.base)
    (side.path / "requirements.txt").write_text("of the side\n")
    assert (await bench.alone(side, "show")).output == "of the side\n"


async def test_tests_can_not_write_to_the_environment(bench: Bench) -> None:
    workspace = await bench.worktree()
    tries = "echo x > $CASEWORKER_ENV/venv/bin/show; echo x > node_modules/left/index.js; echo x > generated.py; show"
    runs = await bench.build(workspace, tries)
    assert runs[1].output.count("Read-only file system") == 3
    assert runs[1].output.endswith("left==1\n")


async def test_what_set_up_made_is_in_no_commit(bench: Bench) -> None:
    workspace = await bench.worktree()
    await bench.build(workspace, "true")
    workspace = await bench.worktree()
    await bench.workspaces.reset(workspace, workspace.base, scrub=True)
    (workspace.path / "calc.py").write_text("changed\n")
    made = await bench.workspaces.commit(workspace, "Change", parent=workspace.base, name="turn-1")
    assert await bench.workspaces.changed(workspace, workspace.base, made) == ["calc.py"]


@pytest.mark.slow
async def test_a_change_of_manifests_gets_an_environment_of_its_own(bench: Bench) -> None:
    workspace = await bench.worktree()
    await bench.build(workspace, "true")
    (workspace.path / "requirements.txt").write_text("right==2\n")
    runs = await bench.build(workspace, "cat node_modules/left/index.js")
    assert runs[1].output == "right==2\n"
    assert len(bench.keys) == 1, "nothing of it is in the shared cache"


async def test_code_under_review_can_not_fill_the_shared_cache(bench: Bench) -> None:
    """The set-up runs a script of the repository, and the change is in that script, not in a manifest."""
    bench.repository.commit({"build.sh": "echo good > $CASEWORKER_ENV/mark\n"})
    workspace = await bench.worktree()
    (workspace.path / "build.sh").write_text("echo poisoned > $CASEWORKER_ENV/mark\n")
    runs = await bench.build(workspace, "cat $CASEWORKER_ENV/mark", set_up="sh build.sh")
    assert runs[1].output == "good\n"
    again = await bench.build(await bench.worktree(OTHER), "cat $CASEWORKER_ENV/mark", set_up="sh build.sh")
    assert again[1].output == "good\n"


async def test_a_failed_set_up_is_not_kept_and_ends_the_build(bench: Bench) -> None:
    runs = await bench.build(await bench.worktree(), "true", set_up="echo half > $CASEWORKER_ENV/x; exit 3")
    assert [(run.purpose, run.exit_code) for run in runs] == [(Purpose.SETUP, 3)]
    assert bench.keys == []


@pytest.mark.slow
async def test_the_least_recently_used_environment_is_removed_first(bench: Bench) -> None:
    for case, text in ((CASE, "a"), (OTHER, "b")):
        bench.repository.commit({"requirements.txt": text})
        await bench.build(await bench.worktree(case), "true")
        await bench.workspaces.remove(case)
    newest = bench.keys[0]
    cache = make_cache(bench.settings.model_copy(update={"cache_gb": 0}))
    assert len(cache.trim(keep=(newest,))) == 1
    assert bench.keys == [newest]


async def test_an_environment_that_a_case_uses_is_not_cleared(bench: Bench) -> None:
    await bench.build(await bench.worktree(), "true")
    assert make_cache(bench.settings).clear() == (0, 0)
    await bench.workspaces.remove(CASE)
    assert make_cache(bench.settings).clear()[0] == 1


async def test_tags_and_history_are_visible_to_tests(bench: Bench) -> None:
    bench.repository.git("tag", "-a", "v1.2.0", "-m", "First")
    bench.repository.git("tag", "light")
    bench.repository.commit({"calc.py": "x = 1\n"})
    ran = await bench.alone(
        await bench.worktree(), "git describe --tags --match 'v*' && git tag && git log --oneline | wc -l"
    )
    described, *rest = ran.output.split()
    assert described.startswith("v1.2.0-1-g")
    assert rest == ["light", "v1.2.0", str(len(bench.repository.git("log", "--oneline").splitlines()))]


async def test_a_submodule_is_there_as_in_the_checkout(bench: Bench, tmp_path: Path) -> None:
    inner = new_repository(tmp_path / "inner")
    inner.commit({"data.txt": "from the submodule\n"})
    bench.repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "vendor/inner")
    bench.repository.git("commit", "-q", "-m", "With a submodule")
    ran = await bench.alone(await bench.worktree(), "cat vendor/inner/data.txt")
    assert ran.output == "from the submodule\n"
    again = await bench.build(await bench.worktree(), "cat vendor/inner/data.txt generated.py")
    assert again[1].output == "from the submodule\ngenerated\n"


async def test_colours_are_not_forbidden_to_tests(bench: Bench) -> None:
    assert (await bench.alone(await bench.worktree(), 'echo "[$NO_COLOR]"')).output == "[]\n"


@pytest.mark.slow
async def test_a_file_of_the_change_is_not_hidden_by_what_set_up_made(bench: Bench) -> None:
    await bench.build(await bench.worktree(), "true")
    workspace = await bench.worktree()
    (workspace.path / "generated.py").write_text("of the change\n")
    assert (await bench.alone(workspace, "cat generated.py")).output == "of the change\n"


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
async def test_a_file_in_lfs_is_there_as_in_the_checkout_and_stays_a_pointer_in_commits(bench: Bench) -> None:
    bench.repository.git("lfs", "install", "--local")
    bench.repository.commit({".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "face.bin": "a face\n"})
    assert bench.repository.git("show", "HEAD:face.bin").startswith("version https://git-lfs")
    tree = await bench.worktree()

    assert (await bench.alone(tree, "cat face.bin")).output == "a face\n"
    (tree.path / "calc.py").write_text("x = 2\n")
    commit = await bench.workspaces.commit(tree, "A change", parent=tree.base, name="1")
    assert await bench.workspaces.changed(tree, tree.base, commit) == ["calc.py"]

    (tree.path / "face.bin").write_text("another face\n")
    assert (await bench.alone(tree, "cat face.bin")).output == "another face\n"
    (tree.path / "face.bin").unlink()
    assert (await bench.alone(tree, "ls face.bin")).exit_code != 0


async def test_a_tool_that_is_there_is_not_called_missing(bench: Bench) -> None:
    prints = {"mix": "echo 'Erlang/OTP 25'; echo; echo 'Mix 1.14.0'", "mute": "exit 3"}
    bench.repository.write({name: f"#!/bin/sh\n{line}\n" for name, line in prints.items()})
    for name in prints:
        (bench.repository.path / name).chmod(0o755)
    bench.repository.commit({})
    wanted = [Wanted(name=name, because="mix.exs") for name in ("./mix", "./mute", "no-such-tool")]

    found = await ask_versions(SandboxedRuns(bench.sandbox, network=None), await bench.worktree(), wanted)

    assert [tool.state for tool in found] == ["Mix 1.14.0", "there, but it did not tell its version", "not there"]


async def test_yarn_lays_packages_into_the_tree_in_set_up_and_tests(bench: Bench) -> None:
    """Its other way points into a cache that is not kept."""
    said = 'echo "$YARN_NODE_LINKER"'
    runs = await bench.build(await bench.worktree(), f"cat generated.py; {said}", set_up=f"{said} > generated.py")
    assert runs[1].output == "node-modules\nnode-modules\n"


ASKS_FIRST = "test -w node_modules && mkdir node_modules/.cache/linter && echo made > node_modules/.cache/linter/found"


async def test_a_tool_may_write_to_the_top_of_node_modules_for_one_command(bench: Bench) -> None:
    workspace = await bench.worktree()
    runs = await bench.build(workspace, f"{ASKS_FIRST} && cat node_modules/.cache/linter/found")
    assert runs[1].output == "made\n"
    left = await bench.alone(await bench.worktree(), "ls -A node_modules node_modules/.cache/")
    assert "linter" not in left.output


@pytest.mark.parametrize("change", ["mv node_modules/left away", "rm -r node_modules/left", "rmdir node_modules/left"])
async def test_packages_can_not_be_moved_away_from_node_modules(bench: Bench, change: str) -> None:
    runs = await bench.build(await bench.worktree(), f"{change}; cat node_modules/left/index.js")
    assert runs[1].output.endswith("left==1\n")


async def test_a_link_to_a_package_of_the_worktree_is_kept_below_a_writable_top(bench: Bench) -> None:
    set_up = "mkdir -p node_modules/left && echo 1 > node_modules/left/x && ln -s ../packages/own node_modules/own"
    runs = await bench.build(await bench.worktree(), "readlink node_modules/own; mkdir node_modules/new", set_up=set_up)
    assert runs[1].passed
    assert runs[1].output == "../packages/own\n"


@pytest.mark.parametrize("to", [".store/left", "../node_modules/.store/left"])
async def test_a_link_to_a_package_can_not_be_replaced(bench: Bench, to: str) -> None:
    set_up = f"mkdir -p node_modules/.store/left && ln -s {to} node_modules/left && echo 1 > node_modules/left/x"
    test = "readlink node_modules/left; cat node_modules/left/x; rm node_modules/left"
    runs = await bench.build(await bench.worktree(), test, set_up=set_up)
    assert runs[1].output.startswith(f"{to}\n1\n")
    assert "Read-only file system" in runs[1].output


async def test_packages_that_are_too_many_are_mounted_as_one_folder(bench: Bench) -> None:
    set_up = "mkdir node_modules && cd node_modules && for n in $(seq 700); do echo 1 > p$n; done"
    runs = await bench.build(await bench.worktree(), "ls node_modules | wc -l; mkdir node_modules/new", set_up=set_up)
    assert runs[1].output.startswith("700\n")
    assert "Read-only file system" in runs[1].output
