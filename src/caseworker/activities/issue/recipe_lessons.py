"""Learns how a repository is set up and tested, where the rules end in "could not run", by one question."""

import structlog

from caseworker.agents.quotes import new_fence
from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.templates import template
from caseworker.contract.wire import BuildRequest
from caseworker.core.base.roles import Role
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import cleaned
from caseworker.core.ecosystems.check_result import CheckResult, result_of
from caseworker.core.ecosystems.plan_parts import Plan
from caseworker.core.ecosystems.proposals import Proposal, telling_files
from caseworker.core.evidence.builds import CommandRun
from caseworker.core.issue.case import cap_of
from caseworker.core.record.entries import Noted
from caseworker.ports import (
    Builder,
    CaseAccount,
    Failed,
    Model,
    Question,
    Store,
    StoredCase,
    Workspace,
    Workspaces,
)

log = structlog.get_logger()

_PURPOSE = "recipe"
_FILE_LIMIT = 6_000
_ALL_LIMIT = 40_000
_OUTPUT_LIMIT = 6_000


class RecipeLessons:
    def __init__(self, *, store: Store, workspaces: Workspaces, builder: Builder, model: Model) -> None:
        self._store = store
        self._workspaces = workspaces
        self._builder = builder
        self._model = model

    async def learn(
        self, request: BuildRequest, stored: StoredCase, workspace: Workspace, runs: list[CommandRun]
    ) -> list[CommandRun]:
        """The runs of a proposed recipe, if tests were counted; it is kept then. Otherwise those that were given."""
        plan = await self._workspaces.plan(workspace)
        tried = result_of(runs, has_tests=bool(plan.tests))
        if tried.kind != "could_not_run" or plan.source != "rules" or not _may_ask(stored):
            return runs
        proposal = await self._ask(request, stored, await self._evidence(workspace, plan, runs))
        if proposal is None or proposal.problem:
            return runs
        await self._workspaces.reset(workspace, workspace.base, scrub=True)
        seconds = request.policy.command_seconds
        again = await self._builder.run(workspace, proposal.commands, seconds=seconds)
        result = result_of(again, has_tests=True)
        await self._note(request, stored, proposal, result)
        if result.kind == "could_not_run" or result.tests == 0:
            return runs  # only counted tests show that it is right
        self._workspaces.keep_recipe(workspace, proposal.as_recipe())
        return again

    async def _ask(self, request: BuildRequest, stored: StoredCase, evidence: str) -> Proposal | None:
        answer = await self._model.ask(
            Question(
                purpose=_PURPOSE,
                system=template(f"{Role.TESTER}.{_PURPOSE}"),
                text=evidence,
                answer=Proposal,
                model=request.policy.model_for(Role.TESTER, _PURPOSE),
                account=CaseAccount(case=request.case.id, trace=stored.trace),
                cap_micros=cap_of(request.case, request.policy),
                seconds=120,
                rehearsal=stored.rehearsal,
            )
        )
        if isinstance(answer, Failed):
            log.info("no recipe was learned", reason=answer.reason)
            return None
        return answer.value

    async def _evidence(self, workspace: Workspace, plan: Plan, runs: list[CommandRun]) -> str:
        fence = new_fence()
        paths = list(await self._workspaces.build_files(workspace, workspace.base))
        texts = await self._workspaces.texts(workspace, workspace.base, telling_files(paths))
        parts = ["\n".join(sorted(paths)[:300])]
        quoted = [fence.around(cleaned(parts[0]), what="listing", source="the repository")]
        left = _ALL_LIMIT
        for path, text in texts.items():
            shown = clip(cleaned(text or ""), min(_FILE_LIMIT, left))
            left -= len(shown)
            if left > 0:
                quoted.append(fence.around(shown, what="file", source=path))
        for run in runs:
            told = f"{run.command}\nended with {run.exit_code}\n{run.output[-_OUTPUT_LIMIT:]}"
            quoted.append(fence.around(cleaned(told), what="output", source="what was tried"))
        if not plan.commands:
            quoted.append("The rules found no command at all.")
        return "\n\n".join(quoted)

    async def _note(self, request: BuildRequest, stored: StoredCase, proposal: Proposal, result: CheckResult) -> None:
        lines = "; ".join(one.command for one in proposal.commands)
        text = f"A recipe was tried: {lines}. It {result.sentence.rstrip('.')}."
        key = f"recipe/{request.case.epoch}/{request.number}"
        await self._store.record.append(request.case.id, [Noted(text=clip(text, 2_000))], trace=stored.trace, key=key)


def _may_ask(stored: StoredCase) -> bool:
    """A rehearsed case asks only if its script has an answer."""
    if stored.rehearsal is None:
        return True
    return load_rehearsal(stored.rehearsal, "the rehearsal").answers_to(_PURPOSE, 1) is not None
