"""Users, Apps and installations as JSON."""

from caseworker.github_double.entities.accounts import App, Installation, User
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.state import GitHub, Json

_USER_LINKS = (
    ("followers_url", "followers"),
    ("following_url", "following{/other_user}"),
    ("gists_url", "gists{/gist_id}"),
    ("starred_url", "starred{/owner}{/repo}"),
    ("subscriptions_url", "subscriptions"),
    ("organizations_url", "orgs"),
    ("repos_url", "repos"),
    ("events_url", "events{/privacy}"),
    ("received_events_url", "received_events"),
)


def user_json(github: GitHub, user: User) -> Json:
    home = f"{github.api_url}/users/{user.login}"
    slug = user.login.removesuffix("[bot]")
    return {
        "login": user.login,
        "id": user.id,
        "node_id": user.node_id,
        "avatar_url": f"{github.url}/avatars/u/{user.id}?v=4",
        "gravatar_id": "",
        "url": home,
        "html_url": f"{github.url}/apps/{slug}" if user.kind == "Bot" else f"{github.url}/{user.login}",
        **{name: f"{home}/{path}" for name, path in _USER_LINKS},
        "type": user.kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def user_or_none(github: GitHub, user: User | None) -> Json | None:
    return None if user is None else user_json(github, user)


def public_user_json(github: GitHub, user: User) -> Json:
    """The long form of `/users/{login}`."""
    owned = [one for one in github.repositories.values() if one.owner is user]
    return {
        **user_json(github, user),
        "name": user.name,
        "company": None,
        "blog": "",
        "location": None,
        "email": user.email,
        "hireable": None,
        "bio": None,
        "twitter_username": None,
        "public_repos": sum(not one.is_private for one in owned),
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": wire_time(user.created_at),
        "updated_at": wire_time(user.created_at),
    }


def private_user_json(github: GitHub, user: User) -> Json:
    """The long form of `/user`: what one sees of oneself."""
    private = sum(one.is_private for one in github.repositories.values() if one.owner is user)
    return {
        **public_user_json(github, user),
        "private_gists": 0,
        "total_private_repos": private,
        "owned_private_repos": private,
        "disk_usage": 0,
        "collaborators": 0,
        "two_factor_authentication": True,
    }


def app_json(github: GitHub, app: App) -> Json:
    return {
        "id": app.id,
        "client_id": app.client_id,
        "slug": app.slug,
        "node_id": app.node_id,
        "owner": user_json(github, app.owner),
        "name": app.name,
        "description": "",
        "external_url": f"{github.url}/apps/{app.slug}",
        "html_url": f"{github.url}/apps/{app.slug}",
        "created_at": wire_time(app.created_at),
        "updated_at": wire_time(app.created_at),
        "permissions": dict(app.permissions),
        "events": list(app.events),
    }


def app_or_none(github: GitHub, app: App | None) -> Json | None:
    return None if app is None else app_json(github, app)


def installation_json(github: GitHub, installation: Installation) -> Json:
    home = f"{github.api_url}/app/installations/{installation.id}"
    return {
        "id": installation.id,
        "account": user_json(github, installation.account),
        "repository_selection": "all" if installation.repository_ids is None else "selected",
        "access_tokens_url": f"{home}/access_tokens",
        "repositories_url": f"{github.api_url}/installation/repositories",
        "html_url": f"{github.url}/settings/installations/{installation.id}",
        "app_id": installation.app.id,
        "client_id": installation.app.client_id,
        "app_slug": installation.app.slug,
        "target_id": installation.account.id,
        "target_type": "Organization" if installation.account.kind == "Organization" else "User",
        "permissions": dict(installation.permissions),
        "events": list(installation.app.events),
        "created_at": wire_time(installation.created_at),
        "updated_at": wire_time(installation.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": wire_time_or_none(installation.suspended_at),
    }
