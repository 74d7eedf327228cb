"""`caseworker learnings`: what cases have found out about their repositories. An owner approves, edits and forgets."""

from contextlib import nullcontext, suppress
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import reading
from caseworker.app.parts import look_at
from caseworker.app.processes.own_name import person
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import empty_without_records, print_json
from caseworker.core.base.errors import Refused
from caseworker.core.casefile.learnings import Learning, one_line, ranked
from caseworker.core.people.messages import Standing
from caseworker.intake.learnings import LearningAct, act_on_learning
from caseworker.ports import Store


async def list_learnings(
    settings: Settings, console: Console, *, repo: Path | None, act: LearningAct | None, as_json: bool
) -> int:
    with empty_without_records(console, as_json=as_json) if act is None else nullcontext():
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
    """The person at the terminal counts as the owner of the deployment."""
    if wanted.id not in {learning.id for learning in known}:
        raise Refused(
            f"There is no learning {wanted.id} here.", todo="`caseworker learnings` lists them with their ids."
        )
    receipt = await act_on_learning(store, wanted, by=person(), standing=Standing.OWNER)
    if as_json:
        print_json({receipt.word.lower(): receipt.learning.model_dump(mode="json")})
    else:
        console.print(str(receipt), markup=False, highlight=False)


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
