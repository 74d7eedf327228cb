"""`python -m scripts.house [--json | --quiet]`: print measures of the tree and their aims; fail on a missed one."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from scripts.house import changes, documents, flows, forbidden_calls, imports, names, rules, sizes, versions
from scripts.house.measure import Measure
from scripts.house.table import show
from scripts.house.tree import Tree, read_tree

_MEASURES: Final[tuple[Callable[[Tree], Iterator[Measure]], ...]] = (
    sizes.measures,
    flows.measures,
    versions.measures,
    imports.measures,
    changes.measures,
    documents.measures,
    rules.measures,
    names.measures,
    forbidden_calls.measures,
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.house", description="Measure the tree against its aims.")
    parser.add_argument("--json", action="store_true", help="print the same as JSON, with all findings")
    parser.add_argument("--quiet", action="store_true", help="print only the missed aims")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2], help="folder that holds src")
    parser.add_argument("--package", default="caseworker", help="package in src that is measured")
    chosen = parser.parse_args(arguments)
    tree = read_tree(chosen.root.resolve(), chosen.package)
    found = [one for measures in _MEASURES for one in measures(tree)]
    if chosen.json:
        sys.stdout.write(json.dumps([one.as_json() for one in found], indent=2) + "\n")
    else:
        show(found, Console(), missed_only=chosen.quiet)
    return 0 if all(one.holds for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
