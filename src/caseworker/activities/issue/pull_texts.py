"""Asks the pm for the title and opening paragraph of a pull request, once per delivered commit, and keeps them."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from caseworker.agents.quotes import new_fence
from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.templates import BODY_LIMIT, template
from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import cleaned
from caseworker.core.issue.case import IssueCase, cap_of
from caseworker.core.telling.pull_text import OWN_WORDS, PullText, facts_for_text, unfit
from caseworker.ports import CaseAccount, Failed, Model, Question, Store, StoredCase

log = structlog.get_logger()

_KIND: Final = Task.PR_TEXT.value


@dataclass(frozen=True)
class CommitText:
    text: PullText
    earlier: list[str]
    """The titles that the pm gave to earlier commits."""


class PullTexts:
    def __init__(self, *, store: Store, model: Model) -> None:
        self._store = store
        self._model = model

    async def of(self, case: IssueCase, commit: Sha, stored: StoredCase, changed: Sequence[str]) -> CommitText:
        """The text for this commit, which may describe less or more than an older one. What was answered once is kept,
        also that there is nothing: the same commit has the same text, and a crash never asks again for what was stored.
        """
        earlier: list[str] = []
        for nth in itertools.count(1):
            key = f"{case.id}/{_KIND}/{nth}"
            effect, _ = await self._store.effects.intend(key, case.id, _KIND, {"commit": commit})
            if effect.intent["commit"] == commit:
                break
            earlier.append(effect.result.get("title", ""))
        if effect.done:
            return CommitText(PullText.model_validate(effect.result), earlier)
        text = await self._ask(case, stored, list(changed), nth)
        await self._store.effects.done(key, {"title": text.title, "opening": text.opening})
        return CommitText(text, earlier)

    async def _ask(self, case: IssueCase, stored: StoredCase, changed: list[str], nth: int) -> PullText:
        if stored.rehearsal is not None and not _is_rehearsed(stored.rehearsal, nth):
            return OWN_WORDS
        answer = await self._model.ask(
            Question(
                purpose=_KIND,
                system=template(f"{Role.PM}.{_KIND}"),
                text=_evidence(case, stored, changed),
                answer=PullText,
                model=stored.policy.model_for(Role.PM, _KIND),
                account=CaseAccount(case=case.id, trace=stored.trace),
                cap_micros=cap_of(case, stored.policy),
                rehearsal=stored.rehearsal,
                nth=nth,
            )
        )
        if isinstance(answer, Failed):
            log.info("pull request worded by code", reason=answer.reason)
            return OWN_WORDS
        if problem := unfit(answer.value):
            log.info("pull request worded by code", reason=problem)
            return OWN_WORDS
        return PullText(title=answer.value.title.strip(), opening=answer.value.opening.strip())


def _is_rehearsed(script: str, nth: int) -> bool:
    return load_rehearsal(script, "the rehearsal").answers_to(_KIND, nth) is not None


def _evidence(case: IssueCase, stored: StoredCase, changed: list[str]) -> str:
    fence, file = new_fence(), stored.file
    issue = clip(cleaned(f"{file.issue.title}\n\n{file.issue.original_body}"), BODY_LIMIT)
    facts = clip(cleaned(facts_for_text(file, changed=changed, red_first=case.evidence.red)), BODY_LIMIT)
    quoted = (
        fence.around(issue, what="issue", source="its author"),
        fence.around(facts, what="evidence", source="the case's record"),
    )
    return "\n\n".join(quoted)
