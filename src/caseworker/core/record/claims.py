"""Checks what agents claim in their words: lines that they name must exist, commands that they ran are on record."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome, ValidationOutcome
from caseworker.core.record.cited import last_run_failed, problem_with_command, problem_with_line, was_run_somehow
from caseworker.core.record.claim_entries import NotSeen
from caseworker.core.record.claimed_runs import is_command, passing_in, reported_runs_in, runs_in
from caseworker.core.record.entries import Recorded

_MOST: Final = 40
"""Claims that are checked in one outcome."""
_TEXT_LIMIT: Final = 20_000
_PLACE: Final = re.compile(
    r"(?<![\w/.:@+-])(?P<path>(?:[\w@+-][\w.@+-]{0,99}/){0,12}[\w@+-][\w@.+-]{0,99}\.[A-Za-z]\w{0,9})`?"
    r"(?::|,? line )(?P<line>\d{1,7})"
    r"(?![\w.]\d)(?:`?:? ?`(?P<quote>[^`\n]{1,300})`)?"
)
"""`cart.py:12` or `cart.py, line 12`, and what is quoted right after it."""
_HOSTS: Final = frozenset({"com", "org", "net", "io", "dev", "local", "localhost"})


@dataclass(frozen=True)
class Place:
    path: str
    line: int
    """0: the file as a whole."""
    quote: str = ""

    @property
    def words(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, kw_only=True)
class Claims:
    places: tuple[Place, ...]
    commands: tuple[str, ...]
    passing: tuple[str, ...] = ()
    """What is said to pass: commands, and names of tests, which are no command and are not looked for."""
    reported: tuple[str, ...] = ()
    """Commands that a report says were run, in other words than "ran"."""

    @property
    def paths(self) -> list[str]:
        """The files whose text is needed."""
        return list(dict.fromkeys(place.path for place in self.places))

    @property
    def names_runs(self) -> bool:
        """Whether the record is needed."""
        return bool(self.commands or self.passing or self.reported)


def claims_in(outcome: Outcome, root: str = "") -> Claims:
    """`root`: the folder of the workspace, which agents may put before a path."""
    texts = [text.replace(root, "") if root else text for text in _texts(outcome)]
    places = [*_named(outcome), *(place for text in texts for place in _places(text[:_TEXT_LIMIT]))]
    reports = [text[:_TEXT_LIMIT] for text in _reports(outcome)]
    passing = [command for text in reports for command in passing_in(text)]
    reported = [command for text in reports for command in reported_runs_in(text)]
    commands = [command for text in texts for command in runs_in(text)]
    safe = [place for place in dict.fromkeys(places) if ".." not in place.path.split("/")]
    return Claims(
        places=tuple(safe[:_MOST]),
        commands=tuple(dict.fromkeys(commands))[:_MOST],
        passing=tuple(dict.fromkeys(passing))[:_MOST],
        reported=tuple(dict.fromkeys(reported))[:_MOST],
    )


def not_seen(
    claims: Claims, record: Sequence[Recorded], trees: Sequence[Mapping[str, str | None]]
) -> tuple[NotSeen, ...]:
    """Claims that nothing confirms. `record`: entries of the kinds in `cited.EVENTS`; `trees`: the texts of the named
    files as the turn found them, and as it left them."""
    lines = [NotSeen(claim=one.words, problem=problem) for one in claims.places if (problem := _missing(one, trees))]
    runs = {command: problem_with_command(command, record) for command in claims.commands}
    for command in (*claims.passing, *claims.reported):
        if is_command(command) and not was_run_somehow(command, record):
            runs[command] = runs.get(command) or "no such command was run in this case"
    ends = [(command, "its last run failed") for command in claims.passing if last_run_failed(command, record)]
    return (
        *lines,
        *(NotSeen(claim=command, problem=problem) for command, problem in [*runs.items(), *ends] if problem),
    )


def _missing(place: Place, trees: Sequence[Mapping[str, str | None]]) -> str:
    """What is wrong with it in the last tree. Empty: it is there in one of them."""
    problems = [_problem_in(place, texts) for texts in trees]
    return problems[-1] if problems and all(problems) else ""


def _problem_in(place: Place, texts: Mapping[str, str | None]) -> str:
    if not place.line:
        return "" if place.path in texts else f"there is no file {code(place.path)} in the repository"
    if problem := problem_with_line(place.path, place.line, texts):
        return problem
    text = texts[place.path]
    line = (text or "").splitlines()[place.line - 1] if text is not None else place.quote
    return "" if place.quote.strip() in line else f"the line does not hold {code(place.quote)}"


def _places(text: str) -> Iterator[Place]:
    for found in _PLACE.finditer(text):
        if found["path"].rpartition(".")[2].lower() not in _HOSTS:
            yield Place(found["path"].removeprefix("./"), int(found["line"]), found["quote"] or "")


def _named(outcome: Outcome) -> list[Place]:
    """Places that have fields of their own."""
    match outcome:
        case ReviewOutcome():
            return [Place(one.file, one.line) for one in outcome.issues]
        case AnalysisOutcome():
            return [Place(one.path, 0) for one in outcome.files if one.action != "create"]
        case TestsOutcome(status="TESTS_READY") if outcome.test_file:
            return [Place(outcome.test_file, 0)]
        case ImplementationOutcome():
            return [Place(one.file, 0) for one in outcome.changes]
        case _:
            return []


def _texts(outcome: Outcome) -> list[str]:
    match outcome:
        case TriageOutcome():
            return [outcome.reason]
        case PlanOutcome():
            return [outcome.plan, outcome.reason]
        case QuestionsOutcome():
            return [*outcome.questions, outcome.reason]
        case InterpretOutcome():
            return [*outcome.questions, outcome.reply]
        case AnalysisOutcome():
            return [outcome.root_cause, outcome.brief, *outcome.must_do]
        case ReviewOutcome():
            return [*_reports(outcome), outcome.feedback_for_writer or "", *(one.issue for one in outcome.issues)]
        case _:
            return _reports(outcome)


def _reports(outcome: Outcome) -> list[str]:
    """What was done. Elsewhere "`make test` passes" may be what is wanted."""
    match outcome:
        case TestsOutcome() | ImplementationOutcome() | JudgeOutcome():
            return [outcome.summary]
        case ValidationOutcome():
            return [outcome.summary, *(check.evidence for check in outcome.checks)]
        case ReviewOutcome():
            return list(outcome.good)
        case _:
            return []
