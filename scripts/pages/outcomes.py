"""Generates docs/outcomes.md, about the outcome of every turn, from the outcome models."""

from collections.abc import Iterator
from typing import Final

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.expected import Expected, expected_by
from caseworker.core.outcomes.outcome import known_turns, outcome_schema
from scripts.pages.outcome_words import COMMON, MEANINGS, PARTS, RULES

Turn = tuple[Role, Task]

RENEW: Final = "make pages"
_INTRODUCTION: Final = """\
# What each turn answers

For authors of [rehearsals](rehearsal.md): the keys of every turn's `outcome`, by role and task. Every turn of an agent
ends with an outcome. [Routing](routing.md) says where each status leads, and which other names some statuses have.

This page is generated from the code (`core/outcomes/`), and a test fails when it is out of date. Write it again with

```
{renew}
```

*Needed*: the outcome is refused without this key. All others may be left out. `files[].path` is the key `path` of each
item in `files`, and `test_requirement.type` is a key inside `test_requirement`; such a key is needed only if its parent
is there. A key that is not listed is refused.
"""
_COMMON: Final = """\
## Keys of every outcome

{everywhere}

Roles that can get stuck also have these. The role that is asked by `ask` answers in its turn `answer`, and then the
role that asked has its turn again.

{working}
"""
_PARTS: Final = """\
## Parts that several outcomes have

"""
_HEAD: Final = ["| key | needed | holds | means |", "|---|---|---|---|"]


def outcomes_page() -> str:
    parts = [_INTRODUCTION.format(renew=RENEW)]
    parts += [_section(turns, expected) for turns, expected in outcomes_by_turns()]
    return "\n".join([*parts, _common(), _PARTS + "\n".join(_part(*part) for part in _shared())])


def outcomes_by_turns() -> list[tuple[list[Turn], Expected]]:
    """Returns each outcome model with the turns that answer with it."""
    by_title: dict[str, tuple[list[Turn], Expected]] = {}
    for role, task in known_turns():
        expected = expected_by(outcome_schema(role, task))
        by_title.setdefault(title_of(expected), ([], expected))[0].append((role, task))
    return list(by_title.values())


def title_of(expected: Expected) -> str:
    return str(expected.schema.get("title", ""))


def rows_of(expected: Expected, prefix: str = "") -> Iterator[tuple[str, str, Expected]]:
    """Yields each key with its prefix and its owner. Leaves out the keys of parts that have their own section."""
    for name in expected.names():
        inner = expected.key(name)
        if inner is None or _is_filled_in(inner):
            continue
        yield prefix, name, expected
        item = inner.item()
        part = item if item is not None else inner
        if part.names() and title_of(part) not in PARTS:
            yield from rows_of(part, f"{prefix}{name}{'[]' if item is not None else ''}.")


def meaning_of(owner: Expected, name: str) -> str:
    properties = owner.schema["properties"]
    described = properties[name].get("description") if isinstance(properties, dict) else None
    return MEANINGS.get(f"{title_of(owner)}.{name}") or str(described or "")


def _is_filled_in(expected: Expected) -> bool:
    """`kind` says which outcome it is; the program fills it in, as the turn determines it."""
    return "const" in expected.schema


def _heading(turns: list[Turn]) -> str:
    """Returns `developer, senior_developer: implement, fix` if each of these roles has each of these tasks."""
    if len(turns) == 1:
        return f"{turns[0][0]}/{turns[0][1]}"
    roles, tasks = dict.fromkeys(role for role, _ in turns), dict.fromkeys(task for _, task in turns)
    assert len(turns) == len(roles) * len(tasks), f"the heading would name turns that do not exist: {turns}"
    return f"{', '.join(roles)}: {', '.join(tasks)}"


def _section(turns: list[Turn], expected: Expected) -> str:
    told = [f"## {_heading(turns)}\n", *_HEAD]
    told += [_row(prefix, name, owner) for prefix, name, owner in rows_of(expected) if prefix or name not in COMMON]
    also = [f"`{name}`" for name in expected.names() if name in COMMON]
    told += ["", f"Also: {', '.join(also)} ([below](#keys-of-every-outcome))."]
    if rule := RULES.get(title_of(expected)):
        told += ["", rule]
    return "\n".join(told) + "\n"


def _common() -> str:
    known = next(expected for _, expected in outcomes_by_turns() if "ask" in expected.names())
    return _COMMON.format(
        everywhere="\n".join([*_HEAD, _row("", "observations", known)]),
        working="\n".join([*_HEAD, _row("", "ask", known), _row("", "escalation", known)]),
    )


def _shared() -> list[tuple[str, Expected]]:
    found: dict[str, Expected] = {}
    for _, expected in outcomes_by_turns():
        definitions = expected.root.get("$defs")
        for title, schema in definitions.items() if isinstance(definitions, dict) else ():
            if title in PARTS:
                found.setdefault(title, Expected(schema=schema, root=expected.root))
    return [(PARTS[title], found[title]) for title in PARTS]


def _part(heading: str, expected: Expected) -> str:
    rows = [_row(prefix, name, owner) for prefix, name, owner in rows_of(expected)]
    return "\n".join([f"### {heading}\n", *_HEAD, *rows]) + "\n"


def _row(prefix: str, name: str, owner: Expected) -> str:
    inner = owner.key(name)
    assert inner is not None, "it is one of its keys"
    needed = "yes" if name in owner.required() else ""
    return f"| `{prefix}{name}` | {needed} | {_holds(inner)} | {meaning_of(owner, name)} |"


def _holds(expected: Expected) -> str:
    item = expected.item()
    part = item if item is not None else expected
    if not part.names():
        return expected.words()
    most = expected.schema.get("maxItems")
    holds = "a mapping" if item is None else f"a list of at most {most} mappings" if most else "a list of mappings"
    if heading := PARTS.get(title_of(part)):
        return f"{holds}: [{heading.lower()}](#{heading.lower().replace(' ', '-')})"
    return holds
