"""`caseworker learnings`: what cases have found out about their repositories. An owner approves, edits and forgets."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, assert_never

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import person, reading
from caseworker.app.parts import look_at
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import no_records_as_empty_list, print_json
from caseworker.core.base.errors import Refused
from caseworker.core.casefile.learnings import Learning, one_line, ranked
from caseworker.core.people.authority import refuse_unless_may_steer
from caseworker.core.people.messages import Standing
from caseworker.ports import Store

_DONE: Final = {"approve_learning": "Approved", "edit_learning": "Changed", "forget_learning": "Forgotten"}


@dataclass(frozen=True, kw_only=True)
class LearningAct:
    """What an owner does about one of them."""

    act: Literal["approve_learning", "edit_learning", "forget_learning"]
    id: int
    text: str = ""


async def list_learnings(
    settings: Settings, console: Console, *, repo: Path | None, act: LearningAct | None, as_json: bool
) -> int:
    with no_records_as_empty_list(as_json=as_json and act is None):
        async with reading(settings) as store:
            known = await _known(store, repo)
            if act is not None:
                await _do(store, known, act, console, as_json=as_json)
            elif as_json:
                print_json([learning.model_dump(mode="json") for learning in known])
            elif known:
                console.print(_table(known))
                console.print("A later case is offered the first ones of its repository.")
                console.print("As an owner: --approve ID, --forget ID, --edit ID --text WORDS")
            else:
                console.print("Nothing was learned yet. What agents note while they work on a case is kept here.")
    return 0


async def _known(store: Store, repo: Path | None) -> list[Learning]:
    known = ranked(await store.learnings.of())
    if repo is None:
        return sorted(known, key=lambda learning: learning.repository)
    ref = (await look_at(repo)).ref
    named = set()
    for repository in {learning.repository for learning in known}:
        with suppress(Refused):  # the repository is not known here
            if await store.repositories.ref(repository) == ref:
                named.add(repository)
    return [learning for learning in known if learning.repository in named]


async def _do(store: Store, known: list[Learning], wanted: LearningAct, console: Console, *, as_json: bool) -> None:
    """Whoever types this is the owner of the deployment."""
    refuse_unless_may_steer(Standing.OWNER, wanted.act)
    found = next((learning for learning in known if learning.id == wanted.id), None)
    if found is None:
        raise Refused(
            f"There is no learning {wanted.id} here.", todo="`caseworker learnings` lists them with their ids."
        )
    match wanted.act:
        case "approve_learning":
            done = await store.learnings.approve(wanted.id, by=person())
        case "edit_learning":
            found = found.model_copy(update={"content": one_line(wanted.text)})
            if not found.content:
                raise Refused("The new words are missing.", todo='Add them: --text "Prices are in cents."')
            done = await store.learnings.edit(wanted.id, found.content, by=person())
        case "forget_learning":
            done = await store.learnings.forget(wanted.id)
        case _:
            assert_never(wanted.act)
    if not done:
        raise Refused(f"Learning {wanted.id} is gone, or another one says the same.")
    word = _DONE[wanted.act]
    if as_json:
        print_json({word.lower(): found.model_dump(mode="json")})
    else:
        console.print(f"{word}: {one_line(found.content)}", markup=False, highlight=False)


def _table(known: list[Learning]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("id", "repository", "seen", "last in", "approved by", "what"):
        table.add_column(column, style="bold" if column == "id" else "")
    for learning in known:
        seen = "once" if learning.seen == 1 else f"in {learning.seen} cases"
        what = f"{one_line(learning.type).replace('_', ' ')}: {one_line(learning.content)}"
        table.add_row(
            str(learning.id), learning.repository, seen, learning.last_case, learning.approved_by or "", Text(what)
        )
    return table
