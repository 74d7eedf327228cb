"""A pull request on real git, with people who push to it from a clone of their own, and us beside them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.ids import CaseId, Sha
from caseworker.forges.github.forge import make_github_forge
from caseworker.forges.local_source import LocalSource
from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.ports import GitAnswer, GitLogin, Source
from caseworker.ports.pull_branches import PullPlace, PullTree
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.pull_trees import GitPullBranches
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.github_shop import FAST, Shop, opened_shop
from tests.edges.repositories import Repository, git, new_repository

CASE = CaseId("acme/shop!2")
BRANCH = "topic"
US = "Caseworker <caseworker@localhost>"
START = {"calc.py": "a\nb\nc\nd\ne\nf\ng\n", "notes.txt": "one\ntwo\nthree\n"}


class RacingGit(SafeGit):
    """The real git. Lets somebody act at the last moment before a push."""

    def __init__(self) -> None:
        super().__init__()
        self.before_push: Callable[[], Awaitable[object]] | None = None
        self.has_lease = True

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
        if arguments[0] == "push":
            act, self.before_push = self.before_push, None
            if act is not None:
                await act()
            if not self.has_lease:
                arguments = tuple("--force" if one.startswith("--force-with-lease") else one for one in arguments)
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


@dataclass(kw_only=True)
class PullDesk:
    place: PullPlace
    git: RacingGit
    workspaces: GitWorkspaces
    branches: GitPullBranches
    clone: Repository
    """Where people work. Its remote is the repository of the pull request."""
    shop: Shop | None = None
    """None: it is a repository on this disk."""
    turns: int = 0

    @property
    def mirror(self) -> Path:
        return next(self.clone.path.parent.glob("home/mirrors/*.git"))

    async def run(self, *arguments: str) -> str:
        """A person's git. The GitHub double runs in this very loop, which must not stand still."""
        return await asyncio.to_thread(git, self.clone.path, *arguments)

    async def head(self, branch: str = BRANCH) -> Sha:
        await self.run("fetch", "-q", "--prune", "origin")
        return Sha(await self.run("rev-parse", f"origin/{branch}"))

    async def person_pushes(
        self, files: dict[str, str], *arguments: str, on: str = BRANCH, message: str = "Theirs", as_us: bool = False
    ) -> Sha:
        """`arguments`: what is done before the commit, each a git command. A push that is not forward is forced."""
        await self.head(on)
        await self.run("checkout", "-q", "-f", "-B", on, f"origin/{on}")
        for command in arguments:
            await self.run(*command.split())
        self.clone.write(files)
        await self.run("add", "-A")
        await self.run("commit", "-q", "--allow-empty", "-m", message)
        if as_us:
            await self._forge()
        return await self.person_forces("HEAD", on=on)

    async def _forge(self) -> None:
        """Anybody can write any address."""
        text = (await self.run("cat-file", "commit", "HEAD")).replace("Ada <ada@example.org>", US) + "\n"
        made = await asyncio.to_thread(git, self.clone.path, "hash-object", "-t", "commit", "-w", "--stdin", stdin=text)
        await self.run("reset", "-q", "--hard", made)

    async def person_forces(self, commit: str, *, on: str = BRANCH) -> Sha:
        await self.run("push", "-q", "--force", "origin", f"{commit}:refs/heads/{on}")
        return Sha(await self.run("rev-parse", commit))

    async def base_moves(self, files: dict[str, str]) -> Sha:
        return await self.person_pushes(files, on="main", message="On the base")

    def held(self) -> AbstractAsyncContextManager[None]:
        return self.workspaces.hold(CASE)

    async def checkout(self) -> PullTree:
        async with self.held():
            return await self.branches.checkout(CASE, self.place)

    async def work(self, tree: PullTree, files: dict[str, str | None], *, parent: Sha | None = None) -> Sha:
        """A commit of ours on top of `parent`, or of the head."""
        self.turns += 1
        start = parent or tree.head
        async with self.held():
            await self.workspaces.reset(tree.workspace, start, scrub=True)
            for name, text in files.items():
                file = tree.workspace.path / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.unlink(missing_ok=True)
                if text is not None:
                    file.write_text(text)
            return await self.workspaces.commit(tree.workspace, "Ours", parent=start, name=f"turn-{self.turns}")

    def show(self, commit: Sha, name: str) -> str:
        return git(self.mirror, "show", f"{commit}:{name}")

    def parents(self, commit: Sha) -> list[str]:
        return git(self.mirror, "show", "-s", "--format=%P", commit).split()

    def subjects(self, tree: PullTree, commit: Sha) -> list[str]:
        return git(self.mirror, "log", "--reverse", "--format=%s", f"{tree.base}..{commit}").splitlines()


async def _desk(folder: Path, place: PullPlace, url: str, source: Source, run: RacingGit) -> PullDesk:
    home = folder / "home"
    workspaces = GitWorkspaces(home, source=source, git=run)
    branches = GitPullBranches(home, source=source, workspaces=workspaces, git=run)
    await asyncio.to_thread(git, folder, "clone", "-q", url, "clone")
    return PullDesk(place=place, git=run, workspaces=workspaces, branches=branches, clone=Repository(folder / "clone"))


@asynccontextmanager
async def local_desk(folder: Path) -> AsyncIterator[PullDesk]:
    """On a bare repository of this disk, with a branch of a person's."""
    origin = new_repository(folder / "start", START)
    git(folder, "clone", "-q", "--bare", str(origin.path), "shop.git")
    git(folder / "shop.git", "branch", BRANCH, "main")
    run = RacingGit()
    repository = Repository(folder / "shop.git")
    place = PullPlace(repository=repository.ref, number=2, branch=BRANCH, base_branch="main")
    yield await _desk(folder, place, str(repository.path), LocalSource(run), run)


@asynccontextmanager
async def github_desk(folder: Path) -> AsyncIterator[PullDesk]:
    """On our own GitHub over smart HTTP, where we are an App and people use rita's token."""
    async with opened_shop(folder, START) as shop:
        run = RacingGit()
        forge = make_github_forge(shop.api, shop.store, run, pace=FAST)
        token = create_token(shop.state, shop.state.user("rita"), scopes=["repo", "workflow"])
        url = shop.api.address.git_url(shop.ref).replace("://", f"://rita:{token.value}@")
        place = PullPlace(repository=shop.ref, number=1, branch=BRANCH, base_branch="main")
        desk = await _desk(folder, place, url, forge.source, run)
        await desk.run("checkout", "-q", "-b", BRANCH)
        await desk.run("commit", "-q", "--allow-empty", "-m", "Begin")
        await desk.person_forces("HEAD")
        create_pull(shop.state, shop.people["rita"], shop.repository, title="Topic", head=BRANCH, base="main")
        desk.shop = shop
        yield desk
