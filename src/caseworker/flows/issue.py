"""The issue case: from a received issue to a merged pull request, one state and one agent at a time.

The rules are in `core.issue.transitions`; here is the order of things: look, say, work or wait.
"""

from collections.abc import Sequence

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caseworker.contract import wire
    from caseworker.contract.activities import (
        BuildActivities,
        CaseActivities,
        CheckActivities,
        DeliveryActivities,
        FollowUpActivities,
        RecordActivities,
        TurnActivities,
        WorkspaceActivities,
    )
    from caseworker.contract.names import ISSUE_WORKFLOW
    from caseworker.core.base.failed_steps import Deferred, EffectRefused, TurnGaveUp, gave_up
    from caseworker.core.base.ids import MessageId, Sha
    from caseworker.core.base.roles import Role, Task
    from caseworker.core.evidence.builds import Stage
    from caseworker.core.issue import transitions
    from caseworker.core.issue.apply import add_remarks, after_turn, apply_fact
    from caseworker.core.issue.builds import LONGEST_BUILD, stops_before_work, wants_base_build, wants_red_build
    from caseworker.core.issue.case import IssueCase
    from caseworker.core.issue.consultation import consult, questions_in, unanswered
    from caseworker.core.issue.facts import BranchMoved, BuildEnded, ChecksSeen, Fact, TurnEnded
    from caseworker.core.issue.moves import count_change
    from caseworker.core.issue.speech import warn_of_budget, without_post
    from caseworker.core.issue.states import IssueState
    from caseworker.core.issue.turns import at_work, is_for_a_person, longest_turn, turn_of
    from caseworker.core.issue.words import not_read
    from caseworker.core.outcomes.answers import RoleQuestion
    from caseworker.core.people.commands import MessageKind
    from caseworker.core.people.messages import Claimed
    from caseworker.core.people.receipts import NOT_READ_YET, not_done, read_by
    from caseworker.core.record.move_entries import entry_of_move
    from caseworker.core.telling.follow_up import followed_up
    from caseworker.flows.activity_failures import Interrupted, refusal_as_fact
    from caseworker.flows.base.long_work import LongWork


@workflow.defn(name=ISSUE_WORKFLOW)
class IssueWorkflow(LongWork[IssueCase]):
    _hears_when_stalled = True

    @workflow.init
    def __init__(self, start: wire.CaseInput = wire.NO_INPUT) -> None:
        super().__init__(start, IssueCase(id=start.case))
        self._in_hand: list[Claimed] = []  # claimed by the coming turn and not yet answered for
        self._kept: Sha | None = None  # the commit that was last put on the branch for a person, or refused

    @workflow.run
    async def run(self, start: wire.CaseInput = wire.NO_INPUT) -> None:
        self._case = self._saved = await self._call_store(RecordActivities.load_case, start.case)
        self._policy = await self._call_store(RecordActivities.renew_policy, self._policy)
        while True:
            try:
                await self._speak()
                if self._case.is_over:
                    if await self._finish() and await self._all_said():
                        return
                elif not await self._look():
                    await self._advance()
            except Interrupted:
                continue

    async def _advance(self) -> None:
        """One step, right after a look into the inbox that moved nothing."""
        self._continue_as_new_if(self._history_is_long())
        if at_work(self._case):
            refused = await self._adopt() if transitions.wants_pushed_work(self._case) else None
            passing = transitions.after_automatic_move(self._case, self._policy, workflow.now())
            if refused is not None:
                await self._after(refused)
            elif passing is not None:
                await self._become(passing)
            else:
                await self._after(await refusal_as_fact(self._work()))
            return
        late = transitions.after_late_remarks(self._case, self._policy, workflow.now())
        if late is not None:
            await self._become(late)
            return
        if is_for_a_person(self._case) and self._case.delivery.checkpoint != self._kept:
            await self._keep_branch()
            return
        if transitions.wants_checks(self._case) and await self._look_at_checks():
            return
        if await self._wait_until(transitions.wake_at(self._case, self._policy)):
            after = transitions.after_silence(self._case, self._policy, workflow.now())
            await self._become(after, note="people were reminded")

    # --- people

    async def _look(self) -> bool:
        """Claims new messages and obeys, answers or hands them on. True: the case has changed."""
        self._closing = False  # before the look: a close that comes in during it must still interrupt what follows
        turn = wire.ClaimRequest(case=self._id, turn=self._case.progress.turns + 1)
        claimed = await self._claim(turn.turn)
        meanwhile: Sequence[MessageId] = ()
        if any(message.kind is MessageKind.HAND_BACK for message in claimed):
            meanwhile = await self._call_store(CaseActivities.remarks_to, turn)
        found = transitions.look(self._case, claimed, self._policy, workflow.now(), meanwhile)
        await self._become(found.after, note=found.note)
        await self._settle_all(found.settled)
        if found.moved and not self._case.people.taken_by:
            self._policy = await self._call_store(RecordActivities.renew_policy, self._policy)
        self._in_hand = list(found.in_hand)
        return found.moved

    async def _finish(self) -> bool:
        """Ends after a look that found nothing, with no bell since and no await in between. False: it is reopened."""
        if transitions.leaves_work(self._case):
            await self._push_what_is_left()
        await self._run_short(WorkspaceActivities.remove_workspace, self._id, whatever_happens=True)
        while True:
            late = await self._claim(self._case.progress.turns + 1)
            if not late and self._bells == self._heard:
                return True
            found = transitions.after_end(self._case, late)
            await self._become(found.after)
            if found.follow_up:
                await self._follow_up(found.follow_up)
            await self._settle_all(found.settled)
            if found.reopened:
                return False

    async def _follow_up(self, messages: Sequence[MessageId]) -> None:
        """Opens another case for what people ask of a merged one, and tells them its name."""
        request = wire.FollowUpRequest(case=self._id, messages=list(messages))
        reply = await self._run_short(FollowUpActivities.open_follow_up, request, whatever_happens=True)
        if isinstance(reply, EffectRefused):
            await self._settle(messages, not_done(reply.reason), refused=True)
        else:
            await self._settle(messages, followed_up(reply.case, new=reply.new))

    # --- work, by state

    async def _work(self) -> Fact:
        match self._case.state:
            case IssueState.RECEIVED:
                return await self._base_unless_built() or await self._turn()
            case IssueState.CREATING_TESTS | IssueState.UPDATING_TESTS:
                return await self._write_tests()
            case IssueState.RUNNING_TESTS if self._case.progress.task is None:
                return await self._run_tests()
            case IssueState.CREATING_PR:
                return await self._run_allowed(DeliveryActivities.deliver, self._push())
            case IssueState.ADDRESSING_FEEDBACK if self._case.delivery.pushed is not None:
                return await self._adopt() or await self._turn()
            case _:
                return await self._turn()

    async def _prepare(self) -> None:
        if self._case.delivery.base is None:
            base = await self._run_short(WorkspaceActivities.prepare_workspace, self._case)
            self._case = self._case.updated(base=base, checkpoint=base)

    async def _write_tests(self) -> Fact:
        """Red first: the tester's word counts only once the new test was seen to fail on the base."""
        fact = await self._turn()
        if not wants_red_build(self._case, fact):
            return fact
        self._case = apply_fact(self._case, fact)
        return await self._base_unless_built() or await self._build(Stage.RED)

    async def _run_tests(self) -> Fact:
        """A red build is compared with the base's: it may be no worse."""
        head = await self._build(Stage.HEAD)
        if not wants_base_build(self._case, head):
            return head
        return await self._base_unless_built() or await self._build(Stage.HEAD)

    async def _base_unless_built(self) -> Fact | None:
        """Builds the base before money is spent. Null: what fails there is known."""
        if self._case.evidence.base_built:
            return None
        base = await self._build(Stage.BASE)
        if not isinstance(base, BuildEnded) or stops_before_work(self._case, base):
            await self._settle([one.id for one in self._in_hand], NOT_READ_YET)
            return base
        self._case = apply_fact(self._case, base)
        return None

    async def _build(self, stage: Stage) -> Fact:
        await self._prepare()  # a case may be reopened that was closed before it had a workspace
        number = self._case.progress.builds + 1
        commit = self._case.base if stage is Stage.BASE else self._case.head
        request = wire.BuildRequest(case=self._case, number=number, stage=stage, commit=commit, policy=self._policy)
        limit, heartbeat = LONGEST_BUILD, self._policy.heartbeat_seconds
        ended = await self._run_long(BuildActivities.run_build, request, limit=limit, heartbeat=heartbeat)
        self._case = self._case.updated(builds=number)
        if isinstance(ended, wire.TurnDied):
            return TurnGaveUp(role=Role.TESTER, reason=f"the build could not be run: {ended.reason}")
        return ended

    async def _turn(self) -> Fact:
        """One agent turn. What the inbox held was claimed by its number, so the record is ahead of the agent."""
        await self._prepare()
        return await self._turn_with_answers(*turn_of(self._case), askers=())

    async def _turn_with_answers(self, role: Role, task: Task, *, askers: Sequence[Role]) -> Fact:
        """A role that asks another role gets the answer, and its turn again. `askers` wait for this role's answer."""
        while True:
            reply = await self._one_turn(role, task)
            questions = questions_in(reply)
            if not isinstance(reply, TurnEnded) or not questions:
                return reply
            self._case = after_turn(self._case, reply)
            refused = await self._consult((*askers, role), questions)
            if refused is not None:
                return refused

    async def _one_turn(self, role: Role, task: Task) -> TurnEnded | TurnGaveUp | Deferred:
        turn = self._case.progress.turns + 1
        self._case = add_remarks(self._case, [one.id for one in self._in_hand if one.reopens])
        request = wire.TurnRequest(case=self._case, turn=turn, role=role, task=task, policy=self._policy)
        limit, heartbeat = longest_turn(role, self._policy), self._policy.turn_heartbeat_seconds
        reply: wire.TurnReply = await self._run_long(TurnActivities.run_turn, request, limit=limit, heartbeat=heartbeat)
        if isinstance(reply, Deferred):  # what is in hand stays the next turn's, under this number
            return reply
        self._case = self._case.updated(turns=turn)
        if self._case.delivery.pull_request is not None:
            heard = await self._call_store(CaseActivities.remarks_to, wire.ClaimRequest(case=self._id, turn=turn))
            self._case = add_remarks(self._case, heard)
        read, self._in_hand = self._in_hand, []
        if isinstance(reply, TurnEnded):
            self._case = warn_of_budget(self._case, reply.spent_micros, self._policy)
            await self._settle(sorted({*(one.id for one in read), *reply.heard}), read_by(role))
            return reply
        failed = reply if isinstance(reply, TurnGaveUp) else gave_up(role, reply.reason, reply.outside)
        await self._settle(await self._given(turn), not_read(failed))
        return failed

    async def _consult(self, askers: Sequence[Role], questions: list[RoleQuestion]) -> Fact | None:
        """Each role that was asked has a turn, which can only answer, ask on or escalate. Null: all have answered."""
        consultation = consult(self._case, askers, questions)
        self._case = consultation.case
        for role in consultation.asked:
            answered = await self._turn_with_answers(role, Task.ANSWER, askers=askers)
            if not isinstance(answered, TurnEnded) or answered.outcome.escalation:
                return answered
            self._case = after_turn(self._case, answered)
            if (open_question := unanswered(answered, role, questions)) is not None:
                return open_question
        return consultation.refused

    # --- its branch and pull request

    async def _adopt(self) -> EffectRefused | None:
        """Takes in what a person pushed: it is part of the work from here on. A message interrupts it."""
        reply = await self._unless_rung(DeliveryActivities.adopt_branch, self._push())
        if isinstance(reply, BranchMoved):
            self._case = apply_fact(self._case, reply)
        return reply if isinstance(reply, EffectRefused) else None

    async def _keep_branch(self) -> None:
        """Puts the work on its branch for a person, once for each commit. A message interrupts it."""
        request = self._push()
        reply = await self._unless_rung(DeliveryActivities.keep_branch, request)
        self._kept = request.commit
        if isinstance(reply, BranchMoved):
            note = "the work so far and what a person has pushed go on its branch together"
            await self._become(count_change(apply_fact(self._case, reply)), note=note)

    async def _push_what_is_left(self) -> None:
        """Pushes the work of a failed case, with what a person may have pushed to its branch."""
        push = DeliveryActivities.push_branch
        while isinstance(moved := await self._run_allowed(push, self._push(), whatever_happens=True), BranchMoved):
            self._case = apply_fact(self._case, moved)

    def _push(self) -> wire.PushRequest:
        return wire.PushRequest(case=self._case, commit=self._case.head)

    async def _look_at_checks(self) -> bool:
        """Reads the checks of the pull request. A message interrupts it. True: the case has moved."""
        seen: ChecksSeen | EffectRefused = await self._unless_rung(CheckActivities.read_checks, self._case)
        before = self._case.progress.transitions
        await self._become(transitions.after_checks(self._case, seen, self._policy, workflow.now()))
        await self._save()
        return self._case.progress.transitions != before

    async def _after(self, fact: Fact) -> None:
        await self._become(transitions.after(self._case, fact, self._policy, workflow.now()))

    async def _record_move(self, before: IssueCase, note: str) -> None:
        request = wire.MoveRequest(after=self._case, entry=entry_of_move(before, self._case, note))
        await self._call_store(RecordActivities.record_move, request)

    async def _record_snapshot(self) -> None:
        await self._call_store(RecordActivities.save_case, self._case)

    def _without_post(self, place: int) -> IssueCase:
        return without_post(self._case, self._case.outbox[place])
