"""`caseworker ready`: says whether a person can merge a pull request, and if not, why and who must move."""

from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.look_at_pull import look_at_pull
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.text import printable
from caseworker.core.pull.verdict import Verdict
from caseworker.core.telling.verdict_words import headline, mover_words, shown_evidence, title_line
from caseworker.views.readiness import Readiness

READY, NOT_READY, NOT_JUDGED = 0, 1, 2


async def show_readiness(settings: Settings, console: Console, name: str, *, as_json: bool) -> int:
    """Returns the exit code. A failed or partial look is no verdict."""
    try:
        seen = await look_at_pull(settings, name)
    except (Transient, Refused) as error:
        if as_json:
            print_json({"version": 1, "pull_request": name, "outcome": "not_judged", "ready": None, "why": str(error)})
        else:
            console.print(f"Could not be judged: {printable(str(error))}")
        return NOT_JUDGED
    found = seen.readiness
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        print_verdict(console, found, seen.verdict)
    return READY if found.ready else NOT_READY


def print_verdict(console: Console, found: Readiness, verdict: Verdict) -> None:
    style = "green" if found.ready else "yellow"
    console.print(printable(f"{found.pull_request}  {found.title}"), style="bold")
    console.print(headline(verdict), style=style)
    for reason in verdict.reasons:
        console.print()
        console.print(title_line(reason), style="bold")
        console.print(f"  must move:  {mover_words(reason)}")
        for seen in shown_evidence(reason):
            console.print(f"  seen:       {seen}")
        console.print(f"  what helps: {reason.help}")
