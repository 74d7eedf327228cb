"""What the API takes and gives besides the read models of the views."""

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import CaseId
from caseworker.core.casefile.learnings import Learning
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import TEXT_LIMIT
from caseworker.core.record.entries import Recorded
from caseworker.core.sla.clock import SlaLine
from caseworker.dashboard.buttons import Button
from caseworker.dashboard.deployment import Deployment
from caseworker.intake.learnings import LEARNING_LIMIT, LearningAction
from caseworker.views.delivery_list import DeliveryLine
from caseworker.views.deployment_health import DeploymentHealth
from caseworker.views.needs import Need
from caseworker.views.repository_list import RepositoryLine


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class SentMessage(_Value):
    """What a program sends to a case: the name of a button, or `say`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str = Field(default="say", max_length=40)
    text: str = Field(default="", max_length=TEXT_LIMIT)
    choice: str = Field(default="", max_length=40)
    """For a button with choices: one of them."""
    key: str = Field(min_length=1, max_length=64)
    """Of the sender's own. The same message with the same key is sent once."""


class MessageReceipt(_Value):
    case: CaseId
    message: int | None
    """Null: it was sent before under this key."""
    kind: MessageKind | None
    receipt: str


class RecordPage(_Value):
    case: CaseId
    entries: tuple[Recorded, ...]
    next: int | None
    """`after` of the next page. Null: this was the newest entry."""


class Needs(_Value):
    needs: tuple[Need, ...]


class DeliveryPage(_Value):
    deliveries: tuple[DeliveryLine, ...]


class Promises(_Value):
    promises: tuple[SlaLine, ...]


class HealthReport(_Value):
    health: DeploymentHealth
    deployment: Deployment


class Problem(_Value):
    """An error as every path answers it."""

    title: str
    status: int
    detail: str = ""


class Buttons(_Value):
    case: CaseId
    buttons: tuple[Button, ...]


class SentLearningAct(_Value):
    """What an owner does about a learning."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: LearningAction
    text: str = Field(default="", max_length=LEARNING_LIMIT)
    """The new words, for `edit`."""


class LearningDone(_Value):
    learning: Learning
    receipt: str


class LearningList(_Value):
    learnings: tuple[Learning, ...]


class RepositoryList(_Value):
    repositories: tuple[RepositoryLine, ...]
