"""Comments in free words: classified, answered as chat, remembered, or passed to the dispatcher."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from caseworker.agents.questions.asker import Asker
from caseworker.agents.questions.chat_reply import NOT_ANSWERED, ChatReplies
from caseworker.agents.questions.classify_intent import IntentClassifier
from caseworker.agents.questions.mention_reader import MentionPlace, MentionQuestions, MentionReader
from caseworker.agents.questions.read_rule import RuleReader
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.people.registry import TargetKind
from caseworker.ports import Answer, Failed, Question
from caseworker.ports.github import Mentioned, Unclear, Wants
from caseworker.ports.models import A
from caseworker.store.store import Store
from tests.intake.github_desk import SHOP, Desk, Killed, SmallGitHub
from tests.intake.test_github_kills import Hosts

NONE = {"workflow": "none", "confidence": 0.9, "rationale": "It asks for nothing to run."}


@dataclass
class ScriptedModel:
    """Answers by purpose, in order. No answer left: it fails."""

    answers: dict[str, list[dict[str, object]]] = field(default_factory=lambda: defaultdict(list))
    asked: list[str] = field(default_factory=list)

    async def ask(self, question: Question[A]) -> Answer[A] | Failed:
        self.asked.append(question.purpose)
        found = self.answers[question.purpose]
        if not found:
            return Failed(why="model", reason="the model is overloaded", retry=True)
        return Answer(value=question.answer.model_validate(found.pop(0)), calls=1, cost_micros=10)


@dataclass
class AskedGitHub(SmallGitHub):
    """Has the real reader of mentions, which writes to it."""

    reader: MentionReader | None = None
    added: list[str] = field(default_factory=list)

    async def classify(self, said: Mentioned) -> Wants | Unclear:
        assert self.reader is not None
        found = await self.reader.classify(said)
        self.call()
        return found


@dataclass
class Labelled:
    """The `Labels` port."""

    github: AskedGitHub

    async def of(self, repository: RepositoryRef, number: int) -> list[str]:
        return self.github.added

    async def add(self, repository: RepositoryRef, number: int, label: str) -> None:
        self.github.added.append(label)

    async def remove(self, repository: RepositoryRef, number: int, label: str) -> None:
        self.github.added.remove(label)


@pytest.fixture
def backend() -> str:
    return "sqlite"


class MentionDesk(Desk):
    def __init__(self, store: Store, *, chat: bool = True) -> None:
        self.model = ScriptedModel()
        github = AskedGitHub()
        asker = Asker(model=self.model, policy=Policy(), cap_micros=2_000_000)
        questions = MentionQuestions(
            intents=IntentClassifier(asker=asker, threshold=0.75, chat=chat),
            rules=RuleReader(asker=asker),
            chat=ChatReplies(asker=asker, threads=store.chat_threads, tools=True),
        )
        place = MentionPlace(reads=github, writes=github, labels=Labelled(github))
        github.reader = MentionReader(store=store, questions=questions, place=place)
        github.add(7)
        super().__init__(store, github)

    def model_finds(self, workflow: str, confidence: float = 0.9) -> None:
        self.model.answers["classify"].append({"workflow": workflow, "confidence": confidence, "rationale": "It does."})

    def model_chats(self, mode: str, text: str = "So it is.", **more: object) -> None:
        self.model.answers["classify"].append(NONE)
        self.model.answers["chat"].append({"output": {"mode": mode, "text": text, **more}})

    @property
    def said(self) -> list[str]:
        return [text for _, text in self.github.replies.values()]


@pytest.fixture
def desk(store: Store) -> MentionDesk:
    return MentionDesk(store)


async def test_a_clear_mention_takes_the_way_of_a_label(desk: MentionDesk) -> None:
    desk.model_finds("triage")
    assert await desk.comments("ann", 7, "@caseworker could you see whether this is real?") == "dispatched: triage"
    assert await desk.runs() == ["triage"]


async def test_a_workflow_that_does_not_exist_is_refused_by_name(desk: MentionDesk) -> None:
    desk.model_finds("deploy")
    assert await desk.comments("ann", 7, "@caseworker deploy it") == "refused: unknown_workflow"
    assert desk.said[0].startswith("There is no workflow `deploy`.")


async def test_a_question_is_answered_and_starts_nothing(desk: MentionDesk) -> None:
    desk.model_chats("answer", "It reads the cart twice.")
    assert await desk.comments("ann", 7, "@caseworker why is it slow?") == "answered"
    assert desk.said == ["It reads the cart twice."]


async def test_a_kill_after_the_answer_repeats_neither_question_nor_reply(desk: MentionDesk) -> None:
    desk.model_chats("answer", "It reads the cart twice.")
    desk.github.dies_at = 6  # the classifier has answered, and its verdict is not noted yet
    hosts = Hosts(desk)
    with pytest.raises(Killed):
        await desk.comments("ann", 7, "@caseworker why is it slow?")
    hosts.time += timedelta(minutes=5)
    assert not await hosts.work()
    assert await desk.outcome() == "answered"
    assert (desk.said, desk.model.asked) == (["It reads the cart twice."], ["classify", "chat"])


async def test_an_approval_runs_the_stored_proposal(desk: MentionDesk) -> None:
    desk.model_chats("propose-workflow", "I could look.", workflow="triage")
    await desk.comments("ann", 7, "@caseworker hm, what could you do?")
    assert await desk.runs() == []
    desk.model_chats("approve-pending", "I begin with implement.")
    assert await desk.comments("ann", 7, "@caseworker yes, do that") == "dispatched: triage"
    assert await desk.runs() == ["triage"]
    assert desk.said[-1] == "I begin with implement.\n\n**Approved:** run `triage`."


async def test_an_approved_label_is_set(desk: MentionDesk) -> None:
    desk.model_chats("propose-action", "It looks slow.", action={"kind": "label", "name": "performance"})
    await desk.comments("ann", 7, "@caseworker how would you label this?")
    desk.model_chats("approve-pending", "Done.")
    assert await desk.comments("ann", 7, "@caseworker fine") == "answered"
    assert isinstance(desk.github, AskedGitHub)
    assert desk.github.added == ["performance"]


async def test_what_owners_want_remembered_is_kept_in_their_words(desk: MentionDesk, store: Store) -> None:
    desk.github.add(8, kind=TargetKind.PULL)
    desk.model_finds("remember")
    rule: dict[str, object] = {"kind": "rule", "text": "money is integer cents", "glob": "src/pay/**"}
    desk.model.answers["remember"].append(rule)
    assert await desk.comments("ann", 8, "@caseworker from now on: money is integer cents in src/pay") == "answered"
    (kept,) = await store.review_learnings.of(await store.repositories.register(SHOP))
    assert (kept.text, kept.glob, kept.author) == ("money is integer cents", "src/pay/**", "ann")
    assert "comment:" in kept.source
    assert desk.said == ["Remembered for reviews that touch `src/pay/**`: money is integer cents"]


async def test_models_that_fail_start_nothing_and_ask_back(desk: MentionDesk) -> None:
    assert await desk.comments("ann", 7, "@caseworker plan this, I guess") == "refused: unclear"
    desk.model.answers["classify"].append(NONE)
    assert await desk.comments("ann", 7, "@caseworker so what?") == "answered"
    assert desk.said[0].startswith("I am not sure what you want.")
    assert desk.said[1] == NOT_ANSWERED
    assert await desk.runs() == []


async def test_without_chat_a_vague_mention_is_asked_back(store: Store) -> None:
    desk = MentionDesk(store, chat=False)
    desk.model_finds("triage", confidence=0.5)
    assert await desk.comments("ann", 7, "@caseworker maybe look?") == "refused: unclear"
    assert desk.model.asked == ["classify"]


async def test_what_is_said_on_a_case_goes_to_its_pm_and_not_to_chat(desk: MentionDesk) -> None:
    await desk.comments("ann", 7, "@caseworker triage")
    desk.model.answers["classify"].append(NONE)
    assert await desk.comments("ann", 7, "@caseworker the cart is the culprit") == "message"
    assert desk.model.asked == ["classify"]
