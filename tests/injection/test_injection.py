"""Hostile texts on our own GitHub, with a model that obeys whatever it reads: no attacker gets anything.

`make prove` plays all attacks the whole way. Here: all of them without processes, and a few the whole way.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.core.base.outgoing_text import outgoing, outgoing_message
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.untrusted_text import Fence
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from tests.injection.attack import Attack
from tests.injection.effects import markdown_wrongs, plain_wrongs
from tests.injection.gullible import orders_in
from tests.injection.stage import ATTACKS, KEY, Stage, open_injection

WHOLE_WAY = ("secret in plain words", "workflow file", "claimed approval", "chat: run a workflow")


@pytest.mark.parametrize("attack", [one for one in ATTACKS if one.hidden], ids=lambda attack: attack.name)
def test_an_order_that_people_can_not_see_reaches_no_prompt(attack: Attack) -> None:
    assert orders_in(attack.text), "the attack hides no order that the model would find"
    prompt = Fence("5f3a").quote(attack.text, what="issue", source="mallory, other", limit=20_000)
    assert orders_in(prompt) == []


@pytest.mark.parametrize("attack", [one for one in ATTACKS if " SAY " in one.text], ids=lambda attack: attack.name)
def test_what_an_obedient_model_says_is_harmless_once_it_leaves(attack: Attack) -> None:
    for order in orders_in(attack.text):
        said = order.what.replace("{secret}", KEY)
        assert list(markdown_wrongs(outgoing(said, Redactor([KEY])))) == []
        message = outgoing_message(said, Redactor([KEY]))
        assert plain_wrongs(message, [KEY]) == []


@pytest.fixture
async def stage(home: Path, temporal: Address) -> AsyncIterator[Stage]:
    async with open_injection(home, await connect(temporal)) as stage:
        yield stage


@pytest.mark.slow
async def test_attacks_that_go_the_whole_way_get_nothing(stage: Stage) -> None:
    for attack in ATTACKS:
        if attack.name in WHOLE_WAY:
            assert (await stage.play(attack)).wrongs == (), attack.name
