"""Base class of workflows whose work is pushed: its branch, to which people push as well, and the forge's checks."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caseworker.contract import wire
    from caseworker.contract.activities import CheckActivities, DeliveryActivities
    from caseworker.core.base.ids import Sha
    from caseworker.core.issue import facts, transitions
    from caseworker.core.issue.apply import apply_fact
    from caseworker.core.issue.case import IssueCase
    from caseworker.core.issue.facts import EffectRefused
    from caseworker.core.issue.moves import count_change
    from caseworker.flows.base.long_work import LongWork


class BranchFlow(LongWork[IssueCase]):
    def __init__(self, start: wire.CaseInput, case: IssueCase) -> None:
        super().__init__(start, case)
        self._kept: Sha | None = None  # the commit that was last put on the branch for a person, or refused

    # --- the branch

    async def _take_in(self) -> EffectRefused | None:
        """Takes in what a person pushed, before anybody goes on. After a crash it is looked for again."""
        if not self._case.people.handed_back or self._case.delivery.checkpoint is None:
            return None
        return self._joined(await self._unless_rung(DeliveryActivities.adopt_branch, self._push()))

    async def _keep_branch(self) -> None:
        """Puts the work on its branch for a person, once for each commit. Whoever speaks comes first."""
        for _ in range(2):
            request = self._push()
            reply = await self._unless_rung(DeliveryActivities.keep_branch, request)
            self._kept = request.commit
            if not isinstance(reply, facts.BranchMoved):
                return
            note = "the work so far and what a person has pushed go on its branch together"
            await self._become(count_change(apply_fact(self._case, reply)), note=note)

    async def _push_what_is_left(self) -> None:
        """Pushes the work of a failed case, with what a person may have pushed to its branch."""
        for _ in range(2):
            pushed = await self._run_allowed(DeliveryActivities.push_branch, self._push(), whatever_happens=True)
            if not isinstance(pushed, facts.BranchMoved):
                return
            self._case = apply_fact(self._case, pushed)

    def _joined(self, reply: wire.Pushed | facts.BranchMoved | EffectRefused) -> EffectRefused | None:
        """What a person has pushed is part of the work from here on."""
        if isinstance(reply, facts.BranchMoved):
            self._case = apply_fact(self._case, reply)
        return reply if isinstance(reply, EffectRefused) else None

    def _push(self) -> wire.PushRequest:
        return wire.PushRequest(case=self._case, commit=self._case.head)

    # --- the forge's checks

    async def _look_at_checks(self) -> bool:
        """Reads the checks of the pull request. Whoever speaks comes first. True: the case has moved."""
        self._continue_as_new_if(self._history_is_long())
        seen: facts.ChecksSeen | EffectRefused = await self._unless_rung(CheckActivities.read_checks, self._case)
        before = self._case.progress.transitions
        await self._become(transitions.after_checks(self._case, seen, self._policy, workflow.now()))
        await self._save()
        return self._case.progress.transitions != before
