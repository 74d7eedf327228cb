"""Makes the view of a mirror for the sandbox: a git folder with one branch and no refs or worktrees of other cases.

Git works inside with it. It borrows the objects of the base's history, and holds those of the case's own commits.
"""

import shutil
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.ports import Git, Workspace
from caseworker.workspaces.layout import Place, git_dir_of, view_of
from caseworker.workspaces.mirrors import copy_objects, write_texts

_SHOWN = "shown"
"""A folder with an empty file for each commit that is there."""


def lay_view(place: Place, *, history: Path, branch: str, base: Sha, tags: str = "") -> None:
    """Writes the view anew. `tags`: lines of a `packed-refs` file."""
    view, mirror = place.view, place.mirror
    shutil.rmtree(view, ignore_errors=True)
    # Mount points: they can't be made later, when the view is mounted read-only.
    for folder in ("objects/info", "objects/pack", _SHOWN, "refs/heads", f"worktrees/{place.slug}"):
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


async def show(git: Git, workspace: Workspace, commit: Sha) -> None:
    """Puts a commit into the view: an agent sees those of its case that were checked out or made there. The view itself
    knows which it has, because another worker may lay it anew."""
    view = view_of(workspace)
    if commit == workspace.base or not (view / "HEAD").exists() or (view / _SHOWN / commit).exists():
        return
    left_out = "".join(f"^{one}\n" for one in (workspace.base, *(path.name for path in (view / _SHOWN).iterdir())))
    await copy_objects(git, git_dir_of(workspace), f"{commit}\n{left_out}", into=view / "objects")
    (view / _SHOWN / commit).touch()
