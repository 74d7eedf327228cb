"""What an owner does about a learning: approve, edit, forget. The one door for it, from every surface.

A learning belongs to a repository, so there is no case to send a message to. What was done is noted in the record of
the case that noted the learning last: there it is found again, with who did it."""

from dataclasses import dataclass
from typing import Final, Literal, assert_never

from caseworker.core.base.errors import Refused
from caseworker.core.casefile.learnings import Learning, one_line
from caseworker.core.people.authority import refuse_unless_may_steer
from caseworker.core.people.messages import Standing
from caseworker.core.record.entries import Noted
from caseworker.ports import Store

LEARNING_LIMIT: Final = 1_000
"""Characters. All of them together have to fit into a prompt."""
LearningAction = Literal["approve", "edit", "forget"]
"""As buttons and programs name it."""
_DONE: Final = {"approve_learning": "Approved", "edit_learning": "Changed", "forget_learning": "Forgotten"}


@dataclass(frozen=True, kw_only=True)
class LearningAct:
    act: Literal["approve_learning", "edit_learning", "forget_learning"]
    id: int
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class LearningReceipt:
    word: str
    learning: Learning
    """As it is now; a forgotten one as it was."""

    def __str__(self) -> str:
        return f"{self.word}: {one_line(self.learning.content)}"


async def act_on_learning(store: Store, wanted: LearningAct, *, by: str, standing: Standing) -> LearningReceipt:
    """`Refused`: they may not, or it can't be done."""
    refuse_unless_may_steer(standing, wanted.act)
    found = next((learning for learning in await store.learnings.of() if learning.id == wanted.id), None)
    if found is None:
        raise Refused(f"There is no learning {wanted.id} here.", todo="The list may have changed: look again.")
    match wanted.act:
        case "approve_learning":
            done = await store.learnings.approve(wanted.id, by=by)
        case "edit_learning":
            found = found.model_copy(update={"content": _words(wanted.text)})
            done = await store.learnings.edit(wanted.id, found.content, by=by)
        case "forget_learning":
            done = await store.learnings.forget(wanted.id)
        case _:
            assert_never(wanted.act)
    if not done:
        raise Refused(f"Learning {wanted.id} is gone, or another one says the same.")
    receipt = LearningReceipt(word=_DONE[wanted.act], learning=found)
    await _note(store, receipt, by)
    return receipt


def _words(text: str) -> str:
    words = one_line(text)
    if not words:
        raise Refused("The new words are missing.", todo="Say what is true instead, or forget the learning.")
    if len(words) > LEARNING_LIMIT:
        raise Refused(f"That has {len(words)} characters; {LEARNING_LIMIT} are taken.", todo="Shorten it.")
    return words


async def _note(store: Store, receipt: LearningReceipt, by: str) -> None:
    case = await store.cases.find(receipt.learning.last_case)
    if case is None:
        return  # it was removed
    text = (
        f"Learning {receipt.learning.id} {receipt.word.lower()} by {one_line(by)}: {one_line(receipt.learning.content)}"
    )
    await store.record.append(receipt.learning.last_case, [Noted(text=text)], trace=case.trace)
