"""Reads a YAML file safely, and finds the line of each part. Knows nothing about the meaning of a script."""

import json
from dataclasses import dataclass
from typing import Final

import yaml

from caseworker.core.base.errors import Refused

SIZE_LIMIT: Final = 1_000_000
_DEEPEST: Final = 40

_WHAT_TO_DO: Final = {
    "mapping values are not allowed here": "a text with `: ` in it goes in quotes",
    "found character '\\t' that cannot start any token": "YAML wants spaces, and this is a tab",
    "that cannot start any token": "a text that begins with such a character goes in quotes",
}
"""Help for common mistakes, by the parser's message; the first that fits is used."""

Location = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Problem:
    where: Location
    what: str
    about_key: bool = False
    """The last part of `where` is a key that is missing or unknown: `what` names it."""


@dataclass(frozen=True, kw_only=True)
class ScriptFile:
    name: str
    document: object
    root: yaml.Node

    def line_of(self, where: Location) -> int:
        node, line = self.root, self.root.start_mark.line
        for part in where:
            found = _child(node, part)
            if found is None:
                break
            line, node = found
        return line + 1


def _child(node: yaml.Node, part: str | int) -> tuple[int, yaml.Node] | None:
    """The line where this part begins (in a mapping, the line of its key), and its node."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key.start_mark.line, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line, node.value[part]
    return None


class _Loader(yaml.SafeLoader):
    """Loads dates as text: a script holds JSON values only."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_script(text: str, name: str) -> ScriptFile:
    if len(text.encode("utf-8", "surrogatepass")) > SIZE_LIMIT:
        raise Refused(f"{name}: a script has at most {SIZE_LIMIT:,} bytes.")
    try:
        _refuse_bombs(text, name)
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            raise Refused(f"{name} is empty.")
        _refuse_double_keys(root, name)
        document = loader.construct_document(root)
        json.dumps(document, allow_nan=False)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise Refused(f"{name}, line {line}: this is not YAML: {_in_words(error)}") from error
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise Refused(f"{name}: a script holds text, numbers, lists and mappings only ({error})") from error
    return ScriptFile(name=name, document=document, root=root)


def _in_words(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or error.context or "it can't be read"
    todo = next((todo for words, todo in _WHAT_TO_DO.items() if words in problem), "")
    return f"{problem}; {todo}" if todo else problem


def _refuse_bombs(text: str, name: str) -> None:
    """Refuses aliases, which can multiply content, and deep nesting, which overflows the stack.

    Reads the parser's events, which needs no recursion.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Refused(f"{name}, line {line}: anchors and aliases (& and *) are not allowed in a script")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise Refused(f"{name}, line {line}: nested more than {_DEEPEST} levels deep")


def _refuse_double_keys(node: yaml.Node, name: str) -> None:
    """Refuses duplicate keys: YAML's loaders silently keep the last one."""
    children = list(node.value) if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise Refused(f"{name}, line {key.start_mark.line + 1}: a key is one word")
            if key.value in seen:
                raise Refused(f'{name}, line {key.start_mark.line + 1}: the key "{key.value}" is there twice')
            seen.add(key.value)
            children.append(value)
    for child in children:
        _refuse_double_keys(child, name)
