"""Asks the pm for the title and opening paragraph of a pull request, once, and keeps the answer with the case."""

from collections.abc import Sequence
from typing import Final

import structlog

from caseworker.agents.quotes import new_fence
from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.templates import BODY_LIMIT, template
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import cleaned
from caseworker.core.issue.case import IssueCase, cap_of
from caseworker.core.telling.pull_text import OWN_WORDS, PullText, facts_for_text, unfit
from caseworker.ports import CaseAccount, Failed, Model, Question, Store, StoredCase

log = structlog.get_logger()

_KIND: Final = Task.PR_TEXT.value


class PullTexts:
    def __init__(self, *, store: Store, model: Model) -> None:
        self._store = store
        self._model = model

    async def of(self, case: IssueCase, stored: StoredCase, changed: Sequence[str]) -> PullText:
        """The text of the case's present pull request. What was answered once is kept, also that there is nothing:
        so an update never changes it, and a crash never asks again for what was stored."""
        over = [pull for pull in await self._store.pulls.of(case.id) if pull.state != "open"]
        key = f"{case.id}/{_KIND}/{len(over)}"
        effect, _ = await self._store.effects.intend(key, case.id, _KIND, {"head": case.branch})
        if effect.done:
            return PullText(title=effect.result["title"], opening=effect.result["opening"])
        text = await self._ask(case, stored, list(changed), nth=len(over) + 1)
        await self._store.effects.done(key, {"title": text.title, "opening": text.opening})
        return text

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
