"""The artifact of a run, as Markdown, made from the record."""

from collections.abc import Sequence

from caseworker.core.base.ids import is_local
from caseworker.core.base.policy import Milestone
from caseworker.core.base.text import code
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import PlanOutcome, TriageOutcome
from caseworker.core.people.registry import REGISTRY
from caseworker.core.runs.run import Run
from caseworker.core.telling.money import money_words, turn_words
from caseworker.core.telling.summaries import Seen, Summary


def artifact_page(run: Run, summary: Summary, outcomes: Sequence[Outcome]) -> str | None:
    """The artifact of a run. Null: there is nothing to show yet, or this workflow's artifact is not made here."""
    row = REGISTRY.get(run.workflow)
    match row.milestone if row is not None else None:
        case Milestone.TRIAGE:
            return _triage_page(outcomes)
        case Milestone.PLAN:
            return plan_page(outcomes)
        case Milestone.PR:
            return _implement_page(run, summary)
        case None:
            return None


def plan_page(outcomes: Sequence[Outcome]) -> str | None:
    """The newest finished plan. An earlier one may have been rejected."""
    for outcome in reversed(outcomes):
        if isinstance(outcome, PlanOutcome) and outcome.status == "PLANNING_COMPLETE" and not outcome.ask:
            return outcome.plan.rstrip() + "\n"
    return None


def _triage_page(outcomes: Sequence[Outcome]) -> str | None:
    triage = next((outcome for outcome in reversed(outcomes) if isinstance(outcome, TriageOutcome)), None)
    if triage is None:
        return None
    topics = ", ".join(topic.value for topic in triage.topics) or "none"
    facts = [
        f"- Verdict: {triage.status}",
        f"- Type: {triage.type.value}",
        f"- Size: {triage.scope}, {triage.complexity}",
        f"- Sensitive topics: {topics}",
    ]
    return _page("Triage", triage.reason, "\n".join(facts))


def _implement_page(run: Run, summary: Summary) -> str:
    """The artifact of an implement run. It begins with the status, and leaves out what does not exist yet."""
    parts = [_header(run, rehearsed=summary.rehearsed), f"How it stands: {summary.stands}"]
    if summary.wrong:
        parts.append(f"## Cause, it says\n\n{summary.wrong}")
    if summary.changed or summary.files:
        files = "\n".join(f"- {code(path)}" for path in summary.files)
        parts.append(f"## Fix, it says\n\n{summary.changed}\n\n{files}".rstrip())
    proof = [
        *_seen("Seen to fail", summary.red),
        *_seen(summary.green.passed_words if summary.green else "", summary.green),
    ]
    if proof:
        parts.append("## Evidence\n\n" + "\n".join(proof))
    if summary.not_seen:
        parts.append("## Said, and not seen\n\n" + "\n".join(f"- {one}" for one in summary.not_seen))
    if summary.pull_request is not None:
        named = "Branch" if is_local(summary.case) else f"Pull request {summary.pull_request}, branch"
        parts.append(f"{named} {code(summary.branch)}.")
    return _page(summary.title, *parts)


def _header(run: Run, *, rehearsed: bool) -> str:
    cost = money_words(run.cost_micros, rehearsed=rehearsed)
    return f"{run.state.value}, {cost}, {turn_words(run.turns)}, {run.wall_clock_ms / 1000:.0f} s"


def _seen(what: str, seen: Seen | None) -> list[str]:
    if seen is None:
        return []
    return [f"- {what}: {code(seen.command)} on `{seen.commit[:12]}`, exit code {seen.exit_code}"]


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", *(part.strip() for part in parts)]) + "\n"
