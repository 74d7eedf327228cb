"""`caseworker action`: what an event asks for, how the job ends, and what its page shows."""

import json
from pathlib import Path

import pytest
import yaml

from caseworker.app.terminal.run_action import exit_code_of_action, wanted_by
from caseworker.core.base.policy import Milestone
from caseworker.core.telling.action_summary import action_summary
from caseworker.intake.github_payloads import parse_event
from tests.app.test_views import a_summary
from tests.world.terminal import Terminal

ROOT = Path(__file__).parents[2]
TIME = "2026-01-05T09:00:00Z"


def body(*, label: str = "", comment: str = "", by: str = "User", web: str = "https://github.com") -> dict[str, object]:
    """An event about issue 1 of olga's shop."""
    repository = {
        "id": 1,
        "name": "shop",
        "full_name": "olga/shop",
        "owner": {"login": "olga", "type": "User"},
        "html_url": f"{web}/olga/shop",
    }
    who = {"login": "olga", "id": 1, "type": by}
    issue = {
        "number": 1,
        "title": "Wrong",
        "body": "",
        "user": who,
        "labels": [],
        "state": "open",
        "created_at": TIME,
        "updated_at": TIME,
        "html_url": f"{web}/olga/shop/issues/1",
    }
    event = {"issue": issue, "repository": repository, "sender": who}
    if label:
        return {**event, "action": "labeled", "label": {"name": label}}
    said = {"id": 9, "body": comment, "user": who, "created_at": TIME, "updated_at": TIME}
    return {**event, "action": "created", "comment": said}


def asked(*, label: str = "", comment: str = "", by: str = "User") -> Milestone | str:
    name = "issues" if label else "issue_comment"
    wanted = wanted_by(parse_event(name, body(label=label, comment=comment, by=by)))
    return wanted if isinstance(wanted, str) else wanted.until


@pytest.mark.parametrize(
    ("verb", "until"), [("triage", Milestone.TRIAGE), ("plan", Milestone.PLAN), ("implement", Milestone.PR)]
)
def test_a_label_or_a_literal_comment_says_how_far_to_go(verb: str, until: Milestone) -> None:
    assert asked(label=f"bot:{verb}") == until
    assert asked(comment=f"@caseworker {verb}, please") == until


def test_other_labels_comments_and_bots_start_nothing() -> None:
    nothing = "It asks for none of bot:triage, bot:plan, bot:implement."
    assert asked(label="bug") == nothing
    assert asked(label="bot:review") == nothing
    assert asked(comment="Thanks!") == nothing
    assert asked(label="bot:plan", by="Bot") == "A bot asked, not a person."


@pytest.mark.parametrize(
    ("result", "code"), [("pull_request", 0), ("milestone", 0), ("merged", 0), ("waits", 3), ("ended", 1)]
)
def test_the_exit_code_says_who_must_move(result: str, code: int) -> None:
    assert exit_code_of_action(a_summary(result=result)) == code


def test_the_jobs_page_shows_no_markup_from_a_model() -> None:
    page = action_summary(a_summary(wrong="see @olga [x](http://e) ![i](http://e) <img> a|b"), web="https://g/o/r")
    assert "see @\u200bolga \\[x](http://e) \\!\\[i](http://e) &lt;img> a\\|b" in page


def test_without_an_event_the_command_says_what_to_do_instead(tmp_path: Path) -> None:
    answer = Terminal(tmp_path / "home").types("action")
    assert answer.code == 2
    assert "`caseworker run --issue LINK` does the same" in answer.err


def test_an_event_that_asks_for_nothing_ends_well_and_says_so(tmp_path: Path) -> None:
    event, page = tmp_path / "event.json", tmp_path / "summary.md"
    event.write_text(json.dumps(body(label="bug")))
    names = {"GITHUB_EVENT_NAME": "issues", "GITHUB_EVENT_PATH": str(event), "GITHUB_STEP_SUMMARY": str(page)}
    answer = Terminal(tmp_path / "home", **names).types("action")
    assert (answer.code, answer.out.partition(".")[0]) == (0, "Nothing to do")
    assert "bot:implement" in page.read_text()


def test_the_action_file_runs_the_command_with_the_token_and_the_key_it_was_given() -> None:
    found = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = found["runs"]["steps"]
    assert steps[-1]["run"].endswith('caseworker" action')
    assert steps[-1]["env"]["CASEWORKER_GITHUB_TOKEN"] == "${{ inputs.github_token }}"
    assert {name for name, one in found["inputs"].items() if one.get("required")} == {
        "github_token",
        "anthropic_api_key",
    }
