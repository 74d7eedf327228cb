"""What all acts share: who acts, and telling the listeners."""

from caseworker.github_double.entities.accounts import Actor, App, User
from caseworker.github_double.entities.details import Label, TimelineEvent
from caseworker.github_double.entities.repository import Issue, Repository
from caseworker.github_double.refusals import Unauthorized
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.repository_shapes import repository_json
from caseworker.github_double.state import Event, GitHub, Json


def author_of(actor: Actor) -> User:
    """The account in whose name the actor writes."""
    if actor.user is None:
        raise Unauthorized("Requires authentication")
    return actor.user


def app_of(actor: Actor) -> App | None:
    """The App that wrote it, for `performed_via_github_app`."""
    return actor.installation.app if actor.installation is not None else None


def announce(
    github: GitHub, sender: User, repository: Repository, name: str, action: str | None = None, /, **fields: object
) -> None:
    """Publishes one event of a repository. `fields` are the parts of the body that only this event has."""
    body: Json = {"action": action} if action is not None else {}
    body |= fields
    body["repository"] = repository_json(github, repository)
    if repository.owner.kind == "Organization":
        body["organization"] = organization_json(github, repository.owner)
    body["sender"] = user_json(github, sender)
    github.publish(Event(name=name, action=action, body=body, repository=repository, sender=sender))


def organization_json(github: GitHub, owner: User) -> Json:
    home = f"{github.api_url}/orgs/{owner.login}"
    return {
        "login": owner.login,
        "id": owner.id,
        "node_id": owner.node_id,
        "url": home,
        "repos_url": f"{home}/repos",
        "events_url": f"{home}/events",
        "hooks_url": f"{home}/hooks",
        "issues_url": f"{home}/issues",
        "members_url": f"{home}/members{{/member}}",
        "public_members_url": f"{home}/public_members{{/member}}",
        "avatar_url": f"{github.url}/avatars/u/{owner.id}?v=4",
        "description": None,
    }


def note(
    github: GitHub,
    issue: Issue,
    actor: User,
    event: str,
    *,
    label: Label | None = None,
    subject: User | None = None,
    commit: str | None = None,
    change: tuple[str, str] | None = None,
) -> None:
    """Adds an event to the issue's timeline and counts it as an update."""
    key = github.new_key("TE")
    before, after = change or (None, None)
    now = github.now()
    happened = TimelineEvent(
        id=key.id,
        node_id=key.node_id,
        event=event,
        actor=actor,
        created_at=now,
        label=label,
        subject=subject,
        commit=commit,
        before=before,
        after=after,
    )
    github.nodes[key.node_id] = happened
    issue.discussion.timeline.append(happened)
    issue.times.updated_at = now
