"""A turn that resumes a session is sent only what that session has not been given."""

from dataclasses import replace

from caseworker.agents.prompt_inputs import AnalysisInputs, IssueInputs, ProgressInputs, TalkInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.resumed_prompts import only_news
from caseworker.core.base.roles import Role, Task
from caseworker.core.people.messages import Standing
from tests.edges.agents_world import People

ISSUE = IssueInputs(
    title="Sum is wrong", body="It is 0.", author="ann", analysis=AnalysisInputs(brief="Line 3 subtracts.")
)


def said(*texts: str) -> TalkInputs:
    people = People()
    for text in texts:
        people.say(text, author="bob", standing=Standing.OWNER)
    return TalkInputs(earlier=tuple(people.said))


def given(inputs: IssueInputs) -> list[dict[str, object]]:
    """The transcript of a session that was given this."""
    prompt = render(Role.DEVELOPER, Task.IMPLEMENT, inputs)[1]
    return [{"type": "user", "message": {"role": "user", "content": prompt}}]


def resumed(inputs: IssueInputs, history: list[dict[str, object]]) -> str:
    return only_news(render(Role.DEVELOPER, Task.FIX, inputs)[1], history)


def test_what_the_session_was_given_is_not_sent_again() -> None:
    news = replace(ISSUE, progress=ProgressInputs(feedback="The empty list fails."))
    prompt = resumed(news, given(ISSUE))
    assert "The empty list fails." in prompt
    assert "It is 0." not in prompt
    assert "Line 3 subtracts." not in prompt
    assert "What you were given then and is not repeated here still holds." in prompt
    assert prompt.startswith("The change was not accepted.")


def test_what_has_changed_since_is_sent_whole() -> None:
    changed = replace(ISSUE, analysis=AnalysisInputs(brief="Line 4 subtracts."))
    prompt = resumed(changed, given(ISSUE))
    assert "Line 4 subtracts." in prompt
    assert "It is 0." not in prompt


def test_of_a_list_of_messages_only_the_new_ones_are_sent_under_their_title() -> None:
    prompt = resumed(
        replace(ISSUE, talk=said("Keep it short.", "Mind the tax.")), given(replace(ISSUE, talk=said("Keep it short.")))
    )
    assert "Keep it short." not in prompt
    assert "still holds:\n<quoted-" in prompt
    assert "Mind the tax." in prompt


def test_a_list_without_news_leaves_no_title() -> None:
    spoken = replace(ISSUE, talk=said("Keep it short."))
    assert "Said earlier" not in resumed(spoken, given(spoken))


def test_what_a_tool_printed_was_not_given_by_us() -> None:
    block = render(Role.DEVELOPER, Task.IMPLEMENT, ISSUE)[1]
    result = {"type": "tool_result", "tool_use_id": "t", "content": block}
    history: list[dict[str, object]] = [{"type": "user", "message": {"role": "user", "content": [result]}}]
    whole = render(Role.DEVELOPER, Task.FIX, ISSUE)[1]
    assert only_news(whole, history) == whole


def test_what_was_said_before_a_summary_is_sent_again() -> None:
    summary: dict[str, object] = {"type": "user", "isCompactSummary": True, "message": {"content": "They repaired it."}}
    assert "It is 0." in resumed(ISSUE, [*given(ISSUE), summary])
