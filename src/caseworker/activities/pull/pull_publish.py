"""Posts what a turn of a pull case has to say: a thread for each finding, a reply in each thread. Each once.

A finding has one key for the life of its pull request, so that a later review does not say it again. After a kill the
row of the effect says whether to look for it first.
"""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog

from caseworker.activities.shared.context import finish_if_cancelled
from caseworker.core.base.errors import RateLimited, Refused
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.outcomes.pull_work import PullFinding, PullResolveOutcome, PullReviewOutcome, ThreadAnswer
from caseworker.core.pull.case import PullCase
from caseworker.core.pull.findings import (
    OwnersRule,
    Reproduction,
    comment_text,
    earlier_findings,
    finding_id,
    sort_findings,
)
from caseworker.core.pull.review_threads import ReviewThread
from caseworker.core.pull.thread_answers import GivenThread, is_news, is_resolved_by, reply_text
from caseworker.core.record.entries import Entry
from caseworker.core.record.pull_entries import FindingPublished, ThreadAnswered, TurnGiven
from caseworker.ports import Store, StoredPull
from caseworker.ports.pull_threads import NewThread, PullThreads

log = structlog.get_logger()

THREAD: Final = "review_thread"
"""The kind of our effects in review threads."""


@dataclass(frozen=True, kw_only=True)
class WordsPublished:
    threads: tuple[str, ...] = ()
    """Where something was said, as `path:line`."""
    resolved: int = 0
    unplaced: tuple[PullFinding, ...] = ()
    """New findings whose line can't carry a comment: they are told in the artifact alone."""


@dataclass(frozen=True, kw_only=True)
class _Turn:
    """The turn whose words are published."""

    case: CaseId
    number: int
    stored: StoredPull
    repository: RepositoryRef
    given: TurnGiven
    head: Sha
    """What it has read."""
    pushed: Sha | None


class PullPublisher:
    def __init__(self, *, store: Store, threads: PullThreads, redactor: Redactor) -> None:
        self._store = store
        self._threads = threads
        self._redactor = redactor

    async def publish_words(self, stored: StoredPull, case: PullCase, turn: int, commit: Sha | None) -> WordsPublished:
        """`commit`: what was pushed for the turn. Null: nothing."""
        done = next((one for one in await self._store.turns.finished(case.id) if one.turn == turn), None)
        if done is None:
            return WordsPublished()
        this = _Turn(
            case=case.id,
            number=turn,
            stored=stored,
            repository=await self._store.repositories.ref(stored.repository),
            given=await self._given(case.id, turn),
            head=done.checkpoint,
            pushed=commit,
        )
        match done.outcome:
            case PullReviewOutcome() as review:
                return await self._publish_review(this, review)
            case PullResolveOutcome() as resolve:
                return await self._publish_answers(this, resolve)
            case _:
                return WordsPublished()

    # --- findings

    async def _publish_review(self, this: _Turn, review: PullReviewOutcome) -> WordsPublished:
        talk = await self._threads.read(this.repository, this.stored.number)
        learnings = await self._store.review_learnings.of(this.stored.repository)
        rules = [OwnersRule(glob=one.glob, text=one.text) for one in learnings]
        found = sort_findings(review.findings, talk.threads, rules)
        urls = {one.id: one.thread.words[0].url for one in earlier_findings(talk.threads)}
        published = [await self._begin(this, one) for one in found.new]
        published += [await self._said_before(this, one, urls[finding_id(one)]) for one in found.said]
        published += [FindingPublished(turn=this.number, finding=one, how="rejected") for one in found.rejected]
        for entry in published:
            await self._record(this, entry, f"finding/{finding_id(entry.finding)}")
        begun = [entry.finding for entry in published if entry.how == "thread"]
        return WordsPublished(
            threads=tuple(f"{one.file}:{one.line}" for one in begun),
            unplaced=tuple(entry.finding for entry in published if entry.how == "artifact"),
        )

    async def _begin(self, this: _Turn, finding: PullFinding) -> FindingPublished:
        key, intent = self._finding_key(this, finding)
        effect, is_new = await self._store.effects.intend(key, this.case, THREAD, intent)
        if effect.done:  # the thread was deleted since, or GitHub does not show it yet
            how = "thread" if effect.intent.get("turn") == str(this.number) else "said_before"
            return self._published(this, finding, how=how, url=effect.result.get("url", ""))
        new = NewThread(
            commit=this.head,
            path=finding.file,
            line=finding.line,
            text=comment_text(finding, self._reproduction(this, finding), self._redactor),
        )
        number, threads = this.stored.number, self._threads
        try:
            url = await self._write(
                key, is_new, lambda: threads.begin(this.repository, number, new, key=key, look=not is_new)
            )
        except Refused as refused:
            await self._store.effects.withdraw(key)  # a later review may find a place for it
            log.info("a finding has no thread", case=this.case, file=finding.file, reason=str(refused))
            return self._published(this, finding, how="artifact", note=str(refused))
        return self._published(this, finding, how="thread", url=url)

    async def _said_before(self, this: _Turn, finding: PullFinding, url: str) -> FindingPublished:
        """Its thread is there: of an earlier review, or of a try of this one that was killed."""
        key, intent = self._finding_key(this, finding)
        effect, is_new = await self._store.effects.intend(key, this.case, THREAD, intent)
        if not effect.done:
            await self._store.effects.done(key, {"url": url})
        of_this = not is_new and effect.intent.get("turn") == str(this.number)
        return self._published(this, finding, how="thread" if of_this else "said_before", url=url)

    def _finding_key(self, this: _Turn, finding: PullFinding) -> tuple[str, dict[str, str]]:
        return f"{this.case}/finding/{finding_id(finding)}", {"turn": str(this.number)}

    def _reproduction(self, this: _Turn, finding: PullFinding) -> Reproduction | None:
        return this.given.reproductions.get(finding_id(finding))

    def _published(
        self, this: _Turn, finding: PullFinding, *, how: str, url: str = "", note: str = ""
    ) -> FindingPublished:
        reproduction = self._reproduction(this, finding)
        facts = {"turn": this.number, "finding": finding, "how": how, "url": url, "note": note}
        return FindingPublished.model_validate({**facts, "reproduction": reproduction})

    # --- answers

    async def _publish_answers(self, this: _Turn, outcome: PullResolveOutcome) -> WordsPublished:
        talk = await self._threads.read(this.repository, this.stored.number)
        threads = {one.id: one for one in talk.threads}
        given = {one.number: one for one in this.given.threads}
        told: list[ThreadAnswered] = []
        for answer in outcome.threads:
            known = given.get(answer.thread)
            if known is None:  # the outcome was checked, so that this can't be
                continue
            thread = threads.get(known.thread)
            if thread is not None and not outcome.reply and not is_news(answer, known, thread, pushed=this.pushed):
                continue  # it was answered by an earlier turn, and people have asked for nothing else
            told.append(await self._answer(this, answer, known, thread))
            await self._record(this, told[-1], f"answer/{answer.thread}")
        said = [one for one in told if not one.note]
        return WordsPublished(threads=tuple(one.place for one in said), resolved=sum(one.resolved for one in said))

    async def _answer(
        self, this: _Turn, answer: ThreadAnswer, given: GivenThread, thread: ReviewThread | None
    ) -> ThreadAnswered:
        if thread is None or thread.opener is None:
            return self._answered(this, answer, "", note="the thread is gone")
        is_told = any(word.by == "us" and word.id > given.newest for word in thread.words)
        if thread.is_resolved and not is_told:
            return self._answered(
                this, answer, thread.place, note=f"{thread.resolved_by or 'somebody'} has resolved it"
            )
        resolves = thread.is_resolved or is_resolved_by(answer, thread, pushed=this.pushed, last=given.last)
        text = reply_text(answer, pushed=this.pushed, resolves=resolves, redactor=self._redactor)
        key, number, threads = f"{this.case}/reply/{this.number}/{thread.id}", this.stored.number, self._threads
        effect, is_new = await self._store.effects.intend(key, this.case, THREAD, {"thread": thread.id})
        url = effect.result.get("url", "")
        try:
            if not effect.done:
                url = await self._write(
                    key,
                    is_new,
                    lambda: threads.reply(this.repository, number, thread, text, key=key, look=not is_new),
                )
            resolved = resolves and await self._resolve(this, thread)
        except Refused as refused:
            await self._store.effects.done(key, {"refused": str(refused)})
            return self._answered(this, answer, thread.place, note=str(refused))
        return self._answered(this, answer, thread.place, url=url, resolved=resolved)

    async def _resolve(self, this: _Turn, thread: ReviewThread) -> bool:
        """Once: a person who opens it again is not overruled."""
        key = f"{this.case}/resolve/{this.number}/{thread.id}"
        effect, is_new = await self._store.effects.intend(key, this.case, THREAD, {"thread": thread.id})
        if effect.done:
            return effect.result.get("resolved") == "yes"
        resolved = True
        if not thread.is_resolved:
            try:
                await self._threads.resolve(this.repository, thread)
            except RateLimited:
                if is_new:
                    await self._store.effects.withdraw(key)
                raise
            except Refused as refused:
                log.info("a thread stays open", case=this.case, thread=thread.id, reason=str(refused))
                resolved = False
        await self._store.effects.done(key, {"resolved": "yes" if resolved else "no"})
        return resolved

    def _answered(
        self, this: _Turn, answer: ThreadAnswer, place: str, *, url: str = "", resolved: bool = False, note: str = ""
    ) -> ThreadAnswered:
        return ThreadAnswered(
            turn=this.number,
            number=answer.thread,
            place=place,
            verdict=answer.verdict,
            resolved=resolved,
            commit=this.pushed if answer.changed else None,
            url=url,
            note=note,
        )

    # --- both

    async def _write(self, key: str, is_new: bool, write: Callable[[], Coroutine[Any, Any, str]]) -> str:
        try:
            url = await finish_if_cancelled(write())
        except RateLimited:
            if is_new:  # it is certain that no try has arrived: the next one needs no look
                await self._store.effects.withdraw(key)
            raise
        await self._store.effects.done(key, {"url": url})
        return url

    async def _given(self, case: CaseId, turn: int) -> TurnGiven:
        entries: Sequence[Entry] = [one.entry for one in await self._store.record.whole(case, kinds={"turn_given"})]
        given = [one for one in entries if isinstance(one, TurnGiven) and one.turn == turn]
        return given[-1] if given else TurnGiven(turn=turn)

    async def _record(self, this: _Turn, entry: Entry, what: str) -> None:
        await self._store.record.append(this.case, [entry], trace=this.stored.trace, key=f"{what}/{this.number}")
