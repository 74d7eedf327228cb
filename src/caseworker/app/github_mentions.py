"""Makes the reader of comments that mention us: it classifies them, chats, and remembers rules."""

from caseworker.agents.claude import ModelSettings
from caseworker.agents.price_list import PriceList
from caseworker.agents.questions.asker import Asker
from caseworker.agents.questions.chat_reply import ChatReplies
from caseworker.agents.questions.classify_intent import IntentClassifier
from caseworker.agents.questions.mention_reader import MentionPlace, MentionQuestions, MentionReader
from caseworker.agents.questions.read_rule import RuleReader
from caseworker.agents.single_questions import SingleQuestions
from caseworker.app.parts import read_rehearsal
from caseworker.app.settings import Settings
from caseworker.core.base.budget import MICROS
from caseworker.ports import Store


def make_mention_reader(settings: Settings, store: Store, place: MentionPlace) -> MentionReader:
    asker = Asker(
        model=SingleQuestions(
            ledger=store.ledger, record=store.record, model=model_settings(settings), secrets=settings.secrets()
        ),
        policy=settings.policy(),
        cap_micros=round(settings.questions_budget_usd * MICROS),
        rehearsal=read_rehearsal(settings.reports_rehearsal),
    )
    chat = ChatReplies(asker=asker, threads=store.chat_threads, tools=settings.chat_thread_tools_enabled)
    intents = IntentClassifier(
        asker=asker,
        threshold=settings.intent_confidence_threshold,
        chat=settings.chat_enabled,
        tools=settings.triage_tools_enabled,
    )
    questions = MentionQuestions(intents=intents, rules=RuleReader(asker=asker), chat=chat)
    return MentionReader(store=store, questions=questions, place=place)


def model_settings(settings: Settings) -> ModelSettings:
    key = settings.anthropic_api_key
    return ModelSettings(
        key=key.get_secret_value() if key else None,
        base_url=settings.anthropic_base_url,
        prices=PriceList(settings.prices),
        pace=settings.rehearsal_pace,
    )
