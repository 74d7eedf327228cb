"""What a run on a pull request waits for, and what else its tracking comment notes."""

from typing import Final

from caseworker.core.people.phrasing import Phrasing
from caseworker.core.pull.case import PullCase, PullState
from caseworker.core.pull.unpushed_words import unpushed_words
from caseworker.core.telling.pull_why import why_pull
from caseworker.core.telling.tracking_comment import Awaited
from caseworker.core.telling.verdict_words import headline, mover_words, title_line, us_in

FORK: Final = (
    "The branch is in a fork, where Caseworker pushes nothing: it reviews and answers here. What is to be changed, and "
    "an update from the base, the contributor pushes; every push of theirs is looked at."
)


def awaited_by_pull(case: PullCase, phrasing: Phrasing) -> Awaited | None:
    """What it waits for, with who must move. Null: it works."""
    verdict = case.sight.verdict
    if case.state is PullState.PAUSED:
        moves = tuple(why_pull(case, phrasing).moves_it)
        return Awaited(what=f"is paused: {case.reason}", who="an owner or a developer", how=moves)
    if case.state is not PullState.WAITING or verdict is None or not verdict.reasons:
        return None
    first = verdict.reasons[0]
    us = us_in(is_over=case.is_over)
    lines = tuple(f"{title_line(reason)}. {mover_words(reason, us)}" for reason in verdict.reasons)
    what = f"{headline(verdict)}{case.held_up}"
    return Awaited(what=f"waits. {what}", who=mover_words(first, us).rstrip("."), how=lines)


def pull_notes(case: PullCase) -> tuple[str, ...]:
    """Where work is that was not pushed, flakes with their counts, and checks that are red on the base as well."""
    notes = [words] if (words := unpushed_words(case)) else []
    if case.sight.is_fork:
        notes.append(FORK)
    if case.sight.ci_minutes:
        notes.append(f"CI minutes that Caseworker's pushes have started: {case.sight.ci_minutes}.")
    notes += [f"{name} is flaky: it passed and failed on one commit ({count} times)." for name, count in _flakes(case)]
    on_base = [one.check for one in case.fixes.failures if one.kind == "red_on_base"]
    if on_base:
        notes.append(f"Red on the base as well, and not fixed here: {', '.join(on_base)}.")
    return tuple(notes)


def _flakes(case: PullCase) -> list[tuple[str, int]]:
    return sorted(case.fixes.flakes.items())
