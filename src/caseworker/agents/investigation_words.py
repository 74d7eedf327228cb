"""Prompt blocks about an investigation: the problem, the matrix, what was tried and measured, and the cause.

Other agents wrote this text, or programs printed it: all of it is cleaned, limited in length and fenced.
"""

from collections.abc import Sequence
from typing import Final

from caseworker.agents.case_words import newest
from caseworker.core.base.text import clip, code
from caseworker.core.base.untrusted_text import Fence, cleaned, one_line, revealed
from caseworker.core.evidence.diagnostics import MARK
from caseworker.core.investigation.iterations import MOST_ITERATIONS
from caseworker.core.investigation.matrix import Investigation, Measured, Requested
from caseworker.core.outcomes.investigation import Diagnostic, EvidenceBundle, Hypothesis, RootCause
from caseworker.core.telling.investigation import (
    claimed_cause,
    criteria_words,
    evidence_lines,
    is_proven,
    matrix_table,
    said_status,
)

_MEASURED_LIMIT: Final = 24_000
_OBSERVED_LIMIT: Final = 6_000
_BUNDLE_LIMIT: Final = 6_000
_WORDS_LIMIT: Final = 12_000


def investigation_blocks(fence: Fence, investigation: Investigation | None, used: int) -> dict[str, str]:
    """The blocks by name. `used`: completed iterations. Without an investigation only counts and mark are filled."""
    known = investigation or Investigation(number=1)
    matrix = matrix_table(known.hypotheses, one_line) if known.hypotheses else ""
    return {
        "iteration": _this_iteration(used + 1, known),
        "used": f"{used} of {MOST_ITERATIONS} iterations are used.",
        "mark": MARK,
        "problem": fence.around(_problem(known), what="problem to investigate", source="who asked for it"),
        "bundle": fence.around(_bundle(known.bundle), what="evidence of a blocked developer", source="the developer"),
        "matrix": fence.around(matrix, what="hypothesis matrix", source="the investigation"),
        "iterations": fence.around(_iterations(known), what="iterations so far", source="the investigator"),
        "diagnostics": fence.around(_measured(known.diagnostics), what="diagnostics", source="developers"),
        "verdicts": fence.around(_verdicts(known), what="what was said of the cause", source="the tech lead"),
        "resources": fence.around(_resources(known), what="resources", source="the pm"),
        "claim": fence.around(_claim(known), what="the cause as it is claimed", source="the investigator"),
        "measure": fence.around(_request(known), what="what to measure", source="the investigator"),
    }


def accepted_cause(fence: Fence, investigation: Investigation | None, hypothesis: str) -> str:
    """The cause that the tech lead accepted, and whether it was proven."""
    if investigation is None or not hypothesis:
        return ""
    claims = [one.outcome.root_cause for one in reversed(investigation.iterations) if one.outcome is not None]
    cause = next((claim for claim in claims if claim is not None and claim.hypothesis == hypothesis), None)
    proven = is_proven(investigation, hypothesis)
    lines = [f"{hypothesis}, proven by evidence and accepted by the tech lead." if proven else _unproven(hypothesis)]
    if cause is not None:
        lines += _cause_lines(cause)
    else:
        lines += [line for one in investigation.hypotheses if one.id == hypothesis for line in _believed(one)]
    if investigation.reviews and investigation.reviews[-1].feedback.strip():
        lines.append(f"The tech lead: {one_line(investigation.reviews[-1].feedback)}")
    return fence.around("\n".join(lines), what="cause", source="the investigation")


def _unproven(hypothesis: str) -> str:
    return (
        f"{hypothesis}, NOT PROVEN: the tech lead took it as the best hypothesis there is. See whether it holds before "
        "you build on it, and say so if it does not."
    )


def _this_iteration(number: int, investigation: Investigation) -> str:
    text = f"This is iteration {number} of {MOST_ITERATIONS}; none is ever given back."
    if number >= MOST_ITERATIONS:
        text = (
            f"This is iteration {number} of {MOST_ITERATIONS}, the last one: a diagnostic would come too late. Prove "
            "the cause now, or leave the matrix so that the best hypothesis can be told from the rest."
        )
    if not investigation.hypotheses:
        text += " There is no matrix yet: build one of three to six hypotheses, each with its likelihood."
    return text


def _problem(investigation: Investigation) -> str:
    """The problem as each request states it, with what was suspected and suggested then."""
    return "\n\n".join(newest([_one_request(one) for one in investigation.requests], _WORDS_LIMIT))


def _one_request(requested: Requested) -> str:
    request, who = requested.request, requested.role.value.replace("_", " ")
    lines = [f"{one_line(request.problem_summary)} (the {who}, turn {requested.turn})"]
    lines += [f"Criteria: {criteria_words(request.criteria)}"] if request.criteria else []
    lines += [f"Suspected then: {one.id}, {one_line(one.hypothesis, 600)}" for one in request.hypothesis_matrix]
    lines += [f"Suggested skills: {', '.join(request.suggested_skills)}"] if request.suggested_skills else []
    lines += ["Another problem than the one investigated before."] if request.new_problem else []
    return "\n".join(lines)


def _bundle(bundle: EvidenceBundle | None) -> str:
    if bundle is None:
        return ""
    lines = [f"Error:\n{clip(revealed(bundle.error), _BUNDLE_LIMIT)}"]
    lines.append(f"To reproduce it:\n{clip(revealed(bundle.reproduction), _BUNDLE_LIMIT)}")
    lines += [f"Expected: {one_line(bundle.expected)}", f"Actual: {one_line(bundle.actual)}"]
    lines.append(f"Environment: {one_line(bundle.environment)}")
    tried = [f"Tried: {one_line(text)}" for text in bundle.attempts]
    return "\n".join([*lines, *newest(tried, _WORDS_LIMIT)])


def _iterations(investigation: Investigation) -> str:
    lines: list[str] = []
    for one in investigation.iterations:
        needs = f" It needs: {one_line(one.outcome.needs)}" if one.outcome is not None and one.outcome.needs else ""
        lines.append(f"- Iteration {one.number}, {one_line(said_status(one), 200)}: {one_line(one.summary)}{needs}")
    return "\n".join(newest(lines, _WORDS_LIMIT))


def _measured(diagnostics: Sequence[Measured]) -> str:
    return "\n\n".join(newest([_one_measured(one) for one in diagnostics], _MEASURED_LIMIT))


def _one_measured(measured: Measured) -> str:
    outcome, request = measured.outcome, measured.request
    lines = [f"diagnostic {measured.turn}, {outcome.status}: {one_line(outcome.summary)}"]
    if request is not None:
        lines.append(f"It tests {request.hypothesis} at {one_line(request.file, 400)}, {one_line(request.place, 400)}")
        lines += [f"Expected if true: {one_line(request.if_true, 600)}"]
        lines += [f"Expected if false: {one_line(request.if_false, 600)}"]
    lines.append(f"The developer says it agrees with: {outcome.agrees}")
    lines += [f"Ran: {code(one_line(command, 300))}" for command in outcome.commands]
    return "\n".join([*lines, f"Observed:\n{clip(revealed(outcome.observed), _OBSERVED_LIMIT)}"])


def _verdicts(investigation: Investigation) -> str:
    lines = [f"- {one.status}: {clip(cleaned(one.feedback), 4_000).strip()}" for one in investigation.reviews]
    return "\n".join(newest(lines, _WORDS_LIMIT))


def _resources(investigation: Investigation) -> str:
    return "\n\n".join(newest([clip(cleaned(text), _BUNDLE_LIMIT) for text in investigation.resources], _WORDS_LIMIT))


def _claim(investigation: Investigation) -> str:
    cause = claimed_cause(investigation)
    return "\n".join([f"{cause.hypothesis} is the cause.", *_cause_lines(cause)]) if cause is not None else ""


def _cause_lines(cause: RootCause) -> list[str]:
    evidence = evidence_lines(cause.evidence, one_line)
    lines = [f"Cause: {one_line(cause.cause)}", "Evidence:", *evidence]
    return [*lines, f"Fix: {one_line(cause.fix)}", f"Validation: {one_line(cause.validation)}"]


def _believed(one: Hypothesis) -> list[str]:
    lines = [f"Hypothesis: {one_line(one.hypothesis)}", f"Likelihood: {one.likelihood} {one.percent} %"]
    lines += [f"For it: {one_line(text, 600)}" for text in one.evidence_for]
    return lines + [f"Against it: {one_line(text, 600)}" for text in one.evidence_against]


def _request(investigation: Investigation) -> str:
    request = investigation.asked_to_measure
    if request is None:
        return ""
    tested = [one for one in investigation.hypotheses if one.id == request.hypothesis]
    return "\n".join([*(f"{one.id}: {one_line(one.hypothesis)}" for one in tested), *_fields(request)])


def _fields(request: Diagnostic) -> list[str]:
    fields = (
        ("File", request.file),
        ("Place", request.place),
        ("Instrumentation", request.instrumentation),
        ("Scenario", request.scenario),
        ("Collect", request.collect),
        ("If true", request.if_true),
        ("If false", request.if_false),
    )
    return [f"{name}: {one_line(text)}" for name, text in fields]
