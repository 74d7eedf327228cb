"""What a query costs by GitHub's published formula: connections asked, in points, and nodes that it may return."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from graphql.language import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

MOST_NODES: Final = 500_000


@dataclass(frozen=True, kw_only=True)
class Cost:
    points: int
    nodes: int


def cost_of(operation: OperationDefinitionNode, document: DocumentNode, variables: Mapping[str, object]) -> Cost:
    """The cost of one operation. A connection is recognised by its `first` or `last`."""
    fragments = {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}
    counted = _Count(fragments, variables)
    counted.add(operation.selection_set, times=1)
    return Cost(points=max(1, round(counted.requests / 100)), nodes=counted.nodes)


class _Count:
    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode], variables: Mapping[str, object]) -> None:
        self._fragments = fragments
        self._variables = variables
        self.requests = 0
        self.nodes = 0

    def add(self, selections: SelectionSetNode | None, times: int) -> None:
        for selection in selections.selections if selections is not None else ():
            if isinstance(selection, FieldNode):
                size = self._size(selection)
                if size is not None:
                    self.requests += times
                    self.nodes += times * size
                self.add(selection.selection_set, times if size is None else times * size)
            elif isinstance(selection, InlineFragmentNode):
                self.add(selection.selection_set, times)
            elif isinstance(selection, FragmentSpreadNode) and selection.name.value in self._fragments:
                self.add(self._fragments[selection.name.value].selection_set, times)

    def _size(self, field: FieldNode) -> int | None:
        for argument in field.arguments or ():
            if argument.name.value in ("first", "last"):
                given = argument.value
                if isinstance(given, IntValueNode):
                    return int(given.value)
                if isinstance(given, VariableNode):
                    value = self._variables.get(given.name.value)
                    return value if isinstance(value, int) else None
        return None
