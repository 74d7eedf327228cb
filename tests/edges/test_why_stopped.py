"""The record says why an attempt was stopped: by a person, or because its worker ended."""

import asyncio

import pytest
from temporalio.activity import ActivityCancellationDetails as Details
from temporalio.testing import ActivityEnvironment

from caseworker.activities.turn.attempts import why_stopped


@pytest.mark.parametrize(
    ("details", "words"),
    [
        (Details(cancel_requested=True), "stopped by a person"),
        (Details(worker_shutdown=True), "the worker shut down; the turn is begun again"),
        (Details(timed_out=True), "Temporal has given it up; the turn is begun again, or not wanted any more"),
    ],
)
async def test_the_record_says_who_stopped_an_attempt(details: Details, words: str) -> None:
    environment = ActivityEnvironment()

    async def works() -> str:
        environment.cancel(details)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return why_stopped()
        raise AssertionError("it was not stopped")

    assert await environment.run(works) == words
