"""The GitHub demo in a real browser: the same walk that makes the pictures of the docs."""

import asyncio
from pathlib import Path

import pytest
from scripts.pictures.__main__ import make_pictures


@pytest.mark.slow
async def test_clicks_in_chromium_lead_from_the_issue_to_a_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASEWORKER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASEWORKER_REHEARSAL_PACE", "0")
    await make_pictures(tmp_path)
    made = await asyncio.to_thread(lambda: sorted(file.name for file in tmp_path.glob("*.png")))
    assert made == ["github-issue.png", "github-plan.png", "github-pull.png"]
