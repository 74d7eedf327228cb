"""Who sends a request: reads the Authorization header, checks App JWTs and tokens."""

import base64
import binascii
from typing import Final

import jwt

from caseworker.github_double.entities.accounts import Actor, App
from caseworker.github_double.refusals import Forbidden, Unauthorized
from caseworker.github_double.state import GitHub

_LONGEST_JWT_LIFE: Final = 600
_ALLOWED_DRIFT: Final = 60

ANONYMOUS: Final = Actor(user=None)


def authenticate(github: GitHub, header: str | None) -> Actor:
    """The actor behind an Authorization header: `Bearer` or `token`, or Basic with the token as password."""
    if not header:
        return ANONYMOUS
    scheme, _, value = header.strip().partition(" ")
    if scheme.lower() == "basic":
        return _by_password(github, value)
    if scheme.lower() not in ("bearer", "token"):
        raise Unauthorized("Bad credentials")
    if value.count(".") == 2 and scheme.lower() == "bearer":
        return Actor(user=None, app=_app_of_jwt(github, value))
    return by_token(github, value.strip())


def by_token(github: GitHub, value: str) -> Actor:
    """The bearer of a token, if it is still good."""
    token = github.tokens.get(value)
    if token is None or token.is_revoked:
        raise Unauthorized("Bad credentials")
    if token.expires_at is not None and github.now() >= token.expires_at:
        raise Unauthorized("Bad credentials")
    installation = token.installation
    if installation is not None and installation.suspended_at is not None:
        raise Forbidden("This installation has been suspended")
    return Actor(user=token.user, token=token, app=installation.app if installation else None)


def _by_password(github: GitHub, value: str) -> Actor:
    """git sends a name and the token; which is which differs between clients."""
    try:
        name, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Unauthorized("Bad credentials") from None
    return by_token(github, password if password and password != "x-oauth-basic" else name)


def _app_of_jwt(github: GitHub, value: str) -> App:
    try:
        claimed = jwt.decode(value, options={"verify_signature": False})
        app = _named(github, str(claimed.get("iss", "")))
        if app is None:
            raise Unauthorized("A JSON web token could not be decoded")
        claims = jwt.decode(
            value,
            app.public_key,
            algorithms=["RS256"],
            options={"verify_exp": False, "verify_iat": False, "require": ["exp", "iat"]},
        )
    except jwt.InvalidTokenError:
        raise Unauthorized("A JSON web token could not be decoded") from None
    now, issued, expires = github.now().timestamp(), float(claims["iat"]), float(claims["exp"])
    if expires <= now:
        raise Unauthorized("'Expiration time' claim ('exp') must be a numeric value representing the future time")
    if expires - now > _LONGEST_JWT_LIFE + _ALLOWED_DRIFT:
        raise Unauthorized("'Expiration time' claim ('exp') is too far in the future")
    if issued > now + _ALLOWED_DRIFT:
        raise Unauthorized(
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        )
    return app


def _named(github: GitHub, issuer: str) -> App | None:
    return next((app for app in github.apps.values() if issuer in (str(app.id), app.client_id)), None)
