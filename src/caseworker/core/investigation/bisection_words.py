"""Texts about the result of a bisect: what happened, why, and what to do next."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import CommandRun
from caseworker.core.investigation.bisection import (
    MOST_RUNS,
    MOST_STEPS,
    SKIP,
    BisectRequest,
    BisectStep,
    CulpritCommit,
)

SAID: Final = 300
"""Characters kept of a step's output, from its end."""
_MOST_NAMED: Final = 10
"""Most commits named as the possible culprit."""
_NEARER: Final = "Ask again with good and bad nearer to each other."


def short(commit: str) -> str:
    return commit[:12]


def unknown(revision: str, branch: str) -> str:
    return (
        f"{code(revision)} names no commit that can be seen here. Name one by its hash, as HEAD or as {branch}, "
        "with ~3 for the third before it; `git log --oneline` lists them."
    )


def wrong_order(request: BisectRequest, *, same: bool) -> str:
    good, bad = code(request.good), code(request.bad)
    if same:
        return f"{good} and {bad} are the same commit, so nothing lies between them. Name an older one as good."
    return f"{bad} is older than {good}, but bad has to come after good. Exchange them, or name an older one as good."


def wrong_end(name: str, step: BisectStep) -> str:
    """For an end of the range that has the wrong verdict. `step`: its result."""
    which = f"{code(name)} ({short(step.commit)})"
    match step.verdict:
        case "good":
            runs = "" if step.runs == 1 else f" in all {step.runs} runs"
            more = f", or more runs (up to {MOST_RUNS}) if it fails only sometimes" if step.runs < MOST_RUNS else ""
            return f"The script passes{runs} on {which}, which should be bad. Give one that fails there{more}."
        case "bad":
            return (
                f"The script fails on {which}, which should be good: exit code {step.exit_code} in run {step.runs}. "
                "Name an older commit as good; or correct the script, if it fails for another reason (see the log)."
            )
        case "skip":
            return f"The script can't judge {which}: exit code {SKIP}. Name a commit that it can judge."


def over_limit(commit: str, why: str) -> str:
    return f"The script was stopped on {short(commit)}: {why}."


def says_nothing(commit: str, ended: CommandRun) -> str:
    said = f" It said: {code(ended.output.strip()[-SAID:])}." if ended.output.strip() else ""
    return (
        f"The script ended with {ended.exit_code} on {short(commit)}: it was killed or never began, and that says "
        f"nothing about the commit.{said} Make it end with 0 (good), {SKIP} (skip) or 1 to 127 (bad), and ask again."
    )


def time_is_up(seconds: float, steps: int, *, hanging: bool) -> str:
    hint = "If the script may hang, let it run under `timeout 60`. " if hanging else ""
    tried = f"{steps} commit{'' if steps == 1 else 's'}"
    return f"The {seconds:.0f} s for bisecting were over after {tried}. {hint}{_NEARER}"


def too_many_steps() -> str:
    return f"{MOST_STEPS} commits were tried without a result. {_NEARER}"


def only_skipped() -> str:
    return "The commits that are left can't be judged: the script skips them. Give one that can judge more of them."


def repaired_before(request: BisectRequest) -> str:
    good, bad = code(request.good), code(request.bad)
    return (
        f"Where {good} and {bad} part, it was bad already: so it was repaired on the way to {good}. "
        f"Name as good a commit that {bad} is built on."
    )


def one_of(left: Sequence[str]) -> str:
    more = "" if len(left) <= _MOST_NAMED else f" and {len(left) - _MOST_NAMED} more"
    return f"The culprit is one of {len(left)}: {', '.join(short(commit) for commit in left[:_MOST_NAMED])}{more}."


def found(culprit: CulpritCommit, steps: int) -> str:
    subject = culprit.message.partition("\n")[0][:200]
    return (
        f"{short(culprit.hash)} ({subject}) is the first bad commit, found in {steps} steps. "
        "Read its change: it is where the behaviour began, not always where the mistake is."
    )
