"""The `claude` runtime: one attempt at a turn with the Claude Agent SDK, its agent in the sandbox, its model calls
through a gateway of its own. What is asked is rendered elsewhere (`prompt_texts`); what follows is not decided here.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from caseworker.agents.agent_process import ready_to_start
from caseworker.agents.agent_settings import Binding, served_tools, talk_options
from caseworker.agents.attempt import Talk
from caseworker.agents.events import Batches
from caseworker.agents.gateway import Allowance, Gateway
from caseworker.agents.interruptions import Hearing
from caseworker.agents.price_list import PriceList
from caseworker.agents.process import AttemptFolder, attempt_folder, until_gone
from caseworker.agents.provider_words import NO_KEY
from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.resumed_prompts import only_news
from caseworker.agents.schemas import sent_schema
from caseworker.agents.sessions import SessionAdapter, lay_out
from caseworker.agents.upstreams import Upstream
from caseworker.agents.upstreams.anthropic import DEFAULT_BASE_URL, AnthropicUpstream
from caseworker.agents.upstreams.rehearsed import Part, RehearsedUpstream, no_turn_for
from caseworker.core.base.errors import Refused
from caseworker.core.base.redaction import Redactor
from caseworker.core.outcomes.outcome import outcome_schema
from caseworker.core.record.entries import AgentEvent
from caseworker.ports import AgentFailed, AgentFinished, Brief, Ear, Ledger, Sandbox, Transcripts

Saw = Callable[[Sequence[AgentEvent]], Awaitable[None]]
Result = AgentFinished | AgentFailed
_SLOWEST_START_MS: Final = 600_000


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Where the model is, when it isn't rehearsed."""

    key: str | None = field(default=None, repr=False)
    base_url: str = DEFAULT_BASE_URL
    prices: PriceList = field(default_factory=PriceList, repr=False)
    pace: float | None = None
    """Seconds before each answer of a rehearsal, instead of the script's own pace."""


class ClaudeRuntime:
    def __init__(
        self,
        *,
        sandbox: Sandbox,
        ledger: Ledger,
        transcripts: Transcripts,
        model: ModelSettings,
        secrets: Iterable[str] = (),
    ) -> None:
        self._sandbox = sandbox
        self._ledger = ledger
        self._transcripts = transcripts
        self._model = model
        self._redactor = Redactor([*secrets, model.key or ""])

    async def run(self, brief: Brief, saw: Saw, ear: Ear) -> Result:
        upstream = self._upstream(brief)
        if isinstance(upstream, AgentFailed):
            return upstream
        limits = brief.limits
        allowance = Allowance(
            attempt=brief.attempt,
            model=brief.model,
            cap_micros=limits.cap_micros,
            calls=limits.calls,
            prices=self._model.prices,
        )
        with attempt_folder() as folder:
            gateway = Gateway(path=folder.socket, upstream=upstream, ledger=self._ledger, allowance=allowance)
            hearing = Hearing(ear, lambda: gateway.calls)
            talk = Talk(brief=brief, folder=folder, gateway=gateway, redactor=self._redactor, hearing=hearing)
            work = asyncio.create_task(self._work(talk, saw), name=f"turn-{brief.attempt.turn}")
            try:
                return await asyncio.shield(work)
            finally:
                # A cancelled turn: first the processes, then the orderly rest. The SDK would wait for the agent to
                # finish by itself, and must be closed by the task that opened it.
                killed = folder.end_processes()
                if not work.done():
                    work.cancel()
                    await asyncio.wait([work])
                await until_gone(killed)

    def _upstream(self, brief: Brief) -> Upstream | AgentFailed:
        if brief.rehearsal is not None:
            try:
                rehearsal = load_rehearsal(brief.rehearsal, "the rehearsal")
            except Refused as error:
                return AgentFailed(why="script", reason=str(error))
            part = Part(
                role=brief.role,
                task=brief.task,
                nth=brief.nth,
                session=brief.attempt.session,
                case=brief.attempt.case,
                workspace=brief.tree.path,
            )
            if rehearsal.steps_for(part.role, part.task, part.nth) is None:  # no agent has to start to find that out
                return AgentFailed(why="script", reason=no_turn_for(part))
            return RehearsedUpstream(rehearsal, part, pace=self._model.pace)
        if self._model.key is None:
            return AgentFailed(why="key", reason=NO_KEY)
        return AnthropicUpstream(key=self._model.key, base_url=self._model.base_url)

    async def _work(self, talk: Talk, saw: Saw) -> Result:
        from claude_agent_sdk import ClaudeSDKClient  # takes 0.7 s: only a worker that runs a turn pays for it

        history = await self._lay_out_history(talk.brief, talk.folder)
        talk.brief = brief = replace(talk.brief, prompt=only_news(talk.brief.prompt, history))
        process = await ready_to_start(self._sandbox, _binding(brief, talk, resumes=bool(history)), talk.folder)
        talk.stderr = process.stderr
        schema = sent_schema(outcome_schema(brief.role, brief.task), brief.system_prompt, brief.prompt)
        process.transport.tell(system_prompt=brief.system_prompt, schema=schema)
        store = SessionAdapter(self._transcripts, self._redactor, own=brief.attempt.session)
        options = talk_options(process.binding, talk.folder, store, talk.hearing)
        guarded = self._sandbox.guard(process.enclosure, talk.folder.started, spare=True)
        async with Batches(saw) as batches, talk.gateway, guarded as guard:
            talk.hearing.guard = guard
            let_it_start_slowly()
            result = await talk.hold(ClaudeSDKClient(options, process.transport), batches)
            if guard.ended and isinstance(result, AgentFailed):
                reason, away = f"the agent was stopped: {guard.ended}", guard.no_room
                return AgentFailed(why="machine" if away else "crashed", reason=reason, retry=away, log=result.log)
        if store.trespassed:
            return AgentFailed(why="crashed", reason="code in the sandbox wrote to the session of another turn")
        if isinstance(result, AgentFinished) and not store.complete:
            if store.trouble is not None:  # the database, not the agent: it does not count as the attempt's failure
                raise store.trouble
            return AgentFailed(why="crashed", reason="the agent's session could not be saved", retry=True)
        return result

    async def _lay_out_history(self, brief: Brief, folder: AttemptFolder) -> Sequence[dict[str, object]]:
        """Empty: there is nothing to go on from. The prompt holds what the turn needs, so it starts anew."""
        from claude_agent_sdk import project_key_for_directory

        entries = await self._transcripts.load(brief.resume, "") if brief.resume is not None else None
        if brief.resume is None or not entries:
            return ()
        project = project_key_for_directory(brief.tree.path)
        lay_out(entries, config=folder.config, project=project, session=brief.resume)
        return entries


def let_it_start_slowly() -> None:
    """The SDK takes an agent for lost that has not started after a minute, which a busy machine may need: the turn's
    own time limit decides instead. The SDK has no option for it, only a variable of this process."""
    os.environ.setdefault("CLAUDE_CODE_STREAM_CLOSE_TIMEOUT", str(_SLOWEST_START_MS))


def _binding(brief: Brief, talk: Talk, *, resumes: bool) -> Binding:
    return Binding(
        tree=brief.tree,
        tools=brief.tools,
        session=brief.attempt.session,
        model=brief.model,
        resume=brief.resume if resumes else None,
        servers=served_tools(brief, talk.hearing.ear),
    )
