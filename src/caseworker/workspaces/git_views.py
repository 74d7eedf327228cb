"""Makes the view of a mirror for the sandbox: a git folder with one branch and no refs or worktrees of other cases.

Git works inside with it. The objects are mounted into it, not copied.
"""

import shutil

from caseworker.core.base.ids import Sha
from caseworker.workspaces.layout import Place
from caseworker.workspaces.mirrors import write_texts


def lay_view(place: Place, *, branch: str, base: Sha, tags: str = "") -> None:
    """Writes the view anew. `tags`: lines of a `packed-refs` file."""
    view, mirror, name = place.view, place.mirror, place.slug
    shutil.rmtree(view, ignore_errors=True)
    # Mount points: they can't be made later, when the view is mounted read-only.
    for folder in ("objects", "refs/heads", f"worktrees/{name}"):
        (view / folder).mkdir(parents=True)
    texts = {path: (mirror / path).read_text() for path in ("config", "info/exclude", "info/attributes")}
    if (mirror / "shallow").exists():
        texts["shallow"] = (mirror / "shallow").read_text()
    ref = "refs/origin-head" if branch == "HEAD" else f"refs/heads/{branch}"
    texts["packed-refs"] = f"# pack-refs with: peeled fully-peeled sorted \n{base} {ref}\n{tags}"
    write_texts(view / "info", {})
    write_texts(view, texts)
    write_texts(view, {"HEAD": f"ref: {ref}\n"})  # last: its presence means that the view is complete
