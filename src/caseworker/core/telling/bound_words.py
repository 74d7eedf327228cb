"""What a case is bound to: its base, its environment, the commands that test it, and the settings that count."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import Sha
from caseworker.core.base.policy import Policy
from caseworker.core.base.text import code
from caseworker.core.evidence.builds import Build, Command, CommandRun, Purpose, Stage
from caseworker.core.people.commands import MessageKind
from caseworker.core.record.entries import BuildRan, CaseOpened, MessageRecorded, Recorded
from caseworker.core.telling.fact_sources import Fact, Sources

_RENEWED: Final = "Models and limits of time are those of the settings of today; they are read again at the next step."
_OF_REPOSITORY: Final = "what the base says (`.caseworker.toml`, or the rules)"


def bound_words(
    policy: Policy, *, base: Sha | None, cap: int, builds: Sequence[Build], record: Sequence[Recorded] = ()
) -> list[Fact]:
    """`cap`: micro-dollars that it may cost. `builds`: all of them, in their order. `record`: where the sources are
    looked up, in its order."""
    found = Sources(record)
    opened = found.of_kind(CaseOpened)
    lines = [Fact(text=f"Base: commit {base[:12]}.", entry=found.build(*Stage, commit=base) or opened)] if base else []
    whole = next((one for one in reversed(builds) if one.stage is not Stage.RED), None)
    if whole is not None:
        lines += [Fact(text=line, entry=_entry_of(whole, found)) for line in _built(whole)]
    tested = next((one for one in reversed(builds) if _commands(one, Purpose.NEW_TEST)), None)
    if tested is not None:
        command = code(_commands(tested, Purpose.NEW_TEST)[0].command)
        text = f"Command of the new test: {command}, as the tester chose it."
        lines.append(Fact(text=text, entry=_entry_of(tested, found)))
    approval = "the plan needs an approval" if policy.approve_plan else "the plan needs no approval"
    agreed = f"at most {dollars(cap)}, {policy.attempts} attempts a round, {approval}"
    raised = found.newest(lambda one: isinstance(one, MessageRecorded) and one.message_kind is MessageKind.BUDGET)
    kept = (raised if cap != policy.budget_micros else None) or opened
    return [*lines, Fact(text=f"Settings that it keeps: {agreed}. {_RENEWED}", entry=kept)]


def _entry_of(build: Build, found: Sources) -> int | None:
    return found.newest(lambda entry: isinstance(entry, BuildRan) and entry.number == build.number)


def _commands(build: Build, *purposes: Purpose) -> list[Command | CommandRun]:
    every: list[Command | CommandRun] = [*build.runs, *build.not_run]
    return [one for one in every if one.purpose in purposes]


def _built(build: Build) -> list[str]:
    """A build of the base or the head: one that is to be red runs the new test alone."""
    made = list(dict.fromkeys(one.command for one in _commands(build, Purpose.SETUP)))
    of_base = (purpose for purpose in Purpose if purpose not in (Purpose.SETUP, Purpose.NEW_TEST))
    others = list(dict.fromkeys(one.command for one in _commands(build, *of_base)))
    source = build.recipe or _OF_REPOSITORY
    environment = (
        f"Environment: made by {_listed(made)}." if made else "Environment: the system's own; nothing is set up."
    )
    return [environment, *([f"Commands: {_listed(others)}, from {source}."] if others else [])]


def _listed(lines: list[str]) -> str:
    return ", ".join(code(line) for line in lines)
