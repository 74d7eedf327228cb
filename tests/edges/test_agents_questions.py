"""Single questions: against our own provider and rehearsed, with the real ledger and the real record."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict
from structlog.testing import capture_logs

from caseworker.agents.claude import ModelSettings
from caseworker.agents.price_list import PriceList
from caseworker.agents.provider_words import refused_key
from caseworker.agents.single_questions import SingleQuestions
from caseworker.core.base.budget import worst_case
from caseworker.core.base.ids import CaseId, RepositoryId, split_issue_case
from caseworker.core.record.entries import ModelAsked
from caseworker.ports import (
    Answer,
    Attempt,
    CaseAccount,
    Failed,
    Question,
    RepositoryAccount,
    SingleQuestion,
    Spending,
)
from caseworker.store.ledger import StoredLedger
from caseworker.store.store import Store
from tests.edges.agents_provider import Provider, closed_port, hanging_up, provider
from tests.edges.agents_world import until
from tests.edges.store_examples import TRACE, open_case

KEY = "sk-ant-test-0123456789abcdef"
MODEL = "claude-sonnet-5"


class Verdict(BaseModel):
    """A sample answer."""

    model_config = ConfigDict(extra="forbid")
    label: Literal["bug", "feature"]
    sure: float


BUG = "{answer: {label: bug, sure: 0.9}}"
WRONG = "{answer: {label: duck, sure: 0.9}}"


def script(*steps: str, purpose: str = "classify") -> str:
    lines = "\n".join(f"      - {step}" for step in steps)
    return f"version: 1\nturns: []\nquestions:\n  - purpose: {purpose}\n    steps:\n{lines}\n"


@dataclass(kw_only=True)
class Desk:
    """A caller of single questions, with a case and a repository to pay for them."""

    store: Store
    case: CaseId
    api: Provider
    url: str = ""
    question: Question[Verdict] = field(init=False)

    def __post_init__(self) -> None:
        self.question = Question(
            purpose="classify",
            system="You sort issues.",
            text="The sum is wrong: a private matter.",
            answer=Verdict,
            model=MODEL,
            account=CaseAccount(case=self.case, trace=TRACE),
            cap_micros=5_000_000,
            seconds=20,
        )

    @property
    def repository(self) -> RepositoryId:
        return split_issue_case(self.case)[0]

    async def ask(self, question: Question[Verdict] | None = None, key: str | None = KEY) -> Answer[Verdict] | Failed:
        settings = ModelSettings(key=key, base_url=self.url or self.api.url)
        model = SingleQuestions(ledger=self.store.ledger, record=self.store.record, model=settings)
        return await model.ask(question or self.question)

    async def rehearse(self, text: str, nth: int = 1) -> Answer[Verdict] | Failed:
        return await self.ask(replace(self.question, rehearsal=text, nth=nth), key=None)

    async def spent(self) -> Spending:
        return await self.store.ledger.spent(self.case)

    async def told(self) -> list[ModelAsked]:
        return [one.entry for one in await self.store.record.whole(self.case) if isinstance(one.entry, ModelAsked)]

    def reserved(self) -> int:
        """For the first call."""
        size = len(json.dumps(self.api.requests[0]).encode())
        return worst_case(PriceList().of(MODEL), size, self.question.max_tokens)


@pytest.fixture
def backend() -> str:
    return "sqlite"


@pytest.fixture
async def desk(store: Store) -> AsyncIterator[Desk]:
    async with provider(script(BUG)) as api:
        api.answers(script(BUG), "classify")
        yield Desk(store=store, case=await open_case(store), api=api)


# --- A provider behind it --------------------------------------------------------------------------------------------


async def test_an_answer_has_the_shape_that_was_asked_for_and_is_paid_by_the_case(desk: Desk) -> None:
    ended = await desk.ask()
    spent = await desk.spent()
    assert ended == Answer(value=Verdict(label="bug", sure=0.9), calls=1, cost_micros=spent.micros)
    assert (spent.calls, spent.micros > 0, spent.usage.output_tokens > 0) == (1, True, True)
    assert spent.micros < desk.reserved()
    assert await desk.told() == [ModelAsked(purpose="classify", model=MODEL, failed="", cost_micros=spent.micros)]


async def test_the_call_has_system_text_schema_and_nothing_of_an_agent(desk: Desk) -> None:
    await desk.ask(replace(desk.question, model=f"{MODEL}[1m]"))
    [request] = desk.api.requests
    assert set(request) == {"model", "max_tokens", "system", "tools", "messages"}
    assert (request["model"], request["max_tokens"]) == (MODEL, 2_000)
    assert request["system"].startswith("You sort issues.\n")
    assert request["messages"] == [{"role": "user", "content": desk.question.text}]
    [tool] = request["tools"]
    assert tool["input_schema"]["properties"]["label"] == {"enum": ["bug", "feature"], "type": "string"}
    [headers] = desk.api.headers
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")


async def test_a_repository_pays_for_a_question_without_a_case(desk: Desk) -> None:
    ended = await desk.ask(replace(desk.question, account=RepositoryAccount(repository=desk.repository)))
    assert isinstance(ended, Answer)
    assert (await desk.store.ledger.spent_on_questions(desk.repository)).micros == ended.cost_micros > 0
    assert await desk.spent() == Spending()
    assert await desk.told() == []


@pytest.mark.parametrize("pays", ["case", "repository"])
async def test_a_question_that_could_pass_the_cap_is_not_sent(desk: Desk, pays: str) -> None:
    question = replace(desk.question, cap_micros=100)
    if pays == "repository":
        question = replace(question, account=RepositoryAccount(repository=desk.repository))
    ended = await desk.ask(question)
    assert isinstance(ended, Failed)
    assert (ended.why, ended.retry) == ("budget", False)
    whose = "the case's budget" if pays == "case" else "the repository's budget for 24 hours"
    assert ended.reason.endswith(f"which would pass {whose} of $0.0001")
    assert desk.api.requests == []
    assert await desk.spent() == Spending()


async def test_an_account_that_does_not_exist_is_refused(desk: Desk) -> None:
    ended = await desk.ask(replace(desk.question, account=RepositoryAccount(repository=RepositoryId("local/none"))))
    assert isinstance(ended, Failed)
    assert ended.reason.startswith("There is no repository local/none here.")
    assert desk.api.requests == []


async def test_a_malformed_answer_is_repaired_once(desk: Desk) -> None:
    desk.api.answers(script(WRONG, BUG), "classify")
    ended = await desk.ask()
    assert isinstance(ended, Answer)
    assert (ended.value.label, ended.calls) == ("bug", 2)
    spent = await desk.spent()
    assert (spent.calls, spent.micros) == (2, ended.cost_micros)
    _, said, problem = desk.api.requests[1]["messages"]
    [call] = said["content"]
    [result] = problem["content"]
    assert (result["type"], result["tool_use_id"], result["is_error"]) == ("tool_result", call["id"], True)
    assert "label: Input should be 'bug' or 'feature'" in result["content"]


@pytest.mark.parametrize("second", [WRONG, "{say: It is a duck.}", "{say: '[1, 2'}"])
async def test_an_answer_that_is_malformed_twice_is_a_failure(desk: Desk, second: str) -> None:
    desk.api.answers(script("{say: Quack.}", second), "classify")
    ended = await desk.ask()
    assert isinstance(ended, Failed)
    assert (ended.why, ended.retry) == ("malformed", False)
    assert (await desk.spent()).calls == len(desk.api.requests) == 2
    assert [entry.failed for entry in await desk.told()] == [ended.reason]


@pytest.mark.parametrize("text", ['{"label": "bug", "sure": 1}', '```json\n{"label": "bug", "sure": 1}\n```'])
async def test_an_answer_in_plain_json_counts(desk: Desk, text: str) -> None:
    desk.api.answers(script(f"{{say: {json.dumps(text)}}}"), "classify")
    ended = await desk.ask()
    assert isinstance(ended, Answer)
    assert (ended.value, ended.calls) == (Verdict(label="bug", sure=1), 1)


@pytest.mark.parametrize(("status", "retry"), [(500, True), (503, True), (529, True), (429, True), (401, False)])
async def test_an_error_of_the_provider_costs_nothing(desk: Desk, status: int, retry: bool) -> None:
    desk.api.failures = [(status, "api_error")]
    told = f"the model's API answered {status}: as told" if retry else refused_key(status, "as told")
    assert await desk.ask() == Failed(why="model", reason=told, retry=retry)
    assert (await desk.spent()).micros == 0
    assert isinstance(await desk.ask(), Answer)


async def test_a_question_that_times_out_costs_a_part_of_its_reservation(desk: Desk) -> None:
    desk.api.thinks = asyncio.Event()
    ended = await desk.ask(replace(desk.question, seconds=1.5))
    assert ended == Failed(why="seconds", reason="there was no answer within 1.5 s", retry=True)
    assert (await desk.spent()).micros == -(-desk.reserved() // 4)


class NotingLedger(StoredLedger):
    made = 0

    async def reserve(
        self, payer: Attempt | SingleQuestion, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        number = await super().reserve(payer, model=model, micros=micros, cap_micros=cap_micros, rehearsed=rehearsed)
        self.made += number is not None
        return number


async def test_a_question_that_times_out_before_it_is_sent_costs_nothing(desk: Desk) -> None:
    ledger = desk.store.ledger = NotingLedger(desk.store.database)
    ended = await desk.ask(replace(desk.question, seconds=0))  # over while its money is being reserved
    assert isinstance(ended, Failed)
    assert (ended.why, desk.api.requests, (await desk.spent()).micros) == ("seconds", [], 0)
    assert ledger.made == 1


async def test_a_cancelled_question_costs_a_part_of_its_reservation(desk: Desk) -> None:
    desk.api.thinks = asyncio.Event()
    asking = asyncio.create_task(desk.ask())
    await until(lambda: bool(desk.api.requests))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (await desk.spent()).micros == -(-desk.reserved() // 4)


async def test_an_unreachable_provider_costs_nothing_and_one_that_hangs_up_may(desk: Desk) -> None:
    desk.url = closed_port()
    ended = await desk.ask()
    assert isinstance(ended, Failed)
    assert (ended.why, ended.retry, (await desk.spent()).micros) == ("model", True, 0)
    async with hanging_up() as url:
        desk.url = url
        ended = await desk.ask()
    assert isinstance(ended, Failed)
    assert (ended.why, ended.retry, (await desk.spent()).micros > 0) == ("model", True, True)


async def test_an_answer_that_breaks_off_may_have_been_charged(desk: Desk) -> None:
    desk.api.breaks = [0]
    ended = await desk.ask()
    assert isinstance(ended, Failed)
    assert (ended.why, ended.retry) == ("model", True)
    assert (await desk.spent()).micros == -(-desk.reserved() // 4)


async def test_without_key_and_rehearsal_nothing_is_asked(desk: Desk) -> None:
    assert await desk.ask(key=None) == Failed(why="model", reason="there is no model key, and no rehearsal")


async def test_the_key_is_in_no_log_no_record_and_no_answer(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with capture_logs() as logs:
        await desk.ask()
        desk.url = f"{closed_port()}/{KEY}"
        ended = await desk.ask()
    assert isinstance(ended, Failed)
    assert "[redacted]" in ended.reason
    written = "".join([caplog.text, str(logs), str(await desk.store.record.whole(desk.case)), str(ended)])
    assert KEY not in written
    assert "private matter" not in written
    assert len(await desk.told()) == 2


# --- Rehearsed -------------------------------------------------------------------------------------------------------


async def test_a_rehearsed_question_is_answered_by_its_purpose_and_number_and_counted(desk: Desk) -> None:
    second = "  - {purpose: classify, nth: 2, steps: [{answer: {label: feature, sure: 1}}]}\n"
    labels = []
    for nth in (1, 2, 3):
        ended = await desk.rehearse(script(BUG) + second, nth)
        assert isinstance(ended, Answer)
        labels.append(ended.value.label)
    assert labels == ["bug", "feature", "bug"]
    assert (await desk.spent()).calls == 3
    assert (await desk.spent()).micros > 0
    assert desk.api.requests == []


@pytest.mark.parametrize(
    ("steps", "failed"),
    [
        (["error: overloaded"], Failed(why="model", reason="the model's API answered 529: Overloaded", retry=True)),
        (["error: refused"], Failed(why="model", reason=refused_key(403, "The request was refused"))),
        (
            [WRONG],
            Failed(why="script", reason="the rehearsal of the question classify (nth 1) ran out after 1 step"),
        ),
    ],
)
async def test_a_rehearsal_can_fail_like_a_provider(desk: Desk, steps: list[str], failed: Failed) -> None:
    assert await desk.rehearse(script(*steps)) == failed


async def test_a_question_missing_in_the_script_is_named(desk: Desk) -> None:
    ended = await desk.rehearse(script(BUG, purpose="digest"))
    assert ended == Failed(why="script", reason="the rehearsal has no question for classify (nth 1)")
    assert (await desk.spent()).micros == 0


async def test_a_rehearsed_question_keeps_its_pace_and_its_time_limit(desk: Desk) -> None:
    slow = script("{answer: {label: bug, sure: 1}, delay: 60}")
    ended = await desk.ask(replace(desk.question, rehearsal=slow, seconds=1), key=None)
    assert isinstance(ended, Failed)
    assert (ended.why, (await desk.spent()).micros) == ("seconds", 0)
