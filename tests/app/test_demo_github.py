"""The stage of `caseworker demo github`."""

from pathlib import Path

import httpx

from caseworker.app.demos.own_github import LABELS, own_github
from caseworker.github_double.acts.push_acts import write_file
from caseworker.github_double.derive.check_results import rollup
from caseworker.github_double.entities.accounts import Actor


async def test_the_demo_has_an_issue_labels_to_click_and_real_ci(tmp_path: Path) -> None:
    async with own_github(tmp_path) as github, httpx.AsyncClient(headers={"accept": "text/html"}) as browser:
        shop, state = github.repository, github.double.state
        shown = (await browser.get(f"{github.page}/issues/1")).text
        assert "An order of exactly 50.00 is charged for shipping" in shown
        assert all(f"+ {label}" in shown for label in LABELS)
        head = write_file(state, Actor(user=shop.owner), shop, "notes.md", b"notes\n", message="Add notes")
        await github.ci.idle()
        assert rollup(shop, head) == "SUCCESS"
