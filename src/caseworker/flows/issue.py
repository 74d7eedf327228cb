"""The issue case: from a received issue to a merged pull request, one state and one agent at a time."""

from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import (
        BuildActivities,
        DeliveryActivities,
        FollowUpActivities,
        RecordActivities,
        TurnActivities,
        WorkspaceActivities,
    )
    from caseworker.contract.names import ISSUE_WORKFLOW
    from caseworker.contract.wire import (
        BuildRequest,
        CaseInput,
        ClaimRequest,
        FollowUpRequest,
        MoveRequest,
        Pushed,
        PushRequest,
        TurnDied,
        TurnReply,
        TurnRequest,
    )
    from caseworker.core import issue_words, words
    from caseworker.core.answers import RoleQuestion
    from caseworker.core.case import Case, WaitingFor
    from caseworker.core.commanding import fact_of
    from caseworker.core.decisions import decide
    from caseworker.core.evidence import Stage
    from caseworker.core.facts import (
        BranchMoved,
        BudgetRaised,
        BuildEnded,
        Deferred,
        EffectRefused,
        Fact,
        RetryAsked,
        Spoke,
        TimedOut,
        TurnEnded,
        TurnGaveUp,
    )
    from caseworker.core.first_rules import FIRST_TURN_OF, as_before_investigations, decide_at_first
    from caseworker.core.ids import MessageId, Sha
    from caseworker.core.knowing import after_turn, learn, remarked
    from caseworker.core.messages import SPOKEN, Claimed, MessageKind
    from caseworker.core.moves import Move, counted, next_reminder, reminded, take
    from caseworker.core.outcomes import AnswerOutcome, Task, TestsOutcome
    from caseworker.core.people_decisions import fits, passing_by, reopened
    from caseworker.core.record import Noted, Transitioned
    from caseworker.core.states import TERMINAL, WAITING, IssueState, Role
    from caseworker.core.turn_taking import WRITERS, at_work, turn_of
    from caseworker.flows.base import SHORT_HISTORY, CaseFlow, Interrupted, cause_of, is_refusal


_ALL_GIVEN = "a failed turn answers for all that it was given"
_RULES = "the rules of 0.3"
_INVESTIGATES = "investigations"
_EVERY_WORD = "every word is answered, at any time"
_IN_ONE_STEP = "a branch and its pull request are one step"
_IN_LINE = timedelta(days=1)
"""How long a developer may wait for a place before its own time begins."""
_MOST_QUESTIONS = 6
"""Between roles, in one state."""


@workflow.defn(name=ISSUE_WORKFLOW)
class IssueWorkflow(CaseFlow):
    @workflow.init
    def __init__(self, start: CaseInput) -> None:
        super().__init__(start)
        self._case = Case(id=start.case)
        self._in_hand: list[Claimed] = []  # claimed by the coming turn and not yet answered for
        self._new_rules = True
        self._investigates = True
        self._every_word = True

    @workflow.run
    async def run(self, start: CaseInput) -> None:
        self._case = await self._record(RecordActivities.load_case, start.case)
        self._new_rules = workflow.patched(_RULES)
        self._investigates = workflow.patched(_INVESTIGATES)
        self._every_word = workflow.patched(_EVERY_WORD)
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
            passing = passing_by(self._case)
            if passing is not None:
                await self._move(passing)
            else:
                await self._move_on(await self._work())
        elif self._case.late and self._waits_for(WaitingFor.MERGE):
            await self._move_on(Spoke(by="Somebody", messages=self._case.late))
        else:
            self._continue_as_new_if(workflow.info().get_current_history_length() > SHORT_HISTORY)
            await self._wait_for_people()

    async def _work(self) -> Fact:
        try:
            match self._case.state:
                case IssueState.RECEIVED:
                    await self._prepare()
                    return await self._turn()
                case IssueState.CREATING_TESTS:
                    return await self._create_tests()
                case IssueState.UPDATING_TESTS if self._case.built is None:
                    return await self._create_tests()
                case IssueState.RUNNING_TESTS if self._case.task is None:
                    return await self._run_tests()
                case IssueState.CREATING_PR:
                    return await self._create_pull_request()
                case IssueState.ADDRESSING_FEEDBACK:
                    return await self._address_feedback()
                case _:
                    return await self._turn()
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise Interrupted from error
            if is_refusal(error):
                return EffectRefused(reason=cause_of(error))
            raise

    # --- the steps of a case

    async def _prepare(self) -> None:
        if self._case.base is None:
            base = await self._perform(WorkspaceActivities.prepare_workspace, self._case)
            self._case = self._case.model_copy(update={"base": base, "checkpoint": base})

    async def _create_tests(self) -> Fact:
        """Red first: the tester's word counts only once the new test was seen to fail on the base."""
        fact = await self._turn()
        if not isinstance(fact, TurnEnded) or not isinstance(fact.outcome, TestsOutcome):
            return fact
        if fact.outcome.status != "TESTS_READY" or fact.outcome.escalation:
            return fact
        self._case = learn(self._case, fact)
        base = await self._build(Stage.BASE)
        if not isinstance(base, BuildEnded):
            return base
        self._case = learn(self._case, base)
        return await self._build(Stage.RED)

    async def _run_tests(self) -> Fact:
        """Where nobody has looked at the base yet, a red build is compared with it: it may be no worse."""
        head = await self._build(Stage.HEAD)
        is_red = isinstance(head, BuildEnded) and head.verdict == "red"
        if not is_red or self._case.base_built or not self._new_rules:
            return head
        base = await self._build(Stage.BASE)
        if not isinstance(base, BuildEnded):
            return base
        self._case = learn(self._case, base)
        return await self._build(Stage.HEAD)

    async def _address_feedback(self) -> Fact:
        """What a person has pushed meanwhile comes first: nothing of theirs is overwritten."""
        if self._case.pushed is not None:
            request = PushRequest(case=self._case, commit=self._checkpoint)
            moved = await self._perform(DeliveryActivities.adopt_branch, request)
            if isinstance(moved, EffectRefused):
                return moved
            if isinstance(moved, BranchMoved):
                self._case = learn(self._case, moved)
        return await self._turn()

    async def _create_pull_request(self) -> Fact:
        request = PushRequest(case=self._case, commit=self._checkpoint)
        if workflow.patched(_IN_ONE_STEP):
            return await self._perform(DeliveryActivities.deliver, request)
        pushed = await self._perform(DeliveryActivities.push_branch, request)
        if not isinstance(pushed, Pushed):
            return pushed
        return await self._perform(DeliveryActivities.open_pull_request, request)

    async def _turn(self) -> Fact:
        """One agent turn. What the inbox held was claimed by its number, so the record is ahead of the agent. A role
        that has to know something from another is given the answer, and its turn again."""
        role, task = self._whose_turn()
        while True:
            reply = await self._one_turn(role, task)
            questions = getattr(reply.outcome, "ask", []) if isinstance(reply, TurnEnded) else []
            if not questions or not isinstance(reply, TurnEnded):
                return reply
            self._case = after_turn(self._case, reply)
            refused = await self._consult(role, questions)
            if refused is not None:
                return refused

    def _whose_turn(self) -> tuple[Role, Task]:
        return turn_of(self._case) if self._new_rules else FIRST_TURN_OF[self._case.state]

    async def _one_turn(self, role: Role, task: Task) -> TurnEnded | TurnGaveUp | Deferred:
        turn = self._case.turns + 1
        if self._every_word:
            self._case = remarked(self._case, [one.id for one in self._in_hand if one.reopens])
        request = TurnRequest(case=self._case, turn=turn, role=role, task=task, policy=self._policy)
        reply: TurnReply = await self._labour(
            TurnActivities.run_turn,
            request,
            limit=timedelta(seconds=self._policy.turn_seconds + 300) + (_IN_LINE if role in WRITERS else timedelta()),
            heartbeat=self._policy.turn_heartbeat_seconds,
        )
        if isinstance(reply, Deferred):  # nobody has read what is in hand: it is the next turn's, under this number
            return reply
        self._case = self._case.model_copy(update={"turns": turn})
        if self._every_word and self._case.pull_request is not None:
            heard = await self._record(RecordActivities.remarks_to, ClaimRequest(case=self._case.id, turn=turn))
            self._case = remarked(self._case, heard)
        read, self._in_hand = self._in_hand, []
        if isinstance(reply, TurnEnded):
            await self._settle(sorted({*_ids(read), *reply.heard}), words.read_by(role))
            return reply
        given = await self._given(turn) if workflow.patched(_ALL_GIVEN) else _ids(read)
        await self._settle(given, words.TURN_FAILED)
        if isinstance(reply, TurnGaveUp):
            return reply
        return TurnGaveUp(role=role, reason=reply.reason)

    async def _consult(self, asker: Role, questions: list[RoleQuestion]) -> Fact | None:
        """Each role that was asked has a turn, which can only answer. Null: all have answered."""
        asked = self._case.consulted + len(questions)
        self._case = self._case.model_copy(update={"consulted": asked})
        if asked > _MOST_QUESTIONS:
            return EffectRefused(
                reason=f"The {issue_words.of_role(asker)} keeps asking the others: {questions[0].question}"
            )
        for name in dict.fromkeys(question.to for question in questions):
            if name == asker.value:
                return EffectRefused(reason=f"The {issue_words.of_role(asker)} asks itself: {questions[0].question}")
            answered = await self._one_turn(Role(name), Task.ANSWER)
            if not isinstance(answered, TurnEnded):
                return answered
            self._case = after_turn(self._case, answered)
            if isinstance(answered.outcome, AnswerOutcome) and answered.outcome.status == "BLOCKED":
                return EffectRefused(
                    reason=f"The {issue_words.of_role(Role(name))} can't answer: {questions[0].question}"
                )
        return None

    async def _build(self, stage: Stage) -> Fact:
        number = self._case.builds + 1
        commit = self._case.base if stage is Stage.BASE else self._checkpoint
        assert commit is not None
        request = BuildRequest(case=self._case, number=number, stage=stage, commit=commit, policy=self._policy)
        ended = await self._labour(
            BuildActivities.run_build, request, limit=timedelta(hours=6), heartbeat=self._policy.heartbeat_seconds
        )
        self._case = self._case.model_copy(update={"builds": number})
        if isinstance(ended, TurnDied):
            return TurnGaveUp(role=Role.TESTER, reason=f"the build could not be run: {ended.reason}")
        return ended

    # --- people

    async def _read_inbox(self) -> bool:
        """Look, obey commands, let words wake a case in which nobody works. True if the case moved, or may move now:
        what is left is claimed again by the same number."""
        self._closing = False  # before the look: a close that comes in during it must still interrupt what follows
        messages = await self._claim(self._case.turns + 1)
        for message in messages:
            if await self._obey(message, messages):
                return True
        spoken = [message for message in messages if self._fact_of(message) is None]
        if at_work(self._case):
            self._in_hand = spoken
        elif not self._new_rules:
            await self._settle(_ids(spoken), words.kept(self._case))
        elif meant := [message for message in spoken if self._wakes(message)]:
            await self._move_on(Spoke(by=meant[0].author, messages=tuple(_ids(meant))))
            return True
        else:
            await self._settle(_ids(spoken), words.kept(self._case))
        return False

    def _wakes(self, message: Claimed) -> bool:
        """Who has taken the case over is not disturbed; and "yes" is an answer where one is waited for, mere thanks
        where none is."""
        if self._case.taken_by:
            return False
        return message.reopens or self._waits_for(WaitingFor.ANSWER) or self._waits_for(WaitingFor.APPROVAL)

    def _fact_of(self, message: Claimed) -> Fact | None:
        fact = fact_of(message)
        first = (MessageKind.CLOSE, MessageKind.PULL_CLOSED, MessageKind.MERGED)
        return fact if self._new_rules or message.kind in first else None

    async def _obey(self, message: Claimed, messages: list[Claimed]) -> bool:
        fact = self._fact_of(message)
        if fact is None:
            return False
        misfit = fits(self._case, fact) if self._new_rules else None
        if misfit is not None:
            await self._settle([message.id], f"not done: {misfit}")
            return False
        if isinstance(fact, BudgetRaised) and not self._waits_for(WaitingFor.BUDGET):
            self._case = counted(learn(self._case, fact))
            await self._keep(Noted(text=f"{fact.by} has raised the budget."))
        else:
            await self._move_on(fact)
        await self._settle([message.id], words.OBEYED[message.kind])
        if self._case.state in TERMINAL:  # what was said before it ended asks for nothing any more
            others = [other for other in messages if other.id < message.id or not self._new_rules]
            await self._settle([other.id for other in others if other is not message], words.OVER)
        return True

    def _waits_for(self, reason: WaitingFor) -> bool:
        """Also after it has waited so long that it is blocked."""
        waits = self._case.state in WAITING or self._case.state is IssueState.BLOCKED
        return waits and self._case.wait is not None and self._case.wait.reason is reason

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
        if not self._new_rules:
            return None
        times = [next_reminder(self._case, self._policy)]
        if self._case.state in WAITING and self._case.wait is not None:
            times.append(self._case.wait.until)
        return min((time for time in times if time is not None), default=None)

    async def _time_has_come(self) -> None:
        wait = self._case.wait
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
        if self._case.state is IssueState.FAILED and self._case.checkpoint != self._case.base:
            await self._keep_the_work()
        await self._perform(WorkspaceActivities.remove_workspace, self._case.id, whatever_happens=True)
        while True:
            late = await self._claim(self._case.turns + 1)
            if not late and self._bells == self._heard:
                return True
            asking = [message for message in late if self._reopens(message)]
            if asking and self._case.state is not IssueState.COMPLETED:
                await self._reopen(asking[0], late)
                return False
            if asking:
                await self._follow_up(_ids(asking))
            await self._settle(_ids(late), words.OVER)

    async def _follow_up(self, messages: list[MessageId]) -> None:
        """What is merged stays merged: another case takes up what is left, and whoever asked is told which."""
        request = FollowUpRequest(case=self._case.id, messages=messages)
        reply = await self._perform(FollowUpActivities.open_follow_up, request, whatever_happens=True)
        if isinstance(reply, EffectRefused):
            await self._settle(messages, f"not done: {reply.reason}")
        else:
            await self._settle(messages, issue_words.followed_up(reply.case, new=reply.new))

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
        if not self._new_rules or (self._case.state is IssueState.COMPLETED and not self._every_word):
            return False
        return message.kind is MessageKind.RETRY or (message.kind in SPOKEN and message.reopens)

    async def _reopen(self, message: Claimed, late: list[Claimed]) -> None:
        before = self._case.state
        spoken = tuple(_ids([other for other in late if other.kind in SPOKEN]))
        asked = RetryAsked(by=message.author, messages=spoken)
        self._case = reopened(learn(self._case, asked))
        retries = message.kind is MessageKind.RETRY
        self._case = self._case.model_copy(
            update={
                "reason": f"{message.author} wants it worked on again.",
                "go": self._case.resume if retries else None,
            }
        )
        await self._keep(self._transition(before))
        await self._settle([m.id for m in late if m.kind not in SPOKEN], words.OBEYED[MessageKind.RETRY])

    # --- moving

    async def _move_on(self, fact: Fact) -> None:
        known = learn(self._case, fact)
        if self._new_rules:
            move = decide(known, fact, self._policy)
            await self._move(move if self._investigates else as_before_investigations(fact, move), known)
            return
        before = self._case.state
        self._case = take(known, decide_at_first(known, fact, self._policy), self._policy)
        await self._keep(self._transition(before))

    async def _move(self, move: Move, known: Case | None = None) -> None:
        before = self._case.state
        self._case = take(known or self._case, move, self._policy, workflow.now())
        entry = Noted(text=move.reason) if before is self._case.state else self._transition(before)
        await self._keep(entry, move.say)

    def _transition(self, before: IssueState) -> Transitioned:
        return Transitioned(
            number=self._case.transitions, from_state=before, to_state=self._case.state, reason=self._case.reason
        )

    async def _keep(self, entry: Transitioned | Noted, say: str = "") -> None:
        await self._record(RecordActivities.record_move, MoveRequest(after=self._case, entry=entry, say=say))

    @property
    def _checkpoint(self) -> Sha:
        assert self._case.checkpoint is not None
        return self._case.checkpoint


def _ids(messages: list[Claimed]) -> list[MessageId]:
    return [message.id for message in messages]
