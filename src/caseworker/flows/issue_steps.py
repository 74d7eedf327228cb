"""What is done in each state of an issue: a turn, builds, a branch and its pull request. Decides nothing."""

from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import (
        BuildActivities,
        DeliveryActivities,
        RecordActivities,
        TurnActivities,
        WorkspaceActivities,
    )
    from caseworker.contract.wire import (
        BuildRequest,
        CaseInput,
        ClaimRequest,
        PushReply,
        PushRequest,
        TurnDied,
        TurnReply,
        TurnRequest,
    )
    from caseworker.core.base.ids import MessageId, Sha
    from caseworker.core.base.roles import Role, Task
    from caseworker.core.evidence.builds import Stage
    from caseworker.core.issue import words as issue_words
    from caseworker.core.issue.apply import after_turn, learn, remarked
    from caseworker.core.issue.case import IssueCase
    from caseworker.core.issue.facts import (
        BranchMoved,
        BuildEnded,
        Deferred,
        EffectRefused,
        Fact,
        TurnEnded,
        TurnGaveUp,
    )
    from caseworker.core.issue.states import IssueState
    from caseworker.core.issue.turns import WRITERS, turn_of
    from caseworker.core.outcomes.answers import AnswerOutcome, RoleQuestion
    from caseworker.core.outcomes.tester import TestsOutcome
    from caseworker.core.people.messages import Claimed
    from caseworker.core.people.receipts import TURN_FAILED, read_by
    from caseworker.flows.base import CaseFlow, Interrupted, cause_of, is_refusal


R = TypeVar("R")

_IN_LINE = timedelta(days=1)
"""How long a developer may wait for a place before its own time begins."""
_MOST_QUESTIONS = 6
"""Between roles, in one state."""


class IssueSteps(CaseFlow):
    def __init__(self, start: CaseInput) -> None:
        super().__init__(start)
        self._case = IssueCase(id=start.case)
        self._in_hand: list[Claimed] = []  # claimed by the coming turn and not yet answered for
        self._left: Sha | None = None  # the commit that was last put on the branch for a person, or refused

    async def _work(self) -> Fact:
        return await _told(self._step())

    async def _step(self) -> Fact:
        match self._case.state:
            case IssueState.RECEIVED:
                await self._prepare()
                return await self._turn()
            case IssueState.CREATING_TESTS:
                return await self._create_tests()
            case IssueState.UPDATING_TESTS if self._case.evidence.built is None:
                return await self._create_tests()
            case IssueState.RUNNING_TESTS if self._case.progress.task is None:
                return await self._run_tests()
            case IssueState.CREATING_PR:
                return await self._create_pull_request()
            case IssueState.ADDRESSING_FEEDBACK:
                return await self._address_feedback()
            case _:
                return await self._turn()

    async def _prepare(self) -> None:
        if self._case.delivery.base is None:
            base = await self._perform(WorkspaceActivities.prepare_workspace, self._case)
            self._case = self._case.updated(base=base, checkpoint=base)

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
        if not is_red or self._case.evidence.base_built:
            return head
        base = await self._build(Stage.BASE)
        if not isinstance(base, BuildEnded):
            return base
        self._case = learn(self._case, base)
        return await self._build(Stage.HEAD)

    async def _address_feedback(self) -> Fact:
        """What a person has pushed meanwhile comes first: nothing of theirs is overwritten."""
        if self._case.delivery.pushed is not None:
            request = PushRequest(case=self._case, commit=self._checkpoint)
            refused = self._joined(await self._perform(DeliveryActivities.adopt_branch, request))
            if refused is not None:
                return refused
        return await self._turn()

    async def _take_in(self) -> EffectRefused | None:
        """What was pushed by the person who had the case, before anybody goes on. It is saved with the move that
        follows; after a crash it is looked for again."""
        if not self._case.people.handed_back or self._case.delivery.checkpoint is None:
            return None
        request = PushRequest(case=self._case, commit=self._case.delivery.checkpoint)
        return self._joined(await self._unless_rung(DeliveryActivities.adopt_branch, request))

    def _joined(self, reply: PushReply) -> EffectRefused | None:
        """What a person has pushed is part of the work from here on."""
        if isinstance(reply, BranchMoved):
            self._case = learn(self._case, reply)
        return reply if isinstance(reply, EffectRefused) else None

    async def _unless_rung(
        self, method: Callable[[Any, PushRequest], Awaitable[PushReply]], request: PushRequest
    ) -> PushReply:
        """A word of people comes first, however long the forge is away; `Interrupted` then."""
        handle = self._begin(method, request)
        await workflow.wait_condition(lambda: handle.done() or self._bells != self._heard)
        if not handle.done():
            handle.cancel()
        return await _told(handle)

    async def _create_pull_request(self) -> Fact:
        request = PushRequest(case=self._case, commit=self._checkpoint)
        return await self._perform(DeliveryActivities.deliver, request)

    async def _turn(self) -> Fact:
        """One agent turn. What the inbox held was claimed by its number, so the record is ahead of the agent. A role
        that has to know something from another is given the answer, and its turn again."""
        role, task = turn_of(self._case)
        while True:
            reply = await self._one_turn(role, task)
            questions = getattr(reply.outcome, "ask", []) if isinstance(reply, TurnEnded) else []
            if not questions or not isinstance(reply, TurnEnded) or self._escalates(reply):
                return reply
            self._case = after_turn(self._case, reply)
            refused = await self._consult(role, questions)
            if refused is not None:
                return refused

    def _escalates(self, reply: TurnEnded) -> bool:
        """What only a person may decide comes first."""
        return bool(getattr(reply.outcome, "escalation", ""))

    async def _one_turn(self, role: Role, task: Task) -> TurnEnded | TurnGaveUp | Deferred:
        turn = self._case.progress.turns + 1
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
        self._case = self._case.updated(turns=turn)
        if self._case.delivery.pull_request is not None:
            heard = await self._record(RecordActivities.remarks_to, ClaimRequest(case=self._case.id, turn=turn))
            self._case = remarked(self._case, heard)
        read, self._in_hand = self._in_hand, []
        if isinstance(reply, TurnEnded):
            await self._settle(sorted({*ids_of(read), *reply.heard}), read_by(role))
            return reply
        await self._settle(await self._given(turn), TURN_FAILED)
        if isinstance(reply, TurnGaveUp):
            return reply
        return TurnGaveUp(role=role, reason=reply.reason)

    async def _consult(self, asker: Role, questions: list[RoleQuestion]) -> Fact | None:
        """Each role that was asked has a turn, which can only answer. Null: all have answered."""
        asked = self._case.progress.consulted + len(questions)
        self._case = self._case.updated(consulted=asked)
        if asked > _MOST_QUESTIONS:
            return EffectRefused(
                reason=f"The {issue_words.of_role(asker)} keeps asking the others: {questions[0].question}"
            )
        for name, number in Counter(question.to for question in questions).items():
            if name == asker.value:
                return EffectRefused(reason=f"The {issue_words.of_role(asker)} asks itself: {questions[0].question}")
            answered = await self._one_turn(Role(name), Task.ANSWER)
            if not isinstance(answered, TurnEnded):
                return answered
            self._case = after_turn(self._case, answered)
            if self._leaves_open(answered, number):
                first = next(question.question for question in questions if question.to == name)
                return EffectRefused(reason=f"The {issue_words.of_role(Role(name))} can't answer: {first}")
        return None

    def _leaves_open(self, answered: TurnEnded, number: int) -> bool:
        outcome = answered.outcome
        return isinstance(outcome, AnswerOutcome) and outcome.leaves_open(number)

    async def _build(self, stage: Stage) -> Fact:
        number = self._case.progress.builds + 1
        commit = self._case.delivery.base if stage is Stage.BASE else self._checkpoint
        assert commit is not None
        request = BuildRequest(case=self._case, number=number, stage=stage, commit=commit, policy=self._policy)
        ended = await self._labour(
            BuildActivities.run_build, request, limit=timedelta(hours=6), heartbeat=self._policy.heartbeat_seconds
        )
        self._case = self._case.updated(builds=number)
        if isinstance(ended, TurnDied):
            return TurnGaveUp(role=Role.TESTER, reason=f"the build could not be run: {ended.reason}")
        return ended

    @property
    def _checkpoint(self) -> Sha:
        assert self._case.delivery.checkpoint is not None
        return self._case.delivery.checkpoint


async def _told(work: Awaitable[R]) -> R | EffectRefused:
    """Who was stopped is interrupted, and what was refused is a fact like any."""
    try:
        return await work
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise Interrupted from error
        if is_refusal(error):
            return EffectRefused(reason=cause_of(error))
        raise


def ids_of(messages: list[Claimed]) -> list[MessageId]:
    return [message.id for message in messages]
