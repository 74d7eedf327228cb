"""Labels of the repository and of issues."""

from caseworker.github_double.access import PUSH, READ_ISSUES, READ_TALK, TRIAGE
from caseworker.github_double.acts.label_acts import (
    add_labels,
    create_label,
    delete_label,
    find_label,
    remove_label,
    set_labels,
)
from caseworker.github_double.entities.repository import Issue
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import FieldError, Unprocessable
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.shapes.issue_shapes import label_json


def list_labels(call: Call) -> Answer:
    repository = call.repository(READ_ISSUES)
    return call.page(list(repository.labels.values()), lambda one: label_json(call.github, repository, one))


def post_label(call: Call) -> Answer:
    repository, fields = call.repository(TRIAGE), call.fields
    label = create_label(
        call.github,
        call.actor,
        repository,
        name=fields.text("name") or "",
        color=fields.text("color") or "ededed",
        description=fields.text("description"),
    )
    return Answer(label_json(call.github, repository, label), 201)


def get_label(call: Call) -> Answer:
    repository = call.repository(READ_ISSUES)
    return Answer(label_json(call.github, repository, find_label(repository, call.part("name"))))


def patch_label(call: Call) -> Answer:
    repository = call.repository(PUSH if call.actor.installation is None else TRIAGE)
    label = find_label(repository, call.part("name"))
    name = call.fields.text("new_name")
    if name is not None:
        if name.lower() != label.name.lower() and name.lower() in repository.labels:
            raise Unprocessable("Validation Failed", FieldError(resource="Label", field="name", code="already_exists"))
        del repository.labels[label.name.lower()]
        label.name = name
        repository.labels[name.lower()] = label
    label.color = call.fields.text("color") or label.color
    label.description = call.fields.text("description") or label.description
    return Answer(label_json(call.github, repository, label))


def remove_repository_label(call: Call) -> Answer:
    delete_label(call.github, call.actor, call.repository(TRIAGE), call.part("name"))
    return Answer(None, 204)


def list_issue_labels(call: Call) -> Answer:
    return _labels(call, call.issue(READ_TALK))


def post_issue_labels(call: Call) -> Answer:
    issue = call.issue(TRIAGE)
    add_labels(call.github, call.actor, issue, _names(call))
    return _labels(call, issue)


def put_issue_labels(call: Call) -> Answer:
    issue = call.issue(TRIAGE)
    set_labels(call.github, call.actor, issue, _names(call))
    return _labels(call, issue)


def delete_issue_label(call: Call) -> Answer:
    issue = call.issue(TRIAGE)
    remove_label(call.github, call.actor, issue, call.part("name"))
    return _labels(call, issue)


def clear_issue_labels(call: Call) -> Answer:
    set_labels(call.github, call.actor, call.issue(TRIAGE), [])
    return Answer(None, 204)


def _names(call: Call) -> list[str]:
    """The body is `{"labels": [...]}` or the list itself."""
    return call.fields.texts("labels" if call.fields.has("labels") else "items")


def _labels(call: Call, issue: Issue) -> Answer:
    return call.page(issue.labels, lambda one: label_json(call.github, issue.repository, one))


_HOME = "/repos/{owner}/{repo}"

ROUTES = (
    RestRoute("GET", f"{_HOME}/labels", list_labels),
    RestRoute("POST", f"{_HOME}/labels", post_label),
    RestRoute("GET", f"{_HOME}/labels/{{name:path}}", get_label),
    RestRoute("PATCH", f"{_HOME}/labels/{{name:path}}", patch_label),
    RestRoute("DELETE", f"{_HOME}/labels/{{name:path}}", remove_repository_label),
    RestRoute("GET", f"{_HOME}/issues/{{number:int}}/labels", list_issue_labels),
    RestRoute("POST", f"{_HOME}/issues/{{number:int}}/labels", post_issue_labels),
    RestRoute("PUT", f"{_HOME}/issues/{{number:int}}/labels", put_issue_labels),
    RestRoute("DELETE", f"{_HOME}/issues/{{number:int}}/labels", clear_issue_labels),
    RestRoute("DELETE", f"{_HOME}/issues/{{number:int}}/labels/{{name:path}}", delete_issue_label),
)
