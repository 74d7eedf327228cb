"""Labels of a repository, and labels on issues and pull requests."""

from collections.abc import Iterable

from caseworker.github_double.access import PUSH, TRIAGE, require
from caseworker.github_double.acts.announce import announce, author_of, note
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.details import Label
from caseworker.github_double.entities.repository import Issue, Repository
from caseworker.github_double.refusals import FieldError, NotFound, Unprocessable
from caseworker.github_double.shapes.issue_shapes import issue_json, label_json
from caseworker.github_double.shapes.pull_shapes import pull_event_json
from caseworker.github_double.state import GitHub


def create_label(
    github: GitHub,
    actor: Actor,
    repository: Repository,
    *,
    name: str,
    color: str = "ededed",
    description: str | None = None,
) -> Label:
    require(actor, repository, PUSH if actor.installation is None else TRIAGE)
    if name.lower() in repository.labels:
        raise Unprocessable("Validation Failed", FieldError(resource="Label", field="name", code="already_exists"))
    label = new_label(github, repository, name=name, color=color, description=description)
    announce(github, author_of(actor), repository, "label", "created", label=label_json(github, repository, label))
    return label


def find_label(repository: Repository, name: str) -> Label:
    found = repository.labels.get(name.lower())
    if found is None:
        raise NotFound("Label does not exist" if name else "Not Found")
    return found


def delete_label(github: GitHub, actor: Actor, repository: Repository, name: str) -> None:
    require(actor, repository, PUSH if actor.installation is None else TRIAGE)
    label = find_label(repository, name)
    del repository.labels[name.lower()]
    for issue in repository.issues.values():
        if label in issue.labels:
            issue.labels.remove(label)
    announce(github, author_of(actor), repository, "label", "deleted", label=label_json(github, repository, label))


def ensure_labels(github: GitHub, actor: Actor, repository: Repository, names: Iterable[str]) -> list[Label]:
    """Finds labels by name; a name that nobody has used becomes a new label, as with GitHub's REST API."""
    found = []
    for name in names:
        label = repository.labels.get(name.lower())
        found.append(label or create_label_for(github, actor, repository, name))
    return found


def create_label_for(github: GitHub, actor: Actor, repository: Repository, name: str) -> Label:
    label = new_label(github, repository, name=name, color="ededed", description=None)
    announce(github, author_of(actor), repository, "label", "created", label=label_json(github, repository, label))
    return label


def add_labels(github: GitHub, actor: Actor, issue: Issue, names: Iterable[str]) -> None:
    """Adds labels; those already there tell nobody anything."""
    require(actor, issue.repository, TRIAGE)
    for label in ensure_labels(github, actor, issue.repository, names):
        if label not in issue.labels:
            issue.labels.append(label)
            _tell(github, actor, issue, label, "labeled")


def remove_label(github: GitHub, actor: Actor, issue: Issue, name: str) -> None:
    require(actor, issue.repository, TRIAGE)
    label = next((one for one in issue.labels if one.name.lower() == name.lower()), None)
    if label is None:
        raise NotFound("Label does not exist")
    issue.labels.remove(label)
    _tell(github, actor, issue, label, "unlabeled")


def set_labels(github: GitHub, actor: Actor, issue: Issue, names: Iterable[str]) -> None:
    """Replaces all labels."""
    wanted = list(names)
    lower = {name.lower() for name in wanted}
    for label in [one for one in issue.labels if one.name.lower() not in lower]:
        remove_label(github, actor, issue, label.name)
    add_labels(github, actor, issue, wanted)


def new_label(github: GitHub, repository: Repository, *, name: str, color: str, description: str | None) -> Label:
    if not name.strip() or len(name) > 50:
        raise Unprocessable("Validation Failed", FieldError(resource="Label", field="name", code="invalid"))
    key = github.new_key("LA")
    label = Label(
        id=key.id, node_id=key.node_id, name=name, color=color.removeprefix("#").lower(), description=description
    )
    repository.labels[name.lower()] = label
    github.nodes[key.node_id] = label
    return label


def _tell(github: GitHub, actor: Actor, issue: Issue, label: Label, action: str) -> None:
    user = author_of(actor)
    note(github, issue, user, action, label=label)
    shown = label_json(github, issue.repository, label)
    if issue.is_pull:
        pull = pull_event_json(github, issue.repository.pulls[issue.number])
        announce(
            github, user, issue.repository, "pull_request", action, number=issue.number, pull_request=pull, label=shown
        )
    else:
        announce(github, user, issue.repository, "issues", action, issue=issue_json(github, issue), label=shown)
