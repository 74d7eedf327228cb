"""Random sessions: whatever people, checks and turns do, some things never happen."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.ids import SessionId, Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.people.commands import Abort, Command, RaiseBudget, Resume, Say, StartWork, Stop, Takeover
from caseworker.core.people.messages import Standing
from caseworker.core.pull.case import PullCase, PullState, SessionEnd
from caseworker.core.pull.decide import look
from caseworker.core.pull.next_acts import after_failures, after_look, after_rerun, after_silence, to_rerun, wake_at
from caseworker.core.pull.pull_events import (
    BranchUpdated,
    FailuresRead,
    HeadMoved,
    Published,
    PullBuilt,
    PullTurnEnded,
    PullTurnFailed,
)
from caseworker.core.pull.pull_posts import PullAbout
from caseworker.core.pull.reasons import ReasonKind
from caseworker.core.pull.work_moves import (
    after_build,
    after_failed_turn,
    after_moved_head,
    after_publish,
    after_turn,
    after_update,
)
from tests.core.pull.session_examples import NOW, POLICY, begun, claimed, failure, reason, seen

S = PullState
COMMITS = [Sha(letter * 40) for letter in "abcdef"]
MOVERS = ("us", "author", "reviewer", "maintainer", "service", "nobody")

reasons = st.lists(
    st.builds(lambda kind, mover: reason(kind, mover=mover), st.sampled_from(ReasonKind), st.sampled_from(MOVERS)),
    max_size=4,
    unique_by=lambda one: one.kind,
)
commands: st.SearchStrategy[Command] = st.sampled_from(
    [Stop(), Resume(), Abort(), Takeover(), Say(), RaiseBudget(micros=1), StartWork(workflow="resolve")]
)


@given(data=st.data())
def test_every_walk_of_a_session_is_bounded_and_pushes_only_what_was_built(data: st.DataObject) -> None:
    case, now = begun(data.draw(st.sampled_from(["ship", "resolve", "review"]))), NOW
    built: set[Sha] = set()
    for _ in range(60):
        now += timedelta(seconds=data.draw(st.integers(1, 600)))
        before = case
        if data.draw(st.integers(0, 9)) == 0:
            standing = data.draw(st.sampled_from(Standing))
            case = look(case, [claimed(data.draw(commands), standing=standing)], POLICY, now).after
        else:
            case = _step(case, data, now, built)
        _check(before, case)


def _step(case: PullCase, data: st.DataObject, now: object, built: set[Sha]) -> PullCase:
    assert isinstance(now, type(NOW))
    commit = data.draw(st.sampled_from(COMMITS))
    match case.state:
        case S.LOOKING | S.WAITING:
            return after_look(case, seen(*data.draw(reasons), head=commit, now=now), POLICY, now)
        case S.READING_FAILURES:
            kinds = data.draw(st.lists(st.sampled_from(["ours", "flake", "red_on_base", "infrastructure"]), max_size=3))
            found = tuple(failure(f"check{n}", kind=kind, commit=commit) for n, kind in enumerate(kinds))
            read = after_failures(case, FailuresRead(head=commit, failures=found), POLICY, now)
            return after_rerun(read, to_rerun(read), now) if read.state is S.READING_FAILURES else read
        case S.REVIEWING | S.RESOLVING:
            if data.draw(st.booleans()):
                return after_failed_turn(case, PullTurnFailed(reason="it failed"), now)
            task = Task.REVIEW_PULL if case.state is S.REVIEWING else Task.RESOLVE_PULL
            status = data.draw(st.sampled_from(["RESOLVED", "PARTIAL", "BLOCKED"]))
            ended = PullTurnEnded(
                role=Role.DEVELOPER, task=task, status=status, checkpoint=commit, session=SessionId("s"), posts=True
            )
            return after_turn(case.updated(turns=case.progress.turns + 1), ended, POLICY, now)
        case S.BUILDING:
            assert case.commit is not None
            verdict = data.draw(st.sampled_from(["green", "red", "nothing_to_run"]))
            if verdict != "red":
                built.add(case.commit)
            return after_build(case, PullBuilt(commit=case.commit, verdict=verdict), POLICY, now)
        case S.UPDATING:
            how = data.draw(st.sampled_from(["left_alone", "rebased", "merged", "ask_contributor"]))
            return after_update(case, BranchUpdated(how=how, commit=commit, base=commit), now)
        case S.PUBLISHING:
            pushes = case.is_to_be_pushed
            if pushes:
                assert case.work.checkpoint in built
            if data.draw(st.booleans()):
                return after_moved_head(case, HeadMoved(head=commit), now)
            pushed = case.work.checkpoint if pushes else None
            return after_publish(case, Published(commit=pushed, commits=(pushed,) if pushed else (), at=now), now)
        case S.PAUSED:
            return after_silence(case, POLICY, now) if wake_at(case, POLICY) is not None else case
        case S.ENDED:
            return case


def _check(before: PullCase, after: PullCase) -> None:
    assert after.progress.transitions >= before.progress.transitions
    assert after.session.iterations <= POLICY.ship_iterations + 3  # a red build goes back without a look in between
    assert (after.session.end is not None) == (after.state is S.ENDED)
    ends = [post for post in after.outbox if post.about is PullAbout.ENDED]
    assert len({post.number for post in ends}) == len(ends)
    if before.state is S.ENDED and after.state is not S.ENDED:
        assert after.epoch == before.epoch + 1
    if after.session.end is SessionEnd.READY and before.session.end is None:
        verdict = after.sight.verdict
        assert verdict is not None
        assert {one.kind for one in verdict.reasons} <= {ReasonKind.REVIEW_REQUIRED, ReasonKind.DRAFT}
