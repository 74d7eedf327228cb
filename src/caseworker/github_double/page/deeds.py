"""What the buttons do: one entry for each, done as the person who is chosen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from caseworker.github_double.acts.comment_acts import create_comment
from caseworker.github_double.acts.issue_acts import close_issue, reopen_issue
from caseworker.github_double.acts.label_acts import add_labels, remove_label
from caseworker.github_double.acts.merge_acts import merge_pull
from caseworker.github_double.acts.pull_acts import close_pull, reopen_pull
from caseworker.github_double.acts.review_acts import Verdict, create_review, reply, resolve_thread, unresolve_thread
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.acts.workflow_acts import approve_run, find_run, rerun
from caseworker.github_double.entities.check_records import WorkflowRun
from caseworker.github_double.entities.repository import Issue, PullRequest, ReviewThread
from caseworker.github_double.page.frame import View
from caseworker.github_double.refusals import NotFound, Unprocessable


@dataclass(frozen=True)
class Click:
    """A button that somebody pressed on the page of an issue or pull request."""

    view: View
    issue: Issue
    fields: Mapping[str, str]

    def field(self, name: str) -> str:
        return self.fields.get(name, "").strip()

    @property
    def pull(self) -> PullRequest:
        return self.view.github.pull(self.issue.repository, self.issue.number)

    def thread(self) -> ReviewThread:
        found = self.view.github.nodes.get(self.field("thread"))
        if not isinstance(found, ReviewThread):
            raise NotFound
        return found

    def run(self) -> WorkflowRun:
        number = self.field("run")
        if not number.isdigit():
            raise NotFound
        return find_run(self.issue.repository, int(number))


def _comment(click: Click) -> None:
    create_comment(click.view.github, click.view.actor, click.issue, body=click.field("body"))


def _label(click: Click) -> None:
    add_labels(click.view.github, click.view.actor, click.issue, [click.field("label")])


def _unlabel(click: Click) -> None:
    remove_label(click.view.github, click.view.actor, click.issue, click.field("label"))


def _close(click: Click) -> None:
    """A comment that is typed already is said first."""
    if click.field("body"):
        _comment(click)
    if click.issue.is_pull:
        close_pull(click.view.github, click.view.actor, click.pull)
    else:
        close_issue(click.view.github, click.view.actor, click.issue)


def _reopen(click: Click) -> None:
    if click.issue.is_pull:
        reopen_pull(click.view.github, click.view.actor, click.pull)
    else:
        reopen_issue(click.view.github, click.view.actor, click.issue)
    if click.field("body"):
        _comment(click)


def _review(verdict: Verdict) -> Callable[[Click], None]:
    def do(click: Click) -> None:
        path, line, body = click.field("path"), click.field("line"), click.field("body")
        if line and not line.isdigit():
            raise Unprocessable("The line must be a number.")
        about = [LineComment(path=path, body=body, line=int(line) if line else None)] if path else []
        create_review(
            click.view.github,
            click.view.actor,
            click.pull,
            verdict=verdict,
            body="" if about else body,
            comments=about,
        )

    return do


DEEDS: Final[Mapping[str, Callable[[Click], object]]] = {
    "comment": _comment,
    "label": _label,
    "unlabel": _unlabel,
    "close": _close,
    "reopen": _reopen,
    "review": _review("COMMENT"),
    "approve": _review("APPROVE"),
    "changes": _review("REQUEST_CHANGES"),
    "reply": lambda click: reply(click.view.github, click.view.actor, click.thread(), body=click.field("body")),
    "resolve": lambda click: resolve_thread(click.view.github, click.view.actor, click.thread()),
    "unresolve": lambda click: unresolve_thread(click.view.github, click.view.actor, click.thread()),
    "merge": lambda click: merge_pull(click.view.github, click.view.actor, click.pull),
    "rerun": lambda click: rerun(click.view.github, click.view.actor, click.issue.repository, click.run()),
    "approve_run": lambda click: approve_run(click.view.github, click.view.actor, click.issue.repository, click.run()),
}


def do(click: Click) -> None:
    deed = DEEDS.get(click.field("deed"))
    if deed is None:
        raise Unprocessable("The page sent nothing that can be done. Go back and try again.")
    deed(click)
