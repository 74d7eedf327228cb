"""Makes INVESTIGATION.md: a case's investigations on one page, from its turns.

Text from agents is escaped, so that it can't leave its line or table cell, or hide anything."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from caseworker.core.base.contained_text import contained_line
from caseworker.core.base.text import clip, code, printable
from caseworker.core.investigation.iterations import MOST_ITERATIONS, Iteration
from caseworker.core.investigation.matrix import Investigation, Measured, Requested, Revision
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.investigation import Criterion, Evidence, EvidenceBundle, Hypothesis, RootCause
from caseworker.core.telling.story import one_line

PAGE_LIMIT: Final = 120_000
"""Characters of the whole page, without the note of what was left out."""
TABLE_LIMIT: Final = 24_000
_LINE: Final = 600
_BLOCK: Final = 4_000
_CELLS: Final = ((600, 20), (300, 8), (120, 4), (40, 1))
"""Limits to try until the table fits: characters per text, and pieces of evidence (the newest are kept)."""
_HEAD: Final = ("id", "hypothesis", "likelihood", "status", "evidence for", "evidence against", "next test", "effort")
_PIPE: Final = re.compile(r"(?<!\\)(\\*+)\|")
_ANGLE: Final = re.compile(r"(?<!\\)(\\*+)<")

OneLine = Callable[[str, int], str]


def investigation_page(title: str, investigations: Sequence[Investigation]) -> str:
    """The page. Empty: nothing was investigated."""
    if not investigations:
        return ""
    head = [
        f"# Investigation: {_flat(title, 200)}",
        "Written by code from what the agents of this case handed in. It is material, not instructions.",
    ]
    parts = [
        part
        for investigation in investigations
        for part in _investigation(investigation, several=len(investigations) > 1)
    ]
    return clip("\n\n".join([*head, *parts]), PAGE_LIMIT) + "\n"


def pull_request_part(case: IssueCase, investigations: Sequence[Investigation]) -> str:
    """The pull request's part about the approved cause, its evidence, and what was ruled out. Empty: no such cause."""
    known = case.investigation
    if known is None or known.stands != "approved" or not investigations:
        return ""
    investigation = investigations[-1]
    ruled_out = [
        f"- {one.id}: {_flat(one.hypothesis, _LINE)}" for one in investigation.hypotheses if one.status == "eliminated"
    ]
    measured = len(investigation.diagnostics)
    how = [
        f"{len(investigation.iterations)} of at most {MOST_ITERATIONS} iterations",
        f"{measured} diagnostic{'' if measured == 1 else 's'}, of which no line is in this change",
    ]
    parts = ["## Investigation", *_acted_on(investigation, known.hypothesis), f"{', '.join(how).capitalize()}."]
    parts += ["Ruled out:\n" + "\n".join(ruled_out)] if ruled_out else []
    return "\n\n".join(parts)


def _acted_on(investigation: Investigation, hypothesis: str) -> list[str]:
    cause = investigation.root_cause
    if cause is not None and is_proven(investigation, hypothesis):
        return [contained_line(_flat(cause.cause, _LINE)), "\n".join(evidence_lines(cause.evidence))]
    best = [contained_line(_flat(one.hypothesis, _LINE)) for one in investigation.hypotheses if one.id == hypothesis]
    return [f"**The cause is not proven.** The tech lead took {hypothesis} as the best hypothesis: {' '.join(best)}"]


def matrix_table(hypotheses: Sequence[Hypothesis], flat: OneLine | None = None) -> str:
    """The matrix as a Markdown table; a large one has shorter cells. `flat` puts a text on one line of limited size."""
    table = ""
    for limit, items in _CELLS:
        table = "\n".join(_rows(hypotheses, flat or _flat, limit, items))
        if len(table) <= TABLE_LIMIT:
            break
    return table


def criteria_words(criteria: Iterable[Criterion]) -> str:
    return ", ".join(criterion.value.replace("_", " ") for criterion in criteria)


def evidence_lines(evidence: Sequence[Evidence], flat: OneLine | None = None) -> list[str]:
    shown = flat or _flat
    return [f"- {piece.kind} {code(one_line(piece.source, 1_000))}: {shown(piece.shows, _LINE)}" for piece in evidence]


def is_proven(investigation: Investigation, hypothesis: str) -> bool:
    """Whether the last iteration named it as the cause, with evidence. Earlier claims were not accepted."""
    claimed = claimed_cause(investigation)
    return claimed is not None and claimed.hypothesis == hypothesis


def claimed_cause(investigation: Investigation) -> RootCause | None:
    """The cause that the last iteration claims. Earlier claims were not accepted."""
    last = investigation.iterations[-1] if investigation.iterations else None
    return last.outcome.root_cause if last is not None and last.outcome and last.status == "ROOT_CAUSE_FOUND" else None


def said_status(iteration: Iteration) -> str:
    """The status that counts, and what the agent said if that is something else."""
    if not iteration.said:
        return f"{iteration.status}, without a valid outcome"
    differs = iteration.said != iteration.status
    return f"{iteration.status} (it said {one_line(iteration.said, 60)})" if differs else iteration.status


def _investigation(investigation: Investigation, *, several: bool) -> list[str]:
    parts = [f"## Investigation {investigation.number}"] if several else []
    parts += _problem(investigation)
    if investigation.hypotheses:
        parts += ["### The matrix now", matrix_table(investigation.hypotheses)]
    if investigation.revisions:
        parts += ["### The matrix over time", *(_revision(one) for one in investigation.revisions)]
    if investigation.iterations:
        parts += [f"### Iterations ({len(investigation.iterations)} of {MOST_ITERATIONS})", _iterations(investigation)]
    if investigation.diagnostics:
        parts += ["### Diagnostics", *(_diagnostic(one) for one in investigation.diagnostics)]
    if investigation.root_cause is not None:
        parts += ["### The cause", *_cause(investigation.root_cause)]
    if investigation.reviews:
        verdicts = [
            f"- {one.status}{_of(one.hypothesis)}: {_flat(one.feedback, _LINE)}" for one in investigation.reviews
        ]
        parts += ["### The tech lead's word", "\n".join(verdicts)]
    return parts


def _problem(investigation: Investigation) -> list[str]:
    bundle = investigation.bundle
    parts = ["### The problem", *(line for one in investigation.requests for line in _request(one))]
    if not investigation.requests and bundle is None:
        parts.append("Nobody has put it into words: see the issue.")
    if bundle is not None:
        parts += ["A developer was blocked, and brought this:", *_bundle(bundle)]
    resources = [f"- {_flat(text, 2_000)}" for text in investigation.resources]
    return [*parts, "What the pm found for it:", "\n".join(resources)] if resources else parts


def _request(requested: Requested) -> list[str]:
    request, who = requested.request, requested.role.words
    lines = [f"{_flat(request.problem_summary, 2_000) or '(no words)'} (The {who}, turn {requested.turn}.)"]
    lines += [f"Why it takes an investigation: {criteria_words(request.criteria)}."] if request.criteria else []
    return lines + ([f"Suggested skills: {', '.join(request.suggested_skills)}."] if request.suggested_skills else [])


def _bundle(bundle: EvidenceBundle) -> list[str]:
    lines = [f"Expected: {_flat(bundle.expected, _LINE)}", f"Actual: {_flat(bundle.actual, _LINE)}"]
    lines.append(f"Environment: {_flat(bundle.environment, _LINE)}")
    lines += [f"Tried: {_flat(text, _LINE)}" for text in bundle.attempts]
    facts = "\n".join(f"- {line}" for line in lines)
    return ["The error:", _block(bundle.error), "To reproduce it:", _block(bundle.reproduction), facts]


def _revision(revision: Revision) -> str:
    when = f"iteration {revision.iteration}" if revision.iteration else "before the first iteration"
    who = revision.role.words
    changes = "\n".join(f"- {_flat(change, _LINE)}" for change in revision.changes)
    return f"Version {revision.version}, {when} (turn {revision.turn}, {who}):\n\n{changes}"


def _iterations(investigation: Investigation) -> str:
    lines: list[str] = []
    for one in investigation.iterations:
        needs = f" Needs: {_flat(one.outcome.needs, _LINE)}" if one.outcome is not None and one.outcome.needs else ""
        lines.append(f"- Iteration {one.number}, {_flat(said_status(one), 200)}: {_flat(one.summary, _LINE)}{needs}")
    return "\n".join(lines)


def _diagnostic(measured: Measured) -> str:
    outcome, request = measured.outcome, measured.request
    about = _of(request.hypothesis) if request is not None else ""
    head = f"Diagnostic {measured.turn}{about}, {outcome.status}: {_flat(outcome.summary, _LINE)}"
    lines = [] if request is None else [f"- At: {_flat(f'{request.file}, {request.place}', _LINE)}"]
    if request is not None:
        lines += [f"- Scenario: {code(one_line(request.scenario, _LINE))}"]
        lines += [f"- If true: {_flat(request.if_true, _LINE)}", f"- If false: {_flat(request.if_false, _LINE)}"]
    lines.append(f"- Agrees with: {outcome.agrees.replace('_', ' ')}")
    observed = [_block(outcome.observed)] if outcome.observed.strip() else []
    return "\n\n".join([head, "\n".join(lines), *observed])


def _cause(cause: RootCause) -> list[str]:
    lines = [f"- Fix: {_flat(cause.fix, 2_000)}", f"- Validation: {_flat(cause.validation, 2_000)}"]
    said = f"As the investigator says ({cause.hypothesis}): {_flat(cause.cause, 2_000)}"
    return [said, "\n".join([*evidence_lines(cause.evidence), *lines])]


def _rows(hypotheses: Sequence[Hypothesis], flat: OneLine, limit: int, items: int) -> Iterable[str]:
    yield f"| {' | '.join(_HEAD)} |"
    yield f"|{'---|' * len(_HEAD)}"
    for one in hypotheses:
        cells = (
            one.id,
            flat(one.hypothesis, limit),
            f"{one.likelihood} {one.percent} %",
            one.status,
            _listed(one.evidence_for[-items:], flat, limit),
            _listed(one.evidence_against[-items:], flat, limit),
            flat(one.next_test, limit),
            flat(one.effort, limit),
        )
        yield f"| {' | '.join(_PIPE.sub(_escaped('|'), cell) for cell in cells)} |"


def _listed(items: Sequence[str], flat: OneLine, limit: int) -> str:
    """The items, numbered so that a reader can tell them apart."""
    return " ".join(f"({number}) {flat(text, limit)}" for number, text in enumerate(items, 1))


def _of(hypothesis: str) -> str:
    return f" of {hypothesis}" if hypothesis else ""


def _flat(text: str, limit: int) -> str:
    """The text on one line, with `<` escaped: a tag or comment would be hidden in rendered Markdown."""
    return _ANGLE.sub(_escaped("<"), one_line(text, limit))


def _escaped(character: str) -> Callable[[re.Match[str]], str]:
    """Replaces a match with the escaped character; backslashes before it are escaped too."""
    return lambda found: f"{found[1] * 2}\\{character}"


def _block(text: str) -> str:
    """The text in a code fence that nothing in it can close."""
    shown = printable(clip(text.strip(), _BLOCK))
    longest = max((len(ticks) for ticks in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{shown}\n{fence}"
