"""`caseworker recipe` and `caseworker cache`: what is kept for repositories outside of them."""

import os
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from caseworker.app.parts import look_at, make_cache
from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.repository_plan import plan_of
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.ecosystems.plan_parts import Plan
from caseworker.core.ecosystems.project_files import RECIPE_FILE
from caseworker.core.ecosystems.recipes import recipe_text, written_commands
from caseworker.core.evidence.repository_rules import SETTINGS_FILE
from caseworker.workspaces.kept_recipes import KeptRecipes

_PARTS = "submodules and files in Git LFS"
_SOURCES = {
    "settings": f"From {SETTINGS_FILE} in the repository.",
    "recipe": "From the recipe that is kept outside the repository.",
    "rules": "Found by rules. `caseworker recipe edit` changes it.",
}


async def show_recipe(repo: Path, settings: Settings, console: Console, *, write: bool, as_json: bool) -> None:
    ref = (await look_at(repo)).ref
    plan = await plan_of(ref, settings.home)
    text = recipe_text(plan.commands, comment=_SOURCES[plan.source])
    if as_json:
        print_json({"source": plan.source, "commands": [one.model_dump(mode="json") for one in plan.commands]})
    elif write:
        console.print(_write(ref, plan), markup=False, highlight=False)
    else:
        console.print(text, markup=False, highlight=False, end="")


def _write(ref: LocalRepository, plan: Plan) -> str:
    """Puts the commands into the repository itself, where all who work on it have them."""
    file = ref.path / SETTINGS_FILE
    if file.exists() and written_commands({SETTINGS_FILE: file.read_text(encoding="utf-8")}, SETTINGS_FILE) is not None:
        raise Refused(f"{file} has [commands] already.", todo="Edit it there.")
    before = f"{file.read_text(encoding='utf-8').rstrip()}\n\n" if file.exists() else ""
    file.write_text(before + recipe_text(plan.commands), encoding="utf-8")
    return f"Wrote {file}. Commit it: Caseworker reads it from the base of a case."


async def edit_recipe(repo: Path, settings: Settings, console: Console) -> None:
    ref = (await look_at(repo)).ref
    kept = KeptRecipes(settings.home)
    plan = await plan_of(ref, settings.home)
    before = kept.text(ref) or recipe_text(
        plan.commands, comment="setup, test, lint, types: a command or a list of them"
    )
    after = _edited(before)
    written_commands({RECIPE_FILE: after}, RECIPE_FILE)  # refuses what it can't read
    make_home(settings)
    kept.save(ref, after)
    console.print(
        f"Kept in {kept.file(ref)}. `caseworker check --repo {shlex.quote(str(repo))}` tries it.",
        markup=False,
        highlight=False,
    )


async def forget_recipe(repo: Path, settings: Settings, console: Console) -> None:
    ref = (await look_at(repo)).ref
    there = KeptRecipes(settings.home).forget(ref)
    console.print("Forgotten: the rules count again." if there else "There was none.", markup=False, highlight=False)


def show_cache(settings: Settings, console: Console, *, clear: bool, as_json: bool) -> None:
    cache = make_cache(settings)
    if clear:
        (count, size), (parts, more) = cache.clear(), cache.parts.remove_unused()
        if as_json:
            print_json({"removed": count, "parts": parts, "bytes": size + more})
        else:
            named = f" and {parts} {_PARTS}" if parts else ""
            console.print(f"Removed {count} environments{named}, {(size + more) / 1e6:.0f} MB.", highlight=False)
        return
    kept, parts_kept = cache.all(), cache.parts.all()
    if as_json:
        rows = [{**vars(one.known), "used_at": one.used_at, "in_use": one.in_use} for one in kept]
        sizes = {"parts": len(parts_kept), "parts_bytes": sum(part.size for part in parts_kept)}
        print_json({"limit_gb": settings.cache_gb, "environments": rows, **sizes})
        return
    table = Table.grid(padding=(0, 2))
    for one in kept:
        used = f"used {_ago(one.used_at)} ago{', by an open case' if one.in_use else ''}"
        made = f"made in {one.known.seconds:.0f} s"
        table.add_row(one.known.repository, f"{one.known.size / 1e6:.0f} MB", made, used)
    console.print(table)
    total = sum(one.known.size for one in kept) + sum(part.size for part in parts_kept)
    named = f" and {len(parts_kept)} {_PARTS}" if parts_kept else ""
    console.print(
        f"{len(kept)} environments{named}, {total / 1e9:.2f} of at most {settings.cache_gb:g} GB", highlight=False
    )


def _edited(text: str) -> str:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="caseworker-recipe-") as name:
        file = Path(name) / "recipe.toml"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([*shlex.split(editor), str(file)], check=False)
        if done.returncode != 0:
            raise Refused(
                f"{editor} ended with {done.returncode}: nothing was kept.", todo="Set EDITOR to one that works."
            )
        return file.read_text(encoding="utf-8")


def _ago(moment: float) -> str:
    minutes = max(0, time.time() - moment) / 60
    return (
        f"{minutes:.0f} min"
        if minutes < 90
        else f"{minutes / 60:.0f} h"
        if minutes < 2_880
        else f"{minutes / 1_440:.0f} days"
    )
