"""Tries the model's key with one tiny call, and says what came of it."""

import json

from caseworker.agents.price_list import PriceList
from caseworker.app.settings import Settings
from caseworker.app.terminal.slack_checks import Check
from caseworker.core.base.budget import cost, dollars, worst_case
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.roles import Role, Task


def _model(settings: Settings) -> str:
    """The one for single questions: the cheapest that this deployment uses."""
    return settings.policy().model_for(Role.PM, Task.CLASSIFY)


def _body(model: str) -> bytes:
    question = {"model": model, "max_tokens": 1, "messages": [{"role": "user", "content": "Say yes."}]}
    return json.dumps(question).encode()


def announced(settings: Settings) -> str:
    """What is said before the call. Empty: there is no key to try."""
    if settings.anthropic_api_key is None:
        return ""
    model = _model(settings)
    most = dollars(worst_case(PriceList(settings.prices).of(model), len(_body(model)), 1))
    return f"One call to {settings.anthropic_base_url} tries the key: {model}, at most {most}."


async def try_key(settings: Settings) -> Check:
    from caseworker.agents.meter import Meter
    from caseworker.agents.provider_words import is_about_key, read_refusal, refused_key
    from caseworker.agents.upstreams import BrokenOff, ModelCall, Unreachable
    from caseworker.agents.upstreams.anthropic import AnthropicUpstream

    if settings.anthropic_api_key is None:
        return Check("model", "note", "no key: only rehearsals work. Set ANTHROPIC_API_KEY for real cases")
    where, key = settings.anthropic_base_url, settings.anthropic_api_key.get_secret_value()
    body = _body(model := _model(settings))
    headers = {"anthropic-version": "2023-06-01"}
    call = ModelCall(path="/v1/messages", query="", headers=headers, body=body, document=json.loads(body))
    upstream = AnthropicUpstream(key=key, base_url=where)
    try:
        answer = await upstream.send(call)
        if answer.uncharged:
            words, _ = await read_refusal(answer)
            words = Redactor(settings.secrets()).text(words)
            if is_about_key(answer.status, words):
                return Check("model", "missing", refused_key(answer.status, words))
            said = f": {words}" if words else ""
            return Check("model", "missing", f"{where} answered {answer.status}{said}. The key could not be tried.")
        meter = Meter(streamed=False, request_bytes=len(body))
        meter.feed(b"".join([chunk async for chunk in answer.body]))
        meter.end()
    except (Unreachable, BrokenOff) as error:
        return Check("model", "missing", f"{error}. Correct the network or `anthropic_base_url`, then try again.")
    finally:
        await upstream.close()
    price = PriceList(settings.prices).of(model)
    return Check("model", "ok", f"{where} accepts the key; the call cost {dollars(cost(price, meter.usage))}")
