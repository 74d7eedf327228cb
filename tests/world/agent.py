"""A scripted agent behind the runtime port: it edits real files in the workspace and returns prepared outcomes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.core.record.bug_conversation import Line
from caseworker.core.record.entries import AgentEvent, AgentSaid, ToolCalled, ToolReturned
from caseworker.ports import AgentFailed, AgentFinished, Brief, BugBrief, Ear, IssueBrief, SentFiles
from tests.patience import PATIENCE

Act = Callable[[Path], Outcome | AgentFailed]


def triaged(workspace: Path) -> Outcome:
    return parse_outcome(
        Role.PM,
        Task.TRIAGE,
        {
            "status": "PROCEED",
            "type": "BUG_FIX",
            "scope": "SMALL",
            "complexity": "simple",
            "reason": "The greeting is wrong.",
        },
    )


def analyzed(workspace: Path) -> Outcome:
    return parse_outcome(
        Role.ANALYST,
        Task.ANALYZE,
        {
            "status": "READY",
            "confidence": 0.95,
            "root_cause": "greeting.txt, line 1: the world is misspelt.",
            "files": [{"path": "greeting.txt", "purpose": "the greeting", "action": "modify"}],
            "test_requirement": {"required": True, "type": "regression", "location": "tests/world.sh"},
            "must_do": ["Greet the world."],
            "brief": "Spell the world right.",
        },
    )


def wrote_test(workspace: Path) -> Outcome:
    (workspace / "tests" / "world.sh").write_text("grep -q '^Hello world$' greeting.txt\n")
    return parse_outcome(
        Role.TESTER,
        Task.CREATE_TESTS,
        {
            "status": "TESTS_READY",
            "test_file": "tests/world.sh",
            "test_command": "sh tests/world.sh",
            "summary": "The greeting names the world.",
        },
    )


def implemented(workspace: Path) -> Outcome:
    (workspace / "greeting.txt").write_text("Hello world\n")
    return changes("Greet the world by its name")


def changes(subject: str) -> Outcome:
    return parse_outcome(
        Role.DEVELOPER,
        Task.IMPLEMENT,
        {
            "status": "READY_FOR_QA",
            "changes": [{"file": "greeting.txt", "description": "the spelling"}],
            "summary": "The world was misspelt; it is not any more.",
            "commit_message": f"{subject}\n\nIt was misspelt.",
        },
    )


def approved(workspace: Path) -> Outcome:
    return parse_outcome(Role.TECH_LEAD, Task.REVIEW, {"status": "APPROVED", "good": ["The smallest change."]})


def rejected(workspace: Path) -> Outcome:
    return parse_outcome(
        Role.TECH_LEAD,
        Task.REVIEW,
        {"status": "CHANGES_REQUESTED", "feedback_for_writer": "greeting.txt, line 1: end it with a stop."},
    )


def answers(role: Role, task: Task, **fields: object) -> Act:
    """Ends the turn with this outcome and changes no file."""

    def act(workspace: Path) -> Outcome:
        return parse_outcome(role, task, fields)

    return act


def unclear(*questions: str) -> Act:
    def act(workspace: Path) -> Outcome:
        outcome = analyzed(workspace)
        return outcome.model_copy(update={"status": "UNCLEAR", "confidence": 0.4, "questions": list(questions)})

    return act


def asks_people(*questions: str) -> Act:
    fields = {"status": "NEEDS_CLARIFICATION", "questions": list(questions), "reason": "The issue does not say."}
    return answers(Role.PM, Task.QUESTIONS, **fields)


def reads_people(status: str = "CONTINUE", reply: str = "Understood.", **fields: object) -> Act:
    return answers(Role.PM, Task.INTERPRET, status=status, reply=reply, **fields)


def plans(workspace: Path) -> Outcome:
    plan = "# Plan\n\n1. Spell the world right in greeting.txt."
    return parse_outcome(Role.PM, Task.PLAN, {"status": "PLANNING_COMPLETE", "plan": plan})


def blames_the_code(workspace: Path) -> Outcome:
    return parse_outcome(Role.TESTER, Task.JUDGE, {"status": "FAIL", "summary": "The greeting is still wrong."})


def finds_all_met(workspace: Path) -> Outcome:
    checks = [{"requirement": "Greet the world.", "met": True, "evidence": "sh tests/world.sh"}]
    return parse_outcome(Role.TESTER, Task.VALIDATE, {"status": "PASS", "checks": checks, "summary": "All is there."})


def reviews(status: str, feedback: str, task: Task = Task.REVIEW) -> Act:
    return answers(Role.TECH_LEAD, task, status=status, feedback_for_writer=feedback)


def writes_greeting(text: str, subject: str = "Greet the world by its name", **more: object) -> Act:
    def act(workspace: Path) -> Outcome:
        (workspace / "greeting.txt").write_text(text)
        return changes(subject).model_copy(update=more)

    return act


def once(first: Act | AgentFailed, then: Act) -> Act:
    """Acts like `first` once, also in an attempt that fails, and like `then` from there on."""
    done: list[Path] = []

    def act(workspace: Path) -> Outcome | AgentFailed:
        done.append(workspace)
        if len(done) > 1:
            return then(workspace)
        return first if isinstance(first, AgentFailed) else first(workspace)

    return act


def asked(*questions: str) -> Act:
    def act(workspace: Path) -> Outcome:
        return bug_outcome("ask_reporter", clarification_questions=list(questions) or ["Which page shows the error?"])

    return act


def found(summary: str = "The total is summed before the discount.", action: str = "post_findings") -> Act:
    def act(workspace: Path) -> Outcome:
        return bug_outcome(
            action,
            summary=summary,
            for_reporter="We know why: discounts are counted twice.",
            root_cause="cart.py:12: the discount is applied to the sum and to each item.",
            fix_type="code_fix",
            evidence=[{"source": "python -m pytest tests/test_cart.py", "shows": "1 failed"}],
            recommended_actions=["Apply the discount once."],
            escalate_because="complex" if action == "escalate" else None,
        )

    return act


def bug_outcome(action: str, **fields: object) -> Outcome:
    whole = {"action": action, "summary": "Too little to go on.", "confidence": 0.8, **fields}
    return parse_outcome(Role.INVESTIGATOR, Task.BUG, whole)


_WRITERS = (Role.DEVELOPER, Role.SENIOR_DEVELOPER)
_WRITING = (Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK)


class ScriptedAgent:
    """The `AgentRuntime` of most scenarios. By default it takes an issue straight to its pull request."""

    def __init__(self) -> None:
        self._script: dict[tuple[Role, Task], list[Act]] = {
            (Role.PM, Task.TRIAGE): [triaged],
            (Role.ANALYST, Task.ANALYZE): [analyzed],
            (Role.TESTER, Task.CREATE_TESTS): [wrote_test],
            (Role.TESTER, Task.UPDATE_TESTS): [wrote_test],
            (Role.PM, Task.PLAN): [plans],
            (Role.PM, Task.INTERPRET): [reads_people("NO_ACTION", "Thank you.")],
            (Role.TESTER, Task.JUDGE): [blames_the_code],
            (Role.TESTER, Task.VALIDATE): [finds_all_met],
            **{(role, task): [implemented] for role in _WRITERS for task in _WRITING},
            (Role.TECH_LEAD, Task.REVIEW): [approved],
            (Role.TECH_LEAD, Task.UNBLOCK): [reviews("NEEDS_INFO", "A person should look.", Task.UNBLOCK)],
            (Role.INVESTIGATOR, Task.BUG): [found()],
        }
        self.briefs: list[Brief] = []
        self.ears: list[Ear] = []
        self.heard: list[str] = []
        """Messages that reached it in the middle of a turn, once `hears` was called."""
        self.given: list[SentFiles] = []
        """The files of those messages, once for each turn."""
        self.read: list[list[Line]] = []
        """The conversation as each turn saw it, for turns that may read it."""
        self.refused: list[str] = []
        """Why its outcomes were refused."""
        self._repairs: dict[tuple[Role, Task], Act] = {}
        self._commands: dict[tuple[Role, Task], tuple[str, ...]] = {}
        self._skills: dict[str, dict[str, object]] = {}
        self.measured: list[str] = []
        """What its skills returned."""
        self._listens = False
        self._holds: dict[Role | Task, asyncio.Event] = {}
        self._reached: dict[Role | Task, asyncio.Event] = {}
        self.stopped: list[Role] = []

    def does(self, role: Role, task: Task, *acts: Act) -> None:
        """Sets the acts of this role and task, one per turn. The last one is repeated."""
        self._script[role, task] = list(acts)

    def repairs(self, role: Role, task: Task, act: Act) -> None:
        """Sets the act that replaces a refused outcome, once a turn. Without it, the turn fails."""
        self._repairs[role, task] = act

    def runs(self, role: Role, task: Task, *commands: str) -> None:
        """Records these commands as run in each turn of this role and task."""
        self._commands[role, task] = commands

    def calls(self, skill: str, **arguments: object) -> None:
        """Calls this skill in each turn that has it."""
        self._skills[skill] = arguments

    def holds_in(self, whom: Role | Task) -> Callable[[], None]:
        """Keeps the next turn of this role or task open until the returned function is called."""
        self._holds[whom] = asyncio.Event()
        self._reached[whom] = asyncio.Event()
        return self._holds[whom].set

    def reached(self, whom: Role | Task) -> Awaitable[object]:
        return asyncio.wait_for(self._reached[whom].wait(), timeout=PATIENCE)

    def hears(self) -> None:
        """From now on it reads new messages before it acts, as a real agent does between two steps."""
        self._listens = True

    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        self.briefs.append(brief)
        self.ears.append(ear)
        await saw([AgentSaid(turn=brief.attempt.turn, text=f"I am the {brief.role}.")])
        await self._held(brief)
        if isinstance(brief, BugBrief) and brief.conversation:
            self.read.append(list(await ear.conversation()))
        if self._listens:
            news = await ear.news()
            self.heard += [message.text for message in news]
            self.given.append(await ear.files(news))
        acts = self._script[brief.role, brief.task]
        for number, command in enumerate(self._commands.get((brief.role, brief.task), ())):
            call = f"call-{brief.attempt.turn}-{number}"
            await saw([ToolCalled(turn=brief.attempt.turn, call=call, tool="Bash", summary=command)])
            await saw([ToolReturned(turn=brief.attempt.turn, call=call, ok=True, output="")])
        await self._use_skills(brief)
        end = acts[min(brief.nth, len(acts)) - 1](brief.tree.path)
        if isinstance(end, AgentFailed) or brief.check is None:
            return end if isinstance(end, AgentFailed) else AgentFinished(outcome=end, calls=1)
        return await self._checked(brief, end)

    async def _use_skills(self, brief: Brief) -> None:
        for tool in brief.skills if isinstance(brief, IssueBrief) else ():
            if tool.name in self._skills:
                self.measured.append(await tool.run(self._skills[tool.name]))

    async def _held(self, brief: Brief) -> None:
        for whom in (brief.role, brief.task):
            if whom in self._holds:
                self._reached[whom].set()
                try:
                    await self._holds[whom].wait()
                except asyncio.CancelledError:
                    self.stopped.append(brief.role)
                    raise

    async def _checked(self, brief: Brief, outcome: Outcome) -> AgentFinished | AgentFailed:
        assert brief.check is not None
        problem = await brief.check(outcome)
        repair = self._repairs.get((brief.role, brief.task))
        if problem and repair is not None:
            self.refused.append(problem)
            again = repair(brief.tree.path)
            assert not isinstance(again, AgentFailed)
            outcome, problem = again, await brief.check(again)
        if problem:
            self.refused.append(problem)
            return AgentFailed(why="invalid_outcome", reason=f"the outcome was invalid twice: {problem}")
        return AgentFinished(outcome=outcome, calls=1)
