"""The issue with which a bug's fix begins: the report, what people added, and what the turns of the bug case found."""

from collections.abc import Iterable, Sequence
from typing import Final

from caseworker.core.base.ids import CaseId
from caseworker.core.base.text import clip
from caseworker.core.bug.words import findings
from caseworker.core.outcomes.bug import BugAction, BugOutcome, Proof
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import SPOKEN, Message, Standing

_MOST: Final = 50_000
"""Characters: a case file holds no longer issue."""
_MOST_EVIDENCE: Final = 40
_CHANGED: Final = {MessageKind.EDIT: ", in a changed message", MessageKind.DELETION: ", and took it back"}
_FOUND: Final = frozenset({BugAction.POST_FINDINGS, BugAction.ESCALATE, BugAction.RESOLVED})


def standing_findings(outcomes: Sequence[BugOutcome]) -> BugOutcome:
    """What the turns found, oldest first, as one outcome. What a newer turn says replaces what an older one said; what
    it leaves open is taken from the newest that says it. Evidence is what was run and seen: all of it stays."""
    last = outcomes[-1]
    newest = [outcome for outcome in reversed(outcomes) if outcome is last or outcome.action in _FOUND]
    known = next((outcome for outcome in newest if outcome.fix_type != "unknown"), last)
    return last.model_copy(
        update={
            "summary": _together(outcome.summary for outcome in reversed(newest[:2])),
            "root_cause": next((outcome.root_cause for outcome in newest if outcome.root_cause), ""),
            "fix_type": known.fix_type,
            "culprit_commit": next((one.culprit_commit for one in newest if one.culprit_commit is not None), None),
            "recommended_actions": next((one.recommended_actions for one in newest if one.recommended_actions), []),
            "evidence": _evidence(outcomes),
        }
    )


def fix_body(bug: CaseId, report: str, said: Sequence[Message], found: BugOutcome) -> str:
    """`said`: all messages of the case, oldest first. The report is the first of them."""
    spoken = [message for message in said[1:] if message.kind in SPOKEN and message.text.strip()]
    reporter = [message for message in spoken if message.standing is Standing.REPORTER]
    team = [message for message in spoken if message.standing in (Standing.DEVELOPER, Standing.OWNER)]
    parts = [
        f"Reported as {bug}.",
        report.strip(),
        _quotes("What the reporter added", reporter),
        _quotes("What developers said", team),
        f"## Findings\n\n{findings(found)}",
    ]
    return clip("\n\n".join(part for part in parts if part), _MOST)


def new_words(said: Sequence[Message], turn: int, found: BugOutcome) -> str:
    """For a fix that is open already: what was found since, and what developers said in this turn, word for word."""
    team = (Standing.DEVELOPER, Standing.OWNER)
    spoken = [
        one for one in said if one.turn == turn and one.standing in team and one.kind in SPOKEN and one.text.strip()
    ]
    parts = ("New findings:", findings(found), _quotes("What developers said", spoken))
    return clip("\n\n".join(part for part in parts if part), _MOST)


def public_body(bug: CaseId, found: BugOutcome) -> str:
    """For a forge, where more people may read than reported it: the findings, and nobody's own words."""
    return f"Found while looking into {bug}, which was reported elsewhere.\n\n## Findings\n\n{findings(found)}"


def _together(texts: Iterable[str]) -> str:
    return "\n\n".join(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _evidence(outcomes: Sequence[BugOutcome]) -> list[Proof]:
    proofs = {(proof.source, proof.shows): proof for outcome in outcomes for proof in outcome.evidence}
    return list(proofs.values())[-_MOST_EVIDENCE:]


def _quotes(heading: str, messages: Sequence[Message]) -> str:
    """Exact words, each text once."""
    once = {(message.author, message.kind, message.text.strip()): message for message in messages}
    quotes = [
        f"{message.author}{_CHANGED.get(message.kind, '')}:\n"
        + "\n".join(f"> {line}".rstrip() for line in message.text.strip().splitlines())
        for message in once.values()
    ]
    return "\n\n".join([f"## {heading}", *quotes]) if quotes else ""
