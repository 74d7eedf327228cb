"""One push to GitHub: only to branches of ours that no rule protects, and never over what a person has pushed."""

from dataclasses import dataclass

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import Sha, typed
from caseworker.core.base.repositories import OUR_BRANCHES, RemoteRepository
from caseworker.forges.dropped_commits import drops_others_work, git_dir_of, refuse_branch
from caseworker.forges.github.counted_writes import CountedWrites
from caseworker.forges.github.https_git import HttpsGit
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.writes import PushBranch, Written
from caseworker.ports import BranchIsTheirs


@dataclass(frozen=True, kw_only=True)
class RemotePush:
    git: HttpsGit
    writes: CountedWrites
    reader: GitHubReader

    async def carry_out(self, repository: RemoteRepository, push: PushBranch) -> Written:
        await self._refuse_what_is_never_pushed(repository, push)
        there = await self.git.branch_head(repository, push.branch)
        if there == push.commit:
            return Written(id=push.commit, new=False)  # an earlier try, of which we did not hear the end
        if there != push.expected:
            raise _moved(repository, push, there)
        git_dir = git_dir_of(push.workspace)
        if there is not None and await drops_others_work(
            self.git.local, git_dir, expected=there, commit=push.commit, update=push.update
        ):
            raise _moved(repository, push, there)
        await self.writes.admit(repository, "push")
        try:
            await self.git(
                repository,
                "push",
                f"{push.commit}:refs/heads/{push.branch}",
                # The lease makes looking and moving one step: a push in between wins.
                options=(
                    *("--quiet", "--no-verify", "--no-follow-tags"),
                    f"--force-with-lease=refs/heads/{push.branch}:{push.expected or ''}",
                ),
                git_dir=git_dir,
            )
        except (Refused, Transient):
            now = await self.git.branch_head(repository, push.branch)
            if now == push.commit:
                return Written(id=push.commit)  # the answer was lost, the push was not
            if now != push.expected:
                raise _moved(repository, push, now) from None
            raise
        return Written(id=push.commit)

    async def _refuse_what_is_never_pushed(self, repository: RemoteRepository, push: PushBranch) -> None:
        case, branch = push.workspace.case, push.branch
        refuse_branch(branch, push.workspace, expected=push.expected, update=push.update)
        if push.commit == push.workspace.base:
            raise Refused(
                f"{case} has changed nothing.",
                todo=f"Say what it should change, or type: caseworker close {typed(case)}",
            )
        if branch == (await self.reader.repository(repository)).default_branch:
            raise Refused(f"Caseworker never pushes to the default branch, which is {branch}.")
        found = await self.reader.branch(repository, branch)
        if found is not None and found.protected:
            raise Refused(
                f"{branch} of {repository.owner}/{repository.name} is protected; Caseworker does not push there.",
                todo=f"Leave branches under {OUR_BRANCHES} out of the rule."
                if branch.startswith(OUR_BRANCHES)
                else "Update it yourself, or leave it out of the rule.",
            )


def _moved(repository: RemoteRepository, push: PushBranch, there: Sha | None) -> BranchIsTheirs:
    again = f"Then type: caseworker retry {typed(push.workspace.case)}"
    name = f"{repository.owner}/{repository.name}"
    if there is None:
        return BranchIsTheirs(f"{push.branch} was deleted in {name} since Caseworker pushed it.", todo=again)
    return BranchIsTheirs(
        f"{push.branch} in {name} is at {there[:12]}, which Caseworker did not push; "
        "it won't overwrite a person's work.",
        todo=f"Merge it, or rename or delete it. {again}",
    )
