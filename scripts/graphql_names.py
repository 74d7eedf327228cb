"""Makes the GraphQL schema that our own GitHub ships with: GitHub's published one, names and types only.

    .venv/bin/python -m scripts.graphql_names

Drops descriptions and directives. The published schema is licensed as MIT, copyright GitHub; the file
that is written says so.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from graphql import parse, print_ast
from graphql.language import DirectiveDefinitionNode, DocumentNode, Node, Visitor, VisitorAction, visit
from graphql.utilities import strip_ignored_characters

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PUBLISHED: Final = Path(sys.prefix) / "github-data" / "schema.graphql"
SHIPPED: Final = Path(__file__).parents[1] / "src" / "caseworker" / "github_double" / "graphql" / "names.graphql"
HEADER: Final = """\
# Names and types of GitHub's public GraphQL schema (@octokit/graphql-schema, Copyright (c) GitHub, MIT licence).
# Written by scripts/graphql_names.py; do not edit. What is added to it is in additions.graphql.
"""


class _WithoutWords(Visitor):
    """Removes descriptions, and directives, which only inform."""

    def leave(self, node: Node, *_: object) -> Node | VisitorAction:
        empty: dict[str, tuple[()] | None] = {"description": None, "directives": ()}
        dropped = {name: value for name, value in empty.items() if getattr(node, name, None)}
        return cast(Node, replace(cast("DataclassInstance", node), **dropped)) if dropped else None


def names_only(sdl: str) -> str:
    stripped: DocumentNode = visit(parse(sdl, no_location=True), _WithoutWords())
    kept = [node for node in stripped.definitions if not isinstance(node, DirectiveDefinitionNode)]
    definitions = [strip_ignored_characters(print_ast(node)) for node in kept]
    return HEADER + "\n".join(definitions) + "\n"


def main() -> int:
    SHIPPED.write_text(names_only(PUBLISHED.read_text()))
    sys.stdout.write(f"{SHIPPED}: {SHIPPED.stat().st_size // 1024} KB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
