"""The issue case: from a received issue to a merged pull request, one state and one agent at a time."""

from datetime import datetime, timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import (
        DeliveryActivities,
        FollowUpActivities,
        RecordActivities,
        WorkspaceActivities,
    )
    from caseworker.contract.names import ISSUE_WORKFLOW
    from caseworker.contract.wire import (
        CaseInput,
        ClaimRequest,
        FollowUpRequest,
        MoveRequest,
        PushRequest,
    )
    from caseworker.core.base.ids import MessageId
    from caseworker.core.issue import words as issue_words
    from caseworker.core.issue.apply import learn, remarked
    from caseworker.core.issue.case import IssueCase, WaitingFor
    from caseworker.core.issue.command_facts import fact_of
    from caseworker.core.issue.decide import decide
    from caseworker.core.issue.facts import (
        BranchMoved,
        BudgetRaised,
        EffectRefused,
        Fact,
        HandedBack,
        Merged,
        RetryAsked,
        Spoke,
        TimedOut,
    )
    from caseworker.core.issue.moves import Move, counted, next_reminder, reminded, take
    from caseworker.core.issue.people import fits, passing_by, reopened
    from caseworker.core.issue.states import TERMINAL, WAITING, IssueState
    from caseworker.core.issue.turns import at_work, is_for_a_person
    from caseworker.core.issue.words import OBEYED, kept, obeyed
    from caseworker.core.people.messages import SPOKEN, Claimed, MessageKind
    from caseworker.core.people.receipts import OVER, not_done
    from caseworker.core.record.entries import Noted, Transitioned
    from caseworker.core.telling.follow_up import followed_up
    from caseworker.flows.base import SHORT_HISTORY, Interrupted
    from caseworker.flows.issue_steps import IssueSteps, ids_of


@workflow.defn(name=ISSUE_WORKFLOW)
class IssueWorkflow(IssueSteps):
    @workflow.init
    def __init__(self, start: CaseInput) -> None:
        super().__init__(start)

    @workflow.run
    async def run(self, start: CaseInput) -> None:
        self._case = await self._record(RecordActivities.load_case, start.case)
        while True:
            while self._case.state not in TERMINAL:
                if await self._read_inbox():
                    continue
                try:
                    await self._advance()
                except Interrupted:
                    continue
            if await self._finish():
                return

    async def _advance(self) -> None:
        """One step, right after a look into the inbox that moved nothing."""
        if at_work(self._case):
            self._continue_as_new_if(self._history_is_long())
            refused = await self._take_in()
            passing = passing_by(self._case)
            if refused is not None:
                await self._move_on(refused)
            elif passing is not None:
                await self._move(passing)
            else:
                await self._move_on(await self._work())
        elif self._case.people.late and not self._is_stuck() and self._waits_for(WaitingFor.MERGE):
            await self._move_on(Spoke(by="Somebody", messages=self._case.people.late))
        else:
            self._continue_as_new_if(workflow.info().get_current_history_length() > SHORT_HISTORY)
            if is_for_a_person(self._case) and self._case.delivery.checkpoint != self._left:
                await self._leave_the_work()
            await self._wait_for_people()

    # --- people

    async def _read_inbox(self) -> bool:
        """Look, obey commands, let words wake a case in which nobody works. True if the case moved, or may move now:
        what is left is claimed again by the same number."""
        self._closing = False  # before the look: a close that comes in during it must still interrupt what follows
        messages = await self._claim(self._case.progress.turns + 1)
        for message in messages:
            if await self._obey(message, messages):
                return True
        spoken = [message for message in messages if fact_of(message) is None]
        if at_work(self._case):
            self._in_hand = spoken
        elif meant := [message for message in spoken if self._wakes(message)]:
            await self._move_on(Spoke(by=meant[0].author, messages=tuple(ids_of(meant))))
            return True
        else:
            await self._settle(ids_of(spoken), kept(self._case))
        return False

    def _wakes(self, message: Claimed) -> bool:
        """Who has taken the case over is not disturbed; and "yes" is an answer where one is waited for, mere thanks
        where none is."""
        if self._case.people.taken_by:
            return False
        return message.reopens or self._waits_for(WaitingFor.ANSWER) or self._waits_for(WaitingFor.APPROVAL)

    async def _obey(self, message: Claimed, messages: list[Claimed]) -> bool:
        fact = fact_of(message)
        if fact is None:
            return False
        if isinstance(fact, HandedBack):
            turn = ClaimRequest(case=self._case.id, turn=self._case.progress.turns + 1)
            said = await self._record(RecordActivities.remarks_to, turn)
            fact = fact.model_copy(update={"messages": tuple(said)})
        if isinstance(fact, Merged):  # what was said just before it, and nobody has read, is told to be left open
            unread = [other for other in messages if other.id < message.id and other.kind in SPOKEN and other.reopens]
            self._case = remarked(self._case, ids_of(unread))
        misfit = fits(self._case, fact)
        if misfit is not None:
            await self._settle([message.id], not_done(misfit), refused=True)
            return False
        if isinstance(fact, BudgetRaised) and not self._waits_for(WaitingFor.BUDGET):
            self._case = counted(learn(self._case, fact))
            await self._keep(Noted(text=f"{fact.by} has raised the budget."))
        else:
            await self._move_on(fact)
        await self._settle([message.id], obeyed(message.kind, self._case))
        if self._case.state in TERMINAL:  # what was said before it ended asks for nothing any more
            others = [other for other in messages if other.id < message.id]
            await self._settle([other.id for other in others if other is not message], OVER)
        return True

    def _waits_for(self, reason: WaitingFor) -> bool:
        """Also after it has waited so long that it is blocked, or when it got stuck over what people said to it."""
        if self._case.waiting.wait is None or self._case.waiting.wait.reason is not reason:
            return False
        if self._is_stuck():
            return not self._case.people.taken_by
        return self._case.state in WAITING or self._case.state is IssueState.BLOCKED

    def _is_stuck(self) -> bool:
        return self._case.state is IssueState.REQUIRES_HUMAN_INTERVENTION

    async def _wait_for_people(self) -> None:
        """Until somebody speaks, it is time to remind them, or it has waited long enough."""
        now, due = workflow.now(), self._due()
        try:
            await workflow.wait_condition(
                lambda: self._bells != self._heard,
                timeout=None if due is None else max(due - now, timedelta(seconds=1)),
            )
        except TimeoutError:
            await self._time_has_come()

    def _due(self) -> datetime | None:
        times = [next_reminder(self._case, self._policy)]
        if self._case.state in WAITING and self._case.waiting.wait is not None:
            times.append(self._case.waiting.wait.until)
        return min((time for time in times if time is not None), default=None)

    async def _time_has_come(self) -> None:
        wait = self._case.waiting.wait
        if self._case.state in WAITING and wait is not None and wait.until and workflow.now() >= wait.until:
            await self._move_on(TimedOut())
            return
        due = next_reminder(self._case, self._policy)
        if due is not None and workflow.now() >= due:
            self._case = reminded(self._case)
            say = issue_words.reminder(self._case)
            await self._keep(Noted(text="people were reminded"), say)

    async def _finish(self) -> bool:
        """No return before a look that found nothing, with no bell since and no await in between. False: somebody wants
        it worked on again."""
        if self._case.state is IssueState.FAILED and self._case.delivery.checkpoint != self._case.delivery.base:
            await self._keep_the_work()
        await self._perform(WorkspaceActivities.remove_workspace, self._case.id, whatever_happens=True)
        while True:
            late = await self._claim(self._case.progress.turns + 1)
            if not late and self._bells == self._heard:
                return True
            asking = [message for message in late if self._reopens(message)]
            if asking and self._case.state is not IssueState.COMPLETED:
                await self._reopen(asking[0], late)
                return False
            if asking:
                await self._follow_up(ids_of(asking))
            await self._settle(ids_of(late), OVER)

    async def _follow_up(self, messages: list[MessageId]) -> None:
        """What is merged stays merged: another case takes up what is left, and whoever asked is told which."""
        request = FollowUpRequest(case=self._case.id, messages=messages)
        reply = await self._perform(FollowUpActivities.open_follow_up, request, whatever_happens=True)
        if isinstance(reply, EffectRefused):
            await self._settle(messages, not_done(reply.reason), refused=True)
        else:
            await self._settle(messages, followed_up(reply.case, new=reply.new))

    async def _leave_the_work(self) -> None:
        """On its branch, for the person whom the case waits for. Whoever speaks comes first, and it is tried again; the
        activity does it once for each commit, also after a crash between the parking and this."""
        for _ in range(2):
            request = PushRequest(case=self._case, commit=self._checkpoint)
            reply = await self._unless_rung(DeliveryActivities.keep_branch, request)
            self._left = request.commit
            if not isinstance(reply, BranchMoved):
                return
            self._case = counted(learn(self._case, reply))
            await self._keep(Noted(text="the work so far and what a person has pushed go on its branch together"))

    async def _keep_the_work(self) -> None:
        """On its branch, with what a person may have pushed to it."""
        for _ in range(2):
            request = PushRequest(case=self._case, commit=self._checkpoint)
            pushed = await self._perform(DeliveryActivities.push_branch, request, whatever_happens=True)
            if not isinstance(pushed, BranchMoved):
                return
            self._case = learn(self._case, pushed)

    def _reopens(self, message: Claimed) -> bool:
        """`retry`, and a request for work; thanks are only recorded."""
        return message.kind is MessageKind.RETRY or (message.kind in SPOKEN and message.reopens)

    async def _reopen(self, message: Claimed, late: list[Claimed]) -> None:
        before = self._case.state
        spoken = tuple(ids_of([other for other in late if other.kind in SPOKEN]))
        asked = RetryAsked(by=message.author, messages=spoken)
        self._case = reopened(learn(self._case, asked))
        retries = message.kind is MessageKind.RETRY
        self._case = self._case.updated(
            reason=f"{message.author} wants it worked on again.", go=self._case.waiting.resume if retries else None
        )
        await self._keep(self._transition(before))
        await self._settle([m.id for m in late if m.kind not in SPOKEN], OBEYED[MessageKind.RETRY])

    # --- moving

    async def _move_on(self, fact: Fact) -> None:
        known = learn(self._case, fact)
        await self._move(decide(known, fact, self._policy), known)

    async def _move(self, move: Move, known: IssueCase | None = None) -> None:
        before = self._case.state
        self._case = take(known or self._case, move, self._policy, workflow.now())
        entry = Noted(text=move.reason) if before is self._case.state else self._transition(before)
        await self._keep(entry, move.say)

    def _transition(self, before: IssueState) -> Transitioned:
        return Transitioned(
            number=self._case.progress.transitions,
            from_state=before,
            to_state=self._case.state,
            reason=self._case.reason,
        )

    async def _keep(self, entry: Transitioned | Noted, say: str = "") -> None:
        await self._record(RecordActivities.record_move, MoveRequest(after=self._case, entry=entry, say=say))
