"""Writes a small source tree to be measured."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent

from scripts.house.measure import Measure
from scripts.house.tree import Tree, read_tree

PACKAGE = "tiny"


def plant(root: Path, sources: Mapping[str, str], beside: Mapping[str, str] | None = None) -> Tree:
    """`sources` are files of the package, `beside` other files of the repository."""
    home = root / "src" / PACKAGE
    for name, text in {"__init__.py": "", **sources}.items():
        _write(home / name, text)
        for folder in (home / name).parents:
            if folder.is_relative_to(home) and not (folder / "__init__.py").exists():
                _write(folder / "__init__.py", "")
    for name, text in (beside or {}).items():
        _write(root / name, text)
    return read_tree(root, PACKAGE)


def measured(measures: Callable[[Tree], Iterator[Measure]], tree: Tree, name: str) -> Measure:
    """The measure of this name, or the only one whose name begins like this."""
    begins = [one for one in measures(tree) if one.name.startswith(name)]
    (found,) = [one for one in begins if one.name == name] or begins
    return found


def fields(count: int) -> str:
    """The body of a class with so many fields."""
    return "".join(f"    field_{number}: int\n" for number in range(count))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))
