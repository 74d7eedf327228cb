"""No sequence of messages, turns, silences, crashes and closes loses or repeats a message.

The rules are the real ones; inbox, record and flow are minimal fakes in memory. A crash repeats a request to the
store, or drops everything that the flow has not saved.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from caseworker.core.base.ids import CaseId, MessageId, SessionId
from caseworker.core.base.policy import Policy, Severity
from caseworker.core.bug import transitions
from caseworker.core.bug.case import BugCase, BugPost, BugState
from caseworker.core.bug.receipts import SETTLED_BY, TURN_FAILED
from caseworker.core.bug.turns import InvestigatorAnswer, InvestigatorTurn
from caseworker.core.outcomes.bug import BugAction
from caseworker.core.people.commands import MessageKind, Resolution
from caseworker.core.people.messages import SPOKEN, Claimed, Standing
from tests.world.commands import command_of

POLICY = Policy()
COUNTED = (Standing.REPORTER, Standing.DEVELOPER, Standing.OWNER)
COMMANDS = {
    Standing.REPORTER: [MessageKind.CLOSE],
    Standing.DEVELOPER: [
        MessageKind.CLOSE,
        MessageKind.CLOSE_INCOMPLETE,
        MessageKind.TAKEOVER,
        MessageKind.HAND_BACK,
        MessageKind.FIX_READY,
        MessageKind.FIX_WAITING,
        MessageKind.FIX_ENDED,
        MessageKind.FIX_MERGED,
    ],
}


@dataclass
class Row:
    message: Claimed
    turn: int | None = None
    outcomes: list[str] = field(default_factory=list)


@dataclass
class Inbox:
    """A fake of `ports.Inbox`: insert once, claim by number, settle what is open."""

    rows: dict[int, Row] = field(default_factory=dict)

    def put(self, message: Claimed) -> None:
        self.rows.setdefault(message.id, Row(message))

    def claim(self, turn: int, *, spoken_only: bool = False) -> list[Claimed]:
        for row in self.rows.values():
            if row.turn is None and (row.message.kind in SPOKEN or not spoken_only):
                row.turn = turn
        return [row.message for row in self.of(turn) if not row.outcomes]

    def of(self, turn: int) -> list[Row]:
        return [row for number, row in sorted(self.rows.items()) if row.turn == turn]

    def settle(self, messages: tuple[MessageId, ...], outcome: str) -> None:
        for number in messages:
            if not self.rows[number].outcomes:
                self.rows[number].outcomes.append(outcome)


class Walk(RuleBasedStateMachine):
    @initialize(vague=st.booleans())
    def report(self, vague: bool) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.inbox = Inbox()
        self.saved = self.bug = BugCase(id=CaseId("bug-7F3K")).updated(severity=Severity.P2, vague=vague)
        self.returned = False
        self.shown: list[tuple[int, list[MessageId]]] = []
        """The messages that each completed turn was given."""
        self.said: list[BugPost] = []
        self.at_work = False
        self._put(Standing.REPORTER, MessageKind.WORDS)

    def _put(self, standing: Standing, kind: MessageKind, *, reopens: bool = True) -> Claimed:
        resolution = Resolution.NOT_A_BUG if kind is MessageKind.CLOSE and standing is Standing.DEVELOPER else None
        message = Claimed(
            id=MessageId(len(self.inbox.rows) + 1),
            command=command_of(kind, "it is back" if reopens else "thanks", resolution).bare(),
            author=standing.value,
            standing=standing,
        )
        self.inbox.put(message)
        self.inbox.put(message)  # every message is delivered twice
        self.returned = False  # signal-with-start
        return message

    # --- what people do

    @rule(standing=st.sampled_from(COUNTED), edit=st.booleans(), reopens=st.booleans())
    def somebody_speaks(self, standing: Standing, edit: bool, reopens: bool) -> None:
        self._put(standing, MessageKind.EDIT if edit else MessageKind.WORDS, reopens=reopens)

    @rule(data=st.data(), standing=st.sampled_from(sorted(COMMANDS)))
    def somebody_commands(self, data: st.DataObject, standing: Standing) -> None:
        message = self._put(standing, data.draw(st.sampled_from(COMMANDS[standing])))
        if message.kind in (MessageKind.CLOSE, MessageKind.TAKEOVER):
            self.at_work = False  # the turn is stopped; its messages are claimed but not settled

    # --- what the flow does

    @precondition(lambda self: not self.returned and not self.at_work)
    @rule(crashes=st.booleans())
    def the_flow_goes_on(self, crashes: bool) -> None:
        self._look(repeated=crashes)
        self.said += self.bug.outbox
        self.bug = self.bug.updated(outbox=())
        if self.bug.is_over:
            self.saved = self.bug
            late = self.inbox.claim(self.bug.progress.turns + 1)
            self.returned = not late
        elif self.bug.state is BugState.INVESTIGATING:
            self.at_work = True

    def _look(self, *, repeated: bool) -> None:
        turn = self.bug.progress.turns + 1
        claimed = self.inbox.claim(turn)
        if repeated:  # the worker died before it could report its claim
            claimed = self.inbox.claim(turn)
        found = transitions.look(self.bug, claimed, POLICY, self.now)
        self.bug = self.saved = found.after
        for settled in found.settled:
            self.inbox.settle(settled.messages, settled.outcome)

    @precondition(lambda self: self.at_work)
    @rule()
    def the_agent_hears(self) -> None:
        self.inbox.claim(self.bug.progress.turns + 1, spoken_only=True)

    @precondition(lambda self: self.at_work)
    @rule()
    def the_attempt_dies(self) -> None:
        """A turn dies and leaves nothing: the next one gets all its messages, also those that came during it."""

    @precondition(lambda self: self.at_work)
    @rule(action=st.sampled_from(BugAction))
    def the_turn_ends(self, action: BugAction) -> None:
        turn = self.bug.progress.turns + 1
        given = [row.message for row in self.inbox.of(turn)]
        self.shown.append((turn, [message.id for message in given if message.kind in SPOKEN]))
        self.bug = self.bug.updated(turns=turn)
        investigated = InvestigatorTurn(
            answer=InvestigatorAnswer(action=action), session=SessionId(str(turn)), heard=tuple(given)
        )
        ended = transitions.after_turn(self.bug, investigated, POLICY, self.now)
        self.inbox.settle(tuple(message.id for message in given), SETTLED_BY[ended.step])
        self.bug = self.saved = ended.after.updated(fix_wanted=False)
        self.at_work = False

    @precondition(lambda self: self.at_work)
    @rule()
    def the_turn_fails(self) -> None:
        turn = self.bug.progress.turns + 1
        self.bug = self.bug.updated(turns=turn)
        self.inbox.settle(tuple(row.message.id for row in self.inbox.of(turn)), TURN_FAILED)
        self.bug = self.saved = transitions.after_failed_turn(self.bug, "it broke", POLICY, self.now)
        self.at_work = False

    @precondition(lambda self: not self.at_work and self.bug.state is not BugState.INVESTIGATING)
    @rule()
    def the_flow_starts_from_its_record(self) -> None:
        """The flow continues as new, or the server lost its data: only the saved snapshot is left."""
        self.bug = self.saved.updated(outbox=())

    @precondition(lambda self: not self.at_work and not self.returned)
    @rule(hours=st.sampled_from([1, 3, 25, 49]))
    def time_passes(self, hours: int) -> None:
        self.now += timedelta(hours=hours)
        at = transitions.wake_at(self.bug, POLICY)
        if at is not None and at <= self.now and not any(row.turn is None for row in self.inbox.rows.values()):
            self.bug = self.saved = transitions.after_silence(self.bug, POLICY, self.now)

    # --- what must hold

    @invariant()
    def nothing_is_answered_for_twice_or_shown_to_two_completed_turns(self) -> None:
        assert all(len(row.outcomes) <= 1 for row in self.inbox.rows.values())
        shown = [number for _, given in self.shown for number in given]
        assert len(shown) == len(set(shown))

    @invariant()
    def each_turn_is_given_what_was_said_in_order(self) -> None:
        assert all(given == sorted(given) for _, given in self.shown)

    @invariant()
    def no_post_is_said_twice(self) -> None:
        keys = [(post.about, post.audience, post.epoch, post.number) for post in self.said]
        assert len(keys) == len(set(keys))

    def teardown(self) -> None:
        """If nothing more happens, the case stops with every message settled."""
        for _ in range(50):
            if self.at_work:
                self.the_turn_ends(BugAction.POST_FINDINGS)
            elif any(row.turn is None or not row.outcomes for row in self.inbox.rows.values()):
                if self.bug.state is BugState.AWAITING_REPORTER:
                    self.time_passes(3)
                self.the_flow_goes_on(crashes=False)
            else:
                break
        assert all(row.turn is not None and row.outcomes for row in self.inbox.rows.values())


Walk.TestCase.settings = settings(max_examples=100, stateful_step_count=60, deadline=None)
TestNoWalkLosesOrRepeatsAMessage = Walk.TestCase
