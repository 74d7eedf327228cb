"""`caseworker init github`: makes a GitHub App from a manifest, or checks the access that there is."""

import html
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError
from rich.console import Console

from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.doctor import print_checks
from caseworker.app.terminal.github_checks import examine_github
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.evidence.repository_rules import SETTINGS_FILE
from caseworker.forges.github.address import ApiAddress
from caseworker.forges.github.api_errors import error_of
from caseworker.forges.github.app_needs import EVENTS, TOKEN_PERMISSIONS, app_manifest
from caseworker.forges.github.issue_links import parse_repository
from caseworker.forges.github.transport import Request, Transport

PAGE: Final = "github-app.html"
KEY: Final = "github-app.pem"
RULES: Final = """\
# Rules of this repository for Caseworker. They are read from the default branch only.
# until = "plan"            # how far a case goes by itself: triage, plan or pr

# [commands]                # found by itself where this is left out
# test = "make test"

# [approvals]
# plan = true               # every plan waits for a person

# [budget]
# usd = 2.5                 # per case, at most what the deployment allows
"""


@dataclass(frozen=True, kw_only=True)
class AppWanted:
    name: str
    organization: str
    public_url: str


class _Made(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: int
    slug: str
    pem: str
    webhook_secret: str | None = None
    client_id: str = ""
    client_secret: str = ""
    html_url: str = ""


async def check_access(settings: Settings, console: Console, repository: str) -> int:
    """Say how access stands; where there is none, say the two ways to get it."""
    address = ApiAddress(settings.github_api_url)
    if settings.github_token is None and not settings.github_app_id:
        console.print(_two_ways(address), markup=False)
        return 2
    wanted = parse_repository(repository, address) if repository else None
    checks = await examine_github(settings, wanted)
    print_checks(checks, console)
    return 1 if any(check.mark == "missing" for check in checks) else 0


def _two_ways(address: ApiAddress) -> str:
    needs = "\n".join(f"     {name}: {level:<5}  {why}" for name, (level, why) in TOKEN_PERMISSIONS.items())
    return f"""Caseworker has no access to GitHub yet. There are two ways:

  1. A GitHub App (best: its pull requests start CI, and it has a name of its own)
     caseworker init github --app --url https://WHERE.GITHUB.REACHES.YOU
     Leave --url out if GitHub can't reach you: Caseworker then looks every two minutes.

  2. A fine-grained token: {address.web}/settings/personal-access-tokens/new
     Choose the repository and these permissions, then set CASEWORKER_GITHUB_TOKEN.
{needs}
"""


def offer_app(settings: Settings, console: Console, wanted: AppWanted) -> int:
    """Write the page that hands the manifest to GitHub, and say what to click."""
    if wanted.public_url and not re.fullmatch(r"https?://[^/\s]+(?:/\S*)?", wanted.public_url):
        raise Refused(
            f"`--url {wanted.public_url}` is no address.",
            todo="Write it as https://HOST, or leave it out if GitHub can't reach you.",
        )
    make_home(settings)
    web = ApiAddress(settings.github_api_url).web
    place = f"organizations/{wanted.organization}/settings" if wanted.organization else "settings"
    manifest = app_manifest(name=wanted.name, public_url=wanted.public_url)
    page = settings.home / PAGE
    page.write_text(_page(f"{web}/{place}/apps/new", manifest), encoding="utf-8")
    console.print(manifest, markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"""
1. Open {page} in a browser where you are signed in to GitHub, and press the button.
2. GitHub shows the App. Press "Create GitHub App".
3. GitHub leads you to an address on 127.0.0.1 that does not open. Copy what follows `code=` in it, and within an hour:
   caseworker init github --code CODE""",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    if wanted.public_url:
        console.print(f"   It will be told of: {', '.join(EVENTS)}.", markup=False, style="dim")
    return 0


def _page(target: str, manifest: str) -> str:
    return (
        '<!doctype html><meta charset="utf-8"><title>Caseworker on GitHub</title>\n'
        f'<form action="{html.escape(target)}" method="post">\n'
        f'<input type="hidden" name="manifest" value="{html.escape(manifest)}">\n'
        "<button>Make the GitHub App</button>\n</form>\n"
    )


async def take_app(settings: Settings, console: Console, code: str) -> int:
    """Get the new App's keys, which GitHub tells only once, and put them into the settings."""
    file = settings.home / "caseworker.toml"
    held = file.read_text(encoding="utf-8") if file.exists() else ""
    if settings.github_app_id or "github_app_id" in held:
        raise Refused("A GitHub App is set up already.", todo=f"Remove the github_app_... lines from {file} first.")
    made = await _convert(settings, code)
    make_home(settings)
    key = settings.home / KEY
    _write_private(key, made.pem)
    lines = [f'github_app_id = "{made.id}"', f'github_app_private_key = "{key}"']
    if made.client_id and made.client_secret:
        lines += [f'github_client_id = "{made.client_id}"', f'github_client_secret = "{made.client_secret}"']
    if made.webhook_secret:
        lines.append(f'github_webhook_secret = "{made.webhook_secret}"')
    _write_private(file, "\n".join(lines) + "\n" + held)  # before any [table]
    console.print(
        f"The App {made.slug} is made; its keys are in {settings.home}, readable for you only.\n"
        f"Next, install it on your repositories: {made.html_url}/installations/new\nThen: caseworker doctor",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return 0


async def _convert(settings: Settings, code: str) -> _Made:
    if not code.isalnum():
        raise Refused("That is no code.", todo="Copy what follows `code=` in the address, up to the next `&`.")
    transport = Transport(ApiAddress(settings.github_api_url.rstrip("/")))
    request = Request(method="POST", path=f"app-manifests/{code}/conversions")
    try:
        reply = await transport.send(request, "")
    finally:
        await transport.close()
    if reply.status in (404, 422):
        raise Refused("GitHub does not know this code: it counts once, for an hour.", todo="Begin again with `--app`.")
    if reply.status >= 300:
        raise error_of(reply, request, account="nobody")
    try:
        return _Made.model_validate_json(reply.body)
    except ValidationError:
        raise Transient("GitHub's answer with the App's keys could not be read.") from None


def _write_private(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    draft.rename(path)


def write_rules(console: Console, folder: Path) -> int:
    """Write `.caseworker.toml` with every rule switched off, to be changed and committed."""
    if not (folder / ".git").exists():
        raise Refused(f"{folder} is not the top of a git repository.", todo="Name the folder of your checkout.")
    file = folder / SETTINGS_FILE
    try:
        with file.open("x", encoding="utf-8") as made:
            made.write(RULES)
    except FileExistsError:
        todo = "Edit it; `caseworker docs settings` lists what it may say."
        raise Refused(f"{file} is there already.", todo=todo) from None
    console.print(f"{file} is written. Change what you like, and commit it to the default branch.", markup=False)
    return 0
