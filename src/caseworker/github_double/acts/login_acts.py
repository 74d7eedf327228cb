"""Logging in with an App: a person lets it know who they are, and it exchanges the code for a token of theirs."""

import base64
import hashlib
import secrets
from datetime import timedelta
from typing import Final, Literal
from urllib.parse import urlsplit

from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.entities.accounts import App, LoginCode, Token, User
from caseworker.github_double.refusals import NotFound, Unprocessable
from caseworker.github_double.state import GitHub

LoginError = Literal["incorrect_client_credentials", "bad_verification_code", "redirect_uri_mismatch"]
_CODE_LIFE: Final = timedelta(minutes=10)
_TOKEN_LIFE: Final = timedelta(hours=8)


def app_with(github: GitHub, client_id: str) -> App:
    found = next((app for app in github.apps.values() if app.client_id == client_id), None)
    if found is None:
        raise NotFound
    return found


def check_redirect(app: App, redirect: str) -> str:
    """The address to send the person back to. On this machine the port may be another one."""
    wanted = redirect or next(iter(app.callback_urls), "")
    if not any(_same_place(wanted, known) for known in app.callback_urls):
        raise Unprocessable("The redirect_uri is not associated with this application.")
    return wanted


def grant_code(github: GitHub, app: App, user: User, *, redirect: str, challenge: str) -> str:
    code = secrets.token_hex(10)
    github.login_codes[code] = LoginCode(
        app=app, user=user, redirect=redirect, challenge=challenge, expires_at=github.now() + _CODE_LIFE
    )
    return code


def exchange_code(
    github: GitHub, *, client_id: str, client_secret: str, code: str, redirect: str, verifier: str
) -> Token | LoginError:
    app = next((one for one in github.apps.values() if one.client_id == client_id), None)
    if app is None or app.client_secret != client_secret:
        return "incorrect_client_credentials"
    granted = github.login_codes.pop(code, None)
    if granted is None or granted.app is not app or github.now() >= granted.expires_at:
        return "bad_verification_code"
    if redirect and redirect != granted.redirect:
        return "redirect_uri_mismatch"
    if granted.challenge and granted.challenge != _challenge_of(verifier):
        return "bad_verification_code"
    token = create_token(github, granted.user, permissions={}, life=_TOKEN_LIFE)
    del github.tokens[token.value]
    token.value = f"ghu_{secrets.token_hex(18)}"
    github.tokens[token.value] = token
    return token


def _challenge_of(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _same_place(wanted: str, known: str) -> bool:
    one, other = urlsplit(wanted), urlsplit(known)
    if one.hostname == other.hostname == "127.0.0.1":
        return one.path == other.path
    return wanted == known
