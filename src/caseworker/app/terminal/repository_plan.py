"""How a case that begins now would set a repository up and test it: from the last commit of a folder."""

from pathlib import Path

from caseworker.app.parts import look_at
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.ecosystems.plan_parts import Plan
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.ecosystems.project_files import RECIPE_FILE, read_paths
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.kept_recipes import KeptRecipes
from caseworker.workspaces.texts import read_texts


async def plan_of(ref: LocalRepository, home: Path) -> Plan:
    git = SafeGit()
    git_dir = Path((await git("rev-parse", "--absolute-git-dir", inside=ref.path)).text)
    head = (await look_at(ref.path)).head.commit
    listing = await git("ls-tree", "-r", "-z", "--name-only", head, git_dir=git_dir)
    paths = [path for path in listing.output.decode(errors="replace").split("\0") if path]
    texts = await read_texts(git, git_dir, head, read_paths(paths))
    files = {**dict.fromkeys(paths, ""), **{path: text for path, text in texts.items() if text is not None}}
    if (recipe := KeptRecipes(home).text(ref)) is not None:
        files[RECIPE_FILE] = recipe
    return find_plan(files)
