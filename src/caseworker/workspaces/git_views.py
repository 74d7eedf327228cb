"""Makes the view of a mirror for the sandbox: a git folder with one branch and no refs or worktrees of other cases.

Git works inside with it. It borrows the objects of the base's history, and holds those of the case's own commits.
"""

import shutil
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.ports import Git, Workspace
from caseworker.workspaces.layout import Place, git_dir_of, view_of
from caseworker.workspaces.mirrors import copy_objects, write_texts


def lay_view(place: Place, *, history: Path, branch: str, base: Sha, tags: str = "") -> None:
    """Writes the view anew. `tags`: lines of a `packed-refs` file."""
    view, mirror = place.view, place.mirror
    shutil.rmtree(view, ignore_errors=True)
    # Mount points: they can't be made later, when the view is mounted read-only.
    for folder in ("objects/info", "objects/pack", "refs/heads", f"worktrees/{place.slug}"):
        (view / folder).mkdir(parents=True)
    texts = {path: (mirror / path).read_text() for path in ("config", "info/exclude", "info/attributes")}
    if (mirror / "shallow").exists():
        texts["shallow"] = (mirror / "shallow").read_text()
    ref = "refs/origin-head" if branch == "HEAD" else f"refs/heads/{branch}"
    texts["packed-refs"] = f"# pack-refs with: peeled fully-peeled sorted \n{base} {ref}\n{tags}"
    write_texts(view / "info", {})
    write_texts(view / "objects/info", {"alternates": f"{history / 'objects'}\n"})
    write_texts(view, texts)
    write_texts(view, {"HEAD": f"ref: {ref}\n"})  # last: its presence means that the view is complete


class Shown:
    """Which commits each view has: an agent sees its own case's, as far as they were checked out or made there."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._commits: dict[Path, list[Sha]] = {}

    async def show(self, workspace: Workspace, commit: Sha) -> None:
        view = view_of(workspace)
        shown = self._commits.get(view, [])
        if commit == workspace.base or commit in shown or not (view / "HEAD").exists():
            return
        left_out = "".join(f"^{one}\n" for one in (workspace.base, *shown))
        await copy_objects(self._git, git_dir_of(workspace), f"{commit}\n{left_out}", into=view / "objects")
        self._commits[view] = [*shown, commit]

    def forget(self, view: Path) -> None:
        self._commits.pop(view, None)
