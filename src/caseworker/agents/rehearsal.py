"""The script of a rehearsed model: its format, and a loader whose errors name the file, the line, the turn, the key,
what was found and what is expected.

Nothing heavy is imported here: the command line checks scripts with it. Who plays the script is `upstreams/rehearsed`.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from caseworker.agents.mistakes import place_words, problems_of
from caseworker.agents.scriptfile import Location, Problem, ScriptFile, read_script
from caseworker.core.base.errors import Refused
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.expected import Expected, expected_by
from caseworker.core.outcomes.outcome import known_turns, outcome_schema, parse_outcome

ScriptedError = Literal["overloaded", "rate_limited", "server_error", "refused"]
_MOST_PROBLEMS: Final = 10
_SOLO: Final = "an `error` stands alone: no `say`, `call`, `calls` or `outcome` beside it"
_OF_OUTCOMES: Final = (
    "`caseworker docs outcomes` lists the keys of every turn's outcome. "
    "If it is wrong on purpose, write `invalid: true` beside it."
)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ToolCall(_Part):
    call: Annotated[str, Field(min_length=1)]
    arguments: dict[str, JsonValue] = Field(default_factory=dict, alias="with")


class Step(_Part):
    """One answer of the model."""

    say: str | None = None
    call: Annotated[str, Field(min_length=1)] | None = None
    arguments: dict[str, JsonValue] | None = Field(default=None, alias="with")
    calls: Annotated[tuple[ToolCall, ...], Field(strict=False)] | None = None
    outcome: dict[str, JsonValue] | None = None
    invalid: bool = False
    error: ScriptedError | None = None
    delay: float | None = Field(default=None, ge=0, le=600)
    hear: int | None = Field(default=None, ge=1, le=20)
    """The step is repeated until so many messages have reached the agent in the middle of this turn."""

    def tool_calls(self) -> tuple[ToolCall, ...]:
        if self.call is not None:
            return (ToolCall(call=self.call, **{"with": self.arguments or {}}),)
        return self.calls or ()


class Turn(_Part):
    role: Role = Field(strict=False)
    task: Task = Field(strict=False)
    nth: int | None = Field(default=None, ge=1)
    steps: tuple[Step, ...] = Field(strict=False)


class QuestionStep(_Part):
    """One answer of the model to a single question."""

    answer: dict[str, JsonValue] | None = None
    """Not checked when the script is loaded: only the caller knows its shape."""
    say: str | None = None
    """Plain words instead of an answer."""
    error: ScriptedError | None = None
    delay: float | None = Field(default=None, ge=0, le=600)


class ScriptedQuestion(_Part):
    purpose: Annotated[str, Field(min_length=1)]
    nth: int | None = Field(default=None, ge=1)
    steps: tuple[QuestionStep, ...] = Field(strict=False)


class Rehearsal(_Part):
    version: Literal[1]
    pace: float = Field(default=0.0, ge=0, le=600)
    """Seconds before each answer, where the step has no `delay` of its own."""
    turns: tuple[Turn, ...] = Field(strict=False)
    questions: tuple[ScriptedQuestion, ...] = Field(default=(), strict=False)
    """Single questions, which are asked outside of turns."""

    def steps_for(self, role: Role, task: Task, nth: int) -> tuple[Step, ...] | None:
        """The turn written for this very number, or else the one written for any."""
        fitting = [turn for turn in self.turns if (turn.role, turn.task) == (role, task) and turn.nth in (nth, None)]
        return min(fitting, key=lambda turn: turn.nth is None).steps if fitting else None

    def answers_to(self, purpose: str, nth: int) -> tuple[QuestionStep, ...] | None:
        """The same, for a single question."""
        fitting = [one for one in self.questions if one.purpose == purpose and one.nth in (nth, None)]
        return min(fitting, key=lambda one: one.nth is None).steps if fitting else None


@lru_cache(maxsize=16)
def load_rehearsal(text: str, name: str) -> Rehearsal:
    """Raises `Refused` with a line per problem: `bug.yaml, line 14: turn 3 (pm/plan), step 1: unknown key...`

    Cached: every turn of a case asks for the same script, and to parse one takes 0.1 s.
    """
    script = read_script(text, name)
    try:
        rehearsal = Rehearsal.model_validate(script.document)
    except ValidationError as error:
        raise _refused(script, list(problems_of(error, _expected_of_a_script()))) from error
    if problems := [
        *_empty_lists(rehearsal),
        *_unknown_turns(rehearsal),
        *_double_turns(rehearsal),
        *_step_problems(rehearsal),
        *_question_problems(rehearsal),
    ]:
        raise _refused(script, problems)
    return rehearsal


def _refused(script: ScriptFile, problems: list[Problem]) -> Refused:
    lines = [_told(script, problem) for problem in problems[:_MOST_PROBLEMS]]
    if rest := len(problems) - len(lines):
        lines.append(f"and {rest} more")
    if any("outcome" in problem.where for problem in problems):
        lines.append(_OF_OUTCOMES)
    return Refused("\n".join(lines))


def _told(script: ScriptFile, problem: Problem) -> str:
    place = place_words(problem.where[:-1] if problem.about_key else problem.where, script.document)
    return f"{script.name}, line {script.line_of(problem.where)}: {place + ': ' if place else ''}{problem.what}"


def _empty_lists(rehearsal: Rehearsal) -> Iterator[Problem]:
    if not rehearsal.turns and not rehearsal.questions:
        yield Problem(where=("turns",), what="there is no turn here")
    for index, turn in enumerate(rehearsal.turns):
        if not turn.steps:
            yield Problem(where=("turns", index, "steps"), what="a turn has at least one step")


def _unknown_turns(rehearsal: Rehearsal) -> Iterator[Problem]:
    known = known_turns()
    for index, turn in enumerate(rehearsal.turns):
        if (turn.role, turn.task) not in known:
            names = ", ".join(f"{role}/{task}" for role, task in known if role is turn.role)
            yield Problem(where=("turns", index), what=f"there is no turn {turn.role}/{turn.task}; there are {names}")


def _double_turns(rehearsal: Rehearsal) -> Iterator[Problem]:
    seen: dict[tuple[Role, Task, int | None], int] = {}
    for index, turn in enumerate(rehearsal.turns):
        first = seen.setdefault((turn.role, turn.task, turn.nth), index)
        if first != index:
            number = "without `nth`" if turn.nth is None else f"with `nth: {turn.nth}`"
            what = f"turn {first + 1} is for {turn.role}/{turn.task} {number} as well"
            yield Problem(where=("turns", index), what=what)


def _step_problems(rehearsal: Rehearsal) -> Iterator[Problem]:
    for index, turn in enumerate(rehearsal.turns):
        for number, step in enumerate(turn.steps):
            where = ("turns", index, "steps", number)
            if what := _contradiction(step):
                yield Problem(where=where, what=what)
            elif step.outcome is not None and not step.invalid and (turn.role, turn.task) in known_turns():
                yield from _outcome_problems(turn, step.outcome, (*where, "outcome"))


def _contradiction(step: Step) -> str | None:
    acts = [step.call is not None, step.calls is not None, step.outcome is not None]
    if step.error is not None:
        return _SOLO if any(acts) or step.say is not None else None
    if sum(acts) > 1:
        return "only one of `call`, `calls` and `outcome` fits in a step"
    if not any(acts) and step.say is None:
        return "a step needs `say`, `call`, `calls`, `outcome` or `error`"
    if step.arguments is not None and step.call is None:
        return "`with` belongs to a `call`"
    if step.calls == ():
        return "`calls` is empty"
    if step.hear is not None and not step.tool_calls():
        return "`hear` belongs to a `call` or to `calls`"
    if step.invalid and step.outcome is None:
        return "`invalid` belongs to an `outcome`"
    return None


def _question_problems(rehearsal: Rehearsal) -> Iterator[Problem]:
    seen: dict[tuple[str, int | None], int] = {}
    for index, question in enumerate(rehearsal.questions):
        first = seen.setdefault((question.purpose, question.nth), index)
        if first != index:
            number = "without `nth`" if question.nth is None else f"with `nth: {question.nth}`"
            what = f"question {first + 1} is for {question.purpose} {number} as well"
            yield Problem(where=("questions", index), what=what)
        if not question.steps:
            yield Problem(where=("questions", index, "steps"), what="a question has at least one step")
        for at, step in enumerate(question.steps):
            if sum(part is not None for part in (step.answer, step.say, step.error)) != 1:
                what = "a step of a question has one of `answer`, `say` and `error`"
                yield Problem(where=("questions", index, "steps", at), what=what)


def _outcome_problems(turn: Turn, outcome: dict[str, JsonValue], where: Location) -> Iterator[Problem]:
    try:
        parse_outcome(turn.role, turn.task, outcome)
    except ValidationError as error:
        yield from problems_of(error, _expected_of_an_outcome(turn.role, turn.task), where)


# pydantic builds a schema anew on each call, which takes longer than all the rest.


@cache
def _expected_of_a_script() -> Expected:
    return expected_by(Rehearsal.model_json_schema())


@cache
def _expected_of_an_outcome(role: Role, task: Task) -> Expected:
    return expected_by(outcome_schema(role, task))
