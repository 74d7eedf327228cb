"""Counts module names that are gerunds, and names that stand for two things."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from scripts.house.measure import Measure
from scripts.house.tree import Tree

MOST_GERUNDS: Final = 3

NOUNS: Final = {"routing", "string", "thing", "wiring", "telling", "pricing", "warning", "heading"}
"""Names that end in -ing and name a thing. `telling` and `wiring` are in the layout."""

KINDS: Final = ("bug", "issue", "pull")
"""Kinds of case. A module that each kind's package has, such as `case.py`, counts as one name."""

_KIND: Final = "a kind of case: its part in each layer"
_SURFACE: Final = "a surface: its part in each layer"
_NEIGHBOUR: Final = "a neighbour: its port and its adapters"
_STORED: Final = "a thing that is stored: its rules, its rows and its activities"

SHARED: Final = {
    **dict.fromkeys(KINDS, _KIND),
    "sla": "the promise of an answer in time: its part in each layer",
    "slack": _SURFACE,
    "github": _SURFACE,
    "terminal": _SURFACE,
    "dashboard": _SURFACE,
    "agents": _NEIGHBOUR,
    "forges": _NEIGHBOUR,
    "chats": _NEIGHBOUR,
    "workspaces": _NEIGHBOUR,
    "store": _NEIGHBOUR,
    "engine": _NEIGHBOUR,
    "bugs": _STORED,
    "builds": _STORED,
    "learnings": _STORED,
    "record": _STORED,
    "cases": _STORED,
    "posts": _STORED,
    "repositories": _STORED,
    "runs": _STORED,
    "turns": _STORED,
    "turn": "the transaction of a turn, and what each kind adds to it",
    "investigation": "the loop over hypotheses: its outcomes, rules, record, words and activities",
    "receipts": "the texts of receipts: those of all kinds, and those of one",
    "words": "what people are told of a subject",
    "activities": "activities, and the contract that flows call them by",
    "base": "what the other modules of its package build on",
    "__main__": "what `python -m` runs",
}
"""Names that several modules may have, with the reason."""


def measures(tree: Tree) -> Iterator[Measure]:
    gerunds = [tree.short(module) for module in tree.modules.values() if is_gerund(module.last)]
    yield Measure(name="modules named by gerunds", now=len(gerunds), aim=MOST_GERUNDS, findings=tuple(gerunds))

    homes = defaultdict[str, dict[tuple[str, ...], str]](dict)
    for module in tree.modules.values():
        homes[module.last].setdefault(_same_for_every_kind(module.name), tree.short(module))
    twice = {name: tuple(paths.values()) for name, paths in homes.items() if len(paths) > 1}
    yield Measure(
        name="module names that occur twice",
        now=len(twice.keys() - SHARED.keys()),
        aim=0,
        findings=tuple(f"{name}: {', '.join(paths)}" for name, paths in sorted(twice.items()) if name not in SHARED),
        allowed=tuple(
            f"{name}: {SHARED[name]} ({', '.join(paths)})" for name, paths in sorted(twice.items()) if name in SHARED
        ),
    )


def _same_for_every_kind(module: str) -> tuple[str, ...]:
    *folders, last = module.split(".")
    return (*("any kind" if folder in KINDS else folder for folder in folders), last)


def is_gerund(module: str) -> bool:
    last = module.rpartition("_")[2]
    return last.endswith("ing") and last not in NOUNS
