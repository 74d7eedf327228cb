"""Counts calls by which Caseworker would merge, approve, dismiss, queue or move a base on GitHub: none may exist.

Looks at REST paths (also put together from parts), GraphQL mutations, methods of githubkit and lines of `gh`. Strings
are followed through f-strings, `+`, `join`, `%` and module constants; a name that comes from outside is not seen.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from scripts.house.measure import Measure
from scripts.house.tree import Tree

EXEMPT: Final = {"github_double": "the server's side: people merge there, and tests prove that we never ask for it"}

SEGMENTS: Final = {"merge", "merge-async", "merges", "merge-upstream", "update-branch", "dismissals", "auto-merge"}
"""Parts of REST paths that merge, dismiss, or change a branch on the server."""
_RESOURCES: Final = {"pulls", "repos", "reviews", "branches", "actions"}
_PATH: Final = re.compile(
    r"(?:^|/)(?:merge-async|merges|merge-upstream|update-branch|dismissals|auto-merge|merge-queue|"
    r"pulls/[^/\s]+/merge|pulls/[^/\s]+/reviews|actions/runs/[^/\s]+/(?:approve|pending_deployments))(?:$|[/?\s\"'])"
)
_MUTATION: Final = re.compile(
    r"\b(?:mergePullRequest|mergeBranch|enablePullRequestAutoMerge|enqueuePullRequest|addPullRequestReview|"
    r"submitPullRequestReview|dismissPullRequestReview|approveDeployments|updatePullRequestBranch|updateRefs?|deleteRef|"
    r"createCommitOnBranch|revertPullRequest)\b"
)
_GH: Final = re.compile(r"\bgh\s+pr\s+(?:merge|review|update-branch)\b")
_EVENTS: Final = {"APPROVE", "REQUEST_CHANGES"}
METHODS: Final = {
    "merge_async",
    "merge_upstream",
    "update_branch",
    "dismiss_review",
    "create_review",
    "submit_review",
    "approve_workflow_run",
    "review_pending_deployments_for_run",
    "enable_auto_merge",
    "enqueue_pull_request",
}
"""Methods of githubkit, each also with `async_` before it."""
_MERGES: Final = {"merge", "async_merge"}
_OWNERS: Final = {"pulls", "repos", "rest"}
"""`merge` alone is also a word of git: as a method it counts after one of these names."""
_GAP: Final = "\x00"
"""Stands for a part of a string that is not known."""


def measures(tree: Tree) -> Iterator[Measure]:
    found = sorted(
        f"{tree.short(module)}:{line} {what}"
        for module in tree.modules.values()
        if not any(module.inside(f"{tree.package}.{part}") for part in EXEMPT)
        for line, what in forbidden(module.body)
    )
    yield Measure(
        name="calls that merge, approve, dismiss or queue",
        now=len(found),
        aim=0,
        findings=tuple(found),
        allowed=tuple(f"{part}: {why}" for part, why in EXEMPT.items()),
    )


def forbidden(body: ast.Module) -> set[tuple[int, str]]:
    """Line and finding of each such call."""
    nodes = tuple(ast.walk(body))
    constants = _constants(body)
    documented = _docstrings(nodes)
    found = set()
    for node in nodes:
        if isinstance(node, ast.expr) and node not in documented:
            found |= {(node.lineno, what) for what in _of_expression(node, constants)}
    return found


def _of_expression(node: ast.expr, constants: Mapping[str, str]) -> Iterator[str]:
    text = _folded(node, constants)
    if text is not None:
        yield from _of_text(text)
    match node:
        case ast.Attribute(attr=name):
            yield from _of_method(name, _names_before(node.value, constants))
        case ast.Call(func=ast.Name(id="getattr"), args=[holder, name_node, *_]):
            name = _folded(name_node, constants) or ""
            yield from _of_method(name, _names_before(holder, constants))
        case ast.Call(args=args) | ast.List(elts=args) | ast.Tuple(elts=args):
            parts = {part for argument in args if (part := _folded(argument, constants))}
            calls_path = isinstance(node, ast.Call) and _last_name(node.func).endswith("_path")
            if parts & SEGMENTS and (calls_path or parts & _RESOURCES):
                yield f"path with {', '.join(sorted(parts & SEGMENTS))}"
            if {"pulls", "reviews"} <= parts and isinstance(node, ast.Call) and _writes(node, constants):
                yield "path of reviews that is written to"
        case _:
            pass


def _of_text(text: str) -> Iterator[str]:
    for pattern in (_PATH, _MUTATION, _GH):
        if found := pattern.search(text):
            yield found[0].replace(_GAP, "{}").strip("/")
    if text in _EVENTS:
        yield text


def _of_method(name: str, before: set[str]) -> Iterator[str]:
    plain = name.removeprefix("async_")
    if plain in METHODS or (name in _MERGES and before & _OWNERS):
        yield f"method {name}"


def _writes(node: ast.Call, constants: Mapping[str, str]) -> bool:
    return any(_folded(argument, constants) in ("POST", "PUT", "PATCH") for argument in node.args)


def _names_before(node: ast.expr, constants: Mapping[str, str]) -> set[str]:
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Attribute(value=value, attr=name):
            return {name} | _names_before(value, constants)
        case ast.Call(func=ast.Name(id="getattr"), args=[holder, name, *_]):
            return {_folded(name, constants) or ""} | _names_before(holder, constants)
        case ast.Call(func=func):
            return _names_before(func, constants)
        case _:
            return set()


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _folded(node: ast.expr, constants: Mapping[str, str]) -> str | None:
    """The text of an expression, with gaps for what is not known; None for what is no text."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name):
            return constants.get(name)
        case ast.JoinedStr(values=values):
            return "".join(_folded(value, constants) or _GAP for value in values)
        case ast.FormattedValue(value=value):
            return _folded(value, constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, other = _folded(left, constants), _folded(right, constants)
            return None if one is None and other is None else (one or _GAP) + (other or _GAP)
        case ast.BinOp(left=left, op=ast.Mod()):
            return _with_gaps(_folded(left, constants), r"%[sdr]")
        case ast.Call(
            func=ast.Attribute(value=separator, attr="join"), args=[ast.List(elts=parts) | ast.Tuple(elts=parts)]
        ):
            between = _folded(separator, constants)
            return None if between is None else between.join(_folded(part, constants) or _GAP for part in parts)
        case ast.Call(func=ast.Attribute(value=format_string, attr="format")):
            return _with_gaps(_folded(format_string, constants), r"\{[^}]*\}")
        case _:
            return None


def _with_gaps(text: str | None, pattern: str) -> str | None:
    return None if text is None else re.sub(pattern, _GAP, text)


def _constants(body: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for statement in body.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        text = _folded(value, found)
        if text is not None:
            found[name] = text
    return found


def _docstrings(nodes: Iterable[ast.AST]) -> set[ast.expr]:
    """Strings that stand alone, as docstrings do: they call nothing."""
    return {node.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
