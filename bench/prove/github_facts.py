"""What the GitHub storm came to: the claims, from the double's state, the store and the agent's log."""

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Final

from bench.prove.checking import Check
from bench.prove.github_stage import GitHubStage
from bench.prove.standin import marks, read_log

_RUN_MARK: Final = re.compile(r"<!-- workflow-run:(\S+) -->")
_KEY_MARK: Final = re.compile(r"<!-- caseworker:(.+?) -->\s*\Z")
_READ: Final = "read by the pm"
Rows = list[tuple[object, ...]]


def claims(stage: GitHubStage, workflows: int) -> list[Check]:
    """`workflows`: how many labels were set on each issue."""
    read = _Reader(stage.database)
    issues = list(stage.shop.issues.values())
    written = {str(one.id) for issue in issues for one in issue.comments if marks(one.body)}
    messages = read("select id, reference, text, turn, outcome from messages")
    by_comment = Counter(str(reference).rpartition(":")[2] for _, reference, text, *_ in messages if marks(str(text)))
    claimed = Counter(
        message
        for (body,) in read("select body from record where kind = 'messages_claimed'")
        for message in json.loads(str(body))["messages"]
    )
    runs = Counter((case, workflow) for case, workflow in read("select case_id, workflow from runs"))
    shown = Counter(found[1] for issue in issues for one in stage.ours(issue) if (found := _RUN_MARK.match(one.body)))
    keys = Counter(found[1] for issue in issues for one in stage.ours(issue) if (found := _KEY_MARK.search(one.body)))
    given = {number for line in read_log(stage.log) for number in line.numbers}
    answered = {n for _, _, text, _, outcome in messages if str(outcome).startswith(_READ) for n in marks(str(text))}
    return [
        Check(what="comments that became no message", found=len(written - set(by_comment)), at_most=0),
        Check(what="comments that became two messages", found=_twice(by_comment), at_most=0),
        Check(what="messages never claimed", found=sum(row[3] is None for row in messages), at_most=0),
        Check(what="messages claimed twice", found=_twice(claimed), at_most=0),
        Check(what="messages without an outcome", found=sum(row[4] is None for row in messages), at_most=0),
        Check(what="answered as read, and given to no turn", found=len(answered - given), at_most=0),
        Check(what="runs missing", found=len(issues) * workflows - len(runs), at_most=0),
        Check(what="runs of one workflow started twice", found=_twice(runs), at_most=0),
        Check(what="runs without an end", found=read.count("runs where ended_at is null"), at_most=0),
        Check(what="runs without a tracking comment", found=sum(runs.values()) - len(shown), at_most=0),
        Check(what="runs with two tracking comments", found=_twice(shown), at_most=0),
        Check(what="comments of ours written twice", found=_twice(keys), at_most=0),
        Check(what="writes begun and not ended", found=read.count("effects where done_at is null"), at_most=0),
        Check(what="deliveries without an outcome", found=read.count("deliveries where is_open"), at_most=0),
        Check(
            what="deliveries given up",
            found=read.count("deliveries where outcome = 'failed' and not is_open"),
            at_most=0,
        ),
    ]


def counts(stage: GitHubStage) -> list[Check]:
    read, log = _Reader(stage.database), stage.github.double.log
    hook = next(iter(stage.github.state.apps.values())).hook
    sent = hook.deliveries if hook is not None else []
    return [
        Check(what="deliveries made by GitHub", found=len(sent)),
        Check(what="of these not acknowledged at first", found=sum(one.status_code >= 300 for one in sent)),
        Check(what="deliveries in the store", found=read.count("deliveries")),
        Check(
            what="of these found by reconciliation",
            found=read.count("deliveries where source != 'webhook' and outcome != 'duplicate'"),
        ),
        Check(what="comments of people", found=read.count("messages where text like '%[m-%'")),
        Check(what="turns of agents", found=len({(one.case, one.turn) for one in read_log(stage.log)})),
        Check(what="requests to GitHub", found=len(log.entries)),
        Check(what="writes of ours", found=len([one for one in log.writes() if one.path != "/graphql"])),
    ]


class _Reader:
    def __init__(self, database: Path) -> None:
        self._database = database

    def __call__(self, query: str) -> Rows:
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True, timeout=10)) as connection:
            return connection.execute(query).fetchall()

    def count(self, what: str) -> int:
        [[many]] = self(f"select count(*) from {what}")
        assert isinstance(many, int)
        return many


def _twice(counted: "Counter[str] | Counter[int] | Counter[tuple[object, object]]") -> int:
    return sum(count > 1 for count in counted.values())
