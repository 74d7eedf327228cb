"""`caseworker matrix`: shows the hypotheses of a case over time, what changed them, and the result."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.talk import styled
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.ids import typed
from caseworker.core.base.text import printable
from caseworker.core.investigation.iterations import MOST_ITERATIONS, Iteration, is_known
from caseworker.core.investigation.matrix import Investigation, Measured, Revision, changes_of
from caseworker.core.outcomes.investigation import CauseReviewOutcome, Hypothesis, InvestigationRequest, RootCause
from caseworker.core.telling.investigation import claimed_cause, criteria_words, investigation_page
from caseworker.core.telling.story import one_line
from caseworker.views.investigations import investigation_document, known_investigations

_MOST_COLUMNS: Final = 100
"""Longer lines are hard to read, however wide the terminal is."""
_CELL: Final = 10
_LEAST_COLUMNS: Final = 26
"""Least columns for a hypothesis's text beside its cells."""
_TEXT: Final = 600
"""Characters of one piece of evidence. `--json` and `--markdown` have all of it."""
_OBSERVED: Final = 20
"""Lines of a measurement."""
_STYLES: Final = {"pending": "", "testing": "yellow", "confirmed": "bold green", "eliminated": "dim"}
_VERDICTS: Final = {
    "if_true": "as expected if it is true",
    "if_false": "as expected if it is false",
    "neither": "as expected neither if it is true nor if it is false",
}
_ENDS: Final = {
    "ROOT_CAUSE_FOUND": "names the cause",
    "NEED_DEVELOPER_DIAGNOSTIC": "wants something measured",
    "HYPOTHESIS_ELIMINATED": "rules one out",
    "NEED_MORE_ANALYSIS": "looks further",
    "BLOCKED": "is stuck",
    "EXHAUSTED": "has no hypothesis left",
    "INVESTIGATION_INCOMPLETE": "ends without a proven cause",
}
_JUDGED: Final = {
    "APPROVED": "accepts",
    "CHANGES_REQUESTED": "is not convinced",
    "UNBLOCKING_GUIDANCE": "has it planned without a proven cause",
    "NEEDS_INFO": "asks a person",
}


async def show_matrix(settings: Settings, console: Console, name: str, *, as_json: bool, as_markdown: bool) -> None:
    async with reading(settings) as store:
        stored = await find_case(store, name)
        known = await known_investigations(store, stored)
    if as_json:
        print_json(investigation_document(stored, known))
    elif not known:
        none = view_of(stored).no_matrix.format(case=stored.case.id, typed=typed(stored.case.id))
        console.print(none, markup=False, highlight=False)
    elif as_markdown:
        console.out(investigation_page(stored.title, known), end="", highlight=False)
    else:
        print_matrix(stored.case.id, stored.title, known, console)


def print_matrix(case: str, title: str, known: list[Investigation], console: Console) -> None:
    console.print(Text(f"{case}  {one_line(title)}", style="bold"))
    for investigation in known:
        console.print()
        _Page(console, investigation).print(several=len(known) > 1)


@dataclass(frozen=True)
class _Page:
    """Prints one investigation, from its request to its result."""

    console: Console
    investigation: Investigation

    def print(self, *, several: bool) -> None:
        width = min(self.console.width, _MOST_COLUMNS)
        self.console.print(self._head(several), width=width, soft_wrap=False)
        if self.investigation.hypotheses:
            self.console.print()
            self.console.print(self._table(width), width=width, soft_wrap=False)
        steps = Table.grid(padding=(0, 2))
        steps.add_column(style="bold", no_wrap=True)
        steps.add_column(overflow="fold")
        for heading, lines in self._steps():
            steps.add_row()
            for number, line in enumerate(lines):
                steps.add_row("" if number else heading, line)
        self.console.print(steps, width=width, soft_wrap=False)

    def _head(self, several: bool) -> Text:
        done = len(self.investigation.iterations)
        name = f"Investigation {self.investigation.number}" if several else "Investigation"
        head = Text(f"{name}  ", style="bold cyan")
        head.append(f"{done} of {MOST_ITERATIONS} iterations done. {self._stands()}", style="not bold default")
        return head

    def _stands(self) -> str:
        last = self.investigation.reviews[-1] if self.investigation.reviews else None
        unjudged = self.investigation.reviewed_after[-1:] != (len(self.investigation.iterations),)
        if last is not None and not unjudged:
            said = f"accepted {last.hypothesis} as the cause" if last.status == "APPROVED" else _JUDGED[last.status]
            return f"The tech lead {said}." if last.status != "APPROVED" else f"The tech lead has {said}."
        if claimed_cause(self.investigation) is not None:
            return "A cause is named; the tech lead has yet to judge it."
        return "No cause is proven."

    # --- the table

    def _table(self, width: int) -> Table:
        columns = sorted({revision.iteration for revision in self.investigation.revisions} | set(self._done()))
        beside = width - len(columns) * (_CELL + 2) >= _LEAST_COLUMNS
        table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), header_style="bold")
        table.add_column("hypothesis" if beside else "", overflow="fold", ratio=1 if beside else None)
        for column in columns:
            table.add_column(str(column) if column else "entered", no_wrap=True, min_width=_CELL)
        for one in self.investigation.hypotheses:
            cells = [self._cell(one.id, column) for column in columns]
            table.add_row(self._name(one) if beside else Text(one.id, style="bold"), *cells)
        return table if beside else self._above(table)

    def _above(self, table: Table) -> Table:
        """Print the hypotheses above the table where there is no room beside the cells."""
        both = Table.grid()
        both.add_column(overflow="fold")
        for one in self.investigation.hypotheses:
            both.add_row(self._name(one))
        both.add_row()
        both.add_row(table)
        return both

    def _name(self, one: Hypothesis) -> Text:
        return Text(f"{one.id} ", style="bold") + self._text(one.hypothesis, style="not bold")

    def _done(self) -> range:
        return range(1, len(self.investigation.iterations) + 1)

    def _cell(self, name: str, iteration: int) -> Text:
        now, before = self._at(name, iteration), self._at(name, iteration - 1)
        if now is None:
            return Text("")
        shown = Text(f"{now.percent} %\n{now.status}", style=_STYLES[now.status])
        if before is not None and (before.percent, before.status) == (now.percent, now.status):
            shown.stylize("dim")
        return shown

    def _at(self, name: str, iteration: int) -> Hypothesis | None:
        """The hypothesis at the end of that iteration."""
        reached = [revision for revision in self.investigation.revisions if revision.iteration <= iteration]
        return next((one for one in reached[-1].hypotheses if one.id == name), None) if reached else None

    # --- what happened

    def _steps(self) -> Iterator[tuple[str, list[Text | Table]]]:
        yield "Asked for", list(self._entry())
        for iteration in self.investigation.iterations:
            number = iteration.number
            yield f"Iteration {number}", list(self._iteration(iteration))
            for measured in self.investigation.diagnostics:
                if measured.iteration == number:
                    yield f"Diagnostic {measured.turn}", list(self._measured(measured))
            for review, after in zip(self.investigation.reviews, self.investigation.reviewed_after, strict=True):
                if after == number:
                    yield "Tech lead", [self._review(review)]
        if self.investigation.resources:
            yield "From the pm", [self._text(text) for text in self.investigation.resources]
        if self.investigation.root_cause is not None:
            yield "Root cause", list(self._cause(self.investigation.root_cause))

    def _entry(self) -> Iterator[Text | Table]:
        bundle = self.investigation.bundle
        for requested in self.investigation.requests:
            yield from self._request(requested.request)
        if bundle is not None:
            yield self._text(f"A developer is blocked: {bundle.error}")
            yield self._text(f"expected {bundle.expected}; got {bundle.actual}")
        if not self.investigation.requests and bundle is None:
            yield Text("Nobody has put the problem into words: see the issue.")
        yield from self._changes(0)

    def _request(self, request: InvestigationRequest) -> Iterator[Text]:
        yield self._text(request.problem_summary)
        if request.criteria:
            yield self._text(f"Why it takes an investigation: {criteria_words(request.criteria)}.")

    def _iteration(self, iteration: Iteration) -> Iterator[Text | Table]:
        outcome = iteration.outcome
        if outcome is None:
            yield self._text(f"Without a valid outcome: {iteration.summary}") + Text("  (counts)", style="dim")
            return
        ends = _ENDS[iteration.status]
        end = ends if is_known(iteration.said) else f"ends with {iteration.said}, which nobody knows"
        yield self._text(f"{outcome.summary}") + Text(f"  ({one_line(end)})", style="dim")
        yield from self._changes(iteration.number)
        if outcome.diagnostic is not None and not self._was_measured(iteration.number):
            yield self._text(f"Not measured: {outcome.diagnostic.instrumentation} ({outcome.diagnostic.hypothesis})")
        if outcome.needs:
            yield self._text(f"Needs: {outcome.needs}")

    def _was_measured(self, number: int) -> bool:
        return any(measured.iteration == number for measured in self.investigation.diagnostics)

    def _changes(self, iteration: int) -> Iterator[Table]:
        """The changes of all revisions in an iteration: a request may bring a matrix more than once."""
        revisions = self.investigation.revisions
        for before, revision in zip((None, *revisions), revisions, strict=False):
            if revision.iteration == iteration:
                yield self._revised(before, revision)

    def _revised(self, before: Revision | None, revision: Revision) -> Table:
        lines = Table.grid(padding=(0, 1))
        lines.add_column(style="bold", no_wrap=True)
        lines.add_column(overflow="fold")
        known = {one.id: one for one in before.hypotheses} if before is not None else {}
        for one in revision.hypotheses:
            for number, change in enumerate(changes_of(known.get(one.id), one)):
                lines.add_row(one.id if number == 0 else "", self._text(change, style=_change_style(change)))
        return lines

    def _measured(self, measured: Measured) -> Iterator[Text]:
        """Headed by the number of its turn, because evidence cites it by that."""
        outcome, request = measured.outcome, measured.request
        who = f" of {request.hypothesis}" if request is not None else ""
        if outcome.status == "BLOCKED":
            yield self._text(f"The measurement{who} came to nothing: {outcome.summary}")
            return
        verdict = f"  (in turn {measured.turn}, {_VERDICTS[outcome.agrees]})"
        yield self._text(f"{outcome.summary}") + Text(verdict, style="dim")
        if request is not None:
            place = f"at {request.file}, {request.place}"
            yield self._text(f"to learn about {request.hypothesis}: {request.instrumentation}, {place}")
            expected = request.if_true if outcome.agrees != "if_false" else request.if_false
            if outcome.agrees != "neither":
                yield self._text(f"expected then: {expected}")
        first, *more = outcome.observed.strip().splitlines() or [""]
        yield self._text(f"observed: {first}")
        for line in more[:_OBSERVED]:
            yield Text("  ") + self._text(line)
        if len(more) > _OBSERVED:
            yield Text(f"  ({len(more) - _OBSERVED} more lines: --markdown has them)", style="dim")

    def _review(self, review: CauseReviewOutcome) -> Text:
        what = f" {review.hypothesis} as the cause" if review.status == "APPROVED" else ""
        said = f": {review.feedback}" if review.feedback.strip() else "."
        return self._text(f"{_JUDGED[review.status]}{what}{said}")

    def _cause(self, cause: RootCause) -> Iterator[Text]:
        yield Text(f"{cause.hypothesis}  ", style="bold") + self._text(cause.cause, style="not bold")
        for number, piece in enumerate(cause.evidence, 1):
            yield self._text(f"{number}. {piece.kind} `{piece.source}`: {piece.shows}")
        yield self._text(f"Fix: {cause.fix}")
        yield self._text(f"To validate it: {cause.validation}")

    def _text(self, text: str, *, style: str = "") -> Text:
        """One paragraph. Without colour, backticks mark commands."""
        flat = printable(one_line(text, _TEXT))
        shown = styled(flat) if self.console.color_system is not None else Text(flat)
        shown.style = style
        return shown


def _change_style(change: str) -> str:
    word = change.partition(":")[0]
    return {"for": "green", "against": "red", "next": "dim"}.get(word, "")
