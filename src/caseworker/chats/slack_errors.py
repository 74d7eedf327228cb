"""Translates errors of Slack into ours: `Transient` (try again later) or `Refused` (tell a person what to do)."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import aiohttp
from slack_sdk.errors import SlackApiError

from caseworker.core.base.errors import RateLimited, Refused, Transient

_TRANSIENT: Final = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_LIMITED: Final = frozenset({"ratelimited", "rate_limited"})
_SECONDS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_PAUSE: Final = 30.0
"""Seconds to wait after a rate limit for which Slack names no time."""
_TOKEN: Final = "Correct the Slack tokens in the settings (`caseworker docs slack`), and start again."
_INVITE: Final = "Invite the bot there: type `/invite @caseworker` in the channel."
_CHANNEL: Final = "Correct the channel's id in the settings, and invite the bot there: `/invite @caseworker`."
_INSTALL: Final = "Make the app anew from `caseworker slack manifest`, and install it again."
_TODO: Final = {
    "not_in_channel": _INVITE,
    "channel_not_found": _CHANNEL,
    "is_archived": "Unarchive the channel, or name another one in the settings.",
    "restricted_action": "Let the bot post in that channel (its posting permissions), or name another one.",
    "thread_not_found": "The thread was deleted; the case goes on in the terminal.",
    "invalid_auth": _TOKEN,
    "not_authed": _TOKEN,
    "account_inactive": _TOKEN,
    "token_revoked": _TOKEN,
    "token_expired": _TOKEN,
    "not_allowed_token_type": _TOKEN,
    "missing_scope": _INSTALL,
    "no_permission": _INSTALL,
}


@contextmanager
def translated_errors(what: str) -> Iterator[None]:
    """Raises an error of Slack or of the network as `Transient` or `Refused`; `what` says what was not done."""
    try:
        yield
    except SlackApiError as error:
        raise _translate(what, error) from error
    except TimeoutError as error:
        raise Transient(f"{what}: Slack did not answer in time.") from error
    except (aiohttp.ClientError, OSError) as error:
        raise Transient(f"{what}: Slack can't be reached ({type(error).__name__}: {error}).") from error


def retry_after(headers: Mapping[str, str]) -> float:
    """How many seconds to wait after a rate limit: at least one."""
    named = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    return max(1.0, float(named)) if _SECONDS.fullmatch(named.strip()) else _PAUSE


def _translate(what: str, error: SlackApiError) -> Transient | Refused:
    status, code = _answer(error)
    if code in _TODO:
        return Refused(f"{what}: Slack says {code}.", todo=_TODO[code])
    if status == 429 or code in _LIMITED:
        headers: object = getattr(error.response, "headers", None)
        seconds = retry_after(headers if isinstance(headers, Mapping) else {})
        return RateLimited(f"{what}: Slack answered {code or status}.", seconds=seconds)
    if not code or code in _TRANSIENT or status >= 500:
        return Transient(f"{what}: Slack answered {code or status}.")
    return Refused(f"{what}: Slack says {code}.")


def _answer(error: SlackApiError) -> tuple[int, str]:
    """The status and Slack's error code. The library has two kinds of responses, one of them without a body."""
    response: object = error.response
    status: object = getattr(response, "status_code", None) or getattr(response, "status", None)
    body = getattr(response, "data", None)
    code = body.get("error") if isinstance(body, dict) else None
    return status if isinstance(status, int) else 0, str(code or "")
