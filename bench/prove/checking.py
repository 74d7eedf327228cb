"""The claims of a proof, each with what was counted and its limits."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.prove.facts import Facts, Row
from bench.prove.people import Mail
from bench.prove.standin import Given, marks

READ = "read by the investigator"
NEVER_CLAIMED = "never claimed"


@dataclass(frozen=True, kw_only=True)
class Check:
    what: str
    found: float
    at_most: float | None = None
    at_least: float | None = None
    unit: str = ""

    @property
    def holds(self) -> bool:
        return (self.at_most is None or self.found <= self.at_most) and (
            self.at_least is None or self.found >= self.at_least
        )

    @property
    def wanted(self) -> str:
        if self.at_most is not None and self.at_most == self.at_least:
            return f"{self.at_most:g}{self.unit}"
        if self.at_most is not None:
            return f"{self.at_most:g}{self.unit}" if self.at_most == 0 else f"≤ {self.at_most:g}{self.unit}"
        return "" if self.at_least is None else f"≥ {self.at_least:g}{self.unit}"


def handled_once(mails: Sequence[Mail], facts: Facts) -> list[Check]:
    """Every acknowledged message is handled once; so is every message that arrived unacknowledged."""
    rows = Counter(row.reference for row in facts.messages)
    words = Counter(number for row in facts.messages for number in marks(row.text))
    claims = Counter(message for _, _, message in facts.claims)
    by_look = {row.id for row in facts.messages if row.turn}
    return [
        Check(
            what="acknowledged and not in the inbox",
            found=sum(mail.acknowledged and rows[mail.reference] == 0 for mail in mails),
            at_most=0,
        ),
        Check(what="in the inbox twice", found=_more_than_once(rows) + _more_than_once(words), at_most=0),
        Check(what=NEVER_CLAIMED, found=sum(row.turn is None for row in facts.messages), at_most=0),
        Check(what="claimed twice", found=_more_than_once(claims), at_most=0),
        Check(what="claimed by nobody on the record", found=len(by_look - set(claims)), at_most=0),
        Check(what="moves of a case out of order, or not saved", found=facts.misplaced_moves, at_most=0),
        Check(what="without an outcome", found=sum(row.outcome is None for row in facts.messages), at_most=0),
    ]


def read_in_order(mails: Sequence[Mail], facts: Facts, log: Sequence[Given]) -> list[Check]:
    reports = _reports(facts)
    given = {turn: [number for number in numbers if number not in reports] for turn, numbers in _given(log).items()}
    turns = Counter(number for numbers in given.values() for number in set(numbers))
    answered = {
        number
        for row in facts.messages
        if row.outcome is not None and row.outcome.startswith(READ)
        for number in marks(row.text)
    }
    return [
        Check(what="given to two turns", found=_more_than_once(turns), at_most=0),
        Check(what="answered as read, and given to no turn", found=len(answered - set(turns) - reports), at_most=0),
        Check(what="given out of its author's order", found=_inversions(mails, given), at_most=0),
    ]


def said_once(facts: Facts, keys: Mapping[str, Sequence[str]]) -> list[Check]:
    places = {place for stamps in keys.values() for place in stamps}
    return [
        Check(what="posts that are there twice", found=sum(len(stamps) > 1 for stamps in keys.values()), at_most=0),
        Check(what="recorded as posted, and not there", found=sum(p not in places for _, p in facts.places), at_most=0),
        Check(what="there, and not recorded as posted", found=len(set(keys) - facts.posts), at_most=0),
        Check(what="posts begun and not ended", found=facts.undone_posts, at_most=0),
    ]


def _reports(facts: Facts) -> set[int]:
    """Messages that begin a case, because an earlier one never arrived. A report is quoted to every turn."""
    first: dict[str, Row] = {}
    for row in facts.messages:
        first[row.case] = min(row, first.get(row.case, row), key=lambda one: one.id)
    return {number for row in first.values() for number in marks(row.text)}


def _given(log: Sequence[Given]) -> dict[tuple[str, int], list[int]]:
    """By turn, the messages that its last attempt was given. Earlier attempts died and don't count."""
    newest: dict[tuple[str, int], int] = {}
    for line in log:
        newest[line.case, line.turn] = max(line.attempt, newest.get((line.case, line.turn), 0))
    given: dict[tuple[str, int], list[int]] = defaultdict(list)
    for line in log:
        if newest[line.case, line.turn] == line.attempt:
            given[line.case, line.turn] += line.numbers
    return dict(sorted(given.items()))


def _inversions(mails: Sequence[Mail], given: Mapping[tuple[str, int], Sequence[int]]) -> int:
    """Unacknowledged messages are left out: they may have been on their way while their author went on."""
    author = {mail.number: (mail.case, mail.author) for mail in mails if mail.acknowledged}
    latest: dict[tuple[int, str], int] = {}
    wrong = 0
    for number in _flat(given):
        if number in author:
            wrong += number < latest.get(author[number], 0)
            latest[author[number]] = max(number, latest.get(author[number], 0))
    return wrong


def _flat(given: Mapping[tuple[str, int], Sequence[int]]) -> Iterator[int]:
    for numbers in given.values():
        yield from numbers


def _more_than_once(counted: "Counter[str] | Counter[int]") -> int:
    return sum(count > 1 for count in counted.values())
