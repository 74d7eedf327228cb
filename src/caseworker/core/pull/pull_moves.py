"""Steps that many decisions of a pull case share: enter a state, pause, end, post."""

from datetime import datetime
from typing import Final

from caseworker.core.base.ids import MessageId, Sha
from caseworker.core.people.messages import Audience
from caseworker.core.pull.case import BlockCause, PauseCause, PullCase, PullState, SessionEnd
from caseworker.core.pull.pull_posts import PullAbout, PullPost

S = PullState
NOT_PUSHED: Final = "What this reply tells of was not pushed."

_NO_WORK: dict[str, object] = {
    "checkpoint": None,
    "started_from": None,
    "feedback": "",
    "red_builds": 0,
    "answer_turn": None,
    "reply_turn": None,
    "conflict": None,
    "by_turn": False,
    "base": None,
}


def enter(case: PullCase, to: PullState, reason: str, now: datetime, **changes: object) -> PullCase:
    into = {"state": to, "reason": reason, "since": now, "transitions": case.progress.transitions + 1}
    return case.updated(**{**into, "waits_on": None, **changes})


def drop_work(case: PullCase) -> PullCase:
    """Clears the work in hand: it is done, or its head is gone."""
    return case.updated(**_NO_WORK)


def reply(case: PullCase, *, is_pushed: bool = False) -> PullCase:
    """Post what the last turn replies to people. It tells of what was done, so it waits until that is pushed or not."""
    turn = case.work.reply_turn
    if turn is None:
        return case
    note = NOT_PUSHED if case.is_to_be_pushed and not is_pushed else ""
    return say(case.updated(reply_turn=None), PullAbout.REPLY, turn, turn=turn, note=note)


def set_aside(case: PullCase) -> PullCase:
    """Keeps turns' unpushed work for people, and clears the work in hand. For a session that stops."""
    case = reply(case)
    if not case.is_for_a_person:
        return drop_work(case)
    work = case.work
    return drop_work(case).updated(
        unpushed=work.checkpoint, unpushed_base=work.base, unpushed_from=work.started_from, kept_on="", not_kept=""
    )


def act(case: PullCase, to: PullState, reason: str, now: datetime, **changes: object) -> PullCase:
    """Enter a state in which the session acts, which counts."""
    return enter(case, to, reason, now, iterations=case.session.iterations + 1, **changes)


def end(
    case: PullCase,
    how: SessionEnd,
    reason: str,
    now: datetime,
    *,
    block: BlockCause | None = None,
    obeys: tuple[MessageId, ...] = (),
) -> PullCase:
    over = enter(set_aside(case), S.ENDED, reason, now, end=how, block=block, spoke=False)
    return say(over, PullAbout.ENDED, over.epoch, note=reason, obeys=obeys)


def pause(
    case: PullCase,
    cause: PauseCause,
    reason: str,
    now: datetime,
    *,
    by: str = "",
    resume_at: datetime | None = None,
    obeys: tuple[MessageId, ...] = (),
) -> PullCase:
    """Pauses the session and sets its work aside. It goes on from the head as it is when it is resumed."""
    paused = enter(set_aside(case), S.PAUSED, reason, now, pause=cause, paused_by=by, resume_at=resume_at, worked_on="")
    return say(paused, PullAbout.PAUSED, paused.progress.transitions, note=reason, obeys=obeys)


def look_again(case: PullCase, reason: str, now: datetime, **changes: object) -> PullCase:
    quiet: dict[str, object] = {"pause": None, "paused_by": "", "resume_at": None, "quiet_looks": 0}
    return enter(case, S.LOOKING, reason, now, **{**quiet, **changes})


def say(
    case: PullCase,
    about: PullAbout,
    number: int,
    *,
    note: str = "",
    turn: int = 0,
    commit: Sha | None = None,
    names: tuple[str, ...] = (),
    is_certain: bool = False,
    obeys: tuple[MessageId, ...] = (),
) -> PullCase:
    post = PullPost(
        about=about,
        audience=Audience.DEVELOPERS,
        epoch=case.epoch,
        number=number,
        note=note[:1_000],
        turn=turn,
        commit=commit,
        names=names,
        is_certain=is_certain,
        obeys=obeys,
    )
    return case.model_copy(update={"outbox": (*case.outbox, post)})


def without_post(case: PullCase, post: PullPost) -> PullCase:
    return case.model_copy(update={"outbox": tuple(other for other in case.outbox if other != post)})
