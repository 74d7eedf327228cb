"""An issue: its conversation, its labels to click, and a box to comment. Pull requests begin with the same."""

from typing import Final

from caseworker.github_double.access import TRIAGE, may
from caseworker.github_double.derive.closing_words import closing_issues
from caseworker.github_double.entities.details import TimelineEvent
from caseworker.github_double.entities.repository import Comment, Issue, Review
from caseworker.github_double.page.frame import (
    View,
    button,
    faces,
    hidden,
    issue_path,
    moment,
    path_of,
    pill,
    state_mark,
)
from caseworker.github_double.page.markup import Html, join, markdown, tag

_WORDS: Final = {
    "labeled": "added the label",
    "unlabeled": "removed the label",
    "closed": "closed this",
    "reopened": "reopened this",
    "assigned": "assigned",
    "unassigned": "unassigned",
    "renamed": "changed the title",
    "locked": "locked the conversation",
    "unlocked": "unlocked the conversation",
    "merged": "merged this",
    "review_requested": "asked for a review by",
    "review_request_removed": "no longer asks for a review by",
    "head_ref_force_pushed": "force-pushed the branch",
    "ready_for_review": "marked this as ready for review",
    "convert_to_draft": "made this a draft",
}


def issue_live(view: View, issue: Issue) -> Html:
    return join(title(issue), tag("div", conversation(issue), labels(view, issue), class_="columns"))


def title(issue: Issue) -> Html:
    return join(
        tag("p", tag("a", issue.repository.full_name, href=path_of(issue.repository)), class_="quiet"),
        tag("h1", issue.title, tag("span", f" #{issue.number}", class_="quiet")),
        tag("p", state_mark(issue), f" opened by {issue.author.login} ", moment(issue.times.created_at)),
    )


def conversation(issue: Issue) -> Html:
    """The text of the issue, then comments, events and reviews in the order of their time."""
    first = _card(
        issue.author.login, markdown(issue.body or "*No description.*"), moment(issue.times.created_at), anchor="issue"
    )
    pull = issue.repository.pulls.get(issue.number)
    reviews = [one for one in pull.reviews if one.submitted_at is not None] if pull is not None else []
    entries: list[tuple[str, Html]] = [
        *((one.created_at.isoformat(), _comment(one)) for one in issue.comments),
        *((one.created_at.isoformat(), _event(one)) for one in issue.discussion.timeline),
        *((one.submitted_at.isoformat(), _review(one)) for one in reviews if one.submitted_at is not None),
    ]
    entries.sort(key=lambda entry: entry[0])
    shown = (html for _, html in entries)
    return tag("div", first, faces(issue.discussion.reactions), *shown, class_="talk")


def labels(view: View, issue: Issue) -> Html:
    """The labels; who may, adds and removes them with a click."""
    allowed = may(view.actor, issue.repository, TRIAGE)
    has = [
        button("unlabel", "×", pill(label), hidden("label", label.name), style="tiny") if allowed else pill(label)
        for label in issue.labels
    ]
    others = [label for label in issue.repository.labels.values() if label not in issue.labels]
    more = [
        button("label", f"+ {label.name}", hidden("label", label.name), style="tiny", title=label.description or None)
        for label in others
    ]
    pulls = [one for one in issue.repository.pulls.values() if issue.number in closing_issues(one)]
    return tag(
        "aside",
        tag("h2", "Labels"),
        *(has or [tag("p", "None yet.", class_="quiet")]),
        tag("h3", "Add") if allowed else None,
        *(more if allowed else []),
        tag("h2", "Pull requests") if pulls else None,
        *(
            tag("p", state_mark(one.issue), tag("a", f"#{one.issue.number}", href=issue_path(one.issue)))
            for one in pulls
        ),
        tag("h2", "Assigned") if issue.assignees else None,
        *(tag("p", one.login) for one in issue.assignees),
    )


def talk_forms(view: View, issue: Issue) -> Html:
    """The box to comment. It stands outside of what is replaced, so that nothing typed is lost."""
    closes = issue.state == "open"
    who = view.user.login if view.user is not None else "nobody"
    return tag(
        "form",
        tag("h2", f"Comment as {who}"),
        tag("textarea", name="body", rows=4, aria_label="Your comment", placeholder="Markdown is understood."),
        tag("button", "Comment", name="deed", value="comment", class_="main"),
        tag("button", "Close" if closes else "Reopen", name="deed", value="close" if closes else "reopen"),
        method="post",
        action=issue_path(issue),
        class_="say",
    )


def _card(login: str, body: Html, *beside: Html, anchor: str) -> Html:
    return tag("article", tag("header", tag("strong", login), " ", *beside), body, id=anchor, class_="card")


def _comment(comment: Comment) -> Html:
    edited = comment.updated_at > comment.created_at
    beside = join(moment(comment.created_at), tag("span", " · edited", class_="quiet") if edited else None)
    body = join(markdown(comment.body), faces(comment.reactions))
    return _card(comment.author.login, body, beside, anchor=f"issuecomment-{comment.id}")


def _event(event: TimelineEvent) -> Html:
    about = [pill(event.label)] if event.label is not None else []
    if event.subject is not None:
        about.append(tag("strong", event.subject.login))
    if event.event == "renamed":
        about.append(tag("span", f"from “{event.before}” to “{event.after}”"))
    words = _WORDS.get(event.event, event.event.replace("_", " "))
    return tag(
        "p", tag("strong", event.actor.login), f" {words} ", *about, " ", moment(event.created_at), class_="event"
    )


def _review(review: Review) -> Html:
    words = {"APPROVED": "approved", "CHANGES_REQUESTED": "asked for changes", "COMMENTED": "commented on the code"}
    told = tag("span", words.get(review.state, review.state.lower()), class_=f"verdict {review.state.lower()}")
    when = moment(review.submitted_at)
    return _card(review.author.login, markdown(review.body), told, when, anchor=f"pullrequestreview-{review.id}")
