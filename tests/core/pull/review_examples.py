"""Findings, threads and answers of reviews, for the tests of their rules."""

from typing import Literal

from caseworker.core.base.redaction import Redactor
from caseworker.core.outcomes.pull_work import PullFinding, ThreadAnswer
from caseworker.core.people.messages import Standing
from caseworker.core.pull.findings import comment_text
from caseworker.core.pull.review_threads import ReviewThread, ThreadWord

By = Literal["us", "program", "person"]


def a_finding(**changes: object) -> PullFinding:
    plain = {
        "file": "shop.py",
        "line": 3,
        "severity": "minor",
        "title": "The total ignores the tax",
        "body": "An order of 10 costs 10.",
        "quote": "    return price",
    }
    return PullFinding.model_validate({**plain, **changes})


def a_word(text: str, by: By = "person", *, standing: Standing = Standing.OTHER, number: int = 1) -> ThreadWord:
    return ThreadWord(id=number, author={"us": "caseworker"}.get(by, "ann"), by=by, standing=standing, text=text)


def a_thread(*words: ThreadWord, **changes: object) -> ReviewThread:
    numbered = [word.model_copy(update={"id": number}) for number, word in enumerate(words, 1)]
    plain = {"id": "PRRT_1", "path": "shop.py", "line": 3, "can_resolve": True, "words": numbered}
    return ReviewThread.model_validate({**plain, **changes})


def thread_of(finding: PullFinding, *words: ThreadWord, **changes: object) -> ReviewThread:
    """Our thread about a finding, and what was written in it since."""
    return a_thread(a_word(comment_text(finding, None, Redactor()), "us"), *words, **changes)


def an_answer(**changes: object) -> ThreadAnswer:
    plain = {"thread": "T1", "verdict": "valid", "reply": "It adds the tax now.", "changed": True}
    return ThreadAnswer.model_validate({**plain, **changes})
