"""Reads from the database, with plain SQL, what happened: during a proof and after it."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.bug.case import BugCase
from caseworker.intake.slack import SURFACE


@dataclass(frozen=True, kw_only=True)
class Row:
    """A message in the inbox."""

    id: int
    case: str
    reference: str
    text: str
    turn: int | None
    outcome: str | None


@dataclass(frozen=True, kw_only=True)
class Pulse:
    """Counters that show how far the work is."""

    entries: int
    unclaimed: int
    unsettled: int
    working: int
    """Cases under investigation."""
    unfinished_posts: int
    waiting: tuple[str, ...]
    """Cases that wait and have claimed messages that only their next turn will read."""

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is to be done unless somebody writes."""
        return not (self.unclaimed or self.working or self.unfinished_posts)


@dataclass(frozen=True, kw_only=True)
class Facts:
    messages: Sequence[Row]
    claims: Sequence[tuple[str, int, int]]
    """(case, turn, message) of every entry about a claim."""
    places: Sequence[tuple[str, str]]
    """(case, place) of every entry about a post that went to Slack."""
    posts: frozenset[str]
    """Keys of all posts that were begun and are done, as Slack has them: without the name of the surface."""
    undone_posts: int
    misplaced_moves: int
    """Moves that are out of order in the record, or differ from the last one in the case's snapshot."""
    reopenings: int
    turns: int
    cases: int


def pulse(database: Path) -> Pulse:
    with _reading(database) as connection:

        def count(query: str) -> int:
            return int(connection.execute(query).fetchone()[0])

        waiting = connection.execute(
            "select distinct m.case_id from messages m join cases c on c.id = m.case_id "
            "where m.outcome is null and m.turn is not null and c.state != 'investigating'"
        ).fetchall()
        return Pulse(
            entries=count("select count(*) from record"),
            unclaimed=count("select count(*) from messages where turn is null"),
            unsettled=count("select count(*) from messages where outcome is null"),
            working=count("select count(*) from cases where kind = 'bug' and state = 'investigating'"),
            unfinished_posts=count("select count(*) from effects where done_at is null"),
            waiting=tuple(case for (case,) in waiting),
        )


def gather(database: Path) -> Facts:
    with _reading(database) as connection:
        messages = connection.execute(
            "select id, case_id, reference, text, turn, outcome from messages order by id"
        ).fetchall()
        claims = [
            (case, json.loads(body)["turn"], message)
            for case, body in connection.execute("select case_id, body from record where kind = 'messages_claimed'")
            for message in json.loads(body)["messages"]
        ]
        said = [
            (case, json.loads(body)["place"])
            for case, body in connection.execute("select case_id, body from record where kind = 'posted'")
        ]
        moves = [
            (case, json.loads(body)["number"])
            for case, body in connection.execute(
                "select case_id, body from record where kind = 'bug_moved' order by case_id, sequence"
            )
        ]
        effects = connection.execute("select key, done_at from effects where kind = 'post'").fetchall()
        bugs = [
            BugCase.model_validate_json(snapshot)
            for (snapshot,) in connection.execute("select snapshot from cases where kind = 'bug'")
        ]
    return Facts(
        messages=[Row(id=i, case=c, reference=e or "", text=t, turn=n, outcome=o) for i, c, e, t, n, o in messages],
        claims=claims,
        places=[(case, place) for case, place in said if place],
        posts=frozenset(key.removesuffix(f"@{SURFACE}") for key, done in effects if done),
        misplaced_moves=_misplaced(moves, {bug.id: bug.progress.transitions for bug in bugs}),
        undone_posts=sum(done is None for _, done in effects),
        reopenings=sum(bug.epoch - 1 for bug in bugs),
        turns=sum(bug.progress.turns for bug in bugs),
        cases=len(bugs),
    )


def _misplaced(moves: Sequence[tuple[str, int]], counted: Mapping[str, int]) -> int:
    newest: dict[str, int] = {}
    wrong = 0
    for case, number in moves:
        wrong += number <= newest.get(case, 0)
        newest[case] = number
    return wrong + sum(newest.get(case, 0) != count for case, count in counted.items())


@contextmanager
def _reading(database: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        yield connection
