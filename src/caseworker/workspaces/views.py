"""What the sandbox sees of a mirror: a folder with the same shape and one branch, so that git works inside while other
cases' refs and worktrees are not there at all. The objects are mounted into it, not copied."""

import shutil
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.workspaces.mirrors import write_texts


def lay_view(view: Path, *, mirror: Path, name: str, branch: str, base: Sha) -> None:
    """`name`: of the worktree's own folder under worktrees/."""
    shutil.rmtree(view, ignore_errors=True)
    # Mount points: a read-only view can't get them later.
    for folder in ("objects", "refs/heads", f"worktrees/{name}"):
        (view / folder).mkdir(parents=True)
    texts = {path: (mirror / path).read_text() for path in ("config", "info/exclude", "info/attributes")}
    if (mirror / "shallow").exists():
        texts["shallow"] = (mirror / "shallow").read_text()
    ref = "refs/origin-head" if branch == "HEAD" else f"refs/heads/{branch}"
    texts["packed-refs"] = f"# pack-refs with: peeled fully-peeled sorted \n{base} {ref}\n"
    write_texts(view / "info", {})
    write_texts(view, texts)
    write_texts(view, {"HEAD": f"ref: {ref}\n"})  # last: it says that the view is whole
