"""Says in the terminal what happens on the demo's GitHub, and what to click next."""

from typing import Final

from caseworker.app.demos.github_scenes import Scene

CORRECTION: Final = "Please also test that one cent less still pays."


def news(before: Scene, now: Scene) -> list[str]:
    """What happened between two looks, a line each."""
    known = {run: state for run, _, state in before.runs}
    told = [f"{workflow}: {state}" for run, workflow, state in now.runs if known.get(run) != state]
    sessions = {run: state for run, _, state in before.sessions}
    told += [f"Wrap gifts, {name}: {state}" for run, name, state in now.sessions if sessions.get(run) != state]
    if now.pull is not None and before.pull is None:
        told.append(f"pull request {now.pull} is open")
    if now.pull is not None and now.checks is not None and now.checks != before.checks:
        told.append(f"checks of pull request {now.pull}: {now.checks.lower()}")
    if now.is_merged and not before.is_merged:
        told.append(f"pull request {now.pull} is merged")
    return told


def advice(scene: Scene, pull_page: str) -> str:
    """What to do next. Empty: something is at work, and the page shows it."""
    if scene.is_merged:
        return "That was the whole way. Open another issue if you like, or press Ctrl-C."
    if scene.at_work or (scene.pull is not None and not scene.is_ready):
        return ""
    if scene.is_ready:
        return (
            f"Next: open {pull_page} and merge it. Or write below the issue what should be different; "
            "the same pull request is then changed."
        )
    failed = next((name for _, name, state in reversed(scene.runs) if state in ("failed", "stopped early")), "")
    if failed:
        return f"The {failed} did not succeed; its comment says why. Write `retry` below the issue to try again."
    if scene.state_of("implement") or scene.state_of("plan") == "waiting":
        return "Next: the newest comment says what it waits for."
    if scene.is_done("plan"):
        return (
            f"Next: click `+ bot:implement`. Or correct the plan first: comment `{CORRECTION}`, and when that is "
            "answered, `@caseworker plan`."
        )
    if scene.is_done("triage"):
        return "Next: click `+ bot:plan`."
    return "Next: click `+ bot:triage`, at the right of the issue."
