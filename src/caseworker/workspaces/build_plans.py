"""How repositories are set up and tested: found from the files of a commit, once for each commit and recipe."""

from pathlib import Path
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.core.ecosystems.plan_parts import Plan
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.ecosystems.project_files import RECIPE_FILE
from caseworker.workspaces.commits import Commits, Kept
from caseworker.workspaces.kept_recipes import KeptRecipes

_MOST: Final = 500


class BuildPlans:
    def __init__(self, commits: Commits, recipes: KeptRecipes) -> None:
        self._commits = commits
        self._recipes = recipes
        self._found: Kept[tuple[str | None, Plan]] = Kept(_MOST, weigh=lambda _: 0)
        """By commit, with the recipe that was kept then."""

    async def files(self, git_dir: Path, commit: Sha) -> dict[str, str]:
        recipe = self._recipe(git_dir)
        return await self._commits.build_files(git_dir, commit) | ({} if recipe is None else {RECIPE_FILE: recipe})

    async def of(self, git_dir: Path, commit: Sha) -> Plan:
        recipe = self._recipe(git_dir)
        known = self._found.get(commit)
        if known is None or known[0] != recipe:
            known = self._found.renew(commit, (recipe, find_plan(await self.files(git_dir, commit))))
        return known[1]

    def keep_recipe(self, git_dir: Path, text: str) -> None:
        self._recipes.save(git_dir.parent.parent.name, text)

    def _recipe(self, git_dir: Path) -> str | None:
        return self._recipes.text(git_dir.parent.parent.name)
